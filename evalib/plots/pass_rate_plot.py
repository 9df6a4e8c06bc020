"""Pass rates side by side, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalib.core import DataFormatError
from evalib.plots.palette import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    SMALL,
    axes_or_new,
    title_over_legend,
    without_frame,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_RATES = (("pass_at_1", "pass@1", BLUE), ("pass_at_k", "pass@{k}", PALE), ("pass_hat_k", "pass^{k}", ORANGE))
_HEIGHT = 0.26


def pass_rate_bars(rates: pd.DataFrame, ax: Axes | None = None, note: str | None = None) -> Axes:
    """Draw pass@1, pass@k and pass^k of each row, with its bootstrap interval.

    Parameters
    ----------
    rates : DataFrame
        What :func:`evalib.stats.pass_rates` returns; several of them can be concatenated.
    ax : matplotlib Axes, optional
    note : str, optional
        A line under the title, e.g. ``"synthetic scenarios"``.

    Returns
    -------
    matplotlib Axes
        A row without a value shows its reason in place of bars.

    Raises
    ------
    DataFormatError
        When `rates` has no rows or lacks a column.
    """
    needed = ["metric", "k", "n_scenarios", "reason", *(name for name, _, _ in _RATES)]
    if absent := [c for c in needed if c not in rates]:
        raise DataFormatError(f"rates lacks the column {absent[0]!r}: pass what stats.pass_rates returns")
    if rates.empty:
        raise DataFormatError("rates has no rows to draw")
    ax = axes_or_new(ax, 8, 1.3 + 0.95 * len(rates))
    rows = rates.reset_index(drop=True)
    groups = list(rows.columns[: list(rows.columns).index("metric")])
    k = ", ".join(map(str, sorted(rows["k"].unique())))
    drawn = _RATES if (rows["k"] > 1).any() else _RATES[:1]  # with one trial all three are the same
    for i, (name, label, colour) in enumerate(drawn):
        y = np.arange(len(rows)) + (i - (len(drawn) - 1) / 2) * _HEIGHT
        values = rows[name].to_numpy(dtype=float)
        text = label.format(k=k if "," not in k else "k")
        ax.barh(y, np.nan_to_num(values), height=_HEIGHT * 0.92, color=colour, label=text)
        spread = np.abs(rows[[f"{name}_low", f"{name}_high"]].to_numpy(dtype=float).T - values)
        shown = ~np.isnan(spread).any(axis=0)
        if shown.any():
            ax.errorbar(
                values[shown],
                y[shown],
                xerr=spread[:, shown],
                fmt="none",
                ecolor="black",
                elinewidth=1,
                capsize=2.5,
            )
        for j in np.flatnonzero(~np.isnan(values)):
            x = np.nanmax([values[j], rows[f"{name}_high"][j]])
            ax.annotate(
                f"{values[j]:.2f}", (x, y[j]), (4, 0), textcoords="offset points", va="center", fontsize=SMALL
            )
    for j in np.flatnonzero(rows["pass_at_1"].isna()):
        ax.text(0.01, float(j), rows["reason"][j], fontsize=SMALL, color=GREY, va="center", style="italic")
    ax.set_yticks(range(len(rows)), [_row_label(row, groups) for _, row in rows.iterrows()])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.1)
    ax.set_xticks(np.linspace(0, 1, 6))
    level = f"{100 * rows['confidence'].iloc[0]:g}% " if "confidence" in rows else ""
    ax.set_xlabel(
        f"share of trials or scenarios that pass\nwhiskers: {level}bootstrap interval over scenarios"
    )
    title_over_legend(ax, ["Pass rates", *([note] if note else [])])
    without_frame(ax)
    return ax


def _row_label(row: pd.Series, groups: list[str]) -> str:
    metric = {"eva_a_pass": "EVA-A", "eva_x_pass": "EVA-X"}.get(row["metric"], row["metric"])
    who = ", ".join(str(row[g]) for g in groups)
    n, n_k = row["n_scenarios"], row.get("n_scenarios_k", row["n_scenarios"])
    fewer = "" if n_k == n else f", {n_k} of them with {row['k']} trials"
    return f"{who}\n{metric} ({n} scenarios{fewer})"
