"""Percentile bootstrap of many means at once: the same resamples of units for every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import as_floats, refuse_unsquarable
from evalib.stats.cluster_units import label_codes
from evalib.stats.intervals import (
    Rng,
    check_settings,
    generator_of,
    no_width,
    resampled_sums,
    single_unit,
    too_few_resamples,
)
from evalib.stats.result import Result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class BootstrapMeans(Result):
    """Means of columns with their intervals; every field but `confidence` has one entry per column.

    Attributes
    ----------
    estimate, low, high : ndarray of float
        In the unit of the values. NaN, with a ``reason``, where there is none.
    n, n_missing : ndarray of int
        Units with a value and without.
    confidence : float
    reason : tuple of str
    """

    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n: NDArray[np.intp]
    n_missing: NDArray[np.intp]
    confidence: float
    reason: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row per column of the values."""
        import pandas as pd

        return pd.DataFrame(self.as_dict())

    def _repr_html_(self) -> str:
        return self.to_frame().to_html()


def bootstrap_means(
    values: ArrayLike,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
    strata: ArrayLike | None = None,
) -> BootstrapMeans:
    """Means of the columns of a matrix, with percentile bootstrap intervals over its rows.

    Parameters
    ----------
    values : array_like of float, shape (n_units, n_columns)
        NaN is missing: a resample's mean is over the values that it holds, and a resample that
        holds none is left out and counted in the ``reason``.
    n_resamples : int
    confidence : float
        In (0, 1).
    rng : numpy Generator, int or None
        None is a fixed seed.
    strata : array_like, shape (n_units,), optional
        What has equal weight, e.g. the domain: an estimate is the mean over strata of their
        means, and units are resampled within each. A stratum without a value in a column is left
        out of that column, with a reason.

    Returns
    -------
    BootstrapMeans
        NaN with a reason for a column of no value, or with a single one in a stratum.

    Raises
    ------
    ConfigError
        When values are no matrix of numbers, hold an infinity or are too large or small to be
        squared, labels do not fit, or a setting is out of range.

    Notes
    -----
    Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993, section 13.3; paper appendix F.

    Examples
    --------
    >>> found = bootstrap_means([[0.5, 1.0], [0.5, float("nan")]])
    >>> found.low
    array([0.5, nan])
    >>> found.reason[1]
    'no interval: a single unit to resample'
    """
    check_settings(n_resamples, confidence)
    data = as_floats(values, "values")
    if data.ndim != 2:
        raise ConfigError(f"values must be units x columns, their shape is {data.shape}")
    refuse_unsquarable(data, "values")
    codes, names = label_codes(strata, len(data), "strata", "a stratum")
    parts = [data[codes == code] for code in range(len(names))]
    counts = np.array([(~np.isnan(part)).sum(axis=0) for part in parts], dtype=int)
    counts = counts.reshape(len(parts), data.shape[1])
    estimate, constant = _means(parts, counts)
    usable = (counts > 0).any(axis=0) & (counts != 1).all(axis=0)
    ends = np.where(usable & constant, estimate, np.full((2, len(estimate)), np.nan))
    notes = [_notes(*column, names) for column in zip(counts.T, constant, strict=True)]
    drawn = np.flatnonzero(usable & ~constant)
    if len(drawn):
        draws = _draws([part[:, drawn] for part in parts], counts[:, drawn], n_resamples, generator_of(rng))
        tail = (1 - confidence) / 2
        ends[:, drawn], left = _ends(draws, tail)
        for column, some in zip(drawn, left, strict=True):
            notes[column] += _notes_on_draws(some, n_resamples, tail)
    n = counts.sum(axis=0)
    reason = tuple("; ".join(filter(None, note)) for note in notes)
    low, high = ends
    return BootstrapMeans(estimate, low, high, n, len(data) - n, confidence, reason)


def _means(
    parts: Sequence[NDArray[np.float64]], counts: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Mean over strata of each column's means, and whether all its values in a stratum are equal."""
    total, constant = np.zeros(counts.shape[1]), np.ones(counts.shape[1], dtype=bool)
    for part, count in zip(parts, counts, strict=True):
        some = count > 0
        top, bottom = (
            of(part, axis=0, where=~np.isnan(part), initial=end)
            for of, end in ((np.max, -np.inf), (np.min, np.inf))
        )
        equal = some & (top == bottom)
        mean = np.divide(np.nansum(part, axis=0), count, out=np.zeros(len(count)), where=some)
        total += np.where(equal, top, mean)  # sums of equal numbers differ in the last bit
        constant &= equal | ~some
    return _over_strata(total, counts), constant


def _over_strata(total: NDArray[np.float64], counts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Totals of columns over the strata that have a value there; NaN where none has."""
    n_strata = (counts > 0).sum(axis=0)
    return np.divide(total, n_strata, out=np.full(len(total), np.nan), where=n_strata > 0)


def _draws(
    parts: Sequence[NDArray[np.float64]],
    counts: NDArray[np.intp],
    n_resamples: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Resampled means, shape (n_columns, n_resamples); NaN for a resample without a value."""
    width = counts.shape[1]
    draws = np.zeros((width, n_resamples))
    for part, count in zip(parts, counts, strict=True):
        known = ~np.isnan(part)
        ragged = (count > 0) & (count < len(part))
        columns = np.hstack([np.where(known, part, 0.0), known[:, ragged]])
        sums = resampled_sums(columns, n_resamples, rng)
        means, held = sums[:width], sums[width:]
        means[~ragged] /= len(part)
        means[ragged] = np.divide(means[ragged], held, out=np.full(held.shape, np.nan), where=held > 0)
        draws += means
    draws /= (counts > 0).sum(axis=0)[:, None]
    return draws


def _ends(draws: NDArray[np.float64], tail: float) -> tuple[NDArray[np.float64], list[int]]:
    """Quantiles of the rows' draws, shape (2, n_columns), and how many draws of each are not NaN."""
    left = draws.shape[1] - np.isnan(draws).sum(axis=1)
    whole = left == draws.shape[1]
    ends = np.full((2, len(draws)), np.nan)
    if whole.all():  # the usual case, without a copy
        return np.quantile(draws, [tail, 1 - tail], axis=1), left.tolist()
    ends[:, whole] = np.quantile(draws[whole], [tail, 1 - tail], axis=1)
    for row in np.flatnonzero(~whole & (left > 0)):
        ends[:, row] = np.quantile(draws[row, ~np.isnan(draws[row])], [tail, 1 - tail])
    return ends, left.tolist()


def _notes(count: NDArray[np.intp], constant: bool, names: list[str]) -> list[str]:
    """What to say of a column with these numbers of values in the strata."""
    if not count.any():
        return ["no values"]
    lost = [name for name, n in zip(names, count, strict=True) if n == 0]
    lone = [name for name, n in zip(names, count, strict=True) if n == 1]
    notes = [f"no values in {', '.join(lost)}" if lost else ""]
    if lone:
        notes.append(single_unit(lone if len(names) > 1 else []))
    elif constant:
        notes.append(no_width(int(count.sum()), int((count > 0).sum())))
    return notes


def _notes_on_draws(left: int, n_resamples: int, tail: float) -> list[str]:
    """What to say of an interval when so many resamples hold a value in every stratum."""
    if left == 0:
        return ["no interval: no resample holds a value"]
    empty = n_resamples - left
    some = (
        f"no value in {empty} of {n_resamples} resamples: the interval is that of the rest" if empty else ""
    )
    return [some, too_few_resamples(tail, left)]
