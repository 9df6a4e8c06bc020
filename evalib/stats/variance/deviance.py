r"""The REML deviance of nested random effects, with exact first and second derivatives.

Rows :math:`y = x_s'\beta + a_s + b_{sc} + e`; with the ratios :math:`\rho_s, \rho_t` of the scenario's
and the trial's variance to the residual one, V / sigma^2 of a scenario is
:math:`I + \rho_t ZZ' + \rho_s 11'`. Nested compound symmetry has a closed inverse: with
:math:`w_c = n_c / (1 + n_c \rho_t)`, :math:`W = \sum_c w_c` and :math:`D = 1 + \rho_s W`,

.. math:: 1'V^{-1}1 = u = W / D, \qquad \log|V| = \sum_c \log(1 + n_c\rho_t) + \sum_s \log D,

and the residual sum of squares is a sum of positive terms (within cells, between the cells of a
scenario, between scenarios), so nothing cancels however large a ratio is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalib.stats.variance.design import Floats, NestedDesign


class Parts(NamedTuple):
    """log-determinants L and squares Q at some ratios; derivatives in the order (scenario, trial)."""

    L: float
    Q: float
    dL: Floats
    dQ: Floats
    ddL: Floats
    ddQ: Floats


class Levels(NamedTuple):
    """What the sums of squares and determinants consist of, at one ratio or many (leading axes)."""

    L: Floats
    Q: Floats
    beta: Floats
    inverse: Floats  # of X'V^-1X, times the residual variance
    w: Floats  # weight of each cell mean
    W: Floats  # their sum in each scenario
    D: Floats
    u: Floats  # weight of each scenario mean
    inner: Floats  # cell means less their scenario's mean
    outer: Floats  # scenario means less their fixed effects


class Deviance:
    """-2 log restricted likelihood (or likelihood) as a function of two variance ratios.

    Parameters
    ----------
    design : NestedDesign
    means : ndarray, shape (n_cells,)
        Cell means of the response.
    within : float
        Sum of squares within cells.
    reml : bool
        False: the likelihood itself (ML).
    """

    def __init__(self, design: NestedDesign, means: Floats, within: float, reml: bool = True) -> None:
        self.design, self.means, self.within, self.reml = design, means, within, reml
        self.df = design.n - design.n_fixed * reml
        # Typical sizes; they only scale the coordinates in which the optimum is searched.
        self.rows_per_cell = design.n / design.n_cells
        self.rows_per_scenario = design.n / design.n_scenarios
        self.outer = (design.x[:, :, None] * design.x[:, None, :]).reshape(design.n_scenarios, -1)

    def levels(self, scenario: Floats, trial: Floats) -> Levels:
        """At ratios of shape (...); cells and scenarios are on the last axis of what comes back."""
        design, n = self.design, self.design.cell_sizes
        d = 1 + n * trial[..., None]
        w = n / d
        W = design.per_scenario(w)
        means = design.per_scenario(w * self.means) / W
        D = 1 + scenario[..., None] * W
        u = W / D
        p = design.n_fixed
        information = (u @ self.outer).reshape(*u.shape[:-1], p, p)
        inverse = np.asarray(np.linalg.inv(information), dtype=float)
        beta = (inverse @ ((u * means) @ design.x)[..., None])[..., 0]
        residual = means - beta @ design.x.T
        inner = self.means - means[..., design.scenario_of_cell]
        Q = self.within + (w * inner * inner).sum(axis=-1) + (u * residual * residual).sum(axis=-1)
        L = np.log(d).sum(axis=-1) + np.log(D).sum(axis=-1)
        if self.reml:
            L = L + np.linalg.slogdet(information)[1]
        return Levels(L, Q, beta, inverse, w, W, D, u, inner, residual)

    def profiled(self, scenario: Floats, trial: Floats) -> Floats:
        """The deviance at ratios of any shape, with beta and the residual variance at their best."""
        at = self.levels(np.asarray(scenario, dtype=float), np.asarray(trial, dtype=float))
        return self.df * (np.log(at.Q / self.df) + 1 + np.log(2 * np.pi)) + at.L

    def parts(self, scenario: float, trial: float) -> Parts:
        """L and Q at the ratios of the scenario's and the trial's variance to the residual one."""
        design, x = self.design, self.design.x
        L, Q, _, inverse, w, W, D, u, inner, residual = self.levels(np.asarray(scenario), np.asarray(trial))

        # u, log D and log(1 + n rho_t) by the ratios; W' = -A and W'' = 2 B by the trial's.
        ww = w * w
        A, B = design.per_scenario(np.array((ww, ww * w)))
        iD, uu = 1 / D, u * u
        AD = A * iD
        cross = AD * iD
        bent = 2 * (B * iD - scenario * AD * AD)
        dL = np.array((u.sum(), w.sum() - scenario * AD.sum()))
        last = -ww.sum() + (scenario * (2 * B * iD - scenario * AD * AD)).sum()
        ddL = np.array(((-uu.sum(), -cross.sum()), (-cross.sum(), last)))
        if self.reml:
            leverage = self.outer @ inverse.ravel()
            du = np.array((-uu, -cross))
            turned = inverse @ (du @ self.outer).reshape(2, *inverse.shape)
            dL += du @ leverage
            second = (np.array((2 * uu * u, 2 * u * cross, bent * iD)) @ leverage)[[0, 1, 1, 2]]
            ddL += second.reshape(2, 2) - np.einsum("aij,bji->ab", turned, turned)

        # Q' = -y'P V_i P y and Q'' = 2 y'P V_i P V_j P y, of the sums of V^-1(y - X beta).
        of_scenario = u * residual
        of_cell = w * (inner + (residual * iD)[design.scenario_of_cell])
        dQ = -np.array((of_scenario @ of_scenario, of_cell @ of_cell))
        between = np.array((of_scenario, design.per_scenario(w * of_cell) / W))
        within = of_cell - between[1][design.scenario_of_cell]
        between -= (between * u) @ x @ inverse @ x.T
        ddQ = 2 * (between * u) @ between.T
        ddQ[1, 1] += 2 * ((w * within) @ within)
        return Parts(float(L), float(Q), dL, dQ, ddL, ddQ)

    def profiled_of(self, parts: Parts) -> tuple[float, Floats, Floats]:
        """:meth:`profiled`, its gradient and its Hessian by the ratios (scenario, trial)."""
        value = self.df * (np.log(parts.Q / self.df) + 1 + np.log(2 * np.pi)) + parts.L
        relative = parts.dQ / parts.Q
        hessian = parts.ddL + self.df * (parts.ddQ / parts.Q - relative[:, None] * relative)
        return float(value), parts.dL + self.df * relative, hessian

    def full(self, parts: Parts, log_residual: float) -> tuple[float, Floats, Floats]:
        """Deviance, gradient and Hessian by (log residual variance, scenario ratio, trial ratio)."""
        precision = np.exp(-log_residual)
        value = self.df * (log_residual + np.log(2 * np.pi)) + parts.L + parts.Q * precision
        gradient = np.r_[self.df - parts.Q * precision, parts.dL + parts.dQ * precision]
        hessian = np.empty((3, 3))
        hessian[0, 0] = parts.Q * precision
        hessian[0, 1:] = hessian[1:, 0] = -parts.dQ * precision
        hessian[1:, 1:] = parts.ddL + parts.ddQ * precision
        return float(value), gradient, hessian
