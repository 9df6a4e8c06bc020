"""Tools for a place to work: desks, parking, waiting lists, ergonomic equipment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.ids import content_id, store
from evalib.domains.itsm.lookups import Record, building_code, employee_of, facility, today, zone_code
from evalib.domains.toolspec import ToolFailure


def check_desk_availability(db: Record, args: dict[str, Any], call_index: int) -> Record:
    building = building_code(db, args["building_code"])
    free = [
        {"desk_code": code, "zone": desk.get("zone"), "near_window": desk.get("near_window")}
        for code, desk in facility(db, "desks").items()
        if desk["status"] == "available"
        and (desk["building_code"], desk["floor_code"]) == (building, args["floor_code"])
    ]
    return {
        "building_code": building,
        "available_desks": free,
        "message": f"{len(free)} desk(s)",
    }


def check_parking_availability(db: Record, args: dict[str, Any], call_index: int) -> Record:
    zone = args["zone_code"] and zone_code(db, args["zone_code"])
    free = [
        {
            "parking_space_id": code,
            "zone_code": space["zone_code"],
            "level": space.get("level"),
            "covered": space.get("covered"),
        }
        for code, space in facility(db, "parking").items()
        if space["status"] == "available" and zone in (None, space["zone_code"])
    ]
    return {"zone_code": zone, "available_spaces": free, "message": f"{len(free)} space(s)"}


@dataclass(frozen=True)
class _Place:
    """What an employee is given one of at a time, and not again before the cool-down is over."""

    table: str
    argument: str
    held: str
    last: str
    cooldown_days: int


_DESK = _Place("desks", "desk_code", "assigned_desk", "last_desk_assignment_date", policy.DESK_COOLDOWN_DAYS)
_PARKING = _Place(
    "parking",
    "parking_space_id",
    "assigned_parking",
    "last_parking_assignment_date",
    policy.PARKING_COOLDOWN_DAYS,
)


def submit_desk_assignment(db: Record, args: dict[str, Any], call_index: int) -> Record:
    return _assign(db, args, _DESK)


def submit_parking_assignment(db: Record, args: dict[str, Any], call_index: int) -> Record:
    return _assign(db, args, _PARKING)


def _assign(db: Record, args: dict[str, Any], kind: _Place) -> Record:
    employee, code = employee_of(db, args["employee_id"]), args[kind.argument]
    place = facility(db, kind.table).get(code)
    if place is None:
        raise ToolFailure("not_found", f"{code} not found")
    if employee.get(kind.held):
        raise ToolFailure("already_assigned", f"{args['employee_id']} has {employee[kind.held]}")
    last = employee.get(kind.last)
    if last and (today(db) - date.fromisoformat(last)).days < kind.cooldown_days:
        raise ToolFailure(
            "cooldown_active", f"Last assigned on {last}; the next is due {kind.cooldown_days} days later"
        )
    if place["status"] != "available":
        raise ToolFailure("not_available", f"{code} is not available")
    place.update(status="assigned", assigned_employee_id=args["employee_id"])
    employee.update({kind.held: code, kind.last: db["_current_date"]})
    request = {"request_id": None, **args, "created_date": db["_current_date"]}
    return {
        "request_id": content_id("REQ-FAC-", request),
        kind.argument: code,
        "message": f"Assigned {code}",
    }


def submit_waitlist(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """Join a waiting list. What is waited for is kept in the words given."""
    employee_of(db, args["employee_id"])
    kind = args["resource_type"]
    waiting = db.setdefault("waitlists", {}).setdefault(kind, [])
    position = len(waiting) + 1
    waitlist_id = f"WL-{kind[:3].upper()}-{position:04d}"
    waiting.append(
        {
            "waitlist_id": waitlist_id,
            **args,
            "position": position,
            "added_date": db["_current_date"],
        }
    )
    return {
        "waitlist_id": waitlist_id,
        "resource_type": kind,
        "position": position,
        "zone_or_building": args["zone_or_building"],
        "message": f"Placed on {kind} waitlist at position {position}",
    }


def check_ergonomic_assessment(db: Record, args: dict[str, Any], call_index: int) -> Record:
    assessment = employee_of(db, args["employee_id"]).get("ergonomic_assessment") or {}
    if assessment.get("status") != "completed":
        raise ToolFailure("assessment_required", f"{args['employee_id']} has no assessment on file")
    return {
        "employee_id": args["employee_id"],
        "assessment_date": assessment.get("completed_date"),
        "message": "Assessment on file",
    }


def submit_equipment_request(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee_of(db, args["employee_id"])
    building = building_code(db, args["delivery_building"])
    record = args | {
        "delivery_building": building,
        "status": "submitted",
        "created_date": db["_current_date"],
    }
    request_id = store(db, "requests", "REQ-FAC-", "request_id", record)
    return {
        "request_id": request_id,
        "equipment_type": args["equipment_type"],
        "delivery_building": building,
        "message": f"Equipment request: {request_id}",
    }
