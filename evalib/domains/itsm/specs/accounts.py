"""Declarations: new accounts, groups, roles, leaving."""

from __future__ import annotations

from evalib.domains.itsm import policy
from evalib.domains.itsm.specs.parameters import (
    DEPARTMENTS,
    EMPLOYEE,
    ROLES,
    case,
    choice,
    day,
    employee,
    spec,
    text,
)
from evalib.domains.toolspec import Parameter

_GROUP_FORM = "GRP-[A-Z]{2,8}"
_BY_CODE = (policy.EMPLOYEE, policy.OTP)
_BY_MANAGER = (policy.MANAGER, policy.OTP)
_GROUP = text("group_code", _GROUP_FORM, "The group.")
_MANAGER = employee("manager_employee_id", "The manager who asks for it.")
_LEAVER = employee("departing_employee_id", "Who leaves.")
_NEW_ROLE = choice("new_role_code", ROLES, "The role to change to.")

SPECS = (
    spec(
        "lookup_new_hire",
        "read",
        "Department, role and first day of somebody who is to start.",
        employee("new_hire_employee_id", "The new employee.", asked=True),
    ),
    spec(
        "check_existing_accounts",
        "read",
        "Whether somebody has accounts already. Comes before new ones.",
        EMPLOYEE,
    ),
    spec(
        "provision_new_account",
        "write",
        "Create the accounts of a new employee, asked for by their manager.",
        _MANAGER,
        employee("new_hire_employee_id", "The new employee."),
        choice("department_code", DEPARTMENTS, "The new employee's department."),
        choice("role_code", ROLES, "The new employee's role."),
        day("start_date", "The first day."),
        Parameter(
            "access_groups",
            "array",
            "The groups to be in.",
            pattern=_GROUP_FORM,
            error_type="invalid_group_code_format",
            asked_of_caller=True,
        ),
        needs=_BY_MANAGER,
    ),
    spec("get_group_memberships", "read", "The groups an employee is in.", EMPLOYEE),
    spec(
        "get_group_details",
        "read",
        "Who a group is for, and whether joining needs approval.",
        _GROUP,
    ),
    spec(
        "submit_group_membership_change",
        "write",
        "Put an employee into a group, or take them out.",
        EMPLOYEE,
        _GROUP,
        choice("action", ("add", "remove"), "Into or out of the group."),
        needs=_BY_CODE,
    ),
    spec(
        "check_role_change_authorized",
        "read",
        "Whether HR has approved a change of role, and from when.",
        EMPLOYEE,
        _NEW_ROLE,
    ),
    spec(
        "get_permission_templates",
        "read",
        "The sets of permissions there are for a role.",
        choice("role_code", ROLES, "The role."),
    ),
    spec(
        "submit_permission_change",
        "write",
        "File a change of permissions for an approved change of role.",
        EMPLOYEE,
        _NEW_ROLE,
        text(
            "permission_template_id",
            "PTPL-[A-Z]{2,5}-[0-9]{2}",
            "The set of permissions.",
            "template_id",
        ),
        day("effective_date", "From when; the day HR approved."),
        needs=_BY_CODE,
    ),
    spec(
        "schedule_access_review",
        "write",
        "Set the day on which changed permissions are reviewed.",
        case("The change of permissions."),
        EMPLOYEE,
        day("review_date", "The day of the review."),
    ),
    spec(
        "get_offboarding_record",
        "read",
        "Whether HR has confirmed that somebody leaves, and when.",
        EMPLOYEE,
    ),
    spec(
        "submit_access_removal",
        "write",
        "Take away the access of somebody who leaves, asked for by their manager.",
        _MANAGER,
        _LEAVER,
        day("last_working_day", "The last working day."),
        choice("removal_scope", ("full", "staged"), "All at once, or mail kept for a while.", asked=True),
        needs=_BY_MANAGER,
    ),
    spec(
        "initiate_asset_recovery",
        "write",
        "Get back the devices of somebody who leaves.",
        _LEAVER,
        case("The removal of access."),
        choice(
            "recovery_method",
            ("shipping_label", "drop_off"),
            "How they come back.",
            asked=True,
        ),
    ),
)
