"""Tools that find and book appointments: orientation, return to work, competency review.

A slot is a department's, on a day, for one kind of appointment; who takes it takes it out.
"""

from __future__ import annotations

from evalib.domains.medical_hr.lookups import Record, case_id, employee_of, provider_of
from evalib.domains.toolspec import ToolFailure

ORIENTATION = "orientation_followup"
RETURN_TO_WORK = "return_to_work_checkin"
COMPETENCY = "competency_review"
KINDS = (ORIENTATION, RETURN_TO_WORK, COMPETENCY)


def _days(db: Record, kind: str, department: str) -> dict[str, list[str]]:
    return ((db.get("appointment_availability") or {}).get(kind) or {}).get(department) or {}


def check_appointment_availability(db: Record, args: Record, call_index: int) -> Record:
    days, day = _days(db, args["appointment_type"], args["department_code"]), args["preferred_date"]
    slots = days.get(day)
    if not slots:
        later = ", ".join(sorted(d for d, free in days.items() if free)) or "none"
        raise ToolFailure("no_availability", f"No slots on {day}; days with slots: {later}")
    return {"available_slots": slots, "date": day, "message": f"{len(slots)} slot(s) available on {day}"}


def _slots(db: Record, args: Record, kind: str) -> tuple[list[str], str]:
    """The slots of the day, and the one asked for, which must be among them."""
    day, time = args["appointment_datetime"].split(" ")
    slots = _days(db, kind, args["department_code"]).get(day) or []
    if time not in slots:
        free = ", ".join(slots) or "none"
        raise ToolFailure("slot_not_available", f"{time} on {day} is not free; free slots: {free}")
    return slots, time


def _book(person: Record, slots: list[str], time: str, appointment: Record) -> None:
    slots.remove(time)
    person.setdefault("scheduled_appointments", []).append(appointment | {"status": "scheduled"})


def schedule_orientation_followup(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    return _book_in_department(db, args, employee, ORIENTATION, "ORI", "Orientation follow-up")


def schedule_competency_review(db: Record, args: Record, call_index: int) -> Record:
    provider = provider_of(db, args["npi"])
    return _book_in_department(db, args, provider, COMPETENCY, "CMP", "Competency review")


def _book_in_department(
    db: Record, args: Record, person: Record, kind: str, prefix: str, name: str
) -> Record:
    slots, time = _slots(db, args, kind)
    booked = {
        "appointment_id": case_id(prefix, person),
        "department_code": args["department_code"],
        "appointment_datetime": args["appointment_datetime"],
    }
    _book(person, slots, time, booked | {"type": kind})
    return args | booked | {"message": _message(name, booked)}


def schedule_return_to_work_checkin(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    leave = [r for r in employee.get("leave_records") or [] if r.get("case_id") == args["case_id"]]
    if not leave:
        raise ToolFailure("leave_case_not_found", f"No leave of {args['employee_id']} has {args['case_id']}")
    end = leave[-1].get("leave_end_date") or leave[-1].get("end_date") or ""
    if args["appointment_datetime"][:10] < end:
        raise ToolFailure("before_leave_end", f"The check-in cannot be before the leave ends on {end}")
    slots, time = _slots(db, args, RETURN_TO_WORK)
    booked = {
        "appointment_id": case_id("RTW", employee),
        "appointment_datetime": args["appointment_datetime"],
    }
    _book(employee, slots, time, booked | {"type": RETURN_TO_WORK, "fmla_case_id": args["case_id"]})
    return {
        "employee_id": args["employee_id"],
        "case_id": args["case_id"],
        **booked,
        "message": _message("Return-to-work check-in", booked),
    }


def _message(name: str, booked: Record) -> str:
    when, appointment = booked["appointment_datetime"], booked["appointment_id"]
    return f"{name} scheduled for {when}. Appointment ID: {appointment}"
