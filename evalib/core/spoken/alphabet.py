"""Tables: how letters and digits sound, and what recognisers write when they hear them.

Lower-case keys, upper-case letters as values. The spelling alphabet is the ICAO one; its words are
spelled the way that survived synthesis and recognition best ("Juliet" with one t). Homophones are
what Whisper tiny.en was seen to write for a letter or digit that was spoken alone.
"""

from __future__ import annotations

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

_ICAO = (
    "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliet Kilo Lima Mike November Oscar "
    "Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu"
)
NATO = {word[0]: word for word in _ICAO.split()}

NATO_HEARD = {word.lower().replace("-", ""): letter for letter, word in NATO.items()} | {
    "alfa": "A",
    "juliett": "J",
    "juliette": "J",
    "julia": "J",
    "julie": "J",
    "julet": "J",
    "julete": "J",
    "alfie": "A",
    "eco": "E",
    "eko": "E",
    "focstrat": "F",
    "fokstrat": "F",
    "oscre": "O",
    "osker": "O",
    "mic": "M",
    "romi": "R",
    "romo": "R",
    "lemma": "L",
    "lyma": "L",
    "sira": "S",
    "janky": "Y",
    "sula": "Z",
    "zebra": "Z",
    "sulu": "Z",
    "inky": "Y",
    "yanki": "Y",
    "wiski": "W",
    "wisky": "W",
    "whisky": "W",
}

DIGIT_SOUNDS = {word: str(value) for value, word in enumerate(DIGITS)} | {
    "niner": "9",
    "won": "1",
    "to": "2",
    "too": "2",
    "for": "4",
    "fore": "4",
    "ate": "8",
}

LETTER_SOUNDS = {
    "ay": "A",
    "hey": "A",
    "be": "B",
    "bee": "B",
    "sea": "C",
    "see": "C",
    "dee": "D",
    "ee": "E",
    "ef": "F",
    "eff": "F",
    "gee": "G",
    "each": "H",
    "aitch": "H",
    "eye": "I",
    "jay": "J",
    "kay": "K",
    "okay": "K",
    "el": "L",
    "ell": "L",
    "em": "M",
    "en": "N",
    "an": "N",
    "and": "N",
    "oh": "O",
    "pea": "P",
    "pee": "P",
    "queue": "Q",
    "cue": "Q",
    "are": "R",
    "our": "R",
    "as": "S",
    "ess": "S",
    "tea": "T",
    "tee": "T",
    "you": "U",
    "vee": "V",
    "ex": "X",
    "why": "Y",
    "zee": "Z",
    "zed": "Z",
}

# "two" and the like, as Whisper may write them between spelling words
ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}

MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]

NAME_SIGNS = {"'": "apostrophe", "\u2019": "apostrophe", "-": "hyphen"}
EMAIL_SIGNS = {".": "dot", "_": "underscore", "-": "dash", "+": "plus"}

# Said between the letters of a spelled code without being one of them.
FILLERS = frozenset(["dash", "hyphen", "letter", "number", "digit", "capital", "then", "uh", "um"])

# Short words that are words first and letters never: a spelled run ends at one of them.
COMMON_WORDS = frozenset(
    ["is", "it", "its", "my", "me", "we", "he", "am", "us", "at", "in", "on", "of", "or", "if", "up", "do", "go", "no", "so", "by", "the", "was", "can", "may", "yes", "not", "but", "ok", "all", "any", "one", "has", "had", "her", "his", "him", "she", "let", "now", "new", "out", "who", "how", "get", "got", "ill", "im", "id"]
)
