"""The report says what was left out, why calls failed, and nothing twice in two ways."""

import pandas as pd
import pytest

import evalib
from evalib.core import SCORE_COLUMNS, Status
from evalib.reporting import Report, report
from evalib.simulator import AgentProfile, Faults


@pytest.fixture(scope="module")
def run():
    scenarios = evalib.load_scenarios(ids=["E1.1", "E5.1"])
    wrong = AgentProfile("wrong", faults=Faults(wrong_write=1.0))
    return evalib.simulate(scenarios, agent=["careful", wrong], trials=2, fidelity="text", progress=False)


@pytest.fixture(scope="module")
def scores(run):
    return evalib.score(run)


def row(frame, **wanted):
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    (found,) = frame.to_dict("records")
    return found


def made(scores, changes):
    """The scores with the task completion of some (scenario, trial) of `careful` set, or missing."""
    scores = scores.copy()
    for (scenario, trial), value in changes.items():
        where = (
            (scores["system"] == "careful")
            & (scores["metric"] == "task_completion")
            & (scores["scenario"] == scenario)
            & (scores["trial"] == trial)
        )
        assert where.sum() == 1
        if isinstance(value, str):
            scores.loc[where, ["value", "status", "reason"]] = [float("nan"), value, "set by the test"]
        else:
            scores.loc[where, "value"] = value
    return scores


def test_failures_say_which_call_was_wrong(run, scores):
    failures = report(run, scores).failures
    assert set(failures["system"]) == {"wrong"}
    assert failures["what was wrong"].str.contains("expected").all()


def test_a_missing_trial_is_shown_and_takes_no_other_with_it(run, scores):
    made_up = made(scores, {("E1.1", 0): Status.INFRA_ERROR})
    rates = row(report(run, made_up).pass_rates, system="careful", criterion="task_completion >= 1")
    assert (rates["scenarios"], rates["trials"], rates["missing"]) == (2, 3, 1)
    assert rates["note"].startswith(
        "1 trial has no value (infra_error 1): left out; "
        "1 scenario has fewer than 2 trials: left out of pass@k and pass^k"
    )
    assert "pass@1 if missing trials failed: 0.750" in rates["note"]
    assert row(report(run, made_up).failures, system="careful")["status"] == "infra_error"


def test_one_quantity_has_one_interval(run, scores):
    made_up = made(scores, {("E1.1", 0): 0.0})
    shown = report(run, made_up)
    rate = row(shown.pass_rates, system="careful", criterion="task_completion >= 1")["pass@1"]
    mean = row(shown.metrics, system="careful", metric="task_completion")["mean"]
    assert rate == mean == "0.750 [0.500, 1.000]"


def test_scenarios_that_all_agree_get_the_binomial_bound(run, scores):
    note = row(report(run, scores).pass_rates, system="careful", criterion="task_completion >= 1")["note"]
    assert "at least 0.22" in note  # 0.05 ** (1 / 2)


def test_nothing_scored_is_no_number(run, scores):
    shown = report(run, scores)
    for criterion in ("eva_a_pass", "eva_x_pass"):
        rates = row(shown.pass_rates, system="careful", criterion=criterion)
        assert rates["pass@1"] == rates["pass@k"] == rates["pass^k"] == "-"
        assert "not_run" in rates["note"]
    faithfulness = row(shown.metrics, system="careful", metric="faithfulness")
    assert (faithfulness["mean"], faithfulness["calls"]) == ("-", 0)
    assert faithfulness["without a value"] == "4 not_run"


def test_an_interrupted_run_says_so(run, scores):
    part = run.select(trial=0)
    part.planned = 8
    assert str(report(part, scores[scores["trial"] == 0])).startswith("Calls: 4 of 8 planned.")


def test_pictures_of_odd_system_names(tmp_path):
    odd = AgentProfile("../a/b")
    run = evalib.simulate(
        evalib.load_scenarios(ids=["E5.1"]), agent=odd, trials=1, fidelity="text", progress=False
    )
    figures = report(run, evalib.score(run), tmp_path / "figures").figures
    assert figures
    assert all(f.parent == tmp_path / "figures" and f.is_file() for f in figures)


def test_timelines_show_one_call_of_every_system(run, scores, tmp_path):
    names = {f.name for f in report(run, scores, tmp_path).figures}
    assert {"timeline_careful.png", "timeline_wrong.png"} <= names


def test_reads_well(run, scores):
    text = str(report(run, scores))
    assert repr(report(run, scores)) == text
    assert "synthetic" in text
    assert "modelled" in text
    assert "..." not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_evalib_report_is_this_function(run):
    assert evalib.report is report
    assert isinstance(evalib.report(run), Report)


def test_a_table_of_another_run_has_nothing_to_say():
    empty = pd.DataFrame(columns=list(SCORE_COLUMNS))
    with pytest.raises(evalib.EvalibError):
        report(evalib.Run(), empty)
