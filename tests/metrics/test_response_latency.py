"""Response latency in seconds, by hand."""

from __future__ import annotations

import pytest

from evalib.core import Turn
from evalib.metrics.response_latency import METRIC


def values(conversation, scenario):
    return {v.name: v for v in METRIC.score(conversation, scenario)}


def test_by_hand(make_conversation, make_scenario):
    turns = [
        Turn(0, agent=[(0, 1)]),
        Turn(1, [(2, 3), (4, 5)], [(6.5, 7), (8, 9)]),  # 1.5: last speech to first speech
        Turn(2, [(10, 11)], [(14, 15)], tool_call=True),  # 3.0
        Turn(3, [(16, 18)], [(17, 19)], agent_interrupts=True),  # -1: an interruption, not a response
        Turn(4, [(20, 21)], [(21.5, 22)]),  # 0.5
        Turn(5, [(23, 24)]),
    ]
    found = values(make_conversation(turns=turns), make_scenario())
    assert found["response_latency"].value == pytest.approx((1.5 + 3.0 + 0.5) / 3)
    assert found["response_latency"].reason.startswith("1 of 4 turns left out")
    assert found["response_latency.no_tool_calls"].value == pytest.approx(1.0)
    assert found["response_latency.with_tool_calls"].value == pytest.approx(3.0)
    assert [(d.turn, d.value) for d in found["response_latency"].details] == [(1, 1.5), (2, 3.0), (4, 0.5)]


def test_no_tool_turns_is_not_zero(make_conversation, make_scenario):
    found = values(make_conversation(turns=[Turn(1, [(0, 1)], [(2, 3)])]), make_scenario())
    assert found["response_latency"].value == 1.0
    assert found["response_latency.with_tool_calls"].value is None
    assert found["response_latency.with_tool_calls"].status == "not_applicable"


@pytest.mark.parametrize(
    "turns",
    [[], [Turn(1, [(0, 2)], [(1, 3)])], [Turn(1, [(0, 1)], [(1001, 1002)])], [Turn(1, [(0, 1)], [(1, 2)])]],
)
def test_nothing_to_measure(make_conversation, make_scenario, turns):
    found = values(make_conversation(turns=turns), make_scenario())
    assert {v.status for v in found.values()} == {"not_applicable"}


def test_is_in_seconds_and_lower_is_better():
    assert METRIC.unit == "s"
    assert not METRIC.higher_is_better
