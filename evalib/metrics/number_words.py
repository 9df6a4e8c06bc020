"""English number words to digits: "two hundred and five" is 205, "twenty fifth" is 25th.

Words are read as far as they make one number; where they stop making one, a new number starts:
"twenty twenty six" is 20, 26. Digits that are already there take part ("2 hundred" is 200).
"""

from __future__ import annotations

from collections.abc import Sequence

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_TEENS = ("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
CARDINALS: dict[str, int] = {w: i for i, w in enumerate(_ONES + _TEENS)} | {
    w: 10 * i for i, w in enumerate(_TENS, start=2)
}
SCALES: dict[str, int] = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_IRREGULAR = {
    "first": "one",
    "second": "two",
    "third": "three",
    "fifth": "five",
    "eighth": "eight",
    "ninth": "nine",
    "twelfth": "twelve",
}


def _cardinal_of(word: str) -> str | None:
    """The cardinal word of an ordinal one ("fifth" -> "five"), None for any other word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    stem = word.removesuffix("ieth") + "y" if word.endswith("ieth") else word.removesuffix("th")
    return stem if stem != word and (stem in CARDINALS or stem in SCALES) else None


def ordinal(number: int) -> str:
    """1 -> "1st", 12 -> "12th", 23 -> "23rd"."""
    teen = number % 100 in (11, 12, 13)
    suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


class _Number:
    """A number being read. `total` holds the finished thousands, `part` what is below them."""

    def __init__(self) -> None:
        self.total = 0
        self.part: int | None = None
        self.room = 0  # the next word must be below this, 0: no smaller word fits any more
        self.last_scale = 10**9

    @property
    def empty(self) -> bool:
        return self.part is None and self.total == 0

    @property
    def value(self) -> int:
        return self.total + (self.part or 0)

    def take(self, value: int) -> bool:
        """Add a word below 100 (or digits already there), if it still belongs to this number."""
        if self.empty:
            self.part = value
        elif 0 < value < self.room:
            self.part = (self.part or 0) + value
        else:
            return False
        # After 20, 30, ... a one may follow; after anything else of this size nothing may.
        self.room = 10 if 20 <= value < 100 and value % 10 == 0 else 0
        return True

    def scale(self, factor: int) -> bool:
        """Multiply by hundred, thousand or million, if that makes sense here."""
        if factor == 100:
            if self.part is None or not 0 < self.part < 100:
                return False
            self.part, self.room = self.part * 100, 100
            return True
        if not self.part or factor >= self.last_scale:
            return False
        self.total, self.part = self.total + self.part * factor, None
        self.last_scale, self.room = factor, factor
        return True


def digits_from_words(tokens: Sequence[str]) -> list[str]:
    """Replace the number words among lower-case tokens by digits.

    "and" inside a number is dropped ("one hundred and five"), and "a" before a scale reads as one
    ("a hundred"). All other tokens stay as they are.

    Examples
    --------
    >>> digits_from_words("march twenty fifth twenty twenty six".split())
    ['march', '25th', '20', '26']
    """
    out: list[str] = []
    number = _Number()

    def close() -> None:
        nonlocal number
        if not number.empty:
            out.append(str(number.value))
        number = _Number()

    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else ""
        cardinal = _cardinal_of(token)
        word = cardinal or token
        if word in CARDINALS or _is_digits(word):
            value = CARDINALS[word] if word in CARDINALS else int(word)
            if _is_digits(word) and (following not in SCALES or word.startswith("0")):
                close()
                out.append(word)  # as it stands: leading zeros are part of a code
            elif not number.take(value):
                close()
                number.take(value)
        elif word in SCALES and number.scale(SCALES[word]):
            pass
        elif token == "a" and following in SCALES:
            close()
            number.take(1)
        elif token == "and" and number.room >= 100 and _below_hundred(following):
            continue
        else:
            close()
            out.append(token)
            continue
        if cardinal and not number.empty:
            value = number.value
            number = _Number()
            out.append(ordinal(value))
    close()
    return out


def _is_digits(token: str) -> bool:
    return token.isascii() and token.isdigit()


def _below_hundred(token: str) -> bool:
    return (_cardinal_of(token) or token) in CARDINALS
