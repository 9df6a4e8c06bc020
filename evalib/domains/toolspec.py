"""What a tool takes, declared once, and the check of what an agent sends it.

One :class:`Parameter` list per tool serves three readers: the model that is shown a JSON schema,
the executor that checks arguments, and the simulated agent that must know which values only the
caller can give. Coercion is that of pydantic's lax mode (``"2"`` is 2, ``"true"`` is True), which
the published tools use, but for three things refused here: amounts that are not finite, numbers
written with underscores, empty lists. pydantic itself is not imported, because this stands in the
path of every simulated call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

Kind = Literal["auth", "read", "write", "system"]
ParameterType = Literal["string", "integer", "number", "boolean", "array"]

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.0+)?")
_TRUE = frozenset({"1", "on", "t", "true", "y", "yes"})
_FALSE = frozenset({"0", "off", "f", "false", "n", "no"})
_SHOWN_CHARS = 60


class ToolFailure(Exception):
    """A tool cannot do what it was asked; becomes the ``status: error`` response."""

    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool.

    Attributes
    ----------
    name, type, description : str
        `type` is a JSON schema type; an array holds strings.
    required : bool
    enum : tuple of str
        The values allowed; empty for any.
    pattern : str
        Regular expression for the whole string, or for each item of an array; "" for any.
    minimum, maximum, above : float or None
        Bounds of a number; `above` is exclusive.
    error_type : str
        What a wrong value is called in the response.
    asked_of_caller : bool
        The value can come from nobody but the caller: what they know, or what they choose.
    """

    name: str
    type: ParameterType
    description: str
    required: bool = True
    enum: tuple[str, ...] = ()
    pattern: str = ""
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    error_type: str = "invalid_parameter"
    asked_of_caller: bool = False

    @property
    def json_schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": self.type, "description": self.description}
        text: dict[str, Any] = {}
        if self.enum:
            text["enum"] = list(self.enum)
        if self.pattern:
            text["pattern"] = f"^(?:{self.pattern})$"
        if self.type == "array":
            schema |= {"items": {"type": "string"} | text, "minItems": 1}
        else:
            schema |= text
        for name, bound in (
            ("minimum", self.minimum),
            ("maximum", self.maximum),
            ("exclusiveMinimum", self.above),
        ):
            if bound is not None:
                schema[name] = bound
        return schema

    def accept(self, value: Any) -> Any:
        """The value as the tool will see it.

        Raises
        ------
        ValueError
            Says what was expected instead.
        """
        value = _COERCE[self.type](value)
        if self.type in ("integer", "number"):
            self._check_bounds(value)
        for text in value if isinstance(value, list) else [value]:
            if self.enum and text not in self.enum:
                raise ValueError(f"one of {', '.join(self.enum)}")
            if self.pattern and not re.fullmatch(self.pattern, text):
                raise ValueError(f"text of the form {self.pattern}")
        return value

    def _check_bounds(self, value: float) -> None:
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"at least {self.minimum:g}")
        if self.maximum is not None and value > self.maximum:
            raise ValueError(f"at most {self.maximum:g}")
        if self.above is not None and value <= self.above:
            raise ValueError(f"more than {self.above:g}")


@dataclass(frozen=True)
class NumberChoice(Parameter):
    """A whole number out of a few."""

    numbers: tuple[int, ...] = ()

    @property
    def json_schema(self) -> dict[str, Any]:
        return super().json_schema | {"enum": list(self.numbers)}

    def accept(self, value: Any) -> Any:
        number = super().accept(value)
        if number not in self.numbers:
            raise ValueError(f"one of {', '.join(map(str, self.numbers))}")
        return number


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the agent sees it.

    Attributes
    ----------
    name : str
    kind : {"auth", "read", "write", "system"}
        ``read`` tools leave the database alone; ``auth`` tools change the session only.
    description : str
    parameters : tuple of Parameter
    """

    name: str
    kind: Kind
    description: str
    parameters: tuple[Parameter, ...]

    @property
    def json_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments object, as function-calling interfaces take it."""
        return {
            "type": "object",
            "properties": {p.name: p.json_schema for p in self.parameters},
            "required": [p.name for p in self.parameters if p.required],
        }

    def accept(self, arguments: Any) -> dict[str, Any]:
        """The arguments as the tool will see them: coerced, without extras, None where absent.

        Raises
        ------
        ToolFailure
            Of all wrong arguments the first whose field has its own error type gives the type;
            with none such it is ``invalid_parameter``.
        """
        given = arguments if isinstance(arguments, Mapping) else {}
        accepted: dict[str, Any] = {}
        wrong: list[tuple[str, str]] = []
        for p in self.parameters:
            value = given.get(p.name)
            accepted[p.name] = None
            if value is None and not p.required:
                continue
            if p.name not in given:
                wrong.append((p.error_type, f"{p.name} is missing"))
                continue
            try:
                accepted[p.name] = p.accept(value)
            except (ValueError, OverflowError) as exc:
                wrong.append((p.error_type, f"{p.name} must be {exc}, not {_shown(value)}"))
        if wrong:
            own = [w for w in wrong if w[0] != "invalid_parameter"]
            raise ToolFailure(*(own or wrong)[0])
        return accepted


def _shown(value: Any) -> str:
    """A value in an error message: short, whatever it is."""
    text = repr(value[:_SHOWN_CHARS] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN_CHARS + 2 else text[:_SHOWN_CHARS] + "..."


def _to_string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text")
    return value


def _to_integer(value: Any) -> int:
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    raise ValueError("a whole number")


def _to_number(value: Any) -> float:
    if isinstance(value, int | float) or (isinstance(value, str) and value.isascii() and "_" not in value):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = float("nan")
        if isfinite(number):
            return number
    raise ValueError("a number")


def _to_boolean(value: Any) -> bool:
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in _TRUE | _FALSE:
        return value.lower() in _TRUE
    raise ValueError("true or false")


def _to_array(value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError("a list of at least one text")
    return [_to_string(item) for item in value]


_COERCE: dict[str, Callable[[Any], Any]] = {
    "string": _to_string,
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "array": _to_array,
}
