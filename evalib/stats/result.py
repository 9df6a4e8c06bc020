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

    def __str__(self) -> str:
        tables = ["\n".join(_aligned(rows)) for rows in self._tables()]
        return "\n\n".join([type(self).__name__, *tables])

    def _repr_html_(self) -> str:
        return f"<b>{escape(type(self).__name__)}</b>" + "".join(map(_html, self._tables()))

    def _tables(self) -> list[list[tuple[str, ...]]]:
        """Dicts with the same keys side by side, lists of tuples as rows, and all else in a table."""
        plain: list[tuple[str, ...]] = []
        lists: list[list[tuple[str, ...]]] = []
        by_keys: dict[tuple[str, ...], dict[str, dict]] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, dict) and value:
                by_keys.setdefault(tuple(map(str, value)), {})[field.name] = value
            elif isinstance(value, list) and value and all(isinstance(row, tuple) for row in value):
                lists.append(
                    [(field.name, *map(_shown, value[0]))] + [("", *map(_shown, r)) for r in value[1:]]
                )
            elif not (isinstance(value, (str, tuple, list, dict)) and not value):
                plain.append((field.name, _shown(value)))
        columned = [
            [("", *columns), *zip(keys, *shown, strict=True)]
            for keys, columns in by_keys.items()
            for shown in [[map(_shown, column.values()) for column in columns.values()]]
        ]
        return [table for table in (*columned, plain, *lists) if table]


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if len(widths) == 2:  # a name and a value, which may be a long sentence
        widths[1] = 0
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _html(rows: list[tuple[str, ...]]) -> str:
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(first)}</th>"
        + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table>{body}</table>"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}: {_shown(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
