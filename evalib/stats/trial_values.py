"""From the score table to one value per trial of a scenario: what all statistics start from.

Only columns are read, so a table that was not made by evalib will do: ``scenario``, ``trial``,
``metric``, ``value`` and the columns of ``by`` must be there; ``status``, ``judge``,
``judge_pass``, ``condition`` and the stratum are used when they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalib.core import ConfigError, DataFormatError, Status

if TYPE_CHECKING:
    import pandas as pd

EVERYTHING = "all"  # the one stratum of a table without the stratum's column


def trial_values(
    scores: pd.DataFrame, metric: str, by: Sequence[str] = ("system",), strata: str = "domain"
) -> pd.DataFrame:
    """The trials of one metric.

    Returns
    -------
    DataFrame
        Columns of `by`, ``stratum``, ``scenario``, ``trial``, ``value`` (NaN when missing) and
        ``status``; one row per trial. Several passes of one judge are averaged; a trial is missing
        when none of its passes has a value.

    Raises
    ------
    DataFormatError
        When a column is missing, the metric has no rows, or a trial has two rows.
    ConfigError
        When the rows would mix judges, or conditions that `by` does not keep apart.
    """
    by = list(by)
    _require_columns(scores, ["scenario", "trial", "metric", "value", *by])
    rows = scores[scores["metric"] == metric]
    if rows.empty:
        raise DataFormatError(f"the score table has no rows of {metric!r}: score it first")
    refuse_mixed_judges(rows, by)
    _refuse_mixed(rows, by, "condition")
    rows = rows.assign(
        stratum=rows.get(strata, EVERYTHING),
        status=_status(rows),
        judge_pass=rows.get("judge_pass", 0),
    )
    rows["value"] = rows["value"].astype(float).where(rows["status"] == Status.OK)
    trial = [*dict.fromkeys([*by, "stratum"]), "scenario", "trial"]
    if (twice := rows.duplicated([*trial, "judge_pass"])).any():
        first = rows.loc[twice, trial].iloc[0].to_dict()
        raise DataFormatError(f"the score table has two rows of {metric} for {first}: keep one of them")
    return (
        rows.sort_values("judge_pass", kind="stable")
        .groupby(trial, as_index=False, dropna=False, observed=True)
        .agg(value=("value", "mean"), status=("status", "first"))
    )


def _require_columns(scores: pd.DataFrame, columns: Sequence[str]) -> None:
    if absent := [c for c in columns if c not in scores.columns]:
        raise DataFormatError(
            f"the score table has no column {absent[0]!r}; it has {', '.join(map(str, scores.columns))}"
        )


def _status(rows: pd.DataFrame) -> pd.Series:
    """The status of each row; a NaN value is never ok."""
    missing = rows["value"].isna()
    if "status" not in rows:
        return missing.map({True: str(Status.NOT_RUN), False: str(Status.OK)})
    return rows["status"].astype(str).mask(missing & (rows["status"] == Status.OK), str(Status.NOT_RUN))


def refuse_mixed_judges(rows: pd.DataFrame, by: Sequence[str] = ()) -> None:
    """Raise when rows of one metric come from several judges that `by` does not keep apart.

    Rows of a judge that did not run do not count as another judge.
    """
    ran = rows[rows["status"] != Status.NOT_RUN] if "status" in rows else rows
    _refuse_mixed(ran, by, "judge")


def _refuse_mixed(rows: pd.DataFrame, by: Sequence[str], column: str) -> None:
    if column not in rows or column in by:
        return
    found = sorted(map(str, rows[column].unique()))
    if len(found) > 1:
        raise ConfigError(
            f"the score table mixes {column}s of {rows['metric'].iloc[0]} ({', '.join(found)}): "
            f"keep the rows of one, or add {column!r} to by"
        )
