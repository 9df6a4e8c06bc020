"""The line records what was sent, to the sample, whatever the clock does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import ConfigError, EndReason, SimulationError
from evalib.simulator.clock import run
from evalib.simulator.line import Line
from evalib.simulator.party import SAMPLE_RATE, TICK_SAMPLES, Limits
from evalib.simulator.pcm import assemble, frames_of, mix, pcm_facts
from evalib.simulator.segments import speech_segments
from evalib.simulator.session import Session
from tests.simulator.fakes import tone


class Player:
    """Sends a sound frame by frame, keeps what it hears, and ends the call when asked to."""

    def __init__(self, sound=None, session=None, ends_at=None, reason=EndReason.GOODBYE):
        self.frames = [] if sound is None else list(frames_of(sound))
        self.heard = []
        self.times = []
        self.session, self.ends_at, self.reason = session, ends_at, reason

    async def on_tick(self, k, t, heard):
        self.heard.append(heard)
        self.times.append(t)
        if k == self.ends_at:
            self.session.end(self.reason)
        return self.frames[k] if k < len(self.frames) else None


def play(caller, agent, seconds=5.0, **options):
    line = Line(caller, agent, limits=Limits(duration_s=seconds, inactivity_s=1000), **options)
    return line, run(line.run())


def test_tone_silence_tone_is_five_seconds():
    """The truth test of the line: 1.0 s tone, 3.0 s silence, 1.0 s tone."""
    silence = np.zeros(3 * SAMPLE_RATE, dtype=np.int16)
    sound = np.concatenate((tone(1.0), silence, tone(1.0)))
    line, reason = play(Player(sound), Player())
    caller, agent = line.tracks()
    assert reason is EndReason.TIME_LIMIT
    assert len(caller) == len(agent) == 5 * SAMPLE_RATE
    np.testing.assert_array_equal(caller, sound)
    segments = speech_segments(caller)
    assert [s.start_s for s in segments] == pytest.approx([0.0, 4.0], abs=0.001)
    assert [s.end_s for s in segments] == pytest.approx([1.0, 5.0], abs=0.001)
    assert speech_segments(agent) == []


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(1, 3000), st.integers(1, 3000)), min_size=1, max_size=8))
def test_speech_across_frame_edges_never_shifts(pieces):
    sound = np.concatenate(
        [np.concatenate((np.zeros(gap, np.int16), np.full(length, 5000, np.int16))) for gap, length in pieces]
    )
    line, _ = play(Player(), Player(sound), seconds=2.0)
    track = line.tracks()[1]
    n = min(len(sound), len(track))
    np.testing.assert_array_equal(track[:n], sound[:n])
    assert not track[n:].any()


@pytest.mark.parametrize("clock", ["virtual", "wall"])
def test_both_clocks_record_the_same(clock):
    a, b = tone(0.13), tone(0.21, hz=330)
    line = Line(Player(a), Player(b), limits=Limits(duration_s=0.4))
    run(line.run(), clock)
    caller, agent = line.tracks()
    np.testing.assert_array_equal(caller[: len(a)], a)
    np.testing.assert_array_equal(agent[: len(b)], b)
    assert len(caller) == round(0.4 * SAMPLE_RATE)


@pytest.mark.parametrize("delay", [1, 3])
def test_each_hears_the_other_a_delay_later(delay):
    caller, agent = Player(tone(0.1)), Player(tone(0.2, hz=330))
    play(caller, agent, seconds=1.0, delay_ticks=delay)
    for hears, speaks in ((caller, agent), (agent, caller)):
        assert hears.heard[:delay] == [None] * delay
        sent = len(speaks.frames)
        np.testing.assert_array_equal(assemble(hears.heard[delay:][:sent]), assemble(speaks.frames))
        assert hears.heard[delay + sent :] == [None] * (50 - delay - sent)
    assert caller.times == [k / 50 for k in range(50)]


def test_a_delay_of_nothing_is_refused():
    with pytest.raises(ConfigError, match="at least one tick"):
        Line(Player(), Player(), delay_ticks=0)


def test_a_channel_changes_what_arrives_and_not_the_recording():
    hiss = np.full(TICK_SAMPLES, 7, dtype=np.int16)
    caller, agent = Player(tone(0.5)), Player()
    line, _ = play(caller, agent, seconds=1.0, to_agent=lambda frame: hiss if frame is None else frame + hiss)
    heard = assemble(agent.heard)[TICK_SAMPLES:]
    sent = line.tracks()[0][:-TICK_SAMPLES]
    np.testing.assert_array_equal(heard, sent + 7)
    assert all(frame is None for frame in caller.heard)


def test_a_party_ends_the_call_and_the_first_reason_counts():
    session = Session()
    caller = Player(session=session, ends_at=25)
    agent = Player(session=session, ends_at=25, reason=EndReason.AGENT_HANGUP)
    line, reason = play(caller, agent, session=session)
    assert reason is EndReason.GOODBYE
    assert line.ticks == 26
    assert len(line.tracks()[0]) == 26 * TICK_SAMPLES


def test_inactivity_counts_from_the_last_sound():
    line = Line(Player(tone(1.0)), Player(tone(2.0)), limits=Limits(duration_s=60, inactivity_s=5))
    assert run(line.run()) is EndReason.INACTIVITY
    assert line.ticks == 7 * 50
    (event,) = line.session.log.events
    assert (event.type, event.offset_s, event.attributes) == ("silence", 6.98, {"duration_s": 5.0})


def test_comfort_noise_does_not_keep_a_call_alive():
    noise = (np.random.default_rng(0).normal(0, 10, 30 * SAMPLE_RATE)).astype(np.int16)
    line = Line(Player(), Player(noise), limits=Limits(duration_s=25, inactivity_s=5))
    assert run(line.run()) is EndReason.INACTIVITY


def test_a_long_silence_is_noted_when_it_ends():
    sound = np.concatenate((tone(1.0), np.zeros(4 * SAMPLE_RATE, np.int16), tone(0.5)))
    line, _ = play(Player(sound), Player(), seconds=6)
    assert [(e.type, e.offset_s, e.attributes["duration_s"]) for e in line.session.log.events] == [
        ("silence", 5.0, 4.0)
    ]


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros(479, np.int16),
        np.zeros(TICK_SAMPLES, np.float32),
        np.zeros((1, TICK_SAMPLES), np.int16),
        b"\0" * 960,
    ],
    ids=["short", "float", "two dimensions", "bytes"],
)
@pytest.mark.parametrize("who", ["caller", "agent"])
def test_what_is_no_frame_names_its_party(bad, who):
    class Bad:
        async def on_tick(self, k, t, heard):
            return bad if k == 3 else None

    parties = {"caller": Player(), "agent": Player()} | {who: Bad()}
    with pytest.raises(SimulationError, match=rf"the {who} sent .* at tick 3 \(0\.06 s\)"):
        run(Line(**parties).run())


@pytest.mark.parametrize("who", ["caller", "agent"])
def test_a_party_that_raises_is_named(who):
    class Broken:
        async def on_tick(self, k, t, heard):
            raise KeyError("model")

    parties = {"caller": Player(), "agent": Player()} | {who: Broken()}
    with pytest.raises(SimulationError, match=rf"the {who} failed at 0\.00 s: KeyError: 'model'"):
        run(Line(**parties).run())


def test_the_mix_is_a_clipped_sum():
    a = np.array([30000, -30000, 100, -32768], dtype=np.int16)
    b = np.array([10000, -10000, -50, 32767], dtype=np.int16)
    assert mix(a, b).tolist() == [32767, -32768, 50, -1]
    line, _ = play(Player(np.full(480, 30000, np.int16)), Player(np.full(480, 30000, np.int16)), seconds=0.04)
    assert line.mixed().tolist() == [32767] * 480 + [0] * 480


def test_frames_are_read_only_and_padded():
    frames = frames_of(tone(0.05))
    assert frames.shape == (3, TICK_SAMPLES)
    assert not frames[2, 240:].any()
    with pytest.raises(ValueError, match="read-only"):
        frames[0][0] = 1


def test_pcm_facts_of_a_known_sound():
    pcm = np.concatenate((np.zeros(1000, np.int16), np.full(1000, 3000, np.int16), [32767, -32768])).astype(
        np.int16
    )
    facts = pcm_facts(pcm)
    assert facts["duration_seconds"] == round(2002 / 24000, 6)
    assert facts["byte_count"] == 4004
    assert facts["silence_ratio"] == round(1000 / 2002, 6)
    assert facts["peak_amplitude"] == 32768
    assert facts["clipped_sample_ratio"] == round(2 / 2002, 6)
    expected = np.sqrt((1000 * 3000.0**2 + 32767.0**2 + 32768.0**2) / 2002)
    assert facts["rms_amplitude"] == pytest.approx(expected, abs=0.001)
    assert facts["possible_truncation"] is True


def test_pcm_facts_of_nothing_are_unknown_and_not_zero():
    facts = pcm_facts(np.zeros(0, np.int16))
    assert facts["duration_seconds"] == 0.0
    assert facts["rms_amplitude"] is None
    assert facts["silence_ratio"] is None
