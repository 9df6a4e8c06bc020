"""Finding an e-mail address in what a recogniser wrote."""

from __future__ import annotations

import re

from evalib.core.spoken.alphabet import EMAIL_SIGNS, NATO_HEARD
from evalib.core.spoken.numbers import figures

_SIGN_OF = {word: sign for sign, word in EMAIL_SIGNS.items()} | {"hyphen": "-", "minus": "-"}
_SPOKEN_DOT = re.compile(r"\s*\bdot\b\s*", re.IGNORECASE)
_SPLIT_PROVIDER = re.compile(r"^(g|hot|proton)\s+mail\b")
_DOMAIN = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}")
_AT = re.compile(r"\s*(?:@|\bat\b)\s*", re.IGNORECASE)


def hear_email(text: str) -> str | None:
    """The address in "it's john dot smith at gmail dot com", in lower case, or None.

    The part before the at may be spelled, with letters or with spelling words.
    """
    text = re.sub(r"\bx[\s-]ray\b", "xray", figures(text), flags=re.IGNORECASE)
    for at in reversed(list(_AT.finditer(text))):
        after = _SPLIT_PROVIDER.sub(r"\1mail", _SPOKEN_DOT.sub(".", text[at.end() :].lower()))
        domain = _DOMAIN.match(after)
        local = _local_part(text[: at.start()])
        if domain and local:
            return f"{local}@{domain.group()}"
    return None


def _local_part(text: str) -> str:
    """The part of an address that ends the text: words joined by signs, read from the right."""
    # a hyphen between single letters only spells; "mary-jane" has one
    text = re.sub(r"\b(\w)-(?=\w\b)", r"\1 ", text)
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
    """Take one piece between signs off the end: a word, with its figures, or a spelling."""
    last = len(tokens)
    while last and (tokens[last - 1].isdecimal() or _is_letter(tokens[last - 1])):
        last -= 1
    taken = tokens[last:]
    if sum(_is_letter(t) for t in taken) < 2 and not any(len(t) == 1 and t.isalpha() for t in taken):
        # no spelling: a word, and the figures around it
        while last < len(tokens) and not tokens[last].isdecimal():
            last += 1
        taken = tokens[last:] if last < len(tokens) else []
        ...
    del tokens[last:]
    return "".join(NATO_HEARD.get(t.lower(), t) for t in taken)


def _is_letter(token: str) -> bool:
    """A letter of a spelling: one letter, a spelling word, or letters in capitals."""
    return token.isalpha() and (
        len(token) == 1 or token.lower() in NATO_HEARD or sum(c.isupper() for c in token) > 1
    )
