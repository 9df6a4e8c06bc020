"""Means pooled over domains with equal weight, so that a domain with more scenarios counts no more.

The mean of a metric over the trials of a scenario, then over the scenarios of a domain, then over
domains (paper table 4: "pooled equal-weighted across the three EVA-Bench domains"), with a
percentile bootstrap interval over scenarios, resampled within domains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evalib.stats.intervals import Rng, generator_of, stratified_interval
from evalib.stats.trial_values import trial_values

if TYPE_CHECKING:
    import pandas as pd


def pooled_estimate(
    scores: pd.DataFrame,
    metric: str,
    by: Sequence[str] = ("system",),
    strata: str = "domain",
    n_resamples: int = 10_000,
    rng: Rng = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Pooled mean of a metric with its interval, one row per group.

    Parameters
    ----------
    scores : DataFrame
        A score table.
    metric : str
        Of any unit; sub-metrics too.
    by : sequence of str
        Columns that tell the groups apart.
    strata : str
        Column whose values get equal weight. For plain per-domain means put ``"domain"`` in `by`.
    n_resamples, confidence, rng
        Of the bootstrap. With one seed a group's interval does not depend on the other groups.

    Returns
    -------
    DataFrame
        Columns of `by`, ``metric, estimate, low, high, n_strata, n_scenarios, n_trials,
        n_missing, confidence, policy, reason``. Missing trials are left out (``policy`` is
        ``"exclude"``); with none left the estimate is NaN and ``reason`` says why.

    Raises
    ------
    DataFormatError, ConfigError
        As :func:`evalib.stats.pass_rates`.
    """
    import pandas as pd

    trials = trial_values(scores, metric, by, strata)
    seed = int(generator_of(rng).integers(2**63))
    rows = []
    for key, group in trials.groupby(list(by), dropna=False, observed=True):
        scored = group[group["value"].notna()]
        units = scored.groupby(["stratum", "scenario"], as_index=False, observed=True)["value"].mean()
        parts = [s[["value"]].to_numpy() for _, s in units.groupby("stratum", observed=True)]
        estimate, low, high, note = stratified_interval(
            parts or [np.empty((0, 1))], n_resamples, confidence, seed
        )
        lost = sorted(set(map(str, group["stratum"])) - set(map(str, units["stratum"])))
        if scored.empty:
            note = f"no trial has a value: {', '.join(sorted(set(group['status'])))}"
        elif lost:
            note = "; ".join(part for part in (f"nothing scored in {', '.join(lost)}", note) if part)
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "metric": metric,
                "estimate": estimate[0],
                "low": low[0],
                "high": high[0],
                "n_strata": len(parts),
                "n_scenarios": len(units),
                "n_trials": len(scored),
                "n_missing": len(group) - len(scored),
                "confidence": confidence,
                "policy": "exclude",
                "reason": note,
            }
        )
    return pd.DataFrame(rows)
