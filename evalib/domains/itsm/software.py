"""Tools for applications and licences. Only what stands in the two parts of the catalogue is found."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.ids import store
from evalib.domains.itsm.lookups import Record, cost_center_of, employee_of, named, today
from evalib.domains.toolspec import ToolFailure


def _catalogue(db: Record, part: str) -> Record:
    return (db.get("software_catalog") or {}).get(part) or {}


def _by_name(db: Record, part: str, name: str) -> Record:
    found = named(_catalogue(db, part), name)
    if found is None:
        raise ToolFailure("not_found", f"{name[:60]!r} is not among the {part}")
    return found[1]


def _by_id(db: Record, part: str, catalog_id: str) -> Record:
    if catalog_id not in _catalogue(db, part):
        raise ToolFailure("not_found", f"{catalog_id} is not among the {part}")
    return _catalogue(db, part)[catalog_id]


def _shown(item: Record) -> Record:
    return {k: v for k, v in item.items() if k != "name_aliases"}


def get_application_details(db: Record, args: dict[str, Any], call_index: int) -> Record:
    item = _by_name(db, "applications", args["application_name"])
    return {"catalog_id": item["catalog_id"], "application": _shown(item)}


def submit_access_request(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    item, level = _by_id(db, "applications", args["catalog_id"]), args["access_level"]
    if level not in item["available_access_levels"]:
        offered = ", ".join(item["available_access_levels"])
        raise ToolFailure("access_level_not_available", f"{item['name']} offers: {offered}")
    departments = item.get("department_restrictions") or []
    if departments and employee["department_code"] not in departments:
        raise ToolFailure("department_restricted", f"{item['name']} is for {', '.join(departments)} only")
    approval = item["requires_manager_approval"]
    request_id = store(
        db,
        "requests",
        "REQ-SW-",
        "request_id",
        args
        | {
            "application_name": item["name"],
            "status": "pending_approval" if approval else "approved",
            "requires_manager_approval": approval,
            "created_date": db["_current_date"],
        },
    )
    return {
        "request_id": request_id,
        "application_name": item["name"],
        "access_level": level,
        "requires_approval": approval,
        "message": f"{request_id} ({'pending approval' if approval else 'auto-approved'})",
    }


def get_license_catalog_item(db: Record, args: dict[str, Any], call_index: int) -> Record:
    item = _by_name(db, "licenses", args["license_name"])
    return {"catalog_id": item["catalog_id"], "license": _shown(item)}


def submit_license_request(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """With a duration a temporary licence, without one a permanent one."""
    employee_of(db, args["employee_id"])
    days = args["duration_days"]
    kind = "permanent" if days is None else "temporary"
    item = _by_id(db, "licenses", args["catalog_id"])
    if kind not in item["license_types_supported"]:
        raise ToolFailure("license_type_not_supported", f"{item['name']} has no {kind} licence")
    term: Record = {}
    if days is not None:
        expires = (today(db) + timedelta(days=days)).isoformat()
        term = {"duration_days": days, "expiration_date": expires}
    record = {
        "employee_id": args["employee_id"],
        "catalog_id": args["catalog_id"],
        "status": "submitted",
        "created_date": db["_current_date"],
        "request_type": "temporary_license" if term else "license_request",
        **term,
    }
    request_id = store(db, "requests", "REQ-SW-", "request_id", record)
    message = (
        f"Temp license: {request_id}. Expires {term['expiration_date']}."
        if term
        else f"License request: {request_id}"
    )
    return {
        "request_id": request_id,
        "catalog_id": args["catalog_id"],
        "license_type": kind,
        **term,
        "message": message,
    }


def validate_cost_center(db: Record, args: dict[str, Any], call_index: int) -> Record:
    center = cost_center_of(db, args["employee_id"])
    code = center["cost_center_code"]
    return {
        "cost_center_code": code,
        "department_code": center["department_code"],
        "validated": True,
        "message": f"Cost center {code} validated",
    }


def get_employee_licenses(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    return {
        "employee_id": args["employee_id"],
        "licenses": employee.get("software_licenses") or [],
    }


def submit_license_renewal(db: Record, args: dict[str, Any], call_index: int) -> Record:
    licenses = employee_of(db, args["employee_id"]).get("software_licenses") or []
    wanted = args["license_assignment_id"]
    held = next((held for held in licenses if held["license_assignment_id"] == wanted), None)
    if held is None:
        raise ToolFailure("not_found", f"{args['employee_id']} does not hold {wanted}")
    if not held["expiration_date"]:
        raise ToolFailure("not_renewable", f"{wanted} does not expire")
    expires, now = date.fromisoformat(held["expiration_date"]), today(db)
    if not policy.renewable(expires, now):
        raise ToolFailure(
            "outside_renewal_window",
            f"Expires {expires}: renewal from {policy.RENEWAL_DAYS_BEFORE} days before "
            f"to {policy.RENEWAL_DAYS_AFTER} days after",
        )
    until = (max(expires, now) + timedelta(days=policy.RENEWAL_TERM_DAYS)).isoformat()
    held.update(expiration_date=until, status="active")
    record = args | {
        "request_type": "license_renewal",
        "new_expiration_date": until,
        "status": "submitted",
        "created_date": db["_current_date"],
    }
    request_id = store(db, "requests", "REQ-SW-", "request_id", record)
    return {
        "request_id": request_id,
        "new_expiration_date": until,
        "message": f"Renewed. Expires {until}. ID: {request_id}",
    }
