"""Ids as file names: safe, injective, readable."""

from __future__ import annotations

import re
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalib.store import safe_name

ANYTHING = st.text(st.characters(exclude_categories=())) | st.text("aA.b/\\%+~ -_:é0", max_size=12)


@pytest.mark.parametrize("ordinary", ["1.1.2", "42", "airline", "no-faults_2", "a..b", "-x", "medical_hr"])
def test_ordinary_ids_stand_as_they_are(ordinary):
    assert safe_name(ordinary) == ordinary


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "%"),
        ("..", "%2e%2e"),
        ("../x", "%2e.%2fx"),
        ("a/b", "a%2fb"),
        ("a\\b", "a%5cb"),
        ("D1.2", "+d1.2"),
        ("GPT-4o mini", "+g+p+t-4o%20mini"),
        (".hidden", "%2ehidden"),
        ("end.", "end%2e"),
        ("con", "%63on"),
        ("aux.wav", "%61ux.wav"),
        ("lpt1", "%6cpt1"),
        ("console", "console"),
        ("é", "%c3%a9"),
        ("C:\\x", "+c%3a%5cx"),
        ("\x00", "%00"),
    ],
)
def test_names_are_as_documented(text, name):
    assert safe_name(text) == name


@given(ANYTHING)
@example("../" * 60)
@example("CON.txt")
@example("nul")
@example("\ud800")
def test_a_name_is_one_safe_path_component(text):
    name = safe_name(text)
    assert re.fullmatch(r"[a-z0-9._+%~-]{1,80}", name)
    assert not name.startswith(".")
    assert not name.endswith(".")
    root = Path("/run")
    assert (root / name).resolve().parent == root
    assert PureWindowsPath(name).name == name
    assert not re.fullmatch(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", name)


@given(ANYTHING, ANYTHING)
@example("a", "A")
@example("%41", "A")
@example("+a", "A")
@example("", "%")
@example("x" * 90, "x" * 91)
@example("x" * 90, safe_name("x" * 90))
@example("é", "e\u0301")
@example("con", "%63on")
def test_two_ids_never_share_a_name(a, b):
    assert (safe_name(a).casefold() == safe_name(b).casefold()) == (a == b)
