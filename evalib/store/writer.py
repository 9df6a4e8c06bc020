"""Writes a run folder, and takes an interrupted run up again.

    <run>/run.json                              what was run: configuration, seed, versions
    <run>/scenarios/<domain>/<id>.json          the resolved scenarios
    <run>/trials/<system>/<domain>/<scenario>/<condition>/trial_<n>/
    <run>/scores.parquet, details.parquet       once it is scored

A configuration holds what decides the results, and nothing else (no output folder, no number of
workers): a run is resumed with the configuration it was begun with, or not at all.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalib._versions import versions
from evalib.core import Conversation, Event, Scenario, StoreError
from evalib.store.durable import json_bytes, read_json, replace_file, store_errors
from evalib.store.lock import FolderLock
from evalib.store.names import safe_name
from evalib.store.records import SCHEMA_VERSION, check_schema, dump, parse_object, scenario_json, validate
from evalib.store.redaction import without_secrets
from evalib.store.trial import (
    TrialKey,
    final_name,
    problem,
    read_marker,
    trial_folder,
    trial_folders,
    write_trial,
)

if TYPE_CHECKING:
    from evalib.store.trial import Tracks

RUN_FILE = "run.json"


@dataclass
class RunInfo:
    """What ``run.json`` says.

    Attributes
    ----------
    config : dict
        What decides the results, secrets removed.
    seed : int
    planned : int or None
        Calls that a complete run has.
    sessions : list of dict
        ``{"utc", "versions"}`` of the first writer, and of every later one whose versions differ.
    schema_version : int
    """

    config: dict[str, Any]
    seed: int
    planned: int | None
    sessions: list[dict[str, Any]] = field(default_factory=list)
    schema_version: int = SCHEMA_VERSION


class RunWriter:
    """Creates a run folder, or resumes one.

    Parameters
    ----------
    path : path-like
        The run folder; made where it does not exist.
    config : mapping
        What decides the results. Secrets are removed before it is stored.
    scenarios : iterable of Scenario
        Every scenario that calls will be about.
    seed : int
    planned : int, optional
        Calls that the complete run will have.
    resume : bool
        Continue a run that is there already; False refuses.

    Raises
    ------
    StoreError
        When the folder cannot be written, holds something else, or holds a run of another
        configuration, seed or scenario (the message names what differs), or when another process is
        writing it.

    Notes
    -----
    Pickles, so that worker processes can write their own calls. Make one, in one process, before the
    workers start: it removes the drafts that a killed run left. It holds the folder until it is closed
    or its process ends; a pickled copy writes under the hold of the one it was copied from.
    """

    _lock: FolderLock | None = None

    def __init__(
        self,
        path: str | os.PathLike[str],
        config: Mapping[str, Any],
        scenarios: Iterable[Scenario],
        *,
        seed: int = 0,
        planned: int | None = None,
        resume: bool = True,
    ) -> None:
        if "\0" in os.fspath(path):
            raise StoreError(f"{os.fspath(path)!r} cannot name a run folder: it holds a NUL character")
        self.path = Path(path)
        info = RunInfo(without_secrets(_plain(config, "config")), int(seed), planned)
        with store_errors(f"write the run folder {self.path}"):
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = FolderLock(self.path)
            try:
                _remove_drafts(self.path)
                if (self.path / RUN_FILE).exists():
                    self._resume(info, resume)
                else:
                    self._create(info)
                self._scenarios = self._write_scenarios(scenarios)
                self._finished = self._recover()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Let others write the run folder; what is written is safe without it."""
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def finished(self) -> set[TrialKey]:
        """The calls that were whole when this writer was made; equal to their ``Conversation.key``."""
        return set(self._finished)

    def write(
        self,
        conversation: Conversation,
        events: Iterable[Event],
        tracks: Tracks | None = None,
        started: datetime | None = None,
    ) -> Conversation:
        """Write one finished call; see :func:`evalib.store.trial.write_trial`.

        Raises
        ------
        StoreError
            When it cannot be written, or is about a scenario that this run does not hold.
        """
        about = (conversation.domain, conversation.scenario_id)
        if about not in self._scenarios:
            raise StoreError(f"{conversation!r} is about a scenario that the run {self.path} was not given")
        return write_trial(self.path, conversation, events, tracks, started)

    def _create(self, info: RunInfo) -> None:
        if any(self.path.iterdir()):
            raise StoreError(
                f"{self.path} holds files but no {RUN_FILE}, so it is no run folder: name an empty or new one"
            )
        info.sessions = [_session()]
        self._write_info(info)

    def _resume(self, info: RunInfo, allowed: bool) -> None:
        if not allowed:
            raise StoreError(f"{self.path} already holds a run: resume it, or name another folder")
        old = read_info(self.path)
        differing = [
            line
            for name in ("config", "seed", "planned")
            for line in _differences(getattr(old, name), getattr(info, name), name)
        ]
        if differing:
            more = f", and {len(differing) - 5} more" if len(differing) > 5 else ""
            raise StoreError(
                f"the run in {self.path} was begun otherwise: {'; '.join(differing[:5])}{more}. "
                "Resume it as it was begun, or name another folder"
            )
        session = _session()
        if not old.sessions or old.sessions[-1].get("versions") != session["versions"]:
            old.sessions.append(session)
            self._write_info(old)

    def _write_info(self, info: RunInfo) -> None:
        fields = dump(RunInfo, info)
        content = {"schema_version": fields.pop("schema_version"), **fields}
        replace_file(self.path / RUN_FILE, json_bytes(content, indent=1))

    def _write_scenarios(self, scenarios: Iterable[Scenario]) -> set[tuple[str, str]]:
        """Where a scenario was read from may change between sessions; what it says may not."""
        seen: dict[tuple[str, str], dict[str, Any]] = {}
        for scenario in scenarios:
            content = parse_object(scenario_json(scenario), self.path)
            said = {name: value for name, value in content.items() if name != "source"}
            path = scenario_file(self.path, scenario.domain, scenario.id)
            there = seen.get((scenario.domain, scenario.id))
            if there is None and path.exists():
                there = {name: value for name, value in read_json(path).items() if name != "source"}
            if there is None:
                path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(path, scenario_json(scenario))
            elif there != said:
                names = ", ".join(sorted(n for n in there | said if there.get(n) != said.get(n)))
                raise StoreError(
                    f"scenario {scenario.domain} {scenario.id} differs from the one of that id in the run "
                    f"{self.path}: {names}. Name another folder for another scenario set or language"
                )
            seen[scenario.domain, scenario.id] = said
        return set(seen)

    def _recover(self) -> set[TrialKey]:
        """The finished calls; drafts that are whole get their name, everything else is removed."""
        whole, drafts = trial_folders(self.path)
        for draft in drafts:
            if problem(draft) is None and not final_name(draft).exists():
                os.rename(draft, final_name(draft))
                whole.append(final_name(draft))
            else:
                shutil.rmtree(draft)
        finished = set()
        for folder in whole:
            if problem(folder) is None:
                finished.add(marked_key(self.path, folder))
            else:
                shutil.rmtree(folder)
        return finished


