"""The declarations of the airline tools: names, kinds, parameters (eva-compat signatures)."""

from __future__ import annotations

from evalib.domains.airline.policy import FARE_CLASSES, MAX_CHECKED_BAGS, MEAL_VOUCHER_AMOUNTS
from evalib.domains.toolspec import Kind, Parameter, ToolSpec

REBOOKING_TYPES = (
    "voluntary",
    "same_day",
    "irrops_cancellation",
    "irrops_delay",
    "irrops_schedule_change",
    "missed_flight_passenger_fault",
    "missed_connection_airline_fault",
)
SEAT_PREFERENCES = ("window", "aisle", "middle", "no_preference")
MEAL_TYPES = (
    "vegetarian",
    "vegan",
    "kosher",
    "halal",
    "gluten_free",
    "diabetic",
    "low_sodium",
    "child",
    "hindu",
    "standard",
    "none",
)
CREDIT_REASONS = (
    "cancellation_non_refundable",
    "fare_difference_negative",
    "service_recovery",
    "goodwill",
    "downgrade_compensation",
)
CANCELLATION_REASONS = (
    "voluntary",
    "irrops_refund",
    "24_hour_rule",
    "schedule_unacceptable",
    "medical",
    "bereavement",
)
REFUND_TYPES = ("full_fare", "partial_fare", "taxes_only", "ancillary_fees")


def _confirmation(asked: bool = False) -> Parameter:
    return Parameter(
        "confirmation_number",
        "string",
        "The six letters and digits that identify the booking.",
        pattern="[A-Za-z0-9]{6}",
        error_type="invalid_confirmation_number_format",
        asked_of_caller=asked,
    )


def _date(name: str, description: str) -> Parameter:
    return Parameter(
        name,
        "string",
        description,
        pattern="[0-9]{4}-[0-9]{2}-[0-9]{2}",
        error_type="invalid_date_format",
    )


def _journey(name: str = "journey_id", description: str = "The booked journey.") -> Parameter:
    return Parameter(
        name,
        "string",
        description,
        pattern="FL_(?:[A-Za-z0-9]+_)+[0-9]{8}",
        error_type="invalid_journey_id_format",
    )


def _flight(description: str, required: bool = True) -> Parameter:
    return Parameter(
        "flight_number",
        "string",
        description,
        required,
        pattern="[A-Za-z]{2,3}[0-9]{1,4}",
        error_type="invalid_flight_number_format",
    )


def _airport(name: str, description: str) -> Parameter:
    return Parameter(
        name,
        "string",
        description,
        pattern="[A-Za-z]{3}",
        error_type="invalid_airport_code_format",
    )


def _choice(
    name: str,
    enum: tuple[str, ...],
    description: str,
    required: bool = True,
    asked: bool = False,
    error: str = "",
) -> Parameter:
    return Parameter(
        name,
        "string",
        description,
        required,
        enum=enum,
        error_type=f"invalid_{error or name}",
        asked_of_caller=asked,
    )


CONFIRMATION = _confirmation()
JOURNEY = _journey()
PASSENGER = Parameter(
    "passenger_id",
    "string",
    "The passenger, as the reservation names them.",
    pattern="PAX[0-9]+",
    error_type="invalid_passenger_id_format",
)
ONE_FLIGHT = _flight("One flight of a journey of several; without it, the whole journey.", False)


def _spec(name: str, kind: Kind, description: str, *parameters: Parameter) -> ToolSpec:
    return ToolSpec(name, kind, description, parameters)


