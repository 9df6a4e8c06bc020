"""What becomes of pass rates and rankings when one threshold is another (paper E.3.2, E.3.3, E.4).

Tables 18 and 23 and Figure 4 recompute a composite, EVA-A or EVA-X, from its components' scores with
the threshold of one of them varied. The rules are those of :mod:`evalib.core`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import COMPOSITES, ConfigError, DataFormatError, Status
from evalib.stats.arguments import as_floats, check_columns, check_least
from evalib.stats.result import Result
from evalib.stats.trial_values import columns_of, groups_of, refuse_infinite, trial_values

if TYPE_CHECKING:
    import pandas as pd

_TOLERANCE = 1e-9  # as of the composite rules: 0.95 computed in floating point reaches 0.95


def threshold_sweep(
    scores: pd.DataFrame,
    metric: str,
    thresholds: Sequence[float] | float,
    composite: str = "eva_a_pass",
    by: Sequence[str] = ("architecture",),
    within: Sequence[str] = ("system",),
    strata: str = "domain",
) -> pd.DataFrame:
    """Pass@1 of a composite at each threshold of one of its components.

    Parameters
    ----------
    scores : DataFrame
        A score table with the components of the composite; its own rows are not read.
    metric : str
        The component whose threshold is varied, e.g. ``"speech_fidelity"``.
    thresholds : sequence of float, or float
        The other components keep theirs.
    composite : {"eva_a_pass", "eva_x_pass"}
    by : sequence of str
        Columns that tell the groups apart, e.g. ``("architecture",)`` (Table 18) or ``("system",)``
        (Table 23).
    within : sequence of str
        Columns of the members of a group, which get equal weight. Columns that `by` has already,
        or that the table has not, are left out.
    strata : str
        Column whose values get equal weight within a member.

    Returns
    -------
    DataFrame
        One row per group and threshold: columns of `by`, ``composite, metric, threshold,
        pass_at_1, n_members, n_scenarios, n_trials, n_missing, reason``. Passes are averaged over
        the trials of a scenario, its scenarios in a domain, domains with equal weight, and then
        members with equal weight, as F.2 averages pipeline types.

        A trial that lacks a component is missing at every threshold, never failed; a component
        that is not applicable to a trial is left out of its rule.

    Raises
    ------
    ConfigError
        When the composite is unknown or the metric is not in it, there are no thresholds, or
        groups are told apart by scenario or trial, which are averaged over.
    DataFormatError
        As :func:`evalib.stats.pass_rates`.

    Examples
    --------
    >>> import pandas as pd
    >>> values = {"task_completion": [1, 1, 1, 0], "faithfulness": [1, 1, 1, 1]}
    >>> values["speech_fidelity"] = [1, 0.9, 0.7, 1]
    >>> frame = pd.DataFrame(
    ...     [("a", s, 0, m, v) for m, column in values.items() for s, v in enumerate(column)],
    ...     columns=["system", "scenario", "trial", "metric", "value"],
    ... )
    >>> found = threshold_sweep(frame, "speech_fidelity", [0.6, 0.8, 0.95], by=("system",))
    >>> found["pass_at_1"].tolist()
    [0.75, 0.5, 0.25]
    """
    import pandas as pd

    if composite not in list(COMPOSITES):
        raise ConfigError(f"composite={composite!r} is unknown: use one of {', '.join(COMPOSITES)}")
    components = COMPOSITES[composite].components
    if metric not in list(components):
        raise ConfigError(f"{metric!r} is no component of {composite}: they are {', '.join(components)}")
    levels = np.atleast_1d(as_floats(thresholds, "thresholds"))
    if levels.ndim != 1 or not len(levels) or np.isnan(levels).any():
        raise ConfigError(f"thresholds={thresholds} must be a list of numbers")
    if len(np.unique(levels)) < len(levels):
        raise ConfigError(f"thresholds={thresholds} name one twice")
    by = columns_of(by)
    check_columns(scores, [], "scores")
    if spoiled := [c for c in ("scenario", "trial") if c in (*by, *columns_of(within))]:
        raise ConfigError(f"by and within must not name {spoiled[0]!r}, which is averaged over")
    members = [c for c in columns_of(within) if c not in by and c in scores]
    keys = [*by, *members]
    table = _components(scores, list(components), keys, strata)
    passed = _passed(table, metric, components, levels)
    trials = table[[*keys, "stratum", "scenario", "trial"]].reset_index(drop=True)
    rows = []
    for key, group in groups_of(trials, by):
        pooled = _pooled(group, passed[group.index], members)
        for level, rate in zip(levels.tolist(), pooled.pop("rates"), strict=True):
            row = {"composite": composite, "metric": metric, "threshold": level, "pass_at_1": rate}
            rows.append({**key, **row, **pooled})
    return pd.DataFrame(rows)


def _components(scores: pd.DataFrame, metrics: list[str], keys: list[str], strata: str) -> pd.DataFrame:
    """One row per trial: ``value <metric>`` and ``status <metric>`` of each component."""
    on = [*keys, "stratum", "scenario", "trial"]
    table: pd.DataFrame | None = None
    for metric in metrics:
        values = trial_values(scores, metric, keys, strata)
        refuse_infinite(values, metric)
        values = values.rename(columns={"value": f"value {metric}", "status": f"status {metric}"})
        table = values if table is None else table.merge(values, on=on, how="outer")
    assert table is not None
    return table.sort_values(on, kind="stable", ignore_index=True)


def _passed(
    table: pd.DataFrame, metric: str, components: Any, levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """1, 0 or NaN of each trial at each threshold, shape (trials, thresholds)."""
    fine = np.ones((len(table), len(levels)), dtype=bool)
    missing = np.zeros(len(table), dtype=bool)
    applies = np.zeros(len(table), dtype=bool)
    for name, usual in components.items():
        value = table[f"value {name}"].to_numpy(dtype=float)
        absent = np.isnan(value)
        spared = absent & (table[f"status {name}"] == Status.NOT_APPLICABLE).to_numpy()
        missing |= absent & ~spared
        applies |= ~absent
        needed = levels if name == metric else np.array([usual])
        fine &= (value[:, None] >= needed[None, :] - _TOLERANCE) | spared[:, None]
    return np.where((missing | ~applies)[:, None], np.nan, fine.astype(float))


def _pooled(group: pd.DataFrame, passed: NDArray[np.float64], members: list[str]) -> dict[str, Any]:
    import pandas as pd

    known = ~np.isnan(passed).any(axis=1)
    frame = pd.concat(
        [group[[*members, "stratum", "scenario"]].reset_index(drop=True), pd.DataFrame(passed)], axis=1
    )[known]
    level: dict[str, Any] = {"dropna": False, "observed": True}
    columns = list(range(passed.shape[1]))
    by_scenario = frame.groupby([*members, "stratum", "scenario"], **level)[columns].mean()
    by_stratum = by_scenario.groupby([*members, "stratum"], **level).mean()
    by_member = by_stratum.groupby(members, **level).mean() if members else by_stratum.mean().to_frame().T
    everyone = group.groupby(members, **level).ngroups if members else 1
    strata = group.groupby([*members, "stratum"], **level).ngroups
    if not known.any():
        reason = "no trial has all components"
    else:
        lost = [f"{everyone - len(by_member)} of {everyone} members"] if len(by_member) < everyone else []
        lost += [f"{strata - len(by_stratum)} of {strata} strata"] if len(by_stratum) < strata else []
        reason = f"nothing scored in {' and '.join(lost)}" if lost else ""
    return {
        "rates": by_member.mean().tolist() if known.any() else [np.nan] * len(columns),
        "n_members": len(by_member) if known.any() else 0,
        "n_scenarios": len(by_scenario),
        "n_trials": int(known.sum()),
        "n_missing": int((~known).sum()),
        "reason": reason,
    }


@dataclass(frozen=True)
class SweepStability(Result):
    """How far a ranking depends on a threshold.

    Attributes
    ----------
    spearman : float
        Between the rates at the lowest and at the highest threshold.
    n_pairs, n_strict, n_kept : int
        Pairs of units; those of which the same one leads at all thresholds; those of which
        never one leads here and the other there, ties being allowed. A flip is what is not kept.
    flips : list of (str, str, float)
        Pairs that flip, with the largest gap between their rates at any threshold.
    pearson : dict of float to float
        Per threshold, correlation with the rates at the anchor.
    anchor : float
    n_units : int
        With a rate at every threshold.
    n_missing : int
        Units left out for want of one.
    reason : str
    """

    spearman: float
    n_pairs: int
    n_strict: int
    n_kept: int
    flips: list[tuple[Any, Any, float]]
    pearson: dict[float, float] = field(repr=False)
    anchor: float
    n_units: int
    n_missing: int
    reason: str = ""


def sweep_stability(
    sweep: pd.DataFrame,
    anchor: float,
    unit: str = "system",
    value: str = "pass_at_1",
    tie: float = _TOLERANCE,
) -> SweepStability:
    """Whether rankings hold over a sweep: E.4.3's point (iv), and Table 23.

    Parameters
    ----------
    sweep : DataFrame
        As :func:`threshold_sweep` gives it, one row per unit and ``threshold``.
    anchor : float
        The threshold that the others are compared with; one of the sweep's.
    unit, value : str
        Columns of what is ranked, and of its rate.
    tie : float
        Rates this close are tied. The paper counts "statistically tied pairs", without saying
        which those are: a wider tie, such as an interval's half-width, can stand for it.

    Returns
    -------
    SweepStability
        Correlations are NaN, with a reason, for fewer than three units or rates that do not vary.

    Raises
    ------
    DataFormatError
        When a column is missing, or a unit has two rows at one threshold.
    ConfigError
        When the anchor is not in the sweep, or `tie` is negative.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"system": list("abcabc"), "threshold": [0.5] * 3 + [0.9] * 3},
    ... ).assign(pass_at_1=[0.8, 0.5, 0.4, 0.6, 0.2, 0.3])
    >>> found = sweep_stability(frame, anchor=0.5)
    >>> found.n_strict, found.n_pairs, [(a, b, round(gap, 3)) for a, b, gap in found.flips], found.spearman
    (2, 3, [('b', 'c', 0.1)], 0.5)
    """
    check_columns(sweep, (unit, "threshold", value), "rows of the sweep")
    check_least("tie", tie)
    check_least("anchor", anchor, -np.inf)
    sweep = sweep.assign(
        **{c: as_floats(sweep[c], c) for c in ("threshold", value)}  # a copy: numbers, and finite
    )
    for column in (unit, "threshold"):
        if sweep[column].isna().any():
            raise DataFormatError(f"a row of the sweep has no {column}: fill or drop it")
    if (twice := sweep.duplicated([unit, "threshold"])).any():
        first = sweep.loc[twice, [unit, "threshold"]].iloc[0].to_dict()
        raise DataFormatError(f"the sweep has two rows for {first}: sweep by {unit!r} alone")
    table = sweep.pivot(index=unit, columns="threshold", values=value).sort_index(axis=1)
    at = np.flatnonzero(np.isclose(table.columns.to_numpy(dtype=float), anchor, rtol=0, atol=_TOLERANCE))
    if not len(at):
        raise ConfigError(
            f"anchor={anchor} is no threshold of the sweep: {', '.join(map(str, table.columns))}"
        )
    whole = table.dropna()
    rates = whole.to_numpy(dtype=float)
    first, second = np.triu_indices(len(rates), k=1)
    gaps = rates[first] - rates[second]
    above, below = gaps > tie, gaps < -tie
    strict = above.all(axis=1) | below.all(axis=1)
    flipped = above.any(axis=1) & below.any(axis=1)
    names = whole.index.tolist()
    spearman, pearson, reason = _correlations(rates, whole.columns.tolist(), int(at[0]))
    return SweepStability(
        spearman=spearman,
        n_pairs=len(gaps),
        n_strict=int(strict.sum()),
        n_kept=int((~flipped).sum()),
        flips=[
            (names[first[i]], names[second[i]], float(np.abs(gaps[i]).max())) for i in np.flatnonzero(flipped)
        ],
        pearson=pearson,
        anchor=float(anchor),
        n_units=len(whole),
        n_missing=len(table) - len(whole),
        reason=reason,
    )


def _correlations(
    rates: NDArray[np.float64], thresholds: list[float], anchor: int
) -> tuple[float, dict[float, float], str]:
    from scipy.stats import rankdata

    if len(rates) < 3:
        return np.nan, dict.fromkeys(thresholds, np.nan), f"{len(rates)} units: correlations need three"
    ends = _correlation(rankdata(rates[:, 0]), rankdata(rates[:, -1]))
    pearson = {t: _correlation(rates[:, i], rates[:, anchor]) for i, t in enumerate(thresholds)}
    still = [t for i, t in enumerate(thresholds) if np.ptp(rates[:, i]) <= _TOLERANCE]
    reason = (
        f"no correlation where all rates are equal: threshold {', '.join(map(str, still))}" if still else ""
    )
    return ends, pearson, reason


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    if np.ptp(a) <= _TOLERANCE or np.ptp(b) <= _TOLERANCE:
        return np.nan
    return float(np.clip(np.corrcoef(a, b)[0, 1], -1, 1))
