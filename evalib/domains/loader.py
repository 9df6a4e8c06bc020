"""Loading scenarios: evalib's own, or a folder of EVA-Bench data.

A folder holds, per domain, ``<domain>_dataset.json`` (a list of records), ``<domain>_scenarios/``
(one initial database per record, ``<id>.json``) and for some ``<domain>_aliases/`` (what places and
products are also called). The built-in scenarios keep a record and its database in one file,
``data/scenarios/<domain>/<id>.json``; the README there describes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalib.core import (
    DOMAINS,
    LANGUAGES,
    ConfigError,
    DataFormatError,
    Scenario,
    ScenarioError,
)
from evalib.domains import placeholders
from evalib.domains.executor import ToolExecutor
from evalib.domains.package_data import data_folder
from evalib.domains.stale_ids import has_ids, with_current_ids

BUILTIN = "builtin"


@dataclass(frozen=True)
class _Entry:
    """A scenario that can be read: its record, its database, and where they stand."""

    domain: str
    id: str
    where: str
    read: Callable[[], tuple[Any, Any]]


def load_scenarios(
    source: str | Path = BUILTIN,
    domain: str | None = None,
    ids: str | Iterable[str] | None = None,
    language: str = "en",
) -> list[Scenario]:
    """Load scenarios, with their placeholders filled for one language.

    Parameters
    ----------
    source : str or Path
        ``"builtin"`` (synthetic, evalib's own) or a folder that holds EVA-Bench data.
    domain : str or None
        One of ``airline``, ``itsm``, ``medical_hr``; None for all that the source has.
    ids : str, iterable of str or None
        Which scenarios, in the order wanted; None for all, in the order of the source.
    language : str
        One of :data:`evalib.core.LANGUAGES`: whose names and first line the caller gets.

    Raises
    ------
    ConfigError
        When there is no such domain or language.
    ScenarioError
        When the folder, a file or an id is missing, or a record does not have the language.
    DataFormatError
        When a file is not JSON (the message has the line) or a record lacks what it must hold.
    """
    if domain is not None and domain not in DOMAINS:
        raise ConfigError(f"unknown domain {domain!r}: the domains are {', '.join(DOMAINS)}")
    if language not in LANGUAGES:
        raise ConfigError(f"unknown language {language!r}: scenarios exist in {', '.join(LANGUAGES)}")
    builtin = source == BUILTIN
    folder = data_folder("scenarios") if builtin else _existing_folder(Path(source))
    entries = _builtin_entries(folder, domain) if builtin else _folder_entries(folder, domain)
    aliases = {d: _aliases(folder / f"{d}_aliases") for d in {e.domain for e in entries}}
    return [
        _scenario(entry, language, aliases[entry.domain], str(source)) for entry in _selected(entries, ids)
    ]


def _existing_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise ScenarioError(
            f"{folder} is not a folder: pass {BUILTIN!r} or a folder that holds <domain>_dataset.json"
        )
    return folder


def _builtin_entries(folder: Path, domain: str | None) -> list[_Entry]:
    from evalib.domains.records import BuiltinFile

    def reader(path: Path) -> Callable[[], tuple[Any, Any]]:
        def read() -> tuple[Any, Any]:
            file = _checked(BuiltinFile, _read_json(path), str(path))
            return file.record, file.scenario_db

        return read

    present = [d for d in DOMAINS if (folder / d).is_dir()]
    if domain is not None and domain not in present:
        raise ScenarioError(
            f"evalib has no scenarios of its own for {domain!r} yet, only for {', '.join(present)}: "
            "pass a folder of EVA-Bench data instead"
        )
    return [
        _Entry(d, path.stem, str(path), reader(path))
        for d in ([domain] if domain else present)
        for path in sorted((folder / d).glob("*.json"))
    ]


def _folder_entries(folder: Path, domain: str | None) -> list[_Entry]:
    from evalib.domains.records import Dataset

    def reader(record: Any, path: Path) -> Callable[[], tuple[Any, Any]]:
        return lambda: (record, _read_json(path))

    present = [d for d in DOMAINS if (folder / f"{d}_dataset.json").is_file()]
    if not present and domain is None:
        raise ScenarioError(
            f"{folder} holds no scenarios: expected <domain>_dataset.json for {', '.join(DOMAINS)}"
        )
    entries = []
    for d in [domain] if domain else present:
        path = folder / f"{d}_dataset.json"
        for number, record in enumerate(_checked(Dataset, _read_json(path), str(path)), start=1):
            record_id = record.get("id")
            if not isinstance(record_id, str) or not record_id:
                raise DataFormatError(f"{path}, record {number}: 'id' must be a text, not {record_id!r}")
            db = folder / f"{d}_scenarios" / f"{record_id}.json"
            entries.append(_Entry(d, record_id, f"{path}, record {record_id}", reader(record, db)))
    return entries


def _selected(entries: list[_Entry], ids: str | Iterable[str] | None) -> list[_Entry]:
    by_id: dict[str, list[_Entry]] = {}
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        if (entry.domain, entry.id) in seen:
            raise ScenarioError(f"{entry.where}: there are two {entry.domain} records with this id")
        seen.add((entry.domain, entry.id))
        by_id.setdefault(entry.id, []).append(entry)
    if ids is None:
        return entries
    wanted = [ids] if isinstance(ids, str) else list(ids)
    if unknown := [i for i in wanted if i not in by_id]:
        raise ScenarioError(
            f"unknown scenario id {', '.join(map(repr, unknown))}: there are {', '.join(by_id)}"
        )
    return [entry for i in wanted for entry in by_id[i]]


def _scenario(entry: _Entry, language: str, aliases: dict[str, dict[str, Any]], source: str) -> Scenario:
    from evalib.domains.records import Database, Record

    raw, initial_db = entry.read()
    record = _checked(Record, raw, entry.where)
    if record.id != entry.id:
        raise DataFormatError(f"{entry.where}: the record in it has another id, {record.id!r}")
    initial_db = _checked(Database, initial_db, f"{entry.where}, its database")
    cultures = {k: c.model_dump() for k, c in record.culture_overrides.items()}
    romanized = {k: c.model_dump() for k, c in record.romanized_culture_overrides.items()}
    try:
        opening = record.starting_utterances[language]
        tokens = placeholders.token_values(cultures, romanized, language)
    except KeyError:
        have = ", ".join(record.starting_utterances) or "none"
        raise ScenarioError(f"{entry.where}: no starting utterance in {language!r}, it has {have}") from None
    except ScenarioError as exc:
        raise ScenarioError(f"{entry.where}: {exc}") from None

    def spoken(value: Any) -> Any:
        return placeholders.fill_locations(placeholders.fill(value, tokens), aliases, language)

    def database(value: Any) -> Any:
        return placeholders.add_name_aliases(placeholders.fill(value, tokens), aliases, language)

    before = database(initial_db)
    calls, responses = _calls(record.ground_truth.expected_trace.trace)
    calls = spoken(calls)
    if has_ids(responses):
        executor = ToolExecutor(entry.domain, before, record.current_date_time)
        calls = with_current_ids(calls, responses, executor)
    return Scenario(
        id=record.id,
        domain=entry.domain,
        now=record.current_date_time,
        starting_utterance=spoken(opening),
        goal=spoken(raw["user_goal"]),
        caller=spoken(raw["user_config"]),
        initial_db=before,
        expected_db=database(record.ground_truth.expected_scenario_db),
        reference_calls=calls,
        context=spoken(record.scenario_context),
        language=language,
        source=source,
    )


def _calls(trace: list[Any]) -> tuple[list[dict[str, Any]], list[Any]]:
    """The calls of a trace, and the response recorded to each; None where there is none."""
    calls: list[dict[str, Any]] = []
    responses: list[Any] = []
    for event in trace:
        if event.event_type == "tool_call":
            calls.append({"name": event.tool_name, "arguments": event.params})
            responses.append(None)
        elif event.event_type == "tool_response" and responses:
            responses[-1] = event.response
    return calls, responses


def _aliases(folder: Path) -> dict[str, dict[str, Any]]:
    """The alias files of a domain by canonical name; empty when it has none."""
    from evalib.domains.records import AliasFile

    if not folder.is_dir():
        return {}
    files = [_checked(AliasFile, _read_json(p), str(p)) for p in sorted(folder.glob("*.json"))]
    return {file.name: file.model_dump() for file in files}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ScenarioError(f"{path} is missing: scenario data is not complete without it") from None
    except json.JSONDecodeError as exc:
        raise DataFormatError(f"{path}, line {exc.lineno}, column {exc.colno}: not JSON: {exc.msg}") from None
    except UnicodeDecodeError as exc:
        raise DataFormatError(f"{path}, byte {exc.start}: not UTF-8 text") from None
    except RecursionError:
        raise DataFormatError(f"{path}: nested too deep to be scenario data") from None
    except OSError as exc:
        raise ScenarioError(f"{path} cannot be read: {exc.strerror}") from None


def _checked(model: Any, data: Any, where: str) -> Any:
    """The data as a pydantic model or type adapter reads it, or one line on what is wrong."""
    from pydantic import ValidationError

    validate = getattr(model, "model_validate", None) or model.validate_python
    try:
        return validate(data)
    except ValidationError as exc:
        first, *rest = exc.errors()
        field = ".".join(str(part) for part in first["loc"]) or "the whole"
        more = f" (and {len(rest)} more)" if rest else ""
        raise DataFormatError(f"{where}: {field}: {first['msg']}{more}") from None
