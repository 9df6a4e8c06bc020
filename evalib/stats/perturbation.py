"""What perturbed speech does to scores: paired tests of every metric against the clean baseline.

Trials are averaged within a scenario and a condition, the baseline is subtracted, and the mean of
the scenarios' differences is tested by sign flips (paper appendix G.2, Table 32, Figure 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError
from evalib.stats.arguments import check_columns, check_count, check_flag, check_share
from evalib.stats.intervals import Rng, generator_of, stratified_interval
from evalib.stats.multiplicity import holm
from evalib.stats.sign_flip import Alternative, Exact, sign_flip_tests
from evalib.stats.trial_values import columns_of, refuse_infinite, trial_values

if TYPE_CHECKING:
    import pandas as pd

POOLED = "pooled"  # what the domain of a row over all domains is called
_STARS = {0.001: "***", 0.01: "**", 0.05: "*"}  # of the adjusted p-value, as in Table 32
_RESERVED = {"metric", "domain", "condition", "scenario", "trial", "value", "status", "stratum", "judge_pass"}
# Means of equal scores in another order differ in the last bits: no difference.
_NO_DIFFERENCE = 1e-12


def perturbation_tests(
    scores: pd.DataFrame,
    family: Sequence[str] | None = None,
    metrics: Sequence[str] | str | None = None,
    by: Sequence[str] = ("system",),
    baseline: str = "clean",
    conditions: Sequence[str] | None = None,
    domains: bool = True,
    pooled: bool = True,
    pooled_weights: Literal["scenarios", "domains"] = "scenarios",
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    n_bootstrap: int = 1_000,
    confidence: float = 0.95,
    exact: Exact = "auto",
    alpha: float = 0.05,
    rng: Rng = None,
) -> pd.DataFrame:
    """Test each perturbation of each metric against the baseline, per domain and pooled.

    Parameters
    ----------
    scores : DataFrame
        A score table with a column ``condition``.
    family : sequence of str, optional
        Columns that a family of tests has in common; Holm's correction is within families. Of
        `by`, ``"metric"``, ``"domain"`` and ``"condition"``. Pooled rows never share a family with
        rows of a domain. Default: `by`, ``"metric"`` and ``"domain"``, the conditions of one metric in one
        domain, three of them in the paper, as its appendix G.2 describes. ``("system",
        "metric")``: conditions x domains, nine in the paper: Holm over these nine gives every
        corrected p of single domains that its leaderboard publishes, over three hardly any. Pooled
        rows are a family of three either way.
    metrics : sequence of str, optional
        Default: all of the table.
    by : sequence of str
        Columns that tell apart what is tested.
    baseline : str
        The condition that the others are compared with.
    conditions : sequence of str, optional
        Default: all others of the table.
    domains, pooled : bool
        Which rows are wanted. A table without a column ``domain`` has pooled rows only.
    pooled_weights : {"scenarios", "domains"}
        ``"scenarios"``: the pooled mean is the plain mean over all scenarios' differences (G.2).
        ``"domains"``: domains count equally, however many scenarios they have; the bootstrap
        resamples within domains. The same where domains have equally many paired scenarios.
    alternative, n_resamples, exact
        As of :func:`evalib.stats.sign_flip_test`. "less": the perturbation lowers the score.
    n_bootstrap : int
        Resamples of scenarios for the percentile interval of the mean difference.
    confidence, alpha : float
        Of the interval; at which an adjusted p-value is significant (below it).
    rng : numpy Generator, int or None
        None is a fixed seed. A row's numbers do not depend on the other rows of the table.

    Returns
    -------
    DataFrame
        Columns of `by`, ``metric, domain, condition``; ``mean_delta`` (perturbed - baseline),
        ``low, high`` (its interval), ``baseline_mean, perturbed_mean`` (over the paired
        scenarios), all in the metric's unit; ``n_scenarios`` (with a value under both
        conditions), ``n_unpaired`` (under one only: left out), ``n_missing`` (trials without a
        value, of scenarios tried under both conditions); ``pvalue, p_holm, family_size`` (tests
        made), ``method, significant`` (NA where no test was made), ``stars`` (* p_holm < 0.05,
        ** < 0.01, *** < 0.001), ``reason``. A condition that a group has not been tried under is
        a row of NaN with the reason.

    Raises
    ------
    DataFormatError
        When a column, a metric or a condition is not in the table, a trial has two rows, or a
        value is infinite.
    ConfigError
        When rows mix judges of a metric, or an argument is out of range.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     [("a", s, 0, c, "task_completion", v - (c == "noise") / 2)
    ...      for s, v in enumerate([1.0, 0.5, 1.0, 1.0, 0.5, 1.0]) for c in ("clean", "noise")],
    ...     columns=["system", "scenario", "trial", "condition", "metric", "value"],
    ... )
    >>> found = perturbation_tests(table)
    >>> print(found[["domain", "mean_delta", "n_scenarios", "pvalue", "stars"]].to_string(index=False))
    domain  mean_delta  n_scenarios  pvalue stars
    pooled        -0.5            6 0.03125     *
    """
    by = columns_of(by)
    family = [*by, "metric", "domain"] if family is None else columns_of(family)
    check_flag("domains", domains)
    check_flag("pooled", pooled)
    check_columns(scores, [], "scores")
    _check(by, family, pooled_weights, alpha, n_bootstrap, confidence)
    levels = _levels(scores, domains, pooled)
    units = _scenario_means(scores, metrics, by, baseline, conditions)
    parts = [_rows(units, by, level, pooled_weights) for level in levels]
    seeds = generator_of(rng).integers(2**63, size=2).tolist()

    height = max(len(p.tested) for p in parts)
    deltas = np.hstack([_padded(p.tested, height) for p in parts])
    tests = sign_flip_tests(deltas, alternative, n_resamples, exact, seeds[0])
    start = 0
    frames = []
    for part in parts:
        frame, own = part.frame, slice(start, start := start + len(part.frame))
        frame["low"], frame["high"], notes = _intervals(part, n_bootstrap, confidence, seeds[1])
        frame["pvalue"], frame["method"] = tests.pvalue[own], tests.method[own]
        frame["reason"] = [
            untested or "; ".join(filter(None, (lost, of_test, of_interval)))
            for untested, lost, of_test, of_interval in zip(
                part.untested, part.lost, tests.reason[own], notes, strict=True
            )
        ]
        frames.append(frame)
    return _adjusted(frames, by, family, alpha)


def _check(
    by: list[str],
    family: list[str],
    pooled_weights: str,
    alpha: float,
    n_bootstrap: int,
    confidence: float,
) -> None:
    if reserved := sorted(_RESERVED.intersection(by)):
        raise ConfigError(
            f"by must not hold {reserved[0]!r}: rows are per metric, domain and condition anyway"
        )
    known = [*by, "metric", "domain", "condition"]
    if strange := [c for c in family if c not in known]:
        raise ConfigError(f"family: {strange[0]!r} is no column of by, nor one of the tests: use {known}")
    if pooled_weights not in ("scenarios", "domains"):
        raise ConfigError(f"pooled_weights={pooled_weights!r} is unknown: use 'scenarios' or 'domains'")
    for name, value in (("alpha", alpha), ("confidence", confidence)):
        check_share(name, value)
    check_count("n_bootstrap", n_bootstrap)


def _levels(scores: pd.DataFrame, domains: bool, pooled: bool) -> list[bool]:
    """Which sets of rows there are to be: False per domain, True pooled."""
    if "condition" not in scores:
        raise DataFormatError("the score table has no column 'condition': there is nothing to compare")
    levels = [False] * (domains and "domain" in scores) + [True] * pooled
    if not levels:
        raise ConfigError("no rows are asked for: use domains=True on a table with domains, or pooled=True")
    return levels


@dataclass(frozen=True)
class _Units:
    """Scenarios of each group, in order, under the baseline and the k other conditions."""

    keys: pd.DataFrame  # columns of by, metric, stratum, scenario; n rows
    conditions: list[str]  # k + 1, the baseline first
    domain: NDArray[np.intp]  # (n,), number of the stratum
    domains: list[str]  # names of the strata
    means: NDArray[np.float64]  # (n, k + 1), NaN where no trial has a value
    n_trials: NDArray[np.int64]  # (n, k + 1)
    n_missing: NDArray[np.int64]  # (n, k + 1)

    def deltas(self) -> NDArray[np.float64]:
        """Perturbed minus baseline, shape (n, k); NaN where either is."""
        before, after = self.means[:, :1], self.means[:, 1:]
        delta = after - before
        delta[np.abs(delta) <= _NO_DIFFERENCE * np.maximum(np.abs(before), np.abs(after))] = 0.0
        return delta


def _scenario_means(
    scores: pd.DataFrame,
    metrics: Sequence[str] | str | None,
    by: list[str],
    baseline: str,
    conditions: Sequence[str] | None,
) -> _Units:
    import pandas as pd

    compared = _compared(scores, baseline, conditions)
    if metrics is None:
        metrics = sorted(scores["metric"].dropna().unique())
    names = [metrics] if isinstance(metrics, str) else list(dict.fromkeys(metrics))
    if not names:
        raise ConfigError("metrics names no metric: name one, or leave it out for all of the table")
    trials = pd.concat(
        [_finite_trials(scores, name, by).assign(metric=name) for name in names],
        ignore_index=True,
    )
    columns = pd.Index(compared).get_indexer(trials["condition"].astype(str))
    trials, columns = trials[columns >= 0], columns[columns >= 0]
    if trials["stratum"].isna().any():
        raise DataFormatError("rows of the score table have no domain: give them one")
    if (trials["stratum"] == POOLED).any():
        raise DataFormatError(f"a domain is called {POOLED!r}, which is the name of rows over all domains")
    groups = trials.groupby([*by, "metric", "stratum", "scenario"], dropna=False, observed=True)
    keys = groups.size().index.to_frame(index=False)
    shape = (len(keys), len(compared))
    cell = groups.ngroup().to_numpy() * shape[1] + columns
    missing = trials["value"].isna().to_numpy()
    totals = _sums(cell, shape, trials["value"].fillna(0.0).to_numpy())
    n_trials, n_missing = _sums(cell, shape), _sums(cell[missing], shape)
    valued = n_trials - n_missing
    means = np.divide(totals, valued, out=np.full(shape, np.nan), where=valued > 0)
    domain, domains = pd.factorize(keys["stratum"], sort=True)
    return _Units(keys, compared, domain, list(map(str, domains)), means, n_trials, n_missing)


def _finite_trials(scores: pd.DataFrame, metric: str, by: list[str]) -> pd.DataFrame:
    trials = trial_values(scores, metric, [*by, "condition"])
    refuse_infinite(trials, metric)
    return trials


def _compared(scores: pd.DataFrame, baseline: str, conditions: Sequence[str] | None) -> list[str]:
    """The baseline and the conditions to compare with it."""
    if n_without := int(scores["condition"].isna().sum()):
        raise DataFormatError(f"{n_without} rows of the score table have no condition: give them one")
    present = sorted(map(str, scores["condition"].unique()))
    if isinstance(conditions, str):
        conditions = [conditions]
    chosen = [c for c in present if c != baseline] if conditions is None else list(dict.fromkeys(conditions))
    if absent := [c for c in (baseline, *chosen) if c not in present]:
        raise DataFormatError(
            f"the score table has no condition {absent[0]!r}; it has {', '.join(present) or 'none'}"
        )
    if not chosen and present == [baseline]:
        raise ConfigError(
            f"the score table has {baseline!r} only: add scores under other conditions to compare with it"
        )
    if not chosen or baseline in chosen:
        raise ConfigError(f"no condition to compare with the baseline {baseline!r}: name others")
    return [baseline, *chosen]


def _sums(cell: NDArray, shape: tuple[int, ...], weights: NDArray | None = None) -> NDArray:
    """Sums of weights (or numbers) of what falls in each cell, added in order."""
    return np.bincount(cell, weights, minlength=int(np.prod(shape))).reshape(shape)


@dataclass(frozen=True)
class _Rows:
    """The rows of one level, and what is tested and resampled for each."""

    frame: pd.DataFrame  # m rows
    deltas: NDArray[np.float64]  # (largest n_scenarios, m), each column filled from the top, then NaN
    tested: NDArray[np.float64]  # as deltas, weighted
    strata: NDArray[np.int64]  # (m, s), how many of a column's deltas are in each stratum, in order
    untested: list[str]  # why there is no test
    lost: list[str]  # which domains a pooled row lacks


def _rows(units: _Units, by: list[str], is_pooled: bool, pooled_weights: str) -> _Rows:
    group_columns = [*by, "metric"] if is_pooled else [*by, "metric", "stratum"]
    groups = units.keys.groupby(group_columns, dropna=False, observed=True)
    frame = groups.size().index.to_frame(index=False)
    k = len(units.conditions) - 1
    frame = frame.loc[np.repeat(np.arange(len(frame)), k)].reset_index(drop=True)
    frame["domain"] = POOLED if is_pooled else frame.pop("stratum")
    frame["condition"] = np.tile(units.conditions[1:], len(frame) // k)
    m = len(frame)
    row_of = groups.ngroup().to_numpy()[:, None] * k + np.arange(k)  # of a unit under a condition

    all_deltas = units.deltas()
    unit, condition = np.nonzero(~np.isnan(all_deltas))
    order = np.argsort(row_of[unit, condition], kind="stable")  # units are sorted by stratum and scenario
    unit, condition = unit[order], condition[order]
    row, delta = row_of[unit, condition], all_deltas[unit, condition]
    in_domain = _sums(row * len(units.domains) + units.domain[unit], (m, len(units.domains)))
    n = in_domain.sum(axis=1)
    strata, weight = n[:, None], np.ones(len(row))
    if is_pooled and pooled_weights == "domains":
        strata = in_domain
        weight = n[row] / ((in_domain > 0).sum(axis=1)[row] * in_domain[row, units.domain[unit]])

    position = np.arange(len(row)) - (np.cumsum(n) - n)[row]
    deltas, tested = np.full((2, n.max(initial=0), m), np.nan)
    deltas[position, row], tested[position, row] = delta, delta * weight
    parts = {
        "mean_delta": delta,
        "baseline_mean": units.means[unit, 0],
        "perturbed_mean": units.means[unit, 1 + condition],
    }
    for name, values in parts.items():
        total = _sums(row, (m,), weight * values)
        frame[name] = np.divide(total, n, out=np.full(m, np.nan), where=n > 0)
    untested, lost = _account(frame, units, row_of, in_domain)
    return _Rows(frame, deltas, tested, strata, untested, lost if is_pooled else [""] * m)


def _account(
    frame: pd.DataFrame, units: _Units, row_of: NDArray, in_domain: NDArray[np.int64]
) -> tuple[list[str], list[str]]:
    """Count what is paired and what is not, in `frame`; say why there is no test, and what is lost."""
    m, n = len(frame), in_domain.sum(axis=1)
    tried_before = np.broadcast_to(units.n_trials[:, :1] > 0, row_of.shape)
    tried_after = units.n_trials[:, 1:] > 0
    both, either = tried_before & tried_after, tried_before | tried_after
    missing = np.where(both, units.n_missing[:, :1] + units.n_missing[:, 1:], 0)
    frame["n_scenarios"] = n
    frame["n_unpaired"] = _sums(row_of[either], (m,)) - n
    frame["n_missing"] = _sums(row_of.ravel(), (m,), missing.ravel()).astype(int)

    baseline = units.conditions[0]
    n_before, n_after = _sums(row_of[tried_before], (m,)), _sums(row_of[tried_after], (m,))
    untested = []
    for condition, paired, *tried in zip(frame["condition"], n, n_before, n_after, strict=True):
        absent = [name for name, seen in zip((baseline, condition), tried, strict=True) if not seen]
        if paired:
            untested.append("")
        elif absent:
            untested.append(f"no trial under {absent[0]!r}")
        else:
            untested.append(f"no scenario has a value under both {baseline!r} and {condition!r}")
    domain = np.broadcast_to(units.domain[:, None], row_of.shape)
    known = _sums((row_of * len(units.domains) + domain)[either], in_domain.shape)
    names = np.array(units.domains, dtype=object)
    lost = [
        f"no paired scenario in {', '.join(names[gone])}" if gone.any() else ""
        for gone in (known > 0) & (in_domain == 0)
    ]
    return untested, lost


def _padded(deltas: NDArray[np.float64], height: int) -> NDArray[np.float64]:
    return np.pad(deltas, ((0, height - len(deltas)), (0, 0)), constant_values=np.nan)


def _intervals(
    rows: _Rows, n_bootstrap: int, confidence: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Interval of each row's mean difference, and why there is none.

    Rows with the same numbers of scenarios are resampled alike, in one matrix product.
    """
    low, high = np.full((2, len(rows.frame)), np.nan)
    notes = np.full(len(rows.frame), "", dtype=object)
    shapes, which = np.unique(rows.strata, axis=0, return_inverse=True)
    for i, shape in enumerate(shapes):
        if not shape.any():
            continue
        same = np.flatnonzero(which == i)
        stops = np.cumsum(shape)
        parts = [rows.deltas[stop - n : stop, same] for n, stop in zip(shape, stops, strict=True) if n]
        _, low[same], high[same], notes[same] = stratified_interval(parts, n_bootstrap, confidence, seed)
    return low, high, notes.tolist()


