"""Words and events are given the turn of what they are about."""

from __future__ import annotations

import pytest

from evalib.core import Architecture, Event, ToolCall, Turn
from evalib.simulator.mouth import Utterance
from evalib.simulator.transcript import build_trace, turn_of_speech, turn_texts, with_turns
from evalib.simulator.voice_party import Heard
from tests.simulator.fakes import tone

# The caller begins turn 2 at 7.015 s, in the tick of 7.0 s, while the agent still speaks.
TURNS = [
    Turn(0, agent=[(0, 2)]),
    Turn(1, caller=[(3, 4)], agent=[(5, 7.3)]),
    Turn(2, caller=[(7.015, 9)], agent=[(10, 11)], caller_interrupts=True),
]


def said(text: str, start_s: float, end_s: float) -> Utterance:
    utterance = Utterance(text, text, start_s=start_s, end_s=end_s)
    utterance.sound = tone(end_s - start_s)
    return utterance


def event(type, offset_s, role="none", **attributes):
    return Event(0, "s", 0, offset_s, "line", "internal", type, role=role, attributes=attributes)


@pytest.mark.parametrize(
    ("stamped", "turn"),
    [
        (event("speech_started", 7.0, "caller", start_s=7.0), 2),  # its sound comes 15 ms later
        (event("speech_started", 6.9, "agent", start_s=6.9), 1),
        (event("yielded", 7.3, "agent"), 2),
        (event("speech_ended", 7.3, "agent", start_s=5.0), 1),
        (event("heard", 8.5, "agent", start_s=5.02), 1),
        (event("heard", 9.9, "caller", start_s=7.04), 2),
        (event("tool_response", 7.5, start_s=4.5), 1),
        (event("silence", 2.9), 0),
    ],
)
def test_an_event_belongs_to_the_turn_of_its_start(stamped, turn):
    assert [e.turn for e in with_turns([stamped], TURNS)] == [turn]


@pytest.mark.parametrize(
    ("side", "start_s", "end_s", "turn"),
    [
        ("agent", 5, 7.3, 1),
        ("agent", 9.9, 12, 2),
        ("caller", 3.5, 7.5, 1),
        ("caller", 20, 21, 2),
        ("agent", 2.5, 2.9, 0),
    ],
)
def test_speech_belongs_to_the_turn_it_shares_most_time_with(side, start_s, end_s, turn):
    assert turn_of_speech(TURNS, side, start_s, end_s) == turn


def test_a_text_there_is_not_stays_none_and_one_heard_as_nothing_is_empty():
    texts = turn_texts(TURNS, [said("hi", 3, 4)], [Heard("", 3.02, 4.02)], [], [])
    assert (texts[1].caller_intended, texts[1].caller_heard) == ("hi", "")
    assert (texts[0].agent_intended, texts[2].caller_intended, texts[2].agent_heard) == (None, None, None)


def test_a_trace_is_in_order_and_leaves_out_a_response_that_never_came():
    calls = [ToolCall(0, "a", {}, {}, 1, 4.2, 4.6), ToolCall(1, "b", {}, {}, 2, 9.5, None)]
    words = ([said("one", 3, 4), said("two", 7, 9)], [Heard("won", 3.02, 4.02)], [said("yes", 5, 7.3)], [])
    trace = build_trace(TURNS, Architecture.CASCADE, *words, calls)
    assert [(e.turn, e.role) for e in trace] == [
        (1, "caller"),
        (1, "tool_call"),
        (1, "tool_response"),
        (1, "agent"),
        (2, "caller"),
        (2, "tool_call"),
    ]
    assert [e.content for e in trace if e.role == "caller"] == ["won", "two"]
