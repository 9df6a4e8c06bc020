"""Variance components against answers that evalib did not make: closed forms, lme4, statsmodels."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalib.stats.variance import variance_components

FIXTURES = Path(__file__).parents[1] / "fixtures" / "stats"
EXACT = json.loads((FIXTURES / "exact_reference.json").read_text())
LME4 = json.loads((FIXTURES / "lme4_reference.json").read_text())
OWN = json.loads((FIXTURES / "variance_r.json").read_text())["data"]
LME4_NAMES = {"scenario": "scenario", "trial": "scenario:trial", "residual": "Residual"}


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def fitted(name, **options):
    groups = ("scenario", "trial") if "trial" in EXACT[name]["var"] else ("scenario",)
    return variance_components(pd.read_csv(FIXTURES / f"{name}.csv"), "score", groups, **options)


@pytest.mark.parametrize("name", EXACT)
def test_the_exact_answers(name):
    truth, found = EXACT[name], fitted(name)
    assert found.components == pytest.approx(truth["var"], rel=1e-9, abs=0)
    assert found.percent == pytest.approx(truth["pct"], rel=1e-9)
    assert found.criterion == pytest.approx(truth["reml_crit"], abs=1e-8)
    assert list(found.fixed.values()) == pytest.approx(truth["beta"], abs=1e-10)
    assert list(found.fixed_se.values()) == pytest.approx(truth["se"], rel=1e-8)
    assert found.boundary == tuple(k for k, v in truth["var"].items() if v == 0)
    assert found.n == truth["n"]
    assert found.converged
    assert found.method == ("unbalanced Newton" if name.startswith("unbal") else "balanced closed form")


@pytest.mark.parametrize("name", EXACT)
def test_lme4(name):
    truth, found = LME4[name], fitted(name)
    rel = 2e-5 if name == "hard_judge_tiny" else 1e-6
    for component, value in found.components.items():
        assert truth["var"][LME4_NAMES[component]] == pytest.approx(value, rel=rel, abs=1e-9)
    assert found.criterion == pytest.approx(truth["reml_crit"], abs=1e-6)
    assert list(found.fixed) == ["Intercept", "domain[HR]", "domain[ITSM]"]
    assert list(found.fixed.values()) == pytest.approx(list(truth["beta"].values()), abs=1e-7)


# The same data as variance_r.R makes.
def stream(seed, n):
    state, out = seed, []
    for _ in range(n + 10):
        state = state * 16807 % 2147483647
        out.append(state / 2147483647)
    return np.array(out[10:])


def made(d):
    per_domain = np.atleast_1d(d["scenarios"])
    domain = np.repeat(np.arange(1, len(per_domain) + 1), per_domain)
    n_s, j, k = len(domain), d["trials"], d["passes"]
    scenario, trial, _ = (a.ravel() for a in np.mgrid[0:n_s, 0:j, 0:k])
    u = stream(d["seed"], 2 * (n_s + n_s * j + n_s * j * k))

    def pair(start, n):
        return u[start : start + n] + u[start + n : start + 2 * n] - 1

    a, b, e = pair(0, n_s), pair(2 * n_s, n_s * j), pair(2 * (n_s + n_s * j), n_s * j * k)
    effects = d["sd"][0] * a[scenario] + d["sd"][1] * b[scenario * j + trial] + d["sd"][2] * e
    frame = pd.DataFrame(
        {
            "domain": [f"D{i}" for i in domain[scenario]],
            "tier": [f"T{i}" for i in (scenario + 1) % 3],
            "scenario": scenario,
            "trial": trial,
            "value": d["shift"] + d["scale"] * (0.3 * domain[scenario] + effects),
        }
    )
    missing = stream(d["seed"] + 1, len(frame)) < d["drop"]
    return frame.assign(value=frame["value"].mask(missing))


@pytest.mark.parametrize("name", OWN)
def test_lme4_on_other_designs(name):
    truth = OWN[name]
    d = truth["design"]
    frame = made(d)
    z = (frame["value"] - d["shift"]) / d["scale"]
    assert z.sum() == pytest.approx(truth["sum_z"], rel=1e-9)  # the two languages made the same data
    fixed = ("domain", "tier") if d.get("two") else ("domain",)
    groups = ("scenario",) if d.get("flat") else ("scenario", "trial")
    found = variance_components(frame, groups=groups, fixed=fixed)
    assert (found.n, found.n_missing) == (truth["n"], len(frame) - truth["n"])
    rel = 2e-5 if name == "quiet_judge" else 1e-6
    for component, value in found.components.items():
        expected = truth["var"][LME4_NAMES[component]]
        assert value / d["scale"] ** 2 == pytest.approx(expected, rel=rel, abs=1e-12)
    df = found.n - len(truth["beta"] if isinstance(truth["beta"], list) else [0])
    criterion = found.criterion - 2 * df * np.log(d["scale"])
    assert criterion == pytest.approx(truth["reml_crit"], abs=1e-8 * max(1, abs(truth["reml_crit"])))
    beta = np.array(list(found.fixed.values())) / d["scale"]
    beta[0] -= d["shift"] / d["scale"]
    assert beta == pytest.approx(np.atleast_1d(truth["beta"]), abs=1e-7)
    assert np.array(list(found.fixed_se.values())) / d["scale"] == pytest.approx(
        np.atleast_1d(truth["se"]), rel=1e-6
    )


def test_statsmodels_where_it_is_right():
    sm = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    frame = pd.read_csv(FIXTURES / "unbal_taskcomp_gptrt15.csv")
    x = pd.get_dummies(frame["domain"], drop_first=True).astype(float)
    x.insert(0, "Intercept", 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = sm.MixedLM(frame["score"], x, groups=frame["scenario"]).fit(reml=True)
    found = fitted("unbal_taskcomp_gptrt15")
    assert found.components["scenario"] == pytest.approx(float(other.cov_re.iloc[0, 0]), rel=1e-4)
    assert found.components["residual"] == pytest.approx(other.scale, rel=1e-4)
    assert list(found.fixed.values()) == pytest.approx(list(other.fe_params), abs=1e-5)
    # Its likelihood is lme4's.
    assert found.criterion == pytest.approx(-2 * other.llf, abs=1e-4)
