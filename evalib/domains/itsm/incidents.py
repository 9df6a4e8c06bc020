"""Tools for what does not work: guides, unlocking, tickets, outages, a technician on site."""

from __future__ import annotations

from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.itsm.ids import store
from evalib.domains.itsm.lookups import Record, day_of, employee_of, find, refusal, ticket_of
from evalib.domains.toolspec import ToolFailure

_SHOWN_OF_TICKET = 7  # a dispatch is named after the end of its ticket's number


def get_troubleshooting_guide(db: Record, args: dict[str, Any], call_index: int) -> Record:
    category = args["issue_category"]
    steps = find(db, "troubleshooting_guides", category, "Guide")["steps"]
    return {"issue_category": category, "steps": steps, "message": f"{len(steps)} steps"}


def _account(db: Record, args: dict[str, Any]) -> Record:
    account = (employee_of(db, args["employee_id"]).get("account_status") or {}).get(args["target_system"])
    if account is None:
        raise ToolFailure("no_account", f"{args['employee_id']} has no account on {args['target_system']}")
    return account


def attempt_account_unlock(db: Record, args: dict[str, Any], call_index: int) -> Record:
    account, system = _account(db, args), args["target_system"]
    reason = account.get("lock_reason")
    if reason in policy.HELD_BY_SECURITY:
        return refusal(
            "cannot_unlock_security_hold",
            f"Account on {system} is under {reason.replace('_', ' ')}. This cannot be unlocked from the "
            "service desk. Offer to transfer the caller to a live agent; security will contact them "
            "separately.",
            lock_reason=reason,
        )
    if not account.get("locked"):
        raise ToolFailure("not_locked", f"Account on {system} is not locked")
    account.update(locked=False, lock_reason=None)
    return _resolved(args, f"Account unlocked on {system}")


def _resolved(args: dict[str, Any], message: str) -> Record:
    return {
        "employee_id": args["employee_id"],
        "target_system": args["target_system"],
        "resolved": True,
        "message": message,
    }


def attempt_password_reset(db: Record, args: dict[str, Any], call_index: int) -> Record:
    account = _account(db, args)
    if account.get("requires_in_person_reset"):
        raise ToolFailure(
            "in_person_required", f"The password of {args['target_system']} is reset in person only"
        )
    account.update(password_expired=False, temp_password_issued=True)
    return _resolved(args, "Temporary password sent to phone on file. Caller must change on first login.")


def create_incident_ticket(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee_of(db, args["employee_id"])
    category = args["category"]
    if category in policy.TROUBLESHOOTING_FIRST and not args["troubleshooting_completed"]:
        raise ToolFailure("troubleshooting_required", f"{category}: go through the guide before a ticket")
    record = args | {"status": "open", "sla_tier": None, "created_date": db["_current_date"]}
    number = store(db, "tickets", "INC", "ticket_number", record)
    return {
        "ticket_number": number,
        "category": category,
        "urgency": args["urgency"],
        "message": f"Ticket created: {number}",
    }


def assign_sla_tier(db: Record, args: dict[str, Any], call_index: int) -> Record:
    ticket, tier = ticket_of(db, args["ticket_number"]), args["sla_tier"]
    due = policy.SLA_TIER_OF_URGENCY[ticket["urgency"]]
    if tier != due:
        raise ToolFailure("sla_tier_mismatch", f"Urgency {ticket['urgency']} takes {due}, not {tier}")
    respond, resolve = policy.SLA_RESPONSE_HOURS[tier], policy.SLA_RESOLUTION_HOURS[tier]
    ticket.update(sla_tier=tier, sla_response_hours=respond, sla_resolution_hours=resolve)
    return {
        "ticket_number": args["ticket_number"],
        "sla_tier": tier,
        "response_target": f"{respond}h",
        "resolution_target": f"{resolve}h",
        "message": f"SLA {tier}: respond {respond}h, resolve {resolve}h",
    }


def check_existing_outage(db: Record, args: dict[str, Any], call_index: int) -> Record:
    service = args["service_name"]
    outage = (db.get("active_outages") or {}).get(service)
    if outage is None:
        return {
            "existing_outage": False,
            "service_name": service,
            "message": "No active outage found.",
        }
    return {
        "existing_outage": True,
        "ticket_number": outage["ticket_number"],
        "service_name": service,
        "affected_user_count": outage["affected_user_count"],
        "message": f"Active outage: {outage['ticket_number']}",
    }


def add_affected_user(db: Record, args: dict[str, Any], call_index: int) -> Record:
    number, employee_id = args["ticket_number"], args["employee_id"]
    employee_of(db, employee_id)
    outages = (db.get("active_outages") or {}).values()
    outage = next((o for o in outages if o["ticket_number"] == number), None)
    if outage is None:
        raise ToolFailure("not_found", f"No active outage has the ticket {number}")
    affected = outage.setdefault("affected_users", [])
    if employee_id not in affected:
        affected.append(employee_id)
    outage["affected_user_count"] = len(affected)
    return {
        "ticket_number": number,
        "employee_id": employee_id,
        "total_affected": len(affected),
        "message": f"Added to {number}",
    }


def link_known_error(db: Record, args: dict[str, Any], call_index: int) -> Record:
    number = args["ticket_number"]
    ticket = ticket_of(db, number)
    known = (db.get("known_errors") or {}).get(args["service_name"])
    if known is None:
        return {"linked": False, "ticket_number": number, "message": "No known error found."}
    ticket["linked_known_error_id"] = known["known_error_id"]
    return {
        "linked": True,
        "ticket_number": number,
        "known_error_id": known["known_error_id"],
        "workaround": known["workaround"],
        "message": f"Linked {known['known_error_id']}",
    }


def schedule_field_dispatch(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """Take a technician's slot. Slots are by day; building and floor are for the technician to read."""
    ticket = ticket_of(db, args["ticket_number"])
    employee_of(db, args["employee_id"])
    day_of(args["preferred_date"], "preferred_date")
    day, window = args["preferred_date"], args["time_window"]
    slot = ((db.get("field_dispatch_availability") or {}).get(day) or {}).get(window)
    if not slot or not slot.get("available"):
        raise ToolFailure("no_availability", f"No technician on {day}, {window}")
    slot["available"] = False
    dispatch_id = f"DSP-{args['ticket_number'][-_SHOWN_OF_TICKET:]}"
    ticket.update(dispatch_id=dispatch_id, dispatch_date=day, dispatch_window=window)
    return {
        "dispatch_id": dispatch_id,
        "date": day,
        "time_window": window,
        "message": f"Dispatch {dispatch_id} confirmed",
    }


def attach_diagnostic_log(db: Record, args: dict[str, Any], call_index: int) -> Record:
    ticket_of(db, args["ticket_number"]).update(
        diagnostic_ref_code=args["diagnostic_ref_code"], diagnostic_attached=True
    )
    return args | {"message": "Diagnostic attached"}


def mark_resolved(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee_of(db, args["employee_id"])
    interactions = db.setdefault("interactions", {})
    interaction_id = f"INT-{len(interactions) + 1:06d}"
    interactions[interaction_id] = {
        "interaction_id": interaction_id,
        **args,
        "logged_date": db["_current_date"],
    }
    return {
        "interaction_id": interaction_id,
        "flow_id": args["flow_id"],
        "resolution_type": args["resolution_type"],
        "message": f"Interaction logged: {interaction_id}",
    }
