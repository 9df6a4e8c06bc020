"""Tools on a provider's credentials: profile, state licence, malpractice cover, DEA registration."""

from __future__ import annotations

from datetime import date

from evalib.domains.medical_hr import policy
from evalib.domains.medical_hr.lookups import Record, case_id, in_order, provider_of, today
from evalib.domains.toolspec import ToolFailure

_PROFILE = (
    "npi",
    "employee_id",
    "first_name",
    "last_name",
    "facility_code",
    "role_code",
    "department_code",
    "hire_date",
)


def get_provider_profile(db: Record, args: Record, call_index: int) -> Record:
    provider = provider_of(db, args["npi"])
    return {"provider": {field: provider.get(field) for field in _PROFILE}}


def _licence(db: Record, args: Record) -> Record:
    number = args["state_license_number"]
    licence = (provider_of(db, args["npi"]).get("licenses") or {}).get(number)
    if licence is None:
        raise ToolFailure("license_not_found", f"License {number} not found for NPI {args['npi']}")
    return licence


def get_license_record(db: Record, args: Record, call_index: int) -> Record:
    return {"license": _licence(db, args)}


def check_extension_eligibility(db: Record, args: Record, call_index: int) -> Record:
    licence = _licence(db, args)
    expires = licence["expiration_date"]
    if licence.get("extension_status") == "pending":
        raise ToolFailure("already_extended", "An extension request is already pending for this license")
    if licence.get("investigation_hold"):
        raise ToolFailure("investigation_hold", "The license is under investigation and cannot be extended")
    if not policy.extendable(date.fromisoformat(expires), today(db)):
        within = f"expires on {expires}; an extension takes 0 to {policy.EXTENSION_WINDOW_DAYS} days before"
        raise ToolFailure("outside_extension_window", f"The license {within}")
    return {
        "eligible": True,
        "license_expiration_date": expires,
        "message": "License is eligible for extension",
    }


def submit_license_extension(db: Record, args: Record, call_index: int) -> Record:
    """A supervisor is taken for a supervised extension only; that it is another's NPI is not checked."""
    licence, case = _licence(db, args), case_id("LIC", provider_of(db, args["npi"]))
    kind, supervisor = args["extension_type"], None
    if kind == "supervised":
        supervisor = args["supervising_physician_npi"]
        if supervisor is None:
            raise ToolFailure("invalid_parameter", "a supervised extension needs supervising_physician_npi")
        if supervisor not in (db.get("providers") or {}):
            raise ToolFailure("supervising_physician_not_found", f"Provider NPI {supervisor} not found")
    licence |= {
        "extension_status": "pending",
        "extension_type": kind,
        "extension_days": args["extension_days"],
        "supervising_physician_npi": supervisor,
        "extension_case_id": case,
    }
    return args | {
        "supervising_physician_npi": supervisor,
        "case_id": case,
        "message": f"{kind} extension submitted. Case ID: {case}",
    }


def _malpractice(db: Record, npi: str) -> Record:
    record = provider_of(db, npi).get("malpractice")
    if not record:
        raise ToolFailure("record_not_found", f"No malpractice record found for NPI {npi}")
    return record


def get_malpractice_record(db: Record, args: Record, call_index: int) -> Record:
    return {"malpractice": _malpractice(db, args["npi"])}


def update_malpractice_coverage(db: Record, args: Record, call_index: int) -> Record:
    record, case = _malpractice(db, args["npi"]), case_id("MAL", provider_of(db, args["npi"]))
    in_order(args["effective_date"], args["expiration_date"], "coverage")
    again = policy.recredential_required(args["per_occurrence_limit_usd"])
    kept = ("per_occurrence_limit_usd", "aggregate_limit_usd", "effective_date", "expiration_date")
    record |= {
        "carrier": args["new_carrier"],
        "policy_number": args["new_policy_number"],
        **{field: args[field] for field in kept},
        "recredential_required": again,
        "update_case_id": case,
    }
    return args | {
        "recredential_required": again,
        "case_id": case,
        "message": "Malpractice coverage updated successfully",
    }


def _registration(db: Record, args: Record) -> Record:
    registration = provider_of(db, args["npi"]).get("dea_registration") or {}
    if registration.get("dea_number") != args["dea_number"]:
        raise ToolFailure(
            "dea_record_not_found", f"DEA number {args['dea_number']} not found for NPI {args['npi']}"
        )
    return registration


def get_dea_record(db: Record, args: Record, call_index: int) -> Record:
    return {"dea_registration": _registration(db, args)}


def transfer_dea_registration(db: Record, args: Record, call_index: int) -> Record:
    """The registration stays as it is until the transfer takes effect."""
    registration, case = _registration(db, args), case_id("DEA", provider_of(db, args["npi"]))
    moved = ("new_facility_code", "new_state_code", "transfer_reason", "effective_date")
    registration["status"] = "transfer_pending"
    registration["pending_transfer"] = {field: args[field] for field in moved} | {"transfer_case_id": case}
    return args | {
        "current_facility_code": registration["facility_code"],
        "current_state_code": registration["state_code"],
        "case_id": case,
        "message": "DEA transfer submitted. Current registration unchanged until effective date "
        f"{args['effective_date']}. Case ID: {case}",
    }
