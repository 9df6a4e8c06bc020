"""Intervals of variance components: against lme4 and direct resampling (dense twin: test_variance_twin)."""

import json
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from evalib.stats.variance import variance_components
from evalib.stats.variance.design import CellSummary
from evalib.stats.variance.fit import identify, solve
from evalib.stats.variance.frames import nested_data
from evalib.stats.variance.intervals import bootstrap_intervals, profile_intervals

FIXTURES = Path(__file__).parents[1] / "fixtures" / "stats"
LME4 = json.loads((FIXTURES / "lme4_reference.json").read_text())
NAMES = ("scenario", "trial", "residual")


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def layout(scenarios=6, trials=4, passes=3, seed=0, sd=(1.0, 1.0, 1.0)):
    rng = np.random.default_rng(seed)
    s, t, p = (a.ravel() for a in np.mgrid[0:scenarios, 0:trials, 0:passes])
    y = sd[0] * rng.normal(size=scenarios)[s] + sd[1] * rng.normal(size=scenarios * trials)[s * trials + t]
    y = y + sd[2] * rng.normal(size=len(s))
    return pd.DataFrame(
        {"domain": np.where(s % 2, "b", "a"), "scenario": s, "trial": t, "judge_pass": p, "value": y}
    )


@pytest.mark.parametrize(
    "name",
    ["bin_taskcomp_gptrt15", "bound_convcomp_gemlive", "unbal_taskcomp_gptrt15", "unbal_faith_gptrt15"],
)
def test_the_ml_profile_is_lme4s(name):
    """lme4 profiles the ML deviance, by splines between points; so does the same code told so."""
    truth = LME4[name]["profile_ci"]
    frame = pd.read_csv(FIXTURES / f"{name}.csv")
    groups = ("scenario", "trial") if "sd_(Intercept)|scenario:trial" in truth else ("scenario",)
    data = nested_data(frame, "score", groups, ("domain",))
    found = identify(data.design)
    summary = CellSummary.of(found.design, data.y)
    solution = solve(found.design, summary, found.scenario, reml=False)
    ml = solution.in_units(summary, data.design.n)
    assert ml.criterion == pytest.approx(LME4[name]["dev_ml"], abs=1e-6)
    low, high = profile_intervals(found, summary, solution, 0.95, reml=False)
    ends = np.sqrt(np.stack((low, high), axis=1)) * summary.scale
    # At a boundary the splines bend (0.3%); the dense twin holds our ends there to 1e-5 of the deviance.
    rel = 5e-3 if ends[0, 0] == 0 else 2e-4
    assert ends[0] == pytest.approx(truth["sd_(Intercept)|scenario"], rel=rel, abs=1e-7)
    assert ends[2] == pytest.approx(truth["sigma"], rel=2e-4)
    if len(groups) == 2:
        assert ends[1] == pytest.approx(truth["sd_(Intercept)|scenario:trial"], rel=2e-4)


@pytest.mark.parametrize(
    "name", ["bound_trial0", "bound_speech_gptrt15", "gauss_concise_parakeet", "hard_judge_tiny"]
)
def test_the_residuals_profile_in_closed_form(name):
    """Balanced data with the residual variance at v: the other mean squares rise to v and into order."""
    frame = pd.read_csv(FIXTURES / f"{name}.csv")
    found = variance_components(frame, "score", intervals="profile")
    trials = frame.groupby(["domain", "scenario", "trial"])["score"].mean()
    scenarios = trials.groupby(["domain", "scenario"]).mean()
    left = scenarios - scenarios.groupby("domain").transform("mean")
    within = frame["score"] - frame.groupby(["scenario", "trial"])["score"].transform("mean")
    squares = [
        (within**2).sum(),
        3 * ((trials - trials.groupby(["domain", "scenario"]).transform("mean")) ** 2).sum(),
        15 * (left**2).sum(),
    ]
    df = [3195 - 1065, 1065 - 213, 213 - 3]

    def profile(v):
        trial, scenario = squares[1] / df[1], squares[2] / df[2]
        if scenario < trial:
            trial = scenario = (squares[1] + squares[2]) / (df[1] + df[2])
        levels = np.array([v, max(v, trial), max(v, scenario)])
        return df @ np.log(levels) + (np.array(squares) / levels).sum()

    cut = profile(found.components["residual"]) + chi2.ppf(0.95, 1)
    assert profile(found.low["residual"]) == pytest.approx(cut, abs=1e-6)
    assert profile(found.high["residual"]) == pytest.approx(cut, abs=1e-6)


