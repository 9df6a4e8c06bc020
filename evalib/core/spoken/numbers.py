"""Number words to figures: "seventy-four dollars" -> "74 dollars", and ordinals both ways."""

from __future__ import annotations

import re

from evalib.core.spoken.alphabet import DIGITS, words

_TEENS = words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
_IRREGULAR = words("zeroth first second third fourth fifth sixth seventh eighth ninth")

_CARDINALS = {word: value for value, word in enumerate((*DIGITS, *_TEENS))} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_ORDINALS = (
    {word: value for value, word in enumerate(_IRREGULAR)}
    | {word + "th": value for value, word in enumerate(_TEENS, start=10)}
    | {word[:-1] + "ieth": 10 * value for value, word in enumerate(_TENS, start=2)}
    | {"twelfth": 12}
)
del _ORDINALS["twelveth"], _ORDINALS["zeroth"]
_VALUES = _CARDINALS | _ORDINALS

_WORD = "(?:" + "|".join(sorted([*_VALUES, "hundred", "thousand"], key=len, reverse=True)) + ")"
_RUN = re.compile(
    rf"\b{_WORD}(?:(?:[\s-]+|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+){_WORD})*\b", re.IGNORECASE
)


def ordinal(n: int) -> str:
    """1 -> "first", 22 -> "twenty second"; for 1 to 31, the days of a month."""
    by_value = {value: word for word, value in _ORDINALS.items()}
    return by_value[n] if n in by_value else f"{_TENS[n // 10 - 2]} {by_value[n % 10]}"


def figures(text: str) -> str:
    """The text with its number words written as figures.

    Words that do not build one number stay apart, as they are said: "two twenty-five" is "2 25"
    and "twenty twenty-six" is "20 26". An ordinal becomes its figure: "June eighteenth" is
    "June 18".
    """
    return _RUN.sub(lambda match: " ".join(_numbers(match.group().lower())), text)


def _numbers(run: str) -> list[str]:
    numbers: list[int] = []
    room = 0  # the number last begun can still take a value below this
    for word in re.findall(r"[a-z]+", run):
        if word == "and":
            continue
        if word in ("hundred", "thousand"):
            scale = 100 if word == "hundred" else 1000
            if not numbers or numbers[-1] == 0:
                numbers.append(1)
            rest = numbers[-1] % 1000 if scale == 100 else numbers[-1]
            numbers[-1] += rest * (scale - 1)
            room = scale
            continue
        value = _VALUES[word]
        if 0 < value < room:
            numbers[-1] += value
        else:
            numbers.append(value)
        # "twenty" takes a digit after it; nothing else does, until a "hundred" or "thousand"
        room = 10 if value >= 20 else 0
    return [str(n) for n in numbers]
