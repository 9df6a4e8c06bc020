"""What a caller knows, and how it says it aloud.

A record's ``information_required`` is free-form: about a hundred different keys in each published
domain, some with hints in them (``phone_number_if_asked``). A fact is therefore found by the words
of its key, and spoken by the shape of its value: codes letter by letter, digits one by one, dates
and addresses as a person says them. Where the record leaves a choice to the caller (which city,
which day), the reference calls say what it would answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evalib.core import Scenario, spoken

_OTHERS = re.compile(r"husband|wife|companion|spouse|partner|colleague|manager|friend|dependent")
_FILLER = frozenset(
    [
        "your",
        "my",
        "the",
        "a",
        "an",
        "of",
        "if",
        "asked",
        "reference",
        "only",
        "current",
        "original",
        "known",
        "for",
        "to",
    ]
)

_FLIGHT = re.compile(r"[A-Z]{2,3}\d{1,4}")
_CODE = re.compile(r"(?=[A-Z0-9-]*\d)[A-Z0-9]+(?:-[A-Z0-9]+)*|[A-Z]{5,8}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{1,2}:\d{2}")
_PHONE = re.compile(r"\+?[\d\s().-]{7,}")

# Which arguments of the reference calls tell a fact that the record does not state, best first.
_FROM_CALLS = {
    "destination": ("destination",),
    "origin": ("origin",),
    "date": ("date", "flight_date"),
    "flight": ("flight_number",),
    "meal": ("meal_type",),
}
# Where several calls have the argument, the search says what the caller wants next.
_SAYS_WISHES = "search_rebooking_options"


class Knowledge:
    """The facts one caller can be asked for."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._facts = dict(_flatten(scenario.information))
        self.confirmation = self._confirmation()
        self.first_name, self.last_name = self._names()

    def _confirmation(self) -> str | None:
        for key, value in self._facts.items():
            if "confirmation" in key and not _OTHERS.search(key) and re.fullmatch(r"[A-Za-z0-9]{6}", value):
                return value.upper()
        return self.scenario.expected_session.get("confirmation_number") or self._from_calls(
            "confirmation_number"
        )

    def _from_calls(self, argument: str) -> str | None:
        """What the first reference call that takes an argument gives it."""
        given = (
            c["arguments"][argument] for c in self.scenario.reference_calls if argument in c["arguments"]
        )
        return next((str(value) for value in given if value), None)

    def _names(self) -> tuple[str, str]:
        first, _, last = str(self.scenario.caller.get("name", "")).partition(" ")
        for key, value in self._facts.items():
            if _OTHERS.search(key):
                continue
            if "last name" in key:
                last = value
            elif "first name" in key:
                first = value
        return first, last or self._from_calls("last_name") or ""

    def seat_choices(self) -> list[str]:
        """Seat types in order of preference; where the record states none, as the reference calls ask."""
        stated = False
        for key, wish in _seat_wishes(self.scenario.information):
            if not _OTHERS.search(key) and (types := _seat_types(wish)):
                return types
            stated |= bool(re.search(r"\bany\b|no preference", str(wish).replace("_", " "), re.I))
        asked = [
            c["arguments"].get("seat_preference")
            for c in self.scenario.reference_calls
            if c["name"] == "assign_seat" and not stated
        ]
        return _seat_types(asked)

    def say(self, fact: str, *, careful: bool = False, which: int = 0) -> str | None:
        """One spoken sentence that gives `fact`, or None when the caller does not know it.

        ``careful`` is the second, slower way: the NATO alphabet. ``which`` counts how often the
        fact was asked for anew: a caller who would fly from either of two cities names the second
        one when the first did not work out.
        """
        if fact == "confirmation":
            if not self.confirmation:
                return None
            return f"My confirmation number is {spoken.say_code(self.confirmation, nato=careful)}."
        if fact == "last_name":
            spelled = spoken.spell_name(self.last_name, nato=careful)
            return f"The last name is {self.last_name}. That is spelled {spelled}."
        if fact == "first_name":
            return f"My first name is {self.first_name}."
        if fact == "full_name":
            return f"My name is {self.first_name} {self.last_name}."
        values = self.values(fact)
        if not values:
            return None
        if fact == "meal" and _NO_MEAL.fullmatch(values[0]):
            return "No special meal, please."
        return (
            f"{_LEAD.get(fact, 'It is')} {say_value(values[min(which, len(values) - 1)], careful=careful)}."
        )

    def values(self, fact: str) -> list[str]:
        """The bare values of a fact other than the names and the confirmation number, best first."""
        found = []
        acceptance = (self.scenario.decision_tree or {}).get("acceptance") or {}
        if acceptance.get(fact) is not None:
            found.append(str(acceptance[fact]))
        calls = sorted(self.scenario.reference_calls, key=lambda c: c["name"] != _SAYS_WISHES)
        for argument in _FROM_CALLS.get(fact, ()):
            found += [str(c["arguments"][argument]) for c in calls if argument in c["arguments"]]
        found += [v for k, v in self._facts.items() if fact in k and not _OTHERS.search(k)]
        return list(dict.fromkeys(found))

    def matching(self, question: str) -> list[str]:
        """Spoken facts whose key words all occur in a question, the most specific first."""
        asked = set(re.findall(r"[a-z]+", question.lower()))
        hits = []
        for key, value in self._facts.items():
            words = set(key.split()) - _FILLER
            if words and words <= asked and not _OTHERS.search(key):
                none = "meal" in words and _NO_MEAL.fullmatch(value)
                said = "No special meal, please." if none else f"My {key} is {say_value(value)}."
                hits.append((len(words), said))
        return [text for _, text in sorted(hits, key=lambda h: -h[0])]


