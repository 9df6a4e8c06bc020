"""Small calls made by hand, so that every expected number can be worked out on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evalib.core import Architecture, Conversation, EndReason, Scenario, ToolCall, Turn, TurnText

RESERVATION = {"status": "confirmed", "bookings": [{"journey_id": "FL_SK1_20260301", "status": "confirmed"}]}
SESSION = {"confirmation_number": "QX7R2M", "last_name": "okafor"}
EXPECTED_DB = {
    "_current_date": "2026-03-01",
    "reservations": {"QX7R2M": {**RESERVATION, "status": "changed"}},
    "session": SESSION,
}


@pytest.fixture
def make_scenario() -> Callable[..., Scenario]:
    def make(**changes: Any) -> Scenario:
        fields: dict[str, Any] = {
            "id": "1.1.1",
            "domain": "airline",
            "now": "2026-03-01 09:00 EST",
            "starting_utterance": "Hello",
            "goal": {},
            "caller": {},
            "initial_db": {"reservations": {"QX7R2M": RESERVATION}},
            "expected_db": EXPECTED_DB,
            "reference_calls": [],
        }
        return Scenario(**(fields | changes))

    return make


@pytest.fixture
def make_conversation() -> Callable[..., Conversation]:
    """A flawless call: every answer after one second, the expected state reached."""

    def make(**changes: Any) -> Conversation:
        fields: dict[str, Any] = {
            "system": "made-up",
            "architecture": Architecture.CASCADE,
            "domain": "airline",
            "scenario_id": "1.1.1",
            "trial": 0,
            "condition": "clean",
            "turns": [
                Turn(0, agent=[(0.5, 2.0)]),
                Turn(1, caller=[(3.0, 5.0)], agent=[(6.0, 8.0)], tool_call=True),
                Turn(2, caller=[(9.0, 10.0)], agent=[(11.0, 13.0)]),
                Turn(3, caller=[(14.0, 15.0)]),
            ],
            "texts": [
                TurnText(1, "Code Q X seven R two M", "code QX7R2M", "Thank you", "thank you"),
                TurnText(2, "[slow] Yes, please.", "yes please", "Done", "done"),
            ],
            "trace": [],
            "tool_calls": [
                ToolCall(0, "get_reservation", SESSION, {"status": "success"}, turn=1),
                ToolCall(1, "rebook_flight", {}, {"status": "success"}, turn=1),
            ],
            "initial_db": {},
            "final_db": EXPECTED_DB,
            "end_reason": EndReason.GOODBYE,
            "duration_s": 15.0,
        }
        return Conversation(**(fields | changes))

    return make
