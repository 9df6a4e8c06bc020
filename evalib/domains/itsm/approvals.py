"""Tools for what happens to a request: who approves it, where it stands, the hand-over."""

from __future__ import annotations

from datetime import date
from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.lookups import Record, employee_of, full_name, request_of, today
from evalib.domains.toolspec import ToolFailure


def route_approval_workflow(db: Record, args: dict[str, Any], call_index: int) -> Record:
    request = request_of(db, args["request_id"])
    employee_of(db, args["employee_id"])
    approver = full_name(employee_of(db, args["approver_employee_id"]))
    deadline = policy.deadline(today(db), policy.APPROVAL_HOURS)
    request.update(approval_routed_to=args["approver_employee_id"], approval_sla_deadline=deadline)
    return {
        "request_id": args["request_id"],
        "approver_name": approver,
        "approval_deadline": deadline,
        "message": f"Routed to {approver}. {policy.APPROVAL_HOURS}h window.",
    }


def _overdue(db: Record, request: Record) -> bool:
    """Whether the day of the approval deadline has passed."""
    deadline = request.get("approval_sla_deadline") or ""
    return deadline != "" and date.fromisoformat(deadline[:10]) < today(db)


def get_request_status(db: Record, args: dict[str, Any], call_index: int) -> Record:
    request_id = args["request_id"]
    request = request_of(db, request_id)
    return {
        "request_id": request_id,
        "request_status": request["status"],
        "approval_routed_to": request.get("approval_routed_to"),
        "approval_sla_deadline": request.get("approval_sla_deadline"),
        "sla_breached": _overdue(db, request),
        "created_date": request["created_date"],
        "message": f"Request {request_id} is {request['status']}",
    }


def escalate_approval(db: Record, args: dict[str, Any], call_index: int) -> Record:
    request_id, to = args["request_id"], args["escalate_to_employee_id"]
    request = request_of(db, request_id)
    name = full_name(employee_of(db, to))
    if not _overdue(db, request):
        raise ToolFailure("sla_not_breached", f"The approval of {request_id} is not overdue")
    deadline = policy.deadline(today(db), policy.ESCALATION_HOURS)
    request.update(escalated_to=to, escalation_sla_deadline=deadline, status="escalated")
    return {
        "request_id": request_id,
        "escalated_to": to,
        "escalation_deadline": deadline,
        "message": f"Escalated to {name}",
    }


def transfer_to_agent(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """Anybody is handed over, identified or not."""
    return {
        "transfer_id": f"TRF-{args['employee_id']}-{call_index:03d}",
        "employee_id": args["employee_id"],
        "transfer_reason": args["transfer_reason"],
        "estimated_wait": "2-3 minutes",
        "message": "Transferring",
    }
