"""Checking arguments: coercion against pydantic itself, error types against the published map."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from evalib.domains import Parameter, tools
from evalib.domains.toolspec import ToolFailure

JSON_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(-(2.0**52), 2.0**52),
    st.floats(),
    st.text(max_size=6),
    st.from_regex(r"[ +-]{0,2}[0-9_.]{0,6}(e[0-9])? ?", fullmatch=True),
    st.sampled_from(["true", "FALSE", "Yes", "n", "on", "off", "t", "2.0", "1_0", "inf", " true"]),
    st.lists(st.one_of(st.text(max_size=3), st.integers()), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
TWINS = {
    "string": TypeAdapter(str),
    "integer": TypeAdapter(int),
    "number": TypeAdapter(float),
    "boolean": TypeAdapter(bool),
    "array": TypeAdapter(list[str]),
}


@pytest.mark.parametrize("kind", TWINS)
@settings(deadline=None)
@given(value=JSON_VALUES)
@example(value="2")
@example(value="true")
@example(value=True)
@example(value=3.0)
@example(value=" 7 ")
@example(value="٣")
def test_coercion_is_pydantics(kind: Any, value: Any) -> None:
    """But for what we refuse: amounts that are not finite, underscores in numbers, empty lists."""
    try:
        theirs = TWINS[kind].validate_python(value)
    except ValidationError:
        theirs = None
    number = isinstance(theirs, float | int) and not isinstance(theirs, bool)
    if theirs == [] or (number and ("_" in str(value) or not math.isfinite(theirs))):
        theirs = None
    if kind == "integer" and isinstance(value, float) and abs(value) > 2**53:
        return  # pydantic's limit depends on its build; no count of ours comes near
    parameter = Parameter("x", kind, "")
    if theirs is None:
        with pytest.raises(ValueError, match=r"\w"):
            parameter.accept(value)
    else:
        ours = parameter.accept(value)
        assert ours == theirs
        assert type(ours) is type(theirs)


# Field -> error type, as the published executor reports a field that is wrong (SPEC 2.2).
ERROR_TYPES = {
    "rebooking_type": "invalid_rebooking_type",
    "fare_class": "invalid_fare_class",
    "new_fare_class": "invalid_fare_class",
    "meal_type": "invalid_meal_type",
    "credit_reason": "invalid_credit_reason",
    "voucher_reason": "invalid_voucher_reason",
    "refund_type": "invalid_refund_type",
    "seat_preference": "invalid_seat_preference",
    "cancellation_reason": "invalid_cancellation_reason",
    "confirmation_number": "invalid_confirmation_number_format",
    "flight_number": "invalid_flight_number_format",
    "flight_date": "invalid_date_format",
    "date": "invalid_date_format",
    "journey_id": "invalid_journey_id_format",
    "new_journey_id": "invalid_journey_id_format",
    "passenger_id": "invalid_passenger_id_format",
    "passenger_ids": "invalid_passenger_id_format",
    "origin": "invalid_airport_code_format",
    "destination": "invalid_airport_code_format",
    "num_bags": "invalid_bag_count",
}


def test_every_airline_parameter_has_its_error_type() -> None:
    seen = {p.name: p.error_type for spec in tools("airline") for p in spec.parameters}
    assert {name: seen[name] for name in ERROR_TYPES} == ERROR_TYPES
    assert {e for n, e in seen.items() if n not in ERROR_TYPES} == {"invalid_parameter"}


def test_signatures_are_the_published_ones() -> None:
    signatures = {
        s.name: (s.kind, [p.name + ("" if p.required else "?") for p in s.parameters])
        for s in tools("airline")
    }
    assert signatures == {
        "get_reservation": ("auth", ["confirmation_number", "last_name"]),
        "get_flight_status": ("read", ["flight_number", "flight_date"]),
        "get_disruption_info": ("read", ["flight_number", "date"]),
        "search_rebooking_options": (
            "read",
            ["origin", "destination", "date", "passenger_count", "fare_class"],
        ),
        "rebook_flight": (
            "write",
            [
                "confirmation_number",
                "journey_id",
                "new_journey_id",
                "rebooking_type",
                "waive_change_fee",
                "new_fare_class?",
                "flight_number?",
            ],
        ),
        "add_to_standby": ("write", ["confirmation_number", "journey_id", "passenger_ids"]),
        "assign_seat": (
            "write",
            ["confirmation_number", "passenger_id", "journey_id", "seat_preference", "flight_number?"],
        ),
        "add_baggage_allowance": (
            "write",
            ["confirmation_number", "journey_id", "num_bags", "flight_number?"],
        ),
        "add_meal_request": (
            "write",
            ["confirmation_number", "passenger_id", "journey_id", "meal_type", "flight_number?"],
        ),
        "issue_travel_credit": (
            "write",
            ["confirmation_number", "passenger_id", "amount", "credit_reason"],
        ),
        "issue_hotel_voucher": ("write", ["confirmation_number", "passenger_id", "num_nights"]),
        "issue_meal_voucher": ("write", ["confirmation_number", "passenger_id", "voucher_reason"]),
        "cancel_reservation": ("write", ["confirmation_number", "journey_id", "cancellation_reason"]),
        "process_refund": ("write", ["confirmation_number", "refund_amount", "refund_type"]),
        "transfer_to_agent": ("system", ["confirmation_number", "transfer_reason", "issue_summary"]),
    }


def test_only_the_caller_can_give() -> None:
    asked = {(s.name, p.name) for s in tools("airline") for p in s.parameters if p.asked_of_caller}
    assert asked == {
        ("get_reservation", "confirmation_number"),
        ("get_reservation", "last_name"),
        ("assign_seat", "seat_preference"),
        ("add_meal_request", "meal_type"),
    }


def test_json_schema_of_a_tool() -> None:
    spec = next(s for s in tools("airline") if s.name == "add_baggage_allowance")
    schema = spec.json_schema
    assert schema["type"] == "object"
    assert schema["required"] == ["confirmation_number", "journey_id", "num_bags"]
    bags = schema["properties"]["num_bags"]
    assert (bags["type"], bags["minimum"], bags["maximum"]) == ("integer", 0, 5)
    standby = next(s for s in tools("airline") if s.name == "add_to_standby").json_schema
    assert standby["properties"]["passenger_ids"]["items"] == {
        "type": "string",
        "pattern": "^(?:PAX[0-9]+)$",
    }


VALID = {"confirmation_number": "AB1C2D", "journey_id": "FL_QZ1_20270201", "num_bags": 1}


@pytest.mark.parametrize(
    ("change", "error_type"),
    [
        ({"num_bags": 6}, "invalid_bag_count"),
        ({"num_bags": None}, "invalid_bag_count"),
        ({"num_bags": "two"}, "invalid_bag_count"),
        ({"confirmation_number": "AB1C2"}, "invalid_confirmation_number_format"),
        ({"confirmation_number": "AB1C2D\n"}, "invalid_confirmation_number_format"),
        ({"confirmation_number": " AB1C2D"}, "invalid_confirmation_number_format"),
        ({"confirmation_number": 123456}, "invalid_confirmation_number_format"),
        ({"journey_id": "FL_20270201"}, "invalid_journey_id_format"),
        ({"journey_id": "fl_QZ1_20270201"}, "invalid_journey_id_format"),
        ({"flight_number": "Q1"}, "invalid_flight_number_format"),
        ({"flight_number": "QZ12345"}, "invalid_flight_number_format"),
    ],
)
def test_wrong_value(change: dict[str, Any], error_type: str) -> None:
    spec = next(s for s in tools("airline") if s.name == "add_baggage_allowance")
    with pytest.raises(ToolFailure) as caught:
        spec.accept(VALID | change)
    assert caught.value.error_type == error_type
    assert len(str(caught.value)) < 300


def test_first_wrong_field_with_a_type_of_its_own_wins() -> None:
    spec = next(s for s in tools("airline") if s.name == "issue_travel_credit")
    wrong = {"confirmation_number": "AB1C2D", "passenger_id": "PAX001", "amount": 0}
    with pytest.raises(ToolFailure) as caught:
        spec.accept(wrong | {"credit_reason": "kindness"})
    assert caught.value.error_type == "invalid_credit_reason"
    with pytest.raises(ToolFailure) as caught:
        spec.accept(wrong | {"credit_reason": "goodwill"})
    assert caught.value.error_type == "invalid_parameter"
    assert "amount must be more than 0" in str(caught.value)


def test_extras_go_and_what_is_absent_is_none() -> None:
    spec = next(s for s in tools("airline") if s.name == "add_baggage_allowance")
    assert spec.accept(VALID | {"num_bags": "2", "colour": "red", "flight_number": None}) == VALID | {
        "num_bags": 2,
        "flight_number": None,
    }
