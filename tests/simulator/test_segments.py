"""Speech segments of finished tracks, against sounds placed at known samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evalib.simulator.party import SAMPLE_RATE
from evalib.simulator.segments import speech_segments
from tests.simulator.fakes import tone


def track_with(*pieces: tuple[int, np.ndarray], seconds: float = 10.0) -> np.ndarray:
    track = np.zeros(round(seconds * SAMPLE_RATE), dtype=np.int16)
    for at, sound in pieces:
        track[at : at + len(sound)] = sound
    return track


@pytest.mark.parametrize("n", [0, 1, 239, 240, 100_000])
def test_silence_has_no_segments(n):
    assert speech_segments(np.zeros(n, np.int16)) == []


def test_a_quiet_floor_has_no_segments():
    floor = np.random.default_rng(1).normal(0, 40, 5 * SAMPLE_RATE).astype(np.int16)
    assert speech_segments(floor) == []


def test_a_click_is_not_speech():
    assert speech_segments(track_with((50_000, np.full(20, 30_000, np.int16)))) == []


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 30_000), st.integers(2_400, 30_000)), min_size=1, max_size=6),
    st.floats(1_000, 32_000),
)
def test_bursts_are_found_within_a_millisecond(pieces, peak):
    track, truth = [], []
    at = 0
    for gap, length in pieces:
        gap += round(0.21 * SAMPLE_RATE)  # beyond the merge gap
        track += [np.zeros(gap, np.int16), tone(length / SAMPLE_RATE, hz=440, peak=peak)]
        truth.append(((at + gap) / SAMPLE_RATE, (at + gap + length) / SAMPLE_RATE))
        at += gap + length
    found = speech_segments(np.concatenate(track))
    assert len(found) == len(truth)
    np.testing.assert_allclose(np.array(found), np.array(truth), atol=0.001)


@settings(max_examples=60)
@given(st.integers(1, 24_000))
def test_gaps_are_bridged_when_shorter_than_the_merge_gap(gap):
    assume(abs(gap - 4_800) > 24)  # the edge of a tone is known to a millisecond
    first, second = tone(0.5), tone(0.5)
    track = np.concatenate((first, np.zeros(gap, np.int16), second))
    assert len(speech_segments(track)) == (1 if gap < 4_800 else 2)
    if gap >= 480:  # leaves a whole block of 10 ms silent
        assert len(speech_segments(track, merge_gap_s=0.0)) == 2


@pytest.mark.parametrize("fade_s", [0.005, 0.02, 0.05])
def test_faded_edges_are_within_20_ms(fade_s):
    """Real speech fades in and out; its truth is where the envelope leaves zero."""
    sound = tone(1.0).astype(float)
    n = round(fade_s * SAMPLE_RATE)
    sound[:n] *= np.linspace(0, 1, n)
    sound[-n:] *= np.linspace(1, 0, n)
    (found,) = speech_segments(track_with((33_333, sound.astype(np.int16))))
    assert found.start_s == pytest.approx(33_333 / SAMPLE_RATE, abs=0.02)
    assert found.end_s == pytest.approx(33_333 / SAMPLE_RATE + 1.0, abs=0.02)


def test_full_scale_negative_samples_count():
    (found,) = speech_segments(track_with((2_400, np.full(4_800, -32_768, np.int16))))
    assert found == (0.1, 0.3)


def test_short_sounds_are_dropped_only_below_the_minimum():
    track = track_with((24_000, tone(0.04)), (96_000, tone(0.06)))
    assert [round(s.start_s, 2) for s in speech_segments(track)] == [4.0]
    assert [round(s.start_s, 2) for s in speech_segments(track, min_speech_s=0.0)] == [1.0, 4.0]


def test_other_sample_rates():
    sound = np.concatenate((np.zeros(8_000, np.int16), np.full(8_000, 4_000, np.int16)))
    assert speech_segments(sound, 8_000) == [(1.0, 2.0)]


def test_segments_do_not_depend_on_where_blocks_fall():
    sound = tone(0.7, hz=310, peak=6_000)
    for shift in range(0, 480, 37):
        (found,) = speech_segments(track_with((24_000 + shift, sound)))
        assert found.start_s == pytest.approx((24_000 + shift) / SAMPLE_RATE, abs=0.0005)
        assert found.duration_s == pytest.approx(0.7, abs=0.001)


@pytest.mark.parametrize("shift", range(0, 240, 20))
def test_a_quiet_edge_in_the_last_samples_of_a_block_is_found(shift):
    """Too few samples to make their own block loud: the edge lies one block further out."""
    sound = tone(0.5, hz=1_000, peak=300)
    (found,) = speech_segments(track_with((24_000 + shift, sound)))
    assert found.start_s == pytest.approx((24_000 + shift) / SAMPLE_RATE, abs=0.0005)
    assert found.duration_s == pytest.approx(0.5, abs=0.0005)
