r"""Exact REML of balanced nested data: mean squares, pooled where they are out of order.

With n rows a trial and J trials a scenario, the restricted likelihood is a product of one chi-square
a stratum with expected mean squares :math:`\lambda_e = \sigma^2`,
:math:`\lambda_t = \lambda_e + n\sigma_t^2`, :math:`\lambda_s = \lambda_t + nJ\sigma_s^2`. Under
:math:`\lambda_e \le \lambda_t \le \lambda_s` it is maximised by the isotonic (pool-adjacent-violators)
fit of the mean squares, weighted by their degrees of freedom (Thompson 1962, *The problem of negative
estimates of variance components*, Annals of Mathematical Statistics 33). Fixed effects are between
scenarios, so they cost degrees of freedom in the scenarios' stratum only, also when levels have
different numbers of scenarios.
"""

from __future__ import annotations

import numpy as np

from evalib.stats.variance.design import CellSummary, Floats, NestedDesign


def strata(design: NestedDesign, data: CellSummary, reml: bool = True) -> tuple[Floats, Floats, Floats]:
    """Squares and degrees of freedom of (residual, trial, scenario), and beta.

    Only for a balanced design. A stratum that the design does not have has 0 degrees of freedom.
    """
    n = design.cell_sizes[0]
    table = data.means.reshape(design.n_scenarios, -1)
    means = table.sum(axis=1) / table.shape[1]
    beta = design.gram_inverse @ (design.x.T @ means)
    inner = (table - means[:, None]).ravel()
    outer = means - design.x @ beta
    squares = np.array((data.within.sum(), n * (inner @ inner), n * table.shape[1] * (outer @ outer)))
    df = (design.n - design.n_cells, design.n_cells - design.n_scenarios)
    return squares, np.array((*df, design.n_scenarios - design.n_fixed * reml), dtype=float), beta


def isotonic(squares: Floats, df: Floats) -> Floats:
    """Non-decreasing expected mean squares closest to `squares` / `df`: pool adjacent violators.

    A stratum without degrees of freedom takes the value of a neighbour.
    """
    blocks: list[list[float]] = []  # sum of squares, degrees of freedom, strata
    for s, f in zip(squares.tolist(), df.tolist(), strict=True):
        blocks.append([s if f else 0.0, f, 1])
        while len(blocks) > 1 and blocks[-1][0] * blocks[-2][1] <= blocks[-2][0] * blocks[-1][1]:
            s, f, strata = blocks.pop()
            blocks[-1] = [blocks[-1][0] + s, blocks[-1][1] + f, blocks[-1][2] + strata]
    return np.array([s / f for s, f, strata in blocks for _ in range(int(strata))])


def isotonic_draws(squares: Floats, df: Floats) -> Floats:
    """:func:`isotonic` of many draws at once; `squares` has shape (n_strata, n_draws).

    By the max-min formula: the largest over starts before a stratum of the least mean over ends after.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = {(i, j): squares[i:j].sum(axis=0) / df[i:j].sum() for i in range(3) for j in range(i + 1, 4)}
    lowest = {(i, k): np.fmin.reduce([mean[i, j] for j in range(k + 1, 4)]) for i, k in _PAIRS}
    return np.array([np.fmax.reduce([lowest[i, k] for i in range(k + 1)]) for k in range(3)])


_PAIRS = [(i, k) for k in range(3) for i in range(k + 1)]


def variances(expected: Floats, design: NestedDesign) -> Floats:
    """Variances (scenario, trial, residual) of expected mean squares (residual, trial, scenario)."""
    n = design.cell_sizes[0]
    residual, trial, scenario = expected
    return np.array(((scenario - trial) / (n * design.scenario_sizes[0]), (trial - residual) / n, residual))


def criterion(squares: Floats, df: Floats, expected: Floats, design: NestedDesign, reml: bool) -> float:
    """-2 log restricted likelihood (lme4's REMLcrit) at positive expected mean squares."""
    terms = df @ np.log(expected) + (squares / expected).sum() + df.sum() * np.log(2 * np.pi)
    if not reml:
        return float(terms)
    rows = design.cell_sizes[0] * design.scenario_sizes[0]
    return float(terms + design.gram_logdet + design.n_fixed * np.log(rows))
