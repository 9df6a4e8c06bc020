"""Places to work, accounts, roles, security: what the tools do, and exactly where their limits are."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import ADA, BEN, CLEO, LAPTOP, MONITOR, TODAY, Desk, day

# ---- facilities


PLACES = [
    ("submit_desk_assignment", {"desk_code": "BLD1-FL1-D000"}, "desk", 90),
    ("submit_parking_assignment", {"parking_space_id": "PZA-001"}, "parking", 180),
]


@pytest.mark.parametrize(("tool", "what", "kind", "cooldown"), PLACES)
def test_a_place_is_given_once_and_not_again_too_soon(
    db: dict[str, Any], tool: str, what: dict[str, str], kind: str, cooldown: int
) -> None:
    ada, last = db["employees"][ADA], f"last_{kind}_assignment_date"
    ada[last] = day(1 - cooldown)
    assert Desk(db).refuses("cooldown_active", tool, employee_id=ADA, **what)
    ada[last] = day(-cooldown)
    desk = Desk(db)
    assert desk(tool, employee_id=ADA, **what)["status"] == "success"
    assert (desk.db["employees"][ADA][f"assigned_{kind}"],) == tuple(what.values())
    assert desk.db["employees"][ADA][last] == TODAY.isoformat()
    assert desk.refuses("already_assigned", tool, employee_id=ADA, **what)
    assert desk.refuses("not_available", tool, employee_id=BEN, **what)


def test_free_places(desk: Desk) -> None:
    for building in ("BLD1", "old mill", "ALTE MÜHLE"):
        response = desk("check_desk_availability", building_code=building, floor_code="FL1")
        assert [d["desk_code"] for d in response["available_desks"]] == ["BLD1-FL1-D000"]
    unknown = {"building_code": "New Mill", "floor_code": "FL1"}
    assert desk.refuses("name_not_found", "check_desk_availability", **unknown)
    elsewhere = desk("check_desk_availability", building_code="BLD99", floor_code="FL1")
    assert elsewhere["message"] == "0 desk(s)"
    assert len(desk("check_parking_availability")["available_spaces"]) == 2
    assert len(desk("check_parking_availability", zone_code="")["available_spaces"]) == 2
    assert len(desk("check_parking_availability", zone_code="yard north")["available_spaces"]) == 1


def test_waiting(desk: Desk) -> None:
    args = {"resource_type": "desk", "zone_or_building": "BLD1"}
    first, second = (desk("submit_waitlist", employee_id=e, **args) for e in (ADA, BEN))
    assert (first["waitlist_id"], second["waitlist_id"]) == ("WL-DES-0001", "WL-DES-0002")
    assert [w["position"] for w in desk.db["waitlists"]["desk"]] == [1, 2]


def test_assessment(desk: Desk) -> None:
    assert desk("check_ergonomic_assessment", employee_id=ADA)["assessment_date"] == day(-100)
    assert desk.refuses("assessment_required", "check_ergonomic_assessment", employee_id=BEN)


@pytest.mark.parametrize(
    ("start", "end", "free"),
    [
        ("09:00", "10:00", True),
        ("11:00", "12:00", True),
        ("09:00", "10:01", False),
        ("10:59", "12:00", False),
    ],
)
def test_rooms_are_free_up_to_the_minute(desk: Desk, start: str, end: str, free: bool) -> None:
    when = {"date": day(1), "start_time": start, "end_time": end}
    found = desk("check_room_availability", building_code="BLD1", min_capacity=4, **when)
    assert found["message"] == f"{int(free)} room(s)"
    book = {"employee_id": ADA, "room_code": "BLD1-FL1-RM001", **when}
    assert desk.refuses("capacity_exceeded", "submit_room_booking", **book, attendee_count=5)
    if not free:
        assert desk.refuses("room_not_available", "submit_room_booking", **book, attendee_count=4)
        return
    request_id = desk("submit_room_booking", **book, attendee_count=4)["request_id"]
    assert desk("send_calendar_invite", request_id=request_id, **book)["calendar_event_id"] == (
        f"CAL-{request_id[-6:]}"
    )
    other = "REQ-FAC-00000000000a"
    assert desk.refuses("not_found", "send_calendar_invite", request_id=other, **book)


def test_rooms_by_capacity_equipment_floor_and_order_of_times(desk: Desk) -> None:
    ask = {"building_code": "BLD1", "date": day(2), "start_time": "10:00", "end_time": "11:00"}
    for change, count in (
        ({"min_capacity": 5}, 0),
        ({"min_capacity": 4, "equipment_required": ["display"]}, 1),
        ({"min_capacity": 4, "equipment_required": ["display", "projector"]}, 0),
        ({"min_capacity": 4, "equipment_required": []}, 1),
        ({"min_capacity": 4, "floor_code": "FL2"}, 0),
    ):
        assert desk("check_room_availability", **ask, **change)["message"] == f"{count} room(s)"
    for capacity in (0, 51):
        assert desk.refuses("invalid_min_capacity", "check_room_availability", **ask, min_capacity=capacity)
    never = ask | {"end_time": "10:00", "min_capacity": 1}
    assert desk.refuses("invalid_parameter", "check_room_availability", **never)


# ---- accounts, roles, leaving


HIRE = {
    "manager_employee_id": BEN,
    "new_hire_employee_id": CLEO,
    "department_code": "ENG",
    "role_code": "SWE",
    "start_date": day(3),
    "access_groups": ["GRP-BASE", "GRP-OPEN"],
}


def test_new_accounts(db: dict[str, Any]) -> None:
    db["employees"][ADA]["email"] = "ada.quill@company.com"
    desk = Desk(db)
    assert desk.refuses("not_a_new_hire", "lookup_new_hire", new_hire_employee_id=ADA)
    assert desk("check_existing_accounts", employee_id=CLEO)["message"] == "Ready to provision"
    for change, error in (
        ({"manager_employee_id": ADA}, "not_direct_report"),
        ({"access_groups": ["GRP-BASE", "GRP-FIN"]}, "not_eligible"),
        ({"access_groups": ["GRP-NONE"]}, "not_found"),
        ({"department_code": "FIN"}, "not_eligible"),
        ({"start_date": "2027-02-30"}, "invalid_date_format"),
    ):
        assert desk.refuses(error, "provision_new_account", **(HIRE | change))
    done = desk("provision_new_account", **HIRE)
    assert done["email"] == "ada.quill2@company.com"
    hire = desk.db["employees"][CLEO]
    assert hire["employment_status"] == "active"
    assert hire["system_accounts"][0]["case_id"] == done["case_id"]
    assert desk.refuses("accounts_already_exist", "check_existing_accounts", employee_id=CLEO)
    assert desk.refuses("accounts_already_exist", "provision_new_account", **HIRE)


def test_groups(desk: Desk) -> None:
    def change(group: str, action: str) -> dict[str, Any]:
        return {"employee_id": ADA, "group_code": group, "action": action}

    tool = "submit_group_membership_change"
    assert desk.refuses("already_member", tool, **change("GRP-BASE", "add"))
    assert desk.refuses("not_member", tool, **change("GRP-OPEN", "remove"))
    assert desk.refuses("not_eligible", tool, **change("GRP-FIN", "add"))
    asked = desk(tool, **change("GRP-ASK", "add"))
    assert desk.db["requests"][asked["request_id"]]["case_id"] == asked["case_id"]
    assert "request_id" not in desk(tool, **change("GRP-OPEN", "add"))
    desk(tool, **change("GRP-BASE", "remove"))
    now = desk("get_group_memberships", employee_id=ADA)["memberships"]
    assert [(m["group_code"], m["status"]) for m in now] == [
        ("GRP-ASK", "pending_approval"),
        ("GRP-OPEN", "active"),
    ]


ROLE = {
    "employee_id": ADA,
    "new_role_code": "MGENG",
    "permission_template_id": "PTPL-MGENG-01",
    "effective_date": day(10),
}


def test_a_role_changes_as_hr_approved(desk: Desk) -> None:
    no = {"employee_id": ADA, "new_role_code": "PM"}
    assert desk.refuses("role_change_not_authorized", "check_role_change_authorized", **no)
    for change, error in (
        ({"new_role_code": "PM"}, "role_change_not_authorized"),
        ({"permission_template_id": "PTPL-PM-01"}, "template_role_mismatch"),
        ({"effective_date": day(11)}, "effective_date_mismatch"),
        ({"effective_date": day(-1)}, "date_in_past"),
        ({"employee_id": BEN}, "role_change_not_authorized"),
    ):
        assert desk.refuses(error, "submit_permission_change", **(ROLE | change))


@pytest.mark.parametrize(("days", "ok"), [(86, False), (87, True), (93, True), (94, False)])
def test_the_review_is_ninety_days_on_give_or_take_three(desk: Desk, days: int, ok: bool) -> None:
    case_id = desk("submit_permission_change", **ROLE)["case_id"]
    args = {"employee_id": ADA, "case_id": case_id, "review_date": day(10 + days)}
    if not ok:
        assert desk.refuses("review_date_out_of_range", "schedule_access_review", **args)
        return
    assert desk("schedule_access_review", **args)["review_id"] == f"ARVW-{case_id[-6:]}"
    other = args | {"case_id": "CASE-ACCT-00000000000a"}
    assert desk.refuses("not_found", "schedule_access_review", **other)


def test_leaving(db: dict[str, Any]) -> None:
    leave = {
        "manager_employee_id": BEN,
        "departing_employee_id": ADA,
        "last_working_day": day(5),
        "removal_scope": "staged",
    }
    tool = "submit_access_removal"
    desk = Desk(db)
    assert desk.refuses("not_direct_report", tool, **(leave | {"manager_employee_id": CLEO}))
    assert desk.refuses("not_found", tool, **(leave | {"departing_employee_id": CLEO}))
    assert desk.refuses("last_working_day_mismatch", tool, **(leave | {"last_working_day": day(6)}))
    case_id = desk(tool, **leave)["case_id"]
    ada = desk.db["employees"][ADA]
    assert (ada["employment_status"], ada["system_accounts"], ada["group_memberships"]) == (
        "terminated",
        [],
        [],
    )
    assert ada["email_preserved_until"] == day(35)
    assert desk.refuses("already_removed", tool, **leave)
    back = {"departing_employee_id": ADA, "recovery_method": "drop_off"}
    assert desk.refuses("not_found", "initiate_asset_recovery", **back, case_id="CASE-ACCT-00000000000a")
    assert desk("initiate_asset_recovery", **back, case_id=case_id)["recovery_id"] == f"RECV-{case_id[-6:]}"
    assert desk.db["asset_recoveries"][f"RECV-{case_id[-6:]}"]["assets_to_recover"] == [LAPTOP, MONITOR]
    full = Desk(db)
    full(tool, **(leave | {"removal_scope": "full"}))
    assert "email_preserved_until" not in full.db["employees"][ADA]


# ---- security


@pytest.mark.parametrize(
    ("kind", "lifecycle"),
    [("lost", "lost_or_stolen"), ("stolen", "lost_or_stolen"), ("suspected_compromise", "current")],
)
def test_incident_and_wipe(desk: Desk, kind: str, lifecycle: str) -> None:
    report = {"employee_id": ADA, "asset_tag": LAPTOP, "incident_type": kind}
    case_id = desk("report_security_incident", **report)["security_case_id"]
    assert desk.db["assets"][LAPTOP]["lifecycle_status"] == lifecycle
    other = {"asset_tag": MONITOR, "security_case_id": case_id}
    assert desk.refuses("asset_case_mismatch", "initiate_remote_wipe", **other)
    wipe = desk("initiate_remote_wipe", asset_tag=LAPTOP, security_case_id=case_id)
    assert wipe["wipe_id"] == desk.db["security_cases"][case_id]["remote_wipe_id"] == "WIPE-000001"
    assert desk.db["assets"][LAPTOP]["status"] == "wiped"


def test_a_second_factor_is_filed_and_refused(desk: Desk) -> None:
    """The one error that changes the state."""
    response = desk("submit_mfa_reset", employee_id=ADA, new_phone_last_four="4321")
    assert (response["status"], response["error_type"]) == ("error", "in_person_required")
    case = desk.db["security_cases"][response["security_case_id"]]
    assert (case["status"], case["requested_new_phone_last_four"]) == ("requires_in_person", "4321")


def test_anybody_is_handed_over(db: dict[str, Any]) -> None:
    desk = Desk(db | {"session": {}})
    args = {"employee_id": "EMP999999", "transfer_reason": "caller_requested"}
    for summary in ("123456789", "x" * 501):
        error = "invalid_issue_summary_format"
        assert desk.refuses(error, "transfer_to_agent", **args, issue_summary=summary)
    response = desk("transfer_to_agent", **args, issue_summary="1234\n67890")
    assert response["transfer_id"] == "TRF-EMP999999-003"
