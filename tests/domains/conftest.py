"""A small airline database of our own, with round figures that can be checked by hand."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from evalib.domains import ToolExecutor

CLASSES = ("basic_economy", "main_cabin", "premium_economy", "business", "first")
NOW = "2027-02-01 09:00 EST"
DAY = "2027-02-01"


def flight(number: str, origin: str, destination: str, times: str, fares: dict[str, float], seats: int = 5):
    departure, arrival = times.split("-")
    return {
        "segment_number": 1,
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure": departure,
        "scheduled_arrival": arrival,
        "status": "scheduled",
        "available_seats": {c: seats if c in fares else 0 for c in CLASSES},
        "available_seat_types": {c: ["window", "middle"] if c in fares else [] for c in CLASSES},
        "fares": {c: fares.get(c) for c in CLASSES},
    }


def journey(*flights: dict[str, Any], bookable: bool = True, status: str = "scheduled") -> dict[str, Any]:
    numbers = "_".join(f["flight_number"] for f in flights)
    totals = [sum(f["fares"][c] for f in flights) if flights[0]["fares"][c] else None for c in CLASSES]
    return {
        "journey_id": f"FL_{numbers}_20270201",
        "date": DAY,
        "origin": flights[0]["origin"],
        "destination": flights[-1]["destination"],
        "num_stops": len(flights) - 1,
        "total_duration_minutes": 60 * len(flights),
        "segments": list(flights),
        "status": status,
        "bookable": bookable,
        "fares": dict(zip(CLASSES, totals, strict=True)),
    }


def booking(journey_id: str, fare_class: str, *fares: float) -> dict[str, Any]:
    numbers = journey_id.split("_")[1:-1]
    return {
        "journey_id": journey_id,
        "fare_class": fare_class,
        "fare_paid": sum(fares),
        "status": "confirmed",
        "segments": [
            {
                "flight_number": number,
                "date": DAY,
                "fare_paid": fare,
                "seat": "9A",
                "bags_checked": 1,
                "meal_request": None,
            }
            for number, fare in zip(numbers, fares, strict=True)
        ],
    }


def reservation(code: str, *bookings: dict[str, Any], fare_type: str = "non_refundable") -> dict[str, Any]:
    return {
        "confirmation_number": code,
        "status": "confirmed",
        "fare_type": fare_type,
        "booking_date": "2027-01-01T10:00:00-05:00",
        "passengers": [
            {"passenger_id": "PAX001", "first_name": "Ada", "last_name": "Quill"},
            {"passenger_id": "PAX002", "first_name": "Ben", "last_name": "Quill"},
        ],
        "bookings": list(bookings),
        "ancillaries": {"seat_selection_fee": 0, "bags_fee": 0},
    }


def make_db() -> dict[str, Any]:
    all_classes = dict(zip(CLASSES, (100.0, 200.0, 300.0, 400.0, 500.0), strict=True))
    dearer = {c: fare + 30.0 for c, fare in all_classes.items()}
    first_leg, second_leg = {"main_cabin": 80.0}, {"main_cabin": 120.0}
    journeys = [
        journey(flight("QZ1", "AAA", "BBB", "12:00-13:00", all_classes)),
        journey(flight("QZ2", "AAA", "BBB", "15:00-16:00", dearer)),
        journey(flight("QZ3", "AAA", "BBB", "10:00-11:00", all_classes), bookable=False),
        journey(flight("QZ4", "AAA", "BBB", "11:00-12:00", all_classes), status="cancelled"),
        journey(flight("QZ5", "AAA", "BBB", "17:00-18:00", {"main_cabin": 210.0}, seats=1)),
        journey(
            flight("QZ6", "AAA", "CCC", "08:00-09:00", first_leg),
            flight("QZ7", "CCC", "BBB", "10:00-11:30", second_leg, seats=2),
        ),
        journey(flight("QZ8", "CCC", "BBB", "14:00-15:30", {"main_cabin": 150.0})),
    ]
    reservations = [
        reservation("AB1C2D", booking("FL_QZ1_20270201", "main_cabin", 200.0)),
        reservation("CONN77", booking("FL_QZ6_QZ7_20270201", "main_cabin", 80.0, 120.0)),
        reservation("REF555", booking("FL_QZ1_20270201", "main_cabin", 200.0), fare_type="refundable"),
    ]
    return {
        "_current_date": "2000-01-01",
        "reservations": {r["confirmation_number"]: r for r in reservations},
        "journeys": {j["journey_id"]: j for j in journeys},
        "disruptions": {"QZ4_2027-02-01": {"flight_number": "QZ4", "is_irrops": True}},
        "travel_credits": {},
        "meal_vouchers": {},
        "refunds": {},
    }


_DB = make_db()


@pytest.fixture
def db() -> dict[str, Any]:
    return copy.deepcopy(_DB)


@pytest.fixture
def executor(db: dict[str, Any]) -> ToolExecutor:
    return ToolExecutor("airline", db, NOW)
