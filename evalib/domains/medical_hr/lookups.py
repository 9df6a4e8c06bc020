"""Finding things in a hospital's HR database; what is not there is a `ToolFailure`.

Tables: ``employees`` by employee id, ``providers`` by NPI (a provider is an employee as well),
``shifts`` by shift id, ``notifications`` (a list), ``appointment_availability`` by kind, department
and day. A provider's licences, malpractice cover, DEA registration and privileges are part of the
provider; an employee's checklist, I-9 and visa record, leave and balances are part of the employee.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from evalib.domains.medical_hr.policy import Steps
from evalib.domains.toolspec import ToolFailure

Record = dict[str, Any]
Run = Callable[[Record, Record, int], Record]


def behind(steps: Steps, run: Run) -> Run:
    """The tool `run`, refused to a caller who has not passed every step of authentication."""
    if not steps:
        return run

    def guarded(db: Record, args: Record, call_index: int) -> Record:
        session = db.get("session") or {}
        missing = [step for step in steps if not any(session.get(flag) for flag in step)]
        if missing:
            wanted = ", ".join(" or ".join(step) for step in missing)
            raise ToolFailure("authentication_required", f"Missing: {wanted}")
        return run(db, args, call_index)

    return guarded


def refusal(error_type: str, message: str, **facts: Any) -> Record:
    """An error response that carries facts of its own."""
    return {"status": "error", "error_type": error_type, "message": message} | facts


def today(db: Record) -> date:
    return date.fromisoformat(db["_current_date"])


def case_id(kind: str, person: Record) -> str:
    """The id of a case: its kind and the last six characters of whose it is."""
    return f"CASE-{kind}-{(person.get('employee_id') or person['npi'])[-6:]}"


def _find(db: Record, table: str, key: str, error_type: str, thing: str) -> Record:
    found = (db.get(table) or {}).get(key)
    if not isinstance(found, dict):
        raise ToolFailure(error_type, f"{thing} {key} not found")
    return found


def employee_of(db: Record, employee_id: str) -> Record:
    return _find(db, "employees", employee_id, "employee_not_found", "Employee")


def provider_of(db: Record, npi: str) -> Record:
    return _find(db, "providers", npi, "provider_not_found", "Provider NPI")


def person_of(db: Record, employee_id: str) -> Record:
    """An employee; where only the provider of that employee id is on file, the provider."""
    if employee_id not in (db.get("employees") or {}):
        for provider in (db.get("providers") or {}).values():
            if provider.get("employee_id") == employee_id:
                return provider
    return employee_of(db, employee_id)


def shift_of(db: Record, employee_id: str, shift_id: str) -> Record:
    """A shift of this employee; another's shift is not found."""
    employee_of(db, employee_id)
    shift = (db.get("shifts") or {}).get(shift_id)
    if not isinstance(shift, dict) or shift.get("employee_id") != employee_id:
        raise ToolFailure("shift_not_found", f"Shift {shift_id} not found for {employee_id}")
    return shift


def required_certifications(db: Record, unit_code: str) -> list[str]:
    units = db.get("unit_cert_requirements") or {}
    if unit_code not in units:
        raise ToolFailure("unit_not_found", f"Unit {unit_code} not found")
    return sorted(units[unit_code])


def missing_certifications(db: Record, employee: Record, unit_code: str) -> list[str]:
    held = employee.get("certifications") or []
    return [code for code in required_certifications(db, unit_code) if code not in held]


def in_order(first: str, last: str, what: str) -> None:
    """Two dates in the ISO form, the second not before the first."""
    if last < first:
        raise ToolFailure("invalid_parameter", f"the {what} ends on {last}, before it starts on {first}")