def test_bootstrap_is_refitting_resampled_frames():
    frame = layout(scenarios=9).assign(domain="a")
    data = nested_data(frame, "value", ("scenario", "trial"), ("domain",))
    found, summary = identify(data.design), CellSummary.of(data.design, data.y)
    solution = solve(found.design, summary)
    values = (data.y - summary.shift) / summary.scale
    args = (found, summary, values, solution, 0.9, 40)
    low, high, note = bootstrap_intervals(*args, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    draws = []
    for chosen in rng.integers(9, size=(40, 9)):
        drawn = pd.concat([frame[frame["scenario"] == s].assign(scenario=k) for k, s in enumerate(chosen)])
        draws.append(list(variance_components(drawn, fixed=()).components.values()))
    assert note == ""
    expected = np.quantile(draws, [0.05, 0.95], axis=0) / summary.scale**2
    assert low == pytest.approx(expected[0], rel=1e-9, abs=1e-12)
    assert high == pytest.approx(expected[1], rel=1e-9, abs=1e-12)
    # The way of unbalanced data gives the same on these.
    object.__setattr__(data.design, "balanced", False)
    other = bootstrap_intervals(*args, np.random.default_rng(7))
    assert other[0] == pytest.approx(low, rel=1e-6, abs=1e-9)
    assert other[1] == pytest.approx(high, rel=1e-6, abs=1e-9)


def test_bootstrap_with_fixed_effects_keeps_every_level():
    frame = layout(scenarios=8).drop(index=[0, 1, 7, 40])
    found = variance_components(frame, intervals="bootstrap", n_resamples=60, rng=1)
    assert found.method == "unbalanced Newton"
    assert variance_components(frame, intervals="bootstrap", n_resamples=60, rng=1) == found
    for name in NAMES:
        assert 0 <= found.low[name] <= found.high[name]
    assert found.high["residual"] < 5 * found.components["residual"]


def test_resamples_that_tell_less_apart_are_counted():
    frame = layout(scenarios=4).assign(domain="a")
    frame = frame[(frame["judge_pass"] == 0) | (frame["scenario"] == 0)]  # only scenario 0 is judged twice
    found = variance_components(frame, intervals="bootstrap", n_resamples=50)
    assert re.search(r"\d+ of 50 resamples tell fewer components apart", found.reason)
    assert found.high["residual"] > 0
    single = variance_components(layout(scenarios=3), intervals="bootstrap", n_resamples=50)
    assert "1 levels of one scenario are the same" in single.reason


@pytest.mark.parametrize("kind", ["profile", "bootstrap"])
def test_a_boundary_starts_the_interval_at_zero(kind):
    frame = pd.read_csv(FIXTURES / "bound_convcomp_gemlive.csv")
    found = variance_components(frame, "score", ("scenario",), intervals=kind, n_resamples=200)
    assert found.boundary == ("scenario",)
    assert found.low["scenario"] == 0 < found.high["scenario"] < 0.1 * found.total


@pytest.mark.parametrize("kind", ["profile", "bootstrap"])
def test_no_interval_without_a_reason(kind):
    one = variance_components(layout(passes=1), intervals=kind, n_resamples=50)
    assert math.isnan(one.low["trial"])
    assert one.low["residual"] < one.components["residual"] < one.high["residual"]
    constant = variance_components(layout().assign(value=1.0), intervals=kind)
    assert all(math.isnan(v) for v in constant.high.values())
    assert "no intervals: the residual variance is zero" in constant.reason
    one = variance_components(layout(scenarios=2), intervals=kind)
    assert math.isnan(one.high["scenario"])
    if kind == "bootstrap":
        assert "no bootstrap" in one.reason
    else:
        assert one.low["residual"] < one.components["residual"] < one.high["residual"]
    empty = variance_components(layout().iloc[:0], intervals=kind)
    assert set(empty.low) == set(empty.components)
