"""What an offer says: what it would do, when and where it flies, what it costs and what it gives.

Texts come from a recogniser. Whatever is read here is therefore *found*, never proven absent: a
caller may turn an offer down for what it heard, not for what it did not hear.
"""

from __future__ import annotations

import re

from evalib.core import spoken
from evalib.core.spoken.numbers import figures
from evalib.domains.airline.airports import CITIES

# What an agent's sentence is about, by tool. Ordered from the specific to the general.
ACTIONS = (
    ("transfer_to_agent", r"transfer|live agent|supervisor|connect you"),
    ("add_to_standby", r"stand-?\s?by"),
    ("issue_hotel_voucher", r"hotel"),
    ("issue_meal_voucher", r"(?:meal|food) voucher|voucher for (?:a )?(?:meal|food)|\$?(?:12|15"
        r"|25) (?:dollar )?(?:meal )?voucher"),
    ("issue_travel_credit", r"travel credit|\bcredit\b(?! card)"),
    ("process_refund", r"refund"),
    ("cancel_reservation", r"cancel (?:your|the|that|this|it|flight|only|just)|cancell?ed (?:your|the"
        r"|flight|and)|cancellation of|(?:been|is now|is|was) cancell?ed"),
    ("rebook_flight", r"rebook|re-book|move you|moved you|book you|booked (?:you )?on|change you"
        r"|changed (?:you|to)|switch you|new flight"
        r"|changed? your (?:flight|booking|reservation)|put you on (?:the |that )?flight|confirmed on"
        r"|(?:there is|i have|i do have|we have|there's) (?:a |one )?(?:seat|flight)\b"),
    ("add_baggage_allowance", r"\bbags?\b|baggage"),
    ("add_meal_request", r"meal request|special meal"),
    ("assign_seat", r"\bseat\b"),
)  # fmt: skip
_ACTIONS = tuple((tool, re.compile(p, re.I)) for tool, p in ACTIONS)

# What is sold on top of anything; no scenario is about it.
EXTRAS = re.compile(
    r"(?:travel )?insurance|upgrade|lounge|priority boarding|wi-?fi|car rental|rental car|extra legroom"
    r"|our credit card|membership|newsletter|survey|loyalty program",
    re.I,
)


def actions(text: str) -> set[str]:
    """The tools whose effect a text speaks of."""
    return {tool for tool, pattern in _ACTIONS if pattern.search(text)}


# -- the part of a reply that is the offer -------------------------------------------------------

_CANNOT = re.compile(
    r"can(?:'t|not)\b|could ?n(?:'t|ot)\b|unable|not able|not (?:allowed|permitted|eligible)"
    r"|not (?:possible|available)"
    r"|unavailable|sold out|fully booked|do(?:es)? ?n(?:'t|ot) (?:allow|cover|qualify)|won'?t be able"
    r"|against (?:our )?policy|nothing (?:more|else) i can|no (?:exceptions?|other options?)\b",
    re.I,
)
# How things stand, which is no offer: the booking that was found, the delay it has.
_STANDING = re.compile(
    r"(?:found|see) (?:that )?you|your (?:original|current|existing)|you(?:'re| are) (?:currently )?(?:booked"
    r"|confirmed|scheduled)|now leaves|\bdelay|called off|by the airline|you paid",
    re.I,
)
_WOULD = re.compile(r"\b(?:can|could)\b(?! see| find| confirm)|\b(?:shall|would|instead)\b", re.I)
# Sentences, and what follows a "but" or opens an offer where a recogniser lost the full stop.
_BREAK = re.compile(
    r"(?<=[.!?])\s+|,?\s+(?=but\b|however\b)"
    r"|(?<!if)(?<!else)(?<!what)(?<!whether),?\s+(?=(?:and )?I can (?:re|put|move|book|offer|issue))",
    re.I,
)


def clauses(text: str) -> list[str]:
    """Sentences, parted also where "but" turns from one thing to another."""
    return [part for part in _BREAK.split(text) if part.strip()]


def is_refused(clause: str) -> bool:
    """Whether a clause says that something cannot be."""
    return bool(_CANNOT.search(clause))


def proposed(text: str) -> str:
    """A reply without what it refuses and without how things stand now."""
    return " ".join(
        c for c in clauses(text) if not is_refused(c) and (_WOULD.search(c) or not _STANDING.search(c))
    )


# -- when and where ---------------------------------------------------------------------------------

