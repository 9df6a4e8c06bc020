"""What a reference agent says about a tool: before it acts, and after.

One generic wording serves every tool of every domain; a domain may say it better
(:mod:`~evalib.simulator.agents.airline_wording`). Sentences are short, one fact each: this is a
phone call.
"""

from __future__ import annotations

from typing import Any

from evalib.core import spoken
from evalib.simulator.agents import airline_wording
from evalib.simulator.agents.memory import Memory

_BY_DOMAIN = {"airline": airline_wording}

GREETING = "Thank you for calling. How can I help you today?"
ANYTHING_ELSE = "Is there anything else I can help you with?"

_ASKING = {
    "confirmation_number": "May I have your six character confirmation number, please?",
    "last_name": "And what is the last name on the booking?",
    "seat_preference": "Would you prefer a window, an aisle or a middle seat?",
    "meal_type": "What meal preference should I note?",
    "destination": "Which city would you like to fly to?",
    "origin": "Which city would you like to leave from?",
    "date": "What date would you like to travel?",
    "flight_date": "What date is the flight?",
    "flight_number": "What is the flight number?",
}
_AGAIN = {
    "confirmation_number": "I'm sorry, I could not find a booking with that. Please say the confirmation "
    "number once more, "
    "slowly, with the phonetic alphabet.",
    "last_name": "I'm sorry, the last name does not match the booking. Please spell the last name once "
    "more, slowly.",
    "seat_preference": "I'm sorry, that kind of seat is sold out on that flight. "
    "Which other seat would you prefer, window, aisle or middle?",
}


def ask(parameter: str, *, again: bool = False, failed: bool = False) -> str:
    """The question for one argument; `again` after an answer that was not understood, or that did not
    work (`failed`)."""
    if again and failed and parameter in _AGAIN:
        return _AGAIN[parameter]
    words = parameter.replace("_", " ")
    question = _ASKING.get(parameter, f"What is the {words}?")
    return f"I'm sorry, I didn't catch that. {question}" if again else question


def offer(domain: str, calls: list[dict[str, Any]], memory: Memory) -> str:
    """What the agent is about to do, and the question whether it may."""
    wording = _BY_DOMAIN.get(domain)
    parts = [s for s in (wording.offer(c, memory) if wording else None for c in calls) if s]
    if not parts:
        parts = [f"I can {_generic(c)} now." for c in calls]
    return " ".join(parts) + " Shall I go ahead?"


def report(domain: str, done: list[tuple[dict[str, Any], dict[str, Any]]], memory: Memory) -> str:
    """What has been done, from the tools' own answers."""
    wording = _BY_DOMAIN.get(domain)
    parts = []
    for call, response in done:
        text = wording.report(call, response, memory) if wording else None
        parts.append(f"I have completed this: {_generic(call)}." if text is None else text)
    return " ".join(p for p in parts if p)


def reference_number(memory: Memory) -> str:
    """The sentence that gives the caller something to refer to; "" when there is nothing."""
    code = memory.reservation.get("confirmation_number")
    return f"Your confirmation number is {spoken.say_code(code)}." if code else ""


def found(domain: str, memory: Memory) -> str:
    """What the lookups of a turn brought, before anything is offered."""
    wording = _BY_DOMAIN.get(domain)
    return wording.found(memory) if wording else ""


def _generic(call: dict[str, Any]) -> str:
    return call["name"].replace("_", " ")
