"""Turns by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalib.core import ToolCall
from evalib.simulator.turns import build_turns, turn_at, turn_openings


def tool(start_s: float) -> ToolCall:
    return ToolCall(0, "get", {}, {}, start_s=start_s)


def shape(turns):
    return [(len(t.caller), len(t.agent)) for t in turns]


def test_nothing_said_is_an_empty_greeting():
    (turn,) = build_turns([], [])
    assert (turn.index, turn.caller, turn.agent) == (0, [], [])


def test_a_plain_call():
    turns = build_turns([(3, 5), (8, 9)], [(0, 2), (6, 7), (10, 11)], [tool(5.5)])
    assert shape(turns) == [(0, 1), (1, 1), (1, 1)]
    assert [t.tool_call for t in turns] == [False, True, False]
    assert not any(t.agent_interrupts or t.caller_interrupts for t in turns)
    assert [t.latency_s for t in turns] == [None, 1, 1]


def test_a_pause_of_the_caller_opens_no_turn():
    turns = build_turns([(3, 4), (5, 6), (7, 8)], [(0, 2), (9, 10)])
    assert shape(turns) == [(0, 1), (3, 1)]
    assert turns[1].latency_s == 1


def test_a_caller_who_gets_no_greeting_still_opens_turn_one():
    assert shape(build_turns([(1, 2)], [(3, 4)])) == [(0, 0), (1, 1)]


def test_the_caller_cuts_in():
    """The new turn is the caller's; the agent's speech stays where it began, with its late end."""
    turns = build_turns([(3, 4), (6, 8)], [(0, 2), (5, 6.5), (9, 10)])
    assert shape(turns) == [(0, 1), (1, 1), (1, 1)]
    assert [t.caller_interrupts for t in turns] == [False, False, True]
    assert turns[1].agent[-1].end_s - turns[2].caller[0].start_s == 0.5  # the yield


def test_the_caller_cuts_in_on_the_greeting():
    turns = build_turns([(1, 3)], [(0, 2), (4, 5)])
    assert shape(turns) == [(0, 1), (1, 1)]
    assert turns[1].caller_interrupts


def test_the_agent_cuts_in_and_stays():
    turns = build_turns([(3, 6)], [(0, 2), (5, 8)])
    assert shape(turns) == [(0, 1), (1, 1)]
    assert turns[1].agent_interrupts
    assert not turns[1].caller_interrupts
    assert turns[1].latency_s == -1


def test_an_acknowledgement_within_the_callers_speech_does_not_take_the_turn():
    turns = build_turns([(3, 6), (7, 8)], [(0, 2), (4, 4.5), (9, 10)])
    assert shape(turns) == [(0, 1), (2, 2)]
    assert turns[1].agent_interrupts


def test_a_caller_who_was_cut_off_starts_a_new_turn():
    turns = build_turns([(3, 5), (7, 9)], [(0, 2), (4.5, 6), (10, 11)])
    assert shape(turns) == [(0, 1), (1, 1), (1, 1)]
    assert [t.agent_interrupts for t in turns] == [False, True, False]


def test_both_cut_in():
    """The agent cuts in on turn 1; the caller, cut off, cuts in on that."""
    turns = build_turns([(3, 5), (5.5, 7)], [(0, 2), (4.5, 6), (6.5, 8)])
    assert shape(turns) == [(0, 1), (1, 1), (1, 1)]
    assert turns[1].agent_interrupts
    assert turns[2].caller_interrupts
    assert turns[2].agent_interrupts


def test_starting_together_interrupts_nobody():
    turns = build_turns([(3, 5)], [(0, 2), (3, 4)])
    assert shape(turns) == [(0, 1), (1, 1)]
    assert not turns[1].agent_interrupts
    assert not turns[1].caller_interrupts


def test_taking_over_at_the_very_end_interrupts_nobody():
    turns = build_turns([(2, 4)], [(0, 2), (4, 6)])
    assert not turns[1].agent_interrupts
    assert not turns[1].caller_interrupts


def test_a_call_that_ends_unanswered():
    assert shape(build_turns([(3, 4), (7, 8)], [(0, 2), (5, 6)])) == [(0, 1), (1, 1), (1, 0)]


def test_tools_mark_the_turn_in_which_they_started():
    spoken = ([(3, 4), (7, 8)], [(0, 2), (5, 6), (9, 10)])
    for start, marked in ((0.5, 0), (3.0, 1), (6.9, 1), (7.0, 2), (50, 2)):
        turns = build_turns(*spoken, [tool(start)])
        assert [t.index for t in turns if t.tool_call] == [marked]


@pytest.mark.parametrize("bad", [[(1, 3), (2, 4)], [(3, 4), (1, 2)], [(1, 1)], [(2, 1)]])
def test_unordered_or_empty_segments_are_refused(bad):
    with pytest.raises(ValueError, match="caller segments"):
        build_turns(bad, [])
    with pytest.raises(ValueError, match="agent segments"):
        build_turns([], bad)


@st.composite
def segments(draw):
    """Segments on a grid of tenths, touching at most at gaps of one tenth."""
    edges = sorted(draw(st.sets(st.integers(0, 120), max_size=24)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return [(a / 10, b / 10) for a, b in pairs]


def brute_force(caller, agent):
    """The same rules read moment by moment off a grid of hundredths; turn of each segment and flags."""
    speaking = {"caller": {}, "agent": {}}
    for side, track in (("caller", caller), ("agent", agent)):
        for i, (a, b) in enumerate(track):
            for step in range(round(a * 100), round(b * 100)):
                speaking[side][step] = i
    turn, spoken_beyond, opened = 0, False, False
    owner = {"caller": {}, "agent": {}}
    agent_cuts, caller_cuts = set(), set()
    for step in range(0, 1300):
        c, a = speaking["caller"].get(step), speaking["agent"].get(step)
        c_before, a_before = speaking["caller"].get(step - 1), speaking["agent"].get(step - 1)
        if c is not None and c not in owner["caller"]:
            if not opened or spoken_beyond:
                turn += 1
                opened, spoken_beyond = True, False
                if a is not None and a_before == a:
                    caller_cuts.add(turn)
            owner["caller"][c] = turn
        if a is not None and a not in owner["agent"]:
            owner["agent"][a] = turn
            if c is not None and c == c_before:
                agent_cuts.add(turn)
        if a is not None and c is None:
            spoken_beyond = True  # it is heard where the caller is not
    return owner, agent_cuts, caller_cuts


@given(segments(), segments())
def test_agrees_with_reading_the_rules_moment_by_moment(caller, agent):
    turns = build_turns(caller, agent)
    owner, agent_cuts, caller_cuts = brute_force(caller, agent)
    for side, track in (("caller", caller), ("agent", agent)):
        found = {track.index(tuple(s)): t.index for t in turns for s in getattr(t, side)}
        assert found == owner[side]
    assert {t.index for t in turns if t.agent_interrupts} == agent_cuts
    assert {t.index for t in turns if t.caller_interrupts} == caller_cuts


@given(segments(), segments(), st.lists(st.floats(0, 13), max_size=5))
def test_every_segment_is_in_exactly_one_turn_and_in_order(caller, agent, tools):
    turns = build_turns(caller, agent, [tool(t) for t in tools])
    assert [tuple(s) for t in turns for s in t.caller] == caller
    assert [tuple(s) for t in turns for s in t.agent] == agent
    assert [t.index for t in turns] == list(range(len(turns)))
    assert not turns[0].caller
    assert all(t.caller for t in turns[1:])
    openings = turn_openings(turns)
    assert openings == sorted(openings)
    assert {t.index for t in turns if t.tool_call} == {turn_at(openings, t) for t in tools}
    for turn in turns[1:]:
        if turn.caller_interrupts:
            start = turn.caller[0].start_s
            assert any(a < start < b for a, b in agent)


def test_a_long_call_is_quick():
    starts = np.arange(0, 20_000, 4.0)
    turns = build_turns([(s, s + 1) for s in starts], [(s + 2, s + 3) for s in starts])
    assert len(turns) == 5_001
