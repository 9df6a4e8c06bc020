"""Recorded calls get the identifiers of today, wherever a recorded one stands."""

from __future__ import annotations

from typing import Any

from evalib.domains.stale_ids import has_ids, with_current_ids

from .conftest import ADA, Desk

CALLS = [
    {
        "name": "submit_license_request",
        "arguments": {"employee_id": ADA, "catalog_id": "LIC-0001", "duration_days": 30},
    },
    {"name": "get_request_status", "arguments": {"request_id": "REQ-SW-048271"}},
    {
        "name": "transfer_to_agent",
        "arguments": {
            "employee_id": ADA,
            "transfer_reason": "caller_requested",
            "issue_summary": "Request REQ-SW-048271, not REQ-SW-048272.",
        },
    },
]


def test_a_recorded_identifier_is_replaced_in_what_follows(db: dict[str, Any]) -> None:
    recorded = [{"status": "success", "request_id": "REQ-SW-048271"}, None, {"status": "success"}]
    calls = with_current_ids(CALLS, recorded, Desk(db).executor)
    desk = Desk(db)
    now = desk("submit_license_request", **CALLS[0]["arguments"])["request_id"]
    assert calls[0] == CALLS[0]
    assert calls[1]["arguments"] == {"request_id": now}
    assert calls[2]["arguments"]["issue_summary"] == f"Request {now}, not REQ-SW-048272."
    assert desk("get_request_status", **calls[1]["arguments"])["status"] == "success"
    assert CALLS[1]["arguments"] == {"request_id": "REQ-SW-048271"}


def test_without_a_recorded_identifier_calls_stay_as_they_are(db: dict[str, Any]) -> None:
    assert with_current_ids(CALLS, [None, None, None], Desk(db).executor) == CALLS
    assert with_current_ids(CALLS, ["?", ["REQ-SW-1"], {}], Desk(db).executor) == CALLS


def test_what_counts_as_naming_something() -> None:
    assert has_ids([None, {"a": [{"b": "INC0048271"}]}])
    assert not has_ids([None, {"a": ["INCIDENT 1", 5]}, {"INC0048271": "value"}])
