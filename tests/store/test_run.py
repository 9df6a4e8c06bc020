"""A run in hand: order, frames, selections, scores, and how it shows itself."""

from __future__ import annotations

import pandas as pd
import pytest

from evalib.core import EndReason, Score, StoreError, score_frame
from evalib.store import Run, RunWriter, load_run


@pytest.fixture
def calls(make_call):
    return [
        make_call(system=system, trial=trial, scenario_id=scenario)
        for system in ("hasty", "careful")
        for trial in (1, 0)
        for scenario in ("1.10.1", "1.2.1")
    ]


@pytest.fixture
def scenarios(make_scenario):
    return [
        make_scenario(id="1.10.1"),
        make_scenario(id="1.2.1", context={"adversarial_vector": "fee", "premise": "p", "list": []}),
    ]


@pytest.fixture
def stored(tmp_path, calls, scenarios, timeline):
    writer = RunWriter(tmp_path / "run", {"n": 1}, scenarios, seed=4, planned=9)
    for call in calls:
        writer.write(call, timeline)
    return load_run(tmp_path / "run")


@pytest.fixture
def scores(calls):
    return score_frame(
        Score(c.system, "cascade", c.domain, c.scenario_id, c.trial, c.condition, "task_completion", 1.0)
        for c in calls
    )


def test_the_order_is_the_readers(stored, calls, scenarios):
    expected = [
        (system, scenario, trial)
        for system in ("careful", "hasty")
        for scenario in ("1.2.1", "1.10.1")
        for trial in (0, 1)
    ]
    for run in (stored, Run(calls, scenarios)):
        assert [(c.system, c.scenario_id, c.trial) for c in run] == expected
        assert [(k.system, k.scenario, k.trial) for k in run.keys] == expected
        assert (run[0].key, run[-1].key) == (run.keys[0], run.keys[-1])


def test_a_stored_run_equals_the_one_in_memory(stored, calls, scenarios):
    memory = Run(calls, scenarios, {"n": 1}, seed=4, planned=9)
    assert list(stored) == list(memory)
    assert stored.scenarios() == memory.scenarios()
    assert (stored.config, stored.seed, stored.planned) == (memory.config, memory.seed, memory.planned)
    pd.testing.assert_frame_equal(stored.frame(), memory.frame())
    assert (stored.path is None, memory.path is None) == (False, True)


def test_the_frame_has_a_row_a_call(make_call, scenario):
    calls = [make_call(), make_call(trial=1, end_reason=EndReason.ERROR, error="socket closed")]
    frame = Run(calls, [scenario]).frame()
    first = frame.loc[0].to_dict()
    assert pd.isna(first.pop("error"))
    assert first == {
        "system": "careful",
        "architecture": "cascade",
        "domain": "airline",
        "scenario": "1.1.1",
        "trial": 0,
        "condition": "clean",
        "end_reason": "goodbye",
        "duration_s": 5.25,
        "n_turns": 2,
        "n_tool_calls": 1,
        "n_tool_errors": 1,
        "fidelity": "text",
        "clock": "virtual",
        "language": "en",
        "seed": 7,
        "attempt": 1,
        "invalid": None,
    }
    assert frame.end_reason.tolist() == ["goodbye", "error"]
    assert frame.error[1] == "socket closed"


def test_an_empty_run_is_a_run():
    run = Run()
    assert len(run) == 0
    assert run.frame().empty
    assert "end_reason" in run.frame()
    assert "0 calls" in run._repr_html_()
    assert list(run.select(system="x")) == []


def test_selecting(stored):
    chosen = stored.select(system="careful", trial=[0])
    assert [(c.system, c.scenario_id, c.trial) for c in chosen] == [
        ("careful", "1.2.1", 0),
        ("careful", "1.10.1", 0),
    ]
    assert stored.select(scenario="1.2.1").scenarios().keys() == {("airline", "1.2.1")}
    assert len(stored.select(condition="noise")) == 0
    assert len(stored) == 8
    with pytest.raises(StoreError, match="cannot select by end_reason: use system, domain"):
        stored.select(end_reason="goodbye")


def test_scores_are_kept(stored, scores):
    assert not stored.scored
    with pytest.raises(StoreError, match="score it first"):
        _ = stored.scores
    stored.save_scores(scores)
    again = load_run(stored.path)
    assert again.scored
    pd.testing.assert_frame_equal(again.scores, scores)
    details = pd.DataFrame({"turn": [1, 2], "evidence": ["a", None]})
    stored.save_scores(scores, details)
    assert load_run(stored.path).details.evidence[0] == "a"


