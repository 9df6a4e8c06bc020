"""What icc_oneway and anova_twoway make of a score table: mixtures, statuses, passes and domains."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError
from evalib.stats.anova import anova_twoway
from evalib.stats.icc import icc_oneway
from evalib.stats.variance import variance_components


def scores(passes=1, domains=("x",), seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        [
            (d, s, m, t, p)
            for d in domains
            for s in range(8)
            for m in "ab"
            for t in range(3)
            for p in range(passes)
        ],
        columns=["domain", "scenario", "system", "trial", "judge_pass"],
    )
    trial = frame.groupby(["domain", "scenario", "system", "trial"]).ngroup()
    noise = rng.normal(size=trial.max() + 1)[trial] + 0.1 * rng.normal(size=len(frame))
    return frame.assign(value=noise, metric="m", condition="clean", judge="j", status="ok")


def icc(frame, **more):
    return icc_oneway(frame, "value", "scenario", **more)


def anova(frame, **more):
    return anova_twoway(frame, "value", "scenario", "system", **more)


@pytest.mark.parametrize("analysis", [icc, anova])
@pytest.mark.parametrize("column", ["metric", "condition", "judge"])
def test_mixtures_are_refused_by_name(analysis, column):
    frame = pd.concat([scores(), scores(seed=1).assign(**{column: "other"})])
    with pytest.raises(ConfigError, match=rf"mix {column}s \(.*other"):
        analysis(frame)


@pytest.mark.parametrize("analysis", [icc, anova])
def test_a_row_without_a_judge_mixes_nothing(analysis):
    frame = scores()
    frame.loc[0, "judge"] = None
    assert analysis(frame).n == len(frame)


def test_what_is_mixed_may_be_what_is_compared():
    frame = pd.concat([scores(), scores(seed=1).assign(judge="k")])
    assert icc_oneway(frame, "value", "judge").n_groups == 2
    assert icc_oneway(frame, "value", "scenario", center_by="judge").n == 96
    assert anova_twoway(frame, "value", "scenario", "judge").n == 96


@pytest.mark.parametrize("analysis", [icc, anova])
def test_values_beside_a_status_that_is_not_ok_are_missing(analysis):
    frame = scores()
    frame.loc[[0, 7], "status"] = "judge_error"
    found = analysis(frame)
    assert found.n_missing == 2
    assert found == analysis(frame.assign(value=frame["value"].mask(frame["status"] != "ok")))
    assert found.n == len(frame) - 2
    with pytest.raises(DataFormatError, match="unknown status 'fine'"):
        analysis(frame.assign(status="fine"))


@pytest.mark.parametrize("analysis", [icc, anova])
def test_passes_of_a_trial_are_averaged(analysis):
    frame = scores(passes=4)
    trials = frame.groupby(["domain", "scenario", "system", "trial"], as_index=False)["value"].mean()
    found, by_hand = analysis(frame.sample(frac=1, random_state=1)), analysis(trials)
    assert found.n == by_hand.n == 48
    assert "192 passes of the judge averaged over 48 trials" in found.reason
    name = "pvalue" if analysis is icc else "p_interaction"
    assert getattr(found, name) == pytest.approx(getattr(by_hand, name), rel=1e-10)
    # Were passes taken for independent values, trials would look like differences of groups.
    apart = analysis(frame.drop(columns="judge_pass"))
    assert getattr(apart, name) < 0.01 < getattr(found, name)


def test_passes_are_the_values_where_groups_are_trials():
    frame = scores(passes=4)
    found = icc_oneway(frame, "value", ["system", "scenario", "trial"])
    assert (found.n, found.n_groups) == (192, 48)
    assert found.icc > 0.9


def test_two_rows_of_a_pass_name_what_tells_them_apart():
    frame = pd.concat([scores(passes=2).assign(model=m) for m in "uv"])
    with pytest.raises(DataFormatError, match=r"two rows of .*judge_pass 0: they differ in model"):
        icc(frame)
    assert icc(frame, center_by="model").n == 96


def test_ids_of_several_domains_are_different_scenarios():
    frame = scores(domains="xy")
    own = frame.assign(scenario=frame["domain"] + frame["scenario"].astype(str))
    for analysis in (icc, anova):
        found, apart = analysis(frame), analysis(own)
        assert "8 scenario ids occur in several domains" in found.reason
        assert not apart.reason.startswith("8")
        assert found.as_dict() | {"reason": ""} == pytest.approx(apart.as_dict() | {"reason": ""})
    assert icc(frame).n_groups == 16
    as_reml = variance_components(
        frame[frame["system"] == "a"], "value", groups=("scenario",), fixed=("domain",)
    )
    assert icc(frame[frame["system"] == "a"]).n_groups == 16
    assert "8 scenario ids occur at several levels of domain" in as_reml.reason
    # Systems are the same in every domain.
    assert icc_oneway(frame, "value", "system").n_groups == 2


def test_factors_of_several_columns():
    frame = scores(domains="xy")
    named = anova_twoway(frame, "value", ["domain", "scenario"], ["system"])
    assert list(named.components) == ["domain:scenario", "system", "interaction", "residual"]
    assert list(named.components.values()) == pytest.approx(list(anova(frame).components.values()))
    with pytest.raises(ConfigError, match="two columns"):
        anova_twoway(frame, "value", ["domain", "scenario"], ["scenario"])
    with pytest.raises(ConfigError, match="two columns"):
        anova_twoway(frame, "value", [], "system")


def test_what_is_crossed_with_scenarios_is_the_same_in_every_domain():
    frame = scores(domains="xy").rename(columns={"system": "model"})
    found = anova_twoway(frame, "value", "scenario", "model")
    assert (found.df["scenario"], found.df["model"]) == (15, 1)
    assert "model" not in found.reason
    assert "8 scenario ids" in found.reason
    called = frame.rename(columns={"scenario": "task"})
    assert icc_oneway(called, "value", "task").n_groups == 16