# As written and as recognisers write it: "7:15 AM", "7.15 am", "7 15 am", "715am".
_CLOCK = re.compile(r"\b(\d{1,2}?)(?:[:. ]?(\d{2}))?\s*([ap])\.?\s?m\b", re.I)
_NOON = re.compile(r"\b(noon|midnight)\b", re.I)
_CLOCK_24 = re.compile(r"\b([01]\d|2[0-3]|\d):([0-5]\d)\b(?!\s*[ap]\.?\s?m\b)", re.I)
_ONLY_24 = re.compile(r"\b(?:0\d|1[3-9]|2[0-3]):[0-5]\d\b")
_ARRIVING = re.compile(r"arriv|riving|\bland|\breach|get (?:you )?(?:in|there)|gets in", re.I)
_DAY = 24 * 60
# Flying west across a time zone, a short flight may land a little before it left.
_BACKWARDS = 180


def _clock_times(text: str) -> list[tuple[int, int]]:
    """(place in the text, minutes after midnight) of each time named."""
    found = []
    for m in _CLOCK.finditer(text):
        if int(m[1]) <= 12:
            hour = int(m[1]) % 12 + (12 if m[3].lower() == "p" else 0)
            found.append((m.start(), hour * 60 + int(m[2] or 0)))
    if not found and _ONLY_24.search(text):
        found = [(m.start(), int(m[1]) * 60 + int(m[2])) for m in _CLOCK_24.finditer(text)]
    found += [(m.start(), 720 if m[1].lower() == "noon" else 0) for m in _NOON.finditer(text)]
    return sorted(found)


def clock_times(text: str) -> list[int]:
    """Times of day named in a text, as minutes after midnight, in order.

    Times without AM or PM are taken as 24-hour times only where one of them can be nothing else.
    """
    return [minutes for _, minutes in _clock_times(figures(text))]


def departure_and_arrival(text: str) -> tuple[int | None, int | None]:
    """Minutes after midnight of departure and last arrival; an arrival on the next day is above 1440.

    A time is an arrival when "arriving" or the like stands before it; without such a word the second
    time is.
    """
    text = figures(text)
    leaves: list[int] = []
    lands: list[int] = []
    before = 0
    for at, minutes in _clock_times(text):
        (lands if _ARRIVING.search(text[before:at]) else leaves).append(minutes)
        before = at
    departure = leaves[0] if leaves else None
    arrival = lands[-1] if lands else leaves[1] if len(leaves) > 1 else None
    if arrival is not None:
        late = re.search(r"arriv.*\b(?:next|following) (?:day|morning)", text, re.I)
        if late or (departure is not None and arrival < departure - _BACKWARDS):
            arrival += _DAY
    return departure, arrival


def dates(text: str, now: str) -> set[str]:
    """Days named in a text, ``YYYY-MM-DD``; `now` tells the year and what "tomorrow" is."""
    parts = re.split(r"\bon\b|[.;,]|\band\b|\bat\b|\bor\b", text)
    found = (spoken.hear_date(part, near=now[:10]) for part in parts)
    return {day for day in found if day}


_PLACES = {city.lower(): code for code, city in CITIES.items()}
_PLACE = "|".join(sorted((re.escape(p) for p in [*_PLACES, *CITIES]), key=len, reverse=True))
_TO = re.compile(rf"\b(?:to|into|for|arriv\w+ (?:in|at)|land\w* (?:in|at)) (?:the )?({_PLACE})\b", re.I)
_FROM = re.compile(rf"\b(?:from|leav\w+|depart\w*(?: from)?|out of) (?:the )?({_PLACE})\b", re.I)


def airports(text: str) -> tuple[set[str], set[str]]:
    """(origins, destinations) named by city or by code in capitals."""

    def codes(pattern: re.Pattern[str]) -> set[str]:
        named = {m[1] for m in pattern.finditer(text)}
        return {_PLACES.get(n.lower(), n) for n in named if n.lower() in _PLACES or n.isupper()}

    return codes(_FROM), codes(_TO)


def stops(text: str) -> int | None:
    """The least number of stops that a text speaks of; None when it does not."""
    text = figures(text)
    if re.search(
        r"\b(?:no|without(?: an?| any)?|0) (?:stops?|connections?|layovers?)|non-?\s?stop|\bdirect\b",
        text,
        re.I,
    ):
        return 0
    counted = re.search(r"\b(\d) (?:stops?|connections?|layovers?)\b", text, re.I)
    if counted:
        return int(counted[1])
    some = (
        r"\bstopover|\blayover|\bconnection\b|connecting (?:flight|in|at)|with a stop|change planes|\bvia\b"
    )
    return 1 if re.search(some, text, re.I) else None


