"""Means pooled over domains with equal weight, so that a domain with more scenarios counts no more.

The mean of a metric over the trials of a scenario, then over the scenarios of a domain, then over
domains (paper table 4: "pooled equal-weighted across the three EVA-Bench domains"), with a
percentile bootstrap interval over scenarios, resampled within domains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalib.stats.intervals import (
    Rng,
    check_settings,
    generator_of,
    no_width,
    single_unit,
    stratified_interval,
)
from evalib.stats.trial_values import (
    columns_of,
    groups_of,
    missing_note,
    nothing_note,
    refuse_infinite,
    result_row,
    trial_values,
)

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-12


def pooled_estimate(
    scores: pd.DataFrame,
    metric: str,
    by: str | Sequence[str] = ("system",),
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
    by : str or sequence of str
        Columns that tell the groups apart; ``()`` for one row over all.
    strata : str
        Column whose values get equal weight. For plain per-domain means put ``"domain"`` in `by`.
    n_resamples, confidence, rng
        Of the bootstrap. With one seed a group's interval does not depend on the other groups.

    Returns
    -------
    DataFrame
        Columns of `by`, ``metric, estimate, low, high, half_width, longer_arm, n_strata,
        n_scenarios, n_trials, n_missing, confidence, policy, reason``. ``half_width`` is half the
        distance of the ends, ``longer_arm`` the distance of the estimate from the farther end,
        which is what the paper prints after its plus-minus (:class:`BootstrapResult` says how that
        is known). Missing trials are left out (``policy`` is ``"exclude"``), which ``reason`` says;
        with none left the estimate is NaN. ``reason`` also names strata in which a group has nothing
        scored, though others have: their estimates do not compare.

    Raises
    ------
    DataFormatError, ConfigError
        As :func:`evalib.stats.pass_rates`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"domain": ["x", "x", "y", "y"], "scenario": [1, 2, 1, 2], "trial": 0,
    ...                       "metric": "seconds", "value": [1.0, 3.0, 6.0, None], "system": "s"})
    >>> found = pooled_estimate(frame, "seconds").iloc[0]
    >>> float(found["estimate"])  # of 2 and 6
    4.0
    >>> found["reason"]
    '1 trial has no value (not_run 1): left out; no interval: a single unit to resample in y'
    """
    import pandas as pd

    check_settings(n_resamples, confidence)
    by = columns_of(by)
    trials = trial_values(scores, metric, by, strata)
    refuse_infinite(trials, metric)
    seed = int(generator_of(rng).integers(2**63))
    rows = []
    groups = list(groups_of(trials, by))
    for (key, group), asked in zip(groups, units_asked(groups), strict=True):
        scored = group[group["value"].notna()]
        units = scored.groupby(["stratum", "scenario"], as_index=False, observed=True)["value"].mean()
        found = pooled_means(units[["value"]].to_numpy(), units["stratum"], n_resamples, confidence, seed)
        estimate, low, high = (float(v[0]) for v in (found.estimate, found.low, found.high))
        row = {
            "metric": metric,
            "estimate": estimate,
            "low": low,
            "high": high,
            "half_width": (high - low) / 2,
            "longer_arm": float(np.maximum(estimate - low, high - estimate)),
            "n_strata": units["stratum"].nunique(),
            "n_scenarios": len(units),
            "n_trials": len(scored),
            "n_missing": len(group) - len(scored),
            "confidence": confidence,
            "policy": "exclude",
            "reason": _reason(group, asked, units, found),
        }
        rows.append(result_row(key, row))
    return pd.DataFrame(rows)


def _reason(trials: pd.DataFrame, asked: Units, units: pd.DataFrame, found: PooledMeans) -> str:
    missing = trials.loc[trials["value"].isna(), "status"]
    if units.empty:
        return nothing_note(missing)
    notes = [missing_note(missing), unscored_note(asked, trials, units["stratum"]), found.note]
    if found.equal.all():
        notes.append(no_width(len(units), units["stratum"].nunique(), "scenarios"))
    return "; ".join(filter(None, notes))


Units = frozenset[tuple[str, str]]  # strata and scenarios


def units_asked(groups: Sequence[tuple[dict[str, Any], pd.DataFrame]]) -> list[Units]:
    """The scenarios that each group should have: its own, and those of groups that share one with it.

    Groups that share none differ by design, such as the workflows of a domain.
    """
    own = [units_of(trials) for _, trials in groups]
    distinct = set(own)
    return [frozenset().union(*(other for other in distinct if other & mine)) for mine in own]


def units_of(trials: pd.DataFrame) -> Units:
    """The scenarios that have a row, with their strata."""
    pairs = trials[["stratum", "scenario"]].drop_duplicates().astype(str)
    return frozenset(pairs.itertuples(index=False, name=None))


def unscored_note(asked: Units, trials: pd.DataFrame, scored: pd.Series) -> str:
    """Which strata an estimate lacks, and how many scenarios of others have no row; "" when none."""
    strata = set(map(str, scored))
    lost = sorted({stratum for stratum, _ in asked} - strata)
    wanted = {unit for unit in asked if unit[0] in strata}
    notes = [f"nothing scored in {', '.join(lost)}"] if lost else []
    if absent := len(wanted - units_of(trials)):
        notes.append(f"{absent} of {len(wanted)} scenarios that others have are not in the table")
    return "; ".join(notes)


class PooledMeans(NamedTuple):
    """Means over strata, of several statistics at once.

    ``equal`` tells of which statistics all units of each stratum are equal, so that the interval
    has no width; ``note`` why there is no interval at all.
    """

    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    equal: NDArray[np.bool_]
    note: str


def pooled_means(
    values: NDArray[np.float64], strata: pd.Series, n_resamples: int, confidence: float, seed: int
) -> PooledMeans:
    """Equal-weighted means over strata of statistics of units, with intervals from one bootstrap.

    Parameters
    ----------
    values : ndarray, shape (n_units, n_statistics)
        No NaN. Without units all is NaN.
    strata : Series, shape (n_units,)

    Returns
    -------
    PooledMeans
    """
    import pandas as pd

    codes, names = pd.factorize(strata, sort=True)
    parts = [values[codes == i] for i in range(len(names))]
    if not parts:
        nan = np.full(values.shape[1], np.nan)
        return PooledMeans(nan, nan, nan, np.zeros(values.shape[1], dtype=bool), "")
    estimate, low, high, note = stratified_interval(parts, n_resamples, confidence, seed)
    lone = [str(name) for name, part in zip(names, parts, strict=True) if len(part) == 1]
    if lone:
        note = single_unit(lone if len(parts) > 1 else [])
    # Means of equal numbers differ in their last bits, which is no width either.
    same = [np.ptp(part, axis=0) <= _ROUNDING * np.abs(part).max(axis=0) for part in parts]
    equal = np.all(same, axis=0) & (not lone)
    return PooledMeans(estimate, np.where(equal, estimate, low), np.where(equal, estimate, high), equal, note)
