r"""Intervals for variance components: profile of the deviance, or bootstrap over scenarios.

*Profile*: a value belongs to the interval when fixing the component there, with everything else at
its best, raises the deviance by no more than the chi-square quantile with one degree of freedom. An
interval that reaches zero starts at zero. It assumes normal effects.

*Bootstrap*: scenarios are drawn with replacement within the levels of the fixed effects, with all
their trials and passes, and the fit is repeated; percentiles. It assumes nothing of the distribution,
which is why it is offered beside the profile for scores that are binary or ordinal, rather than a
parametric bootstrap that would assume what the profile does. Drawing from few scenarios understates
the scenario's variance by a factor of about 1 - 1/(scenarios per level).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evalib.stats.intervals import _chunks, too_few_resamples
from evalib.stats.variance import balanced
from evalib.stats.variance.design import CellSummary, Floats, Ints, NestedDesign
from evalib.stats.variance.deviance import Deviance
from evalib.stats.variance.fit import Identified, Solution, identify, solve
from evalib.stats.variance.newton import minimise
from evalib.stats.variance.unbalanced import in_coordinates, ratio_derivatives, ratios

SCENARIO, TRIAL, RESIDUAL = range(3)
_END_TOLERANCE = 1e-12  # of the logarithm of an end point


def profile_intervals(
    found: Identified, data: CellSummary, solution: Solution, confidence: float, reml: bool = True
) -> tuple[Floats, Floats]:
    """Ends of the intervals of (scenario, trial, residual), in the units of `data`.

    NaN for a component that is not identified, and for all when the residual variance is zero.
    """
    from scipy.stats import chi2

    low, high = np.full(3, np.nan), np.full(3, np.nan)
    if not np.isfinite(solution.criterion):
        return low, high
    profile = Profile(found, data, solution, reml)
    cut = solution.criterion + float(chi2.ppf(confidence, 1))
    for component in range(3):
        if profile.has[component]:
            low[component], high[component] = _ends(profile, component, cut)
    return low, high


class Profile:
    """The deviance with one component fixed and all else at its best."""

    def __init__(self, found: Identified, data: CellSummary, solution: Solution, reml: bool) -> None:
        self.deviance = Deviance(found.design, data.means, float(data.within.sum()), reml)
        self.has = (found.scenario, found.trial, True)
        self.variances = solution.variances

    def __call__(self, component: int, value: float) -> float:
        """Of a component of (scenario, trial, residual) at `value`."""
        scenario, trial, residual = self.variances
        rows, cells = self.deviance.rows_per_scenario, self.deviance.rows_per_cell
        zeta_t = np.log1p(cells * trial / residual)
        zeta_s = np.log1p(rows * scenario / (residual + cells * trial))
        eta = np.log(residual)
        starts = {
            SCENARIO: [eta, zeta_t],
            TRIAL: [eta, zeta_s],
            RESIDUAL: [zeta_s, zeta_t],
        }
        free = {
            SCENARIO: (True, self.has[TRIAL]),
            TRIAL: (True, self.has[SCENARIO]),
            RESIDUAL: (self.has[SCENARIO], self.has[TRIAL]),
        }
        bounded = 0.0 if component == RESIDUAL else -np.inf
        return minimise(
            lambda x: self._objective(component, value, x),
            np.array(starts[component]),
            np.array((bounded, 0.0)),
            ~np.array(free[component]),
        ).value

    def _objective(self, component: int, value: float, x: Floats) -> tuple[float, Floats, Floats]:
        """Deviance and derivatives by the two coordinates that are left."""
        place = {SCENARIO: _at_scenario, TRIAL: _at_trial, RESIDUAL: _at_residual}[component]
        eta, at, jacobian, bend = place(self.deviance, value, x)
        f, gradient, hessian = self.deviance.full(self.deviance.parts(*at), eta)
        return f, *in_coordinates(gradient, hessian, jacobian, bend)


# Each gives log residual variance, the ratios (scenario, trial), and first and second derivatives of
# (log residual variance, scenario ratio, trial ratio) by the two coordinates.
def _at_scenario(deviance: Deviance, value: float, x: Floats) -> tuple[float, tuple, Floats, Floats]:
    ratio, trial = value * np.exp(-x[0]), np.expm1(x[1]) / deviance.rows_per_cell
    slope = np.exp(x[1]) / deviance.rows_per_cell
    jacobian = np.array(((1, 0), (-ratio, 0), (0, slope)))
    bend = np.array((((0, 0), (0, 0)), ((ratio, 0), (0, 0)), ((0, 0), (0, slope))))
    return x[0], (ratio, trial), jacobian, bend


def _at_trial(deviance: Deviance, value: float, x: Floats) -> tuple[float, tuple, Floats, Floats]:
    trial = value * np.exp(-x[0])
    inflated = deviance.rows_per_cell * trial
    up, slope = np.expm1(x[1]) / deviance.rows_per_scenario, np.exp(x[1]) / deviance.rows_per_scenario
    jacobian = np.array(((1, 0), (-up * inflated, slope * (1 + inflated)), (-trial, 0)))
    cross = -slope * inflated
    bend = np.array(
        (
            ((0, 0), (0, 0)),
            ((up * inflated, cross), (cross, slope * (1 + inflated))),
            ((trial, 0), (0, 0)),
        )
    )
    return x[0], (up * (1 + inflated), trial), jacobian, bend


def _at_residual(deviance: Deviance, value: float, x: Floats) -> tuple[float, tuple, Floats, Floats]:
    first, second = ratio_derivatives(deviance, x)
    jacobian, bend = np.vstack((np.zeros((1, 2)), first)), np.concatenate((np.zeros((1, 2, 2)), second))
    return float(np.log(value)), ratios(deviance, x), jacobian, bend


def _ends(profile: Profile, component: int, cut: float) -> tuple[float, float]:
    from scipy.optimize import brentq

    def excess(log_value: float) -> float:
        return profile(component, float(np.exp(log_value))) - cut

    best = float(profile.variances[component])
    total = float(profile.variances.sum())
    inside = np.log(best) if best > 0 else np.log(total) - 30
    if best == 0 and excess(inside) > 0:
        return 0.0, 0.0
    outside = max(inside + 1.0, np.log(total) - 10)
    while excess(outside) <= 0:
        if outside > np.log(total) + 20:
            return _low(profile, component, cut, inside, excess, best), np.inf
        outside += 1.0
    high = float(np.exp(brentq(excess, inside, outside, xtol=_END_TOLERANCE)))
    return _low(profile, component, cut, inside, excess, best), high


def _low(profile: Profile, component: int, cut: float, inside: float, excess: Any, best: float) -> float:
    from scipy.optimize import brentq

    if best == 0 or (component != RESIDUAL and profile(component, 0.0) <= cut):
        return 0.0
    outside = inside - 1.0
    while excess(outside) <= 0:
        outside -= 1.0
    return float(np.exp(brentq(excess, outside, inside, xtol=_END_TOLERANCE)))


def bootstrap_intervals(
    found: Identified,
    data: CellSummary,
    values: Floats,
    solution: Solution,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
    reml: bool = True,
) -> tuple[Floats, Floats, str]:
    """Percentiles of the components over resampled scenarios, in the units of `data`, and a note.

    `values` are the rows in the order of cells, in the units of `data`. Resamples that cannot tell
    the components apart are left out, and the note says how many.
    """
    design = found.design
    _, level = np.unique(design.x, axis=0, return_inverse=True)
    members = [np.flatnonzero(level.ravel() == k) for k in range(level.max() + 1)]
    notes = []
    if single := sum(len(m) == 1 for m in members):
        notes.append(f"{single} levels of one scenario are the same in every resample")
    if design.balanced:
        draws = _balanced_draws(design, data, members, n_resamples, rng, reml)
    else:
        draws = _refitted_draws(found, members, values, solution, n_resamples, rng, reml)
    usable = ~np.isnan(draws).any(axis=0)
    if not usable.all():
        notes.append(
            f"{n_resamples - usable.sum()} of {n_resamples} resamples tell fewer components apart: left out"
        )
    if not usable.any():
        return np.full(3, np.nan), np.full(3, np.nan), "; ".join(notes)
    tail = (1 - confidence) / 2
    notes += filter(None, [too_few_resamples(tail, int(usable.sum()))])
    low, high = np.quantile(draws[:, usable], [tail, 1 - tail], axis=1)
    has = (found.scenario, found.trial, True)
    return np.where(has, low, np.nan), np.where(has, high, np.nan), "; ".join(notes)


def _refitted_draws(
    found: Identified,
    members: list[Ints],
    values: Floats,
    solution: Solution,
    n: int,
    rng: np.random.Generator,
    reml: bool,
) -> Floats:
    """Variances of one resample after another, each searched from the answer of all scenarios."""
    levels = identify(found.design).held_by
    draws = np.full((3, n), np.nan)
    for b in range(n):
        taken = np.concatenate([m[rng.integers(len(m), size=len(m))] for m in members])
        drawn, rows = found.design.resampled(np.sort(taken))
        if identify(drawn).held_by == levels:
            again = CellSummary.of(drawn, values[rows])
            fitted = solve(drawn, again, found.scenario, reml, solution.zeta)
            draws[:, b] = fitted.variances * again.scale**2
    return draws


def _balanced_draws(
    design: NestedDesign, data: CellSummary, members: list[Ints], n: int, rng: np.random.Generator, reml: bool
) -> Floats:
    """Variances of all resamples at once: their mean squares are sums over drawn scenarios."""
    _, df, beta = balanced.strata(design, data, reml)
    size, trials = design.cell_sizes[0], design.scenario_sizes[0]
    table = data.means.reshape(design.n_scenarios, -1)
    means = table.mean(axis=1)
    left = means - design.x @ beta
    inner = size * ((table - means[:, None]) ** 2).sum(axis=1)
    within = data.within.reshape(design.n_scenarios, -1).sum(axis=1)
    outer = (design.x[:, :, None] * design.x[:, None, :]).reshape(design.n_scenarios, -1)
    found = []
    for chunk in _chunks(n, design.n_scenarios):
        counts = np.zeros((chunk, design.n_scenarios))
        for m in members:
            drawn = (
                m[rng.integers(len(m), size=(chunk, len(m)))] + design.n_scenarios * np.arange(chunk)[:, None]
            )
            counts += np.bincount(drawn.ravel(), minlength=counts.size).reshape(counts.shape)
        gram = (counts @ outer).reshape(chunk, design.n_fixed, design.n_fixed)
        moment = counts @ (design.x * left[:, None])
        shift = np.linalg.solve(gram, moment[:, :, None])[:, :, 0]
        between = size * trials * np.maximum(counts @ left**2 - (moment * shift).sum(axis=1), 0)
        s = np.array((counts @ within, counts @ inner, between))
        found.append(balanced.variances(balanced.isotonic_draws(s, df), design))
    scenario, trial, residual = np.concatenate(found, axis=1)
    if not design.has_trials:  # a cell is a scenario
        scenario, trial = scenario + trial, 0 * trial
    return np.array((scenario, trial, residual))
