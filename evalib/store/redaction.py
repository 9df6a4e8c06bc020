"""Takes secrets out of a configuration before it is stored.

Two nets: what an entry is called (``api_key``, ``Authorization``, the item after ``--token``), and what
a text looks like (bearer tokens, provider keys, private keys, addresses with a password or a signature).
It removes rather too much than too little.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REMOVED = "<removed>"

_ALWAYS_SECRET = re.compile(
    r"password|passwd|passphrase|secret|credential|authorization|cookie|bearer"
    r"|apikey|accesskey|privatekey|authkey|signingkey|sessionkey|accesstoken|authtoken"
)
_SECRET_WORDS = {"key", "keys", "token", "tokens", "auth", "sig", "signature", "pwd", "pin", "jwt", "sas"}

_SECRET_TEXTS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)", re.DOTALL),
    re.compile(r"\b(?i:bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"),
    re.compile(r"\b(sk|pk|rk)[-_][A-Za-z0-9_-]{8,}"),
    re.compile(r"\b(hf|gsk|ghp|gho|ghs|ghu|glpat|github_pat|xai|npm)[-_][A-Za-z0-9_-]{8,}"),
    re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{8,}"),
    re.compile(r"\b(AKIA|ASIA)[A-Z0-9]{12,}"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{20,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*"),
)
_USER_INFO = re.compile(r"(?<=://)[^/\s?#@]+@")
_ASSIGNMENT = re.compile(r"([A-Za-z][\w-]*)(\s*=\s*)([^\s&;,'\"]+)")


def without_secrets(value: Any) -> Any:
    """A copy of a JSON-like value in which every secret reads ``<removed>``.

    Parameters
    ----------
    value : dict, list, str, number, bool or None

    Examples
    --------
    >>> without_secrets({"model": "m", "api_key": "abc", "url": "https://me:pw@host/x?sig=1&n=2"})
    {'model': 'm', 'api_key': '<removed>', 'url': 'https://<removed>@host/x?sig=<removed>&n=2'}
    """
    if isinstance(value, Mapping):
        named = value.get("name", value.get("key"))  # {"name": "X-Api-Key", "value": "..."}
        holder = isinstance(named, str) and _is_secret_name(named, value.get("value"))
        return {
            key: REMOVED
            if _is_secret_name(str(key), item) or (holder and key == "value")
            else without_secrets(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        before = [None, *value[:-1]]  # ["--api-key", "..."], ["Authorization", "..."]
        return [
            REMOVED if isinstance(name, str) and _is_secret_name(name, item) else without_secrets(item)
            for name, item in zip(before, value, strict=False)
        ]
    if isinstance(value, str):
        return _text_without_secrets(value)
    return value


def _is_secret_name(name: str, value: Any) -> bool:
    if value is None or value == "":
        return False
    if _ALWAYS_SECRET.search(re.sub(r"[^a-z]", "", name.lower())):
        return True
    # A number is a count (max_tokens) or a switch. What a name is about stands last: key_frame is no key.
    words = re.findall(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+", name)
    return not isinstance(value, int | float) and bool(words) and words[-1].lower() in _SECRET_WORDS


def _text_without_secrets(text: str) -> str:
    for pattern in _SECRET_TEXTS:
        text = pattern.sub(REMOVED, text)
    text = _USER_INFO.sub(f"{REMOVED}@", text)

    def assigned(match: re.Match[str]) -> str:
        name, equals, value = match.groups()
        return f"{name}{equals}{REMOVED}" if _is_secret_name(name, value) else match.group()

    return _ASSIGNMENT.sub(assigned, text)
