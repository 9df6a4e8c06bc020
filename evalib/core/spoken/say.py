"""How a caller says an entity aloud. The text is what the voice is given, and reads naturally.

The forms are the ones that Whisper tiny.en heard best from the hibari voice; the figures are in
``tests/speech/measure.py``.
"""

from __future__ import annotations

import datetime
import re
import unicodedata

from evalib.core.spoken.alphabet import DIGITS, EMAIL_SIGNS, MONTHS, NAME_SIGNS, NATO
from evalib.core.spoken.numbers import ordinal


def say_code(code: str, nato: bool = False) -> str:
    """Spell a code: "6, V, O, as in Oscar, R, J, U", or "six, Victor, Oscar, Romeo, Juliet, Uniform".

    Spelled plainly, the two letters that are not to be told apart by ear are explained as people do
    it: Z (against C), and O where there are figures (against zero). Signs other than letters and
    digits (the dash of ``SHF-0612``) are not spoken.
    """
    code = code.upper()
    if nato:
        return _spell(code, nato)
    explained = "OZ" if any(c.isdecimal() for c in code) else "Z"
    return ", ".join(f"{c}, as in {NATO[c]}" if c in explained else c for c in code if c.isalnum())


def spell_name(name: str, nato: bool = False) -> str:
    """Spell a name: "T, H, O, M, P, S, O, N". Accents are dropped, an apostrophe is said."""
    plain = unicodedata.normalize("NFKD", name)
    return _spell("".join(c for c in plain.upper() if not unicodedata.combining(c)), nato, NAME_SIGNS)


def _spell(text: str, nato: bool, signs: dict[str, str] | None = None) -> str:
    said = [
        signs[c] if signs and c in signs else _letter(c, nato)
        for c in text
        if c.isalnum() or c in (signs or ())
    ]
    return ", ".join(said)


def _letter(character: str, nato: bool) -> str:
    if not nato:
        return character
    return DIGITS[int(character)] if character.isdecimal() else NATO.get(character, character)


def say_email(address: str, spelled: bool = False, nato: bool = False) -> str:
    """ "john dot smith, at gmail dot com"; with `spelled` or `nato` the part before the at spelled."""
    local, _, domain = address.lower().partition("@")
    return f"{_email_part(local, spelled or nato, nato)}, at {_email_part(domain, False, False)}"


def _email_part(part: str, spelled: bool, nato: bool) -> str:
    for sign, word in EMAIL_SIGNS.items():
        part = part.replace(sign, f" {word} ")
    pieces = part.split()
    return " ".join(
        piece if piece in EMAIL_SIGNS.values() else _email_piece(piece, spelled, nato) for piece in pieces
    )


def _email_piece(piece: str, spelled: bool, nato: bool) -> str:
    if spelled:
        # one lone spelling word could be a name ("mike 84"), so a lone letter is said as it is
        nato = nato and sum(c.isalpha() for c in piece) > 1
        return ", ".join(_letter(c, nato) for c in piece.upper())
    return re.sub(r"(?<=\w)(?=\d)|(?<=\d)(?=\w)", " ", piece)  # digits one by one


def say_phone(number: str) -> str:
    """Digits one by one, a pause between groups: "5 5 5, 0 1 4, 7 7 2 3"."""
    digits = "".join(c for c in number if c.isdecimal())
    head = len(digits) % 10 if len(digits) > 10 else 0
    rest = digits[head:]
    groups = [digits[:head], rest[:3], rest[3:6], rest[6:]]
    spoken = ", ".join(" ".join(group) for group in groups if group)
    return f"plus {spoken}" if number.lstrip().startswith("+") else spoken


def say_date(date: str, year: bool = False) -> str:
    """ "2026-06-18" -> "June eighteenth", or "June eighteenth, 2026"."""
    day = datetime.date.fromisoformat(date)
    spoken = f"{MONTHS[day.month - 1].capitalize()} {ordinal(day.day)}"
    return f"{spoken}, {day.year}" if year else spoken


def say_time(time: str) -> str:
    """ "14:25" -> "2:25 PM"; the full hour without minutes, "2 PM"."""
    t = datetime.time.fromisoformat(time)
    minutes = f":{t.minute:02d}" if t.minute else ""
    return f"{t.hour % 12 or 12}{minutes} {'AM' if t.hour < 12 else 'PM'}"


def say_money(amount: float) -> str:
    """74.98 -> "74 dollars and 98 cents". Amounts are rounded to the cent."""
    dollars, cents = divmod(round(amount * 100), 100)
    parts = []
    if dollars or not cents:
        parts.append(f"{dollars:,} dollar{'' if dollars == 1 else 's'}")
    if cents:
        parts.append(f"{cents} cent{'' if cents == 1 else 's'}")
    return " and ".join(parts)


def say_flight(flight: str, nato: bool = False) -> str:
    """ "SK530" -> "S, K, 5, 3, 0"."""
    return say_code(flight, nato)
