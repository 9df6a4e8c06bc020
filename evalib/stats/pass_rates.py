r"""Pass rates over repeated trials: pass@1, pass@k and pass^k (paper section 3.2.4, appendix A).

Of a scenario with n trials of which c passed:

- pass@1 is :math:`c/n`, how often one trial passes;
- pass@k is :math:`1 - \binom{n-c}{k} / \binom{n}{k}`, the chance that at least one of k trials
  passes; with n = k, whether any passed;
- pass^k is :math:`(c/n)^k`, the paper's: the chance that k independent trials all pass, with the
  pass rate estimated by c/n. It overestimates when n is small;
- the unbiased pass^k is :math:`\binom{c}{k} / \binom{n}{k}`, the share of sets of k of the trials
  in which all passed.

Scenarios are averaged within a domain, and domains with equal weight. Intervals are percentile
bootstrap over scenarios, resampled within domains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError, DataFormatError, Status
from evalib.stats.intervals import Rng, generator_of, stratified_interval
from evalib.stats.trial_values import trial_values

if TYPE_CHECKING:
    import pandas as pd

RATES = ("pass_at_1", "pass_at_k", "pass_hat_k", "pass_hat_k_unbiased")
_TOLERANCE = 1e-9
Missing = Literal["exclude", "fail"]


def scenario_rates(passed: ArrayLike, trials: ArrayLike, k: int) -> NDArray[np.float64]:
    """The rates of scenarios.

    Parameters
    ----------
    passed, trials : array_like of int, shape (n,)
        c and n of each scenario; 0 <= c <= n and n >= k.
    k : int
        At least 1.

    Returns
    -------
    ndarray, shape (n, 4)
        Columns in the order of :data:`RATES`.

    Examples
    --------
    >>> scenario_rates([2], [4], k=2).round(4)
    array([[0.5   , 0.8333, 0.25  , 0.1667]])
    """
    from scipy.special import comb

    c, n = np.asarray(passed, dtype=float), np.asarray(trials, dtype=float)
    if k < 1 or (n < k).any() or (c < 0).any() or (c > n).any():
        raise ConfigError(f"need 1 <= k={k} <= trials and 0 <= passed <= trials in every scenario")
    p, sets = c / n, comb(n, k)
    return np.column_stack([p, 1 - comb(n - c, k) / sets, p**k, comb(c, k) / sets])


def pass_rates(
    scores: pd.DataFrame,
    k: int | None = None,
    by: Sequence[str] = ("system",),
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
    by : sequence of str
        Columns that tell the groups apart.
    metric : str
    missing : {"exclude", "fail"}
        What becomes of a trial without a value. ``"exclude"``: it is left out, and a scenario with
        fewer than k trials left is left out whole. ``"fail"``: it counts as not passed, the most
        pessimistic reading; a trial to which the metric does not apply is left out still.
    threshold : float, optional
        A trial passes at or above it; needed for metrics whose values are not 0 or 1.
    strata : str
        Column whose values get equal weight.
    n_resamples, confidence, rng
        Of the bootstrap. With one seed a group's interval does not depend on the other groups.

    Returns
    -------
    DataFrame
        Columns of `by`, ``metric, k, n_scenarios, n_trials, n_missing, n_excluded_scenarios``;
        ``pass_at_1, pass_at_k, pass_hat_k, pass_hat_k_unbiased``, each followed by ``_low`` and
        ``_high``; ``pass_at_1_if_missing_fails``, for which policy changes the headline;
        ``confidence, policy, reason``. Where nothing was scored the estimates are NaN and
        ``reason`` says why.

    Raises
    ------
    DataFormatError, ConfigError
        When the table lacks a column or the metric, has a trial twice, mixes judges or
        conditions, or an argument is out of range.
    """
    import pandas as pd

    if missing not in ("exclude", "fail"):
        raise ConfigError(f"missing={missing!r} is no policy: use 'exclude' or 'fail'")
    trials = trial_values(scores, metric, by, strata)
    trials["passed"] = _passed(trials["value"], metric, threshold)
    if k is None:
        k = int(trials.groupby([*by, "stratum", "scenario"], dropna=False, observed=True).size().max())
    elif k < 1:
        raise ConfigError(f"k={k} must be at least 1")
    seed = int(generator_of(rng).integers(2**63))
    rows = []
    for key, group in trials.groupby(list(by), dropna=False, observed=True):
        row = _group_rates(group, k, missing, n_resamples, confidence, seed)
        rows.append({**dict(zip(by, key, strict=True)), "metric": metric, "k": k, **row})
    return pd.DataFrame(rows)


