"""From a conversation to rows, and the composites over them."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

from evalib.core import (
    COMPOSITES,
    EVA_A,
    EVA_X,
    SCORE_COLUMNS,
    Architecture,
    ConfigError,
    EndReason,
    Score,
    score_frame,
)
from evalib.metrics import METRICS, add_composites, score_conversation, score_with_details

NAMES = {
    "task_completion",
    "faithfulness",
    "speech_fidelity",
    "turn_taking",
    "conciseness",
    "conversation_progression",
    "authentication_success",
    "response_latency",
    "speakability",
    "stt_wer",
    "tool_call_validity",
    "key_entity_accuracy",
    "conversation_correctly_finished",
    "conversation_valid_end",
    "user_behavioral_fidelity",
    "user_speech_fidelity",
}
JUDGED = {n for n, m in METRICS.items() if m.kind == "judge"}


def test_registry_holds_every_name_of_the_plan():
    assert set(METRICS) == NAMES
    assert len(JUDGED) == 8
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.version
        assert metric.architectures <= set(Architecture)
    for rule in (EVA_A, EVA_X):
        for name, threshold in rule.components.items():
            assert METRICS[name].threshold == threshold


def test_perfect_call(make_conversation, make_scenario):
    scores = {s.metric: s for s in score_conversation(make_conversation(), make_scenario())}
    for name in NAMES - JUDGED:
        expected = {"response_latency": 1.0, "stt_wer": 0.0}.get(name, 1.0)
        assert scores[name].value == pytest.approx(expected), name
        assert scores[name].judge == "code"


def test_judge_metrics_give_no_number(make_conversation, make_scenario):
    scores = {s.metric: s for s in score_conversation(make_conversation(), make_scenario())}
    for name in JUDGED:
        assert (scores[name].value, scores[name].status, scores[name].judge) == (None, "not_run", "none")
        assert "judge" in scores[name].reason
    for name in COMPOSITES:
        assert (scores[name].value, scores[name].status) == (None, "not_run")
        assert "not_run" in scores[name].reason
    assert "faithfulness" in scores["eva_a_pass"].reason


def test_broken_call_scores_nothing_but_its_end(make_conversation, make_scenario):
    broken = make_conversation(end_reason=EndReason.ERROR, error="socket closed")
    scores = score_conversation(broken, make_scenario())
    assert {s.status for s in scores if s.metric != "conversation_valid_end"} == {"infra_error"}
    assert next(s for s in scores if s.metric == "conversation_valid_end").value == 0.0


def test_spoiled_call_scores_nothing_but_its_validity(make_conversation, make_scenario):
    spoiled = make_conversation(invalid="the caller hung up too early")
    scores = score_conversation(spoiled, make_scenario())
    coded = [s for s in scores if s.judge == "code" and s.metric != "conversation_valid_end"]
    assert {(s.status, s.value) for s in coded} == {("invalid_simulation", None)}
    assert {s.reason for s in coded} == {"the caller hung up too early"}
    both = score_conversation(
        make_conversation(invalid="spoiled", end_reason=EndReason.ERROR, error="boom"), make_scenario()
    )
    assert next(s for s in both if s.metric == "task_completion").status == "infra_error"


def test_every_conversation_gives_the_same_rows(make_conversation, make_scenario):
    calls = [
        make_conversation(),
        make_conversation(turns=[], texts=[], tool_calls=[], trace=[]),
        make_conversation(end_reason=EndReason.ERROR),
        make_conversation(architecture=Architecture.S2S),
    ]
    rows = [[s.metric for s in score_conversation(c, make_scenario())] for c in calls]
    assert all(r == rows[0] for r in rows)
    assert len(set(rows[0])) == len(rows[0])


def test_rows_make_a_score_table(make_conversation, make_scenario):
    frame = score_frame(score_conversation(make_conversation(trial=2), make_scenario()))
    assert list(frame.columns) == list(SCORE_COLUMNS)
    assert set(frame["trial"]) == {2}
    assert set(frame["architecture"]) == {"cascade"}


def test_choice_of_metrics(make_conversation, make_scenario):
    names = {s.metric for s in score_conversation(make_conversation(), make_scenario(), ["task_completion"])}
    assert names == {"task_completion"}  # and no composite of components that were not asked for
    asked = list(EVA_A.components)
    names = {s.metric for s in score_conversation(make_conversation(), make_scenario(), asked)}
    assert names == {*asked, "eva_a_pass"}
    with pytest.raises(ConfigError, match="unknown metric 'faithfulnes'"):
        score_conversation(make_conversation(), make_scenario(), ["faithfulnes"])


def test_scenario_of_another_call_is_refused(make_conversation, make_scenario):
    with pytest.raises(ConfigError, match=r"1\.1\.1.*9\.9\.9"):
        score_conversation(make_conversation(), make_scenario(id="9.9.9"))


def test_details_carry_the_evidence(make_conversation, make_scenario):
    _, details = score_with_details(make_conversation(), make_scenario())
    turn_taking = [d for d in details if d["metric"] == "turn_taking"]
    assert [d["turn"] for d in turn_taking] == [1, 2]
    assert turn_taking[0]["evidence"]["latency_ms"] == 1000.0
    (task,) = (d for d in details if d["metric"] == "task_completion")
    assert task["turn"] is None
    assert task["evidence"]["state_ok"]


# --- composites over a table ---


def rows(values, judge="rules", scenario="1", **more):
    """Rows of one conversation; None is a judge that failed, a list is several passes."""
    out = []
    for metric, value in values.items():
        code = METRICS[metric].kind == "code"
        for i, v in enumerate(value if isinstance(value, list) else [value]):
            out.append(
                Score(
                    "s",
                    "cascade",
                    "airline",
                    scenario,
                    0,
                    "clean",
                    metric,
                    v,
                    more.get("status", "ok" if v is not None else "judge_error"),
                    judge="code" if code else judge,
                    judge_pass=0 if code else i,
                )
            )
    return out


def composite_of(name, values, **more):
    frame = add_composites(score_frame(rows(values, **more)))
    return frame[frame["metric"] == name].iloc[0]


@pytest.mark.parametrize(
    "levels", list(itertools.product([0.0, 1.0], [0.0, 0.49, 0.5, 1.0], [0.94, 0.95, 1.0]))
)
def test_eva_a_against_the_papers_rule(levels):
    task, faith, speech = levels
    values = {"task_completion": task, "faithfulness": faith, "speech_fidelity": speech}
    row = composite_of("eva_a_pass", values)
    assert row["value"] == float(task == 1.0 and faith >= 0.5 and speech >= 0.95)
    assert row["status"] == "ok"
    assert row["judge"] == "rules"


def test_missing_component_is_not_a_failure():
    values = {"task_completion": 0.0, "faithfulness": None, "speech_fidelity": 1.0}
    row = composite_of("eva_a_pass", values)
    assert pd.isna(row["value"])
    assert row["status"] == "judge_error"
    absent = composite_of("eva_x_pass", values)  # no row at all of its components
    assert pd.isna(absent["value"])
    assert absent["status"] == "not_run"


def test_passes_of_a_judge_are_averaged():
    values = {"task_completion": 1.0, "faithfulness": [0.0, 1.0, 1.0], "speech_fidelity": 1.0}
    assert composite_of("eva_a_pass", values)["value"] == 1.0  # mean 2/3
    values["faithfulness"] = [0.0, 0.0, 1.0]
    assert composite_of("eva_a_pass", values)["value"] == 0.0
    values["faithfulness"] = [1.0, None]
    row = composite_of("eva_a_pass", values)
    assert row["value"] == 1.0
    assert row["judge_pass"] == 0
    assert row["reason"] == "faithfulness: 1 of 2 judge passes have no value"


def test_judges_are_not_mixed():
    values = {"task_completion": 1.0, "faithfulness": 1.0, "speech_fidelity": 1.0}
    frame = score_frame(rows(values) + rows(values, judge="some-model"))
    with pytest.raises(ConfigError, match="several judges"):
        add_composites(frame)


def test_thresholds_can_be_moved():
    values = {"turn_taking": 0.85, "conversation_progression": 0.5, "conciseness": 0.5}
    frame = score_frame(rows(values))
    for threshold, expected in ((0.8, 1.0), (0.9, 0.0)):
        out = add_composites(frame, {"turn_taking": threshold})
        assert out[out["metric"] == "eva_x_pass"]["value"].item() == expected
    with pytest.raises(ConfigError, match="stt_wer"):
        add_composites(frame, {"stt_wer": 0.1})


def test_composites_are_replaced_and_agree_with_those_of_one_call(make_conversation, make_scenario):
    frame = score_frame(score_conversation(make_conversation(), make_scenario()))
    again = add_composites(add_composites(frame))
    columns = ["metric", "value", "status", "reason", "judge"]
    pd.testing.assert_frame_equal(
        again[columns].sort_values("metric", ignore_index=True),
        frame[columns].sort_values("metric", ignore_index=True),
    )


def test_empty_table():
    out = add_composites(score_frame([]))
    assert out.empty
    assert list(out.columns) == list(SCORE_COLUMNS)
