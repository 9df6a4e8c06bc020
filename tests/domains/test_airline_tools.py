"""What each airline tool does, and exactly where its limits are; figures worked out by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from evalib.domains import ToolExecutor
from evalib.domains.airline import policy

from .conftest import CLASSES, DAY, NOW

OWN = "FL_QZ1_20270201"
DEARER = "FL_QZ2_20270201"
CONNECTION = "FL_QZ6_QZ7_20270201"


def rebook(executor: ToolExecutor, **change: Any) -> dict[str, Any]:
    arguments = {
        "confirmation_number": "AB1C2D",
        "journey_id": OWN,
        "new_journey_id": DEARER,
        "rebooking_type": "voluntary",
        "waive_change_fee": False,
    }
    return executor.call("rebook_flight", arguments | change)


def seats(executor: ToolExecutor, journey_id: str, fare_class: str) -> list[int]:
    flights = executor.db["journeys"][journey_id]["segments"]
    return [flight["available_seats"][fare_class] for flight in flights]


# ---- get_reservation


def test_authentication_ignores_case_and_opens_the_session(executor: ToolExecutor) -> None:
    response = executor.call("get_reservation", {"confirmation_number": "ab1c2d", "last_name": "QUILL"})
    assert response["status"] == "success"
    assert executor.db["session"] == {"confirmation_number": "AB1C2D", "last_name": "quill"}
    segment = response["reservation"]["bookings"][0]["segments"][0]
    assert (segment["origin"], segment["scheduled_departure"]) == ("AAA", "12:00")
    assert "origin" not in executor.db["reservations"]["AB1C2D"]["bookings"][0]["segments"][0]


@pytest.mark.parametrize(
    ("code", "name", "error"),
    [("AB1C2D", "Quil", "authentication_failed"), ("ZZZZZZ", "Quill", "not_found")],
)
def test_failed_authentication_leaves_no_session(
    executor: ToolExecutor, code: str, name: str, error: str
) -> None:
    response = executor.call("get_reservation", {"confirmation_number": code, "last_name": name})
    assert response["error_type"] == error
    assert "session" not in executor.db


def test_bookings_come_by_date_then_journey(executor: ToolExecutor) -> None:
    rebook(executor)
    rebook(executor, journey_id=DEARER, new_journey_id="FL_QZ5_20270201")
    response = executor.call("get_reservation", {"confirmation_number": "AB1C2D", "last_name": "Quill"})
    shown = [b["journey_id"] for b in response["reservation"]["bookings"]]
    assert shown == [OWN, DEARER, "FL_QZ5_20270201"]


# ---- rebook_flight: the price. Fee by type and fare class, as the paper's policy has it (J.2).

FEES = {
    "voluntary": (75, 75, 75, 0, 0),
    "same_day": (199, 75, 75, 75, 75),
    "missed_flight_passenger_fault": (75, 75, 75, 0, 0),
    # free by the policy; as in the published tools it is for the agent to waive the fee
    "missed_connection_airline_fault": (75, 75, 75, 0, 0),
    "irrops_cancellation": (0, 0, 0, 0, 0),
    "irrops_delay": (0, 0, 0, 0, 0),
    "irrops_schedule_change": (0, 0, 0, 0, 0),
}


@pytest.mark.parametrize("kind", FEES)
@pytest.mark.parametrize("i", range(5))
@pytest.mark.parametrize("waived", [False, True])
def test_price_of_a_change(db: dict[str, Any], kind: str, i: int, waived: bool) -> None:
    fare_class, old_fare = CLASSES[i], 100.0 * (i + 1)
    booked = db["reservations"]["AB1C2D"]["bookings"][0]
    booked.update(fare_class=fare_class, fare_paid=old_fare)
    executor = ToolExecutor("airline", db, NOW)
    cost = rebook(executor, rebooking_type=kind, waive_change_fee=waived)["cost_summary"]
    fee = 0 if waived else FEES[kind][i]
    irrops = kind.startswith("irrops")
    assert cost == {
        "original_fare_class": fare_class,
        "new_fare_class": fare_class,
        "cabin_changed": False,
        "change_fee": fee,
        "fare_difference": 30.0,
        "credit_due": 0,
        "total_collected": 0 if irrops else fee + 30.0,
        "fee_waived": waived or irrops,
    }
    new = executor.db["reservations"]["AB1C2D"]["bookings"][1]
    assert new["fare_paid"] == (old_fare if irrops else old_fare + 30.0)
    assert seats(executor, DEARER, fare_class) == [4]
    assert seats(executor, OWN, fare_class) == [6]


def test_cheaper_flight_leaves_credit_due_and_only_the_fee(executor: ToolExecutor) -> None:
    cost = rebook(executor, new_journey_id="FL_QZ8_20270201")["cost_summary"]
    assert (cost["fare_difference"], cost["credit_due"], cost["total_collected"]) == (-50.0, 50.0, 75)


def test_change_of_cabin(executor: ToolExecutor) -> None:
    cost = rebook(executor, new_fare_class="business")["cost_summary"]
    assert (cost["new_fare_class"], cost["cabin_changed"]) == ("business", True)
    assert (cost["fare_difference"], cost["total_collected"]) == (230.0, 305.0)
    assert seats(executor, DEARER, "business") == [4]
    assert seats(executor, OWN, "main_cabin") == [6]


def test_the_booking_after_a_change(executor: ToolExecutor) -> None:
    rebook(executor)
    reservation = executor.db["reservations"]["AB1C2D"]
    assert reservation["status"] == "changed"
    old, new = reservation["bookings"]
    assert (old["status"], old["fare_paid"]) == ("cancelled", 200.0)
    assert new == {
        "journey_id": DEARER,
        "fare_class": "main_cabin",
        "fare_paid": 230.0,
        "status": "confirmed",
        "segments": [
            {
                "flight_number": "QZ2",
                "date": DAY,
                "fare_paid": 230.0,
                "seat": None,
                "bags_checked": 0,
                "meal_request": None,
            }
        ],
    }


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"confirmation_number": "ZZZZZZ"}, "not_found"),
        ({"journey_id": "FL_QZ8_20270201"}, "journey_not_found"),
        ({"new_journey_id": "FL_QZ99_20270201"}, "journey_not_found"),
        ({"new_journey_id": "FL_QZ3_20270201"}, "not_bookable"),
        ({"new_journey_id": "FL_QZ5_20270201", "new_fare_class": "first"}, "fare_class_not_available"),
        ({"flight_number": "QZ9"}, "segment_not_found"),
        ({"rebooking_type": "because"}, "invalid_rebooking_type"),
        ({"waive_change_fee": "perhaps"}, "invalid_parameter"),
    ],
)
def test_changes_that_cannot_be(executor: ToolExecutor, change: dict[str, Any], error: str) -> None:
    assert rebook(executor, **change)["error_type"] == error
    assert executor.log[-1].changes == {}


def test_the_last_seat_can_be_taken_and_no_more(executor: ToolExecutor) -> None:
    assert rebook(executor, new_journey_id="FL_QZ5_20270201")["status"] == "success"
    second = rebook(executor, confirmation_number="REF555", new_journey_id="FL_QZ5_20270201")
    assert second["error_type"] == "no_seats_available"


def test_the_first_booking_of_a_journey_is_closed_as_published(executor: ToolExecutor) -> None:
    """There and back again: the second stay on the journey is the one that stays open."""
    rebook(executor)
    rebook(executor, journey_id=DEARER, new_journey_id=OWN)
    rebook(executor)
    bookings = executor.db["reservations"]["AB1C2D"]["bookings"]
    assert [(b["journey_id"], b["status"]) for b in bookings] == [
        (OWN, "cancelled"),
        (DEARER, "cancelled"),
        (OWN, "confirmed"),
        (DEARER, "confirmed"),
    ]


# ---- rebook_flight: connections

CHANGE_LEG = {"confirmation_number": "CONN77", "journey_id": CONNECTION}


def test_one_flight_of_a_connection(executor: ToolExecutor) -> None:
    response = rebook(executor, **CHANGE_LEG, new_journey_id="FL_QZ8_20270201", flight_number="QZ7")
    cost = response["cost_summary"]
    assert (cost["fare_difference"], cost["total_collected"]) == (30.0, 105.0)  # 150 for 120
    old, new, kept = executor.db["reservations"]["CONN77"]["bookings"]
    assert old["status"] == "cancelled"
    assert (new["journey_id"], new["fare_paid"]) == ("FL_QZ8_20270201", 150.0)
    assert (kept["journey_id"], kept["fare_paid"], kept["status"]) == (CONNECTION, 80.0, "confirmed")
    assert [s["flight_number"] for s in kept["segments"]] == ["QZ6"]
    assert kept["segments"][0]["seat"] == "9A"
    seat = {"confirmation_number": "CONN77", "passenger_id": "PAX001", "journey_id": CONNECTION}
    executor.call("assign_seat", seat | {"seat_preference": "middle"})
    assert kept["segments"][0]["seat"] == "21B"
    assert old["segments"][0]["seat"] == "9A"


def test_one_flight_of_a_connection_by_the_airlines_fault(executor: ToolExecutor) -> None:
    rebook(
        executor,
        **CHANGE_LEG,
        new_journey_id="FL_QZ8_20270201",
        flight_number="QZ7",
        rebooking_type="irrops_delay",
    )
    new = executor.db["reservations"]["CONN77"]["bookings"][1]
    assert (new["fare_paid"], new["segments"][0]["fare_paid"]) == (120.0, 120.0)


def test_naming_the_only_flight_keeps_no_booking_of_nothing(executor: ToolExecutor) -> None:
    assert rebook(executor, flight_number="QZ1")["status"] == "success"
    assert len(executor.db["reservations"]["AB1C2D"]["bookings"]) == 2


def test_whole_connection_keeps_fares_in_order_when_the_airline_is_at_fault(
    executor: ToolExecutor,
) -> None:
    rebook(executor, **CHANGE_LEG, new_journey_id=DEARER, rebooking_type="irrops_delay")
    new = executor.db["reservations"]["CONN77"]["bookings"][1]
    assert (new["fare_paid"], [s["fare_paid"] for s in new["segments"]]) == (200.0, [80.0])


def test_seats_of_a_connection_are_those_of_its_fullest_flight(executor: ToolExecutor) -> None:
    for code in ("AB1C2D", "REF555"):
        change = {"confirmation_number": code, "new_journey_id": CONNECTION}
        assert rebook(executor, **change)["status"] == "success"
    assert seats(executor, CONNECTION, "main_cabin") == [3, 0]
    again = rebook(executor, journey_id=CONNECTION, new_journey_id=CONNECTION)
    assert again["error_type"] == "no_seats_available"


# ---- searching and looking up

SEARCH = {
    "origin": "aaa",
    "destination": "BBB",
    "date": DAY,
    "passenger_count": 1,
    "fare_class": "main_cabin",
}


def found(executor: ToolExecutor, **change: Any) -> list[tuple[str, float]]:
    response = executor.call("search_rebooking_options", SEARCH | change)
    assert response["count"] == len(response["options"])
    return [(o["journey_id"].split("_", 1)[1][:-9], o["fare"]) for o in response["options"]]


def test_search_is_by_departure_and_leaves_out_what_cannot_be_booked(executor: ToolExecutor) -> None:
    assert found(executor) == [("QZ6_QZ7", 200.0), ("QZ1", 200.0), ("QZ2", 230.0), ("QZ5", 210.0)]


def test_search_counts_seats(executor: ToolExecutor) -> None:
    assert [n for n, _ in found(executor, passenger_count=2)] == ["QZ6_QZ7", "QZ1", "QZ2"]
    assert [n for n, _ in found(executor, passenger_count="5")] == ["QZ1", "QZ2"]
    assert found(executor, passenger_count=6) == []


def test_search_any_gives_the_lowest_fare_with_enough_seats(executor: ToolExecutor) -> None:
    executor.db["journeys"][OWN]["segments"][0]["available_seats"]["basic_economy"] = 1
    assert dict(found(executor, fare_class="any"))["QZ1"] == 100.0
    assert dict(found(executor, fare_class="any", passenger_count=2))["QZ1"] == 200.0


def test_search_elsewhere_finds_nothing(executor: ToolExecutor) -> None:
    assert found(executor, origin="BBB", destination="AAA") == []
    assert found(executor, date="2027-02-02") == []


def test_passenger_count_starts_at_one(executor: ToolExecutor) -> None:
    response = executor.call("search_rebooking_options", SEARCH | {"passenger_count": 0})
    assert response["error_type"] == "invalid_parameter"


@pytest.mark.parametrize(("number", "journey_id"), [("qz1", OWN), ("QZ7", CONNECTION)])
def test_flight_status(executor: ToolExecutor, number: str, journey_id: str) -> None:
    response = executor.call("get_flight_status", {"flight_number": number, "flight_date": DAY})
    assert response["journey"]["journey_id"] == journey_id


def test_flights_and_disruptions_that_are_not_there(executor: ToolExecutor) -> None:
    for tool, day in (("get_flight_status", "flight_date"), ("get_disruption_info", "date")):
        for number, when in (("QZ99", DAY), ("QZ4", "2027-02-02")):
            response = executor.call(tool, {"flight_number": number, day: when})
            assert response["error_type"] == "not_found"
    response = executor.call("get_disruption_info", {"flight_number": "qz4", "date": DAY})
    assert response["disruption"] == {"flight_number": "QZ4", "is_irrops": True}


# ---- standby


def test_standby_numbers_passengers_and_keeps_the_booking(executor: ToolExecutor) -> None:
    standby = {"confirmation_number": "AB1C2D", "journey_id": DEARER}
    both = executor.call("add_to_standby", standby | {"passenger_ids": ["PAX001", "PAX002"]})
    assert both["standby_list_position"] == 2
    other = {"confirmation_number": "REF555", "journey_id": DEARER, "passenger_ids": ["PAX001"]}
    assert executor.call("add_to_standby", other)["standby_list_position"] == 3
    assert executor.db["journeys"][DEARER]["standby_list"] == [
        {"confirmation_number": "AB1C2D", "passenger_id": "PAX001", "position": 1},
        {"confirmation_number": "AB1C2D", "passenger_id": "PAX002", "position": 2},
        {"confirmation_number": "REF555", "passenger_id": "PAX001", "position": 3},
    ]
    reservation = executor.db["reservations"]["AB1C2D"]
    assert reservation["standby_list"] == [
        {"journey_id": DEARER, "passenger_ids": ["PAX001", "PAX002"], "position": 2, "status": "pending"}
    ]
    assert (reservation["status"], len(reservation["bookings"])) == ("confirmed", 1)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"journey_id": "FL_QZ4_20270201"}, "flight_cancelled"),
        ({"journey_id": "FL_QZ99_20270201"}, "journey_not_found"),
        ({"passenger_ids": ["PAX001", "PAX003"]}, "passenger_not_found"),
        ({"passenger_ids": []}, "invalid_passenger_id_format"),
        ({"passenger_ids": "PAX001"}, "invalid_passenger_id_format"),
        ({"passenger_ids": ["pax001"]}, "invalid_passenger_id_format"),
    ],
)
def test_standby_that_cannot_be(executor: ToolExecutor, change: dict[str, Any], error: str) -> None:
    arguments = {"confirmation_number": "AB1C2D", "journey_id": DEARER, "passenger_ids": ["PAX001"]}
    assert executor.call("add_to_standby", arguments | change)["error_type"] == error
    assert executor.log[-1].changes == {}


# ---- seat, bags, meal

SEAT = {"confirmation_number": "AB1C2D", "passenger_id": "PAX001", "journey_id": OWN}


@pytest.mark.parametrize(
    ("fare_class", "row"),
    list(zip(CLASSES, (25, 20, 10, 5, 1), strict=True)),
)
@pytest.mark.parametrize(("preference", "letter"), [("window", "A"), ("middle", "B"), ("no_preference", "C")])
def test_seat_formula(db: dict[str, Any], fare_class: str, row: int, preference: str, letter: str) -> None:
    db["reservations"]["AB1C2D"]["bookings"][0]["fare_class"] = fare_class
    executor = ToolExecutor("airline", db, NOW)
    arguments = SEAT | {"passenger_id": "PAX002", "seat_preference": preference}
    assert executor.call("assign_seat", arguments)["seat_assigned"] == f"{row + 2}{letter}"
    segment = executor.db["reservations"]["AB1C2D"]["bookings"][0]["segments"][0]
    assert segment["seat"] == f"{row + 2}{letter}"


def test_seat_kind_that_is_gone(executor: ToolExecutor) -> None:
    response = executor.call("assign_seat", SEAT | {"seat_preference": "aisle"})
    assert response["error_type"] == "seat_type_unavailable"
    assert "window, middle" in response["message"]
    assert executor.log[-1].changes == {}


def test_no_seat_at_all(executor: ToolExecutor) -> None:
    executor.db["journeys"][OWN]["segments"][0]["available_seats"]["main_cabin"] = 0
    response = executor.call("assign_seat", SEAT | {"seat_preference": "window"})
    assert response["error_type"] == "no_seats_available"


@pytest.mark.parametrize("tool", ["assign_seat", "add_baggage_allowance", "add_meal_request"])
def test_one_flight_or_all(executor: ToolExecutor, tool: str) -> None:
    where = {"confirmation_number": "CONN77", "journey_id": CONNECTION, "passenger_id": "PAX001"}
    what = {"seat_preference": "window", "num_bags": 3, "meal_type": "kosher"}
    field, old, new = {
        "assign_seat": ("seat", "9A", "21A"),
        "add_baggage_allowance": ("bags_checked", 1, 3),
        "add_meal_request": ("meal_request", None, "kosher"),
    }[tool]
    segments = executor.db["reservations"]["CONN77"]["bookings"][0]["segments"]
    assert executor.call(tool, where | what | {"flight_number": "qz7"})["status"] == "success"
    assert [s[field] for s in segments] == [old, new]
    response = executor.call(tool, where | what)
    if tool == "assign_seat":
        assert response["error_type"] == "flight_number_required"
        assert [s[field] for s in segments] == [old, new]
    else:
        assert [s[field] for s in segments] == [new, new]
    response = executor.call(tool, where | what | {"flight_number": "QZ1"})
    assert response["error_type"] == "segment_not_found"


@pytest.mark.parametrize(("bags", "ok"), [(-1, False), (0, True), (5, True), (6, False)])
def test_zero_to_five_bags(executor: ToolExecutor, bags: int, ok: bool) -> None:
    arguments = {"confirmation_number": "AB1C2D", "journey_id": OWN, "num_bags": bags}
    response = executor.call("add_baggage_allowance", arguments)
    assert response.get("error_type") == (None if ok else "invalid_bag_count")


# ---- cancelling


@pytest.mark.parametrize(
    ("code", "reason", "refundable"),
    [
        ("AB1C2D", "voluntary", False),
        ("AB1C2D", "schedule_unacceptable", False),
        ("AB1C2D", "medical", False),
        ("AB1C2D", "bereavement", False),
        ("AB1C2D", "irrops_refund", True),
        ("AB1C2D", "24_hour_rule", True),
        ("REF555", "voluntary", True),
    ],
)
def test_cancelling(executor: ToolExecutor, code: str, reason: str, refundable: bool) -> None:
    arguments = {"confirmation_number": code, "journey_id": OWN, "cancellation_reason": reason}
    response = executor.call("cancel_reservation", arguments)
    assert response["is_refundable"] is refundable
    amounts = [response[k] for k in ("cancellation_fee", "refund_amount_eligible", "credit_amount_eligible")]
    assert amounts == ([0, 200.0, 0] if refundable else [100, 0, 100.0])
    assert executor.db["reservations"][code]["status"] == "cancelled"
    assert seats(executor, OWN, "main_cabin") == [6]
    assert executor.call("cancel_reservation", arguments)["error_type"] == "already_cancelled"
    assert seats(executor, OWN, "main_cabin") == [6]


@pytest.mark.parametrize(("fare", "credit"), [(99.0, 0), (100.0, 0), (100.5, 0.5)])
def test_credit_is_never_below_zero(db: dict[str, Any], fare: float, credit: float) -> None:
    db["reservations"]["AB1C2D"]["bookings"][0]["fare_paid"] = fare
    executor = ToolExecutor("airline", db, NOW)
    arguments = {"confirmation_number": "AB1C2D", "journey_id": OWN, "cancellation_reason": "voluntary"}
    assert executor.call("cancel_reservation", arguments)["credit_amount_eligible"] == credit


def test_one_of_two_journeys_cancelled_leaves_the_reservation(db: dict[str, Any]) -> None:
    reservation = db["reservations"]["AB1C2D"]
    reservation["bookings"] += db["reservations"]["CONN77"]["bookings"]
    executor = ToolExecutor("airline", db, NOW)
    arguments = {"confirmation_number": "AB1C2D", "cancellation_reason": "voluntary"}
    first = executor.call("cancel_reservation", arguments | {"journey_id": CONNECTION})
    assert first["reservation_status"] == "active"
    assert executor.db["reservations"]["AB1C2D"]["status"] == "confirmed"
    assert seats(executor, CONNECTION, "main_cabin") == [6, 3]
    second = executor.call("cancel_reservation", arguments | {"journey_id": OWN})
    assert second["reservation_status"] == "cancelled"
    assert executor.db["reservations"]["AB1C2D"]["status"] == "cancelled"


# ---- compensation

HOLDER = {"confirmation_number": "ab1c2d", "passenger_id": "PAX002"}


@pytest.mark.parametrize(
    ("nights", "error"),
    [(0, "invalid_parameter"), (1, None), (3, None), (4, "exceeds_max_nights")],
)
def test_one_to_three_hotel_nights(executor: ToolExecutor, nights: int, error: str | None) -> None:
    response = executor.call("issue_hotel_voucher", HOLDER | {"num_nights": nights})
    assert response.get("error_type") == error
    expected = {
        "HOTEL-AB1C2D": {
            "voucher_code": "HOTEL-AB1C2D",
            "confirmation_number": "AB1C2D",
            "passenger_id": "PAX002",
            "num_nights": nights,
            "issued_date": DAY,
            "status": "active",
        }
    }
    assert executor.db.get("hotel_vouchers", {}) == ({} if error else expected)


@pytest.mark.parametrize(
    ("reason", "amount"),
    [
        ("delay_over_2_hours", 12),
        ("delay_over_4_hours", 15),
        ("cancellation_wait_same_day", 15),
        ("irrops_overnight", 25),
    ],
)
def test_meal_voucher_amounts(executor: ToolExecutor, reason: str, amount: int) -> None:
    response = executor.call("issue_meal_voucher", HOLDER | {"voucher_reason": reason})
    assert response["amount"] == amount
    assert executor.db["meal_vouchers"]["MEAL-AB1C2D-PAX0"]["amount"] == amount


def test_a_second_voucher_takes_the_place_of_the_first_as_published(executor: ToolExecutor) -> None:
    for passenger in ("PAX001", "PAX002"):
        arguments = HOLDER | {"passenger_id": passenger, "voucher_reason": "irrops_overnight"}
        executor.call("issue_meal_voucher", arguments)
    assert [v["passenger_id"] for v in executor.db["meal_vouchers"].values()] == ["PAX002"]


def test_travel_credit_is_valid_for_a_year(executor: ToolExecutor) -> None:
    arguments = HOLDER | {"amount": 50, "credit_reason": "goodwill"}
    assert executor.call("issue_travel_credit", arguments)["valid_months"] == 12
    credit = executor.db["travel_credits"]["TCAB1C2DPAX"]
    assert (credit["issued_date"], credit["expiry_date"]) == ("2027-02-01", "2028-02-01")


@pytest.mark.parametrize(
    ("issued", "expires"),
    [("2027-12-31", "2028-12-31"), ("2028-02-29", "2029-02-28"), ("2027-02-28", "2028-02-28")],
)
def test_credit_expiry(issued: str, expires: str) -> None:
    assert policy.credit_expiry(date.fromisoformat(issued)) == date.fromisoformat(expires)


@pytest.mark.parametrize("amount", [0, -5, "nothing", None, float("inf"), float("nan"), "1e999"])
def test_amounts_are_money(executor: ToolExecutor, amount: Any) -> None:
    credit = HOLDER | {"amount": amount, "credit_reason": "goodwill"}
    refund = {"confirmation_number": "AB1C2D", "refund_amount": amount, "refund_type": "full_fare"}
    assert executor.call("issue_travel_credit", credit)["error_type"] == "invalid_parameter"
    assert executor.call("process_refund", refund)["error_type"] == "invalid_parameter"
    assert not executor.db["travel_credits"]
    assert not executor.db["refunds"]


def test_refund(executor: ToolExecutor) -> None:
    refund = {"confirmation_number": "ab1c2d", "refund_amount": "12.5", "refund_type": "taxes_only"}
    assert executor.call("process_refund", refund)["processing_days"] == 7
    assert executor.db["refunds"] == {
        "REF-AB1C2D-001": {
            "refund_id": "REF-AB1C2D-001",
            "confirmation_number": "AB1C2D",
            "refund_amount": 12.5,
            "refund_type": "taxes_only",
            "processing_days": 7,
            "initiated_date": DAY,
            "status": "processing",
        }
    }


@pytest.mark.parametrize("tool", ["issue_travel_credit", "issue_hotel_voucher", "issue_meal_voucher"])
def test_compensation_needs_a_passenger_of_the_reservation(executor: ToolExecutor, tool: str) -> None:
    what = {
        "amount": 1,
        "credit_reason": "goodwill",
        "num_nights": 1,
        "voucher_reason": "irrops_overnight",
    }
    stranger = executor.call(tool, HOLDER | what | {"passenger_id": "PAX003"})
    assert stranger["error_type"] == "passenger_not_found"
    nowhere = executor.call(tool, HOLDER | what | {"confirmation_number": "ZZZZZZ"})
    assert nowhere["error_type"] == "not_found"


# ---- transfer


def test_transfer_changes_nothing(executor: ToolExecutor) -> None:
    arguments = {"confirmation_number": "ab1c2d", "transfer_reason": "asked", "issue_summary": "..."}
    before = executor.db["reservations"]["AB1C2D"]["status"]
    assert executor.call("transfer_to_agent", arguments)["transfer_id"] == "TRF-AB1C2D-001"
    assert executor.call("transfer_to_agent", arguments)["transfer_id"] == "TRF-AB1C2D-002"
    assert executor.db["reservations"]["AB1C2D"]["status"] == before
    unknown = executor.call("transfer_to_agent", arguments | {"confirmation_number": "ZZZZZZ"})
    assert unknown["error_type"] == "not_found"
