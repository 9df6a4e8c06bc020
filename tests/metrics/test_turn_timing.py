"""The sub-metrics of turn-taking, by hand."""

from __future__ import annotations

import pytest

from evalib.core import TraceEntry, Turn
from evalib.metrics.turn_taking import METRIC, score_turns
from evalib.metrics.turn_timing import SUB_METRICS, pretool_speech_rate, timing_summary

TURNS = [
    Turn(0, [(0, 0.1)], [(0.2, 2)]),  # the greeting does not count, whoever spoke first
    Turn(1, [(3, 5)], [(5.1, 7)]),  # 100 ms: early
    Turn(2, [(8, 9)], [(12, 13)], tool_call=True),  # 3000 ms with a tool: on time
    Turn(3, [(14, 15)], [(18, 20)]),  # 3000 ms: late
    Turn(4, [(19.5, 24)], [(23.6, 26)], agent_interrupts=True, caller_interrupts=True),  # -400: early
    Turn(5, [(27, 28)], [(29, 30)], fallback=True),  # 1000: on time
    Turn(6, [(31, 32)]),
]


def summary(turns=TURNS):
    return timing_summary(turns, score_turns(turns).evidence)


def test_by_hand():
    found = summary()
    assert found["on_time_rate"] == pytest.approx(2 / 5)
    assert found["early_rate"] == pytest.approx(2 / 5)
    assert found["late_rate"] == pytest.approx(1 / 5)
    assert found["mean_latency_ms"] == pytest.approx((100 + 3000 + 3000 - 400 + 1000) / 5)
    assert found["p50_latency_ms"] == 1000  # sorted: -400 100 1000 3000 3000; index int(.5 * 5) = 2
    assert found["p90_latency_ms"] == 3000  # index int(.9 * 5) = 4
    assert found["agent_interruption_rate"] == pytest.approx(1 / 5)
    assert found["agent_interruption_count"] == 1
    assert found["agent_interruption_mean_overlap_ms"] == pytest.approx(400)
    assert found["agent_interruption_mean_overlap_score"] == pytest.approx(0.4)
    assert found["agent_interruption_mean_count_score"] == pytest.approx(0.5)
    assert found["agent_interruption_mean_post_latency_ms"] is None  # the agent spoke on
    assert found["user_interruption_rate"] == pytest.approx(1 / 5)
    assert found["user_interruption_mean_yield_ms"] == pytest.approx(500)
    assert found["user_interruption_mean_yield_score"] == pytest.approx(0.75)
    assert found["fallback_nudge_count"] == 1
    assert found["fallback_nudge_rate"] == pytest.approx(1 / 6)  # of the 6 turns the agent spoke in


def test_call_without_evaluable_turns_has_no_rates():
    found = summary([Turn(0, agent=[(0, 1)])])
    assert found["on_time_rate"] is None
    assert found["mean_latency_ms"] is None
    assert found["fallback_nudge_rate"] == 0.0


def test_rates_of_a_call_sum_to_one():
    found = summary()
    assert sum(found[f"{b}_rate"] for b in ("early", "on_time", "late")) == pytest.approx(1.0)


def test_names_are_those_declared():
    assert set(summary()) | {"pretool_speech_rate"} == set(SUB_METRICS)


def entries(*roles):
    return [TraceEntry(1, r, "words" if r in ("caller", "agent") else {"name": "t"}) for r in roles]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ([], None),
        (["caller", "agent"], None),
        (["caller", "agent", "tool_call", "tool_response", "agent"], 1.0),
        (["agent", "caller", "tool_call", "tool_response"], 0.0),
        (["caller", "agent", "tool_call", "tool_response", "tool_call", "tool_response"], 1.0),
        (["caller", "tool_call", "tool_response", "agent", "tool_call"], 0.5),
    ],
)
def test_pretool_speech(roles, expected):
    assert pretool_speech_rate(entries(*roles)) == expected


def test_rows_of_the_metric(make_conversation, make_scenario):
    values = METRIC.score(make_conversation(turns=TURNS), make_scenario())
    by_name = {v.name: v for v in values}
    assert by_name["turn_taking.on_time_rate"].value == pytest.approx(0.4)
    assert by_name["turn_taking.pretool_speech_rate"].status == "not_applicable"
    assert len(by_name) == 1 + len(SUB_METRICS)
    head = by_name["turn_taking"]
    assert [d.turn for d in head.details] == [1, 2, 3, 4, 5]
    assert head.details[2].evidence["reason"] == "latency"
