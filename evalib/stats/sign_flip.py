r"""Paired sign-flip tests: is the mean of paired differences zero (paper appendices G.2 and H.1)?

When a perturbation has no effect, each difference could as well have had the other sign. All
:math:`2^n` sign patterns are then equally likely, and the p-value is the share of them whose mean
is at least as extreme as the one seen. A pattern's sum is fixed by the differences it makes
negative, :math:`\sum|d_i| - 2T`, so that every test here asks how likely the sum T of a random
subset of :math:`|d_1| \dots |d_n|` is at most the negative mass seen (for ``"greater"``), the
positive mass (``"less"``), or the smaller of the two, doubled (``"two-sided"``).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import as_floats, check_count
from evalib.stats.intervals import Rng
from evalib.stats.lattice import MAX_STEPS, find_lattice, subset_sum_tails
from evalib.stats.result import Result
from evalib.stats.subset_sums import enumerated_tails, sampled_extremes

Alternative = Literal["two-sided", "greater", "less"]
Exact = Literal["auto"] | bool

LATTICE = "exact lattice"
ENUMERATION = "exact enumeration"
MONTE_CARLO = "monte carlo"
NO_TEST = "none"

ZERO_TOLERANCE = 1e-12  # of max|d|: what is left of a difference of equal means

# What is exact unasked costs a few milliseconds a test, what is exact on request a second.
_LATTICE_ADDITIONS = {"auto": 5e6, True: 5e8, False: -1}
_ENUMERABLE = {"auto": 30, True: 40, False: -1}


@dataclass(frozen=True)
class SignFlipResult(Result):
    """A sign-flip test.

    Attributes
    ----------
    pvalue : float
        NaN, with a ``reason``, without any difference.
    mean : float
        Of the differences, in their unit.
    n, n_missing, n_zero : int
        Differences that have a value (zeros among them), that are NaN, that are zero.
    method : str
        ``"exact lattice"``, ``"exact enumeration"``, ``"monte carlo"`` or ``"none"``.
    n_resamples : int
        Random sign patterns drawn; 0 for an exact test.
    alternative : str
    reason : str
        What the p-value cannot say, if anything.
    """

    pvalue: float
    mean: float
    n: int
    n_missing: int
    n_zero: int
    method: str
    n_resamples: int
    alternative: str
    reason: str = ""


@dataclass(frozen=True)
class SignFlipResults(Result):
    """Many sign-flip tests: the fields of :class:`SignFlipResult`, each of shape (m,)."""

    pvalue: NDArray[np.float64]
    mean: NDArray[np.float64]
    n: NDArray[np.int64]
    n_missing: NDArray[np.int64]
    n_zero: NDArray[np.int64]
    method: NDArray[np.object_]
    n_resamples: NDArray[np.int64]
    alternative: NDArray[np.object_]
    reason: NDArray[np.object_]

    def to_frame(self) -> Any:
        """One row per test."""
        import pandas as pd

        return pd.DataFrame(self.as_dict())


def sign_flip_test(
    deltas: ArrayLike,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact: Exact = "auto",
    rng: Rng = None,
) -> SignFlipResult:
    """Test whether the mean of paired differences is zero, by flipping their signs.

    Parameters
    ----------
    deltas : array_like of float, shape (n,)
        One difference per independent unit, e.g. of a scenario's means. NaN is missing: left out
        and counted.
    alternative : {"two-sided", "greater", "less"}
        What is claimed of the mean, against zero.
    n_resamples : int
        Random sign patterns of a Monte Carlo test.
    exact : {"auto", True, False}
        ``"auto"``: exact when the differences are multiples of one unit (of which the largest is
        at most 1,000; values rounded to eight digits are recognised, see
        :func:`evalib.stats.lattice.find_lattice`), or when at most 30 are not zero; Monte Carlo
        else. True: exact with up to 40 or on large lattices too, or an error. False: Monte Carlo.
    rng : numpy Generator, int or None
        Of a Monte Carlo test; None is a fixed seed.

    Returns
    -------
    SignFlipResult

    Raises
    ------
    ConfigError
        When an argument is out of range, a value is infinite or no number, or ``exact=True`` asks
        for what cannot be had.

    Notes
    -----
    Sums closer than 1e-10 of ``sum|d|`` count as equal; without a tolerance, patterns that tie
    with the one seen are lost to rounding, and p depends on the order of the differences.

    A Monte Carlo p-value is (b + 1) / (n_resamples + 1), b patterns being as extreme: the pattern
    seen is one of those possible, so p is never 0 and the test keeps its size (Phipson & Smyth,
    "Permutation p-values should never be zero", 2010). The paper's is b / n_resamples.

    When all differences are zero p is 1, one-sided as well: every pattern's mean is as large as
    the one seen. The paper's Table 37 prints 0.500 there, as if a tie counted half.

    Examples
    --------
    >>> sign_flip_test([1, 1, 1, 1, 1, 1, 1, -1]).pvalue  # 18 of 256 patterns: at most one odd one
    0.0703125
    >>> sign_flip_test([0.4, 0.2, 0.2, 0.2, 0.6], alternative="greater").method
    'exact lattice'
    """
    values = as_floats(deltas, "deltas")
    if values.ndim != 1:
        raise ConfigError(f"deltas must be one-dimensional, their shape is {values.shape}")
    found = sign_flip_tests(values[:, None], alternative, n_resamples, exact, rng)
    return SignFlipResult(**{f.name: getattr(found, f.name).tolist()[0] for f in fields(found)})


def sign_flip_tests(
    deltas: ArrayLike,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact: Exact = "auto",
    rng: Rng = None,
) -> SignFlipResults:
    """Many sign-flip tests at once: one per column, each as :func:`sign_flip_test` gives it.

    The random sign patterns are shared by all columns. The largest difference of a column gets
    the first sign of a pattern, and so on, so that a column's p-value depends neither on the
    other columns nor on the order of its rows, nor on where NaN stand in it.

    Parameters
    ----------
    deltas : array_like of float, shape (n, m)
        m tests of up to n differences; NaN is missing.
    alternative, n_resamples, exact, rng
        As of :func:`sign_flip_test`.

    Returns
    -------
    SignFlipResults
        Arrays of shape (m,).

    Raises
    ------
    ConfigError
        As :func:`sign_flip_test`.

    Examples
    --------
    >>> sign_flip_tests([[1, 3.0], [2, np.nan], [-1, 1]]).pvalue
    array([0.75, 0.5 ])
    """
    data = as_floats(deltas, "deltas")
    _check(data, alternative, n_resamples, exact)
    missing = np.isnan(data)
    n = (~missing).sum(axis=0)
    scaled, exponent = _scaled(np.where(missing, 0.0, data))
    mean = np.divide(_total(scaled), n, out=np.full(len(n), np.nan), where=n > 0)
    magnitudes = np.abs(scaled)
    magnitudes[magnitudes <= ZERO_TOLERANCE * magnitudes.max(axis=0, initial=0.0)] = 0.0
    steps, on_lattice = find_lattice(magnitudes)
    magnitudes[on_lattice & (steps == 0)] = 0.0
    n_nonzero = (magnitudes > 0).sum(axis=0)

    step_limits = _limits(steps, scaled, alternative)
    methods = np.full(len(n), MONTE_CARLO, dtype=object)
    methods[n_nonzero <= _ENUMERABLE[exact]] = ENUMERATION
    methods[on_lattice & (n_nonzero * (step_limits + 1.0) <= _LATTICE_ADDITIONS[exact])] = LATTICE
    methods[n == 0] = NO_TEST
    if exact is True and (methods == MONTE_CARLO).any():
        raise ConfigError(_why_not_exact(int(np.argmax(methods == MONTE_CARLO)), n_nonzero, on_lattice))

    pvalues = np.full(len(n), np.nan)
    sides = 2 if alternative == "two-sided" else 1
    if (which := methods == LATTICE).any():
        pvalues[which] = sides * subset_sum_tails(steps[:, which], step_limits[which])
    limits = _limits(magnitudes, scaled, alternative)
    if (which := methods == ENUMERATION).any():
        pvalues[which] = sides * enumerated_tails(magnitudes[:, which], limits[which])
    if (which := methods == MONTE_CARLO).any():
        extreme = sampled_extremes(magnitudes[:, which], limits[which], sides == 2, n_resamples, rng)
        pvalues[which] = (extreme + 1) / (n_resamples + 1)
    # Where both signs have the same mass, each tail is above a half. And p is at least 2^-n, which
    # a float cannot hold when n > 1074.
    pvalues = np.clip(pvalues, np.nextafter(0, 1), 1.0)
    n_missing = missing.sum(axis=0)
    return SignFlipResults(
        pvalue=pvalues,
        mean=np.ldexp(mean, exponent),
        n=n,
        n_missing=n_missing,
        n_zero=n - n_nonzero,
        method=methods,
        n_resamples=np.where(methods == MONTE_CARLO, n_resamples, 0),
        alternative=np.full(len(n), alternative, dtype=object),
        reason=_reasons(pvalues, n, n_missing, n_nonzero, alternative),
    )


def _check(data: NDArray[np.float64], alternative: str, n_resamples: int, exact: object) -> None:
    if data.ndim != 2:
        raise ConfigError(f"deltas must have a column per test, their shape is {data.shape}")
    if alternative not in ("two-sided", "greater", "less"):
        raise ConfigError(f"alternative={alternative!r} is unknown: use 'two-sided', 'greater' or 'less'")
    check_count("n_resamples", n_resamples)
    if not (exact == "auto" or isinstance(exact, bool)):
        raise ConfigError(f"exact={exact!r} is unknown: use 'auto', True or False")


def _scaled(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Columns divided by a power of two, so that the largest is in [0.5, 1): no sum overflows."""
    exponent = np.frexp(np.abs(values).max(axis=0, initial=0.0))[1]
    return np.ldexp(values, -exponent), exponent


