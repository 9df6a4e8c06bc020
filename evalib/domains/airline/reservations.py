"""Tools on the itinerary itself: open a reservation, rebook, list for standby, cancel."""

from __future__ import annotations

import copy
from typing import Any

from evalib.domains.airline import policy
from evalib.domains.airline.lookups import (
    Record,
    booking_of,
    change_seats,
    fare_of,
    journey_of,
    passenger_of,
    reservation_of,
    seats_left,
    segment_of,
)
from evalib.domains.toolspec import ToolFailure


def get_reservation(db: Record, args: dict[str, Any], call_index: int) -> Record:
    reservation = reservation_of(db, args["confirmation_number"])
    code, last_name = reservation["confirmation_number"], args["last_name"].lower()
    if last_name not in [p["last_name"].lower() for p in reservation["passengers"]]:
        raise ToolFailure("authentication_failed", f"Last name does not match reservation {code}")
    db.setdefault("session", {}).update(confirmation_number=code.upper(), last_name=last_name)
    bookings = [_with_schedule(db, b) for b in reservation["bookings"]]
    bookings.sort(key=lambda b: (b["segments"][0]["date"] if b["segments"] else "", b["journey_id"]))
    return {"reservation": reservation | {"bookings": bookings}}


def _with_schedule(db: Record, booking: Record) -> Record:
    """A booking whose segments also say where and when they fly."""
    journey = db["journeys"].get(booking["journey_id"], {"segments": []})
    flights = {s["flight_number"]: s for s in journey["segments"]}
    shown = ("origin", "destination", "scheduled_departure", "scheduled_arrival")
    segments = [
        s | {k: flight[k] for k in shown} if (flight := flights.get(s["flight_number"])) else s
        for s in booking["segments"]
    ]
    return booking | {"segments": segments}


