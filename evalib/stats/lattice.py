"""Sums of random subsets of numbers that are multiples of one unit, exactly.

Scores that are means of a few trials of 0, 1/2 or 1 lie on a lattice: with 3 and 5 trials every
difference is a multiple of 1/30. The sum of a random subset of n such numbers takes few values,
and its distribution is had by n additions of arrays, where listing 2^n subsets could not be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_STEPS = 1_000  # the largest number may be this many units; a finer lattice is not looked for
TOLERANCE = 5e-8  # of the largest number: what is rounded to eight digits is still recognised

_DOUBLINGS = 500  # counts grow by 2 a number: this many at a time stay below the largest float
_BATCH_CELLS = 200_000  # tests are worked on together while they fit in the processor's cache


def find_lattice(magnitudes: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The numbers of each column as multiples of the largest unit that divides them all.

    The unit is any real number, not only a fraction of 1: c * x lies on a lattice when x does.

    Parameters
    ----------
    magnitudes : ndarray, shape (n, m)
        Not negative.

    Returns
    -------
    steps : ndarray of int, shape (n, m)
        Multiples of the column's unit; 0 in columns that lie on no lattice.
    found : ndarray of bool, shape (m,)
        Whether every number of the column is within ``TOLERANCE`` times the largest of a multiple
        of a unit, and the largest is at most ``MAX_STEPS`` units. Neighbours on the coarsest
        lattice are then 20,000 tolerances apart, so no two of its points can be confused.

    Examples
    --------
    >>> find_lattice(np.array([[0.26666667], [0.066666667], [0.2]]))[0].ravel()
    array([4, 1, 3])
    """
    n, m = magnitudes.shape
    steps = np.zeros((n, m), dtype=np.int64)
    found = np.ones(m, dtype=bool)
    largest = magnitudes.max(axis=0, initial=0.0)
    ratios = np.divide(magnitudes, largest, out=np.zeros((n, m)), where=largest > 0)
    per_largest = np.ones(m, dtype=np.int64)  # units in the largest number
    for rows in (slice(0, 8), slice(8, n)):  # a few numbers are enough to give most columns up
        alive = np.flatnonzero(found)
        for denominators in _denominators(ratios[rows, alive]):
            fits = (denominators > 0) & (per_largest[alive] <= MAX_STEPS)
            per_largest[alive] = np.lcm(
                per_largest[alive], denominators, where=fits, out=np.zeros_like(alive)
            )
            per_largest[alive[~fits]] = MAX_STEPS + 1
        found &= per_largest <= MAX_STEPS
    alive = np.flatnonzero(found)
    counts = np.rint(ratios[:, alive] * per_largest[alive])
    squares = (counts**2).sum(axis=0)
    unit = np.divide(
        (counts * ratios[:, alive]).sum(axis=0), squares, out=np.zeros(len(alive)), where=squares > 0
    )
    close = (np.abs(ratios[:, alive] - counts * unit) <= TOLERANCE).all(axis=0)
    found[alive] = close
    steps[:, alive] = np.where(close, counts, 0)
    return steps, found


def _denominators(ratios: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of the fraction nearest to each ratio in [0, 1], by continued fractions; 0 where none is near.

    A fraction with a denominator q <= 1,000 within 1e-7 is a convergent, since 1e-7 < 1/(2 q^2),
    and the only one.
    """
    target = ratios.ravel()
    found = np.zeros(target.size, dtype=np.int64)
    left = np.arange(target.size)
    rest = target
    # Numerators and denominators of the last convergent and of the one before.
    p, q, p_before, q_before = np.floor(rest), np.ones(len(rest)), np.ones(len(rest)), np.zeros(len(rest))
    while len(left):
        near = np.abs(target[left] - p / q) <= 2 * TOLERANCE  # the largest number is rounded, too
        found[left[near]] = q[near]
        # What is not near is not whole, so nothing is divided by zero.
        rest = 1 / (rest[~near] - np.floor(rest[~near]))
        left, p, q, p_before, q_before = left[~near], p[~near], q[~near], p_before[~near], q_before[~near]
        whole = np.floor(rest)
        p, q, p_before, q_before = whole * p + p_before, whole * q + q_before, p, q
        small = q <= MAX_STEPS
        left, rest = left[small], rest[small]
        p, q, p_before, q_before = p[small], q[small], p_before[small], q_before[small]
    return found.reshape(ratios.shape)


def subset_sum_tails(steps: NDArray[np.int64], limits: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance that a random subset of a column of numbers sums to no more than a limit.

    Parameters
    ----------
    steps : ndarray of int, shape (n, m)
        Not negative; zeros change nothing.
    limits : ndarray of int, shape (m,)
        Not negative.

    Returns
    -------
    ndarray, shape (m,)
        Number of subsets with a sum <= limit, divided by 2^n. Only positive terms are added, and
        scaled by powers of two, so that a chance of 1e-250 is as accurate as one of 0.5.

    Examples
    --------
    >>> subset_sum_tails(np.array([[1], [2], [3]]), np.array([3]))  # {}, 1, 2, 1 + 2 and 3
    array([0.625])
    """
    tails = np.empty(len(limits))
    order = np.argsort(limits, kind="stable")  # alike limits together: little room is wasted
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * (limits[order[stop]] + 1) <= _BATCH_CELLS:
            stop += 1
        batch = order[start:stop]
        tails[batch] = _batch_tails(steps[:, batch], limits[batch])
        start = stop
    return tails


def _batch_tails(steps: NDArray[np.int64], limits: NDArray[np.int64]) -> NDArray[np.float64]:
    """As :func:`subset_sum_tails`, with one table for all columns.

    ``chance[i, s]`` is that of sum s among the numbers seen so far. Sums above the limit are not
    kept: adding a number never brings them back.
    """
    width = int(limits.max()) + 1
    chance = np.zeros((len(limits), width))
    chance[:, 0] = 1.0
    for step in np.unique(steps[steps > 0]).tolist():
        copies = (steps == step).sum(axis=0)
        rows = np.flatnonzero(copies)
        rows = rows[np.argsort(-copies[rows], kind="stable")]
        left, part = copies[rows], chance[rows]
        while left[0] > 0:
            now = np.minimum(left, _DOUBLINGS)
            for copy in range(int(now[0]) if step < width else 0):
                active = int(np.searchsorted(-now, -copy))  # the rows with more copies than this
                part[:active, step:] += part[:active, :-step]
            part *= np.ldexp(1.0, -now)[:, None]
            left = left - now
        chance[rows] = part
    return chance.cumsum(axis=1)[np.arange(len(limits)), limits]
