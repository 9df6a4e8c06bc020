"""Newton's method with lower bounds: an active set, a convexity guard and a line search."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalib.stats.variance.design import Bools, Floats

# Coordinates are logarithms of ratios: a step of 3 is a factor of 20, and exp(75) is out of reach.
_LONGEST_STEP = 3.0
_FARTHEST = 75.0
# Newton squares its error: after a step this small the next one would be rounding.
_STEP_TOLERANCE = 1e-6
_MAX_ITERATIONS = 100

Objective = Callable[[Floats], tuple[float, Floats, Floats]]


class Minimum(NamedTuple):
    """Where the search ended; ``gradient`` is the largest component not held by a bound."""

    x: Floats
    value: float
    gradient: float
    iterations: int
    converged: bool


def minimise(objective: Objective, start: Floats, lower: Floats, frozen: Bools) -> Minimum:
    """A local minimum from `start`, with ``x >= lower``; coordinates that are `frozen` do not move.

    Parameters
    ----------
    objective : callable
        x -> value, gradient, Hessian.
    """
    x = np.maximum(start, lower)
    value, gradient, hessian = objective(x)
    for iteration in range(1, _MAX_ITERATIONS + 1):
        free = ~frozen & ~((x <= lower) & (gradient >= 0))
        if not free.any():
            return Minimum(x, value, 0.0, iteration, True)
        step = np.zeros(len(x))
        step[free] = _descent(gradient[free], hessian[np.ix_(free, free)])
        step /= max(1.0, np.abs(step).max() / _LONGEST_STEP)
        small = bool(np.abs(step).max() < _STEP_TOLERANCE)
        x, value, gradient, hessian, moved = _line_search(
            objective, x, step, lower, (value, gradient, hessian)
        )
        if small or not moved:
            free = ~frozen & ~((x <= lower) & (gradient >= 0))
            norm = float(np.abs(gradient[free]).max(initial=0.0))
            return Minimum(x, value, norm, iteration, small or norm < 1e-5 * max(1.0, abs(value)))
    return Minimum(x, value, float(np.abs(gradient[free]).max()), _MAX_ITERATIONS, False)


def _descent(gradient: Floats, hessian: Floats) -> Floats:
    """Newton's step; where the deviance is not convex, curvatures change sign so that it descends."""
    if len(gradient) == 1:
        return -gradient / (abs(hessian[0]) or 1.0)
    curvature, axes = np.linalg.eigh(hessian)
    largest = float(np.abs(curvature).max()) or 1.0
    curvature = np.maximum(np.abs(curvature), 1e-12 * largest)
    return -axes @ ((axes.T @ gradient) / curvature)


def _line_search(objective: Objective, x: Floats, step: Floats, lower: Floats, here: tuple):
    """The first of the step and its halves that descends; rounding of the value is forgiven."""
    value, gradient, hessian = here
    slack = 1e-13 * max(1.0, abs(value))
    for halvings in range(40):
        there = np.minimum(np.maximum(x + step / 2**halvings, lower), _FARTHEST)
        new = objective(there)
        if new[0] <= value + 1e-4 * min(0.0, float(gradient @ (there - x))) + slack:
            return there, *new, bool((there != x).any())
    return x, value, gradient, hessian, False
