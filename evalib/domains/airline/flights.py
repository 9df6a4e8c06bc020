"""Tools that look flights up: status, disruption, options to rebook on."""

from __future__ import annotations

from typing import Any

from evalib.domains.airline import policy
from evalib.domains.airline.lookups import Record, seats_left
from evalib.domains.toolspec import ToolFailure


def get_flight_status(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """The journey that is this flight alone, else the first that it is part of."""
    flight, day = args["flight_number"].upper(), args["flight_date"]
    alone = db["journeys"].get(f"FL_{flight}_{day.replace('-', '')}")
    found = [alone] if alone else [j for j in db["journeys"].values() if _flies(j, flight, day)]
    if not found:
        raise ToolFailure("not_found", f"No flight {flight} found on {day}")
    return {"journey": found[0]}


def _flies(journey: Record, flight_number: str, day: str) -> bool:
    return journey["date"] == day and any(s["flight_number"] == flight_number for s in journey["segments"])


def get_disruption_info(db: Record, args: dict[str, Any], call_index: int) -> Record:
    flight = args["flight_number"].upper()
    disruption = db["disruptions"].get(f"{flight}_{args['date']}")
    if disruption is None:
        raise ToolFailure("not_found", f"No disruption info found for flight {flight}")
    return {"disruption": disruption}


def search_rebooking_options(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """Journeys with enough seats, by departure; departed ones too: the tool has no clock."""
    wanted = (args["origin"].upper(), args["destination"].upper(), args["date"])
    options = [
        option
        for journey in db["journeys"].values()
        if (journey["origin"], journey["destination"], journey["date"]) == wanted
        and journey["bookable"]
        and journey["status"] != "cancelled"
        and (option := _option(journey, args["fare_class"], args["passenger_count"]))
    ]
    options.sort(key=lambda o: (o["departure_time"], o["journey_id"]))
    found = f"{len(options)} flight(s) found"
    return {"options": options, "count": len(options), "message": found}


def _option(journey: Record, fare_class: str, passengers: int) -> Record | None:
    """What is on offer on a journey, None when not enough seats are."""
    classes = policy.FARE_CLASSES if fare_class == "any" else (fare_class,)
    seats = {c: seats_left(journey, c) for c in policy.FARE_CLASSES}
    fares = [
        fare for c in classes if seats[c] >= passengers and (fare := journey["fares"].get(c)) is not None
    ]
    if not fares:
        return None
    shown = (
        "journey_id",
        "origin",
        "destination",
        "num_stops",
        "total_duration_minutes",
        "segments",
    )
    return {name: journey[name] for name in shown} | {
        "departure_time": journey["segments"][0]["scheduled_departure"],
        "arrival_time": journey["segments"][-1]["scheduled_arrival"],
        "available_seats": seats,
        "fare": min(fares),
    }
