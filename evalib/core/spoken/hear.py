"""Finding addresses, numbers, dates, times and amounts in what a recogniser wrote.

Each function gives the entity in its written form, or None when nothing plausible was said. Numbers
may be words or figures ("two twenty-five", "2.25", "225").
"""

from __future__ import annotations

import datetime
import re

from evalib.core.spoken.alphabet import COMMON_WORDS, EMAIL_SIGNS, MONTHS
from evalib.core.spoken.codes import Reading, hear_code, spelled_runs
from evalib.core.spoken.numbers import figures

_PHONE_DIGITS = range(7, 16)  # ITU-T E.164 allows 15


def hear_email(text: str) -> str | None:
    """The address in "it's john dot smith at gmail dot com", in lower case."""
    text = re.sub(r"\s+at\s+|\s*@\s*", "@", figures(text).lower())
    for at in reversed([m.start() for m in re.finditer("@", text)]):
        domain = re.match(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", _signs(text[at + 1 :]).replace(" ", ""))
        words = re.sub(r"(?<=[a-z])\.(?=\s)", " .", text[:at]).rstrip(" ,.;:")
        local = _local_part(words)
        if domain and local:
            return f"{local}@{domain.group()}"
    return None


def _signs(text: str) -> str:
    """Spoken signs written: " dot " -> "."; blanks around signs removed."""
    for sign, word in EMAIL_SIGNS.items():
        text = re.sub(rf"\s*\b{word}\b\s*", sign, text)
    return re.sub(r"\s*([._+])\s*", r"\1", text)
