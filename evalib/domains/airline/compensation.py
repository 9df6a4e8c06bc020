"""Tools that give money or care: travel credit, refund, hotel and meal voucher.

Codes are derived, not drawn, so that a state can be compared. They are those of the published
tools, with their limits: one credit, one hotel voucher and one meal voucher fit on a reservation,
a second of a kind takes the place of the first.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from evalib.domains.airline import policy
from evalib.domains.airline.lookups import Record, passenger_of, reservation_of
from evalib.domains.toolspec import ToolFailure


def issue_travel_credit(db: Record, args: dict[str, Any], call_index: int) -> Record:
    holder = _holder(db, args)
    code = f"TC{holder['confirmation_number']}{holder['passenger_id'][:3].upper()}"
    today = date.fromisoformat(db["_current_date"])
    db.setdefault("travel_credits", {})[code] = {
        "credit_code": code,
        **holder,
        "amount": args["amount"],
        "credit_reason": args["credit_reason"],
        "issued_date": today.isoformat(),
        "expiry_date": policy.credit_expiry(today).isoformat(),
        "status": "active",
    }
    return {
        **holder,
        "credit_code": code,
        "amount": args["amount"],
        "valid_months": policy.CREDIT_VALID_MONTHS,
        "message": f"${args['amount']} travel credit issued with code {code}",
    }


def _holder(db: Record, args: dict[str, Any]) -> Record:
    reservation = reservation_of(db, args["confirmation_number"])
    return {
        "confirmation_number": reservation["confirmation_number"],
        "passenger_id": passenger_of(reservation, args["passenger_id"])["passenger_id"],
    }


def issue_hotel_voucher(db: Record, args: dict[str, Any], call_index: int) -> Record:
    holder = _holder(db, args)
    nights = args["num_nights"]
    if nights > policy.MAX_HOTEL_NIGHTS:
        raise ToolFailure("exceeds_max_nights", f"{nights} nights are more than {policy.MAX_HOTEL_NIGHTS}")
    code = f"HOTEL-{holder['confirmation_number']}"
    db.setdefault("hotel_vouchers", {})[code] = {
        "voucher_code": code,
        **holder,
        "num_nights": nights,
        "issued_date": db["_current_date"],
        "status": "active",
    }
    return {
        **holder,
        "voucher_code": code,
        "number_of_nights": nights,
        "valid_at": "Any hotels in airport area",
        "message": f"Hotel voucher issued with code {code} for {nights} nights",
    }


def issue_meal_voucher(db: Record, args: dict[str, Any], call_index: int) -> Record:
    holder = _holder(db, args)
    reason = args["voucher_reason"]
    amount = policy.MEAL_VOUCHER_AMOUNTS[reason]
    code = f"MEAL-{holder['confirmation_number']}-{holder['passenger_id'][:4].upper()}"
    db.setdefault("meal_vouchers", {})[code] = {
        "voucher_code": code,
        **holder,
        "amount": amount,
        "voucher_reason": reason,
        "issued_date": db["_current_date"],
        "status": "active",
    }
    return {
        **holder,
        "voucher_code": code,
        "amount": amount,
        "valid_at": "Airport terminal restaurants",
        "message": f"${amount} meal voucher issued with code {code}",
    }


def process_refund(db: Record, args: dict[str, Any], call_index: int) -> Record:
    code = reservation_of(db, args["confirmation_number"])["confirmation_number"]
    refund = {
        "refund_id": f"REF-{code}-{call_index:03d}",
        "confirmation_number": code,
        "refund_amount": args["refund_amount"],
        "refund_type": args["refund_type"],
        "processing_days": policy.REFUND_PROCESSING_BUSINESS_DAYS,
    }
    db.setdefault("refunds", {})[refund["refund_id"]] = refund | {
        "initiated_date": db["_current_date"],
        "status": "processing",
    }
    days = refund["processing_days"]
    message = f"${args['refund_amount']} refund initiated, processing time {days} business days"
    return refund | {"message": message}
