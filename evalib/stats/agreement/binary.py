"""Agreement on pass or fail: all ratings cut at the pass threshold (paper Table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from evalib.core import ConfigError
from evalib.stats.agreement.annotators import annotator_agreement, two_annotators
from evalib.stats.agreement.labels import column, declared_labels, positions
from evalib.stats.intervals import Rng

if TYPE_CHECKING:
    import pandas as pd


def binary_agreement(
    ratings: pd.DataFrame,
    judge: str,
    annotators: Sequence[str],
    unit: str | None,
    labels: Iterable[Any],
    threshold: float | Iterable[float],
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
    n_draws: int = 1_000,
) -> pd.DataFrame:
    """Agreement of a judge and two annotators on which records pass: unweighted kappa.

    Parameters
    ----------
    ratings, judge, annotators, n_resamples, confidence, rng, n_draws
        As in :func:`annotator_agreement`.
    threshold : float, or several
        A record passes when its rating is at or above it, in the numbers of `labels`. At least one
        label must pass and one fail.
    labels : sequence of numbers
        The scale that was rated on, before cutting.
    unit : str or None
        What is resampled; None, the paper's choice here, is each record (a row with both its
        annotations).

    Returns
    -------
    DataFrame
        The rows of :func:`annotator_agreement` for each threshold, after a column ``threshold``.

    Raises
    ------
    ConfigError
        When a threshold does not divide the labels, or labels are not numbers.
    DataFormatError
        As :func:`annotator_agreement`.

    Examples
    --------
    >>> import pandas as pd
    >>> calls = pd.DataFrame({"judge": [3, 3, 1, 2, 3, 1], "ann": [3, 2, 1, 2, 3, 1],
    ...                       "bob": [3, 3, 1, 1, 3, 2]})
    >>> found = binary_agreement(calls, "judge", ("ann", "bob"), None, (1, 2, 3), threshold=2, rng=1)
    >>> found[["threshold", "pairing", "kappa", "agreement"]].round(2)
       threshold       pairing  kappa  agreement
    0          2         IAA-J   0.62       0.83
    1          2  IAA-J random   0.63       0.84
    2          2         IAA-H   0.25       0.67
    """
    import pandas as pd

    scale = declared_labels(labels)
    if not all(isinstance(label, Real) for label in scale):
        raise ConfigError(f"labels={scale} must be numbers: a threshold cuts nothing else")
    thresholds = np.asarray(threshold, dtype=object).ravel().tolist()
    if not thresholds or not all(isinstance(cut, Real) for cut in thresholds):
        raise ConfigError(f"threshold={threshold!r} must be a number or several, e.g. 2")
    raters = [judge, *two_annotators(annotators, judge)]
    rated = {c: positions(column(ratings, c), scale, f"column {c!r}") for c in raters}
    tables = []
    for cut in thresholds:
        passes = np.array([*(label >= cut for label in scale), None], dtype=object)  # [MISSING] is the None
        if len(set(passes[:-1])) < 2:
            raise ConfigError(
                f"threshold={cut} does not divide the labels {scale}: some must pass, some fail"
            )
        binary = ratings.copy()
        for name, places in rated.items():
            binary[name] = pd.Series(passes[places], index=ratings.index, dtype=object)
        found = annotator_agreement(
            binary, judge, annotators, unit, (False, True), None, n_resamples, confidence, rng, n_draws
        )
        found.insert(0, "threshold", cut)
        tables.append(found)
    return pd.concat(tables, ignore_index=True)
