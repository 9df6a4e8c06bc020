"""What every statistic returns: named fields, shown as a small table in a notebook."""

from __future__ import annotations

from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Result:
    """Base of the frozen dataclasses that functions of :mod:`evalib.stats` return.

    A number that could not be had is NaN, and the field ``reason`` says why; ``reason`` is empty
    where there is nothing to say.
    """

    def as_dict(self) -> dict[str, Any]:
        """The fields by name; a field that is itself a dict is spread as ``field.key``."""
        found: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, dict):
                found |= {f"{field.name}.{key}": v for key, v in value.items()}
            else:
                found[field.name] = value
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row, so that results can be stacked with ``pandas.concat``."""
        import pandas as pd

        return pd.DataFrame([self.as_dict()])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(_shown(value))}</td></tr>"
            for name, value in self.as_dict().items()
        )
        return f"<table><caption>{escape(type(self).__name__)}</caption>{rows}</table>"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
