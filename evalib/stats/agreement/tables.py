"""Kappa, agreement and Spearman's rho of contingency tables, one or thousands at a time.

A table counts pairs: ``table[i, j]`` is how often the first rater gave label i and the second
label j. What two raters agree on depends on the pairs through this table only, and a resample of
conversations is a sum of their tables; so a bootstrap is one matrix product and then these
formulas on a stack of tables. All sums are of whole numbers, hence exact: what is 0/0 is seen as
such, and equal tables give equal numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]


def kappa_of(tables: Table, apart: Table) -> NDArray[np.float64]:
    """Cohen's kappa of tables of shape (..., k, k); NaN where it is 0/0."""
    total = tables.sum(axis=(-1, -2))
    observed = (tables * apart).sum(axis=(-1, -2))
    return 1 - _ratio(total * observed, chance_disagreement(tables, apart))


def chance_disagreement(tables: Table, apart: Table) -> NDArray[np.float64]:
    """Disagreement of the marginals, were they independent, times the square of the number of pairs."""
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    return ((rows @ apart) * columns).sum(axis=-1)


def agreement_of(tables: Table) -> NDArray[np.float64]:
    """Share of pairs with the same label; NaN without pairs."""
    same = np.trace(tables, axis1=-2, axis2=-1)
    return _ratio(same, tables.sum(axis=(-1, -2)))


def rho_of(tables: Table) -> NDArray[np.float64]:
    """Spearman's rho with average ranks for ties; NaN where a rater gave a single label.

    Pearson's correlation of the ranks, which are the same for all pairs of a row (or column) of
    the table. Ranks are doubled and centred, to be whole numbers of mean 0.
    """
    total = tables.sum(axis=(-1, -2))[..., None]
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    x, y = 2 * rows.cumsum(axis=-1) - rows - total, 2 * columns.cumsum(axis=-1) - columns - total
    shared = ((tables * x[..., :, None]).sum(axis=-2) * y).sum(axis=-1)
    spread_x, spread_y = (rows * x**2).sum(axis=-1), (columns * y**2).sum(axis=-1)
    return np.clip(_ratio(shared, np.sqrt(spread_x * spread_y)), -1, 1)


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0)


def why_undefined(table: Table) -> str:
    """Why kappa or rho of a table is NaN; empty when both can be had."""
    if not table.any():
        return "no pair of ratings"
    single = [np.count_nonzero(table.sum(axis=axis)) == 1 for axis in (1, 0)]
    if all(single) and np.trace(table):
        return "kappa and rho are 0/0: all ratings are one label"
    # Two raters with one label each, not the same: kappa is 0, chance explains all there is.
    return "rho is 0/0: a rater gave a single label" if any(single) else ""
