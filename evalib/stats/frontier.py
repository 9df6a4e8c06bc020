"""Which systems no other one beats on both of two measures (paper Figure 2)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import as_floats, check_columns, check_flag


def pareto_front(
    points: Any, x: str | int = 0, y: str | int = 1, maximize: tuple[bool, bool] = (True, True)
) -> NDArray[np.bool_]:
    """Mark the points that no other point dominates.

    A point dominates another when it is at least as good on both measures and better on one, so
    equal points are on the front together, or off it together.

    Parameters
    ----------
    points : DataFrame, or array_like of shape (n, n_columns)
    x, y : str or int
        Columns: names of a DataFrame, positions in an array.
    maximize : (bool, bool)
        Whether more is better, of x and of y.

    Returns
    -------
    ndarray of bool, shape (n,)
        A point with a NaN is never on the front, and dominates none. Infinities are numbers here:
        a latency without end is a point, and is beaten.

    Raises
    ------
    DataFormatError
        When a column is missing, or there are two of its name.
    ConfigError
        When points are no table, or hold anything but numbers, or `maximize` is no pair.

    Notes
    -----
    Sorted by x, a point is on the front when it has the best y of its x and betters that of all
    before: O(n log n) (Kung, Luccio & Preparata, J. ACM 22, 1975).

    Examples
    --------
    >>> pareto_front([[0.25, 1.0], [0.5, 0.5], [0.25, 0.75], [0.5, 0.5]]).tolist()
    [True, True, False, True]
    """
    if not isinstance(maximize, list | tuple) or len(maximize) != 2:
        raise ConfigError(f"maximize={maximize!r} must be a pair: whether more is better, of x and of y")
    for more_is_better in maximize:
        check_flag("maximize", more_is_better)
    first, second = _column(points, x), _column(points, y)
    a = first if maximize[0] else -first
    b = second if maximize[1] else -second
    front = np.zeros(len(a), dtype=bool)
    known = np.flatnonzero(~(np.isnan(a) | np.isnan(b)))
    order = known[np.lexsort((-b[known], -a[known]))]
    if not len(order):
        return front
    a, b = a[order], b[order]
    new_x = np.concatenate([[True], a[1:] != a[:-1]])
    start = np.maximum.accumulate(np.where(new_x, np.arange(len(a)), 0))  # of the points with this x
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(b)])[start]
    front[order] = (b == b[start]) & ((b > best_before) | (start == 0))
    return front


def _column(points: Any, name: str | int) -> NDArray[np.float64]:
    if hasattr(points, "columns"):
        return _floats(check_columns(points, (name,), "points")[name])
    table = _floats(points)
    if table.shape in ((0,), (1, 0)):  # [] and [[]]: no points
        return np.empty(0)
    whole = isinstance(name, Integral) and not isinstance(name, bool)
    if table.ndim != 2 or not whole or not -table.shape[1] <= int(name) < table.shape[1]:
        raise ConfigError(f"points of shape {table.shape} have no column {name!r}: give x and y positions")
    return table[:, int(name)]


def _floats(values: Any) -> NDArray[np.float64]:
    """Numbers, infinite ones too."""
    plain = np.asarray(values, dtype=object)
    found = [isinstance(v, Real) and v in (np.inf, -np.inf) for v in plain.flat]
    infinite = np.array(found, dtype=bool).reshape(plain.shape)
    if not infinite.any():
        return as_floats(values, "points")
    return np.where(infinite, plain, as_floats(np.where(infinite, 0, plain), "points")).astype(float)
