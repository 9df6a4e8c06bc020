"""Does a metric vary more between trials than between passes of its judge (paper H.1, Table 37)?

Of a record (a scenario of one system), the judge SD is the SD over passes of one trial, averaged
over trials; the trial SD is the SD over trials of the trials' means over passes. Their difference,
one per record, is tested against zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError, Status
from evalib.stats.arguments import as_floats, check_columns, refuse_unsquarable
from evalib.stats.intervals import Rng, generator_of
from evalib.stats.observations import told_apart
from evalib.stats.sign_flip import Alternative, sign_flip_test
from evalib.stats.sign_test import Zeros, sign_test
from evalib.stats.trial_values import columns_of, groups_of

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = (
    *("judge_sd", "trial_sd", "delta", "p_sign_flip", "method", "p_sign", "n_positive", "n_zero"),
    *("n_records", "n_excluded", "n_missing", "ddof", "zeros", "reason"),
)
_ROUNDING = 1e-12  # of the largest value of a record: an SD this small is what arithmetic leaves of none


def judge_trial_noise(
    data: pd.DataFrame,
    response: str = "value",
    scenario: str = "scenario",
    trial: str = "trial",
    judge_pass: str = "judge_pass",
    by: Sequence[str] = ("metric", "domain", "system"),
    average_over: Sequence[str] = (),
    ddof: int = 0,
    alternative: Alternative = "greater",
    zeros: Zeros = "keep",
    n_resamples: int = 10_000,
    rng: Rng = None,
) -> pd.DataFrame:
    """Judge SD against trial SD, with a sign-flip test and a sign test, one row per group.

    Parameters
    ----------
    data : DataFrame
        A score table, or any long frame: one row per pass of the judge over one trial. Values that
        are NaN, or whose ``status`` (where there is such a column) is not ok, are missing.
    response, scenario, trial, judge_pass : str
        Columns of the values, and of what they belong to.
    by : sequence of str
        Columns that tell the groups apart.
    average_over : sequence of str
        Columns, e.g. ``("system",)`` when `by` has it not: records are then told apart by them,
        and a scenario's SDs averaged over them before the tests, so that one scenario counts once.
    ddof : int
        0: an SD divides by n (the paper does not say; numpy's default), 1: by n - 1. With 3 passes
        and 5 trials ddof 1 makes judge SDs larger by 22% and trial SDs by 12%.
    alternative : {"greater", "two-sided", "less"}
        What is claimed of the difference, trial SD - judge SD.
    zeros : {"keep", "drop", "split"}
        Of :func:`evalib.stats.sign_test`. Table 37 keeps them: each p_sign printed is a binomial
        tail over all scenarios of the domain, of which zeros are not above zero.
    n_resamples, rng
        Of the sign-flip tests. With one seed a group's p does not depend on the other groups.

    Returns
    -------
    DataFrame
        Columns of `by`; ``judge_sd, trial_sd, delta`` (means over records, in the response's
        unit); ``p_sign_flip, method, p_sign, n_positive, n_zero, n_records, n_excluded, n_missing,
        ddof, zeros, reason``. A record needs two trials, one of which has two passes; what has not
        is left out and counted as excluded. A trial with one pass counts for the trial SD only.

    Raises
    ------
    DataFormatError
        When a column or a label is missing (that of a pass may be where a trial has one row), a
        status is unknown, or a pass has two rows.
    ConfigError
        When a value is infinite or no number, an argument is out of range, or what is compared
        would mix metrics, judges or conditions.

    Notes
    -----
    The SD over trials of means over passes holds a part of the judge's variance too (a third of
    it, with three passes): a difference of zero is not what equal noise would give.

    Where neither trials nor passes ever differ, all differences are zero: both p are 1 here, with
    a reason. Table 37 prints p_perm 0.500 there (Speech Fidelity, CSM, Gemini), p_sign 1.000. Its
    p_perm of few differences above zero are those of the exact test up to Monte Carlo error.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     [(s, t, p, t + (p if t else 0)) for s in "abcd" for t in (0, 4) for p in (0, 2)],
    ...     columns=["scenario", "trial", "judge_pass", "value"],
    ... )
    >>> found = judge_trial_noise(frame, by=())
    >>> found[["judge_sd", "trial_sd", "p_sign_flip", "p_sign"]].to_dict("records")
    [{'judge_sd': 0.5, 'trial_sd': 2.5, 'p_sign_flip': 0.0625, 'p_sign': 0.0625}]
    """
    import pandas as pd

    if ddof not in [0, 1]:
        raise ConfigError(f"ddof={ddof!r} must be 0 (divide by n) or 1 (by n - 1)")
    by = columns_of(by)
    units = [*by, scenario, *columns_of(average_over)]
    keys = [*units, trial, judge_pass]
    if twice := [c for i, c in enumerate(keys) if c in [response, *keys[:i]]]:
        raise ConfigError(f"column {twice[0]!r} is named twice: each has one part to play")
    rows = _rows(data, response, keys, apart=[c for c in units if c != scenario])
    seed = int(generator_of(rng).integers(2**63))
    records = _records(rows, units, trial, ddof)
    found = []
    for key, group in groups_of(records, by):
        row = _compared(group, scenario, alternative, zeros, n_resamples, seed)
        found.append({**key, **row, "ddof": ddof, "zeros": zeros})
    return pd.DataFrame(found, columns=[*by, *_COLUMNS])


def _rows(data: pd.DataFrame, response: str, keys: list[str], apart: list[str]) -> pd.DataFrame:
    check_columns(data, [response, *keys], "data")
    *trial, judge_pass = keys
    # Metrics without a judge have no number of a pass: one row is one pass.
    several = data.duplicated(trial, keep=False)
    for column, rows in (*((c, data) for c in trial), (judge_pass, data[several])):
        if rows[column].isna().any():
            raise DataFormatError(f"column {column!r} has no label in some rows: fill or drop them")
    _refuse_mixed(data, apart)
    if (twice := data.duplicated(keys)).any():
        same = data.merge(data.loc[twice, keys].iloc[:1], on=keys).drop(columns=response)
        raise DataFormatError(
            f"the data have two rows for {same[keys].iloc[0].to_dict()}: "
            f"{told_apart(same, keys, 'add it to by or average_over')}"
        )
    values = as_floats(data[response], response)
    refuse_unsquarable(values, response)
    if "status" in data:
        status = data["status"].astype(object).where(data["status"].notna(), str(Status.OK)).map(str)
        if unknown := sorted(set(status) - set(map(str, Status))):
            raise DataFormatError(f"the data have the unknown status {unknown[0]!r}: use {', '.join(Status)}")
        values = np.where(status == Status.OK, values, np.nan)
    return data[keys].assign(value=values).sort_values(keys, kind="stable")


def _refuse_mixed(data: pd.DataFrame, apart: list[str]) -> None:
    """Raise when passes that are compared come from several metrics, judges or conditions."""
    groups = [c for c in dict.fromkeys([*apart, "metric"]) if c in data]
    for column in ("metric", "condition", "judge"):
        if column not in data or column in apart:
            continue
        ran = data
        if column == "judge" and "status" in data:  # a judge that did not run is none
            ran = data[(data["status"] != Status.NOT_RUN).to_numpy(dtype=bool, na_value=True)]
        within = [c for c in groups if c != column]
        distinct = ran.drop_duplicates([*within, column])
        if distinct.duplicated(within).any() if within else len(distinct) > 1:
            raise ConfigError(f"the data mix {column}s: keep the rows of one, or add {column!r} to by")


def _records(rows: pd.DataFrame, units: list[str], trial: str, ddof: int) -> pd.DataFrame:
    """One row per record: judge and trial SD (NaN where there is none), values missing, rounding."""
    import pandas as pd

    grouped = rows.groupby(units, dropna=False, observed=True)
    record = grouped.ngroup().to_numpy()
    trials = rows.groupby([*units, trial], dropna=False, observed=True).ngroup().to_numpy()
    n_records, n_trials = (int(c.max(initial=-1)) + 1 for c in (record, trials))
    values = rows["value"].to_numpy()
    present = ~np.isnan(values)
    owner = np.zeros(n_trials, dtype=np.intp)
    owner[trials] = record
    largest = np.zeros(n_records)
    np.maximum.at(largest, record[present], np.abs(values[present]))
    floor = _ROUNDING * largest
    within, means = _sd(values[present], trials[present], n_trials, ddof, floor[owner])
    judged = ~np.isnan(within)
    counts = np.bincount(owner[judged], minlength=n_records)
    sums = np.bincount(owner[judged], weights=within[judged], minlength=n_records)
    judge_sd = np.divide(sums, counts, out=np.full(n_records, np.nan), where=counts > 0)
    scored = ~np.isnan(means)
    trial_sd, _ = _sd(means[scored], owner[scored], n_records, ddof, floor)
    frame = grouped.size().index.to_frame(index=False)
    whole = ~(np.isnan(judge_sd) | np.isnan(trial_sd))
    missing = np.bincount(record[~present], minlength=n_records)
    passes = np.zeros(n_records, dtype=np.intp)
    np.maximum.at(passes, owner, np.bincount(trials, minlength=n_trials))
    columns = {"judge_sd": judge_sd, "trial_sd": trial_sd}
    sds = pd.DataFrame({name: np.where(whole, sd, np.nan) for name, sd in columns.items()})
    return pd.concat([frame, sds.assign(n_missing=missing, passes=passes, noise=floor)], axis=1)


def _sd(
    values: NDArray[np.float64], codes: NDArray[np.intp], n: int, ddof: int, floor: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """SDs and means by code; the SD of fewer than two values is NaN."""
    counts = np.bincount(codes, minlength=n)
    sums = np.bincount(codes, weights=values, minlength=n)
    means = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    squares = np.bincount(codes, weights=(values - means[codes]) ** 2, minlength=n)
    sd = np.sqrt(np.divide(squares, counts - ddof, out=np.full(n, np.nan), where=counts > 1))
    return np.where(sd <= floor, 0.0, sd), means


def _compared(
    records: pd.DataFrame, scenario: str, alternative: Alternative, zeros: Zeros, n_resamples: int, seed: int
) -> dict[str, Any]:
    sds = records.dropna(subset=["judge_sd", "trial_sd"])
    sds = sds.groupby(scenario, observed=True)[["judge_sd", "trial_sd", "noise"]].mean()
    delta = (sds["trial_sd"] - sds["judge_sd"]).to_numpy()
    # Equal SDs, computed in two ways, differ in the last bits: no difference.
    delta = np.where(np.abs(delta) <= sds["noise"].to_numpy(), 0.0, delta)
    flipped = sign_flip_test(delta, alternative, n_resamples, rng=seed)
    signs = sign_test(delta, alternative, zeros)
    used = records["judge_sd"].notna()
    none = "no record has two trials, one of them with two passes"
    if records["passes"].max() == 1:
        none = "one judge pass of every trial: passes cannot differ"
    reasons = [flipped.reason] if len(delta) else [none]
    if len(delta) and not used.all():
        reasons.append(f"{int((~used).sum())} records left out: fewer than two trials, or no second pass")
    return {
        **{name: float(sds[name].mean()) if len(sds) else np.nan for name in ("judge_sd", "trial_sd")},
        "delta": flipped.mean,
        "p_sign_flip": flipped.pvalue,
        "method": flipped.method,
        "p_sign": signs.pvalue,
        "n_positive": signs.n_positive,
        "n_zero": signs.n_zero,
        "n_records": len(delta),
        "n_excluded": int((~used).sum()),
        "n_missing": int(records["n_missing"].sum()),
        "reason": "; ".join(r for r in reasons if r),
    }
