"""Several tests at once: p-values corrected for how many there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import as_floats


def holm(pvalues: ArrayLike) -> NDArray[np.float64]:
    r"""Holm-Bonferroni adjusted p-values of one family of tests.

    With the m p-values in ascending order, the i-th becomes
    :math:`\max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`. Rejecting what is at most alpha keeps
    the chance of any false rejection in the family at most alpha, whatever the tests' dependence.

    Parameters
    ----------
    pvalues : array_like of float, any shape
        All of one family. NaN is a test that was not made: it stays NaN and does not count in the
        size of the family.

    Returns
    -------
    ndarray
        Of the same shape and order.

    Raises
    ------
    ConfigError
        When a value lies outside [0, 1].

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6 (1979);
    used in paper appendix G.2 over the three perturbation conditions.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, np.nan])
    array([0.03, 0.06, 0.06,  nan])
    """
    p = as_floats(pvalues, "p-values")
    tested = ~np.isnan(p)
    if (outside := p[tested & ~((p >= 0) & (p <= 1))]).size:
        raise ConfigError(f"{outside[0]} is no p-value: they lie between 0 and 1")
    made = p[tested]
    order = np.argsort(made, kind="stable")
    adjusted = np.empty_like(made)
    factors = np.arange(len(made), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * made[order]), 1.0)
    p[tested] = adjusted
    return p
