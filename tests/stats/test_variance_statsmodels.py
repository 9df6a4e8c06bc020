"""statsmodels MixedLM, three levels: a cross-check off the boundary, and no witness on it."""

import warnings

import numpy as np
import pandas as pd
import pytest

from evalib.stats import variance_components


def scores(seed, trial_variance):
    rng = np.random.default_rng(seed)
    value = (
        rng.normal(0.5, 0.2, (30, 1, 1))
        + rng.normal(0, trial_variance**0.5, (30, 4, 1))
        + rng.normal(0, 0.2, (30, 4, 3))
    )
    scenario, trial, judge_pass = np.indices(value.shape).reshape(3, -1)
    return pd.DataFrame(
        {"scenario": scenario, "trial": trial, "judge_pass": judge_pass, "value": value.ravel()}
    )


def mixed_lm(data):
    smf = pytest.importorskip("statsmodels.formula.api")
    data = data.assign(cell=data["scenario"].astype(str) + ":" + data["trial"].astype(str))
    model = smf.mixedlm(
        "value ~ 1", data, groups="scenario", re_formula="1", vc_formula={"trial": "0 + C(cell)"}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(reml=True)


@pytest.mark.parametrize("seed", [0, 1])
def test_they_agree_away_from_the_boundary(seed):
    data = scores(seed, 0.03)
    theirs, ours = mixed_lm(data), variance_components(data, fixed=())
    assert ours.boundary == ()
    assert ours.criterion == pytest.approx(-2 * theirs.llf, abs=1e-4)
    expected = [theirs.cov_re.iloc[0, 0], theirs.vcomp[0], theirs.scale]
    assert list(ours.components.values()) == pytest.approx(expected, rel=2e-3)


def test_at_the_boundary_theirs_converges_above_the_minimum():
    """Its optimiser says that it converged. Should a later one do better, this test may go."""
    above = 0
    for seed in range(6):
        data = scores(seed, 0.0)
        theirs, ours = mixed_lm(data), variance_components(data, fixed=())
        assert ours.criterion <= -2 * theirs.llf + 1e-9
        if ours.boundary == ("trial",):
            above += bool(
                theirs.converged and theirs.vcomp[0] > 0 and -2 * theirs.llf > ours.criterion + 1e-5
            )
    assert above >= 2
