"""Declarations: lost and stolen devices, the second factor."""

from __future__ import annotations

from evalib.domains.itsm.specs.parameters import EMPLOYEE, asset, choice, phone, spec, text

SPECS = (
    spec(
        "report_security_incident",
        "write",
        "Open a security case for a device.",
        EMPLOYEE,
        asset("The device."),
        choice(
            "incident_type",
            ("lost", "stolen", "suspected_compromise"),
            "What happened to it.",
            asked=True,
        ),
    ),
    spec(
        "initiate_remote_wipe",
        "write",
        "Erase a device that a security case is open for.",
        asset("The device."),
        text("security_case_id", "SEC-[a-f0-9]{12}", "The security case."),
    ),
    spec(
        "submit_mfa_reset",
        "write",
        "File the wish for a new second factor; the reset itself is done in person.",
        EMPLOYEE,
        phone("new_phone_last_four", "Last four digits of the new phone."),
    ),
)
