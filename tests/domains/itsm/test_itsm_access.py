"""Who may use which service desk tool, how records are named, and calls of every kind."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from evalib.domains import state_hash
from evalib.domains.itsm import TOOLS, policy
from evalib.domains.itsm.ids import ADDED_LATER, content_id

from .conftest import ADA, ALL_LEVELS, BEN, CLEO, LAPTOP, MONITOR, Desk, day

# ---- authentication


def test_the_three_levels(db: dict[str, Any]) -> None:
    desk = Desk(db | {"session": {}})
    assert desk.refuses("authentication_required", "initiate_otp_auth", employee_id=BEN)
    assert desk.refuses(
        "authentication_failed", "verify_employee_auth", employee_id=BEN, phone_last_four="9999"
    )
    assert desk("verify_employee_auth", employee_id=BEN, phone_last_four="1234")["authenticated"]
    assert desk.refuses("otp_not_initiated", "verify_otp_auth", employee_id=BEN, otp_code="123456")
    assert desk("initiate_otp_auth", employee_id=BEN)["message"] == "OTP sent to ***1234"
    assert desk.refuses("otp_not_initiated", "verify_otp_auth", employee_id=ADA, otp_code="123456")
    assert desk.refuses("authentication_failed", "verify_otp_auth", employee_id=BEN, otp_code="000000")
    assert desk("verify_otp_auth", employee_id=BEN, otp_code="123456")["status"] == "success"
    assert desk.db["session"] == {
        "employee_auth": True,
        "authenticated_employee_id": BEN,
        "otp_auth": True,
    }
    code = {"phone_last_four": "1234", "manager_auth_code": "A1B2C3"}
    assert desk.refuses("not_a_manager", "verify_manager_auth", employee_id=ADA, **code)
    wrong = code | {"manager_auth_code": "ZZZZZZ"}
    assert desk.refuses("authentication_failed", "verify_manager_auth", employee_id=BEN, **wrong)
    assert desk("verify_manager_auth", employee_id=BEN, **code)["direct_reports"] == [ADA, CLEO]
    assert desk.db["session"]["manager_auth"] is True
    assert desk.db["session"]["manager_employee_id"] == BEN


OPEN_TO_ALL = {
    "verify_employee_auth",
    "initiate_otp_auth",
    "verify_otp_auth",
    "verify_manager_auth",
    "transfer_to_agent",
}
BY_CODE = {"submit_access_request", "submit_group_membership_change", "submit_permission_change"}
BY_MANAGER = {"provision_new_account", "submit_access_removal"}


@pytest.mark.parametrize("tool", [t.spec for t in TOOLS], ids=lambda spec: spec.name)
def test_who_may_use_a_tool(db: dict[str, Any], tool: Any) -> None:
    """A level is needed exactly where the call fails for want of it."""
    needed = set()
    for level in ALL_LEVELS:
        arguments = {p.name: sample(p, random.Random(1)) for p in tool.parameters}
        without = Desk(db | {"session": {k: True for k in ALL_LEVELS if k != level}})
        if without(tool.name, **arguments).get("error_type") == "authentication_required":
            needed.add(level)
    expected = {policy.EMPLOYEE} - ({policy.EMPLOYEE} if tool.name in OPEN_TO_ALL | BY_MANAGER else set())
    expected |= {policy.OTP} if tool.name in BY_CODE | BY_MANAGER else set()
    expected |= {policy.MANAGER} if tool.name in BY_MANAGER else set()
    assert needed == expected


# ---- identifiers


def test_an_identifier_says_what_a_record_says() -> None:
    record = {"request_id": None, "employee_id": ADA, "days": [1, 2]}
    first = content_id("REQ-SW-", record)
    assert first == content_id("REQ-SW-", dict(reversed(record.items())))
    for field in ADDED_LATER:
        assert first == content_id("REQ-SW-", record | {field: "x"})
    assert first == content_id("REQ-SW-", record | {"request_id": first})
    assert first != content_id("REQ-SW-", record | {"days": [2, 1]})


# ---- whatever the arguments


JUNK = [
    "",
    " ",
    "null",
    None,
    0,
    -1,
    10**30,
    float("nan"),
    True,
    [],
    ["x", 1],
    {"a": {}},
    "x" * 5000,
    "'; --",
]


def sample(parameter: Any, rng: random.Random) -> Any:
    """A value the declaration admits and the database may know."""
    known = {
        "employee_id": [ADA, BEN, CLEO],
        "asset_tag": [LAPTOP, MONITOR],
        "date": [day(1), day(5), day(10), "2027-02-30"],
        "group_code": ["GRP-BASE", "GRP-OPEN", "GRP-ASK", "GRP-FIN"],
        "ticket_number": ["INC00000000000a", "INC00000000000b"],
        "request_id": ["REQ-SW-00000000000a", "REQ-FAC-00000000000a"],
        "case_id": ["CASE-ACCT-00000000000a"],
        "security_case_id": ["SEC-00000000000a"],
        "floor_code": ["FL1", "FL2"],
        "time": ["09:00", "10:30", "12:00"],
        "room_code": ["BLD1-FL1-RM001"],
        "desk_code": ["BLD1-FL1-D000", "BLD1-FL1-D001"],
        "parking_space_id": ["PZA-001", "PZB-001"],
        "template_id": ["PTPL-MGENG-01", "PTPL-PM-01"],
        "phone_last_four": ["1234"],
        "otp_code": ["123456"],
        "manager_auth_code": ["A1B2C3"],
        "diagnostic_ref_code": ["DIAG-AB12CD34"],
        "license_assignment_id": ["LASGN-000000", "LASGN-000004"],
        "issue_summary": ["something happened"],
    }
    thing = parameter.error_type.removeprefix("invalid_").removesuffix("_format")
    if parameter.type == "array":
        return [rng.choice(known.get(thing, ["display"]))]
    if parameter.enum:
        return rng.choice(parameter.enum)
    if parameter.type == "integer":
        return rng.choice(getattr(parameter, "numbers", ()) or (2, 4))
    if parameter.type == "boolean":
        return rng.random() < 0.5
    catalogue = ["APP-0001", "APP-0002"] if "APP" in parameter.pattern else ["LIC-0001"]
    return rng.choice(
        catalogue if thing == "catalog_id" else known.get(thing, ["Old Mill", "Draw", "Ledger"])
    )


def test_whatever_the_arguments_a_tool_answers_and_an_error_changes_nothing(db: dict[str, Any]) -> None:
    rng = random.Random(20270615)
    outcomes: dict[str, set[str]] = {t.spec.name: set() for t in TOOLS}
    desk = Desk(db)
    for i in range(6000):
        if i % 40 == 0:
            desk = Desk(db)
        spec = TOOLS[i % len(TOOLS)].spec
        arguments = {p.name: sample(p, rng) for p in spec.parameters}
        if rng.random() < 0.3:
            arguments[rng.choice(list(arguments))] = rng.choice(JUNK)
        before = state_hash(desk.db), copy.deepcopy(desk.db["session"])
        response = desk(spec.name, **arguments)
        outcomes[spec.name].add(response.get("error_type", "success"))
        assert response.get("error_type") != "execution_error", (spec.name, arguments, response)
        if response["status"] == "error":
            assert response["message"]
        keeps = response["status"] == "error" and response["error_type"] != "in_person_required"
        if keeps or spec.kind in ("read", "system"):
            assert (state_hash(desk.db), desk.db["session"]) == before, (spec.name, arguments)
    assert all(len(found) > 1 for found in outcomes.values()), outcomes


def test_a_choice_of_numbers_is_one_in_the_schema() -> None:
    spec = next(t.spec for t in TOOLS if t.spec.name == "submit_license_request")
    days = spec.json_schema["properties"]["duration_days"]
    assert (days["type"], days["enum"]) == ("integer", [30, 60, 90])
    assert spec.json_schema["required"] == ["employee_id", "catalog_id"]
