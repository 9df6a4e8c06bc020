"""Pipeline architectures compared over the systems that have them (paper F.2, Table 24).

What is resampled is the system: a group's estimate is the plain mean of its systems' means, and two
groups are resampled independently. There are few systems. A bootstrap over n of them can make no mean
outside the range of those n values, and gives the lowest value itself with probability
:math:`n^{-n}`: 1 in 4 for two systems, 1 in 27 for three, both more than 2.5%. Such an interval is
the range of what was seen, whatever else could have been seen.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError
from evalib.stats.arguments import check_columns, check_count, check_share
from evalib.stats.intervals import Rng, generator_of

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 5  # systems; of fewer, n^-n or a few such terms fill the tail, and the interval is a range


def architecture_contrasts(
    table: pd.DataFrame,
    value: str = "value",
    group: str = "architecture",
    unit: str = "system",
    reference: str | None = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
) -> pd.DataFrame:
    r"""Mean of each group of systems and differences between groups, resampling systems.

    Parameters
    ----------
    table : DataFrame
        One row per system, or several (one per domain) that are averaged with equal weight.
    value : str
        Column to compare. NaN is missing: left out and counted.
    group, unit : str
        Columns of the architecture and of the system.
    reference : str, optional
        Group that the others are compared with; default: all pairs.
    n_resamples, confidence, rng
        Of the percentile bootstrap.

    Returns
    -------
    DataFrame
        First the groups, then the differences, in one unit: columns ``contrast`` ("s2s", or
        "s2s - cascade"), ``kind`` ("mean" or "difference"), ``estimate, low, high, n_systems``
        (of the smaller group in a difference), ``n_missing`` (rows), ``descriptive`` (True where
        the interval is the spread of few systems and no confidence interval) and ``reason``.

    Raises
    ------
    DataFormatError
        When a column is absent, a value is no number, or a system is in two groups.
    ConfigError
        When a setting is out of range, or the reference is no group.

    Examples
    --------
    >>> import pandas as pd
    >>> systems = pd.DataFrame({"system": list("abcdef"), "architecture": ["cascade"] * 4 + ["s2s"] * 2,
    ...                         "value": [0.2, 0.4, 0.4, 0.6, 0.8, 0.9]})
    >>> found = architecture_contrasts(systems, rng=1)
    >>> found[["contrast", "estimate", "low", "high", "n_systems"]].round(2)
            contrast  estimate   low  high  n_systems
    0        cascade      0.40  0.25  0.55          4
    1            s2s      0.85  0.80  0.90          2
    2  s2s - cascade      0.45  0.30  0.60          2
    """
    import pandas as pd

    check_count("n_resamples", n_resamples)
    check_share("confidence", confidence)
    means, missing = _unit_means(table, value, group, unit)
    if reference is not None and reference not in means:
        raise ConfigError(f"reference={reference!r} is no {group} of the table: {', '.join(map(str, means))}")
    # One stream per group, so that a group's interval does not depend on the others.
    seed = int(generator_of(rng).integers(2**63))
    draws = {name: _resampled(found, n_resamples, seed, str(name)) for name, found in means.items()}
    rows = [
        _row(str(g), "mean", _mean(m), draws[g], len(m), missing[g], confidence) for g, m in means.items()
    ]
    for first, second in combinations(means, 2):
        if reference is not None and reference not in (first, second):
            continue
        low, high = (first, second) if second != reference else (second, first)
        a, b = means[high], means[low]
        estimate = _mean(a) - _mean(b)
        rows.append(
            _row(
                f"{high} - {low}",
                "difference",
                estimate,
                draws[high] - draws[low],
                min(len(a), len(b)),
                missing[high] + missing[low],
                confidence,
            )
        )
    names = ("contrast", "kind", "estimate", "low", "high", "n_systems", "n_missing", "descriptive", "reason")
    return pd.DataFrame(rows, columns=list(names))


def _unit_means(
    table: pd.DataFrame, value: str, group: str, unit: str
) -> tuple[dict[Any, NDArray[np.float64]], dict[Any, int]]:
    """The means of the systems of each group, sorted, and how many rows had no value."""
    import pandas as pd

    check_columns(table, (value, group, unit), "means of systems")
    if table[[group, unit]].isna().any(axis=None):
        raise DataFormatError(f"a row has no {group} or no {unit}: every value belongs to a system")
    for column in ("metric", "condition"):
        if column in table and table[column].nunique() > 1:
            raise DataFormatError(f"the table mixes {column}s: keep the rows of one")
    numbers = pd.to_numeric(table[value], errors="coerce").astype(float)
    wrong = (numbers.isna() & table[value].notna()) | np.isinf(numbers)
    if wrong.any():
        raise DataFormatError(f"column {value!r} holds {table.loc[wrong, value].iloc[0]!r}: no number")
    of_unit = table[[group, unit]].drop_duplicates()
    if (twice := of_unit.duplicated(unit)).any():
        raise DataFormatError(f"{unit} {of_unit.loc[twice, unit].iloc[0]!r} is in two {group}s")
    means, missing = {}, {}
    for name, rows in table.assign(**{value: numbers}).groupby(group, observed=True):
        means[name] = np.sort(rows.groupby(unit, observed=True)[value].mean().dropna().to_numpy())
        missing[name] = int(rows[value].isna().sum())
    return means, missing


def _mean(means: NDArray[np.float64]) -> float:
    return float(means.mean()) if len(means) else np.nan


def _resampled(means: NDArray[np.float64], n_resamples: int, seed: int, name: str) -> NDArray[np.float64]:
    if len(means) == 0:
        return np.full(n_resamples, np.nan)
    rng = np.random.default_rng([seed, *name.encode()])
    return means[rng.integers(len(means), size=(n_resamples, len(means)))].mean(axis=1)


def _row(
    name: str, kind: str, estimate: float, draws: NDArray[np.float64], n: int, missing: int, confidence: float
) -> tuple:
    low = high = np.nan
    reason = ""
    if n == 0:
        reason = "a group has no system with a value"
    elif n == 1:
        reason = "no interval: a group has one system"
    else:
        low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2])
        if n < FEWEST:
            reason = (
                f"descriptive: {n} systems; the interval cannot reach beyond the values seen "
                "and says nothing about other systems"
            )
    return name, kind, estimate, float(low), float(high), n, missing, n < FEWEST, reason
