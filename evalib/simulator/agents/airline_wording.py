"""The reference agent's sentences about flights, fares and vouchers."""

from __future__ import annotations

from typing import Any

from evalib.core import spoken
from evalib.domains.airline import policy
from evalib.domains.airline.airports import city
from evalib.simulator.agents.memory import Memory


def found(memory: Memory) -> str:
    """The booking that was opened and what happened to it."""
    bookings = [b for b in memory.reservation.get("bookings", []) if b.get("status") != "cancelled"]
    if not bookings:
        return ""
    first = bookings[0]["segments"][0]
    flight, date = spoken.say_flight(first["flight_number"]), spoken.say_date(first["date"])
    text = f"I found your booking on flight {flight} on {date}."
    if disruption := memory.disruption:
        text += f" {_disruption(disruption, memory)}"
    return text


def _disruption(disruption: dict[str, Any], memory: Memory) -> str:
    kind = str(disruption.get("disruption_type", "disruption")).replace("_", " ")
    minutes = disruption.get("delay_minutes")
    if kind == "cancellation":
        return "That flight was called off by the airline."
    if not minutes:
        return f"There is a {kind} on that flight."
    hours, rest = divmod(int(minutes), 60)
    length = f"{hours} hour{'s' if hours != 1 else ''}" + (f" {rest} minutes" if rest else "")
    text = f"There is a {kind} of {length}."
    for journey in memory.journeys.values():
        for segment in journey.get("segments", []):
            if segment.get("flight_number") == disruption.get("flight_number") and segment.get(
                "date", journey.get("date")
            ) == disruption.get("date"):
                if at := segment.get("estimated_departure"):
                    text += f" It now leaves at {spoken.say_time(at)}."
                return text
    return text


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _leg(journey: dict[str, Any]) -> str:
    first, last = journey["segments"][0], journey["segments"][-1]
    flights = " and ".join(spoken.say_flight(s["flight_number"]) for s in journey["segments"])
    text = f"flight{'s' if len(journey['segments']) > 1 else ''} {flights}"
    if date := journey.get("date"):
        text += f" on {spoken.say_date(date)}"
    if at := first.get("scheduled_departure"):
        text += f", leaving {city(first.get('origin', journey.get('origin', '')))} at {spoken.say_time(at)}"
    if at := last.get("scheduled_arrival"):
        text += f" and arriving at {spoken.say_time(at)}"
    return text


def cost(call: dict[str, Any], memory: Memory) -> tuple[float, float]:
    """(change fee, fare difference) of a rebooking in dollars, by the policy and the fares seen."""
    args = call["arguments"]
    booking = memory.booking(args["journey_id"])
    journey = memory.journeys.get(args["new_journey_id"], {})
    old_class = booking.get("fare_class", "main_cabin")
    new_class = args.get("new_fare_class") or old_class
    if policy.is_irrops(args["rebooking_type"]):
        return 0.0, 0.0
    fee = policy.change_fee(args["rebooking_type"], old_class, args["waive_change_fee"])
    flight = args.get("flight_number")
    paid = booking.get("fare_paid")
    if flight:
        paid = next(
            (s["fare_paid"] for s in booking.get("segments", []) if s["flight_number"] == flight), paid
        )
    fare = _fare(journey, new_class)
    return float(fee), float(fare - paid) if fare is not None and paid is not None else 0.0


def _fare(journey: dict[str, Any], fare_class: str) -> float | None:
    """The fare of a class on a journey, as far as the tools have told."""
    if "fares" in journey:
        return journey["fares"].get(fare_class)
    segments = journey.get("segments", [])
    if len(segments) == 1 and "fares" in segments[0]:
        return segments[0]["fares"].get(fare_class)
    return journey.get("fare")  # of the class that was searched for


