"""One finished call on disk: a folder that is whole or does not count.

The files are written into a draft folder, then ``done.json``, the commit marker, which holds the size
and SHA-256 of each and is forced onto the disk; then the draft gets its name in one step. A process
killed at any moment leaves a draft or a whole trial. A machine that loses power may also tear a file
the system had not written yet: then size or hash disagree with the marker and the trial does not
count. That costs one ``fsync`` a call, and one for each recording, which is too large to hash at
every look.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evalib.core import AudioFiles, Conversation, Event, StoreError
from evalib.store.durable import json_bytes, store_errors, write_file
from evalib.store.names import safe_name
from evalib.store.records import (
    SCHEMA_VERSION,
    conversation_json,
    events_jsonl,
    parse_events,
    parse_object,
    recordings,
    validate,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tracks = tuple[NDArray[np.int16], NDArray[np.int16]]

MARKER = "done.json"
_DRAFT = ".tmp-"
_NAME = re.compile(rf"trial_[0-9]+({re.escape(_DRAFT)}[0-9]+)?")


class TrialKey(NamedTuple):
    """Which call of a run: equal to ``Conversation.key``."""

    system: str
    domain: str
    scenario: str
    trial: int
    condition: str

    def __str__(self) -> str:
        return f"{self.system} {self.domain} {self.scenario} {self.condition} trial {self.trial}"


def trial_folder(run: Path, key: TrialKey) -> Path:
    """Where a trial of a run folder is, or would be."""
    names = map(safe_name, (key.system, key.domain, key.scenario, key.condition))
    return run.joinpath("trials", *names, f"trial_{int(key.trial)}")


def trial_folders(run: Path) -> tuple[list[Path], list[Path]]:
    """The trial folders of a run folder and the drafts among them, each in the order of their names.

    A folder that someone else put there has another name, and is neither.
    """
    everything = run.glob("trials/*/*/*/*/trial_*")
    found = sorted(path for path in everything if _NAME.fullmatch(path.name) and path.is_dir())
    drafts = [path for path in found if _DRAFT in path.name]
    return [path for path in found if _DRAFT not in path.name], drafts


def final_name(draft: Path) -> Path:
    """The name that a draft gets when it is whole."""
    return draft.with_name(draft.name.split(_DRAFT)[0])


def write_trial(
    run: Path,
    conversation: Conversation,
    events: Iterable[Event],
    tracks: Tracks | None = None,
    started: datetime | None = None,
) -> Conversation:
    """Write one finished call into a run folder; it may be called from several processes at once.

    Parameters
    ----------
    run : Path
        The run folder.
    conversation : Conversation
    events : iterable of Event
    tracks : (caller, agent), each an ndarray of int16, shape (samples,), optional
        24 kHz; None for fidelity ``"text"``.
    started : datetime, optional
        When the call began, with a time zone: gives the events that have none their ``utc``.

    Returns
    -------
    Conversation
        The same, with `audio` naming the recordings.

    Raises
    ------
    StoreError
        When it cannot be written, or the folder holds another call of the same key.
    """
    if tracks is None and conversation.audio is not None:
        raise StoreError(f"{conversation!r} has recordings: give their samples as tracks")
    key = TrialKey(*conversation.key)
    folder = trial_folder(run, key)
    contents = {
        "events.jsonl": events_jsonl(events, started),
        "initial_db.json": json_bytes(conversation.initial_db),
        "final_db.json": json_bytes(conversation.final_db),
        "conversation.json": conversation_json(conversation),
    } | (recordings(*tracks) if tracks is not None else {})
    files = {name: {"bytes": len(c), "sha256": sha256(c).hexdigest()} for name, c in contents.items()}
    with store_errors(f"write {folder}"):
        if not _already_there(folder, files):
            marker = {"schema_version": SCHEMA_VERSION, "key": key._asdict(), "files": files}
            _commit(folder, contents, json_bytes(marker))
    return replace(conversation, audio=_audio(folder) if tracks is not None else None)


def _already_there(folder: Path, files: dict[str, Any]) -> bool:
    """A worker that outlived a killed run may have written the same call; another call is an error."""
    if not folder.exists():
        return False
    if problem(folder) is not None:
        shutil.rmtree(folder)
        return False
    there = read_marker(folder)["files"]
    if {n: f for n, f in there.items() if n != "events.jsonl"} != {
        n: f for n, f in files.items() if n != "events.jsonl"
    }:
        raise StoreError(
            f"{folder} already holds another call of that system, scenario, condition and trial: "
            "give each system a name of its own, and each run a folder of its own"
        )
    return True


def _commit(folder: Path, contents: dict[str, bytes], marker: bytes) -> None:
    draft = folder.with_name(f"{folder.name}{_DRAFT}{os.getpid()}")
    try:
        if draft.exists():  # left by a process that had this one's number
            shutil.rmtree(draft)
        draft.mkdir(parents=True)
        for name, content in contents.items():
            write_file(draft / name, content, sync=name.endswith(".wav"))
        write_file(draft / MARKER, marker, sync=True)
        os.rename(draft, folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def read_marker(folder: Path) -> dict[str, Any]:
    """The commit marker of a trial.

    Raises
    ------
    StoreError
        When it is missing or is not one.
    """
    path = folder / MARKER
    with store_errors(f"read {path}"):
        marker = parse_object(path.read_bytes(), path)
    key, files = marker.get("key"), marker.get("files")
    kinds = {name: int if name == "trial" else str for name in TrialKey._fields}
    named = isinstance(key, dict) and {name: type(value) for name, value in key.items()} == kinds
    if not named or not isinstance(files, dict):
        raise StoreError(f"{path} is not a commit marker")
    return marker


def problem(folder: Path, *, recordings: bool = False) -> str | None:
    """Why a trial folder is not whole; None when it is.

    Recordings are checked by size, and by hash only when asked for; everything else by hash.
    """
    try:
        for name, expected in read_marker(folder)["files"].items():
            if name.endswith(".wav") and not recordings:
                if (folder / name).stat().st_size != expected["bytes"]:
                    return f"{name} has another size than when it was written"
            else:
                _read(folder, name, expected)
    except StoreError as exc:
        return str(exc)
    except (OSError, KeyError, TypeError) as exc:
        return f"{type(exc).__name__}: {exc}"
    return None


def _read(folder: Path, name: str, expected: dict[str, Any]) -> bytes:
    path = folder / name
    with store_errors(f"read {path}"):
        content = path.read_bytes()
    if sha256(content).hexdigest() != expected["sha256"]:
        raise StoreError(f"{path} is not what was written: restore it, or resume the run to redo this trial")
    return content


def read_conversation(folder: Path) -> Conversation:
    """The call of a trial folder, its files checked against the commit marker.

    Raises
    ------
    StoreError
        Names the trial and what is wrong with it.
    """
    files = read_marker(folder)["files"]

    def content(name: str) -> dict[str, Any]:
        if name not in files:
            raise StoreError(f"{folder} lacks {name}: resume the run to redo this trial")
        return parse_object(_read(folder, name, files[name]), folder / name)

    fields = content("conversation.json") | {
        "initial_db": content("initial_db.json"),
        "final_db": content("final_db.json"),
        "audio": None,
    }
    conversation = validate(Conversation, fields, folder / "conversation.json")
    if "mixed.wav" in files:
        conversation.audio = _audio(folder)
    return conversation


def read_events(folder: Path) -> list[Event]:
    """The timeline of a trial folder, checked against the commit marker."""
    files = read_marker(folder)["files"]
    return parse_events(_read(folder, "events.jsonl", files["events.jsonl"]), folder / "events.jsonl")


def _audio(folder: Path) -> AudioFiles:
    return AudioFiles(folder / "caller.wav", folder / "agent.wav", folder / "mixed.wav")
