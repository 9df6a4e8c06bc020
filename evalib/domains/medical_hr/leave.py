"""Tools on leave: family and medical leave (FMLA), and time off from a balance of days.

A day off costs a day of the balance when the employee would have worked: for those on shifts the
days they have a scheduled shift, for all others weekdays that are no holiday.
"""

from __future__ import annotations

from datetime import date

from evalib.domains.medical_hr import policy
from evalib.domains.medical_hr.lookups import Record, case_id, employee_of, in_order, refusal
from evalib.domains.toolspec import ToolFailure

_FMLA_RULE = (
    f"FMLA takes {policy.FMLA_MIN_MONTHS} months of employment "
    f"and {policy.FMLA_MIN_HOURS:,} hours worked in the past year"
)


def check_leave_eligibility(db: Record, args: Record, call_index: int) -> Record:
    record = employee_of(db, args["employee_id"]).get("fmla_eligibility") or {}
    worked = {name: record.get(name) for name in ("months_employed", "hours_worked_past_year")}
    if not record.get("eligible"):
        return refusal("not_eligible", record.get("reason") or _FMLA_RULE, **worked)
    return {
        "eligible": True,
        **worked,
        "fmla_weeks_remaining": record.get("fmla_weeks_remaining"),
        "message": "Employee is eligible for FMLA leave",
    }


def submit_fmla_case(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    in_order(args["leave_start_date"], args["leave_end_date"], "leave")
    case = case_id("FMLA", employee)
    leave = {name: args[name] for name in ("leave_category", "leave_start_date", "leave_end_date")}
    employee.setdefault("leave_records", []).append({"case_id": case, **leave, "status": "open"})
    return args | {"case_id": case, "message": f"FMLA case opened. Case ID: {case}"}


def get_pto_balance(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    schedule = _schedule_type(employee)
    return {
        "employee_id": args["employee_id"],
        "schedule_type": schedule,
        "pto_balances": employee.get("pto_balances") or {},
        "message": f"PTO balances retrieved. Schedule type: {schedule}",
    }


def _schedule_type(employee: Record) -> str:
    return employee.get("schedule_type") or "standard"


def check_pto_eligibility(db: Record, args: Record, call_index: int) -> Record:
    employee, days = _days_off(db, args)
    blacked_out = (db.get("department_blackout_dates") or {}).get(employee.get("department_code")) or []
    if taken := [day for day in days if day in blacked_out]:
        message = f"The department allows no time off on {', '.join(taken)}"
        return refusal("blackout_dates", message, blackout_dates=taken)
    if _overlapping(employee, args):
        raise ToolFailure("overlapping_request", "Time off is already requested for some of these days")
    balance, cost = _balance(employee, args), float(len(days))
    if cost > balance:
        return _too_little(args, cost, balance)
    kind, left = args["pto_type"], balance - cost
    return {
        "eligible": True,
        "employee_id": args["employee_id"],
        "schedule_type": _schedule_type(employee),
        "pto_type": kind,
        "pto_days_required": cost,
        "working_days_in_range": days,
        "current_balance": balance,
        "remaining_after": left,
        "message": f"Eligible. {cost} {kind} day(s) required, {left} remaining after.",
    }


def submit_pto_request(db: Record, args: Record, call_index: int) -> Record:
    """Blackout days and requests that overlap are for the eligibility check alone."""
    employee, days = _days_off(db, args)
    balance, cost, kind = _balance(employee, args), float(len(days)), args["pto_type"]
    if cost > balance:
        return _too_little(args, cost, balance)
    request = {
        "case_id": case_id("PTO", employee),
        "pto_type": kind,
        "start_date": args["start_date"],
        "end_date": args["end_date"],
        "pto_days_deducted": cost,
        "working_days": days,
    }
    employee["pto_balances"][kind] = balance - cost
    employee.setdefault("pto_requests", []).append(request | {"status": "pending"})
    case = request["case_id"]
    return request | {
        "employee_id": args["employee_id"],
        "remaining_balance": balance - cost,
        "message": f"PTO request submitted. {cost} {kind} day(s) deducted. Case ID: {case}",
    }


def _days_off(db: Record, args: Record) -> tuple[Record, list[str]]:
    """The employee, and the days of the request on which they would have worked."""
    employee = employee_of(db, args["employee_id"])
    in_order(args["start_date"], args["end_date"], "time off")
    start, end = (date.fromisoformat(args[name]) for name in ("start_date", "end_date"))
    if (end - start).days >= policy.MAX_TIME_OFF_SPAN_DAYS:
        raise ToolFailure("invalid_parameter", "a request spans a year at most")
    if _schedule_type(employee) == "standard":
        days = policy.weekdays(start, end, frozenset(db.get("org_holidays") or []))
    else:
        days = _shift_days(db, args)
    if not days:
        raise ToolFailure("no_working_days", "There is no working day in the range asked for")
    return employee, days


def _shift_days(db: Record, args: Record) -> list[str]:
    return sorted(
        {
            shift["date"]
            for shift in (db.get("shifts") or {}).values()
            if shift["employee_id"] == args["employee_id"]
            and shift["status"] == "scheduled"
            and args["start_date"] <= shift["date"] <= args["end_date"]
        }
    )


def _overlapping(employee: Record, args: Record) -> bool:
    return any(
        other["start_date"] <= args["end_date"] and args["start_date"] <= other["end_date"]
        for other in employee.get("pto_requests") or []
    )


def _balance(employee: Record, args: Record) -> float:
    return float((employee.get("pto_balances") or {}).get(args["pto_type"]) or 0)


def _too_little(args: Record, cost: float, balance: float) -> Record:
    need = f"{cost} days required but only {balance} available"
    message = f"Insufficient {args['pto_type']} balance: {need}"
    return refusal("insufficient_pto_balance", message, pto_days_required=cost, current_balance=balance)
