"""How conversations spread over a scale, and what passes at each cut of it (paper E.3.2, E.4.1, E.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError
from evalib.stats.arguments import as_floats
from evalib.stats.trial_values import columns_of, groups_of, refuse_infinite, trial_values

if TYPE_CHECKING:
    import pandas as pd

_TOLERANCE = 1e-9


def rating_distribution(
    scores: pd.DataFrame,
    metric: str,
    levels: Sequence[float] = (0.0, 0.5, 1.0),
    by: Sequence[str] = (),
) -> pd.DataFrame:
    """Share of conversations at each rating, and passing at each cut (E.3.2, E.4.1).

    Parameters
    ----------
    scores : DataFrame
        A score table.
    metric : str
        One whose conversations are rated on a scale, e.g. ``"faithfulness"``.
    levels : sequence of float
        The scale's values, rising; ratings 1, 2, 3 are normalised to 0, 0.5, 1.
    by : sequence of str
        Columns that tell the groups apart; every conversation of a group counts the same.

    Returns
    -------
    DataFrame
        One row per group and level: columns of `by`, ``metric, level, n, share`` (exactly this
        rating), ``at_least`` (this or a higher one: the pass rate with the cut here), ``n_trials,
        n_missing, reason``. ``at_least`` of the highest level is the strict cut, "= 3".

    Raises
    ------
    DataFormatError
        When a value is none of the levels, as means over several passes of a judge can be, or as
        :func:`evalib.stats.pass_rates`.
    ConfigError
        When levels do not rise.

    Notes
    -----
    For Faithfulness the paper gives shares of 43.5, 32.0 and 24.4%, hence 56.4% passing at 2 and
    24.4% under the strict cut; for Conversation Progression 18.8, 42.4, 38.8, hence 81.2 and 38.8.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"scenario": range(4), "trial": 0, "metric": "m", "value": [0, 0.5, 1, 1]})
    >>> rating_distribution(frame, "m")[["level", "share", "at_least"]].to_dict("list")
    {'level': [0.0, 0.5, 1.0], 'share': [0.25, 0.25, 0.5], 'at_least': [1.0, 0.75, 0.5]}
    """
    import pandas as pd

    scale = as_floats(levels, "levels")
    if scale.ndim != 1 or len(scale) < 1 or not (np.diff(scale) > 0).all():
        raise ConfigError(f"levels={levels} must be rising numbers")
    rows = []
    for key, values, missing in _conversations(scores, metric, by):
        distance = np.abs(values[:, None] - scale[None, :])
        nearest = distance.argmin(axis=1)
        if (off := distance.min(axis=1) > _TOLERANCE).any():
            raise DataFormatError(
                f"{metric} has the value {values[off][0]:.6g}, which is none of the levels "
                f"{', '.join(f'{s:g}' for s in scale)}: keep one pass of the judge, or use score_buckets"
            )
        counts = np.bincount(nearest, minlength=len(scale))
        above = counts[::-1].cumsum()[::-1]
        for level, n, reached in zip(scale.tolist(), counts.tolist(), above.tolist(), strict=True):
            rows.append(
                {
                    **key,
                    "metric": metric,
                    "level": level,
                    "n": n,
                    "share": n / len(values) if len(values) else np.nan,
                    "at_least": reached / len(values) if len(values) else np.nan,
                    "n_trials": len(values),
                    "n_missing": missing,
                    "reason": "" if len(values) else "no trial has a value",
                }
            )
    return pd.DataFrame(rows)


def score_buckets(
    scores: pd.DataFrame,
    metric: str,
    width: float = 0.1,
    by: Sequence[str] = (),
) -> pd.DataFrame:
    """Share of conversations in buckets of equal width from 0 to 1, as in Table 19.

    Parameters
    ----------
    scores : DataFrame
        A score table.
    metric : str
        One with values in [0, 1].
    width : float
        1 / width must be whole. A bucket holds its lower edge; the last holds 1 too.
    by : sequence of str
        Columns that tell the groups apart; every conversation of a group counts the same.

    Returns
    -------
    DataFrame
        One row per group and bucket: columns of `by`, ``metric, low, high, n, share, mean, sd``
        (of all conversations of the group, sd with ddof 1), ``n_trials, n_missing, reason``.

    Raises
    ------
    DataFormatError
        When a value is outside [0, 1], or as :func:`evalib.stats.pass_rates`.
    ConfigError
        When the width does not divide 1.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"scenario": range(4), "trial": 0, "metric": "m", "value": [0.1, 0.5, 0.99, 1]})
    >>> score_buckets(frame, "m", width=0.5)[["low", "high", "share"]].to_dict("list")
    {'low': [0.0, 0.5], 'high': [0.5, 1.0], 'share': [0.25, 0.75]}
    """
    import pandas as pd

    if not isinstance(width, Real) or not 0 < width <= 1 or abs(1 / width - round(1 / width)) > _TOLERANCE:
        raise ConfigError(f"width={width!r} does not divide 1 into equal buckets: use e.g. 0.1")
    n_buckets = round(1 / width)
    rows = []
    for key, values, missing in _conversations(scores, metric, by):
        if (outside := (values < -_TOLERANCE) | (values > 1 + _TOLERANCE)).any():
            raise DataFormatError(f"{metric} has the value {values[outside][0]:.6g}, outside of [0, 1]")
        # 0.3 is 0.1 * 3 less a bit: what lies on an edge up to rounding belongs above it.
        bucket = np.clip(np.floor(values * n_buckets + _TOLERANCE), 0, n_buckets - 1).astype(int)
        counts = np.bincount(bucket, minlength=n_buckets)
        summary = {
            "mean": float(values.mean()) if len(values) else np.nan,
            "sd": float(values.std(ddof=1)) if len(values) > 1 else np.nan,
            "n_trials": len(values),
            "n_missing": missing,
            "reason": ("no trial has a value", "no sd: a single trial")[len(values)]
            if len(values) < 2
            else "",
        }
        for i, n in enumerate(counts.tolist()):
            edges = {"low": i / n_buckets, "high": (i + 1) / n_buckets}
            share = n / len(values) if len(values) else np.nan
            rows.append({**key, "metric": metric, **edges, "n": n, "share": share, **summary})
    return pd.DataFrame(rows)


def _conversations(
    scores: pd.DataFrame, metric: str, by: Sequence[str]
) -> list[tuple[dict[str, Any], NDArray[np.float64], int]]:
    """Of each group its columns, the values of its trials, and how many are missing."""
    import pandas as pd

    by = columns_of(by)
    has_systems = isinstance(scores, pd.DataFrame) and "system" in scores
    trials = trial_values(scores, metric, columns_of([*by, "system"] if has_systems else by))
    refuse_infinite(trials, metric)
    found = []
    for key, group in groups_of(trials, by):
        values = group["value"].to_numpy(dtype=float)
        present = ~np.isnan(values)
        found.append((key, values[present], int((~present).sum())))
    return found
