r"""Pass rates over repeated trials: pass@1, pass@k and pass^k (paper section 3.2.4, appendix A).

Of a scenario with n trials of which c passed:

- pass@1 is :math:`c/n`, how often one trial passes;
- pass@k is :math:`1 - \binom{n-c}{k} / \binom{n}{k}`, the chance that at least one of k trials
  passes; with n = k, whether any passed;
- pass^k is :math:`(c/n)^k`, the paper's: the chance that k independent trials all pass, with the
  pass rate estimated by c/n. It overestimates when n is small;
- the unbiased pass^k is :math:`\binom{c}{k} / \binom{n}{k}`, the share of sets of k of the trials
  in which all passed;
- the gap is pass@k less the paper's pass^k: what a system does at its best beyond what it can be
  relied on for.

Scenarios are averaged within a domain, and domains with equal weight. Intervals are percentile
bootstrap over scenarios, resampled within domains; the gap's is of the scenarios' own gaps, so it
is paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError, DataFormatError, Status
from evalib.stats.arguments import as_floats, check_count
from evalib.stats.intervals import Rng, check_settings, generator_of, no_width
from evalib.stats.pooled import PooledMeans, Units, pooled_means, units_asked, unscored_note
from evalib.stats.trial_values import (
    columns_of,
    counted,
    groups_of,
    missing_note,
    nothing_note,
    refuse_infinite,
    result_row,
    trial_values,
)

if TYPE_CHECKING:
    import pandas as pd

RATES = ("pass_at_1", "pass_at_k", "pass_hat_k", "pass_hat_k_unbiased")
_ESTIMATES = (*RATES, "gap")
_TOLERANCE = 1e-9
Missing = Literal["exclude", "fail"]


def scenario_rates(passed: ArrayLike, trials: ArrayLike, k: int) -> NDArray[np.float64]:
    """The rates of scenarios.

    Parameters
    ----------
    passed, trials : array_like of int, shape (n,)
        c and n of each scenario; 0 <= c <= n and n >= k. Each scenario has its own n.
    k : int
        At least 1.

    Returns
    -------
    ndarray, shape (n, 4)
        Columns in the order of :data:`RATES`. The binomials are never formed: relative errors
        stay near 1e-13 for thousands of trials.

    Raises
    ------
    ConfigError
        When counts are missing, no whole numbers, out of range or of different shapes.

    Examples
    --------
    >>> scenario_rates([2], [4], k=2).round(4)
    array([[0.5   , 0.8333, 0.25  , 0.1667]])
    """
    c, n = as_floats(passed, "passed"), as_floats(trials, "trials")
    if c.ndim != 1 or c.shape != n.shape:
        raise ConfigError(f"passed and trials must be lists of one length, not {c.shape} and {n.shape}")
    check_count("k", k)
    # NaN is neither equal to itself nor to what it is rounded to.
    if (c != np.floor(c)).any() or (n != np.floor(n)).any():
        raise ConfigError("passed and trials must be whole numbers: leave scenarios without trials out")
    if (n < k).any() or (c < 0).any() or (c > n).any():
        raise ConfigError(f"need 1 <= k={k} <= trials and 0 <= passed <= trials in every scenario")
    some, all_of_them = np.zeros_like(c), np.ones_like(c)
    for drawn in range(k):  # one trial after the other, without putting back
        some += (1 - some) * np.minimum(c / (n - drawn), 1)
        all_of_them *= np.maximum(c - drawn, 0) / (n - drawn)
    p = c / n
    return np.column_stack([p, some, p**k, all_of_them])


def pass_rates(
    scores: pd.DataFrame,
    k: int | None = None,
    by: str | Sequence[str] = ("system",),
    metric: str = "eva_a_pass",
    missing: Missing = "exclude",
    threshold: float | None = None,
    strata: str = "domain",
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
) -> pd.DataFrame:
    """Pass rates with intervals, one row per group.

    Parameters
    ----------
    scores : DataFrame
        A score table.
    k : int, optional
        Default: the most trials that a scenario of the table has, so that every group is
        reported at the same k.
    by : str or sequence of str
        Columns that tell the groups apart; ``()`` for one row over all.
    metric : str
    missing : {"exclude", "fail"}
        What becomes of a trial without a value. ``"exclude"``: it is left out. ``"fail"``: it
        counts as not passed, the most pessimistic reading; a trial to which the metric does not
        apply is left out still.
    threshold : float, optional
        A trial passes at or above it; needed for metrics whose values are not 0 or 1.
    strata : str
        Column whose values get equal weight.
    n_resamples, confidence, rng
        Of the bootstrap. With one seed a group's interval does not depend on the other groups.

    Returns
    -------
    DataFrame
        One row per group, with columns of `by` and

        - ``metric, k``;
        - ``n_scenarios, n_trials``: those that count for pass@1. It is of every scenario with at
          least one trial that counts, since the paper's is the share of all trials that pass;
        - ``n_scenarios_k``: those that count for pass@k, pass^k and the gap, having at least k
          trials that count; ``n_excluded_scenarios``: the others of the table;
        - ``n_missing``: trials without a value;
        - ``pass_at_1, pass_at_k, pass_hat_k, pass_hat_k_unbiased, gap``, each followed by
          ``_low`` and ``_high``;
        - the same five with ``_if_missing_fails``: under the other policy, or the same number
          where there is nothing to choose (call with ``missing="fail"`` for their intervals and
          counts);
        - ``confidence, policy, reason``. ``reason`` says what was left out, and why estimates or
          intervals are NaN or intervals have no width.

    Raises
    ------
    DataFormatError, ConfigError
        When the table lacks a column or the metric, has a trial twice, a value that is infinite or
        no number or an unknown status, mixes judges or conditions, or an argument is out of range.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"system": "s", "scenario": [1, 1, 2, 2, 3, 3], "trial": [0, 1] * 3,
    ...                       "metric": "eva_a_pass", "value": [1, 1, 1, 0, 1, None]})
    >>> found = pass_rates(frame).iloc[0]
    >>> found[["pass_at_1", "pass_at_k", "pass_hat_k", "gap"]].astype(float).round(3).tolist()
    [0.833, 1.0, 0.625, 0.375]
    >>> found["reason"].split("; ")[:2]  # doctest: +NORMALIZE_WHITESPACE
    ['1 trial has no value (not_run 1): left out',
     '1 scenario has fewer than 2 trials: left out of pass@k and pass^k']
    """
    import pandas as pd

    check_settings(n_resamples, confidence)
    if missing not in ("exclude", "fail"):
        raise ConfigError(f"missing={missing!r} is no policy: use 'exclude' or 'fail'")
    if k is not None:
        check_count("k", k)
    by = columns_of(by)
    trials = trial_values(scores, metric, by, strata)
    refuse_infinite(trials, metric)
    trials["passed"] = _passed(trials["value"], metric, threshold)
    keys = list(dict.fromkeys([*by, "stratum", "scenario"]))
    trials["unit"] = trials.groupby(keys, dropna=False, observed=True).ngroup()
    k = int(np.bincount(trials["unit"]).max() if k is None else k)
    seed = int(generator_of(rng).integers(2**63))
    rows = []
    groups = list(groups_of(trials, by))
    for (key, group), asked in zip(groups, units_asked(groups), strict=True):
        rates = _group_rates(group, asked, k, missing, n_resamples, confidence, seed)
        rows.append(result_row(key, {"metric": metric, "k": k, **rates}))
    return pd.DataFrame(rows)


def _passed(values: pd.Series, metric: str, threshold: float | None) -> pd.Series:
    """1.0, 0.0 or NaN for each trial."""
    if threshold is None:
        if not values.dropna().isin([0.0, 1.0]).all():
            raise DataFormatError(
                f"{metric} has values other than 0 and 1: pass threshold=, above which a trial passes"
            )
        return values
    if not isinstance(threshold, Real) or not isfinite(threshold):
        raise ConfigError(f"threshold={threshold!r} must be a number")
    return (values >= float(threshold) - _TOLERANCE).astype(float).where(values.notna())


def _group_rates(
    trials: pd.DataFrame,
    asked: Units,
    k: int,
    missing: Missing,
    n_resamples: int,
    confidence: float,
    seed: int,
) -> dict[str, Any]:
    units = _scenarios(trials)
    every, enough = _counting(units, missing, k)
    at_1 = at_k = pooled_means(_columns(enough, k), enough["stratum"], n_resamples, confidence, seed)
    if len(enough) < len(every):
        at_1 = pooled_means(_columns(every, 1)[:, :1], every["stratum"], n_resamples, confidence, seed)
    row: dict[str, Any] = {
        "n_scenarios": len(every),
        "n_scenarios_k": len(enough),
        "n_trials": int(every["n"].sum()),
        "n_missing": int(trials["passed"].isna().sum()),
        "n_excluded_scenarios": len(units) - len(enough),
    }
    pairs = zip(at_1[:3], at_k[:3], strict=True)
    estimate, low, high = (np.append(of_1[:1], of_k[1:]) for of_1, of_k in pairs)
    for i, name in enumerate(_ESTIMATES):
        row |= {name: estimate[i], f"{name}_low": low[i], f"{name}_high": high[i]}
    worst = _worst(units, k) if missing == "exclude" and row["n_missing"] else estimate
    row |= {f"{name}_if_missing_fails": worst[i] for i, name in enumerate(_ESTIMATES)}
    row |= {"confidence": confidence, "policy": missing}
    row["reason"] = _reason(trials, asked, missing, k, len(units) - len(every), every, enough, at_1, at_k)
    return row


def _scenarios(trials: pd.DataFrame) -> pd.DataFrame:
    """Of each scenario how many trials passed, have a value, and have none but could have had one."""
    import pandas as pd

    _, first, unit = np.unique(trials["unit"], return_index=True, return_inverse=True)
    passed = trials["passed"].to_numpy()
    valued = ~np.isnan(passed)
    lacking = ~valued & (trials["status"] != Status.NOT_APPLICABLE).to_numpy()
    counts = (
        np.bincount(unit, weights=weights) for weights in (np.where(valued, passed, 0), valued, lacking)
    )
    columns = dict(zip(("c", "valued", "lacking"), counts, strict=True))
    return pd.DataFrame({"stratum": trials["stratum"].to_numpy()[first], **columns})


def _counting(units: pd.DataFrame, missing: Missing, k: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scenarios with a trial that counts under a policy, and those with k of them; n is how many.

    Where no trial at all has a value there is nothing to be pessimistic about: none counts.
    """
    failed = units["lacking"] if missing == "fail" and units["valued"].any() else 0
    units = units.assign(n=units["valued"] + failed)
    return units[units["n"] > 0], units[units["n"] >= k]


