r"""Gwet's AC1 and AC2: agreement corrected for chance in a way that high prevalence does not upset.

.. math:: AC = \frac{p_o - p_e}{1 - p_e}, \qquad p_e = \frac{T_w}{k(k-1)} \sum_c \pi_c (1 - \pi_c)

with :math:`\pi_c` the mean of the two raters' shares of label c, k the number of declared labels
and :math:`T_w` the sum of all weights (k when unweighted).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalib.stats.agreement.scale import Scale, Weights
from evalib.stats.agreement.tables import agreement_of
from evalib.stats.result import Result


@dataclass(frozen=True)
class GwetAC1(Result):
    """Gwet's coefficient of two raters.

    Attributes
    ----------
    ac1 : float
        AC1, or AC2 when ``weights`` are given; NaN, with a ``reason``, without pairs only.
    agreement : float
        Share of pairs with the same label, 0 to 1.
    observed, expected : float
        (Weighted) agreement, observed and by chance.
    n, n_missing : int
        Pairs used, and left out because one of the two is missing.
    weights : str or None
    reason : str
    """

    ac1: float
    agreement: float
    observed: float
    expected: float
    n: int
    n_missing: int
    weights: str | None
    reason: str = ""


def gwet_ac1(a: Iterable[Any], b: Iterable[Any], labels: Iterable[Any], weights: Weights = None) -> GwetAC1:
    """Gwet's AC1 (AC2 with weights) of two raters.

    Parameters
    ----------
    a, b : sequences of the same length
        Ratings of the same items; None and NaN are missing.
    labels : sequence
        All labels in order. An unused one changes AC1: chance is spread over all declared labels.
    weights : None, "linear" or "quadratic"
        By position, as in :func:`cohen_kappa`.

    Returns
    -------
    GwetAC1
        Perfect agreement on one label gives 1 here, where kappa is 0/0.

    Raises
    ------
    ConfigError, DataFormatError
        As :func:`cohen_kappa`.

    Notes
    -----
    Source: Gwet (2008), Br. J. Math. Stat. Psychol. 61, 29-48.

    Examples
    --------
    >>> judge, human = ["pass"] * 19 + ["fail"], ["pass"] * 18 + ["fail", "pass"]
    >>> round(gwet_ac1(judge, human, labels=("fail", "pass")).ac1, 4)
    0.8895
    """
    scale = Scale(labels, weights)
    table, n_missing = scale.table_of(a, b)
    n, k = int(table.sum()), scale.k
    if not n:
        nan = float("nan")
        return GwetAC1(nan, nan, nan, nan, 0, n_missing, weights, "no pair of ratings")
    near = 1 - scale.apart / scale.apart.max()
    observed = float((table * near).sum() / n)
    share = (table.sum(axis=0) + table.sum(axis=1)) / (2 * n)
    expected = float(near.sum() / (k * (k - 1)) * np.sum(share * (1 - share)))
    return GwetAC1(
        ac1=(observed - expected) / (1 - expected),
        agreement=float(agreement_of(table)),
        observed=observed,
        expected=expected,
        n=n,
        n_missing=n_missing,
        weights=weights,
    )
