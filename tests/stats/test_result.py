from dataclasses import dataclass, field

import pandas as pd

from evalib.stats.result import Result


@dataclass(frozen=True)
class Found(Result):
    estimate: float = 0.123456
    parts: dict = field(default_factory=lambda: {"a<b": 1.0, "c": float("nan")})
    percent: dict = field(default_factory=lambda: {"a<b": 100.0, "c": 0.0})
    flips: list = field(default_factory=lambda: [("x", "y", 0.1000001)])
    empty: tuple = ()
    reason: str = ""


def test_is_a_row_of_a_table():
    frame = pd.concat([Found().to_frame(), Found(estimate=1.0).to_frame()])
    assert frame["estimate"].tolist() == [0.123456, 1.0]
    assert frame["percent.a<b"].tolist() == [100.0, 100.0]
    assert Found().as_dict()["parts.a<b"] == 1.0


def test_shows_itself_in_a_notebook():
    html = Found()._repr_html_()
    assert "0.1235" in html
    assert html.count("<table>") == 3  # the two dicts have the same keys; the list is rows
    assert "a&lt;b" in html
    assert "a<b" not in html
    assert "reason" not in html  # nothing to say
    cells = "".join(f"<td style='text-align:left'>{shown}</td>" for shown in ("nan", "0"))
    assert "<th style='text-align:left'>c</th>" + cells in html
    assert "why" in Found(reason="why")._repr_html_()


def test_prints_itself_as_aligned_tables():
    text = str(Found(reason="why"))
    assert text.splitlines() == [
        "Found",
        "",
        "     parts  percent",
        "a<b  1      100",
        "c    nan    0",
        "",
        "estimate  0.1235",
        "reason    why",
        "",
        "flips  x  y  0.1",
    ]
