"""From values with groups and strata to the units that a bootstrap resamples, stratum by stratum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalib.core import ConfigError

Weights = Literal["groups", "values"]
_EQUAL = 1e-12  # of the largest value: sums of equal numbers differ in the last bit


@dataclass(frozen=True)
class Stratum:
    """Units of one stratum; a unit is a value or a whole group.

    Its mean is the sum of `totals` over the sum of `sizes`, both of shape (n_units,).
    """

    name: str
    totals: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @property
    def mean(self) -> float:
        return float(self.totals.sum() / self.sizes.sum())

    @property
    def is_constant(self) -> bool:
        """Whether every resample has the same mean."""
        each = self.totals / self.sizes
        return bool(np.ptp(each) <= _EQUAL * np.abs(each).max())


def strata_of(
    values: NDArray[np.float64], groups: ArrayLike | None, strata: ArrayLike | None, weights: Weights
) -> tuple[list[Stratum], list[str]]:
    """Units by stratum, in the order of the sorted labels, and the strata that hold no value.

    NaN values are left out. With `weights` "groups" a group's total is its mean and its size 1.

    Raises
    ------
    ConfigError
        When labels do not fit the values, a value has no label, or a group lies in two strata.
    """
    n, known = len(values), ~np.isnan(values)
    stratum, names = label_codes(strata, n, "strata", "a stratum")
    if groups is None:
        group, kept = np.arange(n), [""]
    else:
        group, kept = label_codes(groups, n, "groups", "a group")
        _refuse_split_groups(group[known], stratum[known], kept, names)
    parts, lost = [], []
    for code, name in enumerate(names):
        here = known & (stratum == code)
        if not here.any():
            lost.append(name)
            continue
        _, unit = np.unique(group[here], return_inverse=True)
        totals = np.bincount(unit, weights=values[here]).astype(float)
        sizes = np.bincount(unit).astype(float)
        if weights == "groups":
            totals, sizes = totals / sizes, np.ones(len(sizes))
        parts.append(Stratum(name, totals, sizes))
    return parts, lost


def label_codes(labels: ArrayLike | None, n: int, what: str, one: str) -> tuple[NDArray[np.intp], list[str]]:
    """Labels as numbers in the order of the sorted labels, and their names; None is one label.

    Raises
    ------
    ConfigError
        When there is not one label, which may not be missing, for each of n. Tuples are labels.
    """
    if labels is None:
        return np.zeros(n, dtype=np.intp), [""]
    import pandas as pd

    # A list is read as objects: of text and a NaN numpy would make the text "nan", of pairs a table.
    if isinstance(labels, list | tuple):
        given = np.fromiter(labels, dtype=object, count=len(labels))
    else:
        given = np.asarray(labels, dtype=None if hasattr(labels, "dtype") else object)
    if given.shape != (n,):
        raise ConfigError(f"{what} have shape {given.shape}, values ({n},): {one} for each")
    try:
        codes, names = pd.factorize(given, sort=True)
    except TypeError as error:
        raise ConfigError(f"{what} cannot be sorted ({error}): use text or numbers") from error
    if (codes < 0).any():
        first = int(np.flatnonzero(codes < 0)[0])
        raise ConfigError(f"{what}[{first}] is missing: name {one} for each value, or leave the value out")
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        same = next(text for i, text in enumerate(texts) if text in texts[:i])
        raise ConfigError(f"{what} hold {same!r} as text and as a number: make them one kind")
    return codes, texts


def _refuse_split_groups(
    group: NDArray[np.intp], stratum: NDArray[np.intp], groups: list[str], strata: list[str]
) -> None:
    pairs = np.unique(np.column_stack([group, stratum]), axis=0)
    again = np.flatnonzero(pairs[1:, 0] == pairs[:-1, 0])
    if len(again):
        (code, one), (_, two) = pairs[again[0]], pairs[again[0] + 1]
        raise ConfigError(
            f"group {groups[code]!r} lies in strata {strata[one]!r} and {strata[two]!r}: it is resampled"
            " whole and must lie in one; if these are two groups, label them apart"
        )
