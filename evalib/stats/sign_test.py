"""Exact binomial sign test: how many differences are above zero, whatever their size (H.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from evalib.core import ConfigError
from evalib.stats.arguments import as_floats
from evalib.stats.result import Result
from evalib.stats.sign_flip import ZERO_TOLERANCE, Alternative

Zeros = Literal["keep", "drop", "split"]


@dataclass(frozen=True)
class SignTestResult(Result):
    """A sign test.

    Attributes
    ----------
    pvalue : float
        NaN, with a ``reason``, without any difference.
    n, n_missing : int
        Differences that have a value, that are NaN.
    n_positive, n_negative, n_zero : int
        They add up to n.
    n_counted : int
        Trials of the binomial distribution: n, or fewer when zeros are left out.
    alternative, zeros : str
    reason : str
    """

    pvalue: float
    n: int
    n_missing: int
    n_positive: int
    n_negative: int
    n_zero: int
    n_counted: int
    alternative: str
    zeros: str
    reason: str = ""


def sign_test(
    deltas: ArrayLike, alternative: Alternative = "greater", zeros: Zeros = "keep"
) -> SignTestResult:
    r"""Test whether differences are above zero more often than below, by their signs alone.

    Of m counted differences of which k support the claim, p is the binomial tail
    :math:`\sum_{j \ge k} \binom{m}{j} / 2^m`; two-sided, twice the smaller of the tails of both
    claims, at most 1.

    Parameters
    ----------
    deltas : array_like of float, shape (n,)
        One difference per independent unit. NaN is missing: left out and counted. What is within
        1e-12 of the largest counts as zero.
    alternative : {"greater", "less", "two-sided"}
        "greater": most differences are above zero.
    zeros : {"keep", "drop", "split"}
        ``"keep"``: a zero is counted and supports no claim, the strictest reading: many zeros
        give p = 1. The paper's Table 37 does so: its p-values are tails of binomials over all 50,
        80 or 83 records of a domain, and 1.000 where few records vary. ``"drop"``: zeros are left
        out, the textbook sign test (Dixon & Mood, 1946), which asks about those differences alone
        that are not zero. ``"split"``: half of the zeros support each side; of an odd number one
        is left out.

    Returns
    -------
    SignTestResult
        With nothing but zeros p is 1, whatever their treatment.

    Raises
    ------
    ConfigError
        When an argument is unknown, or a value is infinite or no number.

    Examples
    --------
    >>> sign_test([0.1, 0.3, 0.2, 0.4, 0, 0]).pvalue  # 4 or more of 6
    0.34375
    >>> sign_test([0.1, 0.3, 0.2, 0.4, 0, 0], zeros="drop").pvalue  # 4 of 4
    0.0625
    """
    if alternative not in ("two-sided", "greater", "less"):
        raise ConfigError(f"alternative={alternative!r} is unknown: use 'greater', 'less' or 'two-sided'")
    if zeros not in ("keep", "drop", "split"):
        raise ConfigError(f"zeros={zeros!r} is no treatment of zeros: use 'keep', 'drop' or 'split'")
    values = as_floats(deltas, "deltas")
    if values.ndim != 1:
        raise ConfigError(f"deltas must be one-dimensional, their shape is {values.shape}")
    missing = np.isnan(values)
    given = values[~missing]
    least = ZERO_TOLERANCE * np.abs(given).max(initial=0.0)
    n_positive, n_negative = int((given > least).sum()), int((given < -least).sum())
    n_zero = len(given) - n_positive - n_negative
    each = n_zero // 2 if zeros == "split" else 0
    n_counted = {"keep": len(given), "drop": n_positive + n_negative}.get(
        zeros, n_positive + n_negative + 2 * each
    )
    pvalue, reason = _pvalue(n_positive + each, n_negative + each, n_counted, alternative), ""
    if not len(given):
        pvalue = np.nan
        reason = f"no delta has a value: {int(missing.sum())} are missing" if missing.any() else "no deltas"
    elif n_zero == len(given):
        pvalue, reason = 1.0, "all deltas are zero"
    return SignTestResult(
        pvalue=pvalue,
        n=len(given),
        n_missing=int(missing.sum()),
        n_positive=n_positive,
        n_negative=n_negative,
        n_zero=n_zero,
        n_counted=n_counted,
        alternative=alternative,
        zeros=zeros,
        reason=reason,
    )


def _pvalue(above: int, below: int, n: int, alternative: str) -> float:
    from scipy.stats import binom

    greater, less = (float(binom.sf(count - 1, n, 0.5)) for count in (above, below))
    return {"greater": greater, "less": less}.get(alternative, min(1.0, 2 * min(greater, less)))
