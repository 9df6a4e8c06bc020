"""Words of a call, put where its turns are.

While a call is going on nobody knows its turns for sure: a pause may be the end of one or not. So
utterances, recognised texts, tool calls and events carry times alone, and are given their turn here,
once the speech segments of the finished tracks have said what the turns were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from evalib.core import Architecture, Event, ToolCall, TraceEntry, Turn, TurnText
from evalib.simulator.turns import turn_at, turn_openings

if TYPE_CHECKING:
    from evalib.simulator.mouth import Utterance
    from evalib.simulator.voice_party import Heard

Side = Literal["caller", "agent"]

# A turn opens at a caller's first sound, which may lie a little after the tick in which it began.
_ONSET_S = 0.05


def turn_of_speech(turns: Sequence[Turn], side: Side, start_s: float, end_s: float) -> int:
    """The turn whose speech of `side` a stretch of time has most of; else the one under way."""
    shared = [
        sum(max(0.0, min(end_s, e) - max(start_s, s)) for s, e in getattr(turn, side)) for turn in turns
    ]
    most = max(shared)
    return shared.index(most) if most > 0 else turn_at(turn_openings(turns), start_s)


def turn_texts(
    turns: Sequence[Turn],
    said_by_caller: Iterable[Utterance],
    heard_by_agent: Iterable[Heard],
    said_by_agent: Iterable[Utterance],
    heard_by_caller: Iterable[Heard],
) -> list[TurnText]:
    """The words of each turn; a text that there is not stays None."""
    texts = [TurnText(turn.index) for turn in turns]

    def put(side: Side, field: str, start_s: float, end_s: float, text: str) -> None:
        target = texts[turn_of_speech(turns, side, start_s, end_s)]
        before = getattr(target, field)
        setattr(target, field, text if before is None else f"{before} {text}".strip())

    for side, said, heard in (
        ("caller", said_by_caller, heard_by_agent),
        ("agent", said_by_agent, heard_by_caller),
    ):
        for utterance in said:
            if utterance.start_s is not None and utterance.end_s is not None:
                put(side, f"{side}_intended", utterance.start_s, utterance.end_s, utterance.text_said)  # type: ignore[arg-type]
        for h in heard:
            put(side, f"{side}_heard", h.start_s, h.end_s, h.text)  # type: ignore[arg-type]
    return texts


def build_trace(
    turns: Sequence[Turn],
    architecture: Architecture,
    said_by_caller: Iterable[Utterance],
    heard_by_agent: Iterable[Heard],
    said_by_agent: Iterable[Utterance],
    heard_by_caller: Iterable[Heard],
    tool_calls: Iterable[ToolCall],
) -> list[TraceEntry]:
    """What judges read, in the order in which it began.

    As in the published runs, the words are those the system worked with: a cascade heard the caller
    through its recogniser and meant what it said; an audio model has no transcript of the caller, so
    the caller's own words stand; of an S2S system there are only the words the caller heard. A
    caller utterance that the agent never got to hear stands as it was meant.
    """
    entries: list[TraceEntry] = []

    def add(side: Side, start_s: float, end_s: float, text: str) -> None:
        if text:
            entries.append(TraceEntry(turn_of_speech(turns, side, start_s, end_s), side, text, start_s))

    transcribed = architecture is Architecture.CASCADE
    if transcribed:
        for h in heard_by_agent:
            add("caller", h.start_s, h.end_s, h.text)
    known = {entry.turn for entry in entries}
    for u in said_by_caller:
        if u.start_s is None or u.end_s is None:
            continue
        if not transcribed or turn_of_speech(turns, "caller", u.start_s, u.end_s) not in known:
            add("caller", u.start_s, u.end_s, u.text_said)
    if architecture is Architecture.S2S:
        for h in heard_by_caller:
            add("agent", h.start_s, h.end_s, h.text)
    else:
        for u in said_by_agent:
            if u.start_s is not None and u.end_s is not None:
                add("agent", u.start_s, u.end_s, u.text_said)
    for call in tool_calls:
        asked = {"name": call.name, "arguments": call.arguments}
        entries.append(TraceEntry(call.turn, "tool_call", asked, call.start_s))
        if call.end_s is not None:
            got = {"name": call.name, "response": call.response}
            entries.append(TraceEntry(call.turn, "tool_response", got, call.end_s))
    return sorted(entries, key=lambda entry: entry.time_s)


def with_turns(events: Iterable[Event], turns: Sequence[Turn]) -> list[Event]:
    """The events, each with the turn of what it is about.

    An event that names the start of what it is about (``attributes.start_s``: speech that was
    recognised, a tool that has answered) belongs to the turn of that start.
    """
    openings = turn_openings(turns)
    stamped = []
    for event in events:
        time_s = event.attributes.get("start_s", event.offset_s)
        onset = _ONSET_S if event.role == "caller" else 0.0
        stamped.append(replace(event, turn=turn_at(openings, time_s + onset)))
    return stamped
