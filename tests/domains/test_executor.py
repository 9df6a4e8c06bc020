"""The executor takes anything, and only writes what a tool writes."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import DOMAINS, ConfigError, ToolCall
from evalib.domains import ToolExecutor, state_diff, state_hash, tools

from .conftest import NOW, make_db

DB = make_db()
NAMES = [spec.name for spec in tools("airline")]
READS = [spec.name for spec in tools("airline") if spec.kind in ("read", "system")]
FIELDS = sorted({p.name for spec in tools("airline") for p in spec.parameters})

# Values that get past the checks, values that do not, and values that are not JSON at all.
LIVELY = st.sampled_from(
    [
        "AB1C2D",
        "conn77",
        "REF555",
        "Quill",
        "PAX001",
        "PAX002",
        "PAX999",
        ["PAX001", "PAX002"],
        "FL_QZ1_20270201",
        "FL_QZ2_20270201",
        "FL_QZ5_20270201",
        "FL_QZ6_QZ7_20270201",
        "FL_QZ8_20270201",
        "QZ7",
        "QZ1",
        "AAA",
        "BBB",
        "2027-02-01",
        "main_cabin",
        "any",
        "window",
        "irrops_delay",
        "voluntary",
        "vegan",
        "goodwill",
        "full_fare",
        "irrops_overnight",
        True,
        1,
        2,
        50.5,
    ]
)
ANYTHING = st.one_of(
    LIVELY,
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from([10**5000, "x" * 100_000, object(), {1, 2}, b"bytes", lambda: None, "\ud800", [[]]]),
    st.recursive(
        st.none(), lambda v: st.one_of(st.lists(v), st.dictionaries(st.integers(), v)), max_leaves=4
    ),
)
ARGUMENTS = st.one_of(
    st.dictionaries(st.sampled_from(FIELDS), LIVELY, max_size=7),
    st.dictionaries(st.one_of(st.sampled_from(FIELDS), st.text(max_size=5)), ANYTHING, max_size=7),
    ANYTHING,
)
TOOL_NAMES = st.one_of(st.sampled_from(NAMES), st.text(max_size=10), st.integers(), st.none())
CALLS = st.lists(st.tuples(TOOL_NAMES, ARGUMENTS), max_size=6)


@settings(max_examples=200, deadline=None)
@given(CALLS)
def test_never_raises_and_logs_what_happened(calls: list[tuple[Any, Any]]) -> None:
    executor = ToolExecutor("airline", DB, NOW)
    for index, (name, arguments) in enumerate(calls):
        before = copy.deepcopy(executor.db)
        response = executor.call(name, arguments)
        assert response["status"] in ("success", "error")
        assert (response["status"] == "error") == ("error_type" in response)
        entry = executor.log[-1]
        assert isinstance(entry, ToolCall)
        assert (entry.index, entry.response) == (index, response)
        assert entry.changes == state_diff(before, executor.db)
        json.dumps([entry.arguments, response, entry.changes])
        if entry.name in READS:
            assert executor.db == before
    assert sum(executor.call_index.values()) == len(executor.log) == len(calls)
    assert make_db() == DB  # the database given is never touched


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(NAMES))
def test_right_types_never_raise_on_a_broken_database(data: st.DataObject, name: str) -> None:
    """Tables, records and fields go missing: an error response, and the state as it was."""
    db = copy.deepcopy(DB)
    place: Any = db
    for _ in range(data.draw(st.integers(1, 5))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            place[key] = None
            break
        place = place[key]
    executor = ToolExecutor("airline", db, NOW)
    before = state_hash(executor.db)
    spec = next(s for s in tools("airline") if s.name == name)
    filling = {
        "confirmation_number": "AB1C2D",
        "last_name": "Quill",
        "passenger_id": "PAX001",
        "passenger_ids": ["PAX001"],
        "journey_id": "FL_QZ1_20270201",
        "new_journey_id": "FL_QZ2_20270201",
        "flight_number": "QZ1",
        "flight_date": "2027-02-01",
        "date": "2027-02-01",
        "origin": "AAA",
        "destination": "BBB",
        "waive_change_fee": False,
    }
    arguments = {
        p.name: filling.get(p.name, p.enum[0] if p.enum else 1 if p.type != "string" else "text")
        for p in spec.parameters
    }
    response = executor.call(name, arguments)
    if response["status"] == "error":
        assert state_hash(executor.db) == before


def test_failures_count_in_call_index(executor: ToolExecutor) -> None:
    refund = {"confirmation_number": "AB1C2D", "refund_amount": 10, "refund_type": "full_fare"}
    assert executor.call("process_refund", refund | {"refund_amount": -1})["status"] == "error"
    assert executor.call("process_refund", refund)["refund_id"] == "REF-AB1C2D-002"
    assert executor.call("nonsense", {})["error_type"] == "tool_not_found"
    assert executor.call_index == {"process_refund": 2, "nonsense": 1}


def test_date_of_the_call_is_set_and_the_database_copied(db: dict[str, Any]) -> None:
    executor = ToolExecutor("airline", db, NOW)
    assert executor.db["_current_date"] == "2027-02-01"
    assert db["_current_date"] == "2000-01-01"
    executor.db["reservations"].clear()
    assert db["reservations"]


def test_responses_do_not_reach_into_the_database(executor: ToolExecutor) -> None:
    before = state_hash(executor.db)
    status = executor.call("get_flight_status", {"flight_number": "QZ1", "flight_date": "2027-02-01"})
    status["journey"]["segments"][0]["available_seats"]["main_cabin"] = 99
    search = {
        "origin": "AAA",
        "destination": "BBB",
        "date": "2027-02-01",
        "passenger_count": 1,
        "fare_class": "any",
    }
    executor.call("search_rebooking_options", search)["options"][0]["segments"].clear()
    assert state_hash(executor.db) == before


def test_logged_changes_do_not_change_later(executor: ToolExecutor) -> None:
    bags = {"confirmation_number": "AB1C2D", "journey_id": "FL_QZ1_20270201"}
    executor.call("add_baggage_allowance", bags | {"num_bags": 2})
    logged = copy.deepcopy(executor.log[0].changes)
    executor.call("add_baggage_allowance", bags | {"num_bags": 3})
    assert executor.log[0].changes == logged
    record = logged["tables_modified"]["reservations"]["records_modified"]["AB1C2D"]
    bookings = record["fields_modified"]["bookings"]
    assert bookings["expected"][0]["segments"][0]["bags_checked"] == 1
    assert bookings["actual"][0]["segments"][0]["bags_checked"] == 2


@pytest.mark.parametrize("arguments", [None, [], "text", 3, {1: 2}])
def test_what_is_no_arguments_counts_as_none_given(executor: ToolExecutor, arguments: Any) -> None:
    response = executor.call("get_reservation", arguments)
    assert response["error_type"] == "invalid_confirmation_number_format"
    assert "missing" in response["message"]


def test_unknown_domain_and_bad_setup(db: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="airline, itsm, medical_hr"):
        tools("hotel")
    with pytest.raises(ConfigError, match="YYYY-MM-DD HH:MM TZ"):
        ToolExecutor("airline", db, "tomorrow")
    with pytest.raises(ConfigError, match="mapping of tables, not list"):
        ToolExecutor("airline", [], NOW)  # type: ignore[arg-type]


def test_importing_and_executing_load_nothing_heavy(repo: Path) -> None:
    program = (
        "import sys, evalib.domains as d; "
        "d.ToolExecutor('airline', {'reservations': {}}, '2027-01-01').call('get_reservation', {}); "
        "d.state_hash({}); d.replay; "
        "print([m for m in ('pydantic', 'numpy', 'pandas', 'scipy') if m in sys.modules])"
    )
    env = os.environ | {"PYTHONPATH": str(repo)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True
    )
    assert done.stdout.strip() == "[]"


def test_every_domain_has_its_tools() -> None:
    assert {domain: len(tools(domain)) for domain in DOMAINS} == {"airline": 15, "itsm": 59, "medical_hr": 48}
