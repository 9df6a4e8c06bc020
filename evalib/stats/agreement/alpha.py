r"""Krippendorff's alpha: agreement of any number of raters, with ratings missing.

.. math:: \alpha = 1 - \frac{D_o}{D_e}
    = 1 - \frac{\frac{1}{n} \sum_u \frac{1}{m_u - 1} \sum_{i \neq j \in u} \delta^2(v_i, v_j)}
               {\frac{1}{n(n-1)} \sum_{c,d} n_c n_d \, \delta^2(c, d)}

over units u with m_u >= 2 ratings, n ratings in all such units, n_c of them of value c.
:math:`\delta^2` is 0 or 1 (nominal), :math:`(c-d)^2` (interval), :math:`((c-d)/(c+d))^2` (ratio), or
the squared difference of average ranks among all ratings (ordinal).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError
from evalib.stats.agreement.labels import MISSING, column, declared_labels, listed, positions, unit_codes
from evalib.stats.agreement.raters import raters_of
from evalib.stats.agreement.resampling import Bootstrap, in_fixed_order
from evalib.stats.intervals import Rng
from evalib.stats.result import Result
from evalib.stats.trial_values import columns_of

if TYPE_CHECKING:
    import pandas as pd

Level = Literal["nominal", "ordinal", "interval", "ratio"]
_LEVELS = ("nominal", "ordinal", "interval", "ratio")
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class KrippendorffAlpha(Result):
    """Alpha with a percentile bootstrap interval over units.

    Attributes
    ----------
    alpha, low, high : float
        NaN, with a ``reason``, when all ratings are equal: there is nothing to disagree about.
    n_units, n_ratings : int
        Units with at least two ratings, and the ratings of those.
    n_raters : int
        Raters with a rating at all.
    n_single : int
        Units left out because they have fewer than two ratings.
    n_missing : int
        Ratings that are missing, of all units times all raters.
    n_undefined : int
        Resamples of the bootstrap in which all ratings are equal; the interval is that of the others.
    level : str
    confidence : float
    reason : str
    """

    alpha: float
    low: float
    high: float
    n_units: int
    n_ratings: int
    n_raters: int
    n_single: int
    n_missing: int
    n_undefined: int
    level: str
    confidence: float
    reason: str = ""


def krippendorff_alpha(
    ratings: Any,
    level: Level = "nominal",
    labels: Iterable[Any] | None = None,
    unit: str | None = None,
    rater: str | None = None,
    value: str | None = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
    raters: Sequence[str] | None = None,
) -> KrippendorffAlpha:
    """Krippendorff's alpha of two or more raters, with an interval over units.

    Parameters
    ----------
    ratings : array or DataFrame, shape (n_units, n_raters), or a long DataFrame
        None and NaN where a rater did not rate a unit. Long: one row per rating, with columns `unit`,
        `rater` and `value`, to be named all three. Of a wide frame every column but `unit` is taken
        for a rater, unless `raters` are named; one that looks like an id is refused.
    level : {"nominal", "ordinal", "interval", "ratio"}
        What differences between ratings mean. Interval and ratio need numbers, ratio none below 0.
    labels : sequence, optional
        All labels in order; a rating that is none of them is an error. Needed for ordinal ratings
        that are not numbers. An unused label changes nothing: alpha looks at values that occur.
    unit, rater, value : str, optional
        Columns of a long frame. `unit` alone: the column of a wide frame that says what was rated,
        once in each row.
    n_resamples, confidence, rng
        Of the bootstrap, which resamples whole units.
    raters : sequence of str, optional
        Columns of a wide frame that hold the ratings, one per rater.

    Returns
    -------
    KrippendorffAlpha

    Raises
    ------
    ConfigError
        When an argument is not known or the ratings are not of a shape or kind that `level` takes.
    DataFormatError
        When a rater rated a unit twice (long), a column of a wide frame looks like an id, or a
        rating is infinite or none of the labels.

    Notes
    -----
    Source: Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability". The interval is a
    plain bootstrap of units, not Krippendorff's own of single deviations.

    Examples
    --------
    >>> found = krippendorff_alpha([[1, 1, None], [2, 2, 3], [3, 3, 3], [1, 2, 1]], level="ordinal", rng=1)
    >>> round(found.alpha, 3), found.n_units, found.n_ratings
    (0.773, 4, 11)
    """
    bootstrap = Bootstrap(n_resamples, confidence, rng)
    if level not in _LEVELS:
        raise ConfigError(f"level={level!r} is not known: use one of {', '.join(_LEVELS)}")
    if labels is not None:
        labels = declared_labels(labels)
    if raters is None and rater is None and value is None:
        raters = raters_of(ratings, unit, level, labels)
    columns = _columns(ratings, unit, rater, value, raters)
    scale, codes = _scale(columns, level, labels)
    counts = np.zeros((len(codes), len(scale)))
    for place in range(len(scale)):
        counts[:, place] = (codes == place).sum(axis=1)
    several = counts.sum(axis=1) > 1
    units = in_fixed_order(counts[several])
    alpha, draws = np.nan, np.empty(0)
    if len(units):
        estimator = _Alpha(units, scale, level)
        alpha = float(estimator(np.ones((1, len(units))))[0])
        draws = np.concatenate([draws, *bootstrap.draws(len(units), estimator, estimator.cells)])
    low, high = bootstrap.ends(draws)
    undefined = int(np.isnan(draws).sum())
    return KrippendorffAlpha(
        alpha, low, high,
        n_units=len(units),
        n_ratings=int(units.sum()),
        n_raters=int((codes != MISSING).any(axis=0).sum()) if codes.size else 0,
        n_single=int((~several).sum()),
        n_missing=int((codes == MISSING).sum()),
        n_undefined=undefined,
        level=level,
        confidence=confidence,
        reason=_reason(units, alpha, undefined, n_resamples),
    )  # fmt: skip


def _reason(units: Counts, alpha: float, undefined: int, n_resamples: int) -> str:
    if not len(units):
        return "no unit has two ratings"
    if np.isnan(alpha):
        return "alpha is 0/0: all ratings are one value"
    if len(units) == 1:
        return "no interval: a single unit to resample"
    if undefined == n_resamples:
        return "no interval: alpha is 0/0 in every resample"
    if undefined:
        return f"alpha is 0/0 in {undefined} of {n_resamples} resamples: its interval is that of the rest"
    return ""


class _Alpha:
    """Alpha of resamples of units, given how often each unit was drawn."""

    def __init__(self, units: Counts, scale: list[Any], level: Level):
        self.units, self.ordinal = units, level == "ordinal"
        self.ratings = units.sum(axis=1)  # m_u
        self.cells = len(self.ratings) + 4 * units.shape[1]
        self.apart = np.empty((0, 0)) if self.ordinal else _apart(scale, level)
        # Sum over ordered pairs of ratings of a unit: delta is 0 for a rating with itself.
        self.within = (
            np.empty(0) if self.ordinal else ((units @ self.apart) * units).sum(axis=1) / (self.ratings - 1)
        )

    def __call__(self, drawn: Counts) -> Counts:
        values = drawn @ self.units
        n = drawn @ self.ratings
        observed, expected = (
            self._by_rank(drawn, values, n) if self.ordinal else self._by_value(drawn, values)
        )
        ratio = np.divide((n - 1) * observed, expected, out=np.full(len(n), np.nan), where=expected > 0)
        return 1 - ratio

    def _by_value(self, drawn: Counts, values: Counts) -> tuple[Counts, Counts]:
        return drawn @ self.within, ((values @ self.apart) * values).sum(axis=1)

    def _by_rank(self, drawn: Counts, values: Counts, n: Counts) -> tuple[Counts, Counts]:
        """With ranks of the resample itself. Ranks are centred, so that sums stay small and exact."""
        rank = values.cumsum(axis=1) - (values + n[:, None]) / 2
        total, squares = rank @ self.units.T, rank**2 @ self.units.T
        within = 2 * (self.ratings * squares - total**2) / (self.ratings - 1)
        return (drawn * within).sum(axis=1), 2 * n * (values * rank**2).sum(axis=1)


def _apart(scale: list[Any], level: Level) -> NDArray[np.float64]:
    if level == "nominal":
        return 1 - np.eye(len(scale))
    values = np.asarray(scale, dtype=float)
    # Alpha has no unit: a power of two changes no digit, and squares neither overflow nor vanish.
    values = np.ldexp(values, -np.frexp(np.abs(values).max(initial=0.0))[1])
    squared = (values[:, None] - values) ** 2
    if level == "interval":
        return squared
    total = (values[:, None] + values) ** 2
    return np.divide(squared, total, out=np.zeros_like(squared), where=total > 0)


def _scale(
    columns: list[tuple[str, list[Any]]], level: Level, labels: Iterable[Any] | None
) -> tuple[list[Any], NDArray[np.intp]]:
    """The values in order, and the position of every rating among them, shape (n_units, n_raters)."""
    import pandas as pd

    given = pd.Series([v for _, values in columns for v in values], dtype=object).dropna()
    try:
        scale = declared_labels(labels) if labels is not None else list(dict.fromkeys(given))
    except TypeError as error:
        raise DataFormatError("ratings must be numbers, strings or bools") from error
    numbers = all(isinstance(v, int | float | np.number | np.bool_) for v in scale)
    if level in ("interval", "ratio") and not numbers:
        raise ConfigError(f"level={level!r} takes numbers: use 'ordinal' with labels, or 'nominal'")
    if numbers and not np.isfinite(np.asarray(scale, dtype=float)).all():
        raise DataFormatError("the ratings hold an infinity: leave it out as None or correct it")
    if level == "ratio" and any(v < 0 for v in scale):
        raise ConfigError("level='ratio' takes no number below 0: use 'interval'")
    if labels is None and level == "ordinal" and not numbers:
        raise ConfigError("ordinal ratings that are not numbers need labels= in their order")
    if labels is None:  # in an order that does not hang on that of rows
        scale = sorted(scale) if numbers else sorted(scale, key=lambda v: (type(v).__name__, str(v)))
    codes = [positions(values, scale, name) for name, values in columns]
    return scale, np.column_stack(codes) if codes else np.empty((0, 0), dtype=np.intp)


def _columns(
    ratings: Any, unit: str | None, rater: str | None, value: str | None, raters: Sequence[str] | None
) -> list[tuple[str, list[Any]]]:
    """The ratings of each rater, one per unit, with the rater's name for messages."""
    if rater is not None or value is not None:
        if None in (unit, rater, value):
            raise ConfigError("of a long frame name all three: unit=, rater= and value=")
        if raters is not None:
            raise ConfigError("raters= names columns of a wide frame: leave out rater= and value=")
        ratings = _wide(ratings, unit, rater, value)
        raters = list(ratings.columns)
    elif unit is not None:
        _refuse_units_twice(ratings, unit)
    if raters is not None:
        raters = columns_of(raters)
        if unit is not None and rater is None and unit in raters:
            raise ConfigError(f"{unit!r} is the unit and one of raters: name the raters' columns only")
        return [(f"rater {name!r}", column(ratings, name).tolist()) for name in raters]
    if not isinstance(ratings, Iterable):
        raise ConfigError(f"ratings must be units x raters, not {type(ratings).__name__}")
    rows = [listed(row, "a unit's ratings") for row in ratings]
    if len({len(row) for row in rows}) > 1:
        raise ConfigError("ratings must have as many entries in every row: None where a rater gave none")
    return [(f"rater {i}", list(values)) for i, values in enumerate(zip(*rows, strict=True))]


def _refuse_units_twice(ratings: pd.DataFrame, unit: Any) -> None:
    codes = unit_codes(ratings, unit)
    if len(np.unique(codes)) < len(codes):
        twice = column(ratings, unit).duplicated()
        raise DataFormatError(
            f"{unit} {column(ratings, unit)[twice].tolist()[0]!r} has two rows: a row of a wide frame is a "
            "unit; keep the rows of one metric, or name unit=, rater= and value= of a long frame"
        )


def _wide(ratings: pd.DataFrame, unit: Any, rater: Any, value: Any) -> pd.DataFrame:
    long = {name: column(ratings, name) for name in (unit, rater, value)}
    keys = ratings[[unit, rater]]
    if keys.isna().any(axis=None):
        raise DataFormatError(f"columns {unit!r} and {rater!r} must be there in every row of ratings")
    if (twice := keys.duplicated()).any():
        raise DataFormatError(
            f"the ratings have two rows for {keys[twice].iloc[0].to_dict()}: keep one of them"
        )
    return long[value].astype(object).groupby([long[unit], long[rater]], observed=True).first().unstack()
