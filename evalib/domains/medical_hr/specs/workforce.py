"""The declarations of the tools on shifts, hours, on-call duty and leave."""

from __future__ import annotations

from evalib.domains.medical_hr import policy
from evalib.domains.medical_hr.specs.parameters import (
    appointment,
    case,
    choice,
    day,
    days,
    department,
    employee,
    shift,
    spec,
    unit,
)
from evalib.domains.toolspec import Parameter

MANAGER_NEWS = (
    "shift_swap_confirmed",
    "fmla_opened",
    "payroll_correction_submitted",
    "pto_request_submitted",
)
CORRECTIONS = ("on_call_hours", "overtime_hours", "differential_missed")
LEAVE_CATEGORIES = (
    "employee_medical_condition",
    "family_member_serious_illness",
    "bonding",
    "military_exigency",
)
PTO_TYPE = choice("pto_type", ("pto", "sick"), "Paid time off or sick days.", asked=True)
COLLEAGUE = employee("colleague_employee_id", "The colleague who takes the shift.", asked=True)

SPECS = (
    spec("get_shift_record", "read", "A shift: unit, times, status.", employee(), shift()),
    spec(
        "check_swap_eligibility",
        "read",
        "Whether a shift may be swapped, and which certifications it takes.",
        employee(),
        shift(),
    ),
    spec(
        "verify_colleague_certifications",
        "read",
        "Whether a colleague holds what a unit requires. Comes before a swap.",
        COLLEAGUE,
        unit(),
    ),
    spec(
        "confirm_shift_swap",
        "write",
        "Give a shift to a colleague.",
        employee(),
        shift(),
        COLLEAGUE,
        unit(),
    ),
    spec(
        "notify_department_manager",
        "write",
        "Tell the employee's manager of a case just opened.",
        employee(),
        case(),
        choice("notification_type", MANAGER_NEWS, "What the case is about."),
    ),
    spec("get_timesheet_record", "read", "The hours logged for a shift.", employee(), shift()),
    spec(
        "check_correction_eligibility",
        "read",
        "Whether the hours of a shift may still be corrected.",
        employee(),
        shift(),
    ),
    spec(
        "submit_payroll_correction",
        "write",
        "Ask for the hours of a shift to be corrected.",
        employee(),
        shift(),
        choice("correction_type", CORRECTIONS, "Which hours are wrong.", asked=True),
        Parameter(
            "corrected_hours",
            "number",
            "The right total for the shift, in hours.",
            above=0,
            maximum=policy.MAX_CORRECTED_HOURS,
            error_type="invalid_corrected_hours",
            asked_of_caller=True,
        ),
    ),
    spec("get_oncall_schedule", "read", "On-call duty registered so far.", employee(), unit()),
    spec(
        "check_oncall_eligibility",
        "read",
        "Whether an employee may be on call for a unit.",
        employee(),
        unit(),
    ),
    spec(
        "register_oncall_availability",
        "write",
        "Register when an employee is available on call.",
        employee(),
        unit(),
        day("availability_start_date", "First day."),
        day("availability_end_date", "Last day."),
        choice("oncall_tier", ("primary", "backup"), "First in line or second.", asked=True),
        days("blackout_dates", "Days in between when they cannot be reached; empty for none."),
    ),
    spec(
        "check_leave_eligibility",
        "read",
        "Whether an employee may take family and medical leave (FMLA).",
        employee(),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "submit_fmla_case",
        "write",
        "Open a case of family and medical leave.",
        employee(),
        choice("leave_category", LEAVE_CATEGORIES, "What the leave is for.", asked=True),
        day("leave_start_date", "First day of leave."),
        day("leave_end_date", "Last day of leave."),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "schedule_return_to_work_checkin",
        "write",
        "Book the check-in that ends a leave, not before its last day.",
        employee(),
        case("The leave case."),
        department(),
        appointment(),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec("get_pto_balance", "read", "Days of paid time off and sick days left.", employee()),
    spec(
        "check_pto_eligibility",
        "read",
        "What time off would cost and whether it may be taken. Comes before a request.",
        employee(),
        PTO_TYPE,
        day("start_date", "First day off."),
        day("end_date", "Last day off."),
    ),
    spec(
        "submit_pto_request",
        "write",
        "Request time off and take it from the balance.",
        employee(),
        PTO_TYPE,
        day("start_date", "First day off."),
        day("end_date", "Last day off."),
    ),
)
