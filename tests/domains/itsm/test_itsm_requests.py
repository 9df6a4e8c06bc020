"""Incidents, hardware, software and approvals: what the tools do, and exactly where their limits are."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import ADA, BEN, LAPTOP, MONITOR, Desk, account, day

# ---- incidents


@pytest.mark.parametrize("system", ["email_exchange", "erp_oracle"])
def test_what_security_holds_stays_locked(desk: Desk, system: str) -> None:
    args = {"employee_id": ADA, "target_system": system}
    assert desk.refuses("cannot_unlock_security_hold", "attempt_account_unlock", **args)


def test_unlocking_and_resetting(desk: Desk) -> None:
    def args(system: str) -> dict[str, Any]:
        return {"employee_id": ADA, "target_system": system}

    assert desk("attempt_account_unlock", **args("active_directory"))["resolved"]
    assert desk.refuses("not_locked", "attempt_account_unlock", **args("active_directory"))
    assert desk.refuses("in_person_required", "attempt_password_reset", **args("sso_identity"))
    assert desk("attempt_password_reset", **args("vpn_gateway"))["resolved"]
    accounts = desk.db["employees"][ADA]["account_status"]
    assert accounts["active_directory"] == account()
    assert accounts["vpn_gateway"] == account(password_expired=False, temp_password_issued=True)
    no_account = {"employee_id": BEN, "target_system": "vpn_gateway"}
    assert desk.refuses("no_account", "attempt_account_unlock", **no_account)


def ticket(desk: Desk, **change: Any) -> dict[str, Any]:
    arguments = {
        "employee_id": ADA,
        "category": "service_outage",
        "urgency": "high",
        "affected_system": "vpn",
        "troubleshooting_completed": False,
    }
    return desk("create_incident_ticket", **(arguments | change))


def test_some_tickets_need_the_guide_first(desk: Desk) -> None:
    for category in ("login_issue", "network_connectivity"):
        assert ticket(desk, category=category)["error_type"] == "troubleshooting_required"
        assert ticket(desk, category=category, troubleshooting_completed=True)["status"] == "success"
    for category in ("service_outage", "hardware_malfunction"):
        assert ticket(desk, category=category)["status"] == "success"
    assert len(desk.db["tickets"]) == 4


@pytest.mark.parametrize(
    ("urgency", "tier", "respond", "resolve"),
    [("high", "tier_1", 1, 4), ("medium", "tier_2", 4, 8), ("low", "tier_3", 8, 24)],
)
def test_service_level_follows_urgency(
    desk: Desk, urgency: str, tier: str, respond: int, resolve: int
) -> None:
    number = ticket(desk, urgency=urgency)["ticket_number"]
    for other in {"tier_1", "tier_2", "tier_3"} - {tier}:
        args = {"ticket_number": number, "sla_tier": other}
        assert desk.refuses("sla_tier_mismatch", "assign_sla_tier", **args)
    assert desk("assign_sla_tier", ticket_number=number, sla_tier=tier)["status"] == "success"
    record = desk.db["tickets"][number]
    assert (record["sla_response_hours"], record["sla_resolution_hours"]) == (respond, resolve)


def test_an_employee_is_counted_once_in_an_outage(desk: Desk) -> None:
    for _ in range(2):
        response = desk("add_affected_user", ticket_number="INC00000000000a", employee_id=ADA)
        assert response["total_affected"] == 2
    unknown = {"ticket_number": "INC00000000000b", "employee_id": ADA}
    assert desk.refuses("not_found", "add_affected_user", **unknown)
    assert desk("check_existing_outage", service_name="file_storage")["affected_user_count"] == 2
    assert desk("check_existing_outage", service_name="hr_portal")["existing_outage"] is False


def test_known_error_dispatch_and_log(desk: Desk) -> None:
    number = ticket(desk)["ticket_number"]
    assert desk("link_known_error", ticket_number=number, service_name="hr_portal")["linked"] is False
    assert desk("link_known_error", ticket_number=number, service_name="file_storage")["linked"] is True
    visit = {
        "ticket_number": number,
        "employee_id": ADA,
        "building_code": "Old Mill",
        "floor_code": "FL1",
        "preferred_date": day(1),
    }
    for window in ("afternoon", "full_day"):
        assert desk.refuses("no_availability", "schedule_field_dispatch", **visit, time_window=window)
    done = desk("schedule_field_dispatch", **visit, time_window="morning")
    assert done["dispatch_id"] == f"DSP-{number[-7:]}"
    assert desk.refuses("no_availability", "schedule_field_dispatch", **visit, time_window="morning")
    desk("attach_diagnostic_log", ticket_number=number, diagnostic_ref_code="DIAG-AB12CD34")
    record = desk.db["tickets"][number]
    assert (record["linked_known_error_id"], record["dispatch_window"]) == ("KE-1", "morning")
    assert record["diagnostic_attached"] is True
    assert ticket(desk)["ticket_number"] == number  # what was added later is no part of the name


def test_interactions_are_numbered(desk: Desk) -> None:
    args = {"employee_id": ADA, "flow_id": "login_issue", "resolution_type": "transferred"}
    assert [desk("mark_resolved", **args)["interaction_id"] for _ in range(2)] == ["INT-000001", "INT-000002"]


# ---- hardware


@pytest.mark.parametrize(
    ("kind", "tag", "least"), [("laptop_replacement", LAPTOP, 36), ("monitor_bundle", MONITOR, 12)]
)
def test_a_device_is_due_after_so_many_months(db: dict[str, Any], kind: str, tag: str, least: int) -> None:
    args = {"employee_id": ADA, "request_type": kind}
    assert Desk(db)("check_hardware_entitlement", **args)["device_age_months"] == least
    db["assets"][tag]["purchase_date"] = f"{2027 - least // 12}-06-16"
    assert Desk(db).refuses("device_too_new", "check_hardware_entitlement", **args)


ORDER = {
    "employee_id": ADA,
    "delivery_building": "old mill",
    "delivery_floor": "FL1",
    "request_type": "laptop_replacement",
    "justification": "end_of_life",
    "current_asset_tag": LAPTOP,
    "laptop_os": "macos",
    "laptop_size": "14_inch",
}


def test_an_order_for_a_laptop(desk: Desk) -> None:
    request_id = desk("submit_hardware_request", **ORDER, monitor_size="24_inch")["request_id"]
    record = desk.db["requests"][request_id]
    assert record["monitor_size"] is None
    assert record["delivery_building"] == "BLD1"
    due = desk.db["employees"][ADA]["hardware_entitlements"]["laptop_replacement"]
    assert (due["pending_request"], due["pending_request_id"]) == (True, request_id)
    again = {"employee_id": ADA, "request_type": "laptop_replacement"}
    assert desk.refuses("request_pending", "check_hardware_entitlement", **again)
    back = {"asset_tag": LAPTOP, "request_id": request_id}
    assert desk.refuses("not_assigned", "initiate_asset_return", employee_id=BEN, **back)
    assert desk("initiate_asset_return", employee_id=ADA, **back)["return_deadline"] == day(14)


@pytest.mark.parametrize("missing", ["laptop_os", "laptop_size", "current_asset_tag"])
def test_a_laptop_needs(desk: Desk, missing: str) -> None:
    order = {k: v for k, v in ORDER.items() if k != missing}
    assert desk.refuses("invalid_parameter", "submit_hardware_request", **order)
    assert desk.refuses("invalid_parameter", "submit_hardware_request", **order, **{missing: " null "})


def test_a_lost_laptop_needs_no_tag_but_is_marked_with_one(desk: Desk) -> None:
    lost = ORDER | {"justification": "lost_or_stolen"}
    without = {k: v for k, v in lost.items() if k != "current_asset_tag"}
    assert desk("submit_hardware_request", **without)["status"] == "success"
    assert desk.db["assets"][LAPTOP]["status"] == "active"
    assert desk("submit_hardware_request", **lost)["status"] == "success"
    asset = desk.db["assets"][LAPTOP]
    assert (asset["status"], asset["lifecycle_status"]) == ("inactive", "lost_or_stolen")


def test_orders_for_a_monitor(desk: Desk) -> None:
    order = {k: v for k, v in ORDER.items() if not k.startswith("laptop")} | {
        "request_type": "monitor_bundle",
        "current_asset_tag": MONITOR,
    }
    assert desk.refuses("invalid_parameter", "submit_hardware_request", **order)
    order |= {"monitor_size": "27_inch", "justification": "new_setup"}
    new = desk("submit_hardware_request", **order)["request_id"]
    assert desk.db["requests"][new]["current_asset_tag"] is None
    order |= {"justification": "replacement", "current_asset_tag": None}
    assert desk.refuses("invalid_parameter", "submit_hardware_request", **order)


def test_budget(db: dict[str, Any]) -> None:
    assert Desk(db)("verify_cost_center_budget", employee_id=ADA)["remaining_budget_usd"] == 500
    db["cost_centers"]["CC-1"]["has_budget"] = False
    response = Desk(db)("verify_cost_center_budget", employee_id=ADA)
    assert (response["error_type"], response["remaining_budget_usd"]) == ("insufficient_budget", 500)


# ---- software and approvals


@pytest.mark.parametrize("name", ["Plan-It!", "planit", "PLAN'IT", "planer"])
def test_software_is_found_by_any_of_its_names(desk: Desk, name: str) -> None:
    found = desk("get_application_details", application_name=name)
    assert found["catalog_id"] == "APP-0001"
    assert "name_aliases" not in found["application"]


def test_software_is_not_found_by_something_like_its_name(desk: Desk) -> None:
    assert desk.refuses("not_found", "get_application_details", application_name="Plan")
    assert desk.refuses("not_found", "get_license_catalog_item", license_name="Plan-It!")


def test_access(desk: Desk) -> None:
    def ask(**change: Any) -> dict[str, Any]:
        return {"employee_id": ADA, "catalog_id": "APP-0001", "access_level": "read_only"} | change

    assert desk.refuses("access_level_not_available", "submit_access_request", **ask(access_level="admin"))
    restricted = ask(catalog_id="APP-0002", access_level="standard")
    assert desk.refuses("department_restricted", "submit_access_request", **restricted)
    granted = desk("submit_access_request", **ask())
    assert desk.db["requests"][granted["request_id"]]["status"] == "approved"
    desk.db["employees"][ADA]["department_code"] = "FIN"
    pending = desk("submit_access_request", **restricted)["request_id"]
    assert desk.db["requests"][pending]["status"] == "pending_approval"
    route = {"request_id": pending, "employee_id": ADA}
    assert desk.refuses("not_found", "route_approval_workflow", **route, approver_employee_id="EMP999999")
    routed = desk("route_approval_workflow", **route, approver_employee_id=BEN)
    assert (routed["approver_name"], routed["approval_deadline"]) == ("Ben Quill", f"{day(2)} 00:00")


@pytest.mark.parametrize(("due", "breached"), [(0, False), (-1, True)])
def test_an_approval_is_overdue_from_the_day_after(db: dict[str, Any], due: int, breached: bool) -> None:
    request_id = "REQ-SW-00000000000a"
    db["requests"] = {
        request_id: {
            "status": "pending_approval",
            "created_date": day(-4),
            "approval_sla_deadline": f"{day(due)} 14:00",
        }
    }
    desk = Desk(db)
    assert desk("get_request_status", request_id=request_id)["sla_breached"] is breached
    args = {"request_id": request_id, "escalate_to_employee_id": BEN}
    if not breached:
        assert desk.refuses("sla_not_breached", "escalate_approval", **args)
        return
    assert desk("escalate_approval", **args)["status"] == "success"
    record = desk.db["requests"][request_id]
    assert (record["status"], record["escalated_to"]) == ("escalated", BEN)


def test_licences(desk: Desk) -> None:
    ask = {"employee_id": ADA, "catalog_id": "LIC-0001"}
    assert desk.refuses("license_type_not_supported", "submit_license_request", **ask)
    for days in (29, 31, 91, 60.5, "ninety"):
        args = ask | {"duration_days": days}
        assert desk.refuses("invalid_duration_days", "submit_license_request", **args)
    for days in (30, 60, "90"):
        given = desk("submit_license_request", **ask, duration_days=days)
        assert given["expiration_date"] == day(int(days))


@pytest.mark.parametrize(("number", "until"), [(0, day(30 + 365)), (1, None), (2, day(365)), (3, None)])
def test_renewal_window(desk: Desk, number: int, until: str | None) -> None:
    """From 30 days before the end to 14 days after it, for a year from the later of end and today."""
    args = {"employee_id": ADA, "license_assignment_id": f"LASGN-00000{number}"}
    if until is None:
        assert desk.refuses("outside_renewal_window", "submit_license_renewal", **args)
    else:
        assert desk("submit_license_renewal", **args)["new_expiration_date"] == until


def test_what_does_not_expire_is_not_renewed(desk: Desk) -> None:
    args = {"employee_id": ADA, "license_assignment_id": "LASGN-000004"}
    assert desk.refuses("not_renewable", "submit_license_renewal", **args)
