r"""How many scenarios and trials a study needs, from the variances of a pilot or of a fit.

One system is measured on S scenarios with T trials each. Its score of scenario i, trial t is
:math:`\mu + a_i + e_{it}`, with variances :math:`\sigma_a^2` (scenario) and :math:`\sigma_e^2` (trial;
what repeats within it, such as passes of a judge, included). Then

.. math:: Var(\bar y) = \frac{v}{S}, \quad v = \sigma_a^2 + \sigma_e^2 / T, \qquad
          \text{half-width} = t_{S-1,\,1-\alpha/2} \sqrt{v / S}.

Two systems on the same scenarios differ by d_i with variance
:math:`v_d = 2 (\sigma_{ab}^2 + \sigma_e^2 / T)`, where :math:`\sigma_{ab}^2` is the part of
:math:`\sigma_a^2` that the two do not share (the interaction of Table 36); on other scenarios it is
:math:`2 v`. The difference that a two-sided t test at level alpha detects with the wanted power is
:math:`\lambda \sqrt{v_d / S}`, lambda the noncentrality at which a noncentral t on S - 1 degrees of
freedom (unpaired: 2S - 2) is beyond its critical value with that probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from evalib.core import ConfigError
from evalib.stats.arguments import check_count, check_flag, check_least, check_share, refuse_unsquarable
from evalib.stats.result import Result
from evalib.stats.trial_values import columns_of, refuse_infinite, trial_values

if TYPE_CHECKING:
    import pandas as pd

_USUAL_TRIALS = 1, 3, 5, 10  # planned for where nothing else is asked: 3 and 5 are the paper's
MOST = 100_000  # scenarios or trials that a plan may ask for


@dataclass(frozen=True)
class PilotVariances(Result):
    """Variance components of a pilot, in the square of the metric's unit.

    Attributes
    ----------
    scenario, trial : float
        Between scenarios of a domain, and between trials of a scenario. A negative estimate of the
        former is given as 0, with a reason.
    n_scenarios, n_trials, n_missing : int
    reason : str
    """

    scenario: float
    trial: float
    n_scenarios: int
    n_trials: int
    n_missing: int
    reason: str = ""


def pilot_variances(
    scores: pd.DataFrame, metric: str, strata: str = "domain", by: Sequence[str] = ()
) -> PilotVariances:
    r"""Scenario and trial variance of one system, from its score table.

    Within each stratum :math:`MS_W` estimates the trial variance, and
    :math:`(MS_B - MS_W)/n_0` the scenario variance, with mean squares and
    :math:`n_0 = (N - \sum_s \sum_i n_{si}^2 / N_s) / \sum_s (a_s - 1)` pooled over strata s, so that
    differences between domains do not count as scenarios' (Searle, Casella & McCulloch, 1992).

    Parameters
    ----------
    scores : DataFrame
        A score table of one system and condition.
    metric : str
    strata : str
    by : sequence of str
        Further columns whose values are strata of their own, e.g. ``("system",)`` to average the
        variances of several systems.

    Returns
    -------
    PilotVariances

    Raises
    ------
    DataFormatError, ConfigError
        As :func:`evalib.stats.pass_rates`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     [(s, t, "m", 4.0 * s + t) for s in range(3) for t in (0, 2)],
    ...     columns=["scenario", "trial", "metric", "value"],
    ... )
    >>> found = pilot_variances(frame, "m")  # MS_W = 2, MS_B = 32
    >>> found.scenario, found.trial
    (15.0, 2.0)
    """
    by = columns_of(by)
    trials = trial_values(scores, metric, by, strata)
    stratum_columns = [*by, "stratum"]
    refuse_infinite(trials, metric)
    refuse_unsquarable(trials["value"].to_numpy(), metric)
    scored = trials[trials["value"].notna()]
    missing = len(trials) - len(scored)
    stratum = scored.groupby(stratum_columns, dropna=False, observed=True)["value"]
    unit = scored.groupby([*stratum_columns, "scenario"], dropna=False, observed=True)["value"]
    centred = scored["value"] - stratum.transform("mean")
    of_unit = unit.transform("mean") - stratum.transform("mean")
    within, between = float(((centred - of_unit) ** 2).sum()), float((of_unit**2).sum())
    n, n_units, n_strata = len(scored), unit.ngroups, stratum.ngroups
    df_within, df_between = n - n_units, n_units - n_strata
    if df_between < 1 or df_within < 1:
        what = "fewer than two scenarios in a domain" if df_between < 1 else "one trial a scenario"
        return PilotVariances(
            np.nan, np.nan, n_units, n, missing, f"no variances: {what if n else 'no values'}"
        )
    squares = (unit.transform("size") / stratum.transform("size")).sum()  # sum of n_si^2 / N_s
    n0 = (n - squares) / df_between
    trial = within / df_within
    raw = float((between / df_between - trial) / n0)
    reason = "scenarios differ no more than trials do: their variance is given as 0" if raw < 0 else ""
    if (stratum.nunique() == 1).all():
        where = "" if n_strata == 1 else f" within each {strata if not by else 'stratum'}"
        reason = f"all {n} values are equal{where}: such a pilot cannot say how far others vary"
        raw = trial = 0.0
    return PilotVariances(max(raw, 0.0), trial, n_units, n, missing, reason)


def plan_study(
    scenario_variance: float,
    trial_variance: float,
    interaction_variance: float | None = None,
    scenarios: Sequence[int] | int | None = None,
    trials: Sequence[int] | int | None = None,
    half_width: float | None = None,
    difference: float | None = None,
    paired: bool = True,
    confidence: float = 0.95,
    power: float = 0.8,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """What designs give, and the designs that give what is wanted.

    Parameters
    ----------
    scenario_variance, trial_variance : float
        Of one system, e.g. of :func:`pilot_variances` or a REML fit.
    interaction_variance : float, optional
        The part of `scenario_variance` that two systems compared do not share, e.g. the
        interaction of :func:`evalib.stats.anova_twoway`. None: all of it, the cautious reading,
        under which pairing gains nothing but degrees of freedom lost.
    scenarios, trials : int or sequence of int, optional
        Designs to list: all combinations. With a target, one of the two may be left out, and the
        fewest that reach the target are found for each of the other; with neither, the scenarios
        for 1, 3, 5 and 10 trials.
    half_width : float, optional
        Target: confidence interval of one system's mean, at most this to either side.
    difference : float, optional
        Target: a difference between two systems of this size is detected.
    paired : bool
        Whether `difference` is sought on the same scenarios or on other ones.
    confidence, power, alpha : float
        In (0, 1); alpha is two-sided, and below `power`.

    Returns
    -------
    DataFrame
        One row per design: ``scenarios, trials, calls`` (scenarios x trials, of one system),
        ``half_width, paired_difference, unpaired_difference, reaches, reason``; sorted by calls.
        ``reaches`` is None without a target, and where the variance that it is about is 0 (a pilot
        of equal values, say): nothing is planned then. A target that no number of trials or fewer than
        100,000 scenarios reach is a row without numbers, with a reason.

    Raises
    ------
    ConfigError
        When an argument is out of range, or neither list nor target says what to plan.

    Notes
    -----
    Exact for normal scenario and trial effects with known variances, where the interval's expected
    squared half-width is meant; near enough for pass rates of tens of scenarios, which the tests
    check by simulation. A mean over domains of equal weight and equal size is one of all scenarios
    whose domains' differences are taken out: use the variance within domains.

    Examples
    --------
    >>> plan_study(0.04, 0.16, trials=[1, 5], half_width=0.05)["calls"].tolist()
    [310, 570]
    >>> plan_study(0.04, 0.16, scenarios=[50], half_width=0.05)["reason"][0]
    'not reached at 50 scenarios however many trials: their own variance gives 0.0568'
    """
    interaction = scenario_variance if interaction_variance is None else interaction_variance
    _check_variances(scenario_variance, trial_variance, interaction)
    _check_levels(confidence, power, alpha)
    check_flag("paired", paired)
    scenarios = _sizes("scenarios", scenarios, 2)  # one gives no interval
    trials = _sizes("trials", trials, 1)
    _check_design(scenarios, trials, half_width, difference)
    if scenarios is None and trials is None:
        trials = list(_USUAL_TRIALS)
    study = _Study(scenario_variance, trial_variance, interaction, confidence, power, alpha)

    def reaches(n_scenarios: int, n_trials: float) -> bool:
        found = study.outcome(n_scenarios, n_trials)
        sought = found["paired_difference" if paired else "unpaired_difference"]
        slack = 1 + 1e-9
        return (half_width is None or found["half_width"] <= half_width * slack) and (
            difference is None or sought <= difference * slack
        )

    wanted = half_width is not None or difference is not None
    if still := study.still(difference is not None and paired):
        return _unplanned(study, scenarios, trials, still)
    rows = []
    if scenarios is not None and trials is not None:
        for s in scenarios:
            for t in trials:
                rows.append({**_row(s, t, study.outcome(s, t)), "reaches": reaches(s, t) if wanted else None})
    elif scenarios is None:
        for t in trials or ():
            enough = _fewest(partial(_swapped, reaches, t), 2)
            rows.append(_found(enough, t, study, f"not reached at {t} trials with {MOST:,} scenarios"))
    else:
        for s in scenarios:
            enough = _fewest(partial(reaches, s), 1)
            rows.append(_found(s, enough, study, _why_not(study, s, half_width, reaches)))
    return _plan(rows)


def _plan(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    plan = pd.DataFrame(rows).astype(dict.fromkeys(("scenarios", "trials", "calls"), "Int64"))
    return plan.sort_values(["calls", "scenarios"], kind="stable", ignore_index=True)


def _unplanned(
    study: _Study, scenarios: list[int] | None, trials: list[int] | None, reason: str
) -> pd.DataFrame:
    """The designs asked about, when variances are 0 that say nothing of how far others vary."""
    rows = []
    for s, t in product(scenarios or (None,), trials or (None,)):
        if s is None or t is None:
            rows.append({**_found(s, t, study, reason), "reaches": None})
        else:
            rows.append(_row(s, t, study.outcome(s, t), reason))
    return _plan(rows)


@dataclass(frozen=True)
class _Study:
    """Variances and levels: what a design of so many scenarios and trials gives."""

    scenario: float
    trial: float
    interaction: float
    confidence: float
    power: float
    alpha: float

    def still(self, of_pairs: bool) -> str:
        """Why nothing can be planned: a variance of 0 under which two scenarios would be enough."""
        if self.scenario + self.trial == 0:
            return "all variances are 0, of which no real study is made: nothing can be planned from them"
        if of_pairs and self.interaction + self.trial == 0:
            return "two systems would always differ alike (no interaction, no trial variance): give either"
        return ""

    def outcome(self, n_scenarios: int, n_trials: float) -> dict[str, float]:
        s, noise = n_scenarios, self.trial / n_trials
        paired, unpaired = 2 * (self.interaction + noise), 2 * (self.scenario + noise)
        return {
            "half_width": _t_quantile(self.confidence, s - 1) * float(np.sqrt(unpaired / 2 / s)),
            "paired_difference": _noncentrality(self.power, self.alpha, s - 1) * float(np.sqrt(paired / s)),
            "unpaired_difference": _noncentrality(self.power, self.alpha, 2 * s - 2)
            * float(np.sqrt(unpaired / s)),
        }


@cache
def _t_quantile(confidence: float, df: int) -> float:
    from scipy.stats import t

    return float(t.isf((1 - confidence) / 2, df))


@cache
def _noncentrality(power: float, alpha: float, df: int) -> float:
    """At which a two-sided t test has the power; both of its tails count.

    The square of a noncentral t is a noncentral F, which scipy sums where its noncentral t is NaN.
    """
    from scipy.optimize import brentq
    from scipy.stats import ncf, t

    critical = float(t.isf(alpha / 2, df))

    def lacking(shift: float) -> float:
        return float(ncf.sf(critical**2, 1, df, shift**2)) - power

    high = critical
    while (short := lacking(high)) < 0:
        high *= 2
    if np.isnan(short):
        raise ConfigError(
            f"alpha={alpha} is too small for a power on {df} degrees of freedom: take more of it"
        )
    return float(brentq(lacking, 1e-6, high, xtol=1e-10))


def _swapped(reaches: Callable[[int, float], bool], n_trials: int, n_scenarios: int) -> bool:
    return reaches(n_scenarios, n_trials)


def _fewest(reaches: Callable[[int], bool], least: int) -> int | None:
    """The smallest number that will do; None when MOST will not."""
    high = least
    while not reaches(high):
        if high >= MOST:
            return None
        high = min(2 * high, MOST)
    low = least - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _row(s: int | None, t: int | None, outcome: dict[str, float], reason: str = "") -> dict[str, Any]:
    calls = None if s is None or t is None else s * t
    return {"scenarios": s, "trials": t, "calls": calls, **outcome, "reaches": None, "reason": reason}


def _found(s: int | None, t: int | None, study: _Study, why: str) -> dict[str, Any]:
    if s is None or t is None:
        nothing = dict.fromkeys(("half_width", "paired_difference", "unpaired_difference"), np.nan)
        return {**_row(s, t, nothing, why), "reaches": False}
    return {**_row(s, t, study.outcome(s, t)), "reaches": True}


def _why_not(study: _Study, s: int, half_width: float | None, reaches: Callable[[int, float], bool]) -> str:
    if reaches(s, np.inf):
        return f"not reached at {s} scenarios with {MOST:,} trials"
    limit = study.outcome(s, np.inf)["half_width"]
    alone = f": their own variance gives {limit:.3g}" if half_width is not None and limit > half_width else ""
    return f"not reached at {s} scenarios however many trials{alone}"


def _check_variances(scenario: float, trial: float, interaction: float) -> None:
    for name, variance in (("scenario", scenario), ("trial", trial), ("interaction", interaction)):
        check_least(f"{name}_variance", variance)
        if variance == np.inf:
            raise ConfigError(f"{name}_variance is infinite: no design would do")
    if interaction > scenario:
        raise ConfigError(
            f"interaction_variance={interaction} is the part of scenario_variance={scenario} that systems "
            "do not share: it cannot be larger"
        )


def _check_levels(confidence: float, power: float, alpha: float) -> None:
    for name, level in (("confidence", confidence), ("power", power), ("alpha", alpha)):
        check_share(name, level)
    if power <= alpha:
        raise ConfigError(
            f"power={power} must be above alpha={alpha}, which a test reaches without any effect"
        )


def _sizes(name: str, sizes: Sequence[int] | int | None, least: int) -> list[int] | None:
    """Numbers of scenarios or trials as a list; one number is a list of one."""
    if sizes is None:
        return None
    found = list(sizes) if isinstance(sizes, Iterable) and not isinstance(sizes, str) else [sizes]
    if not found:
        raise ConfigError(f"{name} is empty: name numbers of them, or leave it out")
    for size in found:
        check_count(name, size, least)
    return [int(size) for size in found]


def _check_design(
    scenarios: Sequence[int] | None,
    trials: Sequence[int] | None,
    half_width: float | None,
    difference: float | None,
) -> None:
    for name, target in (("half_width", half_width), ("difference", difference)):
        if target is not None and not (isinstance(target, Real) and 0 < target < np.inf):
            raise ConfigError(f"{name}={target!r} must be a number above 0")
    if half_width is None and difference is None and (scenarios is None or trials is None):
        raise ConfigError("give both scenarios and trials, or a target: half_width= or difference=")
