r"""How much an estimate would have moved with fewer of the trials that were run (paper H.2, Table 34).

Of the n trials of each scenario, k are taken at random; their mean is averaged over scenarios. With
:math:`s_i^2` the variance (ddof 1) of scenario i's trials and N scenarios, sampling without
replacement gives exactly

.. math:: Var(\hat\theta_k) = \frac{1}{N^2} \sum_i \frac{s_i^2}{k} \left(1 - \frac{k}{n_i}\right)

(Cochran, *Sampling Techniques*, 1977, theorem 2.2). The paper says that widths decay as
:math:`k^{-1/2}`. They do not: they follow :math:`\sqrt{1/k - 1/n}`, which is 0 at k = n. With n = 5 the
widths at k = 2, 3, 4 are then 0.612, 0.408, 0.25 of that at k = 1 (:math:`k^{-1/2}`: 0.707, 0.577,
0.5); Table 34's are 0.62, 0.40, 0.24 (EVA-A). They tell what dropping trials of this run would do,
not how far a new run would be off: that variance is :math:`s_i^2/k`, without the last factor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import check_count, check_least, refuse_unsquarable
from evalib.stats.intervals import Rng, generator_of
from evalib.stats.trial_values import columns_of, groups_of, refuse_infinite, trial_values

if TYPE_CHECKING:
    import pandas as pd

_MOST_SUBSETS = 1_000  # of one scenario; more are drawn by shuffling
_CHUNK_CELLS = 2_000_000
_TIE = 1e-12
_Z = 1.959963984540054  # 97.5% of the standard normal


def subsample_stability(
    scores: pd.DataFrame,
    metric: str,
    ks: Sequence[int] | int = (1, 2, 3, 4),
    n_draws: int = 2_000,
    anchor: int = 5,
    by: Sequence[str] = ("system",),
    tolerance: float = 0.02,
    strata: str | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """Spread of a mean over random subsets of k trials per scenario, drawn and in closed form.

    Parameters
    ----------
    scores : DataFrame
        A score table.
    metric : str
        Composites too.
    ks : sequence of int, or int
        Trials to keep; each at least 1 and at most `anchor`.
    n_draws : int
        Random draws for each k; each takes its own subset in each scenario.
    anchor : int
        Trials a scenario must have. Scenarios with fewer are left out and counted; of those with
        more, all trials are used.
    by : sequence of str
        Columns that tell the groups apart.
    tolerance : float
        What counts as agreeing with the anchor, in the metric's unit.
    strata : str, optional
        Column, e.g. ``"domain"``, whose values get equal weight. None, as in the paper: scenarios
        do.
    rng : numpy Generator, int or None
        With one seed a group's draws do not depend on the other groups.

    Returns
    -------
    DataFrame
        Columns of `by`, ``metric, k, estimate`` (from all trials), ``width`` (97.5th
        less 2.5th percentile of the draws), ``share_within`` (of draws within `tolerance` of the
        anchor), ``sd``; ``closed_form_sd``, exact; ``closed_form_width, closed_form_share``, from
        it by the normal distribution; ``n_draws, n_scenarios, n_excluded`` (scenarios),
        ``n_missing`` (trials), ``reason``.

    Raises
    ------
    DataFormatError, ConfigError
        As :func:`evalib.stats.pass_rates`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     [("a", s, t, "m", float(t < s % 5)) for s in range(100) for t in range(5)],
    ...     columns=["system", "scenario", "trial", "metric", "value"],
    ... )
    >>> found = subsample_stability(frame, "m", ks=(1, 5), n_draws=500)
    >>> found[["k", "estimate", "closed_form_sd", "sd"]].round(2).to_dict("list")
    {'k': [1, 5], 'estimate': [0.4, 0.4], 'closed_form_sd': [0.04, 0.0], 'sd': [0.04, 0.0]}
    """
    import pandas as pd

    ks, by = _checked(ks, n_draws, anchor, tolerance), columns_of(by)
    trials = trial_values(scores, metric, by, strata or "domain")
    refuse_infinite(trials, metric)
    refuse_unsquarable(trials["value"].to_numpy(), metric)
    seed = int(generator_of(rng).integers(2**63))
    found = []
    for key, group in groups_of(trials, by):
        values, weights, counts = _scenarios(group, anchor, strata is not None)
        for k in ks:
            row = _spread(values, weights, k, n_draws, tolerance, np.random.default_rng([seed, k]))
            found.append({**key, "metric": metric, "k": k, **row, **counts})
    frame = pd.DataFrame(found)
    if (few := frame["n_scenarios"] == 0).any():
        frame.loc[few, "reason"] = f"no scenario has {anchor} trials with a value"
    return frame


def _checked(ks: Sequence[int] | int, n_draws: int, anchor: int, tolerance: float) -> list[int]:
    check_count("anchor", anchor)
    check_count("n_draws", n_draws)
    check_least("tolerance", tolerance)
    kept = list(ks) if isinstance(ks, Iterable) and not isinstance(ks, str) else [ks]
    for k in kept:
        check_count("each of ks", k)
    if not kept or max(kept) > anchor or len(set(kept)) < len(kept):
        raise ConfigError(f"ks={kept} must lie between 1 and anchor={anchor}, each once")
    return [int(k) for k in kept]


def _scenarios(
    trials: pd.DataFrame, anchor: int, stratified: bool
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64], dict[str, Any]]:
    """Values of scenarios by their number of trials, as arrays (scenarios, trials); weights of the same."""
    scored = trials[trials["value"].notna()].sort_values(["stratum", "scenario", "trial"], kind="stable")
    units = scored.groupby(["stratum", "scenario"], observed=True)["value"].agg(list).reset_index()
    units["n"] = units["value"].map(len)
    units = units[units["n"] >= anchor]
    n_all = len(trials.groupby(["stratum", "scenario"], observed=True))
    sizes = units["stratum"].map(units["stratum"].value_counts()).to_numpy(dtype=float)
    n_strata = units["stratum"].nunique()
    weights = 1 / (sizes * n_strata) if stratified else np.full(len(units), 1 / max(len(units), 1))
    order = np.argsort(units["n"].to_numpy(), kind="stable")
    values = [np.array(v.tolist()) for _, v in units.groupby("n")["value"]]
    excluded, missing = n_all - len(units), int(trials["value"].isna().sum())
    reason = (
        f"{excluded} of {n_all} scenarios left out: fewer than {anchor} trials with a value"
        if excluded
        else ""
    )
    counts = {"n_scenarios": len(units), "n_excluded": excluded, "n_missing": missing, "reason": reason}
    return values, weights[order], counts


def _spread(
    values: list[NDArray[np.float64]],
    weights: NDArray[np.float64],
    k: int,
    n_draws: int,
    tolerance: float,
    rng: np.random.Generator,
) -> dict[str, Any]:
    from scipy.special import ndtr

    names = (
        "estimate",
        "width",
        "share_within",
        "sd",
        "closed_form_sd",
        "closed_form_width",
        "closed_form_share",
    )
    if not values:
        return {**dict.fromkeys(names, np.nan), "n_draws": n_draws}
    parts = np.split(weights, np.cumsum([len(v) for v in values])[:-1])
    blocks = list(zip(values, parts, strict=True))
    estimate = float(sum(w @ v.mean(axis=1) for v, w in blocks))
    draws = sum((_drawn(v - v[:, :1], w, k, n_draws, rng) for v, w in blocks), np.zeros(n_draws))
    draws += float(sum(w @ v[:, 0] for v, w in blocks))
    # Differences from the first trial: a scenario that does not vary adds no rounding.
    variance = sum(
        float(w**2 @ _variances(v)) * (1 / k - 1 / v.shape[1]) for v, w in blocks if v.shape[1] > 1
    )
    sd = float(np.sqrt(variance))
    low, high = np.quantile(draws, [0.025, 0.975])
    still = sd == 0
    row = {
        "estimate": estimate,
        "width": 0.0 if still else float(high - low),
        "share_within": 1.0 if still else float((np.abs(draws - estimate) <= tolerance + _TIE).mean()),
        "sd": 0.0 if still else float(draws.std()),
        "closed_form_sd": sd,
        "closed_form_width": 2 * _Z * sd,
        "closed_form_share": 1.0 if still else float(1 - 2 * ndtr(-tolerance / sd)),
    }
    return {**row, "n_draws": n_draws}


def _variances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    constant = (values == values[:, :1]).all(axis=1)
    return np.where(constant, 0.0, values.var(axis=1, ddof=1))


def _drawn(
    values: NDArray[np.float64], weights: NDArray[np.float64], k: int, n_draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Weighted sum over scenarios of the mean of k random trials of each, shape (n_draws,)."""
    n_scenarios, n = values.shape
    few = comb(n, k) <= _MOST_SUBSETS
    if few:
        subsets = np.array(list(combinations(range(n), k)))
        means = (values[:, subsets].mean(axis=2) * weights[:, None]).ravel()
        start = np.arange(n_scenarios) * len(subsets)
    step = max(1, _CHUNK_CELLS // (n_scenarios * (1 if few else n)))
    found = []
    for first in range(0, n_draws, step):
        size = min(step, n_draws - first)
        if few:
            found.append(means[rng.integers(len(subsets), size=(size, n_scenarios)) + start].sum(axis=1))
        else:
            taken = rng.random((size, n_scenarios, n)).argpartition(k - 1, axis=2)[:, :, :k]
            found.append(np.take_along_axis(values[None], taken, axis=2).mean(axis=2) @ weights)
    return np.concatenate(found)
