"""Tools for what is lost, stolen or suspect, and for the second factor."""

from __future__ import annotations

from typing import Any

from evalib.domains.itsm.ids import store
from evalib.domains.itsm.lookups import Record, asset_of, employee_of, find, refusal
from evalib.domains.toolspec import ToolFailure

_SHOWN_OF_ASSET = 6  # a wipe is named after the end of the asset's tag


def _open_case(db: Record, case: dict[str, Any], status: str) -> str:
    record = case | {"status": status, "opened_date": db["_current_date"]}
    return store(db, "security_cases", "SEC-", "security_case_id", record)


def report_security_incident(db: Record, args: dict[str, Any], call_index: int) -> Record:
    employee_of(db, args["employee_id"])
    asset = asset_of(db, args["asset_tag"])
    case_id = _open_case(db, args, "open")
    if args["incident_type"] in ("lost", "stolen"):
        asset["lifecycle_status"] = "lost_or_stolen"
    return {
        "security_case_id": case_id,
        "asset_tag": args["asset_tag"],
        "incident_type": args["incident_type"],
        "message": f"Security case: {case_id}",
    }


def initiate_remote_wipe(db: Record, args: dict[str, Any], call_index: int) -> Record:
    tag, case_id = args["asset_tag"], args["security_case_id"]
    asset = asset_of(db, tag)
    case = find(db, "security_cases", case_id, "Security case")
    if case.get("asset_tag") != tag:
        raise ToolFailure("asset_case_mismatch", f"{case_id} is about {case.get('asset_tag')}")
    wipe_id = f"WIPE-{tag[-_SHOWN_OF_ASSET:]}"
    asset["remote_wipe"] = {
        "wipe_id": wipe_id,
        "status": "dispatched",
        "dispatched_date": db["_current_date"],
    }
    asset["status"] = "wiped"
    case["remote_wipe_id"] = wipe_id
    return {"wipe_id": wipe_id, "asset_tag": tag, "message": f"Remote wipe dispatched: {wipe_id}"}


def submit_mfa_reset(db: Record, args: dict[str, Any], call_index: int) -> Record:
    """Nobody's second factor is reset by phone: the request is filed, and refused."""
    employee_of(db, args["employee_id"])
    request = {
        "employee_id": args["employee_id"],
        "incident_type": "mfa_reset_request",
        "requested_new_phone_last_four": args["new_phone_last_four"],
    }
    case_id = _open_case(db, request, "requires_in_person")
    return refusal(
        "in_person_required",
        f"A second factor is reset in person, with identification. Case: {case_id}",
        security_case_id=case_id,
    )
