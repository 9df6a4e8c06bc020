"""Make two spellings of the same spoken words equal, so that word error rate counts real errors.

A caller's text says "Z K three F F W", a recogniser writes "ZK3FFW"; both mean one sound. What is
done, in this order, to both sides:

=====================  ============================================================
direction tags         ``[slow]`` is removed: it steers the voice and is not spoken
letter case, accents   lower case; compatibility forms of Unicode; apostrophes dropped
symbols                ``$120.50`` -> 120 dollars and 50 cents; ``%`` -> percent;
                       ``@`` -> at; a dot inside a word, as in addresses -> dot
times                  ``4:00 p.m.``, "four p m" -> 4 pm; "o'clock" dropped
hyphens                a blank; a spoken "dash" or "hyphen" is dropped
number words           to digits, ordinals too: "twenty fifth" -> 25th; "oh" beside a
                       number -> 0
days of a month        "March 25th", "25th of March" -> march 25, 25 of march
codes                  letters and digits are parted (``SK703`` -> sk 703), adjacent
                       single letters joined (f f w -> ffw), adjacent numbers joined
                       (8 55 -> 855), because speech does not say where one ends
fillers                "uh", "um", "mm" and their like are dropped
punctuation            dropped
=====================  ============================================================

For languages other than English only tags, letter case and punctuation are seen to. Nothing is
made equal because it sounds alike: "Zulu" stays a word, and a wrong word stays wrong.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from evalib.metrics.number_words import digits_from_words

_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_FILLERS = frozenset({"uh", "uhh", "um", "umm", "uhm", "mm", "mhm", "hmm", "hm", "er", "erm"})
_TAG = re.compile(r"\[[^\]]*\]")
_MONEY = re.compile(r"\$\s?(\d[\d,]*)(?:\.(\d\d))?(?!\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# Not among other single letters: there "p m" is two letters of a spelled code.
_MERIDIEM = re.compile(r"(?<![a-z])(?<!\b[a-z] )([ap])\s?\.?\s?m\b\.?(?!\s[b-hj-z]\b)")
_CLOCK = re.compile(r"\b0?(\d{1,2})(?::(\d\d)\b|\.(\d\d)(?=\s?[ap]\.?m\b))")
_O_CLOCK = re.compile(r"\bo ?clock\b")
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}")
_INNER_DOT = re.compile(r"(?<=[a-z])\.(?=[a-z])")
_DECIMAL = re.compile(r"(?<=\d)\.(?=\d)")
_SPOKEN_HYPHENS = frozenset({"dash", "hyphen"})
_CODE_PARTS = re.compile(r"\d+(?:st|nd|rd|th)\b|\d+|[^\W\d]+")
_DAY_OF_MONTH = (
    re.compile(rf"\b({_MONTH}) (\d\d?)(?:st|nd|rd|th)\b"),
    re.compile(rf"\b(\d\d?)(?:st|nd|rd|th) (of (?:{_MONTH})|{_MONTH})\b"),
)


def normalise(text: str, language: str = "en") -> str:
    """The normalised words of a text, separated by single blanks; "" when none are left.

    Parameters
    ----------
    text : str
    language : str
        A code as in :data:`evalib.core.LANGUAGES`.

    Examples
    --------
    >>> normalise("[slow] It's Z K three F F W, at four p.m. on March twenty-fifth.")
    'its zk 3 ffw at 4 pm on march 25'
    >>> normalise("Its ZK3FFW at 4:00 PM on March 25")
    'its zk 3 ffw at 4 pm on march 25'
    """
    text = unicodedata.normalize("NFKC", _TAG.sub(" ", text)).lower()
    text = re.sub("['’‘`´]", "", text)
    if language != "en":
        return " ".join(_without_punctuation(text).split())
    text = _symbols(text)
    tokens = _without_punctuation(text).split()
    tokens = [part for token in tokens for part in _CODE_PARTS.findall(token)]
    tokens = [t for t in tokens if t not in _FILLERS]
    tokens = digits_from_words(tokens)
    tokens = _zeros(tokens)
    text = " ".join(tokens)
    text = _DAY_OF_MONTH[0].sub(r"\1 \2", text)
    text = _DAY_OF_MONTH[1].sub(r"\1 \2", text)
    return " ".join(_join_codes(text.split()))


def _symbols(text: str) -> str:
    """Times, money, addresses and other signs as they are spoken."""
    text = _CLOCK.sub(_clock, text)
    text = _MERIDIEM.sub(r"\1m ", text)
    text = _O_CLOCK.sub(" ", text)
    text = _THOUSANDS.sub("", text)
    text = _MONEY.sub(_money, text)
    text = _INITIALS.sub(lambda m: m[0].replace(".", "") + " ", text)
    text = _DECIMAL.sub(" point ", _INNER_DOT.sub(" dot ", text))
    return text.replace("@", " at ").replace("%", " percent ").replace("&", " and ")


def _clock(match: re.Match[str]) -> str:
    hour, minute = match[1], match[2] or match[3]
    return hour if minute == "00" else f"{hour} {minute}"


def _money(match: re.Match[str]) -> str:
    dollars, cents = match[1].replace(",", ""), match[2]
    return f"{dollars} dollars" + (f" and {int(cents)} cents" if cents and int(cents) else "")


def _without_punctuation(text: str) -> str:
    return "".join(" " if unicodedata.category(c)[0] in "PS" else c for c in text)


def _zeros(tokens: list[str]) -> list[str]:
    """The words "oh" and "o" next to a number become zeros."""
    out = list(tokens)
    for step in (range(len(out)), range(len(out) - 1, -1, -1)):
        for i in step:
            neighbours = out[max(0, i - 1) : i] + out[i + 1 : i + 2]
            if out[i] in ("oh", "o") and any(n.isdigit() for n in neighbours):
                out[i] = "0"
    return out


def _join_codes(tokens: list[str]) -> list[str]:
    """Join runs of single letters and runs of numbers; what a spoken "dash" parts stays parted
    where it is letters, as it does when a hyphen is written."""
    letters: list[str] = []
    for single, group in groupby(tokens, lambda t: len(t) == 1 and not t.isdigit()):
        run = list(group)
        # "a" and "i" are words as well: alone, or beside each other, they stay apart.
        letters += ["".join(run)] if single and not set(run) <= {"a", "i"} else run
    out: list[str] = []
    for number, group in groupby((t for t in letters if t not in _SPOKEN_HYPHENS), str.isdigit):
        run = list(group)
        out += ["".join(run)] if number else run
    return out
