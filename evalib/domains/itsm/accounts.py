"""Tools for new accounts and groups."""

from __future__ import annotations

from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.ids import content_id, store
from evalib.domains.itsm.lookups import Record, day_of, employee_of, find
from evalib.domains.toolspec import ToolFailure

_CASE = "CASE-ACCT-"


def lookup_new_hire(db: Record, args: dict[str, Any], call_index: int) -> Record:
    hire = employee_of(db, args["new_hire_employee_id"])
    if hire.get("start_date") is None:
        raise ToolFailure("not_a_new_hire", f"{args['new_hire_employee_id']} has no start date on file")
    shown = ("employee_id", "first_name", "last_name", "department_code", "role_code", "start_date")
    return {"employee": {k: hire[k] for k in shown}}


def _refuse_active_accounts(employee: Record) -> None:
    active = [a for a in employee.get("system_accounts") or [] if a["status"] == "active"]
    if active:
        raise ToolFailure("accounts_already_exist", f"{len(active)} active account(s)")


def check_existing_accounts(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    _refuse_active_accounts(employee)
    return {
        "employee_id": args["employee_id"],
        "existing_accounts": employee.get("system_accounts") or [],
        "message": "Ready to provision",
    }


def provision_new_account(db: Record, args: dict[str, Any], call_index: int) -> Record:
    hire_id, groups = args["new_hire_employee_id"], args["access_groups"]
    day_of(args["start_date"], "start_date")
    manager, hire = employee_of(db, args["manager_employee_id"]), employee_of(db, hire_id)
    require_direct_report(manager, hire_id)
    _refuse_active_accounts(hire)
    for group in groups:
        _refuse_ineligible(_group(db, group), args["department_code"], args["role_code"])
    account = {
        "case_id": None,
        "status": "active",
        "provisioned_date": db["_current_date"],
        "access_groups": groups,
    }
    account["case_id"] = case_id = content_id(_CASE, account)
    email = _free_email(db, hire)
    hire.update(email=email, system_accounts=[account], employment_status="active")
    return {
        "case_id": case_id,
        "new_hire_employee_id": hire_id,
        "email": email,
        "access_groups": groups,
        "message": f"Provisioned. Case: {case_id}. Email: {email}",
    }


def require_direct_report(manager: Record, employee_id: str) -> None:
    if employee_id not in (manager.get("direct_reports") or []):
        raise ToolFailure("not_direct_report", f"{employee_id} does not report to {manager['employee_id']}")


def _free_email(db: Record, employee: Record) -> str:
    """first.last, with the first number from 2 on that makes it nobody else's."""
    taken = {e.get("email") for e in db["employees"].values() if e is not employee}
    name = f"{employee['first_name']}.{employee['last_name']}".lower()
    number = 1
    while (email := f"{name}{number if number > 1 else ''}@{policy.EMAIL_DOMAIN}") in taken:
        number += 1
    return email


def _group(db: Record, code: str) -> Record:
    return find(db, "access_groups", code, "Group")


def _refuse_ineligible(group: Record, department: str, role: str) -> None:
    """A group that lists no departments, or no roles, is open to all of them."""
    for kind, value in (("departments", department), ("roles", role)):
        allowed = group.get(f"eligible_{kind}") or []
        if allowed and value not in allowed:
            raise ToolFailure("not_eligible", f"{group['group_code']}: for {', '.join(allowed)}, not {value}")


def get_group_memberships(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    return {
        "employee_id": args["employee_id"],
        "memberships": employee.get("group_memberships") or [],
    }


def get_group_details(db: Record, args: dict[str, Any], call_index: int) -> Record:
    return {"group": _group(db, args["group_code"])}


def submit_group_membership_change(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee, group = employee_of(db, args["employee_id"]), _group(db, args["group_code"])
    is_member = args["group_code"] in [m["group_code"] for m in employee.get("group_memberships") or []]
    if args["action"] == "remove":
        return _leave(db, args, employee, is_member)
    if is_member:
        raise ToolFailure("already_member", f"{args['employee_id']} is in {args['group_code']}")
    _refuse_ineligible(group, employee["department_code"], employee["role_code"])
    memberships = employee.setdefault("group_memberships", [])
    if group.get("requires_approval"):
        return _apply(db, args, memberships, group)
    membership = {
        "group_code": args["group_code"],
        "group_name": group["name"],
        "status": "active",
        "added_date": db["_current_date"],
    }
    memberships.append(membership)
    case_id = content_id(_CASE, {"case_id": None, **membership})
    return _changed(args, case_id, f"Added. Case: {case_id}")


def _leave(db: Record, args: dict[str, Any], employee: Record, is_member: bool) -> Record:
    if not is_member:
        raise ToolFailure("not_member", f"{args['employee_id']} is not in {args['group_code']}")
    code = args["group_code"]
    employee["group_memberships"] = [m for m in employee["group_memberships"] if m["group_code"] != code]
    case_id = content_id(_CASE, {"case_id": None, **args, "removed_date": db["_current_date"]})
    return _changed(args, case_id, f"Removed. Case: {case_id}")


def _apply(db: Record, args: dict[str, Any], memberships: list[Record], group: Record) -> Record:
    """Join a group that somebody has to approve: a pending membership and a request for it."""
    today = db["_current_date"]
    membership = {
        "group_code": args["group_code"],
        "group_name": group["name"],
        "status": "pending_approval",
        "case_id": None,
        "request_id": None,
        "requested_date": today,
    }
    membership["case_id"] = case_id = content_id(_CASE, membership)
    record = args | {
        "case_id": case_id,
        "status": "pending_approval",
        "requires_manager_approval": True,
        "created_date": today,
    }
    membership["request_id"] = request_id = store(db, "requests", "REQ-ACCT-", "request_id", record)
    memberships.append(membership)
    message = f"Pending approval. Case: {case_id}. Request: {request_id}"
    return _changed(args, case_id, message) | {"request_id": request_id, "requires_approval": True}


def _changed(args: dict[str, Any], case_id: str, message: str) -> Record:
    return {
        "case_id": case_id,
        "action": args["action"],
        "group_code": args["group_code"],
        "message": message,
    }
