"""Variance decomposition of a whole score table: one fit per metric and system (paper Table 35)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalib.core import DataFormatError, Status
from evalib.stats.variance.components import variance_components

if TYPE_CHECKING:
    import pandas as pd

NOT_MODELLED = "judge not modelled: one pass per trial, so the trial's share holds it"


def variance_table(
    scores: pd.DataFrame, by: Sequence[str] = ("metric", "system"), fixed: Sequence[str] = ("domain",)
) -> pd.DataFrame:
    """Shares of scenario, trial and judge in the variance of each metric of each system.

    A metric with several judge passes for some trial is fitted with scenario, trial and the pass as
    residual; one with a single pass everywhere with scenario and the trial as residual (paper H.1).

    Parameters
    ----------
    scores : DataFrame
        A score table: ``scenario``, ``trial``, ``value``, the columns of `by` and `fixed`; ``status``
        and ``judge_pass`` are used when they are there.
    by : sequence of str
        One fit per combination of their values.
    fixed : sequence of str
        As in :func:`variance_components`.

    Returns
    -------
    DataFrame
        Columns of `by`, ``scenario_percent``, ``trial_percent``, ``judge_percent`` (NaN where it is not
        modelled), ``total`` (variance), ``boundary`` (component names, comma-separated), ``n``,
        ``n_missing`` and ``reason``; one row per fit, sorted by `by`.

    Raises
    ------
    ConfigError, DataFormatError
        As :func:`variance_components`, naming the first combination that fails.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"metric": "m", "system": "a", "scenario": [1, 1, 1, 1, 2, 2, 2, 2],
    ...                        "trial": [0, 0, 1, 1, 0, 0, 1, 1], "judge_pass": [0, 1] * 4,
    ...                        "value": [0.0, 1, 1, 2, 4, 5, 5, 6]})
    >>> table = variance_table(scores, fixed=())
    >>> table[["scenario_percent", "trial_percent", "judge_percent"]].round(1).values.tolist()
    [[91.2, 2.9, 5.9]]
    """
    import pandas as pd

    by = [by] if isinstance(by, str) else list(by)
    if absent := [c for c in (*by, "scenario", "trial", "value") if c not in scores.columns]:
        has = ", ".join(map(str, scores.columns))
        raise DataFormatError(f"the score table has no column {absent[0]!r}; it has {has}")
    parts = scores.groupby(by, sort=True, observed=True) if by else [((), scores)]
    rows = [
        dict(zip(by, key, strict=True)) | _row(part, list(fixed), ", ".join(map(str, key)))
        for key, part in parts
    ]
    return pd.DataFrame(rows, columns=[*by, *_COLUMNS])


_COLUMNS = (
    "scenario_percent",
    "trial_percent",
    "judge_percent",
    "total",
    "boundary",
    "n",
    "n_missing",
    "reason",
)


def _has_passes(part: pd.DataFrame, fixed: list[str]) -> bool:
    """Whether some trial has more than one pass with a value."""
    if "judge_pass" not in part.columns:
        return False
    valid = part["value"].notna()
    if "status" in part.columns:
        valid &= part["status"].astype(str) == Status.OK
    trial = [c for c in (*fixed, "scenario", "trial") if c in part.columns]
    rows = part[valid]
    return rows["judge_pass"].nunique() > 1 and bool(rows.duplicated(trial).any())


def _row(part: pd.DataFrame, fixed: list[str], key: str) -> dict[str, object]:
    passes = _has_passes(part, fixed)
    groups = ("scenario", "trial") if passes else ("scenario",)
    try:
        fitted = variance_components(part, "value", groups, fixed)
    except DataFormatError as exc:
        raise DataFormatError(f"{key}: {exc}") from None
    percent = fitted.percent
    names = {"scenario": "scenario", "trial": "trial", "residual": "judge" if passes else "trial"}
    return {
        "scenario_percent": percent["scenario"],
        "trial_percent": percent["trial" if passes else "residual"],
        "judge_percent": percent["residual"] if passes else float("nan"),
        "total": fitted.total,
        "boundary": ", ".join(names[name] for name in fitted.boundary),
        "n": fitted.n,
        "n_missing": fitted.n_missing,
        "reason": "; ".join(filter(None, (fitted.reason, "" if passes else NOT_MODELLED))),
    }
