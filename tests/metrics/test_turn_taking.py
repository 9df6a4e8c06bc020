"""Turn-taking: values worked by hand from tables 20 to 22, and a twin that counts milliseconds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import ConfigError, DataFormatError, Status, Turn
from evalib.metrics.turn_taking import PAPER, missed_last_turn, score_turns

# --- the latency curve of table 21, by hand ---


@pytest.mark.parametrize(
    ("latency_ms", "plain", "with_tool"),
    [
        (-3000, 0.0, 0.0),
        (-500, 0.0, 0.0),
        (-250, 0.25, 0.25),
        (0, 0.5, 0.5),
        (250, 0.75, 0.75),
        (500, 1.0, 1.0),
        (2000, 1.0, 1.0),
        (2750, 0.5, 1.0),
        (3000, 1 / 3, 1.0),
        (3500, 0.0, 0.75),
        (4000, 0.0, 0.5),
        (5000, 0.0, 0.0),
        (90_000, 0.0, 0.0),
    ],
)
def test_latency_curve(latency_ms, plain, with_tool):
    assert PAPER.latency_score(latency_ms) == pytest.approx(plain)
    assert PAPER.latency_score(latency_ms, tool_call=True) == pytest.approx(with_tool)


@pytest.mark.parametrize(
    ("latency_ms", "plain", "with_tool"),
    [
        (-1, "early", "early"),
        (199.999, "early", "early"),
        (200, "on_time", "on_time"),
        (2749.999, "on_time", "on_time"),
        (2750, "late", "on_time"),
        (3999.999, "late", "on_time"),
        (4000, "late", "late"),
    ],
)
def test_buckets_of_appendix_f4(latency_ms, plain, with_tool):
    assert PAPER.bucket(latency_ms) == plain
    assert PAPER.bucket(latency_ms, tool_call=True) == with_tool


# --- the regimes of table 20, by hand; the caller speaks from 10 to 14 s ---

GREETING = Turn(0, agent=[(0.0, 3.0)])
CASES = {
    # name: (turn 0, turn 1, score, reason)
    "answers after 1 s": (GREETING, Turn(1, [(10, 14)], [(15, 17)]), 1.0, "latency"),
    "latency counts from the last words": (
        GREETING,
        Turn(1, [(10, 12), (13, 14)], [(14.25, 15)]),
        0.75,
        "latency",
    ),
    "overlap 0.4 s, one segment, speaking on": (
        GREETING,  # overlap .5 * (1 - 400/2000) = .4; count .5; no recovery, the agent spoke on
        Turn(1, [(10, 14)], [(13.6, 16)], agent_interrupts=True),
        0.4,
        "agent_interrupt",
    ),
    "two short cuts, then a settled answer": (
        GREETING,  # overlap 200 ms: .45; count .5 * (1 - 1/2) = .25; recovery after 1 s: 1
        Turn(1, [(10, 14)], [(11, 11.1), (12, 12.1), (15, 16)], agent_interrupts=True),
        0.25,
        "agent_interrupt",
    ),
    "three cuts": (
        GREETING,  # count .5 * (1 - 2/2) = 0
        Turn(1, [(10, 14)], [(11, 11.1), (12, 12.1), (13, 13.1), (15, 16)], agent_interrupts=True),
        0.0,
        "agent_interrupt",
    ),
    "recovers too late": (
        GREETING,  # overlap 100 ms: .475; recovery 3.2 s: (3500 - 3200) / 1500 = .2
        Turn(1, [(10, 14)], [(11, 11.1), (17.2, 18)], agent_interrupts=True),
        0.2,
        "agent_interrupt",
    ),
    "recovery is tool aware": (
        GREETING,  # 3.2 s with a tool call: (5000 - 3200) / 2000 = .9, so overlap decides: .475
        Turn(1, [(10, 14)], [(11, 11.1), (17.2, 18)], tool_call=True, agent_interrupts=True),
        0.475,
        "agent_interrupt",
    ),
    "a touch of 1 ms is no cut": (
        GREETING,  # overlap 1 ms: .5 * (1 - 1/2000)
        Turn(1, [(10, 14)], [(13.999, 15)], agent_interrupts=True),
        0.4998,  # .49975, and .5 is even
        "agent_interrupt",
    ),
    "two touches of 1 ms are no cuts either": (
        GREETING,  # overlap 2 ms: .5 * (1 - 2/2000)
        Turn(1, [(10, 12), (13, 14)], [(11.999, 12.5), (13.999, 15)], agent_interrupts=True),
        0.4995,
        "agent_interrupt",
    ),
    "stops with the caller, and recovers too late": (
        GREETING,  # overlap 1 s: .25; recovery 3.2 s: .2
        Turn(1, [(10, 14)], [(13, 14), (17.2, 18)], agent_interrupts=True),
        0.2,
        "agent_interrupt",
    ),
    "flagged, but no overlap on record": (
        GREETING,  # overlap 0: .5; no count; recovery 1 s: 1
        Turn(1, [(10, 14)], [(15, 16)], agent_interrupts=True),
        0.5,
        "agent_interrupt",
    ),
    "yields after 0.5 s": (
        Turn(0, agent=[(0.0, 10.5)]),  # 1 - 500/2000
        Turn(1, [(10, 14)], [(15, 17)], caller_interrupts=True),
        0.75,
        "user_interrupt",
    ),
    "never yields": (
        Turn(0, agent=[(0.0, 12.5)]),
        Turn(1, [(10, 14)], [(15, 17)], caller_interrupts=True),
        0.0,
        "user_interrupt",
    ),
    "interrupted, but the agent had stopped": (
        Turn(0, agent=[(0.0, 9.9)]),
        Turn(1, [(10, 14)], [(15, 17)], caller_interrupts=True),
        1.0,
        "user_interrupt",
    ),
    "interrupted an agent without audio: the latency counts": (
        Turn(0),
        Turn(1, [(10, 14)], [(14.25, 17)], caller_interrupts=True),
        0.75,
        "latency",
    ),
    "both interrupt: the lesser": (
        Turn(0, agent=[(0.0, 10.5)]),  # yield .75; overlap .4
        Turn(1, [(10, 14)], [(13.6, 16)], caller_interrupts=True, agent_interrupts=True),
        0.4,
        "dual_interrupt",
    ),
    "nudged": (GREETING, Turn(1, [(10, 14)], [(15, 17)], fallback=True), 0.0, "turn_end_fallback"),
    "nudged, and silent all the same": (
        GREETING,
        Turn(1, [(10, 14)], fallback=True),
        0.0,
        "turn_end_fallback",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_regimes_by_hand(case):
    before, turn, expected, reason = CASES[case]
    result = score_turns([before, turn])
    assert result.per_turn == {1: pytest.approx(expected, abs=1e-12)}
    assert result.per_turn_reason == {1: reason}
    assert result.score == result.per_turn[1]
    assert result.status == Status.OK


def test_evidence_names_every_sub_score():
    _, turn, _, _ = CASES["two short cuts, then a settled answer"]
    assert score_turns([GREETING, turn]).evidence[1] == {
        "has_tool_call": False,
        "overlap_ms": 200.0,
        "overlap_score": 0.45,
        "n_interrupt_segments": 2,
        "interrupt_count_score": 0.25,
        "post_interrupt_latency_ms": 1000.0,
        "post_interrupt_latency_score": 1.0,
    }


# --- the conversation ---


def test_mean_over_scored_turns_and_nothing_else():
    turns = [
        Turn(0, caller=[(0, 1)], agent=[(1.0, 2)]),  # the greeting is never scored
        Turn(1, [(3, 4)], [(5, 6)]),  # 1
        Turn(2, [(7, 8)]),  # no reply in mid-call costs nothing by itself
        Turn(3, [(9, 10)], [(10, 11)]),  # latency 0: .5
        Turn(4, agent=[(12, 13)]),
        Turn(5, [(14, 15)]),  # the caller's goodbye
    ]
    result = score_turns(turns)
    assert result.per_turn == {1: 1.0, 3: 0.5}
    assert result.score == 0.75


@pytest.mark.parametrize("turns", [[], [GREETING], [GREETING, Turn(1, [(4, 5)])], [Turn(1, agent=[(4, 5)])]])
def test_nothing_to_score_is_not_zero(turns):
    result = score_turns(turns)
    assert result.score is None
    assert result.status == Status.NOT_APPLICABLE
    assert result.reason


def test_last_words_never_answered():
    turns = [GREETING, Turn(1, [(4, 5)], [(6, 7)]), Turn(2, [(8, 9)])]
    hung = score_turns(turns, ended="inactivity_timeout")
    assert (hung.score, hung.status, hung.missed_turn) == (0.0, Status.OK, True)
    assert hung.per_turn == {1: 1.0}  # kept as evidence
    assert score_turns(turns, ended="goodbye").score == 1.0
    assert score_turns(turns, ended="time_limit_exceeded").score == 1.0


def test_silence_of_the_caller_is_not_the_agents():
    turns = [GREETING, Turn(1, [(4, 5)], [(6, 7)])]
    assert score_turns(turns, ended="inactivity_timeout").score == 1.0
    tie = [Turn(1, [(4, 7)], [(6, 7)])]
    assert not missed_last_turn(tie, "inactivity_timeout")


def test_agent_that_never_says_a_word_missed_its_turn():
    assert score_turns([Turn(0), Turn(1, [(4, 5)])], ended="inactivity_timeout").score == 0.0
    assert score_turns([], ended="inactivity_timeout").score is None


@pytest.mark.parametrize(
    "turns",
    [
        [Turn(1, [(2.0, 1.0)], [(3, 4)])],
        [Turn(1, [(float("nan"), 1.0)], [(3, 4)])],
        [Turn(1, [(0, 1)], [(3, float("inf"))])],
        [Turn(1, [(2, 3), (0, 1)], [(4, 5)])],
        [Turn(1, [(0, 1)]), Turn(1, [(2, 3)])],
    ],
)
def test_times_that_make_no_sense_are_refused(turns):
    with pytest.raises(DataFormatError, match="turn 1"):
        score_turns(turns)


def test_unknown_end_is_refused():
    with pytest.raises(ConfigError, match="inactivity_timeout"):
        score_turns([], ended="inactivity")


def test_order_of_turns_does_not_matter():
    turns = [GREETING, Turn(1, [(4, 5)], [(5.1, 7)]), Turn(2, [(6.5, 8)], [(9, 10)], caller_interrupts=True)]
    assert score_turns(turns[::-1]) == score_turns(turns)


def test_another_curve():
    strict = PAPER.__class__(sweet_high=(800.0, 800.0), hard_late=(1200.0, 1200.0))
    turns = [Turn(1, [(0, 1)], [(2, 3)])]  # 1 s: (1200 - 1000) / 400
    assert score_turns(turns, curve=strict).score == 0.5


# --- a twin that has the same tables, but counts milliseconds of speech instead of intervals ---


def _raster(segments, length):
    track = np.zeros(length, dtype=bool)
    for start, end in segments:
        track[start:end] = True
    return track


def _curve(ms, tool):
    knots = [-500, 500, 3000 if tool else 2000, 5000 if tool else 3500]
    return float(np.interp(ms, knots, [0, 1, 1, 0]))


def _twin(caller, agent, previous_end, tool, agent_cuts, caller_cuts):
    """The score of a turn whose segments are given in whole milliseconds."""
    length = max(e for _, e in caller + agent) + 1
    heard, said = _raster(caller, length), _raster(agent, length)
    parts = []
    if agent_cuts:
        overlap = int((heard & said).sum())
        cuts = [s for s in agent if (heard & _raster([s], length)).sum() > 1]
        parts.append(max(0, 0.5 * (2000 - overlap) / 2000))
        if cuts:
            parts.append(max(0, 0.5 * (3 - len(cuts)) / 2))
        end = int(np.flatnonzero(heard)[-1]) + 1
        later = np.flatnonzero(said[end:])
        if len(later) and later[0] > 0:
            parts.append(_curve(int(later[0]), tool))
    if caller_cuts and previous_end is not None:
        parts.append(1 - min(2000, max(0, previous_end - caller[0][0])) / 2000)
    if not parts:
        parts.append(_curve(agent[0][0] - caller[-1][1], tool))
    return round(min(parts), 4)


@st.composite
def _segments(draw, first, max_size):
    """Segments in ms, apart from each other."""
    out, at = [], first
    for _ in range(draw(st.integers(1, max_size))):
        start = at + draw(st.integers(1, 2500))
        at = start + draw(st.integers(2, 2500))
        out.append((start, at))
    return out


@settings(max_examples=300, deadline=None)
@given(
    caller=_segments(3000, 3),
    agent=_segments(2000, 5),
    previous_end=st.one_of(st.none(), st.integers(100, 8000)),
    tool=st.booleans(),
    agent_cuts=st.booleans(),
    caller_cuts=st.booleans(),
)
def test_twin_on_any_turn(caller, agent, previous_end, tool, agent_cuts, caller_cuts):
    before = Turn(0, agent=[] if previous_end is None else [(0.0, previous_end / 1000)])
    turn = Turn(
        1,
        [(a / 1000, b / 1000) for a, b in caller],
        [(a / 1000, b / 1000) for a, b in agent],
        tool_call=tool,
        agent_interrupts=agent_cuts,
        caller_interrupts=caller_cuts,
    )
    result = score_turns([before, turn])
    expected = _twin(caller, agent, previous_end, tool, agent_cuts, caller_cuts)
    assert result.score == pytest.approx(expected, abs=1.01e-4)  # 4 decimals, ties either way
    assert 0.0 <= result.score <= 1.0


@settings(max_examples=100, deadline=None)
@given(latency=st.floats(-1e5, 1e5), tool=st.booleans())
def test_curve_is_bounded_and_matches_interpolation(latency, tool):
    assert 0.0 <= PAPER.latency_score(latency, tool) <= 1.0
    assert PAPER.latency_score(latency, tool) == pytest.approx(_curve(latency, tool), abs=1e-9)


@given(st.floats(0, 1e6), st.integers(1, 50), st.floats(0, 1e6))
def test_sub_scores_are_bounded(ms, n, yield_ms):
    assert 0.0 <= PAPER.overlap_score(ms) <= 0.5
    assert 0.0 <= PAPER.count_score(n) <= 0.5
    assert 0.0 <= PAPER.yield_score(yield_ms) <= 1.0
