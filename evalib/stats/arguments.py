"""Arguments of statistics, checked in one way: numbers, counts, shares and columns of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError

if TYPE_CHECKING:
    import pandas as pd

_SQUARABLE = 1e-140, 1e140  # sums of squares of such numbers, and ratios of them, fit in a float


def as_floats(values: Any, name: str) -> NDArray[np.float64]:
    """Numbers of any container as a new float array, missing ones (masked ones, too) NaN.

    Raises
    ------
    ConfigError
        When there is anything but real numbers, or an infinity.
    """
    try:
        if isinstance(values, np.ma.MaskedArray):  # numpy would read what is under the mask
            values = np.where(np.ma.getmaskarray(values), np.nan, np.asarray(values, dtype=object))
        plain = np.asarray(values)
        if plain.dtype == object:  # nullable columns hold NA, which numpy cannot convert
            import pandas as pd

            if any(isinstance(v, str) for v in plain.flat):
                raise TypeError("text")
            plain = np.where(pd.isna(plain), np.nan, plain)
        elif plain.dtype.kind not in "biuf":
            raise TypeError(plain.dtype)
        data = np.array(plain, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigError(f"{name} must be numbers, convert them first: {error}") from error
    if np.isinf(data).any():
        raise ConfigError(f"{name} hold an infinity: leave it out or make it NaN, which is missing")
    return data


def refuse_unsquarable(values: NDArray[np.float64], name: str) -> None:
    """Raise ConfigError when sums of squares of values would overflow, or vanish."""
    largest = np.abs(values[~np.isnan(values)]).max(initial=0.0)
    least, most = _SQUARABLE
    if largest and not least <= largest <= most:
        raise ConfigError(f"{name} reach {largest:.3g}, which cannot be squared: use another unit")


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Raise ConfigError unless a value is a whole number of at least so much."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{name}={value!r} must be a whole number of at least {least}")


def check_share(name: str, value: Any) -> None:
    """Raise ConfigError unless a value lies between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ConfigError(f"{name}={value!r} must lie between 0 and 1")


def check_least(name: str, value: Any, least: float = 0.0) -> None:
    """Raise ConfigError unless a value is a number of at least so much; infinity is one."""
    if not isinstance(value, Real) or not float(value) >= least:
        raise ConfigError(f"{name}={value!r} must be a number of at least {least:g}")


def check_flag(name: str, value: Any) -> None:
    """Raise ConfigError unless a value is True or False: the text "no" would count as yes."""
    if not isinstance(value, bool | np.bool_):
        raise ConfigError(f"{name}={value!r} must be True or False")


def check_columns(data: Any, columns: Sequence[Any], what: str) -> pd.DataFrame:
    """The data, if they are a frame that has each of the columns once.

    Raises
    ------
    DataFormatError
        Otherwise.
    """
    import pandas as pd

    if not isinstance(data, pd.DataFrame):
        raise DataFormatError(f"the {what} must be a pandas DataFrame, not {type(data).__name__}")
    for column in columns:
        if isinstance(column, list) or (count := list(data.columns).count(column)) == 0:
            hint = ": call reset_index()" if column in data.index.names else ""
            raise DataFormatError(
                f"the {what} have no column {column!r}; there are {', '.join(map(str, data.columns))}{hint}"
            )
        if count > 1:
            raise DataFormatError(f"the {what} have {count} columns {column!r}: keep one of them")
    return data