def read_info(run: Path) -> RunInfo:
    """What ``run.json`` says.

    Raises
    ------
    StoreError
        When it is missing, broken, or of a later evalib.
    """
    path = run / RUN_FILE
    if not path.is_file():
        raise StoreError(f"{run} is not a run folder: it has no {RUN_FILE}")
    with store_errors(f"read {path}"):
        data = parse_object(path.read_bytes(), path)
    check_schema(data, path)
    return validate(RunInfo, data, path)


def scenario_file(run: Path, domain: str, scenario: str) -> Path:
    """Where a run folder holds a scenario."""
    return run / "scenarios" / safe_name(domain) / f"{safe_name(scenario)}.json"


def marked_key(run: Path, folder: Path) -> TrialKey:
    """Which call a trial folder holds.

    Raises
    ------
    StoreError
        When its marker is broken, or it stands where another call belongs (moved or copied by hand).
    """
    key = TrialKey(**read_marker(folder)["key"])
    if trial_folder(run, key) != folder:
        raise StoreError(f"{folder} holds the call {key}, which belongs elsewhere: was it moved or copied?")
    return key


def _remove_drafts(run: Path) -> None:
    """Remove half-written files of our own; the folder may turn out to be someone else's."""
    ours = re.compile(r"(run\.json|(scores|details)\.parquet)\.tmp-\d+")
    drafts = [draft for draft in run.glob("*.tmp-*") if ours.fullmatch(draft.name)]
    drafts += [d for d in run.glob("scenarios/*/*.tmp-*") if re.search(r"\.json\.tmp-\d+$", d.name)]
    for draft in drafts:
        draft.unlink()


def _session() -> dict[str, Any]:
    return {"utc": datetime.now(UTC).isoformat(timespec="seconds"), "versions": versions()}


def _plain(value: Any, where: str) -> Any:
    """A configuration value as JSON has it."""
    if isinstance(value, Enum):
        return _plain(value.value, where)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value), where)
    if isinstance(value, Mapping):
        return {str(name): _plain(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}.{i}") for i, item in enumerate(value)]
    raise StoreError(f"{where} is a {type(value).__name__}, which run.json cannot hold: describe it in words")


def _differences(old: Any, new: Any, where: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            if name not in new:
                yield f"{where}.{name} was {_short(old[name])} and is not given"
            elif name not in old:
                yield f"{where}.{name} was not given and is {_short(new[name])}"
            else:
                yield from _differences(old[name], new[name], f"{where}.{name}")
    elif old != new:
        yield f"{where} was {_short(old)} and is {_short(new)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
