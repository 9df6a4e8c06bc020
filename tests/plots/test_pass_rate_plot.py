"""The bars are the numbers of the frame."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from evalib.core import DataFormatError
from evalib.plots import pass_rate_bars
from evalib.stats import pass_rates


@pytest.fixture
def rates():
    rows = [
        {
            "system": s,
            "domain": "airline",
            "scenario": i,
            "trial": t,
            "metric": "eva_x_pass",
            "value": float(v),
        }
        for s, passes in (("a", ["11", "10", "00"]), ("b", ["11", "11", "01"]))
        for i, trials in enumerate(passes)
        for t, v in enumerate(map(int, trials))
    ]
    frame = pd.DataFrame(rows).assign(status="ok")
    not_run = frame.assign(metric="eva_a_pass", value=np.nan, status="not_run")
    return pd.concat([pass_rates(frame, metric="eva_x_pass"), pass_rates(not_run)])


def test_bars_and_whiskers(rates):
    ax = pass_rate_bars(rates)
    widths = [[bar.get_width() for bar in c] for c in ax.containers if hasattr(c, "patches")]
    expected = rates[["pass_at_1", "pass_at_k", "pass_hat_k"]].fillna(0).to_numpy().T
    assert widths == [pytest.approx(w) for w in expected]
    whiskers = ax.collections[0].get_segments()[0][:, 0]
    assert whiskers.tolist() == pytest.approx(rates[["pass_at_1_low", "pass_at_1_high"]].iloc[0].tolist())
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["pass@1", "pass@2", "pass^2"]
    assert ax.get_yticklabels()[0].get_text() == "a\nEVA-X (3 scenarios)"
    assert "95% bootstrap" in ax.get_xlabel()


def test_what_was_not_scored_says_so(rates):
    shown = [t.get_text() for t in pass_rate_bars(rates, note="synthetic").texts]
    assert shown.count("no trial has a value: not_run") == 2
    assert "nan" not in " ".join(shown)


def test_own_axes(rates):
    _, ax = plt.subplots()
    assert pass_rate_bars(rates, ax=ax) is ax


def test_estimates_without_an_interval(rates):
    rates = rates.assign(pass_at_1_low=np.nan, pass_at_1_high=np.nan)
    pass_rate_bars(rates).figure.canvas.draw()


def test_wrong_frames(rates):
    with pytest.raises(DataFormatError, match="pass_hat_k"):
        pass_rate_bars(rates.drop(columns="pass_hat_k"))
    with pytest.raises(DataFormatError, match="no rows"):
        pass_rate_bars(rates.iloc[:0])
