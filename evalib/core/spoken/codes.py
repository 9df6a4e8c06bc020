"""Finding a spelled code in what a recogniser wrote.

A recogniser hears "six, V, O, R, J, U" and writes ``6VORJU``, ``6-V-O-R-J-U``, ``6 v o r j u``, or
writes ``for EDT2S`` where "four" began the code. So the text is cut into tokens, and every token has
*readings*: symbols it may stand for, each with a cost. A written letter or figure costs nothing, a
homophone costs 1; a word that is never part of a spelling breaks the run. A code is a stretch of
neighbouring tokens whose readings add up to its length, at the least cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from evalib.core.spoken.alphabet import (
    COMMON_WORDS,
    DIGIT_SOUNDS,
    FILLERS,
    LETTER_SOUNDS,
    NATO_HEARD,
    ROMAN,
)
from evalib.core.spoken.numbers import figures

_MAX_COST = 3  # a code that took more guesses than this was not heard
_CUT_COST = 4  # leaving out a written letter or figure next to the code
_BEAM = 32


class Reading(NamedTuple):
    """Symbols that a token may stand for. `cost` 0: they are what was written."""

    symbols: str
    cost: int


class Found(NamedTuple):
    """A stretch of tokens read as a code."""

    cost: int
    start: int  # index of the first token
    symbols: str


@lru_cache(maxsize=2048)  # the same words are heard in every trial
def hear_code(text: str, length: int = 6, pattern: str | None = None) -> str | None:
    """The code in what was heard, in capitals, or None when none is there.

    Parameters
    ----------
    text : str
        What a recogniser wrote: ``"6VORJU"``, ``"6-V-O-R-J-U"``, ``"six V as in Victor ..."``.
    length : int
        Number of letters and digits of the code.
    pattern : str, optional
        Regular expression that the whole code must match, such as ``"[A-Z]{2}[0-9]{4}"``; a heard O
        or 0 is read as the one that fits.
    """
    for found in search(text, length, pattern):
        return found.symbols if found.cost <= _MAX_COST else None
    return None


def hear_code_candidates(
    text: str, length: int = 6, pattern: str | None = None, limit: int = 10
) -> list[str]:
    """Codes that may have been said, best first: also those with 0 and O exchanged."""
    return [found.symbols for found in search(text, length, pattern)[:limit]]


def search(text: str, length: int, pattern: str | None) -> list[Found]:
    """Every code that the text can be read as, best first."""
    best: dict[str, Found] = {}
    for run in spelled_runs(text):
        for found in _windows(run, length):
            for variant in _zero_or_oh(found):
                if pattern and not re.fullmatch(pattern, variant.symbols):
                    continue
                if variant.symbols not in best or variant < best[variant.symbols]:
                    best[variant.symbols] = variant
    return sorted(best.values())


def _windows(run: list[list[Reading]], length: int) -> Iterator[Found]:
    """Every stretch of a run that can be read as `length` symbols."""
    for start in range(len(run)):
        partial = [(0, "", 0)]  # cost, symbols, number of symbols that were written
        for end in range(start, len(run)):
            grown = {
                (cost + r.cost, symbols + r.symbols, written + _as_written(r))
                for cost, symbols, written in partial
                for r in run[end]
                if len(symbols) + len(r.symbols) <= length
            }
            partial = sorted(grown)[:_BEAM]
            whole = end == start  # one token that is the code needs no margin
            margin = 0 if whole else _written(run, start - 1) + _written(run, end + 1)
            for cost, symbols, written in partial:
                if len(symbols) == length and 2 * written > length:
                    yield Found(cost + _CUT_COST * margin, start, symbols)


def _as_written(reading: Reading) -> int:
    """How many of the symbols are what was written; a lone "a" or "I" may be a word, and may not."""
    return len(reading.symbols) if not reading.cost or reading.symbols in ("A", "I") else 0


def _written(run: list[list[Reading]], at: int) -> bool:
    return 0 <= at < len(run) and any(r.symbols and not r.cost for r in run[at])


def _zero_or_oh(found: Found) -> Iterator[Found]:
    yield found
    for i, c in enumerate(found.symbols):
        if c in "O0":
            other = found.symbols[:i] + ("0" if c == "O" else "O") + found.symbols[i + 1 :]
            yield Found(found.cost + 1, found.start, other)


_NATO_WORD = "|".join(sorted(NATO_HEARD, key=len, reverse=True))
_AS_IN = "(?:as|is)\\s+(?:in|an?)|like"
_LETTER_AS_NATO = re.compile(rf"\b([a-z0-9]*[a-z0])[,.]?\s+(?:{_AS_IN})\s+({_NATO_WORD})\b", re.IGNORECASE)
_LETTER_AS_WORD = re.compile(rf"\b([a-z])\b[,.]?\s+(?:{_AS_IN}|for)\s+(?=\1)[a-z-]{{3,}}", re.IGNORECASE)
# spelling words that were written as one word, with each other or with figures: "Victor2", "echotango"
_NATO_JOINED = re.compile(rf"\b(?:\d|{_NATO_WORD}){{2,}}\b", re.IGNORECASE)
_NATO_IN_JOINED = re.compile(rf"\d+|{_NATO_WORD}", re.IGNORECASE)
_XRAY = re.compile(r"\bx[\s,-]+rays?\b", re.IGNORECASE)
_FOXTROT = re.compile(r"\bfox[\s,-]+(?:trots?|drought)\b", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9]+(?:['\u2019](?:s|m|re|ll|ve|d)\b)?")


def spelled_runs(text: str, signs: Mapping[str, str] = {}) -> list[list[list[Reading]]]:
    """Stretches of tokens that can be letters or figures, each token with its readings.

    `signs` are words that stand for a sign, such as "hyphen" for "-"; without them they are skipped.
    """
    words = re.findall(r"\b[A-Za-z]{2,}\b", text)
    if text.isupper() and any(w.lower() in COMMON_WORDS for w in words):
        text = text.lower()  # where words are in capitals, capitals do not tell a spelling
    text = _FOXTROT.sub("foxtrot", _XRAY.sub("xray", figures(text)))
    text = _LETTER_AS_NATO.sub(_nato_word_for_letter, text)
    text = _LETTER_AS_WORD.sub(r"\1 ", text)
    text = _NATO_JOINED.sub(lambda match: " ".join(_NATO_IN_JOINED.findall(match.group())), text)
    runs: list[list[list[Reading]]] = [[]]
    times = 1
    for token in _TOKEN.findall(text):
        if token.lower() in ("double", "triple"):
            times = 2 if token.lower() == "double" else 3
            continue
        readings = [Reading(r.symbols[:1] * (times - 1) + r.symbols, r.cost) for r in _readings(token, signs)]
        times = 1
        if readings:
            runs[-1].append(readings)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _nato_word_for_letter(match: re.Match[str]) -> str:
    """ "V as in Victor" is "Victor"; so is "why as in ...", and in "1V as in Victor" the 1 stays."""
    heard, word = match.groups()
    kept = "" if heard.lower() in LETTER_SOUNDS else heard[:-1]
    return f"{kept} {word} "


def _readings(token: str, signs: Mapping[str, str]) -> list[Reading]:
    word, symbols = token.lower(), token.upper()
    if word in signs:
        return [Reading(signs[word], 0)]
    if token.isdecimal():
        return [Reading(token, 0)]
    if len(token) == 1:
        # "a" and "I" are words too
        return [Reading(symbols, 1 if word in "ai" else 0)]
    if word in NATO_HEARD:
        return [Reading(NATO_HEARD[word], 0)]
    if word in FILLERS:
        return [Reading("", 0)]
    found = []
    for table in (LETTER_SOUNDS, DIGIT_SOUNDS, ROMAN):
        if word in table:
            found.append(Reading(table[word], 1))
    if word == "and":
        found.append(Reading("", 2))
    if word.isalnum() and _looks_spelled(token):
        found.append(Reading(symbols, 0))
    elif not found and word.isalnum() and word not in COMMON_WORDS:
        if len(word) <= 3:
            found.append(Reading(symbols, 1))
        elif letter := _nearly_nato(word):
            found.append(Reading(letter, 1))
    return found


@lru_cache(maxsize=4096)  # a call says few words, often
def _nearly_nato(word: str) -> str | None:
    """The letter of the spelling word that this one is a letter off; two off, where it is long."""
    distance, letter = min((_edits(word, known), letter) for known, letter in NATO_HEARD.items())
    return letter if 4 * distance <= len(word) else None


def _edits(a: str, b: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        previous, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            previous, row[j + 1] = row[j + 1], min(previous + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1]


def _looks_spelled(token: str) -> bool:
    """Not a word: it has a figure in it, is mostly in capitals, or has no vowel."""
    if any(c.isdecimal() for c in token) or 2 * sum(c.isupper() for c in token) > len(token):
        return token not in ("OK", "ID")
    return token.lower() not in COMMON_WORDS and not set(token.lower()) & set("aeiou")
