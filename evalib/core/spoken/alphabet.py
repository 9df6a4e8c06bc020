"""Tables: how letters and digits sound, and what recognisers write when they hear them.

The spelling alphabet is the ICAO one; its words are spelled the way that survived synthesis and
recognition best ("Juliet" with one t). What is heard for a letter was seen in the output of Whisper
tiny.en, listening to the voices of :mod:`evalib.simulator.speech`.
"""

from __future__ import annotations


def words(text: str) -> list[str]:
    """The words of a table that is written as one text."""
    return text.split()


def _by_word(table: dict[str, str]) -> dict[str, str]:
    """{"B": "be bee"} -> {"be": "B", "bee": "B"}"""
    return {word: symbol for symbol, text in table.items() for word in words(text)}


DIGITS = words("zero one two three four five six seven eight nine")

NATO = {
    word[0]: word
    for word in words(
        "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliet Kilo Lima Mike November Oscar "
        "Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu"
    )
}

NATO_HEARD = {word.lower().replace("-", ""): letter for letter, word in NATO.items()} | _by_word(
    {
        "A": "alfa alfie",
        "E": "eco eko",
        "F": "focstrat fokstrat",
        "J": "juliett juliette julia julie julet julete",
        "L": "lemma lyma",
        "M": "mic",
        "O": "oscre osker",
        "R": "romi romo",
        "S": "sira",
        "W": "whisky wiski wisky",
        "Y": "inky janky yanki",
        "Z": "sula sulu zebra",
    }
)

LETTER_SOUNDS = _by_word(
    {
        "A": "ay hey",
        "B": "be bee",
        "C": "sea see",
        "D": "dee",
        "E": "ee",
        "F": "ef eff",
        "G": "gee",
        "H": "each aitch",
        "I": "eye",
        "J": "jay",
        "K": "kay okay",
        "L": "el ell",
        "M": "em",
        "N": "en an and",
        "O": "oh",
        "P": "pea pee",
        "Q": "queue cue",
        "R": "are our",
        "S": "as ess",
        "T": "tea tee",
        "U": "you",
        "V": "vee",
        "X": "ex",
        "Y": "why",
        "Z": "zee zed",
    }
)

DIGIT_SOUNDS = {word: str(value) for value, word in enumerate(DIGITS)} | _by_word(
    {"1": "won", "2": "to too", "4": "for fore", "8": "ate", "9": "niner"}
)

# "two" and the like, as Whisper may write them between spelling words
ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}

MONTHS = words("january february march april may june july august september october november december")

NAME_SIGNS = {"'": "apostrophe", "\u2019": "apostrophe", "-": "hyphen"}
EMAIL_SIGNS = {".": "dot", "_": "underscore", "-": "dash", "+": "plus"}

# Said between the letters of a spelled code without being one of them.
FILLERS = frozenset(words("dash hyphen letter number digit capital then uh um"))

# Short words that are words first and letters never: a spelled run ends at one of them.
COMMON_WORDS = frozenset(
    words(
        "is it its my me we he am us at in on of or if up do go no so by the was can may yes not but ok "
        "all any one has had her his him she let now new out who how get got ill im id dry fly sky try cry"
    )
)
