"""Filling a record's placeholders for one language.

Records name people, phones and places by tokens, so that the same scenario can be played by a
caller from another culture. A token is filled wherever it stands inside a string value; keys are
left alone. Romanized names go in lower-cased (they make e-mail addresses). What a record has no
value for stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from evalib.core import ScenarioError

Names = Mapping[str, Any]
_LOCATION = re.compile(r"<LOC:([^<>]+)>")


def token_values(
    culture: Mapping[str, Names], romanized: Mapping[str, Names], language: str
) -> dict[str, str]:
    """Token -> text, for one record and language.

    Parameters
    ----------
    culture, romanized : mapping
        The record's ``culture_overrides`` and ``romanized_culture_overrides``, by language.

    Raises
    ------
    ScenarioError
        When the record has no names for the language.
    """
    if language not in culture:
        have = ", ".join(culture) or "none"
        raise ScenarioError(f"no names for language {language!r} in culture_overrides, which has {have}")
    own = culture[language]
    plain, latin = _names(own), _names(romanized.get(language, own))
    values = {f"<{name}>": text for name, text in plain.items()}
    values |= {f"<{name}_ROMANIZED>": text.lower() for name, text in latin.items()}
    if own.get("phone"):
        values["<PHONE>"] = own["phone"]
    return values


def _names(culture: Names) -> dict[str, str]:
    names = {"FIRST_NAME": culture["first_name"], "LAST_NAME": culture["last_name"]}
    if companion := culture.get("companion"):
        names["COMPANION_FIRST_NAME"] = companion["first_name"]
    return names


def fill(value: Any, tokens: Mapping[str, str]) -> Any:
    """A copy of `value` with every token filled."""

    def in_text(text: str) -> str:
        for token, filling in tokens.items():
            text = text.replace(token, filling)
        return text

    return _map_text(value, lambda text: in_text(text) if "<" in text else text)


def fill_locations(value: Any, aliases: Mapping[str, Mapping[str, Any]], language: str) -> Any:
    """A copy of `value` in which ``<LOC:name>`` is the name callers of that language use."""

    def local_name(match: re.Match[str]) -> str:
        name = match[1]
        translations = aliases.get(name, {}).get("translations", {}).get(language)
        return translations[0] if translations and language != "en" else name

    return _map_text(value, lambda text: _LOCATION.sub(local_name, text))


def add_name_aliases(value: Any, aliases: Mapping[str, Mapping[str, Any]], language: str) -> Any:
    """A copy of `value` in which everything with a known name lists what else it is called."""
    if isinstance(value, list):
        return [add_name_aliases(item, aliases, language) for item in value]
    if not isinstance(value, dict):
        return value
    out = {k: add_name_aliases(v, aliases, language) for k, v in value.items()}
    name = value.get("name")
    if isinstance(name, str) and name in aliases:
        alias = aliases[name]
        names = [*alias["base"], *alias["translations"].get(language, [])]
        out["name_aliases"] = list(dict.fromkeys(names))
    return out


def _map_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_text(item, change) for item in value]
    if isinstance(value, dict):
        return {k: _map_text(v, change) for k, v in value.items()}
    return value
