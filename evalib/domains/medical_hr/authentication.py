"""Tools that identify the caller: as an employee, as a provider, and by a one-time code.

A code is sent to whoever has an employee id, before or after they are identified. Issuing it stays
on record in the session once it has been used, as in the published tools.
"""

from __future__ import annotations

from evalib.domains.medical_hr.lookups import Record, employee_of, person_of, provider_of
from evalib.domains.toolspec import ToolFailure


def verify_employee_auth(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    _match(employee, args, "date_of_birth")
    employee_id = args["employee_id"]
    _remember(db, employee_auth=True, authenticated_employee_id=employee_id)
    return {
        "authenticated": True,
        "employee_id": employee_id,
        "first_name": employee["first_name"],
        "last_name": employee["last_name"],
        "message": f"Employee {employee_id} authenticated successfully",
    }


def verify_provider_auth(db: Record, args: Record, call_index: int) -> Record:
    provider, npi = provider_of(db, args["npi"]), args["npi"]
    _match(provider, args, "facility_code", "pin")
    employee_id = provider["employee_id"]
    _remember(db, provider_auth=True, authenticated_npi=npi, authenticated_employee_id=employee_id)
    return {
        "authenticated": True,
        "npi": npi,
        "first_name": provider["first_name"],
        "last_name": provider["last_name"],
        "employee_id": employee_id,
        "message": f"Provider NPI {npi} authenticated successfully",
    }


def initiate_otp_auth(db: Record, args: Record, call_index: int) -> Record:
    digits = person_of(db, args["employee_id"])["phone_last_four"]
    _remember(db, otp_employee_id=args["employee_id"], otp_issued=True)
    message = f"OTP sent to number ending in {digits}. Ask the caller to read the code."
    return {"phone_last_four": digits, "message": message}


def verify_otp_auth(db: Record, args: Record, call_index: int) -> Record:
    employee_id, session = args["employee_id"], db.get("session") or {}
    person = person_of(db, employee_id)
    if not session.get("otp_issued") or session.get("otp_employee_id") != employee_id:
        raise ToolFailure("otp_not_issued", f"No one-time code has been sent to {employee_id}")
    _match(person, args, "otp_code")
    _remember(db, otp_auth=True, authenticated_employee_id=employee_id)
    return {
        "authenticated": True,
        "employee_id": employee_id,
        "first_name": person["first_name"],
        "message": f"OTP verified. Employee {employee_id} authenticated successfully.",
    }


def _match(person: Record, args: Record, *fields: str) -> None:
    """Refuse without saying which field is wrong."""
    if any(person.get(field) != args[field] for field in fields):
        named = " or ".join(field.replace("_", " ") for field in fields)
        raise ToolFailure("authentication_failed", f"The {named} does not match our records")


def _remember(db: Record, **flags: object) -> None:
    db["session"] = (db.get("session") or {}) | flags
