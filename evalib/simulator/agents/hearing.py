"""What a reference agent takes from the caller's words, argument by argument."""

from __future__ import annotations

import re

from evalib.core import spoken
from evalib.domains.airline.airports import CITIES
from evalib.domains.toolspec import Parameter

_YES = re.compile(
    r"\b(?:yes|yeah|yep|sure|please do|go ahead|okay|ok|that works|sounds good|correct|do it|right)\b", re.I
)
_NO = re.compile(r"\b(?:no|nope|not|don'?t|do not|can'?t|won'?t|too expensive)\b", re.I)
# "An aisle seat" comes out of a recogniser as "an I'll seat".
_AISLE = re.compile(r"\b(?:isle|i'?ll|i will|isles|aisles|aile)\b(?= seat|[,.]|$)")
_SEATS = ("window", "aisle", "middle")


def said_yes(heard: str) -> bool:
    return bool(_YES.search(heard)) and not said_no(heard)


def said_no(heard: str) -> bool:
    """A refusal. "No problem, go ahead" is none; a question is none either."""
    cleaned = re.sub(r"\bno (?:problem|worries)\b", "", heard, flags=re.I)
    return bool(_NO.search(cleaned)) and "?" not in cleaned


def hear_argument(parameter: Parameter, heard: str, now: str) -> str | None:
    """The value of one tool argument in what was heard, or None when there is nothing like it."""
    if parameter.name == "meal_type" and re.search(r"\bno (?:special \w+|meal)", heard, re.I):
        return "none"
    if parameter.enum and parameter.name != "seat_preference":
        return _choice(parameter.enum, heard)
    match parameter.name:
        case "confirmation_number":
            return spoken.hear_code(heard, length=6)
        case "last_name" | "first_name":
            return spoken.hear_name(heard)
        case "seat_preference":
            return hear_seat(heard)
        case "origin" | "destination":
            return _airport(heard, parameter.name)
        case "flight_number":
            return spoken.hear_flight(heard)
        case name if "date" in name:
            return spoken.hear_date(heard, near=now[:10])
    return spoken.hear_code(heard)


def _choice(enum: tuple[str, ...], heard: str) -> str | None:
    """The option all of whose words were heard; the longest, when several were."""
    words = set(re.findall(r"[a-z0-9]+", heard.lower()))
    hits = [option for option in enum if set(option.split("_")) <= words]
    return max(hits, key=len) if hits else None


def hear_seat(heard: str) -> str | None:
    """The first seat type named."""
    text = _AISLE.sub("aisle", heard.lower())
    named = [(text.find(s), s) for s in _SEATS if s in text]
    if named:
        return min(named)[1]
    return "no_preference" if re.search(r"\bany\b|no preference|doesn'?t matter", text) else None


# Where the caller names both ends: what follows "from", and what follows a "to" that leads to a place.
_FROM = re.compile(
    r"\b(?:from|leaving|departing)\b(.*?)(?=\bto\b(?! (?:leave|depart|fly|go|travel|be)\b)|"
    r"\bto (?:fly|go|travel|be)\b|$)",
    re.I | re.S,
)
_TO = re.compile(
    r"\bto\b(?! (?:leave|depart|fly|go|travel|be)\b)(.*?)(?=\b(?:from|leaving|departing|leave)\b|$)",
    re.I | re.S,
)


def _airport(heard: str, parameter: str) -> str | None:
    """The airport at one end of the journey: of two that were named, the one after "from" or "to"."""
    part = (_FROM if parameter == "origin" else _TO).search(heard)
    return (part and _airport_in(part[1])) or _airport_in(heard)


def _airport_in(heard: str) -> str | None:
    """The spelled code where the city heard agrees with it or none was heard, else the first city's."""
    text = heard.lower()
    named = sorted((text.find(city.lower()), code) for code, city in CITIES.items() if city.lower() in text)
    cities = [code for _, code in named]
    code = spoken.hear_code(heard, length=3)
    if code in CITIES and (not cities or code in cities):
        return code
    return cities[0] if cities else code