def _columns(units: pd.DataFrame, k: int) -> NDArray[np.float64]:
    """The estimates of each scenario, shape (n, 5)."""
    rates = scenario_rates(units["c"], units["n"], k)
    return np.column_stack([rates, rates[:, 1] - rates[:, 2]])


def _worst(units: pd.DataFrame, k: int) -> NDArray[np.float64]:
    """The estimates when missing trials count as failed."""
    every, enough = _counting(units, "fail", k)
    of_1 = _equal_weight(_columns(every, 1), every["stratum"])
    return np.append(of_1[:1], _equal_weight(_columns(enough, k), enough["stratum"])[1:])


def _equal_weight(columns: NDArray[np.float64], strata: pd.Series) -> NDArray[np.float64]:
    if not len(columns):
        return np.full(columns.shape[1], np.nan)
    labels = strata.to_numpy()
    return np.mean([columns[labels == name].mean(axis=0) for name in strata.unique()], axis=0)


def _reason(
    trials: pd.DataFrame,
    asked: Units,
    missing: Missing,
    k: int,
    n_without: int,
    every: pd.DataFrame,
    enough: pd.DataFrame,
    at_1: PooledMeans,
    at_k: PooledMeans,
) -> str:
    """What the estimates leave out and why some are missing; "" when there is nothing to say."""
    lacking = trials.loc[trials["passed"].isna(), "status"]
    if every.empty:
        return nothing_note(lacking)
    failed = (lacking != Status.NOT_APPLICABLE) & (missing == "fail")
    notes = [
        missing_note(lacking[failed], "counted as failed"),
        missing_note(lacking[~failed]),
        unscored_note(asked, trials, every["stratum"]),
    ]
    if n_without:
        without = counted(n_without, "scenario has", "scenarios have")
        notes.append(f"{without} no trial with a value: left out")
    if enough.empty:
        notes.append(f"no scenario has {k} trials with a value: no pass@k, no pass^k")
    elif short := len(every) - len(enough):
        fewer = counted(short, "scenario has", "scenarios have")
        notes.append(f"{fewer} fewer than {k} trials: left out of pass@k and pass^k")
        if absent := sorted(set(map(str, every["stratum"])) - set(map(str, enough["stratum"]))):
            notes.append(f"no pass@k and pass^k of {', '.join(absent)}")
    notes.append(at_1.note)
    if at_k.note and at_k.note != at_1.note:
        notes.append(f"of pass@k and pass^k {at_k.note}")
    notes.append(_no_width(k, every, enough, at_1, at_k))
    return "; ".join(filter(None, notes))


def _no_width(k: int, every: pd.DataFrame, enough: pd.DataFrame, at_1: PooledMeans, at_k: PooledMeans) -> str:
    """Which intervals have no width. With k = 1 the rates are all one, and the gap is 0 by definition."""
    of_1 = no_width(len(every), every["stratum"].nunique(), "scenarios") if at_1.equal[0] else ""
    if of_1 and (k == 1 or (len(enough) == len(every) and at_k.equal.all())):
        return of_1
    notes = [f"pass_at_1: {of_1}"] if of_1 else []
    if names := [_ESTIMATES[i] for i in range(1, len(_ESTIMATES)) if at_k.equal[i] and k > 1]:
        notes.append(f"{', '.join(names)}: {no_width(len(enough), enough['stratum'].nunique(), 'scenarios')}")
    return "; ".join(notes)
