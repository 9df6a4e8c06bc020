"""Bootstrap intervals: of one mean, and of means that are averaged over strata.

What is resampled is the unit that varies independently: the scenario, not the trial. Trials of one
scenario are averaged first, so that an interval says how much the result would move with other
scenarios of the same kind (paper appendix F: "percentile bootstrap", 95%).

A resample of n units is a vector of counts, so all resamples are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import as_floats, check_count, check_share, refuse_unsquarable
from evalib.stats.bca import acceleration, bca_levels
from evalib.stats.cluster_units import Stratum, Weights, strata_of
from evalib.stats.result import Result

_CHUNK_CELLS = 10_000_000  # at a time, where memory is the limit (80 MB)
_CACHE_CELLS = 100_000  # counts at a time: few enough to stay in the cache of a core
_DEFAULT_SEED = 0

Rng = np.random.Generator | int | None
Method = Literal["percentile", "bca"]


@dataclass(frozen=True)
class BootstrapResult(Result):
    """A mean with its interval.

    The paper prints one number for an interval, "the percentile bootstrap CI half-width". Its
    numbers behave like :attr:`longer_arm`, not like :attr:`half_width`. In tables 28 and 30 the
    pass@k of 12 systems are shares of 50 scenarios, whose percentile interval is that of a
    binomial distribution, without any simulation. Of these 24 printed numbers the longer arm
    gives 19, half the width 8 (half widths are often odd multiples of 1/100 there, the printed
    ones never). The other 5 have an end at a step of the binomial distribution that lies within
    two standard errors of the 2.5% tail of 1,000 resamples; to that tolerance the longer arm gives
    all 24, half the width 18.

    Attributes
    ----------
    estimate, low, high : float
        In the unit of the values. NaN, with a ``reason``, where there is none.
    n : int
        Units resampled.
    confidence : float
    n_missing : int
        Values left out because they are NaN.
    method : str
        Of the interval given: "percentile", also where "bca" was asked for and is undefined.
    reason : str
        Why there is no estimate or no interval, or what the interval does not tell.
    """

    estimate: float
    low: float
    high: float
    n: int
    confidence: float = 0.95
    n_missing: int = 0
    method: str = "percentile"
    reason: str = ""

    @property
    def half_width(self) -> float:
        """Half the distance of the ends."""
        return (self.high - self.low) / 2

    @property
    def longer_arm(self) -> float:
        """Distance of the estimate from the farther end: what the paper prints after its plus-minus."""
        return float(np.maximum(self.estimate - self.low, self.high - self.estimate))


def bootstrap_ci(
    values: ArrayLike,
    groups: ArrayLike | None = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
    method: Method = "percentile",
    strata: ArrayLike | None = None,
    weights: Weights = "groups",
) -> BootstrapResult:
    """Mean of values with a bootstrap interval over independent units.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN is missing: left out and counted.
    groups : array_like, shape (n,), optional
        What each value belongs to, e.g. its scenario. Groups are resampled whole. Without groups
        each value is a unit.
    n_resamples : int
    confidence : float
        In (0, 1).
    rng : numpy Generator, int or None
        None is a fixed seed: the same values give the same interval.
    method : {"percentile", "bca"}
        ``"percentile"``: quantiles of the resampled means, as the paper. ``"bca"``: corrected for
        bias and skewness (:mod:`evalib.stats.bca`); percentile, with a reason, where that is
        undefined.
    strata : array_like, shape (n,), optional
        What has equal weight, e.g. the domain: the estimate is the mean over strata of their
        means, and units are resampled within each. A group lies in one stratum.
    weights : {"groups", "values"}
        ``"groups"``: the mean of the group means, each group equal. ``"values"``: the mean of all
        values, so that a group with more of them weighs more (a ratio of two sums, both resampled).

    Returns
    -------
    BootstrapResult
        With a single unit the interval is NaN: resampling it says nothing. Where all units are
        equal it has no width and the ``reason`` says that this understates what is not known; of a
        share see :func:`evalib.stats.binomial.binomial_interval` then.

    Raises
    ------
    ConfigError
        When shapes differ, a label is missing, a value is infinite or no number, values are too
        large or small to be squared, a group lies in two strata, or a setting is unknown or out of
        range.

    Notes
    -----
    How often the 95% interval of a share (units that are 0 or 1) holds the truth, summed over all
    samples there can be; beside it the exact :func:`evalib.stats.binomial.binomial_interval`:

    ===== ==== ========== ===== =====
    units rate percentile BCa   exact
    ===== ==== ========== ===== =====
    30    0.5  0.957      0.957 0.957
    90    0.5  0.955      0.955 0.955
    30    0.05 0.782      0.770 0.984
    90    0.05 0.929      0.976 0.976
    ===== ==== ========== ===== =====

    Of 30 units at a rate of 0.05 none passes in 21% of the samples, and those have no width.

    Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993, chapters 13 and 14.

    Examples
    --------
    >>> found = bootstrap_ci([1] * 6 + [0] * 44)
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (0.12, 0.04, 0.22)
    >>> round(found.half_width, 2), round(found.longer_arm, 2)  # tables 28 and 30 print 0.120 +- 0.100
    (0.09, 0.1)
    >>> bootstrap_ci([1, 1, 0], groups=["a", "a", "b"]).estimate  # of group means 1 and 0
    0.5
    >>> bootstrap_ci([0.5, 0.5, 0.5]).reason
    'all 3 units are equal: resampling cannot show how far others would be'
    """
    check_settings(n_resamples, confidence)
    if method not in ("percentile", "bca"):
        raise ConfigError(f"method={method!r} is unknown: use 'percentile' or 'bca'")
    if weights not in ("groups", "values"):
        raise ConfigError(f"weights={weights!r} is unknown: use 'groups' or 'values'")
    data = as_floats(values, "values")
    if data.ndim != 1:
        raise ConfigError(f"values must be one-dimensional, their shape is {data.shape}")
    refuse_unsquarable(data, "values")
    parts, lost = strata_of(data, groups, strata, weights)
    estimate = float(np.mean([part.mean for part in parts])) if parts else np.nan
    (low, high), used, reason = _interval(parts, estimate, n_resamples, confidence, rng, method)
    left_out = f"no values in {', '.join(lost)}" if lost and parts else ""
    return BootstrapResult(
        estimate=estimate,
        low=low,
        high=high,
        n=sum(len(part.totals) for part in parts),
        confidence=confidence,
        n_missing=int(np.isnan(data).sum()),
        method=used,
        reason="; ".join(note for note in (left_out, reason) if note),
    )


def _interval(
    parts: Sequence[Stratum], estimate: float, n_resamples: int, confidence: float, rng: Rng, method: str
) -> tuple[tuple[float, float], str, str]:
    """Ends, the method that gave them, and what to say of them."""
    nowhere = (np.nan, np.nan)
    if not parts:
        return nowhere, method, "no values"
    if lone := [part.name for part in parts if len(part.totals) == 1]:
        return nowhere, method, single_unit(lone if len(parts) > 1 else [])
    if all(part.is_constant for part in parts):
        n = sum(len(part.totals) for part in parts)
        return (estimate, estimate), method, no_width(n, len(parts))
    draws = np.zeros(n_resamples)
    generator = generator_of(rng)
    for part in parts:
        totals, sizes = resampled_sums(np.column_stack([part.totals, part.sizes]), n_resamples, generator)
        draws += totals / sizes
    draws /= len(parts)
    tail = (1 - confidence) / 2
    levels, notes = (tail, 1 - tail), []
    if method == "bca":
        corrected, why = bca_levels(draws, estimate, acceleration(parts), confidence)
        if corrected is None:
            method = "percentile"
            notes.append(f"percentile interval, since BCa is undefined: {why}")
        else:
            levels = corrected
    notes.append(too_few_resamples(min(*levels, 1 - levels[0], 1 - levels[1]), n_resamples))
    low, high = np.quantile(draws, levels).tolist()
    return (low, high), method, "; ".join(filter(None, notes))


def no_width(n: int, n_strata: int = 1, units: str = "units") -> str:
    """What to say of an interval of n equal units."""
    within = " within their strata" if n_strata > 1 else ""
    return f"all {n} {units} are equal{within}: resampling cannot show how far others would be"


def single_unit(strata: Sequence[str]) -> str:
    """Why there is no interval when a stratum (named where there are several) has one unit."""
    where = f" in {', '.join(strata)}" if strata else ""
    return f"no interval: a single unit to resample{where}"


def too_few_resamples(tail: float, n_resamples: int) -> str:
    """What to say of an end that leaves less than one resample in its tail; "" of others."""
    return f"an end is the outermost of {n_resamples} resamples: take more" if tail * n_resamples < 1 else ""


def stratified_interval(
    strata: Sequence[NDArray[np.float64]],
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], str]:
    """Equal-weighted mean over strata of the means of their units, with percentile intervals.

    Parameters
    ----------
    strata : sequence of ndarray, each of shape (n_units, n_statistics)
        No NaN. Units are resampled within each stratum, whole rows at a time, so that the
        statistics of one unit stay together.
    n_resamples, confidence, rng
        As for :func:`bootstrap_ci`.

    Returns
    -------
    estimate, low, high : ndarray, shape (n_statistics,)
    reason : str
        Why there is no estimate or no interval, where they are NaN, or that there are too few
        resamples. What does not vary has an interval of no width and no reason.
    """
    check_settings(n_resamples, confidence)
    width = strata[0].shape[1] if strata else 1
    nan = np.full(width, np.nan)
    if not strata or any(len(s) == 0 for s in strata):
        return nan, nan, nan, "no values"
    estimate = np.mean([s.mean(axis=0) for s in strata], axis=0)
    if any(len(s) == 1 for s in strata):
        return estimate, nan, nan, single_unit([])
    generator = generator_of(rng)
    draws = np.mean([resampled_sums(s, n_resamples, generator) / len(s) for s in strata], axis=0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=1)
    # Sums of equal numbers differ in the last bit: what does not vary has an interval of no width.
    constant = np.all([(s == s[0]).all(axis=0) for s in strata], axis=0)
    note = "" if constant.all() else too_few_resamples(tail, n_resamples)
    return estimate, np.where(constant, estimate, low), np.where(constant, estimate, high), note


def resampled_sums(
    columns: NDArray[np.float64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Sums of columns, shape (n_units, n_columns), over resampled units.

    Returns
    -------
    ndarray, shape (n_columns, n_resamples)
        The same resamples for all columns. Those of a column lie together, as quantiles want them.
    """
    sums = np.empty((columns.shape[1], n_resamples))
    done = 0
    for counts in resample_counts(len(columns), n_resamples, rng):
        np.matmul(columns.T, counts.T, out=sums[:, done : done + len(counts)])
        done += len(counts)
    return sums


