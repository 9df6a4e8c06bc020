"""The faults of a reference agent: what goes wrong when one of them strikes."""

from __future__ import annotations

import random
import re
from typing import Any

from evalib.domains import ToolSpec

_NEAR = {
    "B": "D", "D": "B", "C": "T", "T": "C", "E": "G", "G": "E", "P": "B", "V": "Z", "Z": "V", "M": "N",
    "N": "M", "F": "S", "S": "F", "A": "K", "K": "A", "I": "Y", "Y": "I", "Q": "U", "U": "Q", "J": "K",
    "H": "A", "L": "M", "O": "R", "R": "O", "W": "U", "X": "S", "0": "4", "1": "9", "2": "3", "3": "2",
    "4": "0", "5": "9", "6": "8", "7": "1", "8": "6", "9": "5",
}  # fmt: skip
_SPELLED = re.compile(r"(?:\b[A-Z0-9]\b[,.]?\s*){3,}")
_NUMBER = re.compile(r"\d+")

_ASIDES = (
    "Just so you know, we really value everybody who calls us, and we always do our best to look after "
    "each and every "
    "one of our travellers whatever the weather may bring.",
    "As you may have seen, things have been quite busy across the network this week, with the holidays and "
    "everything "
    "that comes along with them at the airports.",
    "By the way, you can also find a lot of information about our services, our lounges and our partners "
    "in the "
    "application on your phone whenever you have a minute.",
)


def misread(text: str, rng: random.Random) -> str:
    """The text with one character of a code, or one number, spoken wrong; unchanged without any."""
    spelled = _SPELLED.search(text)
    if spelled:
        at = rng.choice([i for i in range(*spelled.span()) if text[i] in _NEAR])
        return text[:at] + _NEAR[text[at]] + text[at + 1 :]
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return text
    at = rng.choice(numbers).end() - 1
    return text[:at] + _NEAR[text[at]] + text[at + 1 :]


def ramble(rng: random.Random) -> str:
    """A sentence that nobody needs."""
    return rng.choice(_ASIDES)


def alter_argument(spec: ToolSpec, arguments: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The arguments with one of them wrong but well-formed: another choice, another amount.

    A call with nothing to get wrong in this way is left as it is.
    """
    changes: list[tuple[str, Any]] = []
    for p in spec.parameters:
        value = arguments.get(p.name)
        if value is None:
            continue
        if p.enum:
            changes += [(p.name, other) for other in p.enum if other != value]
        elif p.type == "boolean":
            changes.append((p.name, not value))
        elif p.type in ("integer", "number"):
            changes.append((p.name, value + 1))
    return arguments | dict([rng.choice(changes)]) if changes else arguments
