"""Declarations: who is calling, and the hand-over to a live agent."""

from __future__ import annotations

from evalib.domains.itsm.specs.parameters import EMPLOYEE, choice, employee, phone, spec, text

_CALLER = employee(description="The caller's employee number.", asked=True)
_PHONE = phone("phone_last_four", "Last four digits of the phone on file.")

SPECS = (
    spec(
        "verify_employee_auth",
        "auth",
        "Identify the caller as an employee. Comes before everything else.",
        _CALLER,
        _PHONE,
        needs=(),
    ),
    spec(
        "initiate_otp_auth",
        "auth",
        "Send a one-time code to the phone on file of an identified employee.",
        EMPLOYEE,
        needs=(),
    ),
    spec(
        "verify_otp_auth",
        "auth",
        "Check the one-time code the caller reads out.",
        EMPLOYEE,
        text("otp_code", "[0-9]{6}", "The six digits sent.", asked=True),
        needs=(),
    ),
    spec(
        "verify_manager_auth",
        "auth",
        "Identify the caller as an employee and as a manager.",
        _CALLER,
        _PHONE,
        text("manager_auth_code", "[A-Z0-9]{6}", "The manager's own code.", asked=True),
        needs=(),
    ),
    spec("get_employee_record", "read", "Department, role, place and manager of an employee.", EMPLOYEE),
)
TRANSFER = spec(
    "transfer_to_agent",
    "system",
    "Hand the caller over to a live agent, with a summary of the issue.",
    EMPLOYEE,
    choice(
        "transfer_reason",
        (
            "caller_requested",
            "policy_exception_needed",
            "unable_to_resolve",
            "complaint_escalation",
            "technical_issue",
        ),
        "Why the caller is handed over.",
    ),
    text("issue_summary", r"[\s\S]{10,500}", "What the live agent has to know, 10 to 500 characters."),
    needs=(),
)