def _price(fee: float, difference: float) -> str:
    """What a change costs, in a sentence; a lower fare lowers nothing, it becomes credit."""
    parts = []
    if fee:
        parts.append(f"The change fee is {spoken.say_money(fee)}")
    if difference > 0:
        parts.append(f"the fare difference is {spoken.say_money(difference)}")
    if not parts:
        return "There is no charge."
    total = f", so {spoken.say_money(fee + difference)} in total." if len(parts) == 2 else " in total."
    text = " and ".join(parts) + total
    return text[0].upper() + text[1:]


def offer(call: dict[str, Any], memory: Memory) -> str | None:
    """One sentence or two about a write to come; None when it needs no mention of its own."""
    args = call["arguments"]
    match call["name"]:
        case "rebook_flight":
            journey = memory.journeys.get(args["new_journey_id"])
            text = (
                f"I can rebook you on {_leg(journey)}."
                if journey and journey.get("segments")
                else "I can rebook you."
            )
            return f"{text} {_price(*cost(call, memory))}"
        case "add_to_standby":
            journey = memory.journeys.get(args["journey_id"])
            leg = _leg(journey) if journey and journey.get("segments") else "that flight"
            return f"I can put you on standby for {leg}, free of charge."
        case "cancel_reservation":
            booking = memory.booking(args["journey_id"])
            segment = (booking.get("segments") or [{}])[0]
            if not segment.get("flight_number"):
                return "I can cancel that flight."
            flight, date = spoken.say_flight(segment["flight_number"]), spoken.say_date(segment["date"])
            return f"I can cancel flight {flight} on {date}."
        case "process_refund":
            what = str(args["refund_type"]).replace("_", " ")
            return f"I can refund {spoken.say_money(args['refund_amount'])} for the {what}."
        case "issue_travel_credit":
            return f"I can give you a travel credit of {spoken.say_money(args['amount'])}."
        case "issue_hotel_voucher":
            return f"I can issue a hotel voucher for {_count(args['num_nights'], 'night')}."
        case "issue_meal_voucher":
            amount = policy.MEAL_VOUCHER_AMOUNTS[args["voucher_reason"]]
            return f"I can issue a meal voucher of {spoken.say_money(amount)}."
        case "transfer_to_agent":
            return "I can transfer you to a live agent."
        case "assign_seat" | "add_baggage_allowance" | "add_meal_request":
            return ""
    return None


def report(call: dict[str, Any], response: dict[str, Any], memory: Memory) -> str | None:
    """One sentence about a write that is done; None for the generic wording."""
    args = call["arguments"]
    match call["name"]:
        case "rebook_flight":
            journey = response["new_journey"]
            return f"You are now rebooked on {_leg(journey)}. The total charge is {spoken.say_money(response['cost_summary']['total_collected'])}."  # noqa: E501
        case "add_to_standby":
            journey = memory.journeys.get(args["journey_id"], {})
            name = (
                spoken.say_flight(journey["segments"][0]["flight_number"])
                if journey.get("segments")
                else "that flight"
            )
            return f"I have added you to standby for {name} at position {response['standby_list_position']}."
        case "cancel_reservation":
            return "Your flight has been cancelled."
        case "process_refund":
            return f"Your refund of {spoken.say_money(response['refund_amount'])} has been processed."
        case "issue_travel_credit":
            return f"Your travel credit of {spoken.say_money(args['amount'])} has been issued."
        case "issue_hotel_voucher":
            return f"Your hotel voucher has been issued for {_count(args['num_nights'], 'night')}."
        case "issue_meal_voucher":
            return f"Your meal voucher of {spoken.say_money(response['amount'])} has been issued."
        case "assign_seat":
            return (
                f"Your seat is {spoken.say_code(str(response['seat_assigned']))}, {args['seat_preference']}."
            )
        case "add_baggage_allowance":
            bags = args["num_bags"]
            return f"I have added {_count(bags, 'checked bag')}." if bags else ""
        case "add_meal_request":
            return (
                ""
                if args["meal_type"] in ("none", "standard")
                else f"I have noted the {args['meal_type'].replace('_', ' ')} meal request."
            )
        case "transfer_to_agent":
            return ""
    return None
