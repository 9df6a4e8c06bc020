"""From ratings as people write them to positions in the declared labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError

if TYPE_CHECKING:
    import pandas as pd

MISSING = -1


def declared_labels(labels: Iterable[Any]) -> list[Any]:
    """The labels as a list, in their order.

    Raises
    ------
    ConfigError
        When there are fewer than two, one is missing, or two are equal (``1``, ``1.0`` and ``True`` are).
    """
    found = listed(labels, "labels")
    if len(found) < 2:
        raise ConfigError(f"labels={found} must declare at least two labels, e.g. (1, 2, 3)")
    if _is_missing(found).any():
        raise ConfigError(f"labels={found} hold a missing value: leave it out, missing ratings need no label")
    try:
        distinct = len(set(found))
    except TypeError as error:
        raise ConfigError(f"labels={found} must be numbers, strings or bools") from error
    if distinct < len(found):
        raise ConfigError(f"labels={found} hold a label twice: every label once, in order")
    return found


def positions(ratings: Iterable[Any], labels: Sequence[Any], who: str) -> NDArray[np.intp]:
    """Position of each rating in `labels`; :data:`MISSING` where it is missing.

    Labels are found by equality, so that 1, 1.0 and True are one label and ``"1"`` is another.

    Raises
    ------
    DataFormatError
        When a rating is none of the labels.
    """
    values = listed(ratings, who)
    missing = _is_missing(values)
    place = {label: index for index, label in enumerate(labels)}
    found = np.full(len(values), MISSING, dtype=np.intp)
    for row in np.flatnonzero(~missing):
        try:
            found[row] = place[values[row]]
        except (KeyError, TypeError):
            raise DataFormatError(
                f"{who} holds {values[row]!r} in row {row}, which is none of the labels {list(labels)}: "
                "declare it in labels, or correct the rating"
            ) from None
    return found


def listed(values: Iterable[Any], who: str) -> list[Any]:
    """The values as a list of Python objects."""
    if (
        isinstance(values, str | bytes | Mapping | Set)
        or not isinstance(values, Iterable)
        or getattr(values, "ndim", 1) != 1
    ):
        raise ConfigError(f"{who} must be one-dimensional: a list, an array or a column of ratings")
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _is_missing(values: list[Any]) -> NDArray[np.bool_]:
    import pandas as pd

    return pd.isna(pd.Series(values, dtype=object)).to_numpy()


def column(ratings: pd.DataFrame, name: Any) -> pd.Series:
    """One column of a frame of ratings.

    Raises
    ------
    ConfigError, DataFormatError
        When `ratings` is no frame, or has not exactly one such column.
    """
    import pandas as pd

    if not isinstance(ratings, pd.DataFrame):
        raise ConfigError(f"ratings must be a DataFrame, not {type(ratings).__name__}")
    if (count := list(ratings.columns).count(name)) != 1:
        has = f"have {count} columns {name!r}: keep one of them" if count else f"have no column {name!r}"
        raise DataFormatError(f"the ratings {has}; there are {', '.join(map(str, ratings.columns))}")
    return ratings[name]


def unit_codes(ratings: pd.DataFrame, unit: Any | None) -> NDArray[np.intp]:
    """What is resampled, a number for each row: the values of a column, or the rows themselves."""
    import pandas as pd

    if unit is None:
        return np.arange(len(ratings))
    values = column(ratings, unit)
    try:
        codes, _ = pd.factorize(values)
    except TypeError as error:
        raise DataFormatError(f"column {unit!r} must hold numbers or strings: {error}") from error
    if (codes < 0).any():
        raise DataFormatError(
            f"column {unit!r} is missing in {int((codes < 0).sum())} rows: every rating belongs to a unit"
        )
    return codes
