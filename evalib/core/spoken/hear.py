"""Finding numbers, dates, times and amounts in what a recogniser wrote.

Each function gives the entity in its written form, or None when nothing plausible was said. Numbers
may be words or figures: "two twenty-five PM", "2.25 pm" and "225pm" are one time.
"""

from __future__ import annotations

import datetime
import re

from evalib.core.spoken.alphabet import MONTHS
from evalib.core.spoken.codes import Reading, search, spelled_runs
from evalib.core.spoken.numbers import figures

_PHONE_DIGITS = range(7, 16)  # ITU-T E.164 allows 15
_FLIGHT = r"[A-Z]{2}[0-9]{1,4}"


def hear_flight(text: str) -> str | None:
    """A flight number, two letters and up to four figures: "S K 530" -> "SK530"."""
    found = [(f.cost, -n, f.symbols) for n in range(3, 7) for f in search(text, n, _FLIGHT)]
    return min(found)[2] if found else None


def hear_phone(text: str) -> str | None:
    """The digits of a telephone number, with "+" where "plus" was said."""
    numbers: list[list[Reading]] = [[]]
    for run in spelled_runs(text):
        for token in run:
            if digit := _digits(token):
                numbers[-1].append(digit)
            else:
                numbers.append([])
        numbers.append([])
    number = max(map(_number, numbers), key=len)
    if len(number) not in _PHONE_DIGITS:
        return None
    return f"+{number}" if re.search(r"\+|\bplus\b", text, re.IGNORECASE) else number


def _digits(token: list[Reading]) -> Reading | None:
    for reading in sorted(token, key=lambda r: r.cost):
        symbols = reading.symbols.replace("O", "0")
        if symbols.isdecimal() or not symbols:
            return Reading(symbols, 0 if symbols == "0" else reading.cost)
    return None


def _number(digits: list[Reading]) -> str:
    """Digits joined; a "to" or "for" before or after a number is a word."""
    written = [i for i, digit in enumerate(digits) if not digit.cost]
    return "".join(d.symbols for d in digits[written[0] : written[-1] + 1]) if written else ""


_HALF_DAYS = {
    "am": 0, "morning": 0, "pm": 12, "afternoon": 12, "evening": 12, "night": 12, "tonight": 12,
}  # fmt: skip
_TIME_12 = re.compile(
    r"\b(1[0-2]|0?[1-9])(?:\s?[:.]?\s?([0-5]\d))?\s*(?:o'?clock\s*)?(?:in the |at )?"
    r"(am|pm|morning|afternoon|evening|night|tonight)\b"
)
_TIME_24 = re.compile(r"\b(0\d|1[3-9]|2[0-3]):([0-5]\d)\b")


def hear_time(text: str) -> str | None:
    """A time of day as ``HH:MM``: "2.25 pm" -> "14:25".

    Without AM, PM or a part of the day, only what can be nothing but a 24-hour time is taken.
    """
    text = figures(text).lower()
    text = re.sub(r"(?<=[\d\s])([ap])\.?\s?m\b", r"\1m", text)
    text = re.sub(r"\b(?:oh|o|0)\s+([1-9])\b", r"0\1", text)  # "two oh five"
    if match := _TIME_12.search(text):
        hour = int(match[1]) % 12 + _HALF_DAYS[match[3]]
        if match[3] == "night" and match[1] == "12":
            hour = 0
        return f"{hour:02d}:{match[2] or '00'}"
    if match := _TIME_24.search(text):
        return f"{match[1]}:{match[2]}"
    for word, time in (("noon", "12:00"), ("midnight", "00:00")):
        if re.search(rf"\b{word}\b", text):
            return time
    return None


_AMOUNT = re.compile(
    r"\$\s?(\d+)(?:\.(\d\d?))?(?:,?\s+(?:and\s+)?(?:\$0\.(\d\d)|(\d\d?)\s+cents?\b))?|\b(\d\d?)\s+cents?\b"
)


def hear_money(text: str) -> float | None:
    """An amount in dollars: "$74.98", "74 dollars and 98 cents" -> 74.98.

    One digit after the point is cents: Whisper writes "seventy-four dollars and five cents" as
    ``$74.5``, and fifty cents as ``$74.50``.
    """
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", figures(text).lower())
    match = _AMOUNT.search(re.sub(r"\b(\d+(?:\.\d\d?)?)\s+dollars?\b", r"$\1", text))
    if not match:
        return None
    dollars, *cents = match.groups()
    return round(int(dollars or 0) + sum(int(c) for c in cents if c) / 100, 2)


_MONTH = "|".join(rf"{month[:3]}(?:{month[3:]})?" for month in MONTHS) + "|sept"
_YEAR = r"(?:,?\s+(?P<year>20\s?\d\d)\b)?"
_DAY = r"(?P<day>\d\d?)"
_DATE_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\b{_DAY}\s+of\s+(?P<month>{_MONTH})\b\.?{_YEAR}",
        rf"\b(?P<month>{_MONTH})\.?\s+(?:the\s+)?{_DAY}\b{_YEAR}",
        rf"\b{_DAY}\s+(?P<month>{_MONTH})\b\.?{_YEAR}",
        r"\b(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b",
        r"\b(?P<month>\d\d?)/(?P<day>\d\d?)(?:/(?P<year>20\d\d))?\b",
    )
)
_DAYS_FROM_NOW = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}


def hear_date(text: str, near: str | None = None) -> str | None:
    """A date as ``YYYY-MM-DD``.

    Parameters
    ----------
    text : str
    near : str, optional
        A date, ``YYYY-MM-DD``: the year that was not said is the one that comes closest to it, and
        "today" is it. Without it, a date without a year is not a date.
    """
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", figures(text).lower())
    today = datetime.date.fromisoformat(near) if near else None
    for form in _DATE_FORMS:
        if match := form.search(text):
            month = match["month"]
            number = int(month) if month.isdecimal() else 1 + [m[:3] for m in MONTHS].index(month[:3])
            return _date(match["year"], number, int(match["day"]), today)
    for word, days in _DAYS_FROM_NOW.items():
        if today and re.search(rf"\b{word}\b", text):
            return (today + datetime.timedelta(days)).isoformat()
    return None


def _date(year: str | None, month: int, day: int, today: datetime.date | None) -> str | None:
    if year:
        years = [int(year.replace(" ", ""))]
    elif today:
        years = [today.year - 1, today.year, today.year + 1]
    else:
        return None
    dates = []
    for y in years:
        try:
            dates.append(datetime.date(y, month, day))
        except ValueError:  # there is no such day
            continue
    return min(dates, key=lambda d: abs(d - (today or d))).isoformat() if dates else None
