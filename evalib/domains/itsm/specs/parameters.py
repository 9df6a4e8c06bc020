"""Parameters that several service desk tools share, and what is special to their declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalib.domains.itsm import policy
from evalib.domains.toolspec import Kind, Parameter, ToolSpec

_ABSENT = ("", "none", "null", "n/a")
DEPARTMENTS = (
    "ENG", "MKTG", "SALES", "FIN", "HR", "OPS", "LEGAL", "INFRA", "SECUR", "EXEC", "DSGN", "DATA",
)  # fmt: skip
ROLES = (
    "SWE", "PM", "DESGN", "ANLST", "ADMIN", "MGENG", "MGOPS", "MGSLS", "MGHR", "SECUR", "INFRA", "DATAN",
    "LEGAL",
)  # fmt: skip
SERVICES = (
    "email_exchange", "vpn_gateway", "erp_oracle", "crm_platform", "hr_portal", "code_repository",
    "ci_cd_pipeline", "file_storage", "sso_identity", "print_service",
)  # fmt: skip


@dataclass(frozen=True)
class DeskSpec(ToolSpec):
    """A tool of the service desk.

    Attributes
    ----------
    needs : tuple of str
        The levels of authentication the session must have reached.
    """

    needs: tuple[str, ...] = (policy.EMPLOYEE,)

    def accept(self, arguments: Any) -> dict[str, Any]:
        """As for any tool, but an optional argument that says nothing counts as absent."""
        given = arguments if isinstance(arguments, Mapping) else {}
        optional = {p.name for p in self.parameters if not p.required}
        return super().accept({k: v for k, v in given.items() if not (k in optional and _says_nothing(v))})


def _says_nothing(value: Any) -> bool:
    return value == [] or (isinstance(value, str) and value.strip().lower() in _ABSENT)


def spec(
    name: str, kind: Kind, description: str, *parameters: Parameter, needs: tuple[str, ...] | None = None
) -> DeskSpec:
    """A declaration; a tool needs an identified employee unless it says otherwise."""
    return DeskSpec(name, kind, description, parameters, (policy.EMPLOYEE,) if needs is None else needs)


def text(
    name: str,
    pattern: str,
    description: str,
    thing: str = "",
    *,
    required: bool = True,
    asked: bool = False,
) -> Parameter:
    """Text of a form; a wrong one is an ``invalid_<thing>_format``, `thing` being the name by default."""
    return Parameter(
        name,
        "string",
        description,
        required,
        pattern=pattern,
        error_type=f"invalid_{thing or name}_format",
        asked_of_caller=asked,
    )


def choice(
    name: str,
    enum: tuple[str, ...],
    description: str,
    *,
    required: bool = True,
    asked: bool = False,
) -> Parameter:
    """One of a few words; a wrong one is an ``invalid_<name>``."""
    return Parameter(
        name,
        "string",
        description,
        required,
        enum=enum,
        error_type=f"invalid_{name}",
        asked_of_caller=asked,
    )


def employee(name: str = "employee_id", description: str = "The employee.", asked: bool = False) -> Parameter:
    return text(name, "EMP[0-9]{6}", description, "employee_id", asked=asked)


def day(name: str, description: str, asked: bool = False) -> Parameter:
    return text(name, "[0-9]{4}-[0-9]{2}-[0-9]{2}", description, "date", asked=asked)


def clock(name: str, description: str) -> Parameter:
    return text(name, "(?:[01][0-9]|2[0-3]):[0-5][0-9]", description, "time", asked=True)


def asset(description: str, name: str = "asset_tag", required: bool = True) -> Parameter:
    return text(name, "AST-[A-Z]{3}-[0-9]{6}", description, "asset_tag", required=required)


def request(description: str, asked: bool = False) -> Parameter:
    return text("request_id", "REQ-[A-Z]{2,5}-[a-f0-9]{12}", description, asked=asked)


def case(description: str) -> Parameter:
    return text("case_id", "CASE-[A-Z]{2,5}-[a-f0-9]{12}", description)


def phone(name: str, description: str) -> Parameter:
    return text(name, "[0-9]{4}", description, "phone_last_four", asked=True)


def building(name: str, description: str) -> Parameter:
    """A code or a name: which of them are known is for the tool to say."""
    return Parameter(name, "string", description, pattern=r"[\s\S]*\S[\s\S]*", error_type=f"invalid_{name}")


def floor(name: str, description: str, required: bool = True) -> Parameter:
    return text(name, "FL[0-9]{1,2}", description, "floor_code", required=required)


def room() -> Parameter:
    return text("room_code", "BLD[0-9]{1,2}-FL[0-9]{1,2}-RM[0-9]{3}", "The room.")


def people(name: str, description: str, asked: bool = False) -> Parameter:
    return Parameter(
        name,
        "integer",
        description,
        minimum=1,
        maximum=policy.MAX_ROOM_CAPACITY,
        error_type=f"invalid_{name}",
        asked_of_caller=asked,
    )


EMPLOYEE = employee()
TICKET = text("ticket_number", "INC[a-f0-9]{12}", "The ticket.")