_CLASSES = {
    "basic_economy": r"basic economy",
    "main_cabin": r"main cabin|standard economy",
    "premium_economy": r"premium economy",
    "business": r"business class",
    "first": r"first class",
}


def fare_classes(text: str) -> set[str]:
    """Fare classes named in a text."""
    return {name for name, pattern in _CLASSES.items() if re.search(rf"\b(?:{pattern})\b", text, re.I)}


# -- money ------------------------------------------------------------------------------------------

_MONEY = re.compile(
    r"\$\s?(\d+(?:,\d{3})*(?:\.\d{1,2})?)(?: and (\d{1,2}) cents?)?"
    r"|\b(\d+(?:,\d{3})*(?:\.\d{1,2})?)[ -]dollars?\b(?:,? and (\d{1,2}) cents?)?",
    re.I,
)
_GAIN = r"voucher|refund|credit\b(?! card)"
_PAID = re.compile(r"\bpaid\b|original(?:ly)? (?:fare|cost)", re.I)
_COST = re.compile(r"charge|\bfees?\b|difference|\bcosts?\b|total|\bpay\b", re.I)
# What ends a list of sums that are given: "a voucher of $12, and book you for $200".
_PAYING = re.compile(
    r"charge|\bcosts?\b|\bpay\b|change fee|cancellation fee|difference|total|book|move", re.I
)
_FREE = re.compile(
    r"\b(?:no (?:extra |additional |change )?(?:charge|cost|fee)|free of charge|at no cost"
    r"|(?:is|are|for) free|(?<!be )(?<!not )waived)\b",
    re.I,
)


def _sums(text: str) -> tuple[list[tuple[int, int, float]], list[tuple[int, int, float]]]:
    """Sums to pay and sums to get, each as (start, end, dollars) in the text."""
    pay: list[tuple[int, int, float]] = []
    get: list[tuple[int, int, float]] = []
    before = 0
    for m in _MONEY.finditer(text):
        dollars = float((m[1] or m[3]).replace(",", "")) + int(m[2] or m[4] or 0) / 100
        lead = text[before : m.start()]
        given = re.split(rf"{_GAIN}", re.split(r"[.!?]\s", text[: m.start()])[-1], flags=re.I)
        sentence = re.split(r"[.!?]\s", lead)[-1] + re.split(r"[.!?](?:\s|$)", text[m.end() :])[0]
        beside = re.match(rf"[\s-]*(?:\w+ ){{0,2}}(?:{_GAIN})", text[m.end() :], re.I) or re.search(
            rf"(?:{_GAIN})\w*(?: \w+){{0,4}}\s*$", lead, re.I
        )
        listed = len(given) > 1 and not _PAYING.search(given[-1])
        gain = beside or listed or (re.search(_GAIN, sentence, re.I) and not _COST.search(sentence))
        if not _PAID.search(sentence):
            (get if gain else pay).append((m.start(), m.end(), round(dollars, 2)))
        before = m.end()
    return pay, get


def _total(text: str, sums: list[tuple[int, int, float]]) -> float | None:
    """The sum called the total, else the sum of all of them."""
    if not sums:
        return None
    for _, end, dollars in sums:
        if re.match(r"\s*(?:in |and |all |as a )?(?:total|all\b|altogether)", text[end:], re.I):
            return dollars
    if total := re.search(r"\btotal", text, re.I):
        after = [dollars for start, _, dollars in sums if start > total.start()]
        return after[0] if after else sums[-1][2]
    amounts = [dollars for _, _, dollars in sums]
    whole = max(amounts)
    # "117 dollars, that is 75 for the fee and 42 for the fare" names the whole and its parts.
    return (
        whole if abs(sum(amounts) - 2 * whole) < 0.005 or len(set(amounts)) == 1 else round(sum(amounts), 2)
    )


def total_cost(text: str) -> float | None:
    """What the caller would have to pay, in dollars; None when the text does not say.

    The sum called the total, else all sums together; what the caller would *get* (vouchers, refunds,
    credit) is no cost.
    """
    text = figures(text)
    pay, _ = _sums(text)
    if not pay and _FREE.search(text):
        return 0.0
    return _total(text, pay)


def total_gain(text: str, kind: str) -> float | None:
    """What the caller would get back as `kind` ("refund" or "credit"), in dollars; None where not said."""
    text = " ".join(c for c in clauses(figures(text)) if re.search(kind, c, re.I))
    return _total(text, _sums(text)[1])
