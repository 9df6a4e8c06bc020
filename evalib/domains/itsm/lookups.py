"""Finding things in a service desk's database; what is not there is a `ToolFailure`.

Tables: ``employees``, ``assets``, ``tickets``, ``requests``, ``security_cases`` and others, each by
identifier; ``facilities`` with ``buildings``, ``zones``, ``desks``, ``parking`` and
``conference_rooms``. A table that a scenario has no use for may be missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date
from typing import Any

from evalib.domains.toolspec import ToolFailure

Record = dict[str, Any]
Run = Callable[[Record, Record, int], Record]


def behind(levels: tuple[str, ...], run: Run) -> Run:
    """The tool `run`, refused to a caller who has not passed every level of authentication."""

    def guarded(db: Record, args: Record, call_index: int) -> Record:
        session = db.get("session") or {}
        if missing := [level for level in levels if not session.get(level)]:
            raise ToolFailure("authentication_required", f"Missing: {', '.join(missing)}")
        return run(db, args, call_index)

    return guarded


def refusal(error_type: str, message: str, **facts: Any) -> Record:
    """An error response that carries facts of its own, or goes with a change of the database."""
    return {"status": "error", "error_type": error_type, "message": message} | facts


def today(db: Record) -> date:
    return date.fromisoformat(db["_current_date"])


def day_of(text: str, what: str) -> date:
    """A day that stands in the calendar, not only in the form of one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolFailure("invalid_date_format", f"{what} {text} is no day of the calendar") from None


def find(db: Record, table: str, key: str, thing: str) -> Record:
    found = (db.get(table) or {}).get(key)
    if not isinstance(found, dict):
        raise ToolFailure("not_found", f"{thing} {key} not found")
    return found


def employee_of(db: Record, employee_id: str) -> Record:
    return find(db, "employees", employee_id, "Employee")


def asset_of(db: Record, asset_tag: str) -> Record:
    return find(db, "assets", asset_tag, "Asset")


def assets_of(db: Record, employee_id: str) -> list[Record]:
    assets = db.get("assets") or {}
    return [a for a in assets.values() if a.get("assigned_employee_id") == employee_id]


def ticket_of(db: Record, ticket_number: str) -> Record:
    return find(db, "tickets", ticket_number, "Ticket")


def request_of(db: Record, request_id: str) -> Record:
    return find(db, "requests", request_id, "Request")


def facility(db: Record, kind: str) -> Record:
    """A table of the facilities: buildings, zones, desks, parking or conference_rooms."""
    return (db.get("facilities") or {}).get(kind) or {}


def cost_center_of(db: Record, employee_id: str) -> Record:
    return find(db, "cost_centers", employee_of(db, employee_id)["cost_center_code"], "Cost center")


def full_name(employee: Record) -> str:
    return f"{employee['first_name']} {employee['last_name']}"


def building_code(db: Record, code_or_name: str) -> str:
    return _code(facility(db, "buildings"), r"BLD[0-9]{1,2}", code_or_name, "building")


def zone_code(db: Record, code_or_name: str) -> str:
    return _code(facility(db, "zones"), r"PZ[A-Z]", code_or_name, "parking zone")


def _code(table: Record, pattern: str, code_or_name: str, thing: str) -> str:
    """A code is taken as it is, known or not; a name is looked up."""
    if re.fullmatch(pattern, code_or_name):
        return code_or_name
    found = named(table, code_or_name)
    if found is None:
        raise ToolFailure("name_not_found", f"No {thing} is called {code_or_name[:60]!r}")
    return found[0]


def named(table: Record, name: str) -> tuple[str, Record] | None:
    """The entry whose name, or another name of it, is `name` but for letter case and punctuation."""
    wanted = _plain(name)
    for key, entry in table.items():
        if isinstance(entry, dict) and wanted in map(_plain, _names(entry)):
            return key, entry
    return None


def _names(entry: Record) -> list[str]:
    names = [entry.get("name"), *(entry.get("name_aliases") or [])]
    return [name for name in names if isinstance(name, str)]


def _plain(name: str) -> str:
    """Lower case, without any punctuation or symbol of any script."""
    return "".join(c for c in name.lower() if unicodedata.category(c)[0] not in "PS")
