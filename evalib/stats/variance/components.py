"""Variance components of nested scores: scenario, trial in scenario, judge pass (paper H.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalib.core import ConfigError
from evalib.stats.intervals import Rng, check_settings, generator_of
from evalib.stats.result import Result
from evalib.stats.trial_values import columns_of, counted
from evalib.stats.variance.design import CellSummary, Floats
from evalib.stats.variance.fit import Identified, Solution, identify, solve
from evalib.stats.variance.frames import NestedData, nested_data
from evalib.stats.variance.intervals import bootstrap_intervals, profile_intervals
from evalib.stats.variance.notes import lost_notes, other_notes, zero_notes

if TYPE_CHECKING:
    import pandas as pd

NAN = float("nan")


@dataclass(frozen=True)
class VarianceComponents(Result):
    """Variances by level, and the fixed effects, of one REML fit.

    Attributes
    ----------
    components : dict
        Variance of each of `groups` and of ``"residual"``, in squared units of the response. NaN for
        one that the design cannot tell apart.
    percent : dict
        Of ``total``; NaN when the total is zero or unknown.
    total : float
        Sum of the components that were told apart; NaN when the fixed effects hold one of them.
    fixed, fixed_se : dict
        ``"Intercept"`` and one entry ``"domain[HR]"`` per further level (the first in sorted order is
        the reference), with standard errors given the estimated variances. NaN for an effect that
        the others determine.
    criterion : float
        -2 log restricted likelihood at the optimum, constants included (lme4's ``REMLcrit``); minus
        infinity when the residual variance is zero.
    boundary : tuple of str
        Components whose estimate is zero.
    identifiable : dict
        False for a component that the design cannot tell apart; ``reason`` names what holds it.
    n, n_missing : int
        Rows used and rows left out.
    n_groups : dict
        Number of scenarios, and of trials over all scenarios.
    converged, iterations, gradient
        Of the search: ``gradient`` is the largest derivative of the criterion by a free logarithm of a
        ratio at the end; None for a closed form, which has no search.
    method : str
        ``"balanced closed form"`` or ``"unbalanced Newton"``; empty when nothing was fitted.
    low, high : dict
        Ends of the intervals for ``components``, where asked for. An upper end of the profile beyond
        e^20 times the total is given as infinite.
    confidence : float
        Of these intervals.
    reason : str
        Whatever a reader has to know about the estimates.
    """

    components: dict[str, float]
    percent: dict[str, float]
    total: float
    fixed: dict[str, float]
    fixed_se: dict[str, float]
    criterion: float
    boundary: tuple[str, ...]
    identifiable: dict[str, bool]
    n: int
    n_missing: int
    n_groups: dict[str, int]
    converged: bool
    iterations: int
    gradient: float | None
    method: str
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    confidence: float = 0.95
    reason: str = ""


def variance_components(
    data: pd.DataFrame,
    response: str = "value",
    groups: str | Sequence[str] = ("scenario", "trial"),
    fixed: str | Sequence[str] = ("domain",),
    intervals: Literal["profile", "bootstrap"] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    rng: Rng = None,
) -> VarianceComponents:
    r"""Nested variance components by restricted maximum likelihood.

    .. math:: y_{sjk} = x_s'\beta + a_s + b_{sj} + e_{sjk}

    with independent normal scenario effects a, trial effects b and residuals e (the judge's passes;
    with ``groups=("scenario",)`` the trials). The optimum is the global one up to rounding, on the
    boundary (a variance of exactly 0) or off it: in closed form for balanced data, by Newton's method
    with exact derivatives else.

    Parameters
    ----------
    data : DataFrame
        One row per observation; other columns are allowed. Rows whose response is NaN, or whose
        ``status`` (if they have one) is not ok, are missing: left out and counted.
    response : str
    groups : str or sequence of str
        One or two columns, the outer first. The second counts within the first: trial 0 of one
        scenario is not trial 0 of another.
    fixed : str or sequence of str
        Categorical columns that are constant within a scenario; several are additive. A scenario is its
        id together with their levels, so an id that occurs in two domains is two scenarios. ``()``
        fits an intercept alone.
    intervals : {None, "profile", "bootstrap"}
        ``"profile"``: profile of the REML deviance against a chi-square quantile, assuming normal
        effects. ``"bootstrap"``: percentiles over scenarios resampled within the levels of the fixed
        effects, assuming nothing of the distribution.
    confidence : float
    n_resamples : int
        Of the bootstrap.
    rng : numpy Generator, int or None
        Of the bootstrap; None is a fixed seed.

    Returns
    -------
    VarianceComponents

    Raises
    ------
    ConfigError
        When an argument is not one of these, or the table mixes metrics, systems, conditions or judges.
    DataFormatError
        When a column is missing or not numeric, a key is missing, a status is unknown, a value is
        infinite, or a pass of a trial occurs twice.

    Notes
    -----
    Paper section H.1 and Table 35. Patterson & Thompson (1971), *Biometrika* 58, for REML; Thompson
    (1962), *Ann. Math. Statist.* 33, for the closed form with non-negative variances.

    Examples
    --------
    Mean squares 32 (scenarios), 1 (trials) and 0.5 (passes): the judge's variance is 0.5, the trials'
    (1 - 0.5) / 2 and the scenarios' (32 - 1) / 4.

    >>> import pandas as pd
    >>> scores = pd.DataFrame({"scenario": [1, 1, 1, 1, 2, 2, 2, 2], "trial": [0, 0, 1, 1, 0, 0, 1, 1],
    ...                        "value": [0.0, 1, 1, 2, 4, 5, 5, 6]})
    >>> variance_components(scores, fixed=()).components
    {'scenario': 7.75, 'trial': 0.25, 'residual': 0.5}
    """
    if intervals not in (None, "profile", "bootstrap"):
        raise ConfigError(f"intervals={intervals!r} must be None, 'profile' or 'bootstrap'")
    check_settings(n_resamples, confidence)
    nested = nested_data(data, response, groups, fixed)
    names = columns_of(groups)
    if nested.design is None:
        return _nothing(nested, names, bool(intervals), confidence, "no values")
    design = nested.design
    if design.n <= design.n_fixed:
        values = counted(design.n, "value", "values")
        effects = counted(design.n_fixed, "fixed effect", "fixed effects")
        reason = f"{values} for {effects}: no variance is left"
        return _nothing(nested, names, bool(intervals), confidence, reason)
    found = identify(design)
    summary = CellSummary.of(found.design, nested.y)
    solution = solve(found.design, summary, found.scenario)
    result, notes = _described(nested, names, found, solution, summary)
    low, high = {}, {}
    if intervals:
        generator = generator_of(rng)
        ends, note = _intervals(
            nested, found, solution, summary, intervals, confidence, n_resamples, generator
        )
        notes += [note] if note else []
        low, high = (_named(names, end) for end in ends)
        if same := [name for name in low if low[name] == high[name]]:
            notes.append(f"no width for {', '.join(same)}: every resample gives the same")
    return VarianceComponents(**result, low=low, high=high, confidence=confidence, reason="; ".join(notes))


def _named(names: list[str], values: Floats) -> dict[str, float]:
    """(scenario, trial, residual) by the names of the levels."""
    kept = values if len(names) == 2 else values[[0, 2]]
    return dict(zip([*names, "residual"], (float(v) for v in kept), strict=True))


def _nothing(
    nested: NestedData, names: list[str], intervals: bool, confidence: float, reason: str
) -> VarianceComponents:
    nans = _named(names, np.full(3, np.nan))
    effects = dict.fromkeys([*nested.fixed_names, *nested.dropped], NAN)
    return VarianceComponents(
        components=nans,
        percent=nans.copy(),
        total=NAN,
        fixed=effects,
        fixed_se=effects.copy(),
        criterion=NAN,
        boundary=(),
        identifiable=dict.fromkeys(nans, False),
        n=len(nested.y),
        n_missing=nested.n_missing,
        n_groups=_n_groups(nested, names),
        converged=False,
        iterations=0,
        gradient=None,
        method="",
        low=nans.copy() if intervals else {},
        high=nans.copy() if intervals else {},
        confidence=confidence,
        reason=reason,
    )


def _n_groups(nested: NestedData, names: list[str]) -> dict[str, int]:
    design = nested.design
    counts = (design.n_scenarios, design.n_cells) if design else (0, 0)
    return dict(zip(names, counts, strict=False))


def _described(
    nested: NestedData, names: list[str], found: Identified, scaled: Solution, summary: CellSummary
) -> tuple[dict[str, Any], list[str]]:
    """The fields of the result, and what its reason has to say."""
    assert nested.design is not None
    design = nested.design
    solution = scaled.in_units(summary, design.n - design.n_fixed)
    components = _named(names, solution.variances)
    role = dict(zip(["scenario", "trial"], names, strict=False)) | {"residual": "residual"}
    lost = {role[name]: role.get(holder, "") for name, holder in found.held_by.items()}
    components |= dict.fromkeys(lost, NAN)
    total = NAN if "" in lost.values() else float(np.nansum(list(components.values())))
    boundary = tuple(name for name, value in components.items() if value == 0)
    # With as many fixed effects as scenarios their errors hold a variance that nobody knows.
    blind = design.n_scenarios == design.n_fixed
    errors = np.full(design.n_fixed, np.nan) if blind else np.sqrt(np.diag(solution.covariance))
    dropped = dict.fromkeys(nested.dropped, NAN)
    fields = {
        "components": components,
        "percent": {k: 100 * v / total if total > 0 else NAN for k, v in components.items()},
        "total": total,
        "fixed": dict(zip(nested.fixed_names, map(float, solution.beta), strict=True)) | dropped,
        "fixed_se": dict(zip(nested.fixed_names, map(float, errors), strict=True)) | dropped,
        "criterion": float(solution.criterion),
        "boundary": boundary,
        "identifiable": {name: name not in lost for name in components},
        "n": design.n,
        "n_missing": nested.n_missing,
        "n_groups": _n_groups(nested, names),
        "converged": solution.converged,
        "iterations": solution.iterations,
        "gradient": solution.gradient,
        "method": solution.method,
    }
    return fields, [
        *lost_notes(lost, design, role),
        *zero_notes(components, boundary),
        *other_notes(nested, solution),
    ]


def _intervals(
    nested: NestedData,
    found: Identified,
    solution: Solution,
    summary: CellSummary,
    kind: str,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[tuple[Floats, Floats], str]:
    nan, note = np.full(3, np.nan), ""
    if not np.isfinite(solution.criterion):
        return (nan, nan), "no intervals: the residual variance is zero"
    if kind == "profile":
        low, high = profile_intervals(found, summary, solution, confidence)
    elif found.design.n_scenarios == found.design.n_fixed:
        return (nan, nan), "no bootstrap: resampling these scenarios says nothing"
    else:
        values = (nested.y[found.design.order] - summary.shift) / summary.scale
        low, high, note = bootstrap_intervals(found, summary, values, solution, confidence, n_resamples, rng)
    return (low * summary.scale**2, high * summary.scale**2), note
