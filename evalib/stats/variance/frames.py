"""From a long frame to codes: which rows count, and what is a scenario, a trial, a fixed effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalib.core import ConfigError, DataFormatError, Status
from evalib.stats.arguments import check_columns
from evalib.stats.trial_values import columns_of, refuse_unhashable, statuses_of
from evalib.stats.variance.design import Floats, NestedDesign

if TYPE_CHECKING:
    import pandas as pd

_USED_IF_THERE = ("metric", "system", "condition", "judge", "judge_pass", "status", "trial")
_SMALLEST, _LARGEST = 1e-140, 1e140  # beyond these a square is no longer a number


@dataclass(frozen=True)
class NestedData:
    """The rows with a value, sorted by fixed levels, scenario, trial and value.

    ``design`` is None when no row is left. ``fixed_names`` are the columns of ``design.x``,
    ``dropped`` those that the others determine.
    """

    y: Floats
    design: NestedDesign | None
    n_missing: int
    fixed_names: list[str]
    dropped: list[str]
    notes: list[str]


def nested_data(
    data: Any, response: str, groups: str | Sequence[str], fixed: str | Sequence[str]
) -> NestedData:
    """Read a frame; the arguments are those of `variance_components`."""
    import pandas as pd

    groups, fixed = _names(groups, "groups"), _names(fixed, "fixed")
    [response] = columns_of([response])
    try:
        frame = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    except (TypeError, ValueError) as exc:
        raise DataFormatError(f"data is not a frame ({exc}): pass a DataFrame or columns by name") from None
    _check_arguments(frame, response, groups, fixed)
    y = _numbers(frame[response], response)
    keep = statuses_of(frame, np.isnan(y)) == Status.OK
    n_missing = int(len(y) - keep.sum())
    if n_missing:
        frame, y = frame.loc[keep], y[keep]
    if np.isinf(y).any():
        raise DataFormatError(f"column {response!r} holds an infinity: make it NaN (missing) or correct it")
    spread = float(np.ptp(y)) if len(y) else 0.0
    if len(y) and (np.abs(y).max() > _LARGEST or 0 < spread < _SMALLEST):
        raise DataFormatError(f"column {response!r} has values whose squares are no numbers: rescale it")
    _refuse_mixtures(frame, groups, fixed)
    if not len(y):
        return NestedData(y, None, n_missing, ["Intercept"], [], [])

    levels = [_codes(frame[name], name) for name in fixed]
    own, _ = _codes(frame[groups[0]], groups[0])
    cell = np.zeros(len(y), dtype=np.int64)
    for codes, found in levels:
        cell = cell * len(found) + codes
    n_ids = int(own.max()) + 1
    keys, scenario = np.unique(cell * n_ids + own, return_inverse=True)
    trial = None if len(groups) == 1 else _codes(frame[groups[1]], groups[1])[0]
    _refuse_twice(frame, groups, scenario, trial)
    keys_of_rows = (y, scenario) if trial is None else (y, trial, scenario)
    order = np.lexsort(keys_of_rows)
    first = np.empty(len(keys), dtype=np.intp)
    first[scenario] = np.arange(len(y))
    x, names, dropped = _fixed_effects(fixed, [(codes[first], found) for codes, found in levels], len(keys))
    repeated = len(keys) - len(np.unique(keys % n_ids))
    notes = []
    if repeated:
        notes.append(
            f"{repeated} {groups[0]} ids occur at several levels of {', '.join(fixed)}: "
            f"counted as different {groups[0]}s"
        )
    design = NestedDesign.from_codes(scenario[order], None if trial is None else trial[order], x)
    return NestedData(y[order], design, n_missing, names, dropped, notes)


def _names(names: str | Sequence[str], argument: str) -> list[str]:
    found = columns_of(names)
    if not isinstance(names, str) and len(found) < len(names):
        raise ConfigError(f"{argument}={tuple(names)} names a column twice")
    return found


def _check_arguments(frame: pd.DataFrame, response: str, groups: list[str], fixed: list[str]) -> None:
    if len(groups) not in (1, 2):
        raise ConfigError(
            f"groups={tuple(groups)} must be one or two columns, the outer first, e.g. ('scenario', 'trial')"
        )
    if twice := {*groups} & {*fixed} | {response} & {*groups, *fixed}:
        raise ConfigError(f"column {min(twice)!r} has two roles: response, groups and fixed must differ")
    if "residual" in groups:
        raise ConfigError("groups cannot hold 'residual': that is the name of the component that is left")
    for column in fixed:
        if column not in frame.columns:
            has = ", ".join(map(str, frame.columns))
            raise DataFormatError(
                f"the data have no column {column!r}; there are {has}: pass fixed=() when there is none"
            )
    used = [column for column in _USED_IF_THERE if column in frame.columns]
    check_columns(frame, [response, *groups, *fixed, *used], "data")
    refuse_unhashable(frame, [*groups, *fixed, *used])


def _numbers(column: pd.Series, name: str) -> Floats:
    from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

    try:
        numeric = is_numeric_dtype(column) or is_bool_dtype(column)
        if (
            is_complex_dtype(column)
            or column.dtype.kind in "mM"
            or (not numeric and any(isinstance(v, str) for v in column))
        ):
            raise ValueError(f"its type is {column.dtype}")
        return column.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError) as exc:
        raise DataFormatError(f"column {name!r} is not numeric ({exc}): convert it to numbers") from None


def _codes(column: pd.Series, name: str) -> tuple[np.ndarray, list]:
    """Codes in the sorted order of the values that occur, and those values."""
    import pandas as pd

    codes, found = pd.factorize(column, sort=False)
    if (codes < 0).any():
        raise DataFormatError(f"column {name!r} has a missing value: every row needs one, or drop the row")
    values = list(found)
    try:
        order = sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # numbers beside text
        texts = [str(value) for value in values]
        if len(set(texts)) < len(texts):
            same = next(text for i, text in enumerate(texts) if text in texts[:i])
            raise DataFormatError(
                f"column {name!r} holds {same!r} as text and as a number: make them one kind"
            ) from None
        order = sorted(range(len(values)), key=lambda i: str(values[i]))
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    return rank[codes], [values[i] for i in order]


def _refuse_mixtures(frame: pd.DataFrame, groups: list[str], fixed: list[str]) -> None:
    """One call is one metric of one system; a judge's column is one only beside its passes."""
    columns = ["metric", "system", "condition", *(["judge"] if "judge_pass" in frame.columns else [])]
    for column in columns:
        if column in frame.columns and column not in groups + fixed:
            found = frame[column].unique()
            if len(found) > 1:
                raise ConfigError(
                    f"the table mixes {column}s ({', '.join(sorted(map(str, found)))}): "
                    f"keep the rows of one, or use variance_table with {column!r} in by"
                )


