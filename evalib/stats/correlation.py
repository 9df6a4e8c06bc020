"""Correlation of two measures with its p-value and interval (paper Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import as_floats, check_share
from evalib.stats.result import Result

_ROUNDING = 1e-13  # relative: means of equal numbers may differ by as much


@dataclass(frozen=True)
class CorrelationResult(Result):
    """A correlation; ``n`` pairs were whole, ``n_missing`` lacked a value."""

    r: float
    pvalue: float
    low: float
    high: float
    n: int
    n_missing: int
    method: str
    confidence: float
    reason: str = ""


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    method: Literal["pearson", "spearman"] = "pearson",
    confidence: float = 0.95,
) -> CorrelationResult:
    r"""Pearson's or Spearman's correlation, its t test, and for Pearson Fisher's interval.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        Pairs with a NaN are left out and counted.
    method : {"pearson", "spearman"}
    confidence : float
        In (0, 1).

    Returns
    -------
    CorrelationResult
        NaN with a reason for fewer than three pairs, or values that do not vary. Spearman's has
        no interval: Fisher's does not hold for ranks.

    Raises
    ------
    ConfigError
        When shapes differ, a value is infinite, or a setting is unknown.

    Notes
    -----
    :math:`t = r \sqrt{(n-2)/(1-r^2)}` on n - 2 degrees of freedom, two-sided;
    :math:`\tanh(\operatorname{artanh} r \pm z/\sqrt{n-3})` (Fisher, 1921), for n > 3.

    Examples
    --------
    >>> found = correlation([1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(found.r, 6), round(found.pvalue, 6)
    (0.8, 0.2)
    """
    if method not in ("pearson", "spearman"):
        raise ConfigError(f"method={method!r} is unknown: use 'pearson' or 'spearman'")
    check_share("confidence", confidence)
    a, b = as_floats(x, "x"), as_floats(y, "y")
    if a.ndim != 1 or a.shape != b.shape:
        raise ConfigError(f"x has shape {a.shape}, y {b.shape}: give two vectors of one length")
    known = ~(np.isnan(a) | np.isnan(b))
    a, b, n = _scaled(a[known]), _scaled(b[known]), int(known.sum())
    r = pvalue = low = high = np.nan
    reason = ""
    if n < 3:
        reason = f"{n} pairs: a correlation needs three"
    elif still := [name for name, v in (("x", a), ("y", b)) if np.ptp(v) <= _ROUNDING * np.abs(v).max()]:
        reason = f"{still[0]} does not vary"
    else:
        from scipy import stats

        if method == "spearman":
            a, b = stats.rankdata(a), stats.rankdata(b)
        r = float(np.clip(np.corrcoef(a, b)[0, 1], -1, 1))
        rest = 1 - r * r
        pvalue = float(2 * stats.t.sf(abs(r) * np.sqrt((n - 2) / rest), n - 2)) if rest > 0 else 0.0
        if method == "spearman":
            reason = "no interval: Fisher's does not hold for ranks"
        elif n == 3:
            reason = "no interval: three pairs leave Fisher's no width to estimate"
        elif rest <= 0:
            low = high = r
            reason = "x and y lie on a line: the interval has no width"
        else:
            reach = stats.norm.ppf((1 + confidence) / 2) / np.sqrt(n - 3)
            low, high = (float(np.tanh(np.arctanh(r) + side * reach)) for side in (-1, 1))
    return CorrelationResult(r, pvalue, low, high, n, int((~known).sum()), method, confidence, reason)


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values over a power of two, which is exact, so that their squares fit in a float."""
    _, exponent = np.frexp(np.abs(values).max(initial=0.0))
    return np.ldexp(values, -exponent)
