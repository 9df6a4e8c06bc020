"""File names for ids that may contain anything.

Ids of systems, scenarios and conditions are data, and data may say ``../x``. The name of an id is
safe on every common file system, tells the id to a reader, and no two ids share one, not even where
the file system ignores case.
"""

from __future__ import annotations

import re
from hashlib import sha256

_LONGEST = 80
_AS_IT_IS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
_RESERVED_ON_WINDOWS = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


def safe_name(text: str) -> str:
    """The file name of an id.

    Lower-case letters, digits, ``.``, ``_`` and ``-`` stand for themselves; an upper-case letter becomes
    ``+`` and its lower case; everything else becomes ``%xx`` per UTF-8 byte, and so do a dot at either
    end and the first letter of a name that Windows reserves (``con``, ``nul.txt``). The empty id is ``%``.
    A name over 80 characters is cut to 40 and ends in ``~`` and 128 bits of the id's SHA-256.

    Examples
    --------
    >>> safe_name("1.1.2"), safe_name("GPT-4o"), safe_name("../x")
    ('1.1.2', '+g+p+t-4o', '%2e.%2fx')
    """
    if not text:
        return "%"
    marks = [_mark(character) for character in text]
    if text[0] == "." or _RESERVED_ON_WINDOWS.match(text):
        marks[0] = _bytes_of(text[0])
    if text[-1] == ".":
        marks[-1] = _bytes_of(".")
    name = "".join(marks)
    if len(name) <= _LONGEST:
        return name
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{name[:40]}~{digest}"


def _mark(character: str) -> str:
    if character in _AS_IT_IS:
        return character
    if "A" <= character <= "Z":
        return "+" + character.lower()
    return _bytes_of(character)


def _bytes_of(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
