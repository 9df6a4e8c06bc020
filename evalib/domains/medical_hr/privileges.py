"""Tools that give a provider back, after a leave, their clinical privileges and access to records.

That a competency review is scheduled first is for the agent to see to.
"""

from __future__ import annotations

from evalib.domains.medical_hr.lookups import Record, case_id, provider_of
from evalib.domains.toolspec import ToolFailure


def _privileges(db: Record, npi: str) -> Record:
    privileges = provider_of(db, npi).get("privileges")
    if not privileges:
        raise ToolFailure("privilege_record_not_found", f"No privilege record found for NPI {npi}")
    return privileges


def _check_clearance(db: Record, args: Record) -> None:
    if provider_of(db, args["npi"]).get("clearance_code") != args["clearance_code"]:
        raise ToolFailure(
            "invalid_clearance_code", "Clearance code does not match occupational health records"
        )


def get_privilege_record(db: Record, args: Record, call_index: int) -> Record:
    return {"privileges": _privileges(db, args["npi"])}


def check_reactivation_eligibility(db: Record, args: Record, call_index: int) -> Record:
    listed = _privileges(db, args["npi"])["privilege_list"]
    _check_clearance(db, args)
    suspended = [p["code"] for p in listed if p["status"] == "suspended"]
    if not suspended:
        raise ToolFailure("no_suspended_privileges", "There is no suspended privilege to reactivate")
    return {
        "eligible": True,
        "suspended_privilege_codes": suspended,
        "message": f"Clearance verified. {len(suspended)} suspended privilege(s) available for reactivation",
    }


def reactivate_privileges(db: Record, args: Record, call_index: int) -> Record:
    privileges, codes = _privileges(db, args["npi"]), args["privilege_codes"]
    _check_clearance(db, args)
    held = {p["code"]: p for p in privileges["privilege_list"]}
    unknown = [code for code in codes if code not in held]
    if unknown:
        raise ToolFailure("privilege_not_found", f"Not on record for this provider: {', '.join(unknown)}")
    for code in codes:
        held[code]["status"] = "active"
    case = privileges["reactivation_case_id"] = case_id("PRV", provider_of(db, args["npi"]))
    return {
        "npi": args["npi"],
        "activated_privileges": codes,
        "leave_type_on_record": args["leave_type_on_record"],
        "case_id": case,
        "message": f"Privileges reactivated. Case ID: {case}",
    }


def update_ehr_access(db: Record, args: Record, call_index: int) -> Record:
    provider = provider_of(db, args["npi"])
    provider["ehr_access_status"] = args["access_change_type"]
    provider["ehr_access_case_id"] = args["case_id"]
    return args | {"message": f"EHR access updated to {args['access_change_type']}"}
