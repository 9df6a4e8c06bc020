r"""Cohen's kappa between two raters, with declared labels.

.. math:: \kappa = \frac{p_o - p_e}{1 - p_e}

with p_o the observed and p_e the chance agreement, each pair of labels weighted by how near they
are: :math:`1` on the diagonal and 0 elsewhere (unweighted), :math:`1 - |i-j|/(k-1)` (linear) or
:math:`1 - (i-j)^2/(k-1)^2` (quadratic), i and j being *positions* among the k declared labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalib.stats.agreement.scale import Scale, Weights
from evalib.stats.agreement.tables import (
    agreement_of,
    chance_disagreement,
    kappa_of,
    rho_of,
    why_undefined,
)
from evalib.stats.result import Result


@dataclass(frozen=True)
class CohenKappa(Result):
    """Agreement of two raters.

    Attributes
    ----------
    kappa : float
        NaN, with a ``reason``, when all ratings are one label: chance then agrees fully, too.
    agreement : float
        Share of pairs with the same label, 0 to 1, whatever the weights.
    observed, expected : float
        Weighted agreement, observed and by chance: kappa is ``(observed - expected) / (1 - expected)``.
    rho : float
        Spearman's rank correlation with average ranks for ties, by the order of the labels; NaN,
        with a ``reason``, when a rater gave a single label.
    n, n_missing : int
        Pairs used, and pairs left out because one of the two is missing.
    weights : str or None
    reason : str
    """

    kappa: float
    agreement: float
    observed: float
    expected: float
    rho: float
    n: int
    n_missing: int
    weights: str | None
    reason: str = ""


def cohen_kappa(
    a: Iterable[Any], b: Iterable[Any], labels: Iterable[Any], weights: Weights = None
) -> CohenKappa:
    """Cohen's kappa of two raters, with percent agreement and Spearman's rho beside it.

    Parameters
    ----------
    a, b : sequences of the same length
        Ratings of the same items, in the same order. None and NaN are missing: the pair is left out
        and counted.
    labels : sequence
        All labels of the scale in their order, used or not: numbers, strings or bools. Found by
        equality: 1, 1.0 and True are one label.
    weights : None, "linear" or "quadratic"
        By the *position* of labels, so their spacing as numbers does not matter: (1, 2, 3),
        (0, 0.5, 1) and ("low", "mid", "high") give one kappa. For a scale with a gap declare the
        labels in the gap. A label that nobody used counts when it stands between used ones (it
        keeps its neighbours apart) and changes nothing at an end of the scale.

    Returns
    -------
    CohenKappa

    Raises
    ------
    ConfigError
        When lengths differ, `labels` are fewer than two or not distinct, or `weights` are unknown.
    DataFormatError
        When a rating is none of the labels.

    Notes
    -----
    The paper (section 4.2, Table 2) takes quadratic weights for metrics rated 1 to 3 and none for
    the binary Speech Fidelity. Source: Cohen (1960), Educ. Psychol. Meas. 20, 37-46, and (1968),
    Psychol. Bull. 70, 213-220.

    Examples
    --------
    >>> found = cohen_kappa([1, 1, 2, 3, 3], [1, 2, 2, 3, 3], labels=(1, 2, 3), weights="quadratic")
    >>> round(found.kappa, 4), found.agreement, round(found.rho, 4)
    (0.8571, 0.8, 0.9167)
    >>> found = cohen_kappa(["pass"] * 3, ["pass"] * 3, labels=("fail", "pass"))
    >>> found.kappa, found.agreement, found.reason
    (nan, 1.0, 'kappa and rho are 0/0: all ratings are one label')
    """
    scale = Scale(labels, weights)
    table, n_missing = scale.table_of(a, b)
    n, apart, far = int(table.sum()), scale.apart, scale.apart.max()
    return CohenKappa(
        kappa=float(kappa_of(table, apart)),
        agreement=float(agreement_of(table)),
        observed=float(1 - (table * apart).sum() / (n * far)) if n else np.nan,
        expected=float(1 - chance_disagreement(table, apart) / (n * n * far)) if n else np.nan,
        rho=float(rho_of(table)),
        n=n,
        n_missing=n_missing,
        weights=weights,
        reason=why_undefined(table),
    )