def _total(values: NDArray) -> NDArray:
    """Column sums, added row by row: the same whether there is one column or many."""
    return values.cumsum(axis=0)[-1] if len(values) else np.zeros(values.shape[1], dtype=values.dtype)


def _limits(sizes: NDArray, signs: NDArray[np.float64], alternative: str) -> NDArray:
    """The mass that turns negative in the pattern seen, or positive, or the smaller, per column."""
    positive = _total(np.where(signs > 0, sizes, 0))
    negative = _total(np.where(signs < 0, sizes, 0))
    if alternative == "two-sided":
        return np.minimum(positive, negative)
    return negative if alternative == "greater" else positive


def _why_not_exact(test: int, n_nonzero: NDArray[np.int64], on_lattice: NDArray[np.bool_]) -> str:
    lattice = (
        "the lattice they lie on is too fine"
        if on_lattice[test]
        else f"they are not multiples of one unit (the largest at most {MAX_STEPS:,} of it)"
    )
    return (
        f"no exact test of the {n_nonzero[test]} nonzero deltas of test {test}: {lattice}, and more than "
        f"{_ENUMERABLE[True]} cannot be enumerated; use exact='auto'"
    )


def _reasons(
    pvalues: NDArray[np.float64],
    n: NDArray[np.int64],
    n_missing: NDArray[np.int64],
    n_nonzero: NDArray[np.int64],
    alternative: str,
) -> NDArray[np.object_]:
    """What a reader must know of a p-value, per test."""
    sides = 2 if alternative == "two-sided" else 1
    reasons = np.full(len(n), "", dtype=object)
    for i in np.flatnonzero(sides * 0.5**n_nonzero > 0.05):
        if n[i] == 0:
            reasons[i] = f"no delta has a value: {n_missing[i]} are missing" if n_missing[i] else "no deltas"
        elif n_nonzero[i] == 0:
            reasons[i] = "all deltas are zero"
        else:
            reasons[i] = (
                f"{n_nonzero[i]} nonzero deltas: no p below {sides * 0.5 ** n_nonzero[i]} is possible"
            )
    reasons[pvalues < np.finfo(float).tiny] = "p is smaller than a float can hold"
    return reasons
