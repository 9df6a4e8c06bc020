"""The declarations of the tools that identify callers, and of those on an employee's file."""

from __future__ import annotations

from evalib.domains.medical_hr import appointments, policy
from evalib.domains.medical_hr.specs.parameters import (
    appointment,
    case,
    choice,
    country,
    day,
    department,
    employee,
    facility,
    npi,
    spec,
    text,
)
from evalib.domains.toolspec import Parameter

TASKS = (
    "BLS_UPLOAD", "I9_VERIFY", "BADGE_PICKUP", "OCC_HEALTH", "HIPAA_TRAIN", "DRUG_SCREEN", "TB_TEST",
    "ORIENTATION",
)  # fmt: skip
DOCUMENTS = (
    "US_PASSPORT", "PERM_RESIDENT_CARD", "EAD", "DRIVERS_LICENSE", "STATE_ID", "SSN_CARD", "BIRTH_CERT",
)  # fmt: skip
TRANSFERS = (
    "caller_requested",
    "policy_exception_needed",
    "unable_to_resolve",
    "complaint_escalation",
    "technical_issue",
)
PETITION = text("visa_petition_number", "[A-Z]{3}[0-9]{10}", "The visa petition.")


def _name(name: str, description: str) -> Parameter:
    return text(name, "[A-Za-z-]{2,30}", description, "dependent_name", asked=True)


AUTHENTICATION = (
    spec(
        "verify_employee_auth",
        "auth",
        "Identify an employee by date of birth.",
        employee(asked=True),
        day("date_of_birth", "The employee's date of birth."),
        needs=policy.ANYONE,
    ),
    spec(
        "verify_provider_auth",
        "auth",
        "Identify a provider by home facility and PIN.",
        npi(asked=True),
        facility("facility_code", "The provider's home facility."),
        text("pin", "[0-9]{4}", "The provider's PIN.", asked=True),
        needs=policy.ANYONE,
    ),
    spec(
        "initiate_otp_auth",
        "auth",
        "Send a one-time code to the phone on file.",
        employee(),
        needs=policy.ANYONE,
    ),
    spec(
        "verify_otp_auth",
        "auth",
        "Check the one-time code the caller reads out.",
        employee(),
        text("otp_code", "[0-9]{6}", "The code, six digits.", asked=True),
        needs=policy.ANYONE,
    ),
)

FILE = (
    spec("get_employee_record", "read", "An employee's department, unit, role and status.", employee()),
    spec(
        "check_appointment_availability",
        "read",
        "Free slots of a department on a day.",
        department(),
        choice("appointment_type", appointments.KINDS, "What the appointment is for."),
        day("preferred_date", "The day."),
    ),
    spec("get_onboarding_checklist", "read", "A new employee's tasks and their status.", employee()),
    spec(
        "complete_onboarding_task",
        "write",
        "Mark a task done, against the code the employee was given for it.",
        employee(),
        choice("task_code", TASKS, "The task.", asked=True),
        text("completion_code", "[A-Za-z0-9]{4}", "The code that shows it is done.", asked=True),
    ),
    spec(
        "schedule_orientation_followup",
        "write",
        "Book the follow-up to a new employee's orientation.",
        employee(),
        department(),
        appointment(),
    ),
    spec("get_i9_record", "read", "Whether the right to work in the US has been verified.", employee()),
    spec(
        "submit_i9_verification",
        "write",
        "File the document that shows the right to work in the US.",
        employee(),
        choice(
            "verification_action",
            ("initial_verification", "reverification"),
            "The first time or again.",
            asked=True,
        ),
        choice("document_list_type", ("LIST_A", "LIST_B", "LIST_C"), "The list it is on.", asked=True),
        choice("document_type_code", DOCUMENTS, "The document.", asked=True),
        text("document_number", "[A-Z0-9]{6,12}", "Its number."),
        day("document_expiration_date", "When it ends."),
        country("issuing_country_code", "The country that issued it, two letters."),
    ),
    spec(
        "notify_hr_compliance",
        "write",
        "Tell HR compliance that an I-9 was verified.",
        employee(),
        case(),
        choice("notification_type", ("i9_verified", "i9_reverified"), "The first time or again."),
    ),
    spec(
        "get_visa_record",
        "read",
        "A visa petition, its status and dependents.",
        employee(),
        PETITION,
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "add_visa_dependent",
        "write",
        "Add a family member to a visa petition.",
        employee(),
        PETITION,
        _name("dependent_first_name", "First name."),
        _name("dependent_last_name", "Last name."),
        choice("relationship", ("spouse", "child", "domestic_partner"), "To the employee.", asked=True),
        day("dependent_date_of_birth", "Date of birth."),
        country("dependent_country_of_birth", "Country of birth, two letters."),
        text("uscis_receipt_number", "[A-Z]{3}[0-9]{10}", "The receipt of the immigration service."),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
    spec(
        "notify_immigration_counsel",
        "write",
        "Tell immigration counsel that a petition was amended.",
        employee(),
        PETITION,
        choice("notification_type", ("dependent_added",), "What was amended."),
        needs=policy.IDENTIFIED_WITH_OTP,
    ),
)

TRANSFER = (
    spec(
        "transfer_to_agent",
        "system",
        "Hand the caller over to a person.",
        employee(),
        choice("transfer_reason", TRANSFERS, "Why."),
        Parameter("issue_summary", "string", "What the caller wants and what was done so far."),
        needs=policy.ANYONE,
    ),
)