def rows(calls, **value_of):
    return score_frame(
        Score(
            c.system, "cascade", c.domain, c.scenario_id, c.trial, c.condition, metric.replace("__", "."), v
        )
        for c in calls
        for metric, v in value_of.items()
    )


@pytest.mark.parametrize("memory", [True, False])
def test_scores_of_a_metric_replace_its_own_and_stay_beside_others(stored, calls, scenarios, memory):
    run = Run(calls, scenarios) if memory else stored
    before = rows(
        calls, turn_taking=0.1, turn_taking__late=0.2, task_completion=0.3, eva_x_pass=0.4, eva_a_pass=0.5
    )
    notes = pd.DataFrame({"metric": ["turn_taking.late", "task_completion"], "evidence": ["old", "old"]})
    run.save_scores(before, notes)
    now = rows(calls, turn_taking=0.9)
    run.save_scores(now, pd.DataFrame({"metric": ["turn_taking"], "evidence": ["new"]}))
    for reader in (run, run if memory else load_run(run.path)):
        assert reader.scores.groupby("metric")["value"].first().to_dict() == {
            "task_completion": 0.3,
            "eva_a_pass": 0.5,
            "turn_taking": 0.9,
        }
        assert len(reader.scores) == 3 * len(calls)
        assert list(reader.scores.dtypes) == list(before.dtypes)
        assert dict(zip(reader.details.metric, reader.details.evidence, strict=True)) == {
            "task_completion": "old",
            "turn_taking": "new",
        }


def test_scores_that_cannot_be_read_are_replaced(stored, scores):
    (stored.path / "scores.parquet").write_bytes(b"PAR1 not really")
    stored.save_scores(scores)
    pd.testing.assert_frame_equal(load_run(stored.path).scores, scores)


def test_missing_values_survive_the_file(stored, scores):
    scores.loc[0, ["value", "status", "reason"]] = [None, "not_run", "no judge"]
    stored.save_scores(scores)
    back = load_run(stored.path).scores
    assert back.value.isna().tolist() == [True] + [False] * 7
    assert back.loc[0, "reason"] == "no judge"


def test_a_selection_has_its_own_scores_and_never_the_whole_runs(stored, scores):
    stored.save_scores(scores)
    part = load_run(stored.path).select(system="careful")
    assert set(part.scores.system) == {"careful"}
    assert len(part.scores) == 4
    part.save_scores(part.scores.assign(value=0.0))
    assert part.scores.value.tolist() == [0.0] * 4
    pd.testing.assert_frame_equal(load_run(stored.path).scores, scores)


def test_calls_without_scores_are_told(stored, scores):
    stored.save_scores(scores[scores.trial == 0])
    with pytest.warns(UserWarning, match="4 of 8 calls are not in the score table"):
        assert len(load_run(stored.path).scores) == 4


def test_scores_in_memory(calls, scenarios, scores):
    run = Run(calls, scenarios)
    run.save_scores(scores)
    scores.loc[0, "value"] = 0.0
    assert run.scores.value.tolist() == [1.0] * 8
    assert len(run.select(trial=1).scores) == 4


def test_the_scenario_frame_joins_to_scores(stored, scores):
    frame = stored.scenario_frame()
    assert frame.scenario.tolist() == ["1.2.1", "1.10.1"]
    assert frame.adversarial.tolist() == [True, False]
    assert frame.premise.tolist() == ["p", "a meeting moved"]
    assert "list" not in frame
    joined = scores.merge(frame, on=["domain", "scenario"], validate="many_to_one")
    assert len(joined) == len(scores)


def test_two_calls_of_one_key_are_refused(make_call, scenario):
    with pytest.raises(StoreError, match="two calls have the key careful airline"):
        Run([make_call(), make_call()], [scenario])


def test_how_it_shows_itself(stored, make_call, make_scenario, tmp_path):
    assert repr(stored) == f"Run(8 calls of 9 planned, {tmp_path / 'run'})"
    html = stored._repr_html_()
    assert "8 calls of 9 planned" in html
    assert "2 scenarios" in html
    assert "<td>careful</td><td>airline</td><td>clean</td><td>4</td><td>5 s</td>" in html
    assert "goodbye 4" in html
    nasty = Run([make_call(system="<script>x</script>")], [])
    assert "<script>" not in nasty._repr_html_()
