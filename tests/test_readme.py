"""The README's Python is run as it stands, with words instead of sound and fewer trials."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.S)


def test_there_are_examples():
    assert len(BLOCKS) == 3


def test_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    code = "\n".join(BLOCKS)
    code = code.replace("trials=3, seed=0", 'trials=1, seed=0, fidelity="text", progress=False')
    code = code.replace(
        "agent=MyAgent(), trials=1", 'agent=MyAgent(), trials=1, fidelity="text", progress=False'
    )
    assert code.count('fidelity="text"') == 2
    scope: dict = {}
    exec(compile(code, "README.md", "exec"), scope)
    assert "pass@1" in capsys.readouterr().out
    assert list(tmp_path.glob("results/first/figures/*.png"))
    call = scope["run"][0]
    assert call.error is None
    assert call.tool_calls[0].name == "get_reservation"
    assert scope["found"].components["scenario"] > scope["found"].components["residual"]


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)]+)\)", README))
def test_links_lead_somewhere(target):
    assert (Path(__file__).resolve().parents[1] / target).exists()
