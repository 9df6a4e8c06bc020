"""Variance components where there is little to go by, and where the input is wrong."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError, Score, score_frame
from evalib.stats.variance import variance_components, variance_table


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


def test_no_values():
    for frame in (layout().iloc[:0], layout().assign(value=np.nan)):
        found = variance_components(frame)
        assert found.reason == "no values"
        assert all(math.isnan(v) for v in found.components.values())
        assert not any(found.identifiable.values())
        assert (found.n, found.n_missing) == (0, len(frame))


def test_constant_scores():
    found = variance_components(layout().assign(value=0.1))
    assert found.components == {"scenario": 0, "trial": 0, "residual": 0}
    assert found.boundary == ("scenario", "trial", "residual")
    assert "do not vary" in found.reason
    assert found.fixed == {"Intercept": 0.1, "domain[b]": 0.0}
    assert all(math.isnan(v) for v in found.percent.values())


def test_scores_that_the_fixed_effects_explain():
    frame = layout()
    found = variance_components(frame.assign(value=np.where(frame["domain"] == "a", 0.1, 0.7)))
    assert found.total == 0
    assert found.fixed == pytest.approx({"Intercept": 0.1, "domain[b]": 0.6})
    assert "do not vary" in found.reason


def test_identical_passes_leave_the_trial_means():
    """The limit is the two-level model of the trial means: its mean squares by hand."""
    frame = layout(sd=(1, 1, 0)).assign(domain="a")
    found = variance_components(frame)
    means = frame.groupby(["scenario", "trial"])["value"].mean().unstack()
    ms_trial = means.var(axis=1, ddof=1).mean()
    ms_scenario = 4 * means.mean(axis=1).var(ddof=1)
    assert found.components["residual"] == 0
    assert found.components["trial"] == pytest.approx(ms_trial)
    assert found.components["scenario"] == pytest.approx(max(0, (ms_scenario - ms_trial) / 4))
    assert found.criterion == -math.inf
    assert "identical" in found.reason
    assert "residual" in found.boundary
    # The limit is where data with a little noise go, also when they are ragged.
    ragged = frame.drop(index=[0, 1, 5, 17, 30])
    noise = 1e-6 * np.random.default_rng(1).normal(size=len(ragged))
    near = variance_components(ragged.assign(value=ragged["value"] + noise))
    limit = variance_components(ragged)
    for name in ("scenario", "trial"):
        assert limit.components[name] == pytest.approx(near.components[name], rel=1e-5)
    assert list(limit.fixed_se.values()) == pytest.approx(list(near.fixed_se.values()), rel=1e-5)


def test_identical_trials_leave_the_scenarios():
    frame = layout(sd=(1, 0, 0)).assign(domain="a")
    found = variance_components(frame)
    scenarios = frame.groupby("scenario")["value"].first()
    assert found.components == pytest.approx({"scenario": scenarios.var(ddof=1), "trial": 0, "residual": 0})
    assert found.fixed_se["Intercept"] == pytest.approx(scenarios.sem())
    two = variance_components(frame[frame["judge_pass"] == 0], groups=("scenario",))
    assert two.components == pytest.approx({"scenario": scenarios.var(ddof=1), "residual": 0})


def test_one_trial_per_scenario():
    frame = layout(trials=1)
    found = variance_components(frame)
    without = variance_components(frame.drop(columns=["trial"]), groups=("scenario",))
    assert math.isnan(found.components["trial"])
    assert found.identifiable == {"scenario": True, "trial": False, "residual": True}
    assert found.components["scenario"] == without.components["scenario"]
    assert "one trial per scenario, so scenario holds its variance" in found.reason
    assert found.total == pytest.approx(without.total)


def test_one_pass_per_trial():
    frame = layout(passes=1)
    found = variance_components(frame)
    two = variance_components(frame, groups=("scenario",))
    assert not found.identifiable["trial"]
    assert found.components["residual"] == pytest.approx(two.components["residual"], rel=1e-12)
    assert found.criterion == pytest.approx(two.criterion)
    assert "one value per trial, so the residual holds its variance" in found.reason


def test_one_value_per_scenario():
    frame = layout(trials=1, passes=1)
    found = variance_components(frame)
    assert found.identifiable == {"scenario": False, "trial": False, "residual": True}
    left = frame["value"] - frame.groupby("domain")["value"].transform("mean")
    assert found.components["residual"] == pytest.approx((left**2).sum() / 4)
    assert "scenario not identifiable: one value per scenario" in found.reason


def test_one_scenario_per_level():
    frame = layout(scenarios=2)
    found = variance_components(frame)
    assert found.identifiable == {"scenario": False, "trial": True, "residual": True}
    assert math.isnan(found.total)
    assert all(math.isnan(v) for v in found.fixed_se.values())
    assert "2 scenarios for 2 fixed effects" in found.reason
    trials = frame.groupby(["scenario", "trial"])["value"].mean().unstack()
    within = frame.groupby(["scenario", "trial"])["value"].var().mean()
    assert found.components["residual"] == pytest.approx(within)
    assert found.components["trial"] == pytest.approx(trials.var(axis=1).mean() - within / 3)
    # Also unbalanced, where the search runs over one ratio.
    part = variance_components(frame.iloc[1:])
    assert part.identifiable == found.identifiable
    assert part.converged


def test_no_more_values_than_fixed_effects():
    found = variance_components(layout(scenarios=2, trials=1, passes=1))
    assert "2 values for 2 fixed effects" in found.reason
    assert all(math.isnan(v) for v in found.components.values())


def test_some_trials_with_one_pass_are_fine():
    frame = layout()
    found = variance_components(frame[(frame["judge_pass"] == 0) | (frame["trial"] == 0)])
    assert all(found.identifiable.values())
    assert found.reason == "" or "boundary" in found.reason


def test_missing_values_are_counted():
    frame = layout()
    frame.loc[[3, 8], "value"] = np.nan
    status = np.where(np.arange(len(frame)) == 20, "judge_error", "ok")
    found = variance_components(frame.assign(status=status))
    assert (found.n, found.n_missing) == (69, 3)
    assert found.components == variance_components(frame.drop(index=[3, 8, 20])).components


def test_an_id_in_two_domains_is_two_scenarios():
    frame = layout()
    same = frame.assign(scenario=frame["scenario"] // 2)
    a, b = variance_components(frame), variance_components(same)
    assert b.components == a.components
    assert b.n_groups == {"scenario": 6, "trial": 24}
    assert "3 scenario ids occur at several levels of domain" in b.reason


def test_a_determined_factor_is_left_out():
    frame = layout()
    a, b = (
        variance_components(frame),
        variance_components(frame.assign(copy=frame["domain"]), fixed=("domain", "copy")),
    )
    assert b.components == pytest.approx(a.components)
    assert math.isnan(b.fixed["copy[b]"])
    assert "copy[b] follow from the others" in b.reason


@pytest.mark.parametrize("kind", ["category", "string", "object"])
def test_dtypes(kind):
    frame = layout()
    a = variance_components(frame)
    frame["domain"] = frame["domain"].astype(kind)
    frame["scenario"] = frame["scenario"].map("s{:02d}".format).astype(kind)
    frame["value"] = frame["value"].astype("Float64")
    frame.index = frame.index[::-1] * 3
    assert variance_components(frame) == a
    assert variance_components({c: frame[c].tolist() for c in frame}) == a


def test_nullable_and_boolean_responses():
    frame = layout()
    frame["value"] = frame["value"] > 0
    a = variance_components(frame)
    nullable = frame.astype({"value": "boolean"})
    nullable.loc[4, "value"] = pd.NA
    assert variance_components(nullable).n_missing == 1
    assert variance_components(frame.astype({"value": float})) == a


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        ({}, {"response": "score"}, DataFormatError, "no column 'score'"),
        ({}, {"fixed": ("tier",)}, DataFormatError, r"fixed=\(\)"),
        ({}, {"groups": ()}, ConfigError, "one or two columns"),
        ({}, {"groups": ("scenario", "trial", "judge_pass")}, ConfigError, "one or two columns"),
        ({}, {"groups": ("scenario", "scenario")}, ConfigError, "names a column twice"),
        ({}, {"groups": ("scenario", "domain")}, ConfigError, "two roles"),
        ({}, {"groups": ("scenario",)}, ConfigError, "a trial has several rows"),
        ({}, {"intervals": "wald"}, ConfigError, "intervals='wald'"),
        ({}, {"confidence": 95}, ConfigError, "confidence=95"),
        ({}, {"n_resamples": 0}, ConfigError, "n_resamples=0"),
        ({"value": "high"}, {}, DataFormatError, "not numeric"),
        ({"value": math.inf}, {}, DataFormatError, "infinity"),
        ({"value": 1e200}, {}, DataFormatError, "rescale"),
        ({"domain": None}, {}, DataFormatError, "missing value"),
        ({"judge_pass": 0}, {}, DataFormatError, "two rows of scenario 0, trial 0, judge_pass 0"),
    ],
)
def test_wrong_input(change, options, error, message):
    with pytest.raises(error, match=message) as caught:
        variance_components(layout().assign(**change), **options)
    assert "\n" not in str(caught.value)


def test_what_is_no_frame_of_numbers():
    with pytest.raises(DataFormatError, match="not a frame"):
        variance_components(3)
    with pytest.raises(DataFormatError, match="two columns 'value'"):
        variance_components(pd.concat([layout(), layout()[["value"]]], axis=1))
    with pytest.raises(DataFormatError, match="not numeric"):
        variance_components(layout().assign(value=pd.Timestamp("2026-01-01")))


@pytest.mark.parametrize("column", ["metric", "system", "condition", "judge"])
def test_mixtures_are_refused(column):
    frame = layout()
    frame[column] = np.where(np.arange(len(frame)) % 2, "two", "one")
    with pytest.raises(ConfigError, match=rf"mixes {column}s \(one, two\)"):
        variance_components(frame)


def scores():
    rng = np.random.default_rng(2)
    rows = []
    for system in ("one", "two"):
        for s in range(6):
            for t in range(4):
                key = (system, "cascade", "ab"[s % 2], f"s{s}", t, "clean")
                rows.append(Score(*key, "completion", float(rng.integers(2))))
                for p in range(3):
                    rows.append(Score(*key, "faith", float(rng.normal() + s), judge="j", judge_pass=p))
                rows.append(Score(*key, "never", None, "not_run", "no judge"))
    return score_frame(rows)


def test_the_table():
    table = variance_table(scores())
    assert table[["metric", "system"]].values.tolist() == [
        [m, s] for m in ("completion", "faith", "never") for s in ("one", "two")
    ]
    table = table.set_index(["metric", "system"])
    faith = scores().query("metric == 'faith' and system == 'one'")
    alone = variance_components(faith)
    row = table.loc[("faith", "one")]
    assert row["judge_percent"] == alone.percent["residual"]
    assert row[["scenario_percent", "trial_percent", "judge_percent"]].sum() == pytest.approx(100)
    row = table.loc[("completion", "two")]
    assert math.isnan(row["judge_percent"])
    assert "judge not modelled" in row["reason"]
    assert row[["scenario_percent", "trial_percent"]].sum() == pytest.approx(100)
    row = table.loc[("never", "one")]
    assert (row["n"], row["n_missing"]) == (0, 24)
    assert "no values" in row["reason"]


def test_the_table_goes_by_the_passes_that_have_a_value():
    table = scores()
    table.loc[table["judge_pass"] > 0, ["value", "status"]] = [np.nan, "judge_error"]
    row = variance_table(table).set_index(["metric", "system"]).loc[("faith", "one")]
    assert math.isnan(row["judge_percent"])
    assert row[["scenario_percent", "trial_percent"]].sum() == pytest.approx(100)
    assert (row["n"], row["n_missing"]) == (24, 48)


def test_the_table_refuses_what_it_cannot_keep_apart():
    with pytest.raises(ConfigError, match="mixes systems"):
        variance_table(scores(), by=("metric",))
    with pytest.raises(DataFormatError, match="no column 'arm'"):
        variance_table(scores(), by=("arm",))
    assert list(variance_table(scores().iloc[:0]).columns)[:2] == ["metric", "system"]
