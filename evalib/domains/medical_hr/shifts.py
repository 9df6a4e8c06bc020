"""Tools on shifts: swapping one with a colleague, correcting the hours logged, being on call."""

from __future__ import annotations

from evalib.domains.medical_hr import policy
from evalib.domains.medical_hr.lookups import (
    Record,
    case_id,
    employee_of,
    in_order,
    missing_certifications,
    refusal,
    required_certifications,
    shift_of,
    today,
)
from evalib.domains.toolspec import ToolFailure


def get_shift_record(db: Record, args: Record, call_index: int) -> Record:
    return {"shift": shift_of(db, args["employee_id"], args["shift_id"])}


def get_timesheet_record(db: Record, args: Record, call_index: int) -> Record:
    return {"shift": shift_of(db, args["employee_id"], args["shift_id"])}


def check_swap_eligibility(db: Record, args: Record, call_index: int) -> Record:
    """The lockout is a mark on the shift: the tools know the date, not the time of day."""
    shift = shift_of(db, args["employee_id"], args["shift_id"])
    if shift.get("swap_locked"):
        hours = policy.SWAP_LOCKOUT_HOURS
        raise ToolFailure("swap_locked", f"Shift is within the {hours}-hour swap lockout window")
    if shift.get("status") != "scheduled":
        raise ToolFailure("not_swappable", f"Shift is {shift.get('status')}, not scheduled")
    return {
        "eligible": True,
        "shift_date": shift["date"],
        "unit_code": shift["unit_code"],
        "required_cert_codes": required_certifications(db, shift["unit_code"]),
        "message": "Shift is eligible for swap",
    }


def verify_colleague_certifications(db: Record, args: Record, call_index: int) -> Record:
    colleague = employee_of(db, args["colleague_employee_id"])
    missing = missing_certifications(db, colleague, args["unit_code"])
    if missing:
        return _lacking("Colleague", missing)
    return args | {
        "certifications_verified": required_certifications(db, args["unit_code"]),
        "message": "All required certifications verified",
    }


def _lacking(who: str, missing: list[str]) -> Record:
    message = f"{who} is missing required certifications: {', '.join(missing)}"
    return refusal("missing_certifications", message, missing_cert_codes=missing)


def confirm_shift_swap(db: Record, args: Record, call_index: int) -> Record:
    shift = shift_of(db, args["employee_id"], args["shift_id"])
    colleague = args["colleague_employee_id"]
    employee_of(db, colleague)
    case = case_id("SWP", employee_of(db, args["employee_id"]))
    shift |= {"status": "swapped", "swapped_to_employee_id": colleague, "swap_confirmation_id": case}
    return {
        "shift_id": args["shift_id"],
        "original_employee_id": args["employee_id"],
        "new_employee_id": colleague,
        "unit_code": args["unit_code"],
        "case_id": case,
        "message": f"Shift swap confirmed. Case ID: {case}",
    }


def _period_is_past(db: Record, shift: Record) -> bool:
    return shift["pay_period_end_date"] < today(db).isoformat()


def _pay_period_closed() -> ToolFailure:
    return ToolFailure("pay_period_closed", "The pay period for this shift is closed and cannot be corrected")


def check_correction_eligibility(db: Record, args: Record, call_index: int) -> Record:
    shift = shift_of(db, args["employee_id"], args["shift_id"])
    if shift.get("pay_period_closed") or _period_is_past(db, shift):
        raise _pay_period_closed()
    if shift.get("status") != "logged":
        raise ToolFailure("shift_not_logged", f"Shift is {shift.get('status')}, its hours are not logged")
    if shift.get("correction_status") == "pending":
        raise ToolFailure("correction_already_pending", "A correction is already pending for this shift")
    return {
        "eligible": True,
        "shift_id": args["shift_id"],
        "logged_hours": shift["hours_logged"],
        "message": "Shift is eligible for payroll correction",
    }


def submit_payroll_correction(db: Record, args: Record, call_index: int) -> Record:
    shift = shift_of(db, args["employee_id"], args["shift_id"])
    if _period_is_past(db, shift):
        raise _pay_period_closed()
    case = case_id("PAY", employee_of(db, args["employee_id"]))
    shift |= {
        "corrected_hours": args["corrected_hours"],
        "correction_type": args["correction_type"],
        "correction_case_id": case,
        "correction_status": "pending",
    }
    return args | {
        "pay_period_end_date": shift["pay_period_end_date"],
        "case_id": case,
        "message": f"Payroll correction submitted. Case ID: {case}",
    }


def get_oncall_schedule(db: Record, args: Record, call_index: int) -> Record:
    schedule = employee_of(db, args["employee_id"]).get("oncall_schedule") or {"registrations": []}
    return args | {"oncall_schedule": schedule}


def check_oncall_eligibility(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    if employee.get("employment_status") == "on_leave":
        raise ToolFailure("employee_on_leave", "Employee is on leave and cannot register for on-call shifts")
    missing = missing_certifications(db, employee, args["unit_code"])
    if missing:
        return _lacking("Employee", missing)
    message = "Employee is eligible to register for on-call on this unit"
    return {"eligible": True, **args, "message": message}


def register_oncall_availability(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    in_order(args["availability_start_date"], args["availability_end_date"], "availability")
    registration = {"registration_id": case_id("ONC", employee)} | {
        name: value for name, value in args.items() if name != "employee_id"
    }
    schedule = employee.setdefault("oncall_schedule", {})
    schedule.setdefault("registrations", []).append(registration | {"status": "registered"})
    message = f"On-call availability registered. Registration ID: {registration['registration_id']}"
    return {"employee_id": args["employee_id"], **registration, "message": message}