def _passed(values: pd.Series, metric: str, threshold: float | None) -> pd.Series:
    """1.0, 0.0 or NaN for each trial."""
    if threshold is None:
        if not values.dropna().isin([0.0, 1.0]).all():
            raise DataFormatError(
                f"{metric} has values other than 0 and 1: pass threshold=, above which a trial passes"
            )
        return values
    return (values >= threshold - _TOLERANCE).astype(float).where(values.notna())


def _group_rates(
    trials: pd.DataFrame, k: int, missing: Missing, n_resamples: int, confidence: float, seed: int
) -> dict[str, Any]:
    counted = _counted(trials, missing)
    units = _scenarios(counted, k)
    strata = [s[["c", "n"]].to_numpy() for _, s in units.groupby("stratum", observed=True)]
    found = [scenario_rates(s[:, 0], s[:, 1], k) for s in strata] or [np.empty((0, len(RATES)))]
    estimate, low, high, note = stratified_interval(found, n_resamples, confidence, seed)
    row: dict[str, Any] = {
        "n_scenarios": len(units),
        "n_trials": int(units["n"].sum()),
        "n_missing": int(trials["passed"].isna().sum()),
        "n_excluded_scenarios": len(trials.groupby(["stratum", "scenario"], observed=True)) - len(units),
    }
    for i, name in enumerate(RATES):
        row |= {name: estimate[i], f"{name}_low": low[i], f"{name}_high": high[i]}
    worst = _scenarios(_counted(trials, "fail"), k)
    by_stratum = (worst["c"] / worst["n"]).groupby(worst["stratum"], observed=True).mean()
    row["pass_at_1_if_missing_fails"] = float(by_stratum.mean()) if len(by_stratum) else np.nan
    lost = sorted(set(map(str, trials["stratum"])) - set(map(str, units["stratum"])))
    row |= {"confidence": confidence, "policy": missing}
    row["reason"] = _reason(trials, counted, k, len(units), lost, note)
    return row


def _counted(trials: pd.DataFrame, missing: Missing) -> pd.DataFrame:
    """The trials that count under a policy, each with a 0 or a 1.

    Where no trial at all has a value there is nothing to be pessimistic about: none counts.
    """
    if missing == "fail" and trials["passed"].notna().any():
        trials = trials[trials["passed"].notna() | (trials["status"] != Status.NOT_APPLICABLE)]
        return trials.assign(passed=trials["passed"].fillna(0.0))
    return trials[trials["passed"].notna()]


def _scenarios(counted: pd.DataFrame, k: int) -> pd.DataFrame:
    """c and n of each scenario with at least k trials."""
    units = (
        counted.groupby(["stratum", "scenario"], as_index=False, observed=True)
        .agg(c=("passed", "sum"), n=("passed", "size"))
        .astype({"c": int})
    )
    return units[units["n"] >= k]


def _reason(
    trials: pd.DataFrame, counted: pd.DataFrame, k: int, n_scenarios: int, lost: list[str], note: str
) -> str:
    """Why estimates are missing, or what they leave out; "" when they leave out nothing."""
    if counted.empty:
        statuses = ", ".join(sorted(set(trials["status"])))
        return f"no trial has a value: {statuses}"
    if not n_scenarios:
        return f"no scenario has {k} trials with a value"
    left_out = f"nothing scored in {', '.join(lost)}" if lost else ""
    return "; ".join(part for part in (left_out, note) if part)
