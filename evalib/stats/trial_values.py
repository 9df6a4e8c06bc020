"""From the score table to one value per trial of a scenario: what all statistics start from.

Only columns are read, so a table that was not made by evalib will do: ``scenario``, ``trial``,
``metric``, ``value`` and the columns of ``by`` must be there; ``status``, ``judge``,
``judge_pass``, ``condition`` and the stratum are used when they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from evalib.core import ConfigError, DataFormatError, Status
from evalib.stats.arguments import refuse_unsquarable

if TYPE_CHECKING:
    import pandas as pd

EVERYTHING = "all"  # the one stratum of a table without a column "domain"
_STATUSES = tuple(map(str, Status))
_USED_IF_THERE = ("domain", "status", "judge", "judge_pass", "condition")
_NO_LABELS = ("metric", "value", "status", "reason", "metric_version", "stratum")
_OWN = ("stratum", "value", "status")  # columns that are made here


def trial_values(
    scores: pd.DataFrame, metric: str, by: str | Sequence[str] = ("system",), strata: str = "domain"
) -> pd.DataFrame:
    """The trials of one metric.

    Parameters
    ----------
    scores : DataFrame
        A score table: any order of rows, any index, any dtypes that hold numbers. It is not changed.
    metric : str
        Sub-metrics too.
    by : str or sequence of str
        Columns that tell groups apart. A missing value there is a group of its own.
    strata : str
        The column of strata. Without a column ``"domain"`` all scenarios are one stratum.

    Returns
    -------
    DataFrame
        Columns of `by`, ``stratum``, ``scenario``, ``trial``, ``value`` (NaN when missing) and
        ``status``; one row per trial, sorted. Several passes of one judge are averaged; a trial is
        missing when none of its passes has a value, and has the status of the first of them then.
        A row without a status is ok when it has a value, and not run when it has none. A value
        beside any status but ok does not count.

    Raises
    ------
    DataFormatError
        When a column is missing, the metric has no rows, a value is no number, a status is
        unknown, a row has no scenario, trial or stratum, or a trial has two rows. Infinities are
        the caller's to refuse (:func:`refuse_infinite`).
    ConfigError
        When the rows would mix judges, or conditions that `by` does not keep apart, or scenarios
        of one id but several domains; when the metric or a column is no name.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"scenario": [1, 1, 2], "trial": [0, 1, 0], "value": [1, 0, None]})
    >>> frame["metric"] = "m"
    >>> trial_values(frame, "m", by=())[["scenario", "trial", "value", "status"]].to_dict("list")
    {'scenario': [1, 1, 2], 'trial': [0, 1, 0], 'value': [1.0, 0.0, nan], 'status': ['ok', 'ok', 'not_run']}
    """
    by, [strata] = columns_of(by), columns_of([strata])
    if not isinstance(metric, str):
        raise ConfigError(f"metric={metric!r} must be the name of one metric")
    _check_columns(scores, by, strata)
    rows = scores[(scores["metric"] == metric).to_numpy(dtype=bool, na_value=False)]
    if rows.empty:
        there = sorted(map(str, scores["metric"].dropna().unique()))
        of = f" (it has {', '.join(there)})" if there else ", nor of any other metric"
        raise DataFormatError(f"the score table has no rows of {metric!r}{of}: score it first")
    rows = rows.reset_index(drop=True)
    numbers = _numbers(rows, metric)
    # Categories have an order of their own, on which the draws of a bootstrap must not depend.
    for column in {"scenario", "trial", strata} & set(rows.select_dtypes("category")) - set(by):
        rows[column] = rows[column].astype(object)
    rows = rows.assign(
        stratum=rows.get(strata, EVERYTHING),
        status=statuses_of(rows, np.isnan(numbers)),
        judge_pass=rows.get("judge_pass", 0),
    )
    rows["value"] = np.where(rows["status"] == Status.OK, numbers, np.nan)
    refuse_mixed_judges(rows, by)
    _refuse_mixed(rows, by, "condition")
    trial = list(dict.fromkeys([*by, "stratum", "scenario", "trial"]))
    _check_rows(rows, metric, trial, by, strata)
    try:
        rows = rows.sort_values([*trial, "judge_pass"], kind="stable", ignore_index=True)
    except TypeError as error:
        raise DataFormatError(f"ids cannot be sorted ({error}): make them text or numbers") from error
    if rows.duplicated(trial).any():
        rows = rows.groupby(trial, as_index=False, dropna=False, observed=True).agg(
            value=("value", "mean"), status=("status", "first")
        )
        rows["status"] = rows["status"].mask(rows["value"].notna(), str(Status.OK))
    return rows[[*trial, "value", "status"]].copy()


def refuse_infinite(trials: pd.DataFrame, metric: str) -> None:
    """Raise DataFormatError, saying where, when a trial has an infinite value.

    ConfigError when values are too large or too small for sums of their squares.
    """
    if (infinite := np.isinf(trials["value"])).any():
        first = trials.loc[infinite].iloc[0].drop(["value", "status"]).to_dict()
        raise DataFormatError(
            f"the score table has an infinite value of {metric} for {first}: "
            "give it a status instead of a value"
        )
    refuse_unsquarable(trials["value"].to_numpy(), metric)


def columns_of(by: str | Sequence[str]) -> list[str]:
    """The names of `by`, each once; one name may be given as a plain string.

    Raises
    ------
    ConfigError
        When they are no names.
    """
    try:
        return [by] if isinstance(by, str) else list(dict.fromkeys(by))
    except TypeError:
        raise ConfigError(f"{by!r} must be the name of a column, or a list of names") from None


def result_row(key: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The row of a result for a group: what tells the group apart, then what was found.

    Raises
    ------
    ConfigError
        When one would hide the other.
    """
    if taken := sorted(name for name in key if name in found and name != "metric"):
        raise ConfigError(f"by names {taken[0]!r}, which is a column of the result: rename it")
    return {**key, **found}


