"""Whole calls, spoken and heard with the real engines."""

import json
import subprocess
import sys

import pytest

import evalib
from evalib.core import EndReason
from evalib.domains import session_satisfied, state_hash

pytest.importorskip("hibari", reason="the voice is not installed: pip install 'evalib[sim]'")
pytest.importorskip("faster_whisper", reason="the recogniser is not installed: pip install 'evalib[sim]'")


def completed(conversation, scenario):
    return state_hash(conversation.final_db) == state_hash(scenario.expected_db) and session_satisfied(
        scenario.expected_session, conversation.final_db.get("session", {})
    )


@pytest.fixture(scope="module")
def spoken_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spoken") / "run"
    scenarios = evalib.load_scenarios(ids=["E5.1", "E6.2"])
    return evalib.simulate(scenarios, agent="careful", trials=1, out=folder, progress=False)


def test_a_fault_free_agent_completes_what_it_hears_right(spoken_run):
    scenarios = spoken_run.scenarios()
    for call in spoken_run:
        assert call.end_reason == EndReason.GOODBYE
        assert completed(call, scenarios[call.domain, call.scenario_id])


def test_both_sides_really_listened(spoken_run):
    """What was heard is close to what was said and, letter for letter, not the same."""
    scores = evalib.score(spoken_run, metrics=["stt_wer"])
    wer = scores.loc[scores["metric"] == "stt_wer", "value"]
    assert (wer < 0.2).all()
    said = [(t.caller_intended, t.caller_heard) for c in spoken_run for t in c.texts if t.caller_heard]
    assert any(meant != heard for meant, heard in said)


def test_recordings_are_the_calls(spoken_run):
    import soundfile

    for call in spoken_run:
        frames = set()
        for path in (call.audio.caller, call.audio.agent, call.audio.mixed):
            with soundfile.SoundFile(path) as sound:
                assert (sound.samplerate, sound.channels, sound.subtype) == (24_000, 1, "PCM_16")
                frames.add(sound.frames)
        assert len(frames) == 1
        assert frames.pop() / 24_000 == pytest.approx(call.duration_s, abs=1e-6)


def test_turns_lie_on_the_recordings(spoken_run):
    """Inside every turn's segments there is sound, and before the first there is none."""
    import numpy as np
    import soundfile

    for call in spoken_run:
        for side in ("caller", "agent"):
            track, rate = soundfile.read(getattr(call.audio, side), dtype="int16")
            segments = [s for turn in call.turns for s in getattr(turn, side)]
            assert segments
            assert not np.abs(track[: int((segments[0].start_s - 0.02) * rate)]).max(initial=0) > 150
            for s in segments:
                assert np.abs(track[int(s.start_s * rate) : int(s.end_s * rate)]).max() > 1000


_ONE_CALL = """
import sys, evalib
scenarios = evalib.load_scenarios(ids=["E6.2"])
evalib.simulate(scenarios, agent="hasty", trials=1, seed=4, out=sys.argv[1], progress=False)
"""


def test_same_seed_same_bytes_in_another_process_with_a_cold_cache(tmp_path):
    """Events but for their wall-clock field, and all three recordings."""
    found = []
    for name in ("one", "two"):
        subprocess.run(
            [sys.executable, "-c", _ONE_CALL, str(tmp_path / name)],
            check=True,
            env={
                **_environment(),
                "EVALIB_CACHE": str(tmp_path / f"cache-{name}"),
                "PYTHONHASHSEED": str(len(found)),
            },
        )
        (trial,) = (tmp_path / name).glob("trials/*/*/*/*/trial_0")
        events = [json.loads(line) for line in (trial / "events.jsonl").read_text().splitlines()]
        for event in events:
            event.pop("utc")
        sounds = [(trial / f"{track}.wav").read_bytes() for track in ("caller", "agent", "mixed")]
        found.append((events, sounds))
    assert found[0] == found[1]


def _environment():
    import os

    return dict(os.environ)


def test_published_records_spoken_end_to_end(published):
    scenarios = evalib.load_scenarios(published, domain="airline")[:3]
    run = evalib.simulate(scenarios, trials=1, progress=False)
    by_key = run.scenarios()
    assert [completed(c, by_key[c.domain, c.scenario_id]) for c in run] == [True] * 3
