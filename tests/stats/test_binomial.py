"""Binomial intervals: against R, scipy, statsmodels and closed forms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, chi2, norm
from statsmodels.stats.proportion import proportion_confint

from evalib.core import ConfigError
from evalib.stats.binomial import binomial_interval

R = json.loads((Path(__file__).parents[1] / "fixtures" / "stats" / "intervals_r.json").read_text())
SIDES = {"two.sided": "two-sided", "greater": "lower", "less": "upper"}
METHODS = ("clopper-pearson", "wilson")


@pytest.mark.parametrize(("method", "theirs"), [("clopper-pearson", "exact"), ("wilson", "wilson")])
def test_against_r(method, theirs):
    for row in R["binomial"]:
        ours = binomial_interval(row["passed"], row["n"], row["conf"], method, SIDES[row["side"]])
        assert ours.estimate == row["passed"] / row["n"]
        np.testing.assert_allclose([ours.low, ours.high], row[theirs], atol=1e-12, rtol=1e-10)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_against_scipy_and_statsmodels(n, share, confidence):
    x = round(share * n)
    for method, name, other in (("clopper-pearson", "exact", "beta"), ("wilson", "wilson", "wilson")):
        ours = binomial_interval(x, n, confidence, method)
        theirs = binomtest(x, n).proportion_ci(confidence, method=name)
        np.testing.assert_allclose([ours.low, ours.high], [theirs.low, theirs.high], atol=1e-9)
        theirs = proportion_confint(x, n, alpha=1 - confidence, method=other)
        np.testing.assert_allclose([ours.low, ours.high], theirs, atol=1e-9)
        for side, alternative in (("lower", "greater"), ("upper", "less")):
            ours = binomial_interval(x, n, confidence, method, side)
            theirs = binomtest(x, n, alternative=alternative).proportion_ci(confidence, method=name)
            np.testing.assert_allclose([ours.low, ours.high], [theirs.low, theirs.high], atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 30, 213, 10_000])
def test_all_or_nothing_in_closed_form(n):
    nothing, everything = binomial_interval(0, n), binomial_interval(n, n)
    assert nothing.low == 0
    assert nothing.high == pytest.approx(1 - 0.025 ** (1 / n), rel=1e-9)
    assert everything.high == 1
    assert everything.low == pytest.approx(0.025 ** (1 / n), rel=1e-12)
    assert binomial_interval(n, n, alternative="lower").low == pytest.approx(0.05 ** (1 / n), rel=1e-12)
    upper = binomial_interval(0, n, alternative="upper")
    assert (upper.low, upper.high) == (0, pytest.approx(1 - 0.05 ** (1 / n), rel=1e-9))


def test_exact_limits_are_where_the_tails_have_their_size():
    found = binomial_interval(7, 30, confidence=0.9)
    assert binom.sf(6, 30, found.low) == pytest.approx(0.05)
    assert binom.cdf(7, 30, found.high) == pytest.approx(0.05)


def test_exact_covers_at_least_as_often_as_it_says_and_wilson_on_average():
    rates, n = np.linspace(0.005, 0.995, 199), 30
    covered = {}
    for method in METHODS:
        ends = [binomial_interval(x, n, method=method) for x in range(n + 1)]
        holds = np.array([(e.low <= rates) & (rates <= e.high) for e in ends])
        covered[method] = (binom.pmf(np.arange(n + 1)[:, None], n, rates) * holds).sum(axis=0)
    assert covered["clopper-pearson"].min() >= 0.95
    assert covered["wilson"].mean() == pytest.approx(0.95, abs=0.005)
    assert covered["wilson"].min() < 0.94


@pytest.mark.parametrize("method", METHODS)
def test_passing_and_failing_mirror_each_other(method):
    one, other = binomial_interval(4, 50, method=method), binomial_interval(46, 50, method=method)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-15)


def test_of_nothing_there_is_a_reason():
    found = binomial_interval(0, 0)
    assert np.isnan([found.estimate, found.low, found.high]).all()
    assert found.reason == "no units: n is 0"


def test_counts_of_other_types():
    assert binomial_interval(np.int64(3), 10.0) == binomial_interval(3, 10)
    assert isinstance(binomial_interval(3, 10, method="wilson").low, float)
    assert binomial_interval(3, 10).to_frame()["passed"].tolist() == [3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 4), "passed=5 is more than n=4"),
        ((-1, 4), "passed=-1"),
        ((1.5, 4), "passed=1.5"),
        ((1, np.nan), "n=nan"),
        ((1, np.inf), "n=inf"),
        (("1", 2), "passed='1'"),
        ((1, 2, 1.0), "confidence=1.0"),
        ((1, 2, "0.95"), "confidence='0.95'"),
        ((1, 2, 0.95, "wald"), "method='wald'"),
        ((1, 2, 0.95, "wilson", "greater"), "alternative='greater'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ConfigError, match=message):
        binomial_interval(*arguments)


@pytest.mark.parametrize("method", METHODS)
def test_limits_of_rare_events_keep_their_digits(method):
    """As n grows the exact limits become Poisson's, and Wilson's a root of (x - m)^2 = z^2 m."""
    n = 10**18
    found = binomial_interval(1, n, method=method)
    z = norm.ppf(0.975)
    limits = {
        "clopper-pearson": (chi2.ppf(0.025, 2) / 2, chi2.ppf(0.975, 4) / 2),
        "wilson": tuple(np.sort(np.roots([1, -2 - z * z, 1]))),
    }
    assert (n * found.low, n * found.high) == pytest.approx(limits[method], rel=1e-9)
