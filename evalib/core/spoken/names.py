"""Finding a name in what a recogniser wrote.

A name that was spelled is taken as spelled, because recognisers write names as they like
("Garsha, G-A-R-C-I-A"). The name as a word settles what the letters leave open: whether an "and"
was an N, and letters that sound alike ("Rodriguez, R-O-D-R-I-G-U-E-C").
"""

from __future__ import annotations

import difflib
import itertools
import re
from typing import Literal

from evalib.core.spoken.alphabet import NAME_SIGNS, words
from evalib.core.spoken.codes import Reading, spelled_runs

_SOUND_ALIKE = ("CZ", "MN", "FS")
_LIKENESS = 20  # what full likeness to the name as a word outweighs, in guessed letters
_PARTS = {"first": "first|given|fore", "last": "last|family|sur"}
_ANY_PART = "|".join(_PARTS.values())
_SPELLS = re.compile(r"\b(?:spell(?:ed|ing|s)?|that'?s|that is)\b", re.IGNORECASE)
_CUE = re.compile(
    r"\b(?:name(?:'s|\u2019s| is|,)?|this is|i['\u2019]?m|i am|it['\u2019]?s|it is|call me|under)[\s:,]+",
    re.IGNORECASE,
)
_NAME_WORD = r"[A-Z][A-Za-z'\u2019-]*[a-z][A-Za-z'\u2019-]*"
_NAME = re.compile(rf"{_NAME_WORD}(?:[\s]+{_NAME_WORD}){{0,2}}")
_NOT_NAMES = frozenset(
    words(
        "yes yeah no not hello hi hey sure okay thank thanks please sorry what my the it its that thats you "
        "can could would goodbye bye good correct right well so and but great of course let go ahead i im "
        "do does is are never mind one moment just spell spelled what's"
    )
)


def hear_name(text: str, part: Literal["first", "last"] | None = None) -> str | None:
    """The name in what was heard, or None.

    Parameters
    ----------
    text : str
    part : {"first", "last"}, optional
        Where both names are announced ("my first name is ..., last name ..."), the one to take.
    """
    text = _only_part(text, part) if part else text
    said = _said(text)
    spelled = _spelled(text, said)
    if spelled is None or (said and _sound_alike(said.upper(), spelled)):
        return said
    return spelled.title().replace("'S", "'s") if spelled.title() != said else said


def _only_part(text: str, part: str) -> str:
    wanted = re.search(rf"\b(?:{_PARTS[part]})\s?name", text, re.IGNORECASE)
    if not wanted:
        return text
    rest = text[wanted.start() :]
    other = re.search(rf"\b(?:{_ANY_PART})\s?name", rest[wanted.end() - wanted.start() :], re.IGNORECASE)
    return rest[: wanted.end() - wanted.start() + other.start()] if other else rest


def _said(text: str) -> str | None:
    """The name as a word, after a cue such as "my name is", or as all that was said."""
    head = _SPELLS.split(text)[0]
    if cues := list(_CUE.finditer(head)):
        rest = head[cues[-1].end() :]
        if (match := _NAME.match(rest)) and match.group().lower() not in _NOT_NAMES:
            return match.group()
        if "name" in cues[-1].group().lower() and (match := re.match(r"[a-z'-]{2,}", rest)):
            return match.group().title()  # a recogniser that writes no capitals
        return None
    words = re.findall(r"[A-Za-z'\u2019-]+", head)
    names = [w for w in words if re.fullmatch(_NAME_WORD, w)]
    others = [w for w in words if w not in names and len(w) > 1 and not w.isupper()]
    if names and len(names) <= 3 and not others and not {w.lower() for w in names} & _NOT_NAMES:
        return " ".join(names)
    return None


def _spelled(text: str, said: str | None) -> str | None:
    """The letters of the run that spells a name, in capitals."""
    found = []
    for run in spelled_runs(text, {word: sign for sign, word in NAME_SIGNS.items() if sign != "\u2019"}):
        letters = [[r for r in token if not any(c.isdecimal() for c in r.symbols)] for token in run]
        if not all(letters):
            continue
        letters = _core(letters)
        for choice in itertools.islice(itertools.product(*letters), 64):
            name = "".join(r.symbols for r in choice)
            written = sum(len(r.symbols) for r in choice if _certain([r]))
            if len(name) >= 2 and 2 * written > len(name):
                likeness = difflib.SequenceMatcher(None, name, (said or "").upper()).ratio()
                cost = sum(r.cost for r in choice)
                found.append((cost - _LIKENESS * likeness - 0.1 * len(name), name))
    return min(found)[1] if found else None


def _core(letters: list[list[Reading]]) -> list[list[Reading]]:
    """From the first to the last certain letter; a token before and after them may be one or not."""
    certain = [i for i, token in enumerate(letters) if _certain(token)]
    if not certain:
        return []
    first, last = certain[0], certain[-1]
    before = [[*token, Reading("", 0)] for token in letters[max(0, first - 1) : first]]
    after = [[*token, Reading("", 0)] for token in letters[last + 1 : last + 2]]
    return before + letters[first : last + 1] + after


def _certain(readings: list[Reading]) -> bool:
    """A letter as written; "a" and "I" are letters here, not words."""
    return any(r.symbols and (r.cost == 0 or r.symbols in ("A", "I")) for r in readings)


def _sound_alike(a: str, b: str) -> bool:
    """The same but for letters that are mistaken for each other."""
    return len(a) == len(b) and all(
        x == y or any(x in group and y in group for group in _SOUND_ALIKE) for x, y in zip(a, b, strict=True)
    )