_LEAD = {
    "destination": "I want to fly to",
    "origin": "I want to leave from",
    "date": "I want to travel on",
    "flight": "It is flight",
}


def _flatten(value: Any, prefix: str = ""):
    """(key words, text) of every scalar in a free-form dict; seat wishes are kept apart."""
    for key, item in value.items():
        words = re.sub(r"[^a-z0-9]+", " ", f"{prefix} {key}".lower()).strip()
        if isinstance(item, dict):
            yield from _flatten(item, words)
        elif isinstance(item, list):
            yield words, ", ".join(str(i) for i in item if not isinstance(i, dict | list))
        elif item is not None:
            yield words, str(item)


def say_value(value: str, *, careful: bool = False) -> str:
    """A value as a person says it, by its shape."""
    from evalib.domains.airline.airports import CITIES

    if value in CITIES:
        return f"{CITIES[value]}, airport code {spoken.say_code(value, nato=careful)}"
    if _DATE.fullmatch(value):
        return _say_date(value)
    if _TIME.fullmatch(value):
        return spoken.say_time(value)
    if "@" in value:
        return spoken.say_email(value)
    if _PHONE.fullmatch(value):
        return spoken.say_phone(value)
    if _FLIGHT.fullmatch(value) and not careful:
        return spoken.say_flight(value)
    if _CODE.fullmatch(value):
        return spoken.say_code(value, nato=careful)
    return _say_inside(value.replace("_", " "))


def _say_inside(text: str) -> str:
    """Free text with the dates, times, flights, airports and codes in it as a person says them."""
    from evalib.domains.airline.airports import CITIES

    text = re.sub(r"\b\d{4}-\d{2}-\d{2}\b", lambda m: _say_date(m[0]), text)
    text = re.sub(
        r"\b([01]?\d|2[0-3]):([0-5]\d)\b(?!:|\s*[ap]\.?m)",
        lambda m: spoken.say_time(f"{int(m[1]):02d}:{m[2]}"),
        text,
        flags=re.I,
    )
    text = re.sub(r"\b[A-Z]{2}\d{1,4}\b", lambda m: spoken.say_flight(m[0]), text)
    text = re.sub(
        r"\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,8}\b", lambda m: spoken.say_code(m[0]), text
    )
    return re.sub(r"\b[A-Z]{3}\b", lambda m: CITIES.get(m[0], m[0]), text)


def _say_date(text: str) -> str:
    """A date as it is said; text that only looks like one stays as it is."""
    try:
        return spoken.say_date(text)
    except ValueError:
        return text


_NO_MEAL = re.compile(r"none|no|no preference|no special meal|standard|regular", re.I)
_SEAT_TYPE = re.compile(r"window|aisle|middle", re.I)
_NOT_THAT = re.compile(
    r"\b(?:no|not|never|except|but not|other than|anything but|avoid)(?: an?| the)? (?:window|aisle|middle)",
    re.I,
)
_RANKS = ("first", "preferred", "primary", "second", "backup", "fallback", "third", "fourth")


def _seat_wishes(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """(key, wish) of everything in a free-form dict whose key speaks of a seat, at any depth."""
    if not isinstance(value, dict):
        return
    for name, item in value.items():
        words = f"{key} {name}".lower().replace("_", " ")
        if "seat" in str(name).lower():
            yield words, item
        else:
            yield from _seat_wishes(item, words)


def _seat_types(wish: Any) -> list[str]:
    """Seat types in a wish, the dearest first: a word, a sentence, a list, or a dict of ranked choices."""
    if isinstance(wish, dict):
        ranks = {k: next((i for i, r in enumerate(_RANKS) if r in str(k).lower()), len(_RANKS)) for k in wish}
        wish = [wish[k] for k in sorted(wish, key=lambda k: ranks[k])]
    if isinstance(wish, list):
        found = [seat for item in wish for seat in _seat_types(item)]
    else:
        found = [m[0].lower() for m in _SEAT_TYPE.finditer(_NOT_THAT.sub(" ", str(wish or "")))]
    return list(dict.fromkeys(found))
