"""Tools for meetings: free rooms, bookings, invitations."""

from __future__ import annotations

from typing import Any

from evalib.domains.itsm.ids import content_id
from evalib.domains.itsm.lookups import Record, building_code, day_of, employee_of, facility
from evalib.domains.toolspec import ToolFailure

_SHOWN_OF_REQUEST = 6  # an invitation is named after the end of its booking's identifier


def _check_time(args: dict[str, Any]) -> None:
    day_of(args["date"], "date")
    if args["start_time"] >= args["end_time"]:
        raise ToolFailure("invalid_parameter", "start_time must be before end_time")


def _is_free(room: Record, args: dict[str, Any]) -> bool:
    return not any(
        b["date"] == args["date"]
        and b["start_time"] < args["end_time"]
        and args["start_time"] < b["end_time"]
        for b in room.get("bookings") or []
    )


def check_room_availability(db: Record, args: dict[str, Any], call_index: int) -> Record:
    _check_time(args)
    building = building_code(db, args["building_code"])
    wanted = set(args["equipment_required"] or [])
    free = [
        {
            "room_code": code,
            "floor_code": room["floor_code"],
            "capacity": room["capacity"],
            "equipment": room["equipment"],
        }
        for code, room in facility(db, "conference_rooms").items()
        if room["building_code"] == building
        and args["floor_code"] in (None, room["floor_code"])
        and room["capacity"] >= args["min_capacity"]
        and wanted <= set(room["equipment"])
        and _is_free(room, args)
    ]
    return {"available_rooms": free, "message": f"{len(free)} room(s)"}


def _room(db: Record, code: str) -> Record:
    rooms = facility(db, "conference_rooms")
    if code not in rooms:
        raise ToolFailure("not_found", f"Room {code} not found")
    return rooms[code]


def submit_room_booking(db: Record, args: dict[str, Any], call_index: int) -> Record:
    _check_time(args)
    employee_of(db, args["employee_id"])
    code = args["room_code"]
    room = _room(db, code)
    if args["attendee_count"] > room["capacity"]:
        raise ToolFailure("capacity_exceeded", f"{code} holds {room['capacity']}")
    if not _is_free(room, args):
        raise ToolFailure("room_not_available", f"{code} is taken at that time")
    booking = {k: args[k] for k in ("date", "start_time", "end_time", "employee_id", "attendee_count")}
    booking_id = content_id("REQ-FAC-", {"booking_id": None, **booking})
    room.setdefault("bookings", []).append({"booking_id": booking_id, **booking})
    return {
        "request_id": booking_id,
        "room_code": code,
        "date": args["date"],
        "start_time": args["start_time"],
        "end_time": args["end_time"],
        "message": f"Booked {code}. ID: {booking_id}",
    }


def send_calendar_invite(db: Record, args: dict[str, Any], call_index: int) -> Record:
    _check_time(args)
    employee_of(db, args["employee_id"])
    booked = _room(db, args["room_code"]).get("bookings") or []
    if args["request_id"] not in [b.get("booking_id") for b in booked]:
        raise ToolFailure("not_found", f"{args['room_code']} has no booking {args['request_id']}")
    event_id = f"CAL-{args['request_id'][-_SHOWN_OF_REQUEST:]}"
    event = {"calendar_event_id": event_id, **args, "created_date": db["_current_date"]}
    db.setdefault("calendar_events", {})[event_id] = event
    return {
        "calendar_event_id": event_id,
        "room_code": args["room_code"],
        "date": args["date"],
        "message": f"Calendar invite sent. Event: {event_id}",
    }
