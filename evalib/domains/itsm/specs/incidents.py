"""Declarations: guides, accounts that are locked, tickets, outages."""

from __future__ import annotations

from evalib.domains.itsm import policy
from evalib.domains.itsm.specs.parameters import (
    EMPLOYEE,
    SERVICES,
    TICKET,
    building,
    choice,
    day,
    floor,
    spec,
    text,
)
from evalib.domains.toolspec import Parameter

_SYSTEM = choice(
    "target_system",
    ("active_directory", "sso_identity", "email_exchange", "vpn_gateway", "erp_oracle"),
    "The system the account is on.",
    asked=True,
)
_SERVICE = choice("service_name", SERVICES, "The service.")
_GUIDED = ("login_issue", "network_connectivity", "hardware_malfunction")

SPECS = (
    spec(
        "get_troubleshooting_guide",
        "read",
        "The steps to go through with the caller before a ticket.",
        choice("issue_category", _GUIDED, "What kind of issue it is."),
    ),
    spec(
        "attempt_account_unlock",
        "write",
        "Unlock an account that failed attempts have locked.",
        EMPLOYEE,
        _SYSTEM,
    ),
    spec(
        "attempt_password_reset",
        "write",
        "Send a temporary password in place of one that has expired.",
        EMPLOYEE,
        _SYSTEM,
    ),
    spec(
        "create_incident_ticket",
        "write",
        "Open a ticket for an issue the service desk could not resolve.",
        EMPLOYEE,
        choice("category", (*_GUIDED, "service_outage"), "What kind of issue it is."),
        choice("urgency", tuple(policy.SLA_TIER_OF_URGENCY), "How urgent it is."),
        Parameter("affected_system", "string", "The system, service or asset that fails."),
        Parameter("troubleshooting_completed", "boolean", "True once the guide's steps were gone through."),
    ),
    spec(
        "assign_sla_tier",
        "write",
        "Set the service level that the ticket's urgency calls for.",
        TICKET,
        choice("sla_tier", tuple(policy.SLA_RESPONSE_HOURS), "The service level."),
    ),
    spec("check_existing_outage", "read", "Whether a service is known to be down.", _SERVICE),
    spec(
        "add_affected_user",
        "write",
        "Count an employee among those an outage affects.",
        TICKET,
        EMPLOYEE,
    ),
    spec(
        "link_known_error",
        "write",
        "Link a ticket to the known error of a service, where there is one.",
        TICKET,
        _SERVICE,
    ),
    spec(
        "schedule_field_dispatch",
        "write",
        "Send a technician.",
        TICKET,
        EMPLOYEE,
        building("building_code", "Where the technician goes."),
        floor("floor_code", "The floor."),
        day("preferred_date", "The day.", asked=True),
        choice("time_window", ("morning", "afternoon", "full_day"), "The time of day.", asked=True),
    ),
    spec(
        "attach_diagnostic_log",
        "write",
        "Attach the caller's diagnostic reference to a ticket.",
        TICKET,
        text("diagnostic_ref_code", "DIAG-[A-Z0-9]{8}", "The reference.", asked=True),
    ),
    spec(
        "mark_resolved",
        "write",
        "Log that an issue came to its end, and how.",
        EMPLOYEE,
        choice("flow_id", _GUIDED, "What kind of issue it was."),
        choice(
            "resolution_type",
            ("resolved_via_troubleshooting", "transferred"),
            "How it came to its end.",
        ),
    ),
)
