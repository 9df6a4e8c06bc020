"""Finding things in an airline database; what is not there is a `ToolFailure`.

Tables: ``reservations`` by confirmation number, each with ``passengers`` and ``bookings``; a booking
is one journey of the trip at one fare. ``journeys`` by id, each with one segment per flight.
``disruptions`` by ``<flight>_<date>``.
"""

from __future__ import annotations

from typing import Any

from evalib.domains.toolspec import ToolFailure

Record = dict[str, Any]


def reservation_of(db: Record, confirmation_number: str) -> Record:
    code = confirmation_number.upper()
    if code not in db["reservations"]:
        raise ToolFailure("not_found", f"No reservation found for confirmation number {code}")
    return db["reservations"][code]


def passenger_of(reservation: Record, passenger_id: str) -> Record:
    for passenger in reservation["passengers"]:
        if passenger["passenger_id"] == passenger_id:
            return passenger
    known = ", ".join(p["passenger_id"] for p in reservation["passengers"])
    raise ToolFailure("passenger_not_found", f"No passenger {passenger_id}; on the booking: {known}")


def booking_of(reservation: Record, journey_id: str) -> Record:
    """The booking of a journey: the first that is not cancelled, else the first."""
    found = [b for b in reservation["bookings"] if b["journey_id"] == journey_id]
    if not found:
        booked = ", ".join(b["journey_id"] for b in reservation["bookings"])
        raise ToolFailure("journey_not_found", f"{journey_id} is not booked; booked: {booked}")
    return next((b for b in found if b["status"] != "cancelled"), found[0])


def segment_of(segments: list[Record], flight_number: str | None) -> Record:
    """One segment of a booking or a journey; without a flight number there must be just one."""
    flights = ", ".join(s["flight_number"] for s in segments)
    if flight_number is None:
        if len(segments) != 1:
            raise ToolFailure("flight_number_required", f"Several flights, say which: {flights}")
        return segments[0]
    for segment in segments:
        if segment["flight_number"] == flight_number.upper():
            return segment
    raise ToolFailure("segment_not_found", f"Flight {flight_number} is not one of: {flights}")


def journey_of(db: Record, journey_id: str) -> Record:
    if journey_id not in db["journeys"]:
        raise ToolFailure("journey_not_found", f"No journey {journey_id}")
    return db["journeys"][journey_id]


def seats_left(journey: Record, fare_class: str) -> int:
    """Seats for the whole journey: those of its fullest segment."""
    return min(s["available_seats"].get(fare_class) or 0 for s in journey["segments"])


def change_seats(journey: Record, fare_class: str, by: int) -> None:
    for segment in journey["segments"]:
        seats = segment["available_seats"]
        seats[fare_class] = (seats.get(fare_class) or 0) + by


def fare_of(booking: Record) -> float:
    """What was paid for a booking, from its segments where it has no total."""
    if booking["fare_paid"] is not None:
        return booking["fare_paid"]
    return sum(s["fare_paid"] or 0 for s in booking["segments"])
