"""Tools for a change of role and for leaving: permissions, reviews, removal, getting devices back."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.accounts import require_direct_report
from evalib.domains.itsm.ids import content_id
from evalib.domains.itsm.lookups import Record, assets_of, day_of, employee_of, find, today
from evalib.domains.toolspec import ToolFailure

_CASE = "CASE-ACCT-"
_SHOWN_OF_CASE = 6  # reviews and recoveries are named after the end of their case's identifier


def _approved_change(employee: Record, role: str) -> Record:
    """What HR approved; nothing else makes a change of role."""
    approval = employee.get("pending_role_approval") or {}
    if not approval.get("approved_by_hr") or approval.get("new_role_code") != role:
        raise ToolFailure("role_change_not_authorized", f"HR has approved no change to {role}")
    return approval


def check_role_change_authorized(db: Record, args: dict[str, Any], call_index: int) -> Record:
    approval = _approved_change(employee_of(db, args["employee_id"]), args["new_role_code"])
    return {
        "employee_id": args["employee_id"],
        "new_role_code": args["new_role_code"],
        "hr_case_id": approval["hr_case_id"],
        "effective_date": approval["effective_date"],
        "message": "Role change authorized by HR",
    }


def get_permission_templates(db: Record, args: dict[str, Any], call_index: int) -> Record:
    templates = db.get("permission_templates") or {}
    found = {k: t for k, t in templates.items() if t["role_code"] == args["role_code"]}
    if not found:
        raise ToolFailure("not_found", f"No permission template for {args['role_code']}")
    return {"role_code": args["role_code"], "templates": found}


def submit_permission_change(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee, role, day = employee_of(db, args["employee_id"]), args["new_role_code"], args["effective_date"]
    approval = _approved_change(employee, role)
    template = find(db, "permission_templates", args["permission_template_id"], "Template")
    if template["role_code"] != role:
        raise ToolFailure("template_role_mismatch", f"{template['template_id']} is not for {role}")
    if day_of(day, "effective_date") < today(db):
        raise ToolFailure("date_in_past", f"effective_date {day} has passed")
    if day != approval["effective_date"]:
        raise ToolFailure("effective_date_mismatch", f"HR approved {approval['effective_date']}")
    change = {
        "case_id": None,
        "new_role_code": role,
        "permission_template_id": args["permission_template_id"],
        "effective_date": day,
        "status": "pending",
    }
    change["case_id"] = case_id = content_id(_CASE, change)
    employee["pending_role_change"] = change
    return {
        "case_id": case_id,
        "employee_id": args["employee_id"],
        "effective_date": day,
        "message": f"Permission change submitted. Case: {case_id}",
    }


def schedule_access_review(db: Record, args: dict[str, Any], call_index: int) -> Record:
    change = employee_of(db, args["employee_id"]).get("pending_role_change") or {}
    if change.get("case_id") != args["case_id"]:
        raise ToolFailure("not_found", f"{args['employee_id']} has no role change {args['case_id']}")
    review = args["review_date"]
    due = date.fromisoformat(change["effective_date"]) + timedelta(days=policy.ACCESS_REVIEW_DAYS)
    if abs((day_of(review, "review_date") - due).days) > policy.ACCESS_REVIEW_TOLERANCE_DAYS:
        raise ToolFailure(
            "review_date_out_of_range",
            f"Due {due}, give or take {policy.ACCESS_REVIEW_TOLERANCE_DAYS} days",
        )
    review_id = f"ARVW-{args['case_id'][-_SHOWN_OF_CASE:]}"
    change.update(access_review_id=review_id, review_date=review)
    message = f"{policy.ACCESS_REVIEW_DAYS}-day review on {review}. ID: {review_id}"
    return {"review_id": review_id, "review_date": review, "message": message}


def _offboarding(employee: Record) -> Record:
    record = employee.get("offboarding_record") or {}
    if not record.get("status"):
        raise ToolFailure("not_found", f"{employee['employee_id']} has no offboarding record")
    return record


def get_offboarding_record(db: Record, args: dict[str, Any], call_index: int) -> Record:
    record = _offboarding(employee_of(db, args["employee_id"]))
    return {"employee_id": args["employee_id"], "offboarding": record}


def submit_access_removal(db: Record, args: dict[str, Any], call_index: int) -> Record:
    leaver_id, scope = args["departing_employee_id"], args["removal_scope"]
    manager, leaver = employee_of(db, args["manager_employee_id"]), employee_of(db, leaver_id)
    require_direct_report(manager, leaver_id)
    record = _offboarding(leaver)
    if record["status"] != "confirmed":
        raise ToolFailure("offboarding_not_confirmed", f"HR has not confirmed that {leaver_id} leaves")
    if record.get("access_removed"):
        raise ToolFailure("already_removed", f"Access was removed, case {record['removal_case_id']}")
    last_day = day_of(args["last_working_day"], "last_working_day")
    if args["last_working_day"] != record["last_working_day"]:
        raise ToolFailure("last_working_day_mismatch", f"HR has {record['last_working_day']}")
    record.update(access_removed=True, removal_scope=scope, removal_case_id=None)
    record["removal_case_id"] = case_id = content_id(_CASE, record)
    leaver.update(employment_status="terminated", system_accounts=[], group_memberships=[])
    if scope == "staged":
        until = last_day + timedelta(days=policy.EMAIL_PRESERVED_DAYS)
        leaver["email_preserved_until"] = until.isoformat()
    return {
        "case_id": case_id,
        "departing_employee_id": leaver_id,
        "removal_scope": scope,
        "message": f"Access removed. Case: {case_id}",
    }


def initiate_asset_recovery(db: Record, args: dict[str, Any], call_index: int) -> Record:
    leaver_id, case_id, method = args["departing_employee_id"], args["case_id"], args["recovery_method"]
    if _offboarding(employee_of(db, leaver_id)).get("removal_case_id") != case_id:
        raise ToolFailure("not_found", f"{leaver_id} has no access removal {case_id}")
    assets = assets_of(db, leaver_id)
    recovery_id = f"RECV-{case_id[-_SHOWN_OF_CASE:]}"
    db.setdefault("asset_recoveries", {})[recovery_id] = {
        "recovery_id": recovery_id,
        **args,
        "assets_to_recover": [a["asset_tag"] for a in assets],
        "created_date": db["_current_date"],
    }
    return {
        "recovery_id": recovery_id,
        "recovery_method": method,
        "assets_to_recover": [{k: a[k] for k in ("asset_tag", "asset_type", "model")} for a in assets],
        "message": f"Recovery {recovery_id}: {len(assets)} device(s) via {method}",
    }