def _adjusted(frames: list[pd.DataFrame], by: list[str], family: list[str], alpha: float) -> pd.DataFrame:
    """All rows in order, with p-values adjusted within families."""
    import pandas as pd

    table = pd.concat(frames, ignore_index=True)
    is_pooled = table["domain"] == POOLED
    families = table.groupby([*(table[c] for c in family), is_pooled], dropna=False, observed=True)
    p = table["pvalue"].to_numpy()
    adjusted, size = np.full(len(p), np.nan), np.zeros(len(p), dtype=int)
    for members in families.indices.values():
        adjusted[members] = holm(p[members])
        size[members] = (~np.isnan(p[members])).sum()
    table["p_holm"], table["family_size"] = adjusted, size
    made = table["p_holm"].notna()
    table["significant"] = (table["p_holm"] < alpha).astype("boolean").where(made)
    table["stars"] = np.select([table["p_holm"] < p for p in _STARS], list(_STARS.values()), "")
    order = table.sort_values([*by, "metric"], kind="stable").index
    columns = [
        *by,
        *("metric", "domain", "condition", "mean_delta", "low", "high", "baseline_mean", "perturbed_mean"),
        *("n_scenarios", "n_unpaired", "n_missing", "pvalue", "p_holm", "family_size", "method"),
        *("significant", "stars", "reason"),
    ]
    return table.loc[order, columns].reset_index(drop=True)