def resample_counts(
    n_units: int, n_resamples: int, rng: np.random.Generator, at_a_time: int | None = None
) -> Iterator[NDArray[np.float64]]:
    """How often each resample holds each unit, a part of the resamples at a time.

    Counting drawn indices is faster than drawing multinomial counts, and is the same thing. The
    counts do not depend on `at_a_time`.

    Parameters
    ----------
    n_units, n_resamples : int
        At least 1.
    rng : numpy Generator
    at_a_time : int, optional
        Most resamples in a part; by default as many as stay in cache.

    Yields
    ------
    ndarray, shape (some, n_units)
        Whole numbers as floats, ready to be multiplied.

    Examples
    --------
    >>> [part.sum(axis=1) for part in resample_counts(4, 3, np.random.default_rng(0), at_a_time=2)]
    [array([4., 4.]), array([4.])]
    """
    for size in _chunks(n_resamples, n_units, n_units * at_a_time if at_a_time else _CACHE_CELLS):
        drawn = rng.integers(n_units, size=(size, n_units))
        drawn += np.arange(size)[:, None] * n_units
        counts = np.bincount(drawn.ravel(), minlength=size * n_units)
        yield counts.reshape(size, n_units).astype(float)


def _chunks(n_resamples: int, n_units: int, cells: int = _CHUNK_CELLS) -> Iterator[int]:
    """Parts of the resamples, each of about so many cells, one a unit, or of one resample."""
    step = max(1, cells // n_units)
    for start in range(0, n_resamples, step):
        yield min(step, n_resamples - start)


def check_settings(n_resamples: int, confidence: float) -> None:
    """Refuse settings of a bootstrap that are out of range (ConfigError)."""
    check_count("n_resamples", n_resamples)
    check_share("confidence", confidence)


def generator_of(rng: Rng) -> np.random.Generator:
    """The generator of a seed; a generator as it is; a fixed one for None.

    Raises
    ------
    ConfigError
        When a seed is none.
    """
    try:
        return np.random.default_rng(_DEFAULT_SEED if rng is None else rng)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"rng={rng!r} must be a numpy Generator, a whole number of at least 0, or None"
        ) from error
