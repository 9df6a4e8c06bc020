"""Tools on an employee's file: record, onboarding tasks, I-9, visa, and the way to a person."""

from __future__ import annotations

from evalib.domains.medical_hr.lookups import Record, case_id, employee_of
from evalib.domains.toolspec import ToolFailure

_SHOWN = (
    "employee_id",
    "first_name",
    "last_name",
    "department_code",
    "role_code",
    "unit_code",
    "hire_date",
    "employment_status",
)


def get_employee_record(db: Record, args: Record, call_index: int) -> Record:
    employee = employee_of(db, args["employee_id"])
    return {"employee": {field: employee.get(field) for field in _SHOWN}}


def _checklist(db: Record, employee_id: str) -> Record:
    checklist = employee_of(db, employee_id).get("onboarding_checklist")
    if not checklist:
        raise ToolFailure("checklist_not_found", f"No onboarding checklist found for {employee_id}")
    return checklist


def get_onboarding_checklist(db: Record, args: Record, call_index: int) -> Record:
    return {"onboarding_checklist": _checklist(db, args["employee_id"])}


def complete_onboarding_task(db: Record, args: Record, call_index: int) -> Record:
    tasks, code = _checklist(db, args["employee_id"])["tasks"], args["task_code"]
    task = tasks.get(code)
    if task is None:
        raise ToolFailure("task_not_found", f"{code} is not on the checklist of {args['employee_id']}")
    if (task.get("completion_code") or "").upper() != args["completion_code"].upper():
        raise ToolFailure("invalid_completion_code", f"The completion code of {code} does not match")
    task["status"] = "complete"
    left = [name for name, other in tasks.items() if other.get("status") != "complete"]
    return {
        "employee_id": args["employee_id"],
        "task_code": code,
        "remaining_tasks": left,
        "message": f"Task {code} marked complete. {len(left)} task(s) remaining.",
    }


def get_i9_record(db: Record, args: Record, call_index: int) -> Record:
    record = employee_of(db, args["employee_id"]).get("i9_record")
    if not record:
        raise ToolFailure("i9_record_not_found", f"No I-9 record found for {args['employee_id']}")
    return {"i9_record": record}


def submit_i9_verification(db: Record, args: Record, call_index: int) -> Record:
    """Where there is no record yet, this makes one; that there should be is for the agent to see to."""
    employee = employee_of(db, args["employee_id"])
    case = case_id("I9V", employee)
    submitted = {name: value for name, value in args.items() if name != "employee_id"}
    status = {"verification_status": "verified", "case_id": case}
    employee["i9_record"] = (employee.get("i9_record") or {}) | submitted | status
    action = args["verification_action"]
    return args | {"case_id": case, "message": f"I-9 {action} completed. Case ID: {case}"}


def _visa(db: Record, args: Record) -> Record:
    visa = employee_of(db, args["employee_id"]).get("visa_record") or {}
    if visa.get("petition_number") != args["visa_petition_number"]:
        where = f"{args['visa_petition_number']} not found for {args['employee_id']}"
        raise ToolFailure("visa_record_not_found", f"Visa petition {where}")
    return visa


def get_visa_record(db: Record, args: Record, call_index: int) -> Record:
    return {"visa_record": _visa(db, args)}


def add_visa_dependent(db: Record, args: Record, call_index: int) -> Record:
    visa, amendment = _visa(db, args), case_id("VISA", employee_of(db, args["employee_id"]))
    visa.setdefault("dependents", []).append(
        {
            "first_name": args["dependent_first_name"],
            "last_name": args["dependent_last_name"],
            "relationship": args["relationship"],
            "date_of_birth": args["dependent_date_of_birth"],
            "country_of_birth": args["dependent_country_of_birth"],
            "uscis_receipt_number": args["uscis_receipt_number"],
            "amendment_id": amendment,
            "status": "pending",
        }
    )
    visa["amendment_id"] = amendment
    petition = args["visa_petition_number"]
    return {name: value for name, value in args.items() if not name.endswith("_name")} | {
        "dependent_name": f"{args['dependent_first_name']} {args['dependent_last_name']}",
        "amendment_id": amendment,
        "message": f"Dependent added to petition {petition}. Amendment ID: {amendment}",
    }


def transfer_to_agent(db: Record, args: Record, call_index: int) -> Record:
    return {
        "transfer_id": f"TRF-{args['employee_id']}-{call_index:03d}",
        **args,
        "estimated_wait": "2-3 minutes",
        "message": "Transferring to live agent",
    }
