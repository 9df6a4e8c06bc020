"""Paired scores: the arms of a study (conditions, systems) compared scenario by scenario.

Trials are averaged within a scenario and an arm, one arm is subtracted from another, and the mean
of the scenarios' differences is tested by sign flips, has a bootstrap interval, and has its p
adjusted within families. What the arms are called, and which are compared, is the caller's.
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
from evalib.stats.trial_values import refuse_infinite, trial_values

if TYPE_CHECKING:
    import pandas as pd

POOLED = "pooled"  # what the domain of a row over all domains is called
_STARS = {0.001: "***", 0.01: "**", 0.05: "*"}  # of the adjusted p-value, as in Table 32
_RESULTS = (
    *("mean_difference", "low", "high", "mean_a", "mean_b", "n_scenarios", "n_unpaired", "n_missing"),
    *("pvalue", "p_holm", "family_size", "method", "significant", "stars", "reason"),
)
# Means of equal scores in another order differ in the last bits: no difference.
_NO_DIFFERENCE = 1e-12


@dataclass(frozen=True)
class Settings:
    """What is asked of the tests; checked when made.

    Raises
    ------
    ConfigError
        When one is out of range. `alternative`, `n_resamples` and `exact` are the tests' to check.
    """

    domains: bool
    pooled: bool
    pooled_weights: Literal["scenarios", "domains"]
    alternative: Alternative
    n_resamples: int
    n_bootstrap: int
    confidence: float
    exact: Exact
    alpha: float

    def __post_init__(self) -> None:
        check_flag("domains", self.domains)
        check_flag("pooled", self.pooled)
        if self.pooled_weights not in ("scenarios", "domains"):
            raise ConfigError(
                f"pooled_weights={self.pooled_weights!r} is unknown: use 'scenarios' or 'domains'"
            )
        check_share("alpha", self.alpha)
        check_share("confidence", self.confidence)
        check_count("n_bootstrap", self.n_bootstrap)

    def levels(self, scores: pd.DataFrame) -> list[bool]:
        """Which sets of rows there are to be: False per domain, True pooled."""
        levels = [False] * (self.domains and "domain" in scores) + [True] * self.pooled
        if not levels:
            raise ConfigError(
                "no rows are asked for: use domains=True on a table with domains, or pooled=True"
            )
        return levels


def check_names(family: list[str], by: list[str], labels: list[str]) -> None:
    """Raise ConfigError when a column would hide one of the result, or `family` names no column of it."""
    if taken := [c for c in [*by, *labels] if c in _RESULTS] or [c for c in by if c in labels]:
        raise ConfigError(f"{taken[0]!r} would be two columns of the result: rename the column in the table")
    known = [*by, "metric", "domain", *labels]
    if strange := [c for c in family if c not in known]:
        raise ConfigError(f"family: {strange[0]!r} is no column of by, nor one of the tests: use {known}")


@dataclass(frozen=True)
class Arms:
    """What is compared: the arms in order, and the k pairs (a, b) of them of which a - b is tested."""

    column: str  # of the score table
    names: list[str]
    pairs: NDArray[np.intp]  # (k, 2), positions in names
    labels: dict[str, list[str]]  # columns of the result that tell pairs apart, each of k names
    preposition: str  # a trial "under" a condition, "of" a system


@dataclass(frozen=True)
class Units:
    """Scenarios of each group, in order, under each of the arms."""

    keys: pd.DataFrame  # columns of by, metric, stratum, scenario; n rows
    arms: Arms
    domain: NDArray[np.intp]  # (n,), number of the stratum
    domains: list[str]  # names of the strata
    means: NDArray[np.float64]  # (n, arms), NaN where no trial has a value
    n_trials: NDArray[np.int64]  # (n, arms)
    n_missing: NDArray[np.int64]  # (n, arms)

    def deltas(self) -> NDArray[np.float64]:
        """a minus b, shape (n, k); NaN where either is."""
        a, b = (self.means[:, side] for side in self.arms.pairs.T)
        delta = a - b
        delta[np.abs(delta) <= _NO_DIFFERENCE * np.maximum(np.abs(a), np.abs(b))] = 0.0
        return delta


def scenario_means(
    scores: pd.DataFrame, metrics: Sequence[str] | str | None, by: list[str], arms: Arms
) -> Units:
    """Average the trials of each scenario under each arm.

    Raises
    ------
    DataFormatError
        When a column or a metric is not in the table, or its rows cannot be told apart.
    ConfigError
        When rows mix judges, or conditions, or no metric is named.
    """
    import pandas as pd

    check_columns(scores, ["metric"], "scores")
    if metrics is None:
        metrics = sorted(scores["metric"].dropna().unique())
    names = [metrics] if isinstance(metrics, str) else list(dict.fromkeys(metrics))
    if not names:
        raise ConfigError("metrics names no metric: name one, or leave it out for all of the table")
    trials = pd.concat(
        [_finite_trials(scores, name, [*by, arms.column]).assign(metric=name) for name in names],
        ignore_index=True,
    )
    columns = pd.Index(arms.names).get_indexer(trials[arms.column].astype(str))
    trials, columns = trials[columns >= 0], columns[columns >= 0]
    if trials["stratum"].isna().any():
        raise DataFormatError("rows of the score table have no domain: give them one")
    if (trials["stratum"] == POOLED).any():
        raise DataFormatError(f"a domain is called {POOLED!r}, which is the name of rows over all domains")
    groups = trials.groupby([*by, "metric", "stratum", "scenario"], dropna=False, observed=True)
    keys = groups.size().index.to_frame(index=False)
    shape = (len(keys), len(arms.names))
    cell = groups.ngroup().to_numpy() * shape[1] + columns
    missing = trials["value"].isna().to_numpy()
    totals = _sums(cell, shape, trials["value"].fillna(0.0).to_numpy())
    n_trials, n_missing = _sums(cell, shape), _sums(cell[missing], shape)
    valued = n_trials - n_missing
    means = np.divide(totals, valued, out=np.full(shape, np.nan), where=valued > 0)
    domain, domains = pd.factorize(keys["stratum"], sort=True)
    return Units(keys, arms, domain, list(map(str, domains)), means, n_trials, n_missing)


def _finite_trials(scores: pd.DataFrame, metric: str, by: list[str]) -> pd.DataFrame:
    trials = trial_values(scores, metric, by)
    refuse_infinite(trials, metric)
    return trials


def paired_tests(
    units: Units, by: list[str], family: list[str], levels: Sequence[bool], settings: Settings, rng: Rng
) -> pd.DataFrame:
    """Test each pair of arms in each group, per domain and pooled.

    Returns
    -------
    DataFrame
        Sorted by `by`, metric, level and domain, in the order of the pairs: columns of `by`,
        ``metric, domain``, the labels of the pair, ``mean_difference, low, high, mean_a, mean_b,
        n_scenarios, n_unpaired, n_missing, pvalue, p_holm, family_size, method, significant,
        stars, reason``. A row's numbers do not depend on the other rows.
    """
    parts = [_rows(units, by, level, settings.pooled_weights) for level in levels]
    seeds = generator_of(rng).integers(2**63, size=2).tolist()

    height = max(len(p.tested) for p in parts)
    deltas = np.hstack([_padded(p.tested, height) for p in parts])
    tests = sign_flip_tests(deltas, settings.alternative, settings.n_resamples, settings.exact, seeds[0])
    start = 0
    frames = []
    for part in parts:
        frame, own = part.frame, slice(start, start := start + len(part.frame))
        frame["low"], frame["high"], notes = _intervals(
            part, settings.n_bootstrap, settings.confidence, seeds[1]
        )
        frame["pvalue"], frame["method"] = tests.pvalue[own], tests.method[own]
        frame["reason"] = [
            untested or "; ".join(filter(None, (lost, of_test, of_interval)))
            for untested, lost, of_test, of_interval in zip(
                part.untested, part.lost, tests.reason[own], notes, strict=True
            )
        ]
        frames.append(frame)
    return _adjusted(frames, by, family, list(units.arms.labels), settings.alpha)


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


def _rows(units: Units, by: list[str], is_pooled: bool, pooled_weights: str) -> _Rows:
    group_columns = [*by, "metric"] if is_pooled else [*by, "metric", "stratum"]
    groups = units.keys.groupby(group_columns, dropna=False, observed=True)
    frame = groups.size().index.to_frame(index=False)
    k = len(units.arms.pairs)
    frame = frame.loc[np.repeat(np.arange(len(frame)), k)].reset_index(drop=True)
    frame["domain"] = POOLED if is_pooled else frame.pop("stratum")
    for column, names in units.arms.labels.items():
        frame[column] = np.tile(names, len(frame) // k)
    m = len(frame)
    row_of = groups.ngroup().to_numpy()[:, None] * k + np.arange(k)  # of a unit and a pair

    all_deltas = units.deltas()
    unit, pair = np.nonzero(~np.isnan(all_deltas))
    order = np.argsort(row_of[unit, pair], kind="stable")  # units are sorted by stratum and scenario
    unit, pair = unit[order], pair[order]
    row, delta = row_of[unit, pair], all_deltas[unit, pair]
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
        "mean_difference": delta,
        "mean_a": units.means[unit, units.arms.pairs[pair, 0]],
        "mean_b": units.means[unit, units.arms.pairs[pair, 1]],
    }
    for name, values in parts.items():
        total = _sums(row, (m,), weight * values)
        frame[name] = np.divide(total, n, out=np.full(m, np.nan), where=n > 0)
    untested, lost = _account(frame, units, row_of, in_domain)
    return _Rows(frame, deltas, tested, strata, untested, lost if is_pooled else [""] * m)


def _account(
    frame: pd.DataFrame, units: Units, row_of: NDArray, in_domain: NDArray[np.int64]
) -> tuple[list[str], list[str]]:
    """Count what is paired and what is not, in `frame`; say why there is no test, and what is lost."""
    m, n = len(frame), in_domain.sum(axis=1)
    pairs = np.sort(units.arms.pairs, axis=1)  # arms are named in their order
    first, second = pairs.T
    tried_first, tried_second = units.n_trials[:, first] > 0, units.n_trials[:, second] > 0
    both, either = tried_first & tried_second, tried_first | tried_second
    missing = np.where(both, units.n_missing[:, first] + units.n_missing[:, second], 0)
    frame["n_scenarios"] = n
    frame["n_unpaired"] = _sums(row_of[either], (m,)) - n
    frame["n_missing"] = _sums(row_of.ravel(), (m,), missing.ravel()).astype(int)

    seen = zip(_sums(row_of[tried_first], (m,)), _sums(row_of[tried_second], (m,)), strict=True)
    under, names_of = units.arms.preposition, np.array(units.arms.names, dtype=object)
    untested = []
    for pair, paired, tried in zip(np.tile(pairs, (m // len(pairs), 1)), n, seen, strict=True):
        arms = [str(name) for name in names_of[pair]]
        absent = [name for name, trials in zip(arms, tried, strict=True) if not trials]
        if paired:
            untested.append("")
        elif absent:
            untested.append(f"no trial {under} {absent[0]!r}")
        else:
            untested.append(f"no scenario has a value {under} both {arms[0]!r} and {arms[1]!r}")
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


def _adjusted(
    frames: list[pd.DataFrame], by: list[str], family: list[str], labels: list[str], alpha: float
) -> pd.DataFrame:
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
    columns = [*by, "metric", "domain", *labels, *_RESULTS]
    return table.loc[order, columns].reset_index(drop=True)
