"""When are two databases the same, and where do they differ.

Task success is decided on the state a call leaves behind: the final database is normalised,
serialised canonically and hashed, and the hash is compared with that of the expected database
(paper section 3.2; rules of the published EVA-Bench implementation). Normalising takes out what
carries no meaning: the number type of whole numbers, spelled-out nulls, and the order of lists
that are sets. Everything else counts: key spelling, letter case, ids, seat counts, the date.

The session (who was authenticated) is not part of the hash. It has its own, weaker rule: what is
expected must be there, more may be.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Callable, Mapping
from typing import Any

# Lists under these keys are sets: they are compared without their order.
UNORDERED_LISTS = frozenset(
    {
        "standby_list",
        "notifications",
        "bookings",
        "system_accounts",
        "group_memberships",
        "asset_recoveries",
    }
)
_SPELLED_NULLS = ("none", "null")
_AS_IS = frozenset({int, bool, type(None)})
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)
_LEVELS = ("tables", "records", "fields")


def _normalise(value: Any, key: str = "") -> Any:
    # Written for speed: it runs on every value of every call's database.
    kind = type(value)
    if kind is str:
        return None if len(value) > 3 and value.strip().lower() in _SPELLED_NULLS else value
    if kind is dict:
        return {k: v if type(v) in _AS_IS else _normalise(v, k) for k, v in value.items()}
    if kind is list:
        items = [_normalise(item) for item in value]
        return sorted(items, key=_canonical) if key in UNORDERED_LISTS else items
    if kind is float and value.is_integer():
        return int(value)
    return value


def _canonical(value: Any) -> str:
    return _ENCODER.encode(value)


def state_hash(db: Mapping[str, Any]) -> str:
    """SHA-256 of a normalised database, as 64 hex digits.

    Parameters
    ----------
    db : mapping
        Tables by name, made of what JSON can hold. The table ``session`` is left out.

    Returns
    -------
    str
        Equal for two databases exactly when they hold the same state: ``25`` and ``25.0`` are
        one number, ``"None"`` and ``"null"`` (any case, blanks around) are null, and the order of
        the lists in :data:`UNORDERED_LISTS` does not count.
    """
    state = _normalise({name: table for name, table in db.items() if name != "session"})
    return hashlib.sha256(_canonical(state).encode()).hexdigest()


def state_diff(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> dict[str, Any]:
    """Where two databases differ, under the same normalisation as :func:`state_hash`.

    Parameters
    ----------
    expected, actual : mapping
        Tables by name. Unlike in the hash, ``session`` is compared as well.

    Returns
    -------
    dict
        Empty when nothing differs, else any of ``tables_added``, ``tables_removed`` (name ->
        table) and ``tables_modified``. A modified table holds ``records_added``,
        ``records_removed``, ``records_modified``, and a modified record ``fields_added``,
        ``fields_removed``, ``fields_modified``. What is modified but is not a mapping on both
        sides is ``{"expected": ..., "actual": ...}``. "Added" means: in `actual` alone.
    """
    return _diff(_normalise(dict(expected)), _normalise(dict(actual)), _differ)


def state_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool call changed, in the form of :func:`state_diff` but on values as they stand.

    ``expected`` is then what was there before, ``actual`` what is there now.
    """
    return _diff(dict(before), dict(after), operator.ne)


def _differ(a: Any, b: Any) -> bool:
    return a != b or _canonical(a) != _canonical(b)  # True == 1, but they are not the same state


def _diff(expected: Any, actual: Any, differ: Callable[[Any, Any], bool], level: int = 0) -> dict[str, Any]:
    if level == len(_LEVELS) or not (isinstance(expected, dict) and isinstance(actual, dict)):
        return {"expected": expected, "actual": actual}
    parts = {
        "added": {k: v for k, v in actual.items() if k not in expected},
        "removed": {k: v for k, v in expected.items() if k not in actual},
        "modified": {
            k: _diff(v, actual[k], differ, level + 1)
            for k, v in expected.items()
            if k in actual and differ(v, actual[k])
        },
    }
    return {f"{_LEVELS[level]}_{how}": part for how, part in parts.items() if part}


def session_satisfied(
    expected_session: Mapping[str, Any] | None, actual_session: Mapping[str, Any] | None
) -> bool:
    """Whether the caller was authenticated as the scenario demands.

    Every expected entry must be there with the same value, text without regard to letter case;
    further entries are allowed. Nothing expected is always satisfied.
    """
    actual = actual_session or {}
    return all(_same_entry(v, actual.get(k)) for k, v in (expected_session or {}).items())


def _same_entry(expected: Any, actual: Any) -> bool:
    if isinstance(expected, str) and isinstance(actual, str):
        return expected.lower() == actual.lower()
    return expected == actual
