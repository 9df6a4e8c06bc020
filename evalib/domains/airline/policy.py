"""The airline's rules in figures: fees, windows, vouchers, refunds.

Source: the airline policy of the EVA-Bench paper (appendix J.2) and the published tools. Amounts in
US dollars. The tools compute with these figures, but trust the agent to classify the case: whether
a fee may be waived, a voucher is due or a cut-off has passed is the agent's judgement, and what it
gets wrong shows in the final state.
"""

from __future__ import annotations

from datetime import date

FARE_CLASSES = ("basic_economy", "main_cabin", "premium_economy", "business", "first")
ECONOMY_CLASSES = FARE_CLASSES[:3]

# Change fees
CHANGE_FEE = 75
SAME_DAY_BASIC_ECONOMY_FEE = 199
SAME_DAY_FEE_WAIVED_FOR = ("Gold", "Platinum")
VOLUNTARY_FEE_WAIVED_FOR = ("Platinum",)
IRROPS_WAIVER_DELAY_MIN = 120  # a delay or schedule change beyond this waives all fees

# Until when, and for how long
VOLUNTARY_CUTOFF_MIN = 120
SAME_DAY_CUTOFF_MIN = 30
IRROPS_REBOOKING_DAYS = 7
MISSED_FLIGHT_REBOOKING_HOURS = 24

# Cancelling
CANCELLATION_FEE = 100
REFUNDABLE_REASONS = ("irrops_refund", "24_hour_rule")
IRROPS_REFUND_DELAY_MIN = 240  # a delay or schedule change beyond this may be refunded
FREE_CANCELLATION_HOURS = 24
FREE_CANCELLATION_MIN_DAYS_BEFORE_DEPARTURE = 7
REFUND_PROCESSING_BUSINESS_DAYS = 7
CREDIT_VALID_MONTHS = 12

# Care
MEAL_VOUCHER_AMOUNTS = {
    "delay_over_2_hours": 12,
    "delay_over_4_hours": 15,
    "cancellation_wait_same_day": 15,
    "irrops_overnight": 25,
}
MEAL_VOUCHER_DELAY_MIN = 120
MEAL_VOUCHER_LONG_DELAY_MIN = 240  # from here on, the higher of the two delay amounts
MAX_HOTEL_NIGHTS = 3
MAX_CHECKED_BAGS = 5


def is_irrops(rebooking_type: str) -> bool:
    """Whether the tools take the change for the airline's doing and charge nothing.

    A connection missed by the airline's fault is not among these, as in the published tools: there
    the agent waives the fee.
    """
    return "irrops" in rebooking_type


def change_fee(rebooking_type: str, fare_class: str, waived: bool) -> int:
    """The fee for changing a ticket of a fare class, in dollars."""
    if waived or is_irrops(rebooking_type):
        return 0
    if rebooking_type == "same_day":
        return SAME_DAY_BASIC_ECONOMY_FEE if fare_class == "basic_economy" else CHANGE_FEE
    return CHANGE_FEE if fare_class in ECONOMY_CLASSES else 0


def credit_expiry(issued: date) -> date:
    """The last day of a travel credit: the same day a year on (29 February becomes the 28th)."""
    year, month0 = divmod(issued.year * 12 + issued.month - 1 + CREDIT_VALID_MONTHS, 12)
    leap_day = (issued.month, issued.day) == (2, 29)
    return date(year, month0 + 1, 28 if leap_day else issued.day)
