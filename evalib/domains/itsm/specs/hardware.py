"""Declarations: devices and the money for them."""

from __future__ import annotations

from evalib.domains.itsm import policy
from evalib.domains.itsm.specs.parameters import EMPLOYEE, asset, building, choice, floor, request, spec

_KIND = choice("request_type", tuple(policy.MIN_AGE_MONTHS), "What is asked for.")

SPECS = (
    spec("get_asset_record", "read", "Model, age, warranty and state of a device.", asset("The device.")),
    spec("get_employee_assets", "read", "The devices an employee has.", EMPLOYEE),
    spec(
        "check_hardware_entitlement",
        "read",
        "Whether an employee's device is old enough to be replaced. Comes before an order.",
        EMPLOYEE,
        _KIND,
    ),
    spec(
        "submit_hardware_request",
        "write",
        "Order a laptop or a monitor; entitlement and budget are checked before.",
        EMPLOYEE,
        _KIND,
        choice(
            "justification",
            (
                "end_of_life",
                "performance_degradation",
                "physical_damage",
                "lost_or_stolen",
                "new_setup",
                "replacement",
            ),
            "Why it is needed.",
            asked=True,
        ),
        building("delivery_building", "Where it goes: code or name of the building."),
        floor("delivery_floor", "The floor it goes to."),
        asset(
            "The device replaced; a laptop needs it unless lost or stolen, a monitor for a replacement.",
            "current_asset_tag",
            required=False,
        ),
        choice(
            "laptop_os",
            ("macos", "windows"),
            "Needed for a laptop.",
            required=False,
            asked=True,
        ),
        choice(
            "laptop_size",
            ("13_inch", "14_inch", "16_inch"),
            "Needed for a laptop.",
            required=False,
            asked=True,
        ),
        choice(
            "monitor_size",
            ("24_inch", "27_inch", "32_inch"),
            "Needed for a monitor.",
            required=False,
            asked=True,
        ),
    ),
    spec(
        "initiate_asset_return",
        "write",
        "Authorise the return of the device that an order replaces.",
        EMPLOYEE,
        asset("The device to return."),
        request("The order."),
    ),
    spec(
        "verify_cost_center_budget",
        "read",
        "Whether the employee's cost center has the money. Comes before an order.",
        EMPLOYEE,
    ),
)
