"""A small service desk of our own, with round figures that can be checked by hand."""

from __future__ import annotations

import copy
from datetime import date, timedelta
from typing import Any

import pytest

from evalib.domains import ToolExecutor
from evalib.domains.itsm import policy

NOW = "2027-06-15 09:00 EST"
TODAY = date(2027, 6, 15)
ADA, BEN, CLEO = "EMP000001", "EMP000002", "EMP000003"
LAPTOP, MONITOR = "AST-LPT-000001", "AST-MON-000001"


def day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).isoformat()


def person(number: str, first: str, **fields: Any) -> dict[str, Any]:
    return {
        "employee_id": number,
        "first_name": first,
        "last_name": "Quill",
        "department_code": "ENG",
        "role_code": "SWE",
        "cost_center_code": "CC-1",
        "phone_last_four": "1234",
        "otp_code": "123456",
        "is_manager": False,
        "manager_auth_code": None,
        "manager_employee_id": BEN,
        "direct_reports": [],
        "employment_status": "active",
        "assigned_desk": None,
        "assigned_parking": None,
        "last_desk_assignment_date": None,
        "last_parking_assignment_date": None,
        "group_memberships": [{"group_code": "GRP-BASE", "group_name": "Base", "status": "active"}],
    } | fields


def account(**fields: Any) -> dict[str, Any]:
    return {"locked": False, "lock_reason": None, "requires_in_person_reset": False} | fields


def make_db() -> dict[str, Any]:
    ada = person(
        ADA,
        "Ada",
        account_status={
            "active_directory": account(locked=True, lock_reason="too_many_attempts"),
            "email_exchange": account(locked=True, lock_reason="security_investigation"),
            "erp_oracle": account(locked=True, lock_reason="admin_hold"),
            "vpn_gateway": account(password_expired=True),
            "sso_identity": account(requires_in_person_reset=True),
        },
        hardware_entitlements={
            "laptop_replacement": {"current_asset_tag": LAPTOP, "pending_request": False},
            "monitor_bundle": {"current_asset_tag": MONITOR, "pending_request": False},
        },
        software_licenses=[
            {"license_assignment_id": f"LASGN-00000{i}", "expiration_date": expires, "status": "active"}
            for i, expires in enumerate([day(30), day(31), day(-14), day(-15), None])
        ],
        pending_role_approval={
            "approved_by_hr": True,
            "new_role_code": "MGENG",
            "hr_case_id": "HR-1",
            "effective_date": day(10),
        },
        offboarding_record={"status": "confirmed", "last_working_day": day(5), "access_removed": False},
        ergonomic_assessment={"status": "completed", "completed_date": day(-100)},
    )
    ben = person(BEN, "Ben", is_manager=True, manager_auth_code="A1B2C3", direct_reports=[ADA, CLEO])
    cleo = person(CLEO, "Ada", start_date=day(3), system_accounts=[], employment_status="pending_start")
    devices = (
        (LAPTOP, "laptop", "2024-06-15"),
        (MONITOR, "monitor", "2026-06-15"),
    )
    return {
        "employees": {ADA: ada, BEN: ben, CLEO: cleo},
        "assets": {
            tag: {
                "asset_tag": tag,
                "asset_type": kind,
                "model": "M",
                "os": None,
                "size": "14-inch",
                "purchase_date": bought,
                "assigned_employee_id": ADA,
                "status": "active",
                "lifecycle_status": "current",
            }
            for tag, kind, bought in devices
        },
        "cost_centers": {
            "CC-1": {
                "cost_center_code": "CC-1",
                "department_code": "ENG",
                "has_budget": True,
                "remaining_budget_usd": 500,
            }
        },
        "active_outages": {
            "file_storage": {
                "ticket_number": "INC00000000000a",
                "affected_users": [BEN],
                "affected_user_count": 1,
            }
        },
        "known_errors": {"file_storage": {"known_error_id": "KE-1", "workaround": None}},
        "field_dispatch_availability": {
            day(1): {"morning": {"available": True}, "afternoon": {"available": False}}
        },
        "troubleshooting_guides": {"login_issue": {"steps": ["One.", "Two."]}},
        "software_catalog": {
            "applications": {
                "APP-0001": {
                    "catalog_id": "APP-0001",
                    "name": "Plan-It!",
                    "name_aliases": ["Planer"],
                    "available_access_levels": ["read_only"],
                    "requires_manager_approval": False,
                    "department_restrictions": [],
                },
                "APP-0002": {
                    "catalog_id": "APP-0002",
                    "name": "Ledger",
                    "available_access_levels": ["standard"],
                    "requires_manager_approval": True,
                    "department_restrictions": ["FIN"],
                },
            },
            "licenses": {
                "LIC-0001": {
                    "catalog_id": "LIC-0001",
                    "name": "Draw",
                    "license_types_supported": ["temporary"],
                },
            },
        },
        "facilities": {
            "buildings": {"BLD1": {"name": "Old Mill", "name_aliases": ["Alte Mühle"]}},
            "zones": {"PZA": {"name": "Yard (North)"}},
            "desks": {
                f"BLD1-FL1-D00{i}": {
                    "building_code": "BLD1",
                    "floor_code": "FL1",
                    "status": status,
                    "zone": "A",
                    "near_window": True,
                }
                for i, status in enumerate(["available", "assigned"])
            },
            "parking": {
                "PZA-001": {"zone_code": "PZA", "status": "available", "level": "L1", "covered": True},
                "PZB-001": {"zone_code": "PZB", "status": "available", "level": "L1", "covered": False},
            },
            "conference_rooms": {
                "BLD1-FL1-RM001": {
                    "building_code": "BLD1",
                    "floor_code": "FL1",
                    "capacity": 4,
                    "equipment": ["display"],
                    "bookings": [{"date": day(1), "start_time": "10:00", "end_time": "11:00"}],
                }
            },
        },
        "access_groups": {
            code: {
                "group_code": code,
                "name": code.title(),
                "requires_approval": approval,
                "eligible_departments": departments,
                "eligible_roles": [],
            }
            for code, approval, departments in (
                ("GRP-BASE", False, []),
                ("GRP-OPEN", False, ["ENG"]),
                ("GRP-ASK", True, []),
                ("GRP-FIN", False, ["FIN"]),
            )
        },
        "permission_templates": {
            "PTPL-MGENG-01": {"template_id": "PTPL-MGENG-01", "role_code": "MGENG"},
            "PTPL-PM-01": {"template_id": "PTPL-PM-01", "role_code": "PM"},
        },
    }


_DB = make_db()
ALL_LEVELS = {policy.EMPLOYEE: True, policy.OTP: True, policy.MANAGER: True}


@pytest.fixture
def db() -> dict[str, Any]:
    return copy.deepcopy(_DB) | {"session": dict(ALL_LEVELS)}


class Desk:
    """A desk with everybody authenticated; ``desk("tool", argument=...)`` calls a tool."""

    def __init__(self, db: dict[str, Any]) -> None:
        self.executor = ToolExecutor("itsm", db, NOW)

    @property
    def db(self) -> dict[str, Any]:
        return self.executor.db

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.executor.call(tool, arguments)

    def refuses(self, error_type: str, tool: str, **arguments: Any) -> bool:
        """Whether a call fails in this way and changes nothing."""
        before = copy.deepcopy(self.db)
        response = self(tool, **arguments)
        assert self.db == before
        assert response["message"]
        return (response["status"], response["error_type"]) == ("error", error_type)


@pytest.fixture
def desk(db: dict[str, Any]) -> Desk:
    return Desk(db)