SPECS: tuple[ToolSpec, ...] = (
    _spec(
        "get_reservation",
        "auth",
        "Identify the caller and open their reservation. Comes before everything else.",
        _confirmation(asked=True),
        Parameter("last_name", "string", "A passenger's last name.", asked_of_caller=True),
    ),
    _spec(
        "get_flight_status",
        "read",
        "Schedule, status, gate, fares and seats of a flight.",
        _flight("The flight."),
        _date("flight_date", "The day it departs."),
    ),
    _spec(
        "get_disruption_info",
        "read",
        "Why a flight is disrupted, and what its passengers are entitled to.",
        _flight("The flight."),
        _date("date", "The day it departs."),
    ),
    _spec(
        "search_rebooking_options",
        "read",
        "Flights between two airports on a day that have enough seats.",
        _airport("origin", "Airport of departure."),
        _airport("destination", "Airport of arrival."),
        _date("date", "Day of departure."),
        Parameter("passenger_count", "integer", "Seats needed.", minimum=1),
        _choice("fare_class", (*FARE_CLASSES, "any"), "Cabin and fare, or any of them."),
    ),
    _spec(
        "rebook_flight",
        "write",
        "Move a booking to another journey and settle the price.",
        CONFIRMATION,
        JOURNEY,
        _journey("new_journey_id", "The journey to move to."),
        _choice("rebooking_type", REBOOKING_TYPES, "Whose doing the change is, and when it flies."),
        Parameter("waive_change_fee", "boolean", "True when a rule waives the change fee."),
        _choice(
            "new_fare_class",
            FARE_CLASSES,
            "The cabin and fare to change to; without it, the old one.",
            required=False,
            error="fare_class",
        ),
        ONE_FLIGHT,
    ),
    _spec(
        "add_to_standby",
        "write",
        "Put passengers on the waiting list of a flight; their booking stays as it is.",
        CONFIRMATION,
        _journey(description="The journey to wait for."),
        Parameter(
            "passenger_ids",
            "array",
            "The passengers, as the reservation names them.",
            pattern="PAX[0-9]+",
            error_type="invalid_passenger_id_format",
        ),
    ),
    _spec(
        "assign_seat",
        "write",
        "Give a passenger a seat of the kind they like.",
        CONFIRMATION,
        PASSENGER,
        JOURNEY,
        _choice("seat_preference", SEAT_PREFERENCES, "The kind of seat.", asked=True),
        ONE_FLIGHT,
    ),
    _spec(
        "add_baggage_allowance",
        "write",
        "Set the number of checked bags.",
        CONFIRMATION,
        JOURNEY,
        Parameter(
            "num_bags",
            "integer",
            "Checked bags in all.",
            minimum=0,
            maximum=MAX_CHECKED_BAGS,
            error_type="invalid_bag_count",
        ),
        ONE_FLIGHT,
    ),
    _spec(
        "add_meal_request",
        "write",
        "Set a passenger's meal.",
        CONFIRMATION,
        PASSENGER,
        JOURNEY,
        _choice("meal_type", MEAL_TYPES, "The meal.", asked=True),
        ONE_FLIGHT,
    ),
    _spec(
        "issue_travel_credit",
        "write",
        "Give a passenger credit for a later flight.",
        CONFIRMATION,
        PASSENGER,
        Parameter("amount", "number", "US dollars.", above=0),
        _choice("credit_reason", CREDIT_REASONS, "What the credit is for."),
    ),
    _spec(
        "issue_hotel_voucher",
        "write",
        "Pay a stranded passenger's hotel near the airport.",
        CONFIRMATION,
        PASSENGER,
        Parameter("num_nights", "integer", "Nights to pay for.", minimum=1),
    ),
    _spec(
        "issue_meal_voucher",
        "write",
        "Pay a waiting passenger's meal at the airport; the reason sets the amount.",
        CONFIRMATION,
        PASSENGER,
        _choice("voucher_reason", tuple(MEAL_VOUCHER_AMOUNTS), "What earned the voucher."),
    ),
    _spec(
        "cancel_reservation",
        "write",
        "Cancel one journey of a reservation; the money is settled by a further call.",
        CONFIRMATION,
        JOURNEY,
        _choice("cancellation_reason", CANCELLATION_REASONS, "Why it is cancelled."),
    ),
    _spec(
        "process_refund",
        "write",
        "Pay money back the way it was paid.",
        CONFIRMATION,
        Parameter("refund_amount", "number", "US dollars.", above=0),
        _choice("refund_type", REFUND_TYPES, "What is paid back."),
    ),
    _spec(
        "transfer_to_agent",
        "system",
        "Hand the caller over to a live agent, with a summary of the issue.",
        CONFIRMATION,
        Parameter("transfer_reason", "string", "Why the caller is handed over."),
        Parameter("issue_summary", "string", "What the live agent has to know."),
    ),
)
