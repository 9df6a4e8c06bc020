"""Variance decomposition of a whole score table: one fit per metric and system (paper Table 35)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalib.core import ConfigError, DataFormatError, Status
from evalib.stats.arguments import check_columns
from evalib.stats.trial_values import columns_of, groups_of, refuse_unhashable, result_row, statuses_of
from evalib.stats.variance.components import variance_components

if TYPE_CHECKING:
    import pandas as pd

NOT_MODELLED = "judge not modelled: one pass per trial, so the trial's share holds it"


def variance_table(
    scores: pd.DataFrame,
    by: str | Sequence[str] = ("metric", "system"),
    fixed: str | Sequence[str] = ("domain",),
) -> pd.DataFrame:
    """Shares of scenario, trial and judge in the variance of each metric of each system.

    A metric with several judge passes for some trial is fitted with scenario, trial and the pass as
    residual; one with a single pass everywhere with scenario and the trial as residual (paper H.1).

    Parameters
    ----------
    scores : DataFrame
        A score table: ``scenario``, ``trial``, ``value``, the columns of `by` and `fixed`; ``status``
        and ``judge_pass`` are used when they are there.
    by : str or sequence of str
        One fit per combination of their values; a missing value there is a group of its own.
    fixed : str or sequence of str
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
        As :func:`variance_components`, naming the first combination that fails; also when `by` names
        a column of the result.

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

    by, fixed = columns_of(by), columns_of(fixed)
    used = [c for c in ("status", "judge_pass", *fixed) if c in getattr(scores, "columns", ())]
    check_columns(scores, [*by, "scenario", "trial", "value", *used], "scores")
    refuse_unhashable(scores, [*by, "scenario", "trial", *used])
    rows = [
        result_row(key, _row(part, fixed, ", ".join(map(str, key.values()))))
        for key, part in groups_of(scores, by)
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
    """Whether some trial has more than one row with a value, and a column that tells passes apart."""
    if "judge_pass" not in part.columns:
        return False
    rows = part[statuses_of(part, part["value"].isna().to_numpy()) == Status.OK]
    trial = [c for c in (*fixed, "scenario", "trial") if c in part.columns]
    return bool(rows.duplicated(trial).any())


def _row(part: pd.DataFrame, fixed: list[str], key: str) -> dict[str, object]:
    try:
        passes = _has_passes(part, fixed)
        groups = ("scenario", "trial") if passes else ("scenario",)
        fitted = variance_components(part, "value", groups, fixed)
    except (ConfigError, DataFormatError) as exc:
        raise type(exc)(f"{key}: {exc}" if key else str(exc)) from None
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
