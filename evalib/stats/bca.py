r"""BCa: a bootstrap interval corrected for bias and for a spread that changes with the mean.

Efron, *Better bootstrap confidence intervals*, JASA 82, 1987; Davison & Hinkley, *Bootstrap Methods
and their Application*, 1997, section 5.3.2. The ends are quantiles of the resamples, as in the
percentile interval, at levels

.. math:: \Phi\!\left(z_0 + \frac{z_0 + z}{1 - a (z_0 + z)}\right), \quad z = \Phi^{-1}(\alpha/2),
          \Phi^{-1}(1 - \alpha/2)

where :math:`\Phi(z_0)` is the share of resamples below the estimate and a, the acceleration, is a
sixth of the skewness of the estimate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalib.stats.cluster_units import Stratum

# Of the draws' range. Means of 0s and 1s lie on a lattice: many resamples equal the estimate, but for
# rounding.
_TIE = 1e-9


def acceleration(parts: Sequence[Stratum]) -> float:
    r"""Acceleration of the equal-weighted mean over strata, by the jackknife over units.

    :math:`a = \sum d^3 / (6 (\sum d^2)^{3/2})`, where d of a unit is what its absence takes from
    the estimate, relative to the mean over units of its stratum and times (n-1)/n with n the
    stratum's units, so that strata of unlike sizes count by what they give to the variance.
    (R's ``boot.ci`` leaves out the 1/n, which is the same in strata of equal size only.)

    Parameters
    ----------
    parts : sequence of Stratum
        Each with two or more units.

    Returns
    -------
    float
        NaN when no unit's absence changes anything.

    Examples
    --------
    >>> import numpy as np
    >>> skewed = Stratum("", np.array([0.0, 0.0, 0.0, 1.0]), np.ones(4))
    >>> round(acceleration([skewed]), 4)  # skewness 2/sqrt(3) of the values, over 6 sqrt(4)
    0.0962
    """
    effects = []
    for part in parts:
        n = len(part.totals)
        without = (part.totals.sum() - part.totals) / (part.sizes.sum() - part.sizes)
        effects.append((without.mean() - without) * (n - 1) / n)
    d = np.concatenate(effects)
    d /= np.abs(d).max() or np.nan  # else the cube of a tiny difference is lost
    return float((d**3).sum() / (6 * (d**2).sum() ** 1.5))


def bca_levels(
    draws: NDArray[np.float64], estimate: float, a: float, confidence: float
) -> tuple[tuple[float, float] | None, str]:
    """Levels of the quantiles of the draws that are the ends of the BCa interval.

    Parameters
    ----------
    draws : ndarray, shape (n_resamples,)
        Means of resamples. One that equals the estimate counts half as below it.
    estimate : float
    a : float
        The :func:`acceleration`.
    confidence : float

    Returns
    -------
    levels : tuple of float, or None
        None when there is no such interval.
    reason : str
        Why not.

    Examples
    --------
    >>> import numpy as np
    >>> levels, _ = bca_levels(np.arange(101.0), estimate=50.0, a=0.0, confidence=0.9)
    >>> [round(level, 4) for level in levels]  # unbiased and even: the percentile interval
    [0.05, 0.95]
    >>> bca_levels(np.arange(101.0), estimate=200.0, a=0.0, confidence=0.9)
    (None, 'all resamples lie below the estimate')
    """
    from scipy.special import ndtr, ndtri

    tie = _TIE * np.ptp(draws)
    share = ((draws < estimate - tie).mean() + (draws <= estimate + tie).mean()) / 2
    if not 0 < share < 1:
        return None, f"all resamples lie {'below' if share else 'above'} the estimate"
    tail = (1 - confidence) / 2
    z0 = float(ndtri(share))
    moved = z0 + ndtri([tail, 1 - tail])
    if not (1 - a * moved > 0).all():  # also when a is NaN
        return None, "the jackknife gives no acceleration that it can use"
    low, high = ndtr(z0 + moved / (1 - a * moved)).tolist()
    return (low, high), ""
