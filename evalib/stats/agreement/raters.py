"""Which columns of a wide frame are raters: ids taken for ratings would spoil an agreement silently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalib.core import DataFormatError

if TYPE_CHECKING:
    import pandas as pd

_IDS = {
    *("architecture", "call", "case", "condition", "conversation", "dialog", "dialogue", "domain", "id"),
    *("index", "item", "judge_pass", "level_0", "metric", "rater", "record", "run", "scenario", "seed"),
    *("session", "status", "system", "trial", "turn", "unit", "unnamed: 0"),
}
_FEW = 4  # values that differ by accident


def raters_of(ratings: Any, unit: Any, level: str, labels: Sequence[Any] | None) -> list[Any] | None:
    """The columns of a wide frame but `unit`, if each may hold ratings; None when there is no frame.

    Raises
    ------
    DataFormatError
        When a column has the name of an id, holds text beside columns of numbers, holds none of the
        declared labels, or numbers its rows.
    """
    import pandas as pd

    if not isinstance(ratings, pd.DataFrame):
        return None
    names = [name for name in ratings.columns if unit is None or name != unit]
    columns = {
        i: ratings[name].dropna() for i, name in enumerate(names) if isinstance(ratings[name], pd.Series)
    }
    text = {i for i, c in columns.items() if any(isinstance(v, str) for v in c)}
    numbers = {i for i, c in columns.items() if i not in text and len(c)}
    repeats = any(c.astype(str).duplicated().any() for c in columns.values())
    for i, column in columns.items():
        if str(names[i]).lower() in _IDS or str(names[i]).lower().endswith("_id"):
            why = "has the name of an id"
        elif labels is not None:
            why = "" if column.empty or column.isin(labels).any() else "holds none of the labels"
        elif i in text and numbers:
            why = "holds text where others hold numbers"
        else:
            why = "numbers its rows" if repeats and _numbers_rows(column, level) else ""
        if why:
            raise DataFormatError(
                f"column {names[i]!r} {why}: name the raters' columns with raters=, or unit=, rater= and "
                "value= of a long frame"
            )
    return names


def _numbers_rows(column: pd.Series, level: str) -> bool:
    """Whether every value is another: of nominal and ordinal ratings, and of 1, 2, 3, ..., an id is."""
    if len(column) <= _FEW or column.astype(str).duplicated().any():
        return False
    if level in ("nominal", "ordinal"):
        return True
    values = np.sort(column.to_numpy(dtype=float))
    return bool((np.diff(values) == 1).all())
