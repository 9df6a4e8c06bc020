"""Exact and score intervals of a share: what can be said of a rate when all agree, and at any rate."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from evalib.core import ConfigError
from evalib.stats.arguments import check_share
from evalib.stats.result import Result

Method = Literal["clopper-pearson", "wilson"]
Side = Literal["two-sided", "lower", "upper"]


@dataclass(frozen=True)
class BinomialInterval(Result):
    """A share with its interval.

    Attributes
    ----------
    estimate, low, high : float
        From 0 to 1. NaN, with a ``reason``, of nothing. A lower bound has ``high`` 1, an upper
        bound ``low`` 0.
    n, passed : int
    confidence : float
    method, alternative : str
    reason : str
    """

    estimate: float
    low: float
    high: float
    n: int
    passed: int
    confidence: float
    method: str
    alternative: str
    reason: str = ""


def binomial_interval(
    passed: int,
    n: int,
    confidence: float = 0.95,
    method: Method = "clopper-pearson",
    alternative: Side = "two-sided",
) -> BinomialInterval:
    r"""Interval of the chance that one unit passes, from how many of n independent units did.

    Where all units agree a bootstrap has nothing to resample and gives no width; this interval
    still says what chances are compatible with it. Units must be independent: scenarios, each
    passed or not, never the trials of one scenario together.

    Parameters
    ----------
    passed, n : int
        0 <= passed <= n.
    confidence : float
        In (0, 1).
    method : {"clopper-pearson", "wilson"}
        ``"clopper-pearson"``: exact, holds the truth at least as often as it says; the chances
        that tests of size :math:`\alpha/2` on either side do not reject. ``"wilson"``: inverts the
        normal score test; shorter, right on average over chances and too short at some.
    alternative : {"two-sided", "lower", "upper"}
        ``"lower"``: one bound, that the chance is at least; ``"upper"``: that it is at most. All of
        :math:`\alpha` is then on that side.

    Returns
    -------
    BinomialInterval
        Of 0 of n, the exact upper limit is :math:`1 - (\alpha/2)^{1/n}`, one-sided
        :math:`1 - \alpha^{1/n}`; of n of n the mirror image.

    Raises
    ------
    ConfigError
        When counts are no whole numbers or do not fit, or an argument is unknown.

    Notes
    -----
    Clopper & Pearson, *Biometrika* 26, 1934; Wilson, *JASA* 22, 1927; Brown, Cai & DasGupta,
    *Statistical Science* 16, 2001, compare them.

    Examples
    --------
    >>> round(binomial_interval(0, 30).high, 4)  # 1 - 0.025 ** (1 / 30)
    0.1157
    >>> round(binomial_interval(30, 30, alternative="lower").low, 4)  # 0.05 ** (1 / 30)
    0.905
    >>> found = binomial_interval(3, 10, method="wilson")
    >>> round(found.low, 4), round(found.high, 4)
    (0.1078, 0.6032)
    """
    x, n = _count(passed, "passed"), _count(n, "n")
    if x > n:
        raise ConfigError(f"passed={x} is more than n={n}: count both over the same units")
    check_share("confidence", confidence)
    if method not in ("clopper-pearson", "wilson"):
        raise ConfigError(f"method={method!r} is unknown: use 'clopper-pearson' or 'wilson'")
    if alternative not in ("two-sided", "lower", "upper"):
        raise ConfigError(f"alternative={alternative!r} is unknown: use 'two-sided', 'lower' or 'upper'")
    low = high = estimate = np.nan
    if n:
        estimate = x / n
        alpha = (1 - confidence) / (2 if alternative == "two-sided" else 1)
        lower, upper = (_exact if method == "clopper-pearson" else _wilson)(x, n, alpha)
        low = 0.0 if alternative == "upper" or x == 0 else lower
        high = 1.0 if alternative == "lower" or x == n else upper
    reason = "" if n else "no units: n is 0"
    return BinomialInterval(estimate, low, high, n, x, confidence, method, alternative, reason)


def _count(given: Any, name: str) -> int:
    whole = isinstance(given, Integral) or (isinstance(given, Real) and float(given).is_integer())
    if not whole or given < 0:
        raise ConfigError(f"{name}={given!r} must be a whole number of at least 0")
    return int(given)


def _exact(x: int, n: int, alpha: float) -> tuple[float, float]:
    """The chances at which x or more of n, and x or fewer, pass with probability alpha."""
    from scipy.special import betainccinv, betaincinv

    return float(betaincinv(x, n - x + 1, alpha)), float(betainccinv(x + 1, n - x, alpha))


def _wilson(x: int, n: int, alpha: float) -> tuple[float, float]:
    """The chances of which x/n is as far as the normal quantile, in their standard errors."""
    from scipy.special import ndtri

    z, p = -float(ndtri(alpha)), x / n
    middle, reach = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
    return (middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n)
