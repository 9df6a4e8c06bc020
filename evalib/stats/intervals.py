"""Percentile bootstrap intervals: of one mean, and of means that are averaged over strata.

What is resampled is the unit that varies independently: the scenario, not the trial. Trials of one
scenario are averaged first, so that an interval says how much the result would move with other
scenarios of the same kind (paper appendix F: "percentile bootstrap", 95%).

A resample of n units is a vector of counts, so all resamples are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError

# Counts of this many cells at a time (80 MB): 10,000 resamples of 1,000 units fit in one go.
_CHUNK_CELLS = 10_000_000
_DEFAULT_SEED = 0

Rng = np.random.Generator | int | None


@dataclass(frozen=True)
class BootstrapResult:
    """A mean with its interval.

    ``n`` is the number of units resampled, ``n_missing`` the number of values that were NaN and
    left out. ``low`` and ``high`` are NaN, with a ``reason``, where no interval can be given.
    """

    estimate: float
    low: float
    high: float
    n: int
    confidence: float = 0.95
    n_missing: int = 0
    reason: str = ""


def bootstrap_ci(
    values: ArrayLike,
    groups: ArrayLike | None = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
) -> BootstrapResult:
    """Mean of values with a percentile bootstrap interval.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN is missing: left out and counted.
    groups : array_like, shape (n,), optional
        What each value belongs to, e.g. its scenario. Values of a group are averaged, the
        estimate is the mean over groups, and groups are resampled.
    n_resamples : int
    confidence : float
        In (0, 1).
    rng : numpy Generator, int or None
        None is a fixed seed: the same values give the same interval.

    Returns
    -------
    BootstrapResult
        With a single unit the interval is NaN: resampling it says nothing.

    Raises
    ------
    ConfigError
        When shapes differ, a value is infinite, or a setting is out of range.

    Examples
    --------
    >>> bootstrap_ci([0.5, 0.5, 0.5])
    BootstrapResult(estimate=0.5, low=0.5, high=0.5, n=3, confidence=0.95, n_missing=0, reason='')
    """
    data = np.asarray(values, dtype=float)
    if data.ndim != 1:
        raise ConfigError(f"values must be one-dimensional, their shape is {data.shape}")
    missing = np.isnan(data)
    n_missing = int(missing.sum())
    if groups is None:
        units = data[~missing]
    else:
        labels = np.asarray(groups)
        if labels.shape != data.shape:
            raise ConfigError(f"groups have shape {labels.shape}, values {data.shape}: one group per value")
        units = _group_means(data[~missing], labels[~missing])
    if np.isinf(units).any():
        raise ConfigError("values hold an infinity: a mean of it is none")
    estimate, low, high, reason = stratified_interval([units[:, None]], n_resamples, confidence, rng)
    return BootstrapResult(
        float(estimate[0]), float(low[0]), float(high[0]), len(units), confidence, n_missing, reason
    )


def _group_means(values: NDArray[np.float64], labels: NDArray) -> NDArray[np.float64]:
    _, codes = np.unique(labels, return_inverse=True)
    return np.bincount(codes, weights=values) / np.bincount(codes) if len(values) else values


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

    Returns
    -------
    estimate, low, high : ndarray, shape (n_statistics,)
    reason : str
        Why there is no estimate or no interval, where they are NaN.
    """
    if n_resamples < 1:
        raise ConfigError(f"n_resamples={n_resamples} must be at least 1")
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence={confidence} must lie between 0 and 1, e.g. 0.95")
    width = strata[0].shape[1] if strata else 1
    nan = np.full(width, np.nan)
    if not strata or any(len(s) == 0 for s in strata):
        return nan, nan, nan, "no values"
    estimate = np.mean([s.mean(axis=0) for s in strata], axis=0)
    if any(len(s) == 1 for s in strata):
        return estimate, nan, nan, "no interval: a single unit to resample"
    generator = generator_of(rng)
    draws = np.mean([_resampled_means(s, n_resamples, generator) for s in strata], axis=0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    # Sums of equal numbers differ in the last bit: what does not vary has an interval of no width.
    constant = np.all([(s == s[0]).all(axis=0) for s in strata], axis=0)
    return estimate, np.where(constant, estimate, low), np.where(constant, estimate, high), ""


def _resampled_means(
    units: NDArray[np.float64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of resamples, shape (n_resamples, n_statistics)."""
    n = len(units)
    return np.concatenate([_counts(n, size, rng) @ units / n for size in _chunks(n_resamples, n)])


def _counts(n_units: int, n_resamples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How often each resample holds each unit, shape (n_resamples, n_units).

    Counting drawn indices is faster than drawing multinomial counts, and is the same thing.
    """
    drawn = rng.integers(n_units, size=(n_resamples, n_units))
    drawn += np.arange(n_resamples)[:, None] * n_units
    return np.bincount(drawn.ravel(), minlength=n_resamples * n_units).reshape(n_resamples, n_units)


def _chunks(n_resamples: int, n_units: int) -> Iterator[int]:
    step = max(1, _CHUNK_CELLS // n_units)
    for start in range(0, n_resamples, step):
        yield min(step, n_resamples - start)


def generator_of(rng: Rng) -> np.random.Generator:
    """The generator of a seed; a generator as it is; a fixed one for None."""
    return np.random.default_rng(_DEFAULT_SEED if rng is None else rng)
