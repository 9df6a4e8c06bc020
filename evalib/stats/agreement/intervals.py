"""Agreement of two raters with intervals that respect what belongs together, e.g. a conversation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evalib.stats.agreement.labels import column, positions, unit_codes
from evalib.stats.agreement.resampling import AgreementInterval, Bootstrap, tables_interval
from evalib.stats.agreement.scale import Scale, Weights
from evalib.stats.intervals import Rng

if TYPE_CHECKING:
    import pandas as pd


def agreement_ci(
    ratings: pd.DataFrame,
    rater_a: str,
    rater_b: str,
    unit: str | None,
    labels: Iterable[Any],
    weights: Weights = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
) -> AgreementInterval:
    """Cohen's kappa, agreement and Spearman's rho of two raters with bootstrap intervals over units.

    Parameters
    ----------
    ratings : DataFrame
        One row for each rated item, one column for each rater. Of a long table (one row per rating)
        make one with ``long.pivot(index=["conversation", "turn"], columns="rater",
        values="rating").reset_index()``.
    rater_a, rater_b : str
        Columns of ratings; a missing one (None, NaN) leaves its pair out, counted.
    unit : str or None
        Column of what is resampled, with all its rows together: the conversation when several of
        its turns are rated. None: each row is a unit.
    labels, weights
        As in :func:`cohen_kappa`.
    n_resamples : int
    confidence : float
        In (0, 1).
    rng : numpy Generator, int or None
        None is a fixed seed. Neither the order of rows nor the names of units matter.

    Returns
    -------
    AgreementInterval
        Percentile intervals. A resample of one label only has no kappa: such are counted in
        ``n_undefined``, and ``reason`` says that the interval is that of the others.

    Raises
    ------
    ConfigError
        When a setting is out of range or `labels` or `weights` are no good.
    DataFormatError
        When a column is absent, a unit missing, or a rating none of the labels.

    Notes
    -----
    Paper: Table 2, "10,000 conversation-level bootstrap resamples". Kappa depends on the pairs
    through their contingency table, so a resample is a weighted sum of the units' tables.

    Examples
    --------
    >>> import pandas as pd
    >>> turns = pd.DataFrame({"call": [1, 1, 2, 2, 3, 4], "judge": [3, 3, 1, 2, 3, 1],
    ...                       "human": [3, 2, 1, 2, 3, 1]})
    >>> found = agreement_ci(turns, "judge", "human", "call", (1, 2, 3), weights="quadratic", rng=1)
    >>> found.n_units, found.n_pairs, round(found.kappa, 3), round(found.kappa_low, 3), found.kappa_high
    (4, 6, 0.889, 0.0, 1.0)
    """
    bootstrap, scale = Bootstrap(n_resamples, confidence, rng), Scale(labels, weights)
    a = positions(column(ratings, rater_a), scale.labels, f"column {rater_a!r}")
    b = positions(column(ratings, rater_b), scale.labels, f"column {rater_b!r}")
    tables = scale.unit_tables(unit_codes(ratings, unit), a, b)
    return tables_interval(tables, scale, len(a) - int(tables.sum()), bootstrap)
