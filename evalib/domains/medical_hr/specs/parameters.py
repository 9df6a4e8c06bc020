"""Parameters that several HR tools share, and what is special to their declaration."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from evalib.domains.medical_hr import policy
from evalib.domains.toolspec import Kind, Parameter, ToolSpec

DEPARTMENTS = (
    "CARDIOLOGY", "EMERGENCY", "ONCOLOGY", "SURGERY", "NEUROLOGY", "PEDIATRICS", "RADIOLOGY", "PATHOLOGY",
    "ORTHOPEDICS", "OBSTETRICS",
)  # fmt: skip
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"


@dataclass(frozen=True)
class HrSpec(ToolSpec):
    """An HR tool.

    Attributes
    ----------
    needs : tuple of tuple of str
        The steps of authentication the session must have passed (see `policy`).
    """

    needs: policy.Steps = policy.IDENTIFIED


@dataclass(frozen=True)
class Day(Parameter):
    """A day of the calendar, not only text that looks like one."""

    def accept(self, value: Any) -> Any:
        text = super().accept(value)
        try:
            date.fromisoformat(text)
        except ValueError:
            raise ValueError("a day of the calendar, YYYY-MM-DD") from None
        return text


@dataclass(frozen=True)
class Moment(Parameter):
    """A day of the calendar with a time of day."""

    def accept(self, value: Any) -> Any:
        text = super().accept(value)
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise ValueError("a day of the calendar and a time, YYYY-MM-DD HH:MM") from None
        return text


@dataclass(frozen=True)
class Days(Day):
    """A list of days, which may be empty."""

    @property
    def json_schema(self) -> dict[str, Any]:
        schema = super().json_schema
        return {name: value for name, value in schema.items() if name != "minItems"}

    def accept(self, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise ValueError("a list of days")
        one = Day(self.name, "string", self.description, pattern=self.pattern)
        return [one.accept(item) for item in value]


def spec(
    name: str,
    kind: Kind,
    description: str,
    *parameters: Parameter,
    needs: policy.Steps = policy.IDENTIFIED,
) -> HrSpec:
    """A declaration; a tool needs an identified caller unless it says otherwise."""
    return HrSpec(name, kind, description, parameters, needs)


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


def choice(name: str, enum: tuple[str, ...], description: str, *, asked: bool = False) -> Parameter:
    """One of a few words; a wrong one is an ``invalid_<name>``."""
    return Parameter(
        name, "string", description, enum=enum, error_type=f"invalid_{name}", asked_of_caller=asked
    )


def day(name: str, description: str, asked: bool = True) -> Parameter:
    return Day(
        name,
        "string",
        description,
        pattern=_DAY,
        error_type="invalid_date_format",
        asked_of_caller=asked,
    )


def days(name: str, description: str) -> Parameter:
    return Days(
        name, "array", description, pattern=_DAY, error_type="invalid_date_format", asked_of_caller=True
    )


def employee(name: str = "employee_id", description: str = "The employee.", asked: bool = False) -> Parameter:
    return text(name, "EMP[0-9]{6}", description, "employee_id", asked=asked)


def npi(asked: bool = False) -> Parameter:
    return text("npi", "[0-9]{10}", "The provider's ten-digit identifier (NPI).", asked=asked)


def case(description: str = "The case this is about, as the tool that opened it named it.") -> Parameter:
    return text("case_id", "CASE-[A-Z0-9]{2,6}-[0-9]{6}", description)


def facility(name: str, description: str, asked: bool = True) -> Parameter:
    return text(name, "[A-Z]{2,4}-[0-9]{2}[A-Z]", description, "facility_code", asked=asked)


def state(name: str, description: str) -> Parameter:
    return text(name, "[A-Z]{2}", description, "state_code")


def country(name: str, description: str) -> Parameter:
    return text(name, "[A-Z]{2}", description, "country_code", asked=True)


def shift() -> Parameter:
    return text("shift_id", "SHF-[0-9]{8}-[0-9]{4}", "The shift, by its day and starting time.", asked=True)


def unit() -> Parameter:
    return text("unit_code", "[0-9]{1,2}[A-Z]-[A-Z]{2,6}", "The hospital unit.")


def department() -> Parameter:
    return choice("department_code", DEPARTMENTS, "The department that holds the appointment.")


def appointment() -> Parameter:
    return Moment(
        "appointment_datetime",
        "string",
        "Day and time of a free slot, YYYY-MM-DD HH:MM.",
        pattern=f"{_DAY} {_TIME}",
        error_type="invalid_datetime_format",
        asked_of_caller=True,
    )
