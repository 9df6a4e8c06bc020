"""The declared labels of a rating with what tells them apart: the frame in which raters are compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError
from evalib.stats.agreement.labels import MISSING, declared_labels, positions

Weights = Literal["linear", "quadratic"] | None
Codes = NDArray[np.intp]


class Scale:
    """Declared labels and weights.

    Attributes
    ----------
    labels : list
    k : int
        How many.
    weights : None, "linear" or "quadratic"
    apart : ndarray, shape (k, k)
        How far two labels lie apart *by position*: 1 for any two (None), :math:`|i-j|`, or
        :math:`(i-j)^2`; 0 on the diagonal.
    """

    def __init__(self, labels: Iterable[Any], weights: Weights = None):
        self.labels, self.weights = declared_labels(labels), weights
        self.k = len(self.labels)
        place = np.arange(self.k, dtype=float)
        steps = np.abs(place[:, None] - place)
        powers = {None: 0, "linear": 1, "quadratic": 2}
        if weights not in list(powers):
            raise ConfigError(f"weights={weights!r} are not known: use None, 'linear' or 'quadratic'")
        self.apart = np.where(steps > 0, steps ** powers[weights], 0.0)

    def table_of(self, a: Iterable[Any], b: Iterable[Any]) -> tuple[NDArray[np.float64], int]:
        """Contingency table of two raters, shape (k, k), and the number of pairs that miss a rating."""
        x, y = positions(a, self.labels, "rater a"), positions(b, self.labels, "rater b")
        if len(x) != len(y):
            raise ConfigError(f"rater a has {len(x)} ratings, rater b {len(y)}: one of each per item")
        table = self.unit_tables(np.zeros_like(x), x, y).sum(axis=0).reshape(self.k, self.k)
        return table, len(x) - int(table.sum())

    def unit_tables(self, units: Codes, a: Codes, b: Codes) -> NDArray[np.float64]:
        """A flattened table for each unit, shape (n_units, k * k); pairs that miss a rating left out.

        `units` are numbered from 0, `a` and `b` are positions of labels.
        """
        n_units = int(units.max()) + 1 if len(units) else 0
        both = (a != MISSING) & (b != MISSING)
        cells = ((units * self.k + a) * self.k + b)[both]
        return np.bincount(cells, minlength=n_units * self.k**2).astype(float).reshape(n_units, self.k**2)
