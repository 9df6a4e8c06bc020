"""The declarations of the tools on providers: credentials, registrations, privileges."""

from __future__ import annotations

from evalib.domains.medical_hr import policy
from evalib.domains.medical_hr.specs.parameters import (
    appointment,
    case,
    choice,
    day,
    department,
    facility,
    npi,
    spec,
    state,
    text,
)
from evalib.domains.toolspec import NumberChoice, Parameter

CARRIERS = ("proassurance", "coverys", "the_doctors_company", "cna", "zurich", "mag_mutual")
TRANSFER_REASONS = ("facility_relocation", "role_change", "additional_practice_site")
LEAVE_TYPES = ("medical_leave", "personal_leave", "fmla_leave")
EHR_CHANGES = ("reactivate_full", "reactivate_restricted")
COMMITTEE_NEWS = ("license_extension_submitted", "malpractice_updated", "privilege_reactivation")
PRIVILEGE_CODE = "PRV-[A-Z]{2,6}-[0-9]{3}"

LICENCE = text(
    "state_license_number", "[A-Z]{2}-[A-Z]{2,4}-[0-9]{6,8}", "The state license, with state and kind."
)
DEA_NUMBER = text("dea_number", "[A-Z]{2}[0-9]{7}", "The DEA registration: two letters and seven digits.")
CLEARANCE = text("clearance_code", "CLR-[A-Z]{2,4}-[0-9]{6}", "Occupational health's clearance.", asked=True)


def _dollars(name: str, description: str) -> Parameter:
    return Parameter(
        name,
        "integer",
        description,
        above=0,
        maximum=policy.MAX_COVERAGE_USD,
        error_type="invalid_coverage_limit",
        asked_of_caller=True,
    )


SPECS = (
    spec("get_provider_profile", "read", "A provider's facility, department and role.", npi()),
    spec(
        "get_license_record",
        "read",
        "A state license: when it ends, whether an extension is pending.",
        npi(),
        LICENCE,
        needs=policy.PROVIDER,
    ),
    spec(
        "check_extension_eligibility",
        "read",
        "Whether a license may be extended. Comes before asking for an extension.",
        npi(),
        LICENCE,
        needs=policy.PROVIDER,
    ),
    spec(
        "submit_license_extension",
        "write",
        "Ask for a license to be extended; under supervision, name another provider who supervises.",
        npi(),
        LICENCE,
        choice("extension_type", ("provisional", "supervised"), "With a supervisor or without.", asked=True),
        NumberChoice(
            "extension_days",
            "integer",
            "For how many days.",
            error_type="invalid_extension_days",
            asked_of_caller=True,
            numbers=policy.EXTENSION_DAYS,
        ),
        text(
            "supervising_physician_npi",
            "[0-9]{10}",
            "The supervisor's NPI; for a supervised extension only.",
            "npi",
            required=False,
        ),
        needs=policy.PROVIDER,
    ),
    spec(
        "notify_credentialing_committee",
        "write",
        "Tell the credentialing committee of a case just opened.",
        npi(),
        case(),
        choice("notification_type", COMMITTEE_NEWS, "What the case is about."),
    ),
    spec(
        "get_malpractice_record",
        "read",
        "The malpractice cover on file.",
        npi(),
        needs=policy.PROVIDER,
    ),
    spec(
        "update_malpractice_coverage",
        "write",
        "Put new malpractice cover on file; low cover means credentialing anew.",
        npi(),
        choice("new_carrier", CARRIERS, "The new insurer.", asked=True),
        text("new_policy_number", "POL-[0-9]{4}-[A-Z0-9]{6}", "The new policy.", "policy_number"),
        _dollars("per_occurrence_limit_usd", "Cover per case, in dollars."),
        _dollars("aggregate_limit_usd", "Cover in all, in dollars."),
        day("effective_date", "First day of cover."),
        day("expiration_date", "Last day of cover."),
        needs=policy.PROVIDER,
    ),
    spec(
        "get_dea_record",
        "read",
        "A DEA registration: where it is held, and its schedules.",
        npi(),
        DEA_NUMBER,
        needs=policy.PROVIDER_WITH_OTP,
    ),
    spec(
        "transfer_dea_registration",
        "write",
        "Move a DEA registration to another facility, from a day on.",
        npi(),
        DEA_NUMBER,
        facility("new_facility_code", "The facility it goes to."),
        state("new_state_code", "The state of that facility."),
        choice("transfer_reason", TRANSFER_REASONS, "Why it is moved.", asked=True),
        day("effective_date", "The day the transfer takes effect."),
        needs=policy.PROVIDER_WITH_OTP,
    ),
    spec(
        "notify_pdmp",
        "write",
        "Tell the state's prescription monitoring programme of a DEA transfer.",
        npi(),
        DEA_NUMBER,
        state("state_code", "The state of the new facility."),
        facility("facility_code", "The new facility.", asked=False),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "get_privilege_record",
        "read",
        "A provider's clinical privileges and which are suspended.",
        npi(),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "check_reactivation_eligibility",
        "read",
        "Check a clearance code and list the privileges that may be reactivated.",
        npi(),
        CLEARANCE,
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "schedule_competency_review",
        "write",
        "Book the competency review. Comes before privileges are reactivated.",
        npi(),
        department(),
        appointment(),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "reactivate_privileges",
        "write",
        "Make suspended privileges active again.",
        npi(),
        Parameter(
            "privilege_codes",
            "array",
            "The privileges, by code.",
            pattern=PRIVILEGE_CODE,
            error_type="invalid_privilege_code_format",
            asked_of_caller=True,
        ),
        CLEARANCE,
        choice("leave_type_on_record", LEAVE_TYPES, "The leave the provider comes back from.", asked=True),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "update_ehr_access",
        "write",
        "Give access to electronic health records back, after privileges were reactivated.",
        npi(),
        case("The case under which privileges were reactivated."),
        choice("access_change_type", EHR_CHANGES, "Full access or restricted.", asked=True),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
)