def refuse_unhashable(frame: pd.DataFrame, columns: Sequence[Any]) -> None:
    """Raise DataFormatError when a column that tells rows apart holds lists or the like."""
    for column in columns:
        if frame[column].dtype == object:
            try:
                set(frame[column])
            except TypeError as error:
                raise DataFormatError(
                    f"column {column!r} holds an {error}: make it text or numbers"
                ) from error


def groups_of(trials: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Each group with the values of `by` that tell it apart; all trials are one without `by`."""
    if not by:
        yield {}, trials
        return
    for key, group in trials.groupby(list(by), dropna=False, observed=True):
        yield dict(zip(by, key, strict=True)), group


def missing_note(statuses: pd.Series, fate: str = "left out") -> str:
    """What to say of trials without a value, of which the statuses are given; "" of none.

    Examples
    --------
    >>> import pandas as pd
    >>> missing_note(pd.Series(["judge_error", "infra_error", "infra_error"]))
    '3 trials have no value (infra_error 2, judge_error 1): left out'
    """
    if statuses.empty:
        return ""
    counts = sorted(statuses.value_counts().items(), key=lambda item: (-item[1], str(item[0])))
    what = ", ".join(f"{status} {n}" for status, n in counts)
    return f"{counted(len(statuses), 'trial has', 'trials have')} no value ({what}): {fate}"


def nothing_note(statuses: pd.Series) -> str:
    """What to say when no trial has a value."""
    return f"no trial has a value: {', '.join(sorted(set(statuses)))}"


def counted(n: int, one: str, more: str) -> str:
    """A number and its noun."""
    return f"{n} {one if n == 1 else more}"


def _check_columns(scores: pd.DataFrame, by: Sequence[str], strata: str) -> None:
    import pandas as pd

    if not isinstance(scores, pd.DataFrame):
        raise DataFormatError(f"the score table is a {type(scores).__name__}: pass a pandas DataFrame")
    if own := [c for c in by if c in _OWN and c != strata]:
        raise ConfigError(f"by names {own[0]!r}, which cannot tell groups apart: rename that column")
    wanted = ["scenario", "trial", "metric", "value", *by, *([strata] if strata != "domain" else [])]
    if absent := [c for c in wanted if c not in scores.columns]:
        hint = ": call reset_index()" if absent[0] in scores.index.names else ""
        raise DataFormatError(
            f"the score table has no column {absent[0]!r}; it has {', '.join(map(str, scores.columns))}{hint}"
        )
    if twice := [c for c in (*wanted, *_USED_IF_THERE) if list(scores.columns).count(c) > 1]:
        raise DataFormatError(f"the score table has two columns {twice[0]!r}: keep one of them")
    labels = dict.fromkeys(["scenario", "trial", "metric", *by, strata, *_USED_IF_THERE])
    refuse_unhashable(scores, [c for c in labels if c in scores])


def _check_rows(rows: pd.DataFrame, metric: str, trial: list[str], by: Sequence[str], strata: str) -> None:
    for column, name in (("scenario", "scenario"), ("trial", "trial"), ("stratum", strata)):
        if rows[column].isna().any():
            raise DataFormatError(f"rows of the score table have no {name}: give them one")
        labels = rows[column].drop_duplicates()
        if labels.dtype == object and (same := labels.astype(str).duplicated()).any():
            raise DataFormatError(
                f"{name} {labels[same].iloc[0]!r} is there as text and as a number: make them one kind"
            )
    if rows.duplicated([*trial, "judge_pass"]).any():
        raise DataFormatError(_two_rows(rows, metric, trial, strata))
    if strata == "domain" or "domain" in by or "domain" not in rows:
        return
    unit = [c for c in trial if c != "trial"]
    homes = rows.drop_duplicates([*unit, "domain"])
    if (shared := homes.duplicated(unit)).any():
        raise ConfigError(
            f"scenario {homes.loc[shared, 'scenario'].iloc[0]!r} is in several domains of one {strata}: "
            "add 'domain' to by, or give scenarios ids of their own"
        )


def _two_rows(rows: pd.DataFrame, metric: str, trial: list[str], strata: str) -> str:
    """Which trial is there twice, and by what its rows could be told apart."""
    key = [*trial, "judge_pass"]
    both = rows[rows.duplicated(key, keep=False)]
    where = both[trial].iloc[0].rename({"stratum": strata}).to_dict()
    _, first = next(iter(both.groupby(key, dropna=False, observed=True, sort=False)))
    told_apart = [c for c in rows if c not in {*key, *_NO_LABELS}]
    names = [str(c) for c in told_apart if first[c].astype(str).nunique() > 1]
    cure = f"they differ in {', '.join(names)}: add it to by" if names else "keep one of them"
    return f"the score table has two rows of {metric} for {where}: {cure}"


def _numbers(rows: pd.DataFrame, metric: str) -> np.ndarray:
    """The values as floats, NaN where missing."""
    values = rows["value"]
    if values.dtype.kind not in "biuf":  # text, dates, or any objects
        strange = dict.fromkeys(repr(v) for v in values.dropna() if not isinstance(v, Real | np.bool_))
        if strange:
            raise DataFormatError(
                f"{metric} has values that are no numbers ({', '.join([*strange][:3])}): "
                "convert the column first, e.g. with pandas.to_numeric"
            )
        values = values.astype(object)
    return values.to_numpy(dtype=float, na_value=np.nan)


def statuses_of(rows: pd.DataFrame, missing: np.ndarray) -> np.ndarray:
    """The status of each row as text; a NaN value is never ok, and without a status a value is.

    Raises
    ------
    DataFormatError
        When a status is unknown.
    """
    import pandas as pd

    told = np.where(missing, str(Status.NOT_RUN), str(Status.OK)).astype(object)
    if "status" not in rows:
        return told
    codes, names = pd.factorize(rows["status"])
    texts = np.array([*map(str, names), ""], dtype=object)
    if unknown := sorted({*texts[:-1]} - {*_STATUSES}):
        raise DataFormatError(
            f"the score table has the unknown status {unknown[0]!r}: use one of {', '.join(_STATUSES)}"
        )
    status = np.where(codes < 0, told, texts[codes])
    return np.where(missing & (status == Status.OK), told, status)


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
