r"""Exact REML of unbalanced nested data: Newton over the two variance ratios.

The ratios are searched as :math:`\zeta_t = \log(1 + \bar n \rho_t)` and
:math:`\zeta_s = \log(1 + \bar m \rho_s / (1 + \bar n \rho_t))` (:math:`\bar n` rows a cell,
:math:`\bar m` rows a scenario). For balanced data these are differences of logarithms of expected mean
squares, in which the deviance is convex; for unbalanced data nearly so, which is why Newton needs few
steps. Zero variance is zero in either coordinate. There may be several local optima, so a coarse grid
(with the answer by moments) is looked over first and Newton starts from each of its local minima.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalib.stats.variance.balanced import isotonic
from evalib.stats.variance.design import Bools, Floats
from evalib.stats.variance.deviance import Deviance
from evalib.stats.variance.newton import Minimum, minimise

_GRID = np.array((0.0, 1.0, 4.0, 12.0))
_LOWER = np.zeros(2)


def ratios(deviance: Deviance, zeta: Sequence[Any] | Floats) -> tuple[Any, Any]:
    """Variance ratios (scenario, trial) of search coordinates; the first axis is (scenario, trial)."""
    trial = np.expm1(zeta[1]) / deviance.rows_per_cell
    return np.expm1(zeta[0]) * np.exp(zeta[1]) / deviance.rows_per_scenario, trial


def ratio_derivatives(deviance: Deviance, zeta: Floats) -> tuple[Floats, Floats]:
    """Jacobian (ratio, coordinate) and second derivatives (ratio, coordinate, coordinate)."""
    scenario, _ = ratios(deviance, zeta)
    a = np.exp(zeta[0] + zeta[1]) / deviance.rows_per_scenario
    b = np.exp(zeta[1]) / deviance.rows_per_cell
    return np.array(((a, scenario), (0, b))), np.array((((a, a), (a, scenario)), ((0, 0), (0, b))))


def in_coordinates(
    gradient: Floats, hessian: Floats, jacobian: Floats, bend: Floats
) -> tuple[Floats, Floats]:
    """Gradient and Hessian by the coordinates, of those by what they map to (the chain rule)."""
    curved = (gradient @ bend.reshape(len(gradient), -1)).reshape(bend.shape[1:])
    return gradient @ jacobian, jacobian.T @ hessian @ jacobian + curved


def search(deviance: Deviance, frozen: Bools, start: Floats | None = None) -> Minimum:
    """The best minimum in the search coordinates (scenario, trial); `frozen` ones stay at zero.

    With a `start` only that one is tried.
    """

    def objective(zeta: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, hessian = deviance.profiled_of(deviance.parts(*ratios(deviance, zeta)))
        return value, *in_coordinates(gradient, hessian, *ratio_derivatives(deviance, zeta))

    starts = _starts(deviance, frozen) if start is None else [start]
    return min((minimise(objective, s, _LOWER, frozen) for s in starts), key=lambda found: found.value)


def _starts(deviance: Deviance, frozen: Bools) -> list[Floats]:
    """The points of the grid, the moments' answer among them, that no neighbour of theirs undercuts."""
    moments = _moments(deviance)
    axes = [np.zeros(1) if held else np.union1d(_GRID, m) for held, m in zip(frozen, moments, strict=True)]
    # Left unexpanded, so that what depends on the trials' ratio alone is computed once for each.
    values = deviance.profiled(*ratios(deviance, np.meshgrid(*axes, indexing="ij", sparse=True)))
    padded = np.pad(values, 1, constant_values=np.inf)
    lowest = np.ones(values.shape, dtype=bool)
    rows, columns = values.shape
    for i in range(3):
        for j in range(3):
            lowest &= values <= padded[i : i + rows, j : j + columns]
    return [np.array((axes[0][i], axes[1][j])) for i, j in np.argwhere(lowest)]


def _moments(deviance: Deviance) -> Floats:
    """The answer if the data were balanced: differences of logarithms of mean squares."""
    design = deviance.design
    means = design.per_scenario(deviance.means) / design.scenario_sizes
    inner = deviance.means - means[design.scenario_of_cell]
    outer = means - design.x @ (design.gram_inverse @ (means @ design.x))
    squares = (
        deviance.within,
        deviance.rows_per_cell * (inner @ inner),
        deviance.rows_per_scenario * (outer @ outer),
    )
    df = (
        design.n - design.n_cells,
        design.n_cells - design.n_scenarios,
        design.n_scenarios - design.n_fixed,
    )
    trial, scenario = np.diff(np.log(isotonic(np.array(squares), np.array(df))))
    return np.array((scenario, trial) if design.has_trials else (scenario + trial, 0.0))
