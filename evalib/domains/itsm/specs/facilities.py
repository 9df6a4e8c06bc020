"""Declarations: desks, parking, equipment, rooms."""

from __future__ import annotations

from evalib.domains.itsm.specs.parameters import (
    EMPLOYEE,
    building,
    choice,
    clock,
    day,
    floor,
    people,
    request,
    room,
    spec,
    text,
)
from evalib.domains.toolspec import Parameter

_DAY = day("date", "The day.", asked=True)
_START, _END = clock("start_time", "From when, HH:MM."), clock("end_time", "Until when, HH:MM.")

SPECS = (
    spec(
        "check_desk_availability",
        "read",
        "Free desks on a floor.",
        building("building_code", "Code or name of the building."),
        floor("floor_code", "The floor."),
    ),
    spec(
        "submit_desk_assignment",
        "write",
        "Give an employee a free desk.",
        EMPLOYEE,
        text("desk_code", "BLD[0-9]{1,2}-FL[0-9]{1,2}-D[0-9]{3}", "The desk."),
    ),
    spec(
        "check_parking_availability",
        "read",
        "Free parking spaces, of one zone or of all.",
        Parameter(
            "zone_code",
            "string",
            "Code or name of the zone.",
            required=False,
            error_type="invalid_zone_code",
            asked_of_caller=True,
        ),
    ),
    spec(
        "submit_parking_assignment",
        "write",
        "Give an employee a free parking space.",
        EMPLOYEE,
        text("parking_space_id", "PZ[A-Z]-[0-9]{3}", "The space."),
    ),
    spec(
        "submit_waitlist",
        "write",
        "Put an employee on the waiting list for a desk or a parking space.",
        EMPLOYEE,
        choice("resource_type", ("desk", "parking"), "What is waited for."),
        Parameter("zone_or_building", "string", "Code of the parking zone or of the building."),
    ),
    spec(
        "check_ergonomic_assessment",
        "read",
        "Whether an ergonomic assessment is on file.",
        EMPLOYEE,
    ),
    spec(
        "submit_equipment_request",
        "write",
        "Order ergonomic equipment.",
        EMPLOYEE,
        choice(
            "equipment_type",
            (
                "standing_desk_converter",
                "ergonomic_chair",
                "ergonomic_keyboard",
                "monitor_arm",
                "footrest",
            ),
            "What is ordered.",
            asked=True,
        ),
        building("delivery_building", "Where it goes: code or name of the building."),
        floor("delivery_floor", "The floor it goes to."),
    ),
    spec(
        "check_room_availability",
        "read",
        "Rooms of a building that are free, large enough and have the equipment.",
        building("building_code", "Code or name of the building."),
        _DAY,
        _START,
        _END,
        people("min_capacity", "Seats needed.", asked=True),
        floor("floor_code", "One floor; without it, all.", required=False),
        Parameter(
            "equipment_required",
            "array",
            "Equipment the room must have.",
            required=False,
            asked_of_caller=True,
        ),
    ),
    spec(
        "submit_room_booking",
        "write",
        "Book a room.",
        EMPLOYEE,
        room(),
        _DAY,
        _START,
        _END,
        people("attendee_count", "How many come."),
    ),
    spec(
        "send_calendar_invite",
        "write",
        "Send the invitation for a booked room.",
        request("The booking."),
        EMPLOYEE,
        room(),
        _DAY,
        _START,
        _END,
    ),
)
