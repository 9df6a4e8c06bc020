"""Tools for devices: what an employee has, what they are due, ordering, returning, the budget.

Ordering does not check age or budget: the agent is to check both before, and an order it should not
have placed shows in the final state.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.ids import store
from evalib.domains.itsm.lookups import (
    Record,
    asset_of,
    assets_of,
    building_code,
    cost_center_of,
    employee_of,
    refusal,
    request_of,
    today,
)
from evalib.domains.toolspec import ToolFailure

_DEVICE = {"laptop_replacement": "Laptop", "monitor_bundle": "Monitor"}
_SHOWN_OF_ASSET = 6  # a return is named after the end of the asset's tag


def get_asset_record(db: Record, args: dict[str, Any], call_index: int) -> Record:
    return {"asset": asset_of(db, args["asset_tag"])}


def get_employee_assets(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee_of(db, args["employee_id"])
    assets = assets_of(db, args["employee_id"])
    return {
        "employee_id": args["employee_id"],
        "assets": assets,
        "message": f"{len(assets)} asset(s)",
    }


def check_hardware_entitlement(db: Record, args: dict[str, Any], call_index: int) -> Record:
    kind = args["request_type"]
    entitlement = _entitlement(employee_of(db, args["employee_id"]), kind)
    if entitlement.get("pending_request"):
        raise ToolFailure("request_pending", f"{entitlement.get('pending_request_id')} is still open")
    tag = entitlement.get("current_asset_tag")
    asset = (db.get("assets") or {}).get(tag)
    age = policy.age_months(date.fromisoformat(asset["purchase_date"]), today(db)) if asset else None
    least = policy.MIN_AGE_MONTHS[kind]
    if age is not None and age < least:
        raise ToolFailure(
            "device_too_new",
            f"{_DEVICE[kind]} is {age} months old; minimum {least} months for standard replacement. "
            "File a security incident if lost/stolen/damaged.",
        )
    return {
        "eligible": True,
        "employee_id": args["employee_id"],
        "request_type": kind,
        "current_asset_tag": tag,
        "device_age_months": age,
        "current_asset": {k: asset[k] for k in ("asset_tag", "os", "size", "model")} if asset else None,
        "message": "Eligible",
    }


def _entitlement(employee: Record, kind: str) -> Record:
    return (employee.get("hardware_entitlements") or {}).get(kind) or {}


def submit_hardware_request(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    order = _complete(args) | {
        "delivery_building": building_code(db, args["delivery_building"]),
        "status": "submitted",
        "created_date": db["_current_date"],
    }
    request_id = store(db, "requests", "REQ-HW-", "request_id", order)
    due = employee.setdefault("hardware_entitlements", {}).setdefault(args["request_type"], {})
    due.update(pending_request=True, pending_request_id=request_id)
    asset = (db.get("assets") or {}).get(order["current_asset_tag"])
    if asset and args["justification"] == "lost_or_stolen":
        asset.update(lifecycle_status="lost_or_stolen", status="inactive")
    return {
        "request_id": request_id,
        "request_type": args["request_type"],
        "message": f"Submitted: {request_id}",
    }


def _complete(args: dict[str, Any]) -> dict[str, Any]:
    """The order with what its kind has no use for taken out; what its kind needs must be there."""
    reason = args["justification"]
    if args["request_type"] == "laptop_replacement":
        order = args | {"monitor_size": None}
        needed = ["laptop_os", "laptop_size", *(["current_asset_tag"] if reason != "lost_or_stolen" else [])]
    else:
        order = args | ({"current_asset_tag": None} if reason == "new_setup" else {})
        needed = ["monitor_size", *(["current_asset_tag"] if reason == "replacement" else [])]
    if missing := [name for name in needed if order[name] is None]:
        raise ToolFailure(
            "invalid_parameter", f"{args['request_type']}, {reason}: {', '.join(missing)} missing"
        )
    return order


def initiate_asset_return(db: Record, args: dict[str, Any], call_index: int) -> Record:
    asset = asset_of(db, args["asset_tag"])
    request_of(db, args["request_id"])
    if asset.get("assigned_employee_id") != args["employee_id"]:
        raise ToolFailure("not_assigned", f"{args['asset_tag']} is not with {args['employee_id']}")
    return_id = f"RMA-{args['asset_tag'][-_SHOWN_OF_ASSET:]}"
    deadline = (today(db) + timedelta(days=policy.RETURN_DAYS)).isoformat()
    asset["return_authorization"] = {
        "return_auth_id": return_id,
        "request_id": args["request_id"],
        "return_deadline": deadline,
        "status": "pending_return",
    }
    return {
        "return_auth_id": return_id,
        "asset_tag": args["asset_tag"],
        "return_deadline": deadline,
        "message": f"RMA {return_id}: return by {deadline}",
    }


def verify_cost_center_budget(db: Record, args: dict[str, Any], call_index: int) -> Record:
    center = cost_center_of(db, args["employee_id"])
    code, left = center["cost_center_code"], center["remaining_budget_usd"]
    if not center["has_budget"]:
        return refusal(
            "insufficient_budget",
            f"Cost center {code} has insufficient budget",
            cost_center_code=code,
            remaining_budget_usd=left,
        )
    return {
        "cost_center_code": code,
        "department_code": center["department_code"],
        "has_budget": True,
        "remaining_budget_usd": left,
        "message": "Budget verified",
    }
