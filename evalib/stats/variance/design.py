"""The nesting of a data set as sorted arrays: what stays the same when the response changes.

Rows are sorted by cell and cells by scenario, so every sum within a cell or a scenario is one
``numpy.add.reduceat``. A *cell* is a trial of a scenario; without a trial level it is the scenario.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class NestedDesign:
    """Rows in cells in scenarios, and the fixed effects of each scenario.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        Puts the rows in the order of cells.
    cell_sizes : ndarray of float, shape (n_cells,)
        Rows of each cell.
    scenario_sizes : ndarray of int, shape (n_scenarios,)
        Cells of each scenario.
    x : ndarray, shape (n_scenarios, n_fixed)
        Full column rank.
    has_trials : bool
        False when a cell is a scenario.
    """

    order: Ints
    cell_sizes: Floats
    scenario_sizes: Ints
    x: Floats
    has_trials: bool = True

    @classmethod
    def from_codes(cls, scenario: Ints, trial: Ints | None, x: Floats) -> NestedDesign:
        """Of integer codes per row; `scenario` runs from 0 to n_scenarios - 1, `trial` is any integer."""
        if trial is None:
            order = np.argsort(scenario, kind="stable")
            sizes = np.bincount(scenario, minlength=len(x))
            return cls(order, sizes.astype(float), np.ones(len(x), dtype=np.intp), x, False)
        order = np.lexsort((trial, scenario))
        s, t = scenario[order], trial[order]
        new = np.r_[True, (s[1:] != s[:-1]) | (t[1:] != t[:-1])]
        starts = np.flatnonzero(new)
        sizes = np.diff(np.r_[starts, len(s)])
        return cls(order, sizes.astype(float), np.bincount(s[starts], minlength=len(x)), x)

    @cached_property
    def n(self) -> int:
        return len(self.order)

    @cached_property
    def n_cells(self) -> int:
        return len(self.cell_sizes)

    @cached_property
    def n_scenarios(self) -> int:
        return len(self.scenario_sizes)

    @cached_property
    def n_fixed(self) -> int:
        return self.x.shape[1]

    @cached_property
    def cell_starts(self) -> Ints:
        return np.r_[0, np.cumsum(self.cell_sizes[:-1])].astype(np.intp)

    @cached_property
    def scenario_starts(self) -> Ints:
        return np.r_[0, np.cumsum(self.scenario_sizes[:-1])].astype(np.intp)

    @cached_property
    def scenario_of_cell(self) -> Ints:
        return np.repeat(np.arange(self.n_scenarios), self.scenario_sizes)

    @cached_property
    def balanced(self) -> bool:
        """Whether all cells have as many rows and all scenarios as many cells."""
        return bool(
            (self.cell_sizes == self.cell_sizes[0]).all()
            and (self.scenario_sizes == self.scenario_sizes[0]).all()
        )

    @cached_property
    def gram(self) -> Floats:
        return self.x.T @ self.x

    @cached_property
    def gram_inverse(self) -> Floats:
        return np.asarray(np.linalg.inv(self.gram), dtype=float)

    @cached_property
    def gram_logdet(self) -> float:
        return float(np.linalg.slogdet(self.gram)[1])

    @cached_property
    def without_trials(self) -> NestedDesign:
        """The same rows with scenarios as cells."""
        sizes = np.add.reduceat(self.cell_sizes, self.scenario_starts)
        return NestedDesign(self.order, sizes, np.ones(self.n_scenarios, dtype=np.intp), self.x, False)

    @cached_property
    def of_cell_means(self) -> NestedDesign:
        """The design of one value a cell (in cell order), with scenarios as cells."""
        sizes = self.scenario_sizes.astype(float)
        ones = np.ones(self.n_scenarios, dtype=np.intp)
        return NestedDesign(np.arange(self.n_cells), sizes, ones, self.x, False)

    def per_scenario(self, of_cells: Floats) -> Floats:
        """Sums over the cells of each scenario; the last axis runs over cells."""
        return np.add.reduceat(of_cells, self.scenario_starts, axis=-1)

    def resampled(self, scenarios: Ints) -> tuple[NestedDesign, Ints]:
        """The design of drawn scenarios (a scenario drawn twice is two), and the rows they take.

        The rows index the response in the order of cells.
        """
        counts = self.scenario_sizes[scenarios]
        cells = _ranges(self.scenario_starts[scenarios], counts)
        sizes = self.cell_sizes[cells]
        rows = _ranges(self.cell_starts[cells], sizes.astype(np.intp))
        drawn = NestedDesign(np.arange(len(rows)), sizes, counts, self.x[scenarios], self.has_trials)
        return drawn, rows


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """start, start + 1, ... of each range, one after another."""
    ends = np.cumsum(counts)
    return np.repeat(starts - ends + counts, counts) + np.arange(ends[-1])


@dataclass(frozen=True)
class CellSummary:
    """What the deviance needs of a response: its cell means and the squares within cells.

    The response is shifted by ``shift`` and divided by ``scale``, so that a large common value or a
    tiny spread costs no digits. ``noise`` is the largest difference that rounding alone explains.
    """

    means: Floats
    within: Floats  # sum of squares in each cell
    shift: float
    scale: float
    noise: float

    @classmethod
    def of(cls, design: NestedDesign, y: Floats) -> CellSummary:
        values = y[design.order]
        shift = float(values[0])  # then the mean of what is left: exact where all are equal
        values = values - shift
        centre = float(values.mean())
        values -= centre
        largest = float(max(values.max(), -values.min()))
        scale = 2.0 ** math.frexp(largest)[1] if largest else 1.0  # a power of two divides exactly
        values /= scale
        if design.balanced:
            table = values.reshape(design.n_cells, -1)
            means = table.sum(axis=1) / table.shape[1]
            table -= means[:, None]
            within = np.einsum("ij,ij->i", table, table)
        else:
            means = np.add.reduceat(values, design.cell_starts) / design.cell_sizes
            values -= np.repeat(means, design.cell_sizes.astype(np.intp))
            within = np.add.reduceat(values * values, design.cell_starts)
        magnitude = max(abs(shift), abs(shift + centre), scale) / scale
        return cls(means, within, shift + centre, scale, 16 * float(np.finfo(float).eps) * magnitude)

    def negligible(self, sum_of_squares: float, count: int) -> bool:
        """Whether a sum of `count` squares is nothing but rounding."""
        return sum_of_squares <= count * self.noise**2
