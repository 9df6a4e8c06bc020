"""Broken folders, full disks and places that cannot be written: one clear line, nothing lost in silence."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest

from evalib.core import StoreError
from evalib.store import RunWriter, durable, load_run
from evalib.store.trial import TrialKey, trial_folder


@pytest.fixture
def run(tmp_path, scenario, make_call, timeline):
    """A run of three calls, the third with recordings."""
    writer = RunWriter(tmp_path / "run", {}, [scenario])
    tone = np.arange(4800, dtype=np.int16)
    writer.write(make_call(trial=0), timeline)
    writer.write(make_call(trial=1), timeline)
    writer.write(make_call(trial=2), timeline, (tone, tone))
    return tmp_path / "run"


def folder_of(run: Path, make_call, trial: int) -> Path:
    return trial_folder(run, TrialKey(*make_call(trial=trial).key))


def one_line(error: pytest.ExceptionInfo[StoreError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/evalib", "/dev/null/run"])
def test_a_place_that_cannot_be_written(tmp_path, scenario, place):
    (tmp_path / "file").write_text("mine")
    if place.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("this system has no /proc")
    target = tmp_path / place
    with pytest.raises(StoreError) as error:
        RunWriter(target, {}, [scenario])
    assert f"cannot write the run folder {target}" in one_line(error)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path, scenario):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="Permission denied"):
        RunWriter(tmp_path / "run", {}, [scenario])
    tmp_path.chmod(0o700)


def test_no_folder(tmp_path):
    with pytest.raises(StoreError, match="no run folder at"):
        load_run(tmp_path / "missing")
    with pytest.raises(StoreError, match="is not a run folder"):
        load_run(tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not readable JSON"),
        (b"", "not readable JSON"),
        (b"\xff\xfe", "not readable JSON"),
        (b"[1]", "holds a JSON list"),
        (b"{}", "no schema_version"),
        (b'{"schema_version": 99}', "schema version 99 and this evalib reads up to 1: upgrade"),
        (b'{"schema_version": 1, "seed": 0, "planned": null}', "does not hold a RunInfo: config"),
        (b'{"schema_version": 1, "config": {}, "seed": "x", "planned": null}', "RunInfo: seed"),
    ],
)
def test_a_broken_run_json(run, scenario, content, told):
    (run / "run.json").write_bytes(content)
    for attempt in (lambda: load_run(run), lambda: RunWriter(run, {}, [scenario])):
        with pytest.raises(StoreError) as error:
            attempt()
        assert told in one_line(error)
        assert "run.json" in one_line(error)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE = {
    "torn conversation": lambda f: truncate(f / "conversation.json"),
    "torn database": lambda f: truncate(f / "final_db.json"),
    "emptied events": lambda f: (f / "events.jsonl").write_bytes(b""),
    "flipped bit": lambda f: flip(f / "initial_db.json"),
    "torn recording": lambda f: truncate(f / "mixed.wav"),
    "no recording": lambda f: (f / "caller.wav").unlink(),
    "no events": lambda f: (f / "events.jsonl").unlink(),
    "no marker": lambda f: (f / "done.json").unlink(),
    "torn marker": lambda f: truncate(f / "done.json"),
    "other marker": lambda f: (f / "done.json").write_text('{"key": {}, "files": {}}'),
    "marker of nothing": lambda f: (f / "done.json").write_text("[]"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_trial_is_named_and_a_resume_redoes_it(run, scenario, make_call, timeline, damage):
    damage(folder_of(run, make_call, 2))
    with pytest.raises(StoreError, match=r"1 of 3 trials .* are damaged: .*trial_2"):
        load_run(run)
    writer = RunWriter(run, {}, [scenario])
    assert {key.trial for key in writer.finished()} == {0, 1}
    assert not folder_of(run, make_call, 2).exists()
    writer.write(make_call(trial=2), timeline)
    assert len(load_run(run)) == 3


def test_damage_while_a_run_is_open(run, make_call):
    opened = load_run(run)
    truncate(folder_of(run, make_call, 1) / "final_db.json")
    assert opened[0].trial == 0
    with pytest.raises(StoreError, match=r"trial_1/final_db\.json is not what was written"):
        list(opened)


def test_a_recording_changed_in_place_is_found_when_asked_for(run, make_call):
    flip(folder_of(run, make_call, 2) / "agent.wav")
    assert len(load_run(run)) == 3
    with pytest.raises(StoreError, match="trial_2"):
        load_run(run, check_recordings=True)


def test_a_trial_moved_by_hand_is_told(run, make_call):
    folder = folder_of(run, make_call, 1)
    folder.rename(folder.with_name("trial_7"))
    with pytest.raises(StoreError, match="belongs elsewhere"):
        load_run(run)


def test_a_draft_is_no_trial(run, make_call):
    folder = folder_of(run, make_call, 1)
    (folder / "done.json").unlink()
    folder.rename(folder.with_name("trial_1.tmp-123"))
    assert [c.trial for c in load_run(run)] == [0, 2]


def test_a_whole_draft_is_kept_by_a_resume(run, scenario, make_call):
    """Power was lost between the commit marker and the name."""
    folder = folder_of(run, make_call, 1)
    folder.rename(folder.with_name("trial_1.tmp-123"))
    assert {key.trial for key in RunWriter(run, {}, [scenario]).finished()} == {0, 1, 2}
    assert [c.trial for c in load_run(run)] == [0, 1, 2]


def test_a_missing_or_broken_scenario_is_told(run):
    path = run / "scenarios" / "airline" / "1.1.1.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"goal": 3}))
    with pytest.raises(StoreError, match="does not hold a Scenario: goal"):
        load_run(run)
    path.unlink()
    with pytest.raises(StoreError, match=r"lacks the scenario .* restore .*1\.1\.1\.json"):
        load_run(run)


def test_broken_scores(run):
    (run / "scores.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(StoreError, match=r"scores\.parquet cannot be read .*: score the run again"):
        _ = load_run(run).scores


@pytest.mark.parametrize("nth", range(6))
def test_a_full_disk(run, scenario, make_call, timeline, monkeypatch, nth):
    """The n-th file does not fit: one clear line, the finished calls stay, and there is no half trial."""
    real, count = open, iter(range(100))

    def full(path, mode="r"):
        if mode == "wb" and next(count) == nth:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, mode)

    writer = RunWriter(run, {}, [scenario])
    with monkeypatch.context() as patch:
        patch.setattr(durable, "open", full, raising=False)
        tone = np.zeros(480, np.int16)
        with pytest.raises(StoreError) as error:
            writer.write(make_call(trial=3), timeline, (tone, tone))
        assert "No space left on device" in one_line(error)
    assert not list(run.rglob("trial_3*"))
    writer.write(make_call(trial=3), timeline)
    assert [c.trial for c in load_run(run)] == [0, 1, 2, 3]


def test_a_full_disk_leaves_the_old_scores(run, monkeypatch):
    opened = load_run(run)
    frame = opened.frame()
    opened.save_scores(frame)

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(durable.os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        opened.save_scores(frame.head(0))
    monkeypatch.undo()
    assert len(load_run(run).scores) == 3
    assert not list(run.glob("*.tmp-*"))