def rebook_flight(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """Move a booking, or with `flight_number` one flight of it, to another journey.

    When the airline is the cause the passenger keeps the fare paid; else the new fare counts, the
    difference is collected or due as credit, and the fee comes on top.
    """
    reservation = reservation_of(db, args["confirmation_number"])
    booking = booking_of(reservation, args["journey_id"])
    journey = journey_of(db, args["new_journey_id"])
    old_class = booking["fare_class"]
    new_class = args["new_fare_class"] or old_class
    new_fare = _fare_on_sale(journey, new_class)
    irrops = policy.is_irrops(args["rebooking_type"])
    old_fare, kept = fare_of(booking), []
    fares_kept = booking["segments"] if irrops else []
    if args["flight_number"] is not None:
        replaced = segment_of(booking["segments"], args["flight_number"])
        kept = [s for s in booking["segments"] if s is not replaced]
        old_fare = replaced["fare_paid"]
        fares_kept = [replaced] if irrops and len(journey["segments"]) == 1 else []

    waived = args["waive_change_fee"]
    fee = policy.change_fee(args["rebooking_type"], old_class, waived)
    difference = new_fare - old_fare
    response = {
        "confirmation_number": reservation["confirmation_number"],
        "new_journey": _summary(journey),
        "cost_summary": {
            "original_fare_class": old_class,
            "new_fare_class": new_class,
            "cabin_changed": new_class != old_class,
            "change_fee": fee,
            "fare_difference": difference,
            "credit_due": max(0, -difference),
            "total_collected": 0 if irrops else fee + max(0, difference),
            "fee_waived": waived or irrops,
        },
        "message": f"Successfully rebooked to flight {journey['journey_id']}",
    }

    # As in the published tools, the first booking of the journey is closed, even when it is
    # closed already and the fare came from a later one.
    first = next(b for b in reservation["bookings"] if b["journey_id"] == booking["journey_id"])
    first["status"] = "cancelled"
    reservation["bookings"].append(
        {
            "journey_id": journey["journey_id"],
            "fare_class": new_class,
            "fare_paid": old_fare if irrops else new_fare,
            "status": "confirmed",
            "segments": _new_segments(journey, new_class, fares_kept),
        }
    )
    if kept:
        reservation["bookings"].append(
            {
                "journey_id": booking["journey_id"],
                "fare_class": old_class,
                "fare_paid": sum(s["fare_paid"] or 0 for s in kept),
                "status": "confirmed",
                "segments": copy.deepcopy(kept),
            }
        )
    reservation["status"] = "changed"
    change_seats(journey, new_class, -1)
    if booking["journey_id"] in db["journeys"]:
        change_seats(db["journeys"][booking["journey_id"]], old_class, +1)
    return response


def _fare_on_sale(journey: Record, fare_class: str) -> float:
    journey_id = journey["journey_id"]
    if not journey["bookable"]:
        raise ToolFailure("not_bookable", f"Journey {journey_id} cannot be booked")
    fare = journey["fares"].get(fare_class)
    if fare is None:
        raise ToolFailure("fare_class_not_available", f"{journey_id} has no {fare_class} fare")
    if seats_left(journey, fare_class) <= 0:
        raise ToolFailure("no_seats_available", f"{journey_id} has no {fare_class} seat left")
    return fare


def _new_segments(journey: Record, fare_class: str, fares_kept: list[Record]) -> list[Record]:
    """Segments of a new booking; `fares_kept` are old segments whose fares carry over in order.

    Seat, bags and meal do not carry over: moving them is the agent's task.
    """
    return [
        {
            "flight_number": flight["flight_number"],
            "date": journey["date"],
            "fare_paid": (
                fares_kept[i]["fare_paid"] if i < len(fares_kept) else flight["fares"].get(fare_class) or 0
            ),
            "seat": None,
            "bags_checked": 0,
            "meal_request": None,
        }
        for i, flight in enumerate(journey["segments"])
    ]


def _summary(journey: Record) -> Record:
    first, last = journey["segments"][0], journey["segments"][-1]
    return {
        "journey_id": journey["journey_id"],
        "num_stops": journey["num_stops"],
        "segments": copy.deepcopy(journey["segments"]),
        "departure": first["scheduled_departure"],
        "arrival": last["scheduled_arrival"],
        "origin": journey["origin"],
        "destination": journey["destination"],
    }


def add_to_standby(db: Record, args: dict[str, Any], call_index: int) -> Record:
    reservation = reservation_of(db, args["confirmation_number"])
    journey = journey_of(db, args["journey_id"])
    if journey["status"] == "cancelled":
        raise ToolFailure("flight_cancelled", f"{journey['journey_id']} is cancelled")
    passengers = [passenger_of(reservation, p)["passenger_id"] for p in args["passenger_ids"]]
    code = reservation["confirmation_number"]
    waiting = journey.setdefault("standby_list", [])
    for passenger_id in passengers:
        entry = {"confirmation_number": code, "passenger_id": passenger_id}
        waiting.append(entry | {"position": len(waiting) + 1})
    reservation.setdefault("standby_list", []).append(
        {
            "journey_id": journey["journey_id"],
            "passenger_ids": passengers,
            "position": len(waiting),
            "status": "pending",
        }
    )
    return {
        "confirmation_number": code,
        "journey_id": journey["journey_id"],
        "standby_list_position": len(waiting),
        "message": f"Added {len(passengers)} passenger(s) to standby list",
    }


def cancel_reservation(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """Cancel one journey of a reservation. What is refunded or credited is another call."""
    reservation = reservation_of(db, args["confirmation_number"])
    booking = booking_of(reservation, args["journey_id"])
    journey_id = booking["journey_id"]
    if booking["status"] == "cancelled":
        raise ToolFailure("already_cancelled", f"Journey {journey_id} is already cancelled")
    booking["status"] = "cancelled"
    if journey_id in db["journeys"]:
        change_seats(db["journeys"][journey_id], booking["fare_class"], +1)
    all_cancelled = all(b["status"] == "cancelled" for b in reservation["bookings"])
    if all_cancelled:
        reservation["status"] = "cancelled"

    fare = fare_of(booking)
    refundable = (
        args["cancellation_reason"] in policy.REFUNDABLE_REASONS or reservation["fare_type"] == "refundable"
    )
    fee = 0 if refundable else policy.CANCELLATION_FEE
    return {
        "confirmation_number": reservation["confirmation_number"],
        "journey_id": journey_id,
        "is_refundable": refundable,
        "cancellation_fee": fee,
        "refund_amount_eligible": fare if refundable else 0,
        "credit_amount_eligible": 0 if refundable else max(0, fare - fee),
        "reservation_status": "cancelled" if all_cancelled else "active",
        "message": f"Journey {journey_id} cancelled successfully",
    }
