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
from evalib.stats.arguments import as_floats, check_columns, refuse_unsquarable
from evalib.stats.intervals import Rng, check_settings, generator_of, no_width, too_few_resamples
from evalib.stats.trial_values import refuse_unhashable

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
        One row per system, or several (one per domain) that are averaged with equal weight. Its
        order does not matter.
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
        (of the smaller group in a difference), ``n_missing`` (rows), ``confidence``,
        ``descriptive`` (True where the interval is the spread of few systems and no confidence
        interval) and ``reason``, which also says when systems are means of unlike numbers of rows.

    Raises
    ------
    DataFormatError
        When a column is absent, a row has no group or system, the table mixes metrics or
        conditions, or a system is in two groups.
    ConfigError
        When a value is no number, infinite, or too large or small to be squared, a setting is out
        of range, or the reference is no group.

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

    check_settings(n_resamples, confidence)
    means, missing, uneven = _unit_means(table, value, group, unit)
    if reference is not None and reference not in list(means):
        raise ConfigError(f"reference={reference!r} is no {group} of the table: {', '.join(map(str, means))}")
    # One stream per group, so that a group's interval does not depend on the others.
    seed = int(generator_of(rng).integers(2**63))
    draws = {name: _resampled(found, n_resamples, seed, str(name)) for name, found in means.items()}
    rows = [_row(str(g), "mean", [m], draws[g], missing[g], confidence, uneven[g]) for g, m in means.items()]
    for first, second in combinations(means, 2):
        if reference is not None and reference not in (first, second):
            continue
        low, high = (first, second) if second != reference else (second, first)
        rows.append(
            _row(
                f"{high} - {low}",
                "difference",
                [means[high], means[low]],
                draws[high] - draws[low],
                missing[high] + missing[low],
                confidence,
                uneven[high] or uneven[low],
            )
        )
    return pd.DataFrame(rows, columns=list(_COLUMNS))


_COLUMNS = (
    "contrast",
    "kind",
    "estimate",
    "low",
    "high",
    "n_systems",
    "n_missing",
    "confidence",
    "descriptive",
    "reason",
)


def _unit_means(
    table: pd.DataFrame, value: str, group: str, unit: str
) -> tuple[dict[Any, NDArray[np.float64]], dict[Any, int], dict[Any, str]]:
    """Of each group the sorted means of its systems, how many rows had no value, and what is uneven."""
    import pandas as pd

    check_columns(table, (value, group, unit), "means of systems")
    refuse_unhashable(table, [c for c in (group, unit, "metric", "condition") if c in table])
    if table[[group, unit]].isna().any(axis=None):
        raise DataFormatError(f"a row has no {group} or no {unit}: every value belongs to a system")
    for column in ("metric", "condition"):
        if column in table and table[column].nunique() > 1:
            raise DataFormatError(f"the table mixes {column}s: keep the rows of one")
    numbers = as_floats(table[value], f"values of {value!r}")
    refuse_unsquarable(numbers, f"values of {value!r}")
    of_unit = table[[group, unit]].drop_duplicates()
    if (twice := of_unit.duplicated(unit)).any():
        raise DataFormatError(f"{unit} {of_unit.loc[twice, unit].iloc[0]!r} is in two {group}s")
    # In the order of the values: else the last bits of the means would be those of the rows' order.
    rows = pd.DataFrame({"group": table[group].array, "unit": table[unit].array, "value": numbers})
    rows = rows.sort_values("value", kind="stable")
    means, missing, uneven = {}, {}, {}
    for name, part in rows.groupby("group", observed=True):
        found = part.dropna().groupby("unit", observed=True)["value"].agg(["mean", "count"])
        means[name] = np.sort(found["mean"].to_numpy())
        missing[name] = int(part["value"].isna().sum())
        least, most = (found["count"].min(), found["count"].max()) if len(found) else (0, 0)
        uneven[name] = f"the systems are means of {least} to {most} values" if least < most else ""
    return means, missing, uneven


def _mean(means: NDArray[np.float64]) -> float:
    if len(means) and means[0] == means[-1]:  # sums of equal numbers differ in the last bit
        return float(means[0])
    return float(means.mean()) if len(means) else np.nan


def _resampled(means: NDArray[np.float64], n_resamples: int, seed: int, name: str) -> NDArray[np.float64]:
    if len(means) == 0 or means[0] == means[-1]:
        return np.full(n_resamples, _mean(means))
    rng = np.random.default_rng([seed, *name.encode()])
    return means[rng.integers(len(means), size=(n_resamples, len(means)))].mean(axis=1)


def _row(
    name: str,
    kind: str,
    groups: list[NDArray[np.float64]],
    draws: NDArray[np.float64],
    missing: int,
    confidence: float,
    uneven: str,
) -> tuple:
    """Of one group, or of the first less the second."""
    estimate = _mean(groups[0]) - (_mean(groups[1]) if len(groups) > 1 else 0.0)
    n, tail = min(map(len, groups)), (1 - confidence) / 2
    low = high = np.nan
    notes = [uneven]
    if n == 0:
        notes.append("a group has no system with a value")
    elif n == 1:
        notes.append("no interval: a group has one system")
    else:
        low, high = np.quantile(draws, [tail, 1 - tail]).tolist()
        if all(means[0] == means[-1] for means in groups):
            notes.append(no_width(sum(map(len, groups)), len(groups)))
        else:
            notes.append(too_few_resamples(tail, len(draws)))
        if n < FEWEST:
            notes.append(
                f"descriptive: {n} systems; the interval cannot reach beyond the values seen "
                "and says nothing about other systems"
            )
    reason = "; ".join(filter(None, notes))
    return name, kind, estimate, low, high, n, missing, confidence, n < FEWEST, reason
