"""The command line: what it prints, and that no mistake of a user ends in a traceback."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import evalib
from evalib.cli import main


def run(capsys, *args):
    code = main([str(a) for a in args])
    out, err = capsys.readouterr()
    return code, out, err


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for command in ("demo", "simulate", "score", "report", "scenarios", "bench", "versions"):
        assert command in text


def test_no_command_prints_help(capsys):
    code, out, _ = run(capsys)
    assert code == 0
    assert "evalib demo" in out


def test_demo_quick(capsys, tmp_path):
    code, out, _ = run(capsys, "demo", "--quick", "--out", tmp_path / "demo")
    assert code == 0
    assert "pass@1" in out
    assert "synthetic" in out
    assert list((tmp_path / "demo" / "figures").glob("*.png"))


def test_simulate_score_report(capsys, tmp_path):
    folder = tmp_path / "run"
    code, out, _ = run(
        capsys, "simulate", "--ids", "E1.1", "--fidelity", "text", "--jobs", 1, "--out", folder
    )
    assert code == 0
    assert "1 of 1 calls completed their task" in out
    code, out, _ = run(capsys, "score", folder)
    assert code == 0
    assert "not_run" in out
    code, out, _ = run(capsys, "report", folder)
    assert code == 0
    assert "task_completion" in out


def test_quick_changes_defaults_only(capsys, tmp_path):
    args = ("demo", "--quick", "--trials", 2, "--scenarios", 1, "--jobs", 1, "--out", tmp_path / "demo")
    code, out, _ = run(capsys, *args)
    assert code == 0
    assert "Calls: 4. Fidelity text" in out


def test_no_command_loses_scores(capsys, tmp_path):
    """What was scored stays when a run is simulated again, or scored by one metric."""
    folder = tmp_path / "run"
    simulate = ("simulate", "--ids", "E1.1", "--fidelity", "text", "--jobs", 1, "--out", folder)
    assert run(capsys, *simulate)[0] == 0
    assert not evalib.load_run(folder).scored
    assert run(capsys, "score", folder)[0] == 0
    whole = evalib.load_run(folder).scores
    for again in (simulate, ("score", folder, "--metrics", "turn_taking")):
        assert run(capsys, *again)[0] == 0
        scores = evalib.load_run(folder).scores
        order = ["metric", "judge"]
        pd.testing.assert_frame_equal(
            scores.sort_values(order, ignore_index=True), whole.sort_values(order, ignore_index=True)
        )


def test_report_scores_only_what_has_no_scores(capsys, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    run(capsys, "simulate", "--ids", "E1.1", "--fidelity", "text", "--jobs", 1, "--out", folder)
    scored = []
    score = evalib.score
    monkeypatch.setattr(evalib, "score", lambda *args, **more: scored.append(1) or score(*args, **more))
    run(capsys, "score", folder, "--metrics", "turn_taking")
    assert len(scored) == 1
    for _ in range(2):
        code, out, _ = run(capsys, "report", folder)
        assert code == 0
        assert "task_completion" in out
    assert len(scored) == 2


def test_scenarios_and_replay(capsys):
    code, out, _ = run(capsys, "scenarios", "--domain", "airline", "--replay")
    assert code == 0
    assert "10 of 10" in out


def test_versions_are_json(capsys):
    code, out, _ = run(capsys, "versions")
    assert code == 0
    assert "evalib" in json.loads(out)


@pytest.mark.parametrize(
    "args",
    [
        ("simulate", "--data", "/nowhere"),
        ("simulate", "--domain", "plumbing"),
        ("simulate", "--ids", "nope"),
        ("simulate", "--agent", "nobody", "--ids", "E1.1"),
        ("simulate", "--ids", "E1.1", "--fidelity", "text", "--out", "/proc/evalib/run"),
        ("simulate", "--ids", "E1.1", "--fidelity", "text", "--jobs", "0"),
        ("simulate", "--ids", "E1.1", "--language", "tlh"),
        ("score", "/nowhere"),
        ("report", "/nowhere"),
        ("scenarios", "--data", "/nowhere"),
        ("demo", "--scenarios", "99"),
        ("demo", "--quick", "--trials", "0"),
        ("demo", "--quick", "--scenarios", "0"),
        ("bench", "--seconds", "-1"),
        ("bench", "--seconds", "nan"),
        ("simulate", "--ids", "E1.1", "--fidelity", "text", "--vad", "nope"),
        ("simulate", "--ids", "E1.1", "--fidelity", "text", "--stt", "nope"),
        ("simulate", "--ids", "E1.1", "--fidelity", "text", "--out", "a\0b"),
        ("demo", "--quick", "--out", "/proc/evalib"),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, args):
    code, _, err = run(capsys, *args)
    assert code == 2
    lines = [line for line in err.splitlines() if not line.endswith("?call/s]")]
    assert len(lines) == 1
    assert lines[0].startswith("evalib: ")


@pytest.mark.parametrize(
    "args", [("simulate", "--trials", "x"), ("simulate", "--fidelity", "video"), ("fly",)], ids=" ".join
)
def test_bad_options_exit_with_2(args):
    done = subprocess.run([sys.executable, "-m", "evalib", *args], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_broken_data_folder(capsys, tmp_path):
    (tmp_path / "airline_dataset.json").write_text('[{"id": "1.1.1",')
    code, _, err = run(capsys, "scenarios", "--data", tmp_path)
    assert code == 2
    assert "airline_dataset.json" in err
