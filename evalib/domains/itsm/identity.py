"""Tools that establish who is calling, and the caller's record.

Three levels: an employee by identifier and phone, raised by a one-time code, and a manager by a code
of their own. What was reached is kept in the session.
"""

from __future__ import annotations

from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.lookups import Record, employee_of
from evalib.domains.toolspec import ToolFailure

_SHOWN = (
    "employee_id",
    "first_name",
    "last_name",
    "department_code",
    "role_code",
    "hire_date",
    "employment_status",
    "building_code",
    "floor_code",
    "manager_employee_id",
)


def verify_employee_auth(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    _must_match(employee, "phone_last_four", args["phone_last_four"])
    _identify(db, args["employee_id"])
    return _who(employee, "authenticated", f"Employee {args['employee_id']} authenticated")


def _must_match(employee: Record, field: str, given: str) -> None:
    if employee.get(field) is None or employee[field] != given:
        raise ToolFailure("authentication_failed", f"{field} does not match the record")


def _identify(db: Record, employee_id: str) -> Record:
    session = db.setdefault("session", {})
    session.update({policy.EMPLOYEE: True, "authenticated_employee_id": employee_id})
    return session


def _who(employee: Record, flag: str, message: str) -> Record:
    shown = {k: employee[k] for k in ("employee_id", "first_name", "last_name")}
    return {flag: True, **shown, "message": message}


def initiate_otp_auth(db: Record, args: dict[str, Any], call_index: int) -> Record:
    session = db.get("session") or {}
    if not (session.get(policy.EMPLOYEE) or session.get(policy.MANAGER)):
        raise ToolFailure("authentication_required", "Identify the employee before sending a code")
    phone = employee_of(db, args["employee_id"])["phone_last_four"]
    session.update(otp_employee_id=args["employee_id"], otp_issued=True)
    return {"phone_last_four": phone, "message": f"OTP sent to ***{phone}"}


def verify_otp_auth(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee_id, session = args["employee_id"], db.get("session") or {}
    if not session.get("otp_issued") or session.get("otp_employee_id") != employee_id:
        raise ToolFailure("otp_not_initiated", f"No code was sent to {employee_id}")
    _must_match(employee_of(db, employee_id), "otp_code", args["otp_code"])
    session[policy.OTP] = True
    del session["otp_employee_id"], session["otp_issued"]
    return {"authenticated": True, "employee_id": employee_id, "message": "OTP verified"}


def verify_manager_auth(db: Record, args: dict[str, Any], call_index: int) -> Record:
    manager = employee_of(db, args["employee_id"])
    _must_match(manager, "phone_last_four", args["phone_last_four"])
    if not manager.get("is_manager"):
        raise ToolFailure("not_a_manager", f"{args['employee_id']} is not a manager")
    _must_match(manager, "manager_auth_code", args["manager_auth_code"])
    _identify(db, args["employee_id"]).update(
        {policy.MANAGER: True, "manager_employee_id": args["employee_id"]}
    )
    return _who(manager, "confirmed", "Standard + manager auth confirmed") | {
        "department_code": manager["department_code"],
        "direct_reports": manager["direct_reports"],
    }


def get_employee_record(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    return {"employee": {k: employee.get(k) for k in _SHOWN}}
