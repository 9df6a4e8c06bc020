"""Declarations: applications, licences, and what becomes of a request."""

from __future__ import annotations

from evalib.domains.itsm import policy
from evalib.domains.itsm.specs.parameters import (
    EMPLOYEE,
    choice,
    employee,
    request,
    spec,
    text,
)
from evalib.domains.toolspec import NumberChoice, Parameter

SPECS = (
    spec(
        "get_application_details",
        "read",
        "Access levels and approval of an application, and its catalogue number.",
        Parameter("application_name", "string", "What the application is called.", asked_of_caller=True),
    ),
    spec(
        "submit_access_request",
        "write",
        "Ask for access to an application.",
        EMPLOYEE,
        text("catalog_id", "APP-[0-9]{4}", "The application's catalogue number."),
        choice("access_level", ("read_only", "standard", "admin"), "How much access.", asked=True),
        needs=(policy.EMPLOYEE, policy.OTP),
    ),
    spec(
        "route_approval_workflow",
        "write",
        "Send a request that needs approval to who is to approve it.",
        request("The request."),
        EMPLOYEE,
        employee("approver_employee_id", "Who is to approve, as a rule the employee's manager."),
    ),
    spec(
        "get_license_catalog_item",
        "read",
        "Price and terms of a licence, and its catalogue number.",
        Parameter("license_name", "string", "What the software is called.", asked_of_caller=True),
    ),
    spec(
        "submit_license_request",
        "write",
        "Ask for a licence: temporary with a duration, permanent without.",
        EMPLOYEE,
        text("catalog_id", "LIC-[0-9]{4}", "The licence's catalogue number."),
        NumberChoice(
            "duration_days",
            "integer",
            "Days of a temporary licence.",
            required=False,
            error_type="invalid_duration_days",
            asked_of_caller=True,
            numbers=policy.LICENSE_DAYS,
        ),
    ),
    spec("validate_cost_center", "read", "Whether the employee's cost center exists.", EMPLOYEE),
    spec("get_employee_licenses", "read", "The licences an employee holds.", EMPLOYEE),
    spec(
        "submit_license_renewal",
        "write",
        "Renew a licence that is about to expire, or has just expired.",
        EMPLOYEE,
        text("license_assignment_id", "LASGN-[0-9]{6}", "The licence held."),
    ),
)
STATUS = spec("get_request_status", "read", "Where a request stands.", request("The request.", asked=True))
ESCALATE = spec(
    "escalate_approval",
    "write",
    "Send an overdue approval to somebody else.",
    request("The request."),
    employee("escalate_to_employee_id", "Who is to approve now."),
)
