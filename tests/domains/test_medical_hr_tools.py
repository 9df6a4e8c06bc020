"""What each HR tool does, and exactly where its limits are; figures worked out by hand."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.domains import ToolExecutor, state_hash
from evalib.domains.medical_hr import TOOLS, policy
from evalib.domains.medical_hr.specs.parameters import HrSpec

NOW = "2027-03-01 09:00 EST"  # a Monday
EMPLOYEE, COLLEAGUE, DOCTOR = "EMP100001", "EMP100002", "EMP100003"
NPI, OTHER_NPI = "1000000003", "1000000009"
LICENCE, DEA = "OH-MD-123456", "AB1234567"
SHIFT, LOGGED = "SHF-20270310-0700", "SHF-20270220-1900"
PETITION = "ABC0000000001"
BY_EMPLOYEE = {"employee_auth": True, "otp_auth": True}
BY_PROVIDER = {"provider_auth": True, "otp_auth": True}


def make_employee(employee_id: str, **more: Any) -> dict[str, Any]:
    return {
        "employee_id": employee_id,
        "first_name": "ada",
        "last_name": "quill",
        "date_of_birth": "1990-01-02",
        "phone_last_four": "4321",
        "otp_code": "111222",
        "department_code": "SURGERY",
        "role_code": "RN",
        "unit_code": "3B-ICU",
        "hire_date": "2020-01-01",
        "employment_status": "active",
        "certifications": ["BLS", "ACLS"],
        "fmla_eligibility": {
            "eligible": True,
            "months_employed": 80,
            "hours_worked_past_year": 1800,
            "fmla_weeks_remaining": 12,
            "reason": None,
        },
        "pto_balances": {"pto": 5.0, "sick": 1},
        "pto_requests": [],
        "leave_records": [],
        "oncall_schedule": {"registrations": []},
        "scheduled_appointments": [],
        "onboarding_checklist": {},
        "i9_record": None,
        "visa_record": None,
    } | more


def make_provider(npi: str, employee_id: str) -> dict[str, Any]:
    return {
        "npi": npi,
        "employee_id": employee_id,
        "first_name": "cora",
        "last_name": "lind",
        "facility_code": "AB-12C",
        "pin": "9876",
        "phone_last_four": "5555",
        "otp_code": "333444",
        "department_code": "SURGERY",
        "clearance_code": "CLR-OCC-000001",
        "licenses": {
            LICENCE: {
                "expiration_date": "2027-03-31",
                "investigation_hold": False,
                "extension_status": None,
            }
        },
        "malpractice": {"carrier": "medpro", "policy_number": "POL-2026-AAAAAA"},
        "dea_registration": {
            "dea_number": DEA,
            "facility_code": "AB-12C",
            "state_code": "OH",
            "status": "active",
        },
        "privileges": {
            "privilege_list": [
                {"code": "PRV-SURG-001", "status": "suspended"},
                {"code": "PRV-ICU-002", "status": "suspended"},
                {"code": "PRV-CLIN-003", "status": "active"},
            ],
            "reactivation_case_id": None,
        },
        "ehr_access_status": "suspended",
        "scheduled_appointments": [],
    }


def make_shift(shift_id: str, **more: Any) -> dict[str, Any]:
    day = shift_id[4:12]
    return {
        "shift_id": shift_id,
        "employee_id": EMPLOYEE,
        "unit_code": "3B-ICU",
        "date": f"{day[:4]}-{day[4:6]}-{day[6:]}",
        "hours_logged": None,
        "status": "scheduled",
        "swap_locked": False,
        "pay_period_closed": False,
        "pay_period_end_date": "2027-03-14",
        "correction_status": None,
    } | more


def make_db() -> dict[str, Any]:
    tasks = {
        "TB_TEST": {"status": "pending", "completion_code": "Q7L2"},
        "BADGE_PICKUP": {"status": "complete", "completion_code": "B2D7"},
        "OCC_HEALTH": {"status": "pending"},
    }
    visa: dict[str, Any] = {
        "petition_number": PETITION,
        "status": "approved",
        "dependents": [],
        "amendment_id": None,
    }
    shifts = [
        make_shift(SHIFT),
        make_shift("SHF-20270311-0700"),
        make_shift("SHF-20270311-1900"),
        make_shift(LOGGED, status="logged", hours_logged=10.0, pay_period_end_date="2027-03-01"),
    ]
    people = [
        make_employee(EMPLOYEE, onboarding_checklist={"tasks": tasks}, visa_record=visa),
        make_employee(COLLEAGUE, certifications=["ACLS", "BLS", "TNCC"], department_code="RADIOLOGY"),
    ]
    slots = {"2027-03-08": ["09:00", "10:00"], "2027-03-09": []}
    return {
        "_current_date": "2000-01-01",
        "unit_cert_requirements": {"3B-ICU": ["BLS", "ACLS"], "4A-PEDS": ["PALS", "BLS"]},
        "employees": {e["employee_id"]: e for e in people},
        "providers": {NPI: make_provider(NPI, DOCTOR), OTHER_NPI: make_provider(OTHER_NPI, "EMP100009")},
        "shifts": {s["shift_id"]: s for s in shifts},
        "notifications": [],
        "session": {},
        "appointment_availability": {
            kind: {"SURGERY": copy.deepcopy(slots)}
            for kind in ("orientation_followup", "return_to_work_checkin", "competency_review")
        },
        "org_holidays": ["2027-03-04"],
        "department_blackout_dates": {"SURGERY": ["2027-03-17"]},
    }


@pytest.fixture
def db() -> dict[str, Any]:
    return make_db()


def run(db: dict[str, Any], tool: str, session: Any = None, **arguments: Any) -> Any:
    """The response of a tool, called on `db` by a caller who has passed all authentication."""
    db["session"] = BY_EMPLOYEE | BY_PROVIDER if session is None else session
    tools = ToolExecutor("medical_hr", db, NOW)
    before = state_hash(tools.db)
    response = tools.call(tool, arguments)
    assert response["status"] == "success" or state_hash(tools.db) == before
    db.clear()
    db.update(tools.db)
    return response


# ---- who is calling


def test_employee_gives_date_of_birth(db: dict[str, Any]) -> None:
    wrong = run(db, "verify_employee_auth", {}, employee_id=EMPLOYEE, date_of_birth="1990-02-01")
    assert (wrong["error_type"], db["session"]) == ("authentication_failed", {})
    assert run(db, "verify_employee_auth", {}, employee_id=EMPLOYEE, date_of_birth="1990-01-02")[
        "authenticated"
    ]
    assert db["session"] == {"employee_auth": True, "authenticated_employee_id": EMPLOYEE}


@pytest.mark.parametrize("wrong", [{"facility_code": "AB-12D"}, {"pin": "9875"}])
def test_provider_gives_facility_and_pin(db: dict[str, Any], wrong: dict[str, str]) -> None:
    right = {"npi": NPI, "facility_code": "AB-12C", "pin": "9876"}
    assert run(db, "verify_provider_auth", {}, **right | wrong)["error_type"] == "authentication_failed"
    assert run(db, "verify_provider_auth", {}, **right)["employee_id"] == DOCTOR
    assert db["session"] == {
        "provider_auth": True,
        "authenticated_npi": NPI,
        "authenticated_employee_id": DOCTOR,
    }


def test_code_counts_only_for_whom_it_was_sent_to(db: dict[str, Any]) -> None:
    unsent = run(db, "verify_otp_auth", {}, employee_id=EMPLOYEE, otp_code="111222")
    assert unsent["error_type"] == "otp_not_issued"
    # a provider who is in no employee table has a phone as well
    assert run(db, "initiate_otp_auth", {}, employee_id=DOCTOR)["phone_last_four"] == "5555"
    sent = {"otp_employee_id": DOCTOR, "otp_issued": True}
    assert db["session"] == sent
    other = run(db, "verify_otp_auth", sent, employee_id=EMPLOYEE, otp_code="111222")
    assert other["error_type"] == "otp_not_issued"
    wrong = run(db, "verify_otp_auth", sent, employee_id=DOCTOR, otp_code="111222")
    assert wrong["error_type"] == "authentication_failed"
    assert run(db, "verify_otp_auth", sent, employee_id=DOCTOR, otp_code="333444")["authenticated"]
    assert db["session"] == sent | {"otp_auth": True, "authenticated_employee_id": DOCTOR}


SESSIONS = {
    "nobody": {},
    "code only": {"otp_auth": True},
    "employee": {"employee_auth": True},
    "provider": {"provider_auth": True},
    "employee with code": BY_EMPLOYEE,
    "provider with code": BY_PROVIDER,
}
ENOUGH = {
    policy.ANYONE: set(SESSIONS),
    policy.IDENTIFIED: set(SESSIONS) - {"nobody", "code only"},
    policy.IDENTIFIED_WITH_OTP: {"employee with code", "provider with code"},
    policy.PROVIDER: {"provider", "provider with code"},
    policy.PROVIDER_WITH_OTP: {"provider with code"},
}
VALID = {
    "employee_id": EMPLOYEE,
    "colleague_employee_id": COLLEAGUE,
    "npi": NPI,
    "date_of_birth": "1990-01-02",
    "facility_code": "AB-12C",
    "new_facility_code": "CD-34E",
    "state_code": "OH",
    "new_state_code": "NY",
    "pin": "9876",
    "otp_code": "111222",
    "department_code": "SURGERY",
    "appointment_type": "orientation_followup",
    "preferred_date": "2027-03-08",
    "appointment_datetime": "2027-03-08 10:00",
    "state_license_number": LICENCE,
    "extension_type": "provisional",
    "extension_days": 60,
    "case_id": "CASE-LIC-100003",
    "shift_id": SHIFT,
    "unit_code": "3B-ICU",
    "new_carrier": "cna",
    "new_policy_number": "POL-2027-ABC123",
    "per_occurrence_limit_usd": 1_000_000,
    "aggregate_limit_usd": 3_000_000,
    "effective_date": "2027-04-01",
    "expiration_date": "2028-04-01",
    "task_code": "TB_TEST",
    "completion_code": "q7l2",
    "dea_number": DEA,
    "leave_category": "bonding",
    "leave_start_date": "2027-03-15",
    "leave_end_date": "2027-03-26",
    "correction_type": "overtime_hours",
    "corrected_hours": 12,
    "privilege_codes": ["PRV-SURG-001", "PRV-ICU-002"],
    "clearance_code": "CLR-OCC-000001",
    "leave_type_on_record": "medical_leave",
    "access_change_type": "reactivate_full",
    "availability_start_date": "2027-03-15",
    "availability_end_date": "2027-03-28",
    "oncall_tier": "backup",
    "blackout_dates": [],
    "verification_action": "initial_verification",
    "document_list_type": "LIST_A",
    "document_type_code": "EAD",
    "document_number": "ABC123456",
    "document_expiration_date": "2030-01-01",
    "issuing_country_code": "US",
    "visa_petition_number": PETITION,
    "dependent_first_name": "Ben",
    "dependent_last_name": "El-Quill",
    "relationship": "child",
    "dependent_date_of_birth": "2026-12-01",
    "dependent_country_of_birth": "US",
    "uscis_receipt_number": "XYZ0000000002",
    "pto_type": "pto",
    "start_date": "2027-03-02",
    "end_date": "2027-03-05",
    "transfer_reason": "unable_to_resolve",
    "issue_summary": "s",
}


def arguments_of(spec: Any) -> dict[str, Any]:
    """Arguments that are right in form, for any tool."""
    required = [p for p in spec.parameters if p.required]
    given = {p.name: VALID.get(p.name) for p in required}
    return given | {p.name: p.enum[0] for p in required if p.enum and given[p.name] not in p.enum}


@pytest.mark.parametrize("name", SESSIONS)
def test_who_may_call_what(db: dict[str, Any], name: str) -> None:
    for tool in TOOLS:
        assert isinstance(tool.spec, HrSpec)
        response = run(copy.deepcopy(db), tool.spec.name, SESSIONS[name], **arguments_of(tool.spec))
        refused = response.get("error_type") == "authentication_required"
        assert refused == (name not in ENOUGH[tool.spec.needs]), tool.spec.name


# ---- licences, malpractice, DEA


@pytest.mark.parametrize(
    ("expires", "change", "error"),
    [
        ("2027-03-01", {}, None),  # today
        ("2027-04-30", {}, None),  # in 60 days
        ("2027-02-28", {}, "outside_extension_window"),
        ("2027-05-01", {}, "outside_extension_window"),
        ("2027-03-31", {"extension_status": "pending"}, "already_extended"),
        ("2027-03-31", {"investigation_hold": True}, "investigation_hold"),
    ],
)
def test_when_a_licence_may_be_extended(
    db: dict[str, Any], expires: str, change: dict[str, Any], error: str | None
) -> None:
    db["providers"][NPI]["licenses"][LICENCE] |= {"expiration_date": expires, **change}
    response = run(db, "check_extension_eligibility", npi=NPI, state_license_number=LICENCE)
    assert response.get("error_type") == error


def extend(db: dict[str, Any], **change: Any) -> Any:
    asked = {
        "npi": NPI,
        "state_license_number": LICENCE,
        "extension_type": "supervised",
        "extension_days": 30,
    }
    return run(db, "submit_license_extension", **asked | change)


def test_supervisor_is_for_supervised_extensions(db: dict[str, Any]) -> None:
    assert extend(db)["error_type"] == "invalid_parameter"
    unknown = extend(db, supervising_physician_npi="9999999999")
    assert unknown["error_type"] == "supervising_physician_not_found"
    assert extend(db, supervising_physician_npi=OTHER_NPI)["case_id"] == "CASE-LIC-100003"
    licence = db["providers"][NPI]["licenses"][LICENCE]
    assert (licence["extension_status"], licence["supervising_physician_npi"]) == ("pending", OTHER_NPI)
    extend(db, extension_type="provisional", supervising_physician_npi="9999999999")
    assert db["providers"][NPI]["licenses"][LICENCE]["supervising_physician_npi"] is None


@pytest.mark.parametrize(("days", "ok"), [(30, True), (60, True), (90, True), (45, False), (0, False)])
def test_length_of_an_extension(db: dict[str, Any], days: int, ok: bool) -> None:
    response = extend(db, extension_type="provisional", extension_days=days)
    assert response.get("error_type") == (None if ok else "invalid_extension_days")


@pytest.mark.parametrize(("limit", "again"), [(999_999, True), (1_000_000, False), (10**9, False)])
def test_low_malpractice_cover_means_credentialing_anew(db: dict[str, Any], limit: int, again: bool) -> None:
    spec = next(t.spec for t in TOOLS if t.spec.name == "update_malpractice_coverage")
    given = arguments_of(spec) | {"per_occurrence_limit_usd": limit}
    assert run(db, spec.name, **given)["recredential_required"] is again
    record = db["providers"][NPI]["malpractice"]
    assert (record["carrier"], record["recredential_required"]) == ("cna", again)
    assert record["update_case_id"] == "CASE-MAL-100003"
    too_high = run(db, spec.name, **given | {"aggregate_limit_usd": 10**9 + 1})
    assert too_high["error_type"] == "invalid_coverage_limit"
    backwards = run(db, spec.name, **given | {"expiration_date": "2027-03-31"})
    assert backwards["error_type"] == "invalid_parameter"


def test_dea_registration_stays_until_the_transfer_takes_effect(db: dict[str, Any]) -> None:
    spec = next(t.spec for t in TOOLS if t.spec.name == "transfer_dea_registration")
    given = arguments_of(spec)
    assert run(db, spec.name, **given | {"dea_number": "AB7654321"})["error_type"] == "dea_record_not_found"
    assert run(db, spec.name, **given)["current_facility_code"] == "AB-12C"
    registration = db["providers"][NPI]["dea_registration"]
    assert (registration["facility_code"], registration["status"]) == ("AB-12C", "transfer_pending")
    assert registration["pending_transfer"] == {
        "new_facility_code": "CD-34E",
        "new_state_code": "NY",
        "transfer_reason": "facility_relocation",
        "effective_date": "2027-04-01",
        "transfer_case_id": "CASE-DEA-100003",
    }


# ---- privileges


def test_privileges_come_back_with_the_right_clearance(db: dict[str, Any]) -> None:
    seen = run(db, "check_reactivation_eligibility", npi=NPI, clearance_code="CLR-OCC-000001")
    assert seen["suspended_privilege_codes"] == ["PRV-SURG-001", "PRV-ICU-002"]
    asked = {
        "npi": NPI,
        "privilege_codes": ["PRV-ICU-002"],
        "clearance_code": "CLR-OCC-000001",
        "leave_type_on_record": "fmla_leave",
    }
    wrong = run(db, "reactivate_privileges", **asked | {"clearance_code": "CLR-OCC-000002"})
    assert wrong["error_type"] == "invalid_clearance_code"
    unknown = run(db, "reactivate_privileges", **asked | {"privilege_codes": ["PRV-ICU-002", "PRV-XX-000"]})
    assert unknown["error_type"] == "privilege_not_found"
    assert run(db, "reactivate_privileges", **asked)["case_id"] == "CASE-PRV-100003"
    statuses = [p["status"] for p in db["providers"][NPI]["privileges"]["privilege_list"]]
    assert statuses == ["suspended", "active", "active"]


# ---- shifts


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({}, None),
        ({"swap_locked": True}, "swap_locked"),
        ({"status": "swapped"}, "not_swappable"),
        ({"employee_id": COLLEAGUE}, "shift_not_found"),
    ],
)
def test_which_shift_may_be_swapped(db: dict[str, Any], change: dict[str, Any], error: str | None) -> None:
    db["shifts"][SHIFT] |= change
    response = run(db, "check_swap_eligibility", employee_id=EMPLOYEE, shift_id=SHIFT)
    assert response.get("error_type") == error
    if error is None:
        assert response["required_cert_codes"] == ["ACLS", "BLS"]
    if error == "swap_locked":
        assert "24-hour" in response["message"]


def test_colleague_needs_what_the_unit_requires(db: dict[str, Any]) -> None:
    tool, who = "verify_colleague_certifications", {"colleague_employee_id": COLLEAGUE}
    assert run(db, tool, unit_code="3B-ICU", **who)["certifications_verified"] == ["ACLS", "BLS"]
    refused = run(db, tool, unit_code="4A-PEDS", **who)
    assert (refused["error_type"], refused["missing_cert_codes"]) == ("missing_certifications", ["PALS"])
    assert run(db, tool, unit_code="9Z-NONE", **who)["error_type"] == "unit_not_found"


@pytest.mark.parametrize(
    ("change", "check", "submit"),
    [
        ({}, None, None),  # the pay period ends today
        ({"pay_period_end_date": "2027-02-28"}, "pay_period_closed", "pay_period_closed"),
        ({"pay_period_closed": True}, "pay_period_closed", None),
        ({"status": "scheduled"}, "shift_not_logged", None),
        ({"correction_status": "pending"}, "correction_already_pending", None),
    ],
)
def test_hours_that_may_be_corrected(
    db: dict[str, Any], change: dict[str, Any], check: str | None, submit: str | None
) -> None:
    db["shifts"][LOGGED] |= change
    shift = {"employee_id": EMPLOYEE, "shift_id": LOGGED}
    assert run(db, "check_correction_eligibility", **shift).get("error_type") == check
    asked = shift | {"correction_type": "overtime_hours", "corrected_hours": 12}
    assert run(db, "submit_payroll_correction", **asked).get("error_type") == submit


@pytest.mark.parametrize(("hours", "ok"), [(0.5, True), (24, True), (24.01, False), (0, False), (-1, False)])
def test_bounds_of_corrected_hours(db: dict[str, Any], hours: float, ok: bool) -> None:
    asked = {"employee_id": EMPLOYEE, "shift_id": LOGGED, "correction_type": "on_call_hours"}
    response = run(db, "submit_payroll_correction", corrected_hours=hours, **asked)
    assert response.get("error_type") == (None if ok else "invalid_corrected_hours")


def test_on_call(db: dict[str, Any]) -> None:
    spec = next(t.spec for t in TOOLS if t.spec.name == "register_oncall_availability")
    given = arguments_of(spec)
    assert run(db, spec.name, **given)["blackout_dates"] == []
    assert (
        run(db, spec.name, **given | {"blackout_dates": ["2027-02-30"]})["error_type"]
        == "invalid_date_format"
    )
    backwards = given | {"availability_end_date": "2027-03-14"}
    assert run(db, spec.name, **backwards)["error_type"] == "invalid_parameter"
    schedule = run(db, "get_oncall_schedule", employee_id=EMPLOYEE, unit_code="3B-ICU")["oncall_schedule"]
    assert [r["registration_id"] for r in schedule["registrations"]] == ["CASE-ONC-100001"]
    check = {"employee_id": EMPLOYEE, "unit_code": "4A-PEDS"}
    assert run(db, "check_oncall_eligibility", **check)["missing_cert_codes"] == ["PALS"]
    db["employees"][EMPLOYEE]["employment_status"] = "on_leave"
    assert run(db, "check_oncall_eligibility", **check)["error_type"] == "employee_on_leave"


# ---- leave


def test_not_eligible_for_family_leave_says_why(db: dict[str, Any]) -> None:
    assert run(db, "check_leave_eligibility", employee_id=EMPLOYEE)["fmla_weeks_remaining"] == 12
    db["employees"][EMPLOYEE]["fmla_eligibility"] |= {"eligible": False, "months_employed": 6}
    refused = run(db, "check_leave_eligibility", employee_id=EMPLOYEE)
    assert (refused["error_type"], refused["months_employed"]) == ("not_eligible", 6)
    assert "12 months" in refused["message"]
    assert "1,250 hours" in refused["message"]


@pytest.mark.parametrize(("end", "error"), [("2027-03-08", None), ("2027-03-09", "before_leave_end")])
def test_return_is_not_before_the_leave_ends(db: dict[str, Any], end: str, error: str | None) -> None:
    leave = {"leave_category": "bonding", "leave_start_date": "2027-03-02", "leave_end_date": end}
    case = run(db, "submit_fmla_case", employee_id=EMPLOYEE, **leave)["case_id"]
    booking = {"department_code": "SURGERY", "appointment_datetime": "2027-03-08 09:00"}
    asked = booking | {"employee_id": EMPLOYEE, "case_id": case}
    response = run(db, "schedule_return_to_work_checkin", **asked)
    assert response.get("error_type") == error
    unknown = run(db, "schedule_return_to_work_checkin", **asked | {"case_id": "CASE-FMLA-999999"})
    assert unknown["error_type"] == "leave_case_not_found"


def test_a_slot_is_taken_once(db: dict[str, Any]) -> None:
    asked = {
        "employee_id": EMPLOYEE,
        "department_code": "SURGERY",
        "appointment_datetime": "2027-03-08 10:00",
    }
    assert run(db, "schedule_orientation_followup", **asked)["appointment_id"] == "CASE-ORI-100001"
    assert run(db, "schedule_orientation_followup", **asked)["error_type"] == "slot_not_available"
    look = {"department_code": "SURGERY", "appointment_type": "orientation_followup"}
    left = run(db, "check_appointment_availability", preferred_date="2027-03-08", **look)
    assert left["available_slots"] == ["09:00"]
    full = run(db, "check_appointment_availability", preferred_date="2027-03-09", **look)
    assert (full["error_type"], "2027-03-08" in full["message"]) == ("no_availability", True)
    competency = db["appointment_availability"]["competency_review"]["SURGERY"]["2027-03-08"]
    assert competency == ["09:00", "10:00"]


def time_off(db: dict[str, Any], tool: str, start: str, end: str, kind: str = "pto") -> Any:
    return run(db, tool, employee_id=EMPLOYEE, pto_type=kind, start_date=start, end_date=end)


def test_a_weekend_and_a_holiday_cost_nothing(db: dict[str, Any]) -> None:
    """2 March 2027 is a Tuesday, the 4th a holiday, the 6th and 7th a weekend."""
    seen = time_off(db, "check_pto_eligibility", "2027-03-02", "2027-03-08")
    days = ["2027-03-02", "2027-03-03", "2027-03-05", "2027-03-08"]
    assert (seen["working_days_in_range"], seen["remaining_after"]) == (days, 1.0)
    done = time_off(db, "submit_pto_request", "2027-03-02", "2027-03-08")
    assert (done["working_days"], done["remaining_balance"]) == (days, 1.0)
    assert db["employees"][EMPLOYEE]["pto_balances"] == {"pto": 1.0, "sick": 1}
    again = time_off(db, "check_pto_eligibility", "2027-03-08", "2027-03-08")
    assert again["error_type"] == "overlapping_request"


def test_days_on_shifts_are_counted_once(db: dict[str, Any]) -> None:
    db["employees"][EMPLOYEE]["schedule_type"] = "shift"
    seen = time_off(db, "check_pto_eligibility", "2027-03-08", "2027-03-14")
    assert seen["working_days_in_range"] == ["2027-03-10", "2027-03-11"]
    db["shifts"][SHIFT]["status"] = "swapped"
    seen = time_off(db, "check_pto_eligibility", "2027-03-08", "2027-03-14")
    assert seen["working_days_in_range"] == ["2027-03-11"]


@pytest.mark.parametrize(
    ("start", "end", "check", "submit"),
    [
        ("2027-03-08", "2027-03-12", None, None),  # five days, all there are
        ("2027-03-08", "2027-03-15", "insufficient_pto_balance", "insufficient_pto_balance"),
        ("2027-03-16", "2027-03-17", "blackout_dates", None),
        ("2027-03-06", "2027-03-07", "no_working_days", "no_working_days"),
        ("2027-03-09", "2027-03-08", "invalid_parameter", "invalid_parameter"),
        ("2027-03-08", "2028-03-07", "blackout_dates", "insufficient_pto_balance"),  # 366 days
        ("2027-03-08", "2028-03-08", "invalid_parameter", "invalid_parameter"),
    ],
)
def test_time_off_that_is_refused(
    db: dict[str, Any], start: str, end: str, check: str | None, submit: str | None
) -> None:
    assert time_off(db, "check_pto_eligibility", start, end).get("error_type") == check
    assert time_off(db, "submit_pto_request", start, end).get("error_type") == submit


# ---- an employee's file, and telling others


def test_onboarding_tasks_ask_for_their_code(db: dict[str, Any]) -> None:
    asked = {"employee_id": EMPLOYEE, "task_code": "TB_TEST", "completion_code": "q7l2"}
    wrong = run(db, "complete_onboarding_task", **asked | {"completion_code": "0000"})
    assert wrong["error_type"] == "invalid_completion_code"
    assert run(db, "complete_onboarding_task", **asked)["remaining_tasks"] == ["OCC_HEALTH"]
    for task, error in [("OCC_HEALTH", "invalid_completion_code"), ("ORIENTATION", "task_not_found")]:
        assert run(db, "complete_onboarding_task", **asked | {"task_code": task})["error_type"] == error
    other = run(db, "get_onboarding_checklist", employee_id=COLLEAGUE)
    assert other["error_type"] == "checklist_not_found"


def test_i9_without_a_record_makes_one(db: dict[str, Any]) -> None:
    assert run(db, "get_i9_record", employee_id=EMPLOYEE)["error_type"] == "i9_record_not_found"
    spec = next(t.spec for t in TOOLS if t.spec.name == "submit_i9_verification")
    run(db, spec.name, **arguments_of(spec))
    record = run(db, "get_i9_record", employee_id=EMPLOYEE)["i9_record"]
    assert (record["verification_status"], record["case_id"]) == ("verified", "CASE-I9V-100001")
    assert "employee_id" not in record


def test_visa_dependent(db: dict[str, Any]) -> None:
    spec = next(t.spec for t in TOOLS if t.spec.name == "add_visa_dependent")
    other = run(db, spec.name, **arguments_of(spec) | {"employee_id": COLLEAGUE})
    assert other["error_type"] == "visa_record_not_found"
    assert run(db, spec.name, **arguments_of(spec))["dependent_name"] == "Ben El-Quill"
    visa = db["employees"][EMPLOYEE]["visa_record"]
    assert (visa["amendment_id"], len(visa["dependents"])) == ("CASE-VISA-100001", 1)


def test_the_same_news_is_told_once(db: dict[str, Any]) -> None:
    news = {"employee_id": EMPLOYEE, "case_id": "CASE-FMLA-100001", "notification_type": "fmla_opened"}
    for _ in range(2):
        assert run(db, "notify_department_manager", **news)["status"] == "success"
    expected = {"recipient": "department_manager", "department_code": "SURGERY", **news}
    assert db["notifications"] == [expected]


def test_transfers_are_numbered() -> None:
    tools = ToolExecutor("medical_hr", make_db(), NOW)
    given = {"employee_id": EMPLOYEE, "transfer_reason": "caller_requested", "issue_summary": "s"}
    ids = [tools.call("transfer_to_agent", given)["transfer_id"] for _ in range(2)]
    assert ids == ["TRF-EMP100001-001", "TRF-EMP100001-002"]


# ---- any arguments


def test_kinds_and_number_of_tools() -> None:
    kinds = [tool.spec.kind for tool in TOOLS]
    counts = {kind: kinds.count(kind) for kind in ("auth", "read", "write", "system")}
    assert counts == {"auth": 4, "read": 22, "write": 21, "system": 1}
    assert len({tool.spec.name for tool in TOOLS}) == 48


WRONG: tuple[Any, ...] = ([], "", " ", {}, 10**400, float("nan"), "x" * 10_000, "2027-02-30", None)


def test_every_wrong_form_is_an_error_of_form(db: dict[str, Any]) -> None:
    for tool in TOOLS:
        given = arguments_of(tool.spec)
        for p in tool.spec.parameters:
            for wrong in WRONG:
                if (wrong is None and not p.required) or (wrong == [] and p.name == "blackout_dates"):
                    continue
                if p.name == "issue_summary" and isinstance(wrong, str):
                    continue
                response = run(copy.deepcopy(db), tool.spec.name, {}, **given | {p.name: wrong})
                assert response["error_type"] == p.error_type, (tool.spec.name, p.name, wrong)


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        ["0001-01-01", "9999-12-31", "9999-12-31 23:59", EMPLOYEE, NPI, "\ud800", object(), [[]]]
    ),
    st.lists(st.text(max_size=4), max_size=3),
)


@settings(max_examples=400)
@given(data=st.data())
def test_nothing_raises_and_an_error_changes_nothing(data: st.DataObject) -> None:
    start = make_db() | {"session": data.draw(st.sampled_from(list(SESSIONS.values())))}
    first, second = (ToolExecutor("medical_hr", start, NOW) for _ in range(2))
    for _ in range(4):
        spec = data.draw(st.sampled_from([tool.spec for tool in TOOLS]))
        given_arguments = arguments_of(spec)
        for name in data.draw(st.sets(st.sampled_from(sorted(given_arguments)), max_size=2)):
            given_arguments[name] = data.draw(ODD)
        before = json.dumps(first.db)
        response = first.call(spec.name, given_arguments)
        assert response == second.call(spec.name, given_arguments)
        assert response.get("error_type") != "execution_error", (spec.name, given_arguments)
        if response["status"] == "error" or spec.kind in ("read", "system"):
            assert json.dumps(first.db) == before
        assert isinstance(response.get("message", ""), str)
    assert first.db == second.db