def _refuse_twice(frame: pd.DataFrame, groups: list[str], scenario: np.ndarray, trial: Any) -> None:
    if trial is None:
        if "trial" in frame.columns:
            inner, _ = _codes(frame["trial"], "trial")
            keys = scenario * (int(inner.max()) + 1) + inner
            if len(np.unique(keys)) < len(keys):
                raise ConfigError(
                    f"a trial has several rows: keep one; if they are passes, pass groups=({groups[0]!r}, "
                    "'trial') (to variance_table a column 'judge_pass'), or average them"
                )
    elif "judge_pass" in frame.columns and "judge_pass" not in groups:
        inner, _ = _codes(frame["judge_pass"], "judge_pass")
        keys = (scenario * (int(trial.max()) + 1) + trial) * (int(inner.max()) + 1) + inner
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        if (times > 1).any():
            row = frame.iloc[int(first[times > 1][0])]
            where = ", ".join(f"{c} {row[c]}" for c in (*groups, "judge_pass"))
            raise DataFormatError(f"two rows of {where}: keep one of them")


def _fixed_effects(
    fixed: list[str], levels: list[tuple[np.ndarray, list]], n: int
) -> tuple[Floats, list[str], list[str]]:
    """Treatment coding, one row a scenario; columns that earlier ones determine are left out."""
    columns, names = [np.ones(n)], ["Intercept"]
    for name, (codes, found) in zip(fixed, levels, strict=True):
        columns += [(codes == k).astype(float) for k in range(1, len(found))]
        names += [f"{name}[{level}]" for level in found[1:]]
    x = np.stack(columns, axis=1)
    if len(fixed) < 2:  # the levels of one factor are independent
        return x, names, []
    distinct = np.unique(x, axis=0)
    kept: list[int] = []
    for k in range(x.shape[1]):
        if np.linalg.matrix_rank(distinct[:, [*kept, k]]) > len(kept):
            kept.append(k)
    dropped = [name for k, name in enumerate(names) if k not in kept]
    return x[:, kept], [names[k] for k in kept], dropped
