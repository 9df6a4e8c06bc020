"""From a design and a response to variances: which components there are, and their REML values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evalib.stats.variance import balanced
from evalib.stats.variance.design import CellSummary, Floats, NestedDesign
from evalib.stats.variance.deviance import Deviance
from evalib.stats.variance.unbalanced import ratios, search

CLOSED = "balanced closed form"
NEWTON = "unbalanced Newton"


@dataclass(frozen=True)
class Solution:
    """Variances in the order (scenario, trial, residual), and what belongs to them."""

    variances: Floats
    beta: Floats
    covariance: Floats
    criterion: float
    method: str = CLOSED
    iterations: int = 0
    converged: bool = True
    gradient: float | None = None
    zeta: Floats | None = None

    def in_units(self, data: CellSummary, df: int) -> Solution:
        """Of the response itself instead of the shifted and scaled one."""
        beta = self.beta * data.scale
        beta[0] += data.shift
        return replace(
            self,
            variances=self.variances * data.scale**2,
            beta=beta,
            covariance=self.covariance * data.scale**2,
            criterion=self.criterion + 2 * df * float(np.log(data.scale)),
        )


@dataclass(frozen=True)
class Identified:
    """What a design can tell apart: the design without the levels that it cannot.

    ``held_by`` says, for each component without a value, where its variance went; the empty string
    is "nowhere": the fixed effects take it up.
    """

    design: NestedDesign
    scenario: bool
    trial: bool
    held_by: dict[str, str]


def identify(design: NestedDesign) -> Identified:
    """Leave out the levels that have no degrees of freedom of their own."""
    held: dict[str, str] = {}
    trial = design.has_trials
    if trial and design.n == design.n_cells:
        held["trial"] = "residual"
        design, trial = design.without_trials, False
    elif trial and design.n_cells == design.n_scenarios:
        held["trial"] = "scenario"
        design, trial = design.without_trials, False
    scenario = True
    if design.n_scenarios == design.n_fixed:
        held["scenario"], scenario = "", False
    elif design.n == design.n_scenarios:
        held["scenario"], scenario = "residual", False
    return Identified(design, scenario, trial, held)


def fit(design: NestedDesign, y: Floats, reml: bool = True) -> Solution:
    """REML (or ML) of a response without missing values, in the units of the response.

    Components that the design cannot tell apart, or does not have, are NaN. The first column of
    ``design.x`` is the intercept.

    Examples
    --------
    Two scenarios of two trials, judged twice: mean squares 0.5, 1 and 32.

    >>> rows = np.arange(8)
    >>> design = NestedDesign.from_codes(rows // 4, rows // 2, np.ones((2, 1)))
    >>> fit(design, np.array([0.0, 1, 1, 2, 4, 5, 5, 6])).variances
    array([7.75, 0.25, 0.5 ])
    """
    found = identify(design)
    if design.n <= design.n_fixed:
        nan = np.full(design.n_fixed, np.nan)
        return Solution(np.full(3, np.nan), nan, np.diag(nan), float("nan"), converged=False)
    data = CellSummary.of(found.design, y)
    solution = solve(found.design, data, found.scenario, reml)
    solution = solution.in_units(data, design.n - design.n_fixed * reml)
    variances = np.where([found.scenario, found.trial, True], solution.variances, np.nan)
    # With as many fixed effects as scenarios, their errors hold a variance nobody knows.
    unknown = design.n_scenarios == design.n_fixed
    covariance = np.full_like(solution.covariance, np.nan) if unknown else solution.covariance
    return replace(solution, variances=variances, covariance=covariance)


def solve(
    design: NestedDesign,
    data: CellSummary,
    scenario: bool = True,
    reml: bool = True,
    start: Floats | None = None,
) -> Solution:
    """REML of an identified design, in the units of `data`; `start` spares the search for one."""
    n_within = design.n - design.n_cells
    if n_within and data.negligible(float(data.within.sum()), n_within):
        return _without_residual(design, data, scenario, reml)
    if design.balanced:
        return _closed(design, data, scenario, reml)
    deviance = Deviance(design, data.means, float(data.within.sum()), reml)
    found = search(deviance, np.array((not scenario, not design.has_trials)), start)
    at = ratios(deviance, found.x)
    levels = deviance.levels(*map(np.asarray, at))
    residual = float(levels.Q) / deviance.df
    return Solution(
        np.array((at[0] * residual, at[1] * residual, residual)),
        levels.beta,
        residual * levels.inverse,
        found.value,
        NEWTON,
        found.iterations,
        found.converged,
        found.gradient,
        found.x,
    )


def _closed(design: NestedDesign, data: CellSummary, scenario: bool, reml: bool) -> Solution:
    squares, df, beta = balanced.strata(design, data, reml)
    if data.negligible(float(squares.sum()), design.n):
        return Solution(np.zeros(3), beta, np.zeros((len(beta), len(beta))), -np.inf)
    expected = balanced.isotonic(squares, df)
    variances = balanced.variances(expected, design)
    if not design.has_trials:  # a cell is a scenario: what looks like a trial's variance is the scenario's
        variances[:2] = variances[0] + variances[1], 0.0
    rows = design.cell_sizes[0] * design.scenario_sizes[0]
    covariance = design.gram_inverse * expected[2] / rows
    criterion = balanced.criterion(squares, df, expected, design, reml)
    return Solution(variances if scenario else variances * (0, 1, 1), beta, covariance, criterion)


def _without_residual(design: NestedDesign, data: CellSummary, scenario: bool, reml: bool) -> Solution:
    """The limit of no residual variance: the cell means are all there is, and count alike.

    The restricted likelihood grows without bound there, so the criterion is minus infinity.
    """
    if design.has_trials:
        reduced = design.of_cell_means
        means = CellSummary.of(reduced, data.means)
        means = replace(means, noise=max(means.noise, data.noise / means.scale))
        inner = solve(reduced, means, scenario, reml)
        inner = inner.in_units(means, 0)
        between, _, trial = inner.variances
        return replace(inner, variances=np.array((between, trial, 0.0)), criterion=-np.inf)
    beta = design.gram_inverse @ (design.x.T @ data.means)
    left = data.means - design.x @ beta
    squares, df = float(left @ left), design.n_scenarios - design.n_fixed * reml
    variance = 0.0 if data.negligible(squares, design.n_scenarios) or not scenario else squares / df
    return Solution(np.array((variance, 0.0, 0.0)), beta, variance * design.gram_inverse, -np.inf)
