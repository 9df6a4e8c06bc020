"""Which systems no other one beats on both of two measures (paper Figure 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError


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
        A point with a NaN is never on the front, and dominates none.

    Raises
    ------
    DataFormatError
        When a column is missing.
    ConfigError
        When points are no table, or hold anything but numbers.

    Notes
    -----
    Sorted by x, a point is on the front when it has the best y of its x and betters that of all
    before: O(n log n) (Kung, Luccio & Preparata, J. ACM 22, 1975).

    Examples
    --------
    >>> pareto_front([[0.25, 1.0], [0.5, 0.5], [0.25, 0.75], [0.5, 0.5]]).tolist()
    [True, True, False, True]
    """
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
        if name not in points.columns:
            raise DataFormatError(f"points have no column {name!r}: {', '.join(map(str, points.columns))}")
        return _floats(points[name].to_numpy(dtype=object, na_value=np.nan))
    table = _floats(points)
    if table.size == 0:
        return np.empty(0)
    if table.ndim != 2 or not isinstance(name, int) or not -table.shape[1] <= name < table.shape[1]:
        raise ConfigError(f"points of shape {table.shape} have no column {name!r}: give x and y positions")
    return table[:, name]


def _floats(values: Any) -> NDArray[np.float64]:
    """Numbers, infinite ones too: a latency without end is a point, and is beaten."""
    try:
        if any(isinstance(v, str) for v in np.asarray(values, dtype=object).flat):
            raise TypeError("text among them")
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"points must be numbers, convert them first: {error}") from error
