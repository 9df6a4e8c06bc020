"""Tools for what goes with a flight: seat, bags, meal, and the hand-over to a live agent."""

from __future__ import annotations

from typing import Any

from evalib.domains.airline.lookups import (
    Record,
    booking_of,
    journey_of,
    passenger_of,
    reservation_of,
    segment_of,
)
from evalib.domains.toolspec import ToolFailure

# The seat map is a formula: the cabin gives the row to count from, the passenger's number the row,
# the kind of seat the letter.
FIRST_ROW = {
    "basic_economy": 25,
    "main_cabin": 20,
    "premium_economy": 10,
    "business": 5,
    "first": 1,
}
SEAT_LETTER = {"window": "A", "middle": "B", "aisle": "C", "no_preference": "C"}


def assign_seat(db: Record, args: dict[str, Any], call_index: int) -> Record:
    reservation = reservation_of(db, args["confirmation_number"])
    passenger = passenger_of(reservation, args["passenger_id"])
    booking = booking_of(reservation, args["journey_id"])
    segment = segment_of(booking["segments"], args["flight_number"])
    flight_number, fare_class = segment["flight_number"], booking["fare_class"]
    flight = segment_of(journey_of(db, booking["journey_id"])["segments"], flight_number)
    preference = args["seat_preference"]
    if (flight["available_seats"].get(fare_class) or 0) <= 0:
        raise ToolFailure("no_seats_available", f"No {fare_class} seats left on {flight_number}")
    kinds = flight["available_seat_types"].get(fare_class) or []
    if preference not in kinds and preference != "no_preference":
        raise ToolFailure(
            "seat_type_unavailable",
            f"No {preference} seats available on this flight. Available types: {', '.join(kinds) or 'none'}",
        )
    row = FIRST_ROW[fare_class] + int(passenger["passenger_id"].removeprefix("PAX")[-3:])
    segment["seat"] = f"{row}{SEAT_LETTER[preference]}"
    return {
        "confirmation_number": reservation["confirmation_number"],
        "passenger_id": passenger["passenger_id"],
        "journey_id": booking["journey_id"],
        "flight_number": flight_number,
        "seat_assigned": segment["seat"],
        "fare_class": fare_class,
        "preference": preference,
        "message": f"Seat {segment['seat']} ({preference}) successfully assigned",
    }


def _segments(booking: Record, flight_number: str | None) -> list[Record]:
    """The segment named, or all of them."""
    if flight_number is None:
        return booking["segments"]
    return [segment_of(booking["segments"], flight_number)]


def add_baggage_allowance(db: Record, args: dict[str, Any], call_index: int) -> Record:
    reservation = reservation_of(db, args["confirmation_number"])
    booking = booking_of(reservation, args["journey_id"])
    bags = args["num_bags"]
    for segment in _segments(booking, args["flight_number"]):
        segment["bags_checked"] = bags
    return {
        "confirmation_number": reservation["confirmation_number"],
        "journey_id": booking["journey_id"],
        "bags_checked": bags,
        "message": f"Baggage allowance set to {bags} checked bag(s)",
    }


def add_meal_request(db: Record, args: dict[str, Any], call_index: int) -> Record:
    reservation = reservation_of(db, args["confirmation_number"])
    passenger = passenger_of(reservation, args["passenger_id"])
    booking = booking_of(reservation, args["journey_id"])
    meal = args["meal_type"]
    for segment in _segments(booking, args["flight_number"]):
        segment["meal_request"] = meal
    return {
        "confirmation_number": reservation["confirmation_number"],
        "passenger_id": passenger["passenger_id"],
        "journey_id": booking["journey_id"],
        "meal_type": meal,
        "message": f"{meal} meal request added",
    }


def transfer_to_agent(db: Record, args: dict[str, Any], call_index: int) -> Record:
    code = reservation_of(db, args["confirmation_number"])["confirmation_number"]
    return {
        "transfer_id": f"TRF-{code}-{call_index:03d}",
        "confirmation_number": code,
        "transfer_reason": args["transfer_reason"],
        "issue_summary": args["issue_summary"],
        "estimated_wait": "2-3 minutes",
        "message": "Transferring to live agent",
    }
