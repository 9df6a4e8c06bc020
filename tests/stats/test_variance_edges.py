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
    with pytest.raises(DataFormatError, match="2 columns 'value'"):
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


@pytest.mark.parametrize("column", ["status", "judge_pass", "judge", "system", "domain"])
def test_a_column_twice_is_refused(column):
    frame = layout().assign(status="ok", judge="j", system="a", metric="m")
    frame = pd.concat([frame, frame[[column]]], axis=1)
    for function in (variance_components, variance_table):
        with pytest.raises(DataFormatError, match=f"2 columns '{column}'"):
            function(frame)


def test_a_value_without_a_status_counts_and_an_unknown_status_is_refused():
    frame = layout().assign(metric="m", system="a")
    wanted = variance_components(frame)
    part = np.arange(len(frame)) % 3 == 0
    assert variance_components(frame.assign(status=np.where(part, None, "ok"))) == wanted
    for function in (variance_components, variance_table):
        with pytest.raises(DataFormatError, match="unknown status 'odd'"):
            function(frame.assign(status=np.where(part, "odd", "ok")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": "0.9"}, "confidence="),
        ({"n_resamples": 20.0}, "n_resamples="),
        ({"n_resamples": True}, "n_resamples="),
        ({"intervals": "bootstrap", "rng": -1}, "rng="),
        ({"groups": None}, "name of a column"),
        ({"groups": (["scenario"],)}, "name of a column"),
        ({"fixed": 3}, "name of a column"),
        ({"response": ["value"]}, "name of a column"),
    ],
)
def test_arguments_of_a_wrong_kind(options, message):
    with pytest.raises(ConfigError, match=message):
        variance_components(layout(), **options)


def test_too_few_resamples_are_told():
    found = variance_components(layout(), intervals="bootstrap", n_resamples=5)
    assert "an end is the outermost of 5 resamples" in found.reason


def test_the_table_keeps_groups_without_a_name():
    frame = scores()
    frame["system"] = frame["system"].where(frame["system"] == "one")
    table = variance_table(frame)
    assert table["system"].isna().sum() == 3
    pd.testing.assert_frame_equal(
        table.drop(columns="system"), variance_table(scores()).drop(columns="system")
    )


def test_arguments_of_the_table():
    frame = layout().assign(metric="m", system="a")
    wanted = variance_table(frame)
    pd.testing.assert_frame_equal(
        variance_table(frame, by=["metric", "system", "metric"], fixed="domain"), wanted
    )
    with pytest.raises(DataFormatError, match="DataFrame"):
        variance_table([1, 2])
    with pytest.raises(ConfigError, match="by names 'n'"):
        variance_table(frame.assign(n=1), by=["metric", "n"])
    for options in ({"by": None}, {"fixed": None}):
        with pytest.raises(ConfigError, match="name of a column"):
            variance_table(frame, **options)


def test_the_table_names_what_it_cannot_fit():
    frame = layout(passes=1).assign(metric="m", system="a")
    with pytest.raises(DataFormatError, match="m, a: two rows of scenario 0, trial 0, judge_pass 0"):
        variance_table(pd.concat([frame, frame]))
    with pytest.raises(ConfigError, match=r"m, a: a trial has several rows.*'judge_pass'"):
        variance_table(pd.concat([frame, frame]).drop(columns="judge_pass"))
    mixed = pd.concat([frame.assign(condition="clean"), frame.assign(condition="noisy")])
    with pytest.raises(ConfigError, match=r"m, a: .*conditions \(clean, noisy\).*'condition' in by"):
        variance_table(mixed)
    assert len(variance_table(mixed, by=("metric", "system", "condition"))) == 2


def test_a_bootstrap_interval_without_width_is_told():
    frame = layout(scenarios=4, sd=(0.0, 1.0, 1.0)).assign(value=np.tile([1.0, -1.0, 2.0, -2.0, 0.0, 0.0], 8))
    found = variance_components(frame, intervals="bootstrap", n_resamples=100)
    assert found.low["scenario"] == found.high["scenario"] == 0
    assert "no width for scenario" in found.reason


@pytest.mark.parametrize("column", ["scenario", "trial", "domain"])
def test_an_id_as_text_and_as_number_is_not_two(column):
    frame = layout().assign(domain=lambda d: d["scenario"] % 2).astype({column: object})
    frame.loc[frame.index % 2 == 0, column] = frame[column].map(str)
    with pytest.raises(DataFormatError, match=f"column '{column}' holds '.' as text and as a number"):
        variance_components(frame)


def test_the_confidence_is_told():
    assert variance_components(layout(), intervals="profile", confidence=0.8).confidence == 0.8
    assert variance_components(layout().iloc[:0], intervals="profile", confidence=0.8).confidence == 0.8


@pytest.mark.parametrize("column", ["scenario", "trial", "domain", "system"])
def test_labels_that_are_lists(column):
    frame = layout().assign(metric="m", system="a")
    frame[column] = [[1]] * len(frame)
    for function in (variance_components, variance_table):
        with pytest.raises(DataFormatError, match=f"column '{column}' holds an unhashable type"):
            function(frame)
