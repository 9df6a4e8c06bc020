"""What a noun looks like on disk reads back as the same noun."""

from __future__ import annotations

import io
import json
import math
import struct
import wave
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalib.core import Architecture, EndReason, Event, Scenario, SpeechSegment, StoreError, Turn, TurnText
from evalib.domains.loader import load_scenarios
from evalib.store import Run, write_trial
from evalib.store.records import events_jsonl, parse_events, recordings, scenario_json, validate
from evalib.store.trial import TrialKey, read_conversation, read_events, trial_folder

WHERE = Path("somewhere")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SECONDS = st.floats(0, 1e4, allow_nan=False)


@given(
    db=st.dictionaries(st.text(st.characters(exclude_categories=())), JSON, max_size=3),
    text=st.none() | st.text(),
    segments=st.lists(st.tuples(SECONDS, SECONDS), max_size=3),
    architecture=st.sampled_from(Architecture),
    end=st.sampled_from(EndReason),
    scenario_id=st.text(),
)
def test_a_conversation_round_trips(
    tmp_path_factory, make_call, db, text, segments, architecture, end, scenario_id
):
    call = make_call(
        scenario_id=scenario_id,
        architecture=architecture,
        end_reason=end,
        error=text,
        turns=[Turn(0, segments, segments)],
        texts=[TurnText(0, text, text, None, text)],
        initial_db=db,
        final_db={"after": db},
    )
    run = tmp_path_factory.mktemp("run")
    write_trial(run, call, [])
    back = read_conversation(trial_folder(run, TrialKey(*call.key)))
    assert back == call
    assert all(isinstance(s, SpeechSegment) for s in back.turns[0].caller)
    assert isinstance(back.architecture, Architecture)


def test_every_published_scenario_round_trips(published):
    scenarios = load_scenarios(str(published), domain="airline")
    assert len(scenarios) == 24
    for scenario in scenarios:
        assert validate(Scenario, json.loads(scenario_json(scenario)), WHERE) == scenario


def test_events_round_trip_and_differ_in_utc_alone(timeline):
    first = events_jsonl(timeline, datetime(2026, 3, 1, 12, tzinfo=UTC))
    second = events_jsonl(timeline, datetime(2027, 3, 1, 12, tzinfo=UTC))
    assert first != second
    assert len(first.splitlines()) == len(timeline)
    for a, b in zip(first.splitlines(), second.splitlines(), strict=True):
        a, b = json.loads(a), json.loads(b)
        assert (a.pop("utc"), b.pop("utc")) != ("", "")
        assert a == b
    assert [replace(e, utc="") for e in parse_events(first, WHERE)] == timeline
    assert parse_events(first, WHERE)[1].utc == "2026-03-01T12:00:01.250000+00:00"


def test_an_event_keeps_the_time_it_has(timeline):
    timed = [replace(timeline[0], utc="2020-01-01T00:00:00+00:00")]
    line = json.loads(events_jsonl(timed, datetime(2026, 3, 1, tzinfo=UTC)))
    assert line["utc"] == "2020-01-01T00:00:00+00:00"


@pytest.mark.parametrize("line", [b"{", b"[]", b"3", b'{"sequence": 1}', b"\xff"])
def test_a_broken_event_line_is_named(timeline, line):
    content = events_jsonl(timeline) + line + b"\n"
    with pytest.raises(StoreError, match="line 3 is not an event"):
        parse_events(content, WHERE)


def test_wave_files_are_canonical_riff():
    """Byte for byte what the RIFF specification says of 16-bit mono PCM at 24 kHz."""
    caller = np.array([1, -2, 300], dtype=np.int16)
    files = recordings(caller, np.zeros(3, dtype=np.int16))
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 42, b"WAVE", b"fmt ", 16, 1, 1, 24000, 48000, 2, 16, b"data", 6
    )
    assert files["caller.wav"] == header + struct.pack("<3h", 1, -2, 300)


def test_the_mix_is_the_clipped_sum():
    caller = np.array([30000, -30000, 5], dtype=np.int16)
    agent = np.array([30000, -30000, -7], dtype=np.int16)
    with wave.open(io.BytesIO(recordings(caller, agent)["mixed.wav"])) as file:
        assert np.frombuffer(file.readframes(3), "<i2").tolist() == [32767, -32768, -2]


@pytest.mark.parametrize(
    ("caller", "agent"),
    [
        (np.zeros(3, np.int16), np.zeros(4, np.int16)),
        (np.zeros(3, np.float32), np.zeros(3, np.int16)),
        (np.zeros((3, 2), np.int16), np.zeros((3, 2), np.int16)),
    ],
)
def test_wrong_tracks_are_refused(caller, agent):
    with pytest.raises(StoreError, match="track"):
        recordings(caller, agent)


def test_stored_recordings_are_found_again(tmp_path, make_call, timeline):
    tone = np.arange(480, dtype=np.int16)
    written = write_trial(tmp_path, make_call(fidelity="audio"), timeline, (tone, -tone))
    folder = trial_folder(tmp_path, TrialKey(*written.key))
    back = read_conversation(folder)
    assert back == written
    assert read_events(folder) == timeline
    with wave.open(str(back.audio.agent)) as file:
        assert np.array_equal(np.frombuffer(file.readframes(480), "<i2"), -tone)
    assert sorted(p.name for p in folder.iterdir()) == [
        "agent.wav",
        "caller.wav",
        "conversation.json",
        "done.json",
        "events.jsonl",
        "final_db.json",
        "initial_db.json",
        "mixed.wav",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"architecture": "cascade"},
        {"duration_s": math.nan},
        {"cost_model": {"x": math.inf}},
        {"final_db": {"x": object()}},
        {"turns": [{"index": 0}]},
    ],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path, make_call, changes):
    with pytest.raises(StoreError, match="stored"):
        write_trial(tmp_path, make_call(**changes), [])
    assert list(tmp_path.iterdir()) == []


def test_recordings_are_never_dropped_in_silence(tmp_path, make_call, timeline):
    tone = np.zeros(480, np.int16)
    written = write_trial(tmp_path / "a", make_call(), timeline, (tone, tone))
    with pytest.raises(StoreError, match="give their samples"):
        write_trial(tmp_path / "b", written, timeline)


def test_events_in_memory(make_call, timeline, scenario):
    call = make_call()
    run = Run([call], [scenario], events={call.key: timeline})
    assert run.events(run[0]) == timeline
    assert run.events(call.key) == timeline
    with pytest.raises(StoreError, match="not kept"):
        Run([call], [scenario]).events(call)
    with pytest.raises(StoreError, match="no call"):
        run.events(make_call(trial=9))


def test_an_unknown_event_key_is_ignored():
    event = Event(0, "s", 0, 0.0, "line", "internal", "silence")
    line = json.dumps(event.to_json() | {"later": 1}).encode()
    assert parse_events(line, WHERE) == [event]
