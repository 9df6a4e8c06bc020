"""Finding an e-mail address in what a recogniser wrote."""

from __future__ import annotations

import re
from collections.abc import Callable

from evalib.core.spoken.alphabet import COMMON_WORDS, EMAIL_SIGNS, NATO_HEARD
from evalib.core.spoken.numbers import figures

_SIGN_OF = {word: sign for sign, word in EMAIL_SIGNS.items()} | {"hyphen": "-", "minus": "-"}
_DOMAIN_SIGN = re.compile(r"\s*\b(dot|dash|hyphen)\b\s*", re.IGNORECASE)
_SPLIT_PROVIDER = re.compile(r"^(g|hot|proton)\s+mail\b")
_DOMAIN = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}")
_AT = re.compile(r"\s*(?:@|\bat\b)\s*", re.IGNORECASE)


def hear_email(text: str) -> str | None:
    """The address in "it's john dot smith at gmail dot com", in lower case, or None.

    The part before the at may be spelled, with letters or with spelling words.
    """
    text = re.sub(r"\bx[\s,-]+ray\b", "xray", figures(text), flags=re.IGNORECASE)
    for at in reversed(list(_AT.finditer(text))):
        after = _DOMAIN_SIGN.sub(lambda m: _SIGN_OF[m[1]], text[at.end() :].lower())
        after = _SPLIT_PROVIDER.sub(r"\1mail", after)
        domain = _DOMAIN.match(after)
        local = _local_part(text[: at.start()])
        if domain and local:
            return f"{local}@{domain.group()}"
    return None


def _local_part(text: str) -> str:
    """The part of an address that ends the text: words joined by signs, read from the right."""
    # a hyphen between single letters only spells; "mary-jane" has one
    text = re.sub(r"\b(\w)-(?=\w\b)", r"\1 ", text)
    text = re.sub(r"(?<=\s\d)\.(?=\d+[\s,]*$)", "", text)  # "walker 8.4 at" was "walker 8 4 at"
    tokens = [_SIGN_OF.get(t.lower(), t) for t in re.findall(r"[A-Za-z0-9]+|[._+-]", text)]
    local = ""
    while tokens and tokens[-1] in ".,":
        tokens.pop()
    while tokens:
        local = _piece(tokens) + local
        if not tokens or not re.fullmatch(r"[._+-]", tokens[-1]):
            break
        local = tokens.pop() + local
    return local.lower() if re.fullmatch(r"\w+(?:[._+-]\w+)*", local) else ""


def _piece(tokens: list[str]) -> str:
    """Take one piece between signs off the end: a spelling, or a word with figures around it."""
    spelled = _pop_while(tokens, lambda t: t.isdecimal() or _is_letter(t))
    letters = [t for t in spelled if t.isalpha()]
    if len(letters) > 1 or any(len(t) == 1 for t in letters):
        return "".join(NATO_HEARD.get(t.lower(), t) for t in spelled)
    tokens += spelled  # "mike 84" is a word
    figures_after = _pop_while(tokens, str.isdecimal)
    word = [tokens.pop()] if tokens and _is_word(tokens[-1]) else []
    figures_before = _pop_while(tokens, str.isdecimal) if word else []
    return "".join(figures_before + word + figures_after)


def _pop_while(tokens: list[str], accept: Callable[[str], bool]) -> list[str]:
    taken: list[str] = []
    while tokens and accept(tokens[-1]):
        taken.insert(0, tokens.pop())
    return taken


def _is_word(token: str) -> bool:
    return token.isalnum() and token.lower() not in COMMON_WORDS


def _is_letter(token: str) -> bool:
    """A letter of a spelling: one letter, a spelling word, or letters in capitals."""
    return token.isalpha() and (
        len(token) == 1 or token.lower() in NATO_HEARD or sum(c.isupper() for c in token) > 1
    )
