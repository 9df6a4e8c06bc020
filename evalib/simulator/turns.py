"""Turns of a call, from who spoke when.

The rules are those of the published runs (EVA-Bench turn extraction, paper appendix E.1), as they
read on a line that knows exact times and needs no guess about late or missing events:

- Turn 0 is the greeting. Turn `i` is the caller's utterance `i` and what the agent says to it.
- A new turn opens when the caller starts to speak and the agent has spoken since the caller last
  did, that is: beyond the end of the caller's last segment. The caller's first speech always opens
  turn 1, also when the agent did not greet.
- So a pause within an utterance opens no turn, and neither does a "mhm" of the agent that lies
  wholly within the caller's speech.
- The caller starts while the agent is speaking: the *new* turn has ``caller_interrupts``.
- The agent starts while the caller is speaking: the *current* turn has ``agent_interrupts``.
- A segment belongs to the turn in which it starts, however long it runs on; a tool call marks the
  turn in which it started.

Two segments that start at the same instant interrupt nobody: neither side could have heard the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from evalib.core import SpeechSegment, ToolCall, Turn


def build_turns(
    caller_segments: Iterable[tuple[float, float]],
    agent_segments: Iterable[tuple[float, float]],
    tool_calls: Iterable[ToolCall] = (),
) -> list[Turn]:
    """Sort speech into turns.

    Parameters
    ----------
    caller_segments, agent_segments : iterable of (start_s, end_s)
        Speech of each side, in order and not overlapping within a side.
    tool_calls : iterable of ToolCall
        Only ``start_s`` is read.

    Returns
    -------
    list of Turn
        At least turn 0, which is empty when nobody greeted.

    Raises
    ------
    ValueError
        When the segments of one side overlap, are out of order or have no length.
    """
    caller = _checked(caller_segments, "caller")
    agent = _checked(agent_segments, "agent")
    turns = [Turn(0)]
    # At one instant the caller goes first, so that an agent who starts with it answers *this* turn.
    starts = sorted([(s.start_s, 0, s) for s in caller] + [(s.start_s, 1, s) for s in agent])
    caller_end = agent_end = None  # ends of each side's last segment so far
    for start, who, segment in starts:
        if who == 0:
            if caller_end is None or (agent_end is not None and agent_end > caller_end):
                turns.append(Turn(len(turns)))
                turns[-1].caller_interrupts = agent_end is not None and start < agent_end
            turns[-1].caller.append(segment)
            caller_end = segment.end_s
        else:
            if turns[-1].caller and turns[-1].caller[-1].start_s < start < turns[-1].caller[-1].end_s:
                turns[-1].agent_interrupts = True
            turns[-1].agent.append(segment)
            agent_end = segment.end_s
    openings = turn_openings(turns)
    for call in tool_calls:
        turns[turn_at(openings, call.start_s)].tool_call = True
    return turns


def turn_openings(turns: Sequence[Turn]) -> list[float]:
    """When each turn from 1 on opens: the start of its first caller segment, in seconds."""
    return [turn.caller[0].start_s for turn in turns[1:]]


def turn_at(openings: Sequence[float], time_s: float) -> int:
    """The index of the turn under way at `time_s`, given :func:`turn_openings`."""
    return bisect_right(openings, time_s)


def _checked(segments: Iterable[tuple[float, float]], side: str) -> list[SpeechSegment]:
    out = [SpeechSegment(*s) for s in segments]
    for before, after in zip([None, *out], out, strict=False):
        if after.end_s <= after.start_s or (before is not None and after.start_s < before.end_s):
            raise ValueError(f"{side} segments must be in order, apart and of some length: {before}, {after}")
    return out
