"""Tool-call validity: every error of form counts, none of content does."""

from __future__ import annotations

import pytest

from evalib.core import ToolCall
from evalib.metrics.tool_call_validity import METRIC, format_errors

# The 15 error types of the airline tools' parameters in the published definition (facts).
AIRLINE_FORMAT_ERRORS = {
    "invalid_rebooking_type",
    "invalid_fare_class",
    "invalid_meal_type",
    "invalid_credit_reason",
    "invalid_voucher_reason",
    "invalid_refund_type",
    "invalid_seat_preference",
    "invalid_cancellation_reason",
    "invalid_confirmation_number_format",
    "invalid_flight_number_format",
    "invalid_date_format",
    "invalid_journey_id_format",
    "invalid_passenger_id_format",
    "invalid_airport_code_format",
    "invalid_bag_count",
}
GENERAL = {"tool_not_found", "function_not_found", "execution_error", "invalid_parameter"}


def calls(*error_types):
    responses = [{"status": "error", "error_type": e} if e else {"status": "success"} for e in error_types]
    return [ToolCall(i, "assign_seat", {"n": i}, r, turn=i) for i, r in enumerate(responses)]


def head(conversation, scenario):
    return METRIC.score(conversation, scenario)[0]


def test_airline_errors_are_the_published_ones():
    assert format_errors("airline") == AIRLINE_FORMAT_ERRORS | GENERAL


@pytest.mark.parametrize("error", sorted(AIRLINE_FORMAT_ERRORS | GENERAL))
def test_each_error_of_form_counts(make_conversation, make_scenario, error):
    value = head(make_conversation(tool_calls=calls(None, error, None, None)), make_scenario())
    assert value.value == 0.75
    assert value.reason == f"1 x {error}"
    assert [(d.turn, d.evidence["error_type"]) for d in value.details] == [(1, error)]


@pytest.mark.parametrize(
    "error", ["not_found", "authentication_failed", "no_seats_available", "already_cancelled"]
)
def test_errors_of_content_do_not(make_conversation, make_scenario, error):
    assert head(make_conversation(tool_calls=calls(error, None)), make_scenario()).value == 1.0


def test_counts(make_conversation, make_scenario):
    conversation = make_conversation(tool_calls=calls("invalid_parameter", "invalid_parameter", "not_found"))
    found = {v.name: v.value for v in METRIC.score(conversation, make_scenario())}
    assert found["tool_call_validity"] == pytest.approx(1 / 3)
    assert found["tool_call_validity.num_tool_calls"] == 3
    assert found["tool_call_validity.num_malformed"] == 2


def test_no_calls_is_neither_zero_nor_one(make_conversation, make_scenario):
    value = head(make_conversation(tool_calls=[]), make_scenario())
    assert (value.value, value.status) == (None, "not_applicable")


def test_an_executor_that_really_refuses(make_conversation, make_scenario):
    """Malformed calls to the real tools: the metric sees what the executor answers."""
    from evalib.domains.executor import ToolExecutor

    executor = ToolExecutor("airline", {"reservations": {}}, "2026-03-01 09:00 EST")
    executor.call("get_reservation", {"confirmation_number": "TOO-LONG-1", "last_name": "Okafor"})
    executor.call("get_reservation", {"confirmation_number": "QX7R2M", "last_name": "Okafor"})
    executor.call("no_such_tool", {})
    executor.call("get_reservation", {})
    value = head(make_conversation(tool_calls=executor.log), make_scenario())
    assert value.value == 0.25
