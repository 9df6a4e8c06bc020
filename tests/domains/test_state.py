"""State hash, diff and session rule, against a twin written from the rules and a published run."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.domains import session_satisfied, state_diff, state_hash
from evalib.domains.state import UNORDERED_LISTS

TEXT = st.one_of(st.sampled_from(["none", " Null ", "NONE", "", "nonet", "é"]), st.text(max_size=4))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-50, 50),
    st.integers(-5, 5).map(float),
    st.floats(-9, 9, allow_nan=False),
    TEXT,
)
KEYS = st.one_of(st.sampled_from([*sorted(UNORDERED_LISTS), "segments"]), st.text(max_size=3))
VALUES = st.recursive(
    SCALARS,
    lambda v: st.one_of(st.lists(v, max_size=4), st.dictionaries(KEYS, v, max_size=4)),
    max_leaves=12,
)
DBS = st.dictionaries(st.one_of(KEYS, st.just("session")), VALUES, max_size=5)


def twin(db: dict[str, Any], normalise: bool = True) -> str:
    """The published rules, written plainly a second time."""

    def norm(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {k: norm(v, k) for k, v in value.items()}
        if isinstance(value, list):
            items = [norm(v) for v in value]
            if key in UNORDERED_LISTS:
                items.sort(key=lambda item: json.dumps(item, sort_keys=True))
            return items
        if isinstance(value, float) and value == int(value):
            return int(value)
        if isinstance(value, str) and value.strip().lower() in ("none", "null"):
            return None
        return value

    kept = {k: v for k, v in db.items() if k != "session"}
    text = json.dumps(norm(kept) if normalise else kept, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def test_hash_of_a_known_text() -> None:
    # SHA-256 of the seven bytes {"a":1}
    known = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert state_hash({"a": 1.0, "session": {"x": 1}}) == known


def test_hash_of_nothing_is_that_of_an_empty_object() -> None:
    assert state_hash({}) == hashlib.sha256(b"{}").hexdigest()


@settings(deadline=None)
@given(DBS)
def test_hash_equals_the_twin(db: dict[str, Any]) -> None:
    assert state_hash(db) == twin(db)


def test_serialisation_is_that_of_a_published_run(shared: Path) -> None:
    """The stored hashes of the sample run are those of the plain, not normalised, form."""
    record = shared / "eva-bench" / "run-sample" / "output" / "records" / "1.1.2"
    if not record.is_dir():
        pytest.skip(f"no published run at {record}")
    stored = json.loads((record / "result.json").read_text())
    for when in ("initial", "final"):
        db = json.loads((record / f"{when}_scenario_db.json").read_text())
        assert twin(db, normalise=False) == stored[f"{when}_scenario_db_hash"]
        assert twin(db) == state_hash(db) != stored[f"{when}_scenario_db_hash"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"n": 25}, {"n": 25.0}),
        ({"n": 0}, {"n": -0.0}),
        ({"n": None}, {"n": "None"}),
        ({"n": None}, {"n": "  NULL\n"}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"r": {"bookings": [{"x": 1}, {"x": 2}]}}, {"r": {"bookings": [{"x": 2.0}, {"x": 1}]}}),
        ({"notifications": ["b", "a"]}, {"notifications": ["a", "b"]}),
        ({"a": 1, "session": {"last_name": "x"}}, {"a": 1}),
    ],
)
def test_same_state(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert state_hash(a) == state_hash(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"n": 25}, {"n": 25.5}),
        ({"n": 1}, {"n": "1"}),
        ({"n": 1}, {"n": True}),
        ({"n": None}, {}),
        ({"n": None}, {"n": ""}),
        ({"n": "a"}, {"n": "A"}),
        ({"n": "a"}, {"n": "a "}),
        ({"segments": [1, 2]}, {"segments": [2, 1]}),
        ({"standby_list": [1, 1]}, {"standby_list": [1]}),
        ({"_current_date": "2027-01-01"}, {"_current_date": "2027-01-02"}),
        ({"a": {"session": 1}}, {"a": {"session": 2}}),
        ({"none": 1}, {"null": 1}),
    ],
)
def test_different_state(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert state_hash(a) != state_hash(b)
    assert state_diff(a, b)


@settings(deadline=None)
@given(st.data(), DBS)
def test_hash_ignores_key_order_and_number_type(data: st.DataObject, db: dict[str, Any]) -> None:
    def reword(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            keys = data.draw(st.permutations(list(value)))
            return {k: reword(value[k], k) for k in keys}
        if isinstance(value, list):
            items = data.draw(st.permutations(value)) if key in UNORDERED_LISTS else value
            return [reword(v) for v in items]
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return "nOnE " if value is None else value

    assert state_hash(reword(db)) == state_hash(db)


@settings(deadline=None)
@given(st.lists(st.integers(), min_size=2, max_size=5, unique=True), KEYS.filter(lambda k: k != "session"))
def test_order_counts_in_all_other_lists(items: list[int], key: str) -> None:
    swapped = items[::-1]
    assert (state_hash({"t": {key: items}}) == state_hash({"t": {key: swapped}})) == (key in UNORDERED_LISTS)


@settings(deadline=None)
@given(DBS, DBS)
def test_no_diff_exactly_when_hashes_agree(a: dict[str, Any], b: dict[str, Any]) -> None:
    same_session = {"session": {}}
    hashes_agree = state_hash(a) == state_hash(b)
    assert (state_diff(a | same_session, b | same_session) == {}) == hashes_agree
    assert state_diff(a, copy.deepcopy(a)) == {}


def test_diff_names_every_level() -> None:
    expected = {
        "gone": {},
        "t": {"r1": {"f": 1, "old": 0}, "r2": {"f": 1}, "r3": {"f": [1, 2]}},
        "list": [1],
        "session": {"k": 1},
    }
    actual = {
        "new": {"r": 1},
        "t": {"r1": {"f": 2, "fresh": 0}, "r3": {"f": [1, 2.0]}, "r4": 5},
        "list": [2],
        "session": {"k": 2},
    }
    assert state_diff(expected, actual) == {
        "tables_added": {"new": {"r": 1}},
        "tables_removed": {"gone": {}},
        "tables_modified": {
            "t": {
                "records_added": {"r4": 5},
                "records_removed": {"r2": {"f": 1}},
                "records_modified": {
                    "r1": {
                        "fields_added": {"fresh": 0},
                        "fields_removed": {"old": 0},
                        "fields_modified": {"f": {"expected": 1, "actual": 2}},
                    }
                },
            },
            "list": {"expected": [1], "actual": [2]},
            "session": {"records_modified": {"k": {"expected": 1, "actual": 2}}},
        },
    }


def test_diff_tells_true_from_one() -> None:
    assert state_diff({"t": {"r": {"f": True}}}, {"t": {"r": {"f": 1}}}) != {}


@pytest.mark.parametrize(
    ("expected", "actual", "satisfied"),
    [
        ({}, {}, True),
        (None, None, True),
        ({}, {"anything": 1}, True),
        ({"last_name": "Quill"}, {"last_name": "QUILL", "more": 1}, True),
        ({"auth": True}, {"auth": True}, True),
        ({"auth": True}, {"auth": False}, False),
        ({"last_name": "Quill"}, {"last_name": "Quil"}, False),
        ({"last_name": "Quill"}, {}, False),
        ({"last_name": "Quill"}, None, False),
        ({"last_name": "Quill"}, {"last_name": 3}, False),
        ({"n": 1}, {"n": "1"}, False),
    ],
)
def test_session(expected: Any, actual: Any, satisfied: bool) -> None:
    assert session_satisfied(expected, actual) is satisfied
