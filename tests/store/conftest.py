"""Small calls and scenarios to store. Everything in them is made up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from evalib.core import (
    Architecture,
    Conversation,
    EndReason,
    Event,
    Scenario,
    ToolCall,
    TraceEntry,
    Turn,
    TurnText,
)

SCENARIO = Scenario(
    id="1.1.1",
    domain="airline",
    now="2026-03-01 09:00 CST",
    starting_utterance="I need to move my flight.",
    goal={"information_required": {"confirmation_number": "QX7T2M"}},
    caller={"name": "Ana Ruiz"},
    initial_db={"reservations": {"QX7T2M": {"status": "confirmed", "fare": 120.0}}},
    expected_db={"reservations": {"QX7T2M": {"status": "changed", "fare": 120.0}}, "session": {}},
    reference_calls=[{"name": "get_reservation", "arguments": {"confirmation_number": "QX7T2M"}}],
    context={"premise": "a meeting moved", "user_priorities": [{"rank": 1}]},
)

CALL = Conversation(
    system="careful",
    architecture=Architecture.CASCADE,
    domain="airline",
    scenario_id="1.1.1",
    trial=0,
    condition="clean",
    turns=[
        Turn(0, [], [(0.0, 1.5)]),
        Turn(1, [(2.1, 3.0)], [(3.9, 5.25)], tool_call=True, agent_interrupts=True),
    ],
    texts=[TurnText(0, None, None, "Hello.", "hello"), TurnText(1, "Hi, ça va?", "high sava", "", None)],
    trace=[
        TraceEntry(0, "agent", "Hello.", 0.0),
        TraceEntry(1, "tool_call", {"name": "get_reservation", "arguments": {"n": 1}}, 3.1),
    ],
    tool_calls=[ToolCall(0, "get_reservation", {"n": 1}, {"status": "error"}, 1, 3.1, None)],
    initial_db=SCENARIO.initial_db,
    final_db=SCENARIO.expected_db,
    end_reason=EndReason.GOODBYE,
    duration_s=5.25,
    cost_model={"think": {"mean_s": 0.45}},
    seed=7,
)

TIMELINE = [
    Event(0, "c-1", 0, 0.0, "session", "internal", "call_started"),
    Event(
        1,
        "c-1",
        0,
        1.25,
        "line",
        "agent_to_caller",
        "speech_started",
        role="agent",
        pcm={"sample_rate_hz": 24000},
        trace_id="0" * 31 + "1",
        span_id="0" * 15 + "1",
        attributes={"text": "line\u2028break, ça"},
    ),
]


@pytest.fixture
def scenario() -> Scenario:
    return SCENARIO


@pytest.fixture(scope="session")
def make_scenario() -> Callable[..., Scenario]:
    return lambda **changes: replace(SCENARIO, **changes)


@pytest.fixture(scope="session")
def make_call() -> Callable[..., Conversation]:
    return lambda **changes: replace(CALL, **changes)


@pytest.fixture
def timeline() -> list[Event]:
    return list(TIMELINE)
