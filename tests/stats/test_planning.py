"""Plans: against closed forms, statsmodels' power, and studies simulated as planned."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t, ttest_1samp, ttest_ind

from evalib.core import ConfigError, DataFormatError
from evalib.stats.anova import anova_twoway
from evalib.stats.icc import icc_oneway
from evalib.stats.planning import pilot_variances, plan_study


def one(frame):
    (row,) = frame.to_dict("records")
    return row


def study(rng, repetitions, scenarios, trials, scenario, trial):
    """Means of scenarios of many studies of one system, shape (repetitions, scenarios)."""
    effects = rng.normal(size=(repetitions, scenarios)) * np.sqrt(scenario)
    return effects + rng.normal(size=(repetitions, scenarios, trials)).mean(axis=2) * np.sqrt(trial)


def test_half_width_in_closed_form():
    row = one(plan_study(0.04, 0.16, scenarios=[50], trials=[5]))
    assert row["half_width"] == pytest.approx(t.ppf(0.975, 49) * np.sqrt((0.04 + 0.16 / 5) / 50))
    assert (row["calls"], row["reaches"], row["reason"]) == (250, None, "")
    large = one(plan_study(0.04, 0.16, scenarios=[20_000], trials=[1]))
    assert large["half_width"] == pytest.approx(1.959964 * np.sqrt(0.2 / 20_000), rel=1e-3)
    z = norm.ppf(0.975) + norm.ppf(0.8)
    assert large["unpaired_difference"] == pytest.approx(z * np.sqrt(0.4 / 20_000), rel=1e-3)


@pytest.mark.parametrize(("power", "alpha"), [(0.8, 0.05), (0.9, 0.01), (0.3, 0.05), (0.999, 0.001)])
@pytest.mark.parametrize("n", [2, 5, 30, 200])
def test_detectable_difference_as_statsmodels(n, power, alpha):
    from statsmodels.stats.power import TTestIndPower, TTestPower

    row = one(plan_study(0.5, 1.0, 0.2, scenarios=[n], trials=[4], power=power, alpha=alpha))
    paired = row["paired_difference"] / np.sqrt(2 * (0.2 + 0.25))
    unpaired = row["unpaired_difference"] / np.sqrt(0.5 + 0.25)
    for test, effect, size in (
        (TTestPower(), paired, {"nobs": n}),
        (TTestIndPower(), unpaired, {"nobs1": n}),
    ):
        with np.errstate(all="ignore"):
            theirs = test.power(effect, *size.values(), alpha)
        if np.isfinite(theirs):  # scipy's noncentral t is not always
            assert theirs == pytest.approx(power, abs=1e-6)


def test_the_interval_covers_and_is_as_wide_as_planned():
    rng = np.random.default_rng(1)
    means = study(rng, 4_000, 30, 3, scenario=0.05, trial=0.12)
    planned = one(plan_study(0.05, 0.12, scenarios=[30], trials=[3]))["half_width"]
    half = t.ppf(0.975, 29) * means.std(axis=1, ddof=1) / np.sqrt(30)
    assert np.sqrt((half**2).mean()) == pytest.approx(planned, rel=0.02)
    covered = (np.abs(means.mean(axis=1)) <= half).mean()
    assert abs(covered - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4_000)


@pytest.mark.parametrize("paired", [True, False])
def test_a_planned_difference_is_found_with_the_power(paired):
    rng = np.random.default_rng(2)
    shared, own, noise, trials, difference = 0.06, 0.02, 0.2, 4, 0.1
    plan = one(plan_study(shared + own, noise, own, trials=[trials], difference=difference, paired=paired))
    n, runs = int(plan["scenarios"]), 4_000
    common = rng.normal(size=(runs, n)) * np.sqrt(shared)
    first = common + study(rng, runs, n, trials, own, noise)
    if paired:
        second = common + difference + study(rng, runs, n, trials, own, noise)
        p = ttest_1samp(second - first, 0, axis=1).pvalue
    else:
        second = difference + study(rng, runs, n, trials, shared + own, noise)
        p = ttest_ind(second, first, axis=1).pvalue
    # n is whole: the power is what is asked for or a little more.
    found = (p < 0.05).mean()
    assert 0.8 - 4 * np.sqrt(0.16 / runs) < found < 0.83
    assert plan["paired_difference" if paired else "unpaired_difference"] <= difference
    fewer = one(plan_study(shared + own, noise, own, scenarios=[n - 1], trials=[trials]))
    assert fewer["paired_difference" if paired else "unpaired_difference"] > difference


def test_it_holds_for_pass_rates():
    """Scenarios with pass rates of their own, trials that pass or not."""
    rng = np.random.default_rng(3)
    rates = rng.beta(2, 2, size=(3_000, 60))
    means = rng.binomial(5, rates) / 5
    scenario, trial = 0.25 - 0.2, 0.2  # Var(p) = 0.05, E p(1-p) = 0.2
    planned = one(plan_study(scenario, trial, scenarios=[60], trials=[5]))["half_width"]
    covered = (np.abs(means.mean(axis=1) - 0.5) <= planned).mean()
    assert abs(covered - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 3_000) + 0.005


def test_fewest_scenarios_and_fewest_trials():
    plan = plan_study(0.04, 0.16, trials=[1, 2, 5], half_width=0.05)
    assert plan["trials"].tolist() == [1, 2, 5]
    assert plan["calls"].is_monotonic_increasing
    assert plan["reaches"].all()
    for row in plan.to_dict("records"):
        assert row["half_width"] <= 0.05
        less = one(plan_study(0.04, 0.16, scenarios=[row["scenarios"] - 1], trials=[row["trials"]]))
        assert less["half_width"] > 0.05
    trials = plan_study(0.04, 0.16, scenarios=[100, 200], half_width=0.05)
    for row in trials.to_dict("records"):
        assert row["half_width"] <= 0.05
        if row["trials"] > 1:
            less = one(plan_study(0.04, 0.16, scenarios=[row["scenarios"]], trials=[row["trials"] - 1]))
            assert less["half_width"] > 0.05
    both = one(plan_study(0.04, 0.16, trials=[5], half_width=0.05, difference=0.02))
    assert both["scenarios"] > 114
    assert both["paired_difference"] <= 0.02


def test_what_is_impossible_has_a_reason():
    alone = one(plan_study(0.04, 0.16, scenarios=[50], half_width=0.05))
    assert alone["reason"].startswith("not reached at 50 scenarios however many trials: their own variance")
    assert pd.isna(alone["trials"])
    assert alone["reaches"] is False
    tiny = one(plan_study(1.0, 1.0, trials=[1], half_width=1e-6))
    assert tiny["reason"] == "not reached at 1 trials with 100,000 scenarios"
    assert np.isnan(tiny["half_width"])
    many = one(plan_study(0.0, 1e9, scenarios=[2], half_width=1.0))
    assert many["reason"] == "not reached at 2 scenarios with 100,000 trials"
    unpaired = one(plan_study(0.04, 0.16, 0.0, scenarios=[30], difference=0.05, paired=False))
    assert unpaired["reason"] == "not reached at 30 scenarios however many trials"
    assert one(plan_study(0.04, 0.16, 0.0, scenarios=[30], difference=0.05))["reaches"]


def test_a_table_of_options():
    plan = plan_study(0.04, 0.16, scenarios=[100, 50], trials=[5, 1], half_width=0.06)
    assert plan[["scenarios", "trials", "calls"]].to_numpy().tolist() == [
        [50, 1, 50],
        [100, 1, 100],
        [50, 5, 250],
        [100, 5, 500],
    ]
    assert plan["reaches"].tolist() == (plan["half_width"] <= 0.06).tolist() == [False, False, False, True]
    nothing = one(plan_study(0.0, 0.0, scenarios=[2], trials=[1]))
    assert (nothing["half_width"], nothing["paired_difference"]) == (0, 0)


def test_without_sharing_pairing_gains_nothing():
    row = one(plan_study(0.04, 0.16, scenarios=[500], trials=[5]))
    assert row["paired_difference"] == pytest.approx(row["unpaired_difference"], rel=0.002)
    shared = one(plan_study(0.04, 0.16, 0.01, scenarios=[500], trials=[5]))
    assert shared["paired_difference"] < 0.8 * shared["unpaired_difference"]


def scores(y, domains):
    scenario, trial = np.indices(y.shape).reshape(2, -1)
    frame = pd.DataFrame({"scenario": scenario, "trial": trial, "metric": "m", "value": y.ravel()})
    return frame.assign(domain=np.asarray(domains)[scenario])


def test_pilot_as_the_one_way_analysis():
    y = np.random.default_rng(4).normal(size=(12, 5)) + np.arange(12)[:, None] % 3
    y[0, :3] = np.nan
    frame = scores(y, ["airline"] * 12)
    found, other = pilot_variances(frame, "m"), icc_oneway(frame, "value", "scenario")
    assert found.trial == pytest.approx(other.ms_within)
    assert found.scenario == pytest.approx((other.ms_between - other.ms_within) / other.n0)
    assert (found.n_scenarios, found.n_trials, found.n_missing) == (12, 57, 3)


def test_pilot_takes_domains_out():
    rng = np.random.default_rng(5)
    domains = ["airline"] * 20 + ["itsm"] * 35 + ["hr"] * 25
    found = []
    for _ in range(60):
        y = rng.normal(size=(80, 1)) * 0.5 + rng.normal(size=(80, 4))
        y += pd.Series(domains).map({"airline": 0, "itsm": 5, "hr": -5}).to_numpy()[:, None]
        y[rng.random(y.shape) < 0.2] = np.nan
        pilot = pilot_variances(scores(y, domains), "m")
        found.append((pilot.scenario, pilot.trial))
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - [0.25, 1.0]) < 4 * error).all()


def test_pilot_components_go_with_those_of_two_systems():
    """Scenario and trial variance within systems: scenario + interaction, and residual, of the ANOVA."""
    rng = np.random.default_rng(6)
    y = rng.normal(size=(20, 1, 1)) + rng.normal(size=(20, 3, 1)) * 0.7 + rng.normal(size=(20, 3, 4))
    index = np.indices(y.shape).reshape(3, -1)
    frame = pd.DataFrame({"scenario": index[0], "system": index[1], "trial": index[2], "value": y.ravel()})
    frame = frame.assign(metric="m")
    pilot = pilot_variances(frame, "m", by=("system",))
    raw = anova_twoway(frame, "value", rows="scenario", cols="system").components_raw
    assert pilot.scenario == pytest.approx(raw["scenario"] + raw["interaction"])
    assert pilot.trial == pytest.approx(raw["residual"])


def test_pilot_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        single = pilot_variances(scores(np.arange(5.0)[:, None], ["a"] * 5), "m")
        lonely = pilot_variances(scores(np.ones((2, 3)), ["a", "b"]), "m")
        nothing = pilot_variances(scores(np.full((2, 3), np.nan), ["a", "a"]), "m")
        opposed = pilot_variances(scores(np.array([[0.0, 1], [1, 0]]), ["a", "a"]), "m")
        constant = pilot_variances(scores(np.full((3, 3), 0.1), ["a"] * 3), "m")
    assert single.reason == "no variances: one trial a scenario"
    assert lonely.reason == "no variances: fewer than two scenarios in a domain"
    assert nothing.reason == "no variances: no values"
    assert np.isnan([single.trial, lonely.scenario, nothing.trial]).all()
    assert (opposed.scenario, opposed.trial) == (0.0, 0.5)
    assert "given as 0" in opposed.reason
    assert (constant.scenario, constant.trial) == (0, 0)
    assert constant.reason == "all 9 values are equal: such a pilot cannot say how far others vary"
    strata = pilot_variances(
        scores(np.repeat([[0.1], [0.7]], [2, 2], axis=0) + np.zeros(3), list("aabb")), "m"
    )
    assert strata.reason.startswith("all 12 values are equal within each domain")


@pytest.mark.parametrize(
    "design", [{}, {"trials": 3}, {"scenarios": [20, 40]}, {"scenarios": 9, "trials": 2}]
)
def test_no_plan_from_variances_of_zero(design):
    plan = plan_study(0.0, 0.0, half_width=0.05, **design)
    assert plan["reason"].str.startswith("all variances are 0").all()
    assert plan["reaches"].isna().all()
    if len(design) < 2:
        assert plan["calls"].isna().all()


def test_no_plan_for_systems_that_always_differ_alike():
    plan = plan_study(0.04, 0.0, interaction_variance=0.0, difference=0.1, trials=[1])
    assert plan["scenarios"].isna().all()
    assert "always differ alike" in plan["reason"][0]
    unpaired = plan_study(0.04, 0.0, interaction_variance=0.0, difference=0.1, trials=[1], paired=False)
    assert unpaired["reaches"].all()


def test_invalid():
    for arguments, message in (
        ({"scenario_variance": -1.0}, "scenario_variance"),
        ({"trial_variance": np.nan}, "trial_variance"),
        ({"interaction_variance": 0.5}, "cannot be larger"),
        ({"power": 1.0}, "power"),
        ({"alpha": 0.9}, "above alpha"),
        ({"confidence": 95}, "confidence"),
        ({"scenarios": [1]}, "at least 2"),
        ({"trials": [0]}, "at least 1"),
        ({"scenarios": None}, "a target"),
        ({"scenarios": None, "trials": None}, "target"),
        ({"half_width": 0.0}, "above 0"),
    ):
        given = {"scenario_variance": 0.04, "trial_variance": 0.16, "scenarios": [10], "trials": [1]}
        with pytest.raises(ConfigError, match=message):
            plan_study(**(given | arguments))
    with pytest.raises(DataFormatError):
        pilot_variances(pd.DataFrame({"value": [1]}), "m")
    with pytest.raises(DataFormatError, match="infinite"):
        pilot_variances(scores(np.full((2, 2), np.inf), ["a", "a"]), "m")


@pytest.mark.parametrize(
    "arguments",
    [
        {"scenarios": [5.5]},
        {"trials": ["a"]},
        {"trials": [True]},
        {"trials": []},
        {"paired": "no"},
        {"scenario_variance": None},
        {"trial_variance": np.inf},
        {"half_width": "a"},
        {"power": None},
        {"scenarios": [2], "alpha": 1e-12},
    ],
)
def test_arguments_of_the_wrong_kind(arguments):
    given = {"scenario_variance": 0.04, "trial_variance": 0.16, "scenarios": [10], "trials": [1]}
    with pytest.raises(ConfigError):
        plan_study(**(given | arguments))


def test_one_number_is_a_list_of_one():
    pd.testing.assert_frame_equal(
        plan_study(0.04, 0.16, scenarios=50, trials=2), plan_study(0.04, 0.16, scenarios=[50], trials=[2])
    )
    frame = scores(np.arange(8.0).reshape(4, 2), list("aabb")).assign(system="s")
    assert pilot_variances(frame, "m", by="system") == pilot_variances(frame, "m", by=["system"])


def test_a_target_alone_plans_for_the_usual_numbers_of_trials():
    plan = plan_study(0.1, 0.15, half_width=0.05)
    assert plan["trials"].tolist() == [1, 3, 5, 10]
    pd.testing.assert_frame_equal(plan, plan_study(0.1, 0.15, trials=[1, 3, 5, 10], half_width=0.05))
