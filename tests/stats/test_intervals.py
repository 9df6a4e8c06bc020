"""Bootstrap intervals against scipy, full enumeration and closed forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalib.core import ConfigError
from evalib.stats import bootstrap_ci
from evalib.stats.intervals import stratified_interval


def test_against_scipy():
    values = np.random.default_rng(3).beta(2, 3, size=60)
    ours = bootstrap_ci(values, n_resamples=40_000, rng=1)
    theirs = scipy_stats.bootstrap((values,), np.mean, n_resamples=40_000, method="percentile", rng=2)
    assert ours.estimate == pytest.approx(values.mean())
    # The standard error of a 2.5% quantile from 40,000 draws is about 0.01 of the interval's width.
    width = ours.high - ours.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.02 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.02 * width)


def test_against_all_resamples_there_are():
    values = [0.0, 0.1, 0.4, 0.7, 1.0]
    means = [np.mean(r) for r in itertools.product(values, repeat=5)]
    ours = bootstrap_ci(values, n_resamples=200_000, confidence=0.9, rng=0)
    assert ours.low == pytest.approx(np.quantile(means, 0.05), abs=0.011)  # the lattice is 0.02
    assert ours.high == pytest.approx(np.quantile(means, 0.95), abs=0.011)


def test_against_the_binomial():
    """The resampled mean of 0s and 1s is a binomial share, so its quantiles are known."""
    values = [1.0] * 30 + [0.0] * 70
    ours = bootstrap_ci(values, n_resamples=100_000, rng=5)
    low, high = scipy_stats.binom.ppf([0.025, 0.975], 100, 0.3) / 100
    assert ours.low == pytest.approx(low, abs=0.0101)
    assert ours.high == pytest.approx(high, abs=0.0101)


def test_strata_against_all_resamples_there_are():
    one, two = np.array([[0.0], [0.2], [1.0]]), np.array([[0.5], [0.9]])
    pooled = [
        (np.mean(a) + np.mean(b)) / 2
        for a in itertools.product(one[:, 0], repeat=3)
        for b in itertools.product(two[:, 0], repeat=2)
    ]
    estimate, low, high, _ = stratified_interval([one, two], 200_000, 0.8, rng=0)
    assert estimate[0] == pytest.approx((0.4 + 0.7) / 2)
    assert estimate[0] == pytest.approx(np.mean(pooled))
    assert low[0] == pytest.approx(np.quantile(pooled, 0.1), abs=1e-9)
    assert high[0] == pytest.approx(np.quantile(pooled, 0.9), abs=1e-9)


def test_coverage_of_the_true_mean():
    """A 90% interval of the mean of 60 values holds it about 90 times in 100."""
    rng = np.random.default_rng(11)
    samples = rng.exponential(1.0, size=(400, 60))
    hits = sum(
        r.low <= 1.0 <= r.high for r in (bootstrap_ci(s, n_resamples=500, confidence=0.9) for s in samples)
    )
    assert 0.83 < hits / 400 < 0.93  # percentile intervals of skewed data cover a little less


def test_groups_are_the_unit():
    values, groups = [0, 0, 1, 1, 1, 0.5], ["a", "a", "b", "b", "b", "c"]
    grouped = bootstrap_ci(values, groups, rng=0)
    assert grouped.n == 3
    assert grouped.estimate == pytest.approx(0.5)  # of group means 0, 1, .5
    by_hand = bootstrap_ci([0.0, 1.0, 0.5], rng=0)
    assert (grouped.low, grouped.high) == (by_hand.low, by_hand.high)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3, 1.0])
@pytest.mark.parametrize("n", [2, 7, 50])
def test_constant_has_no_width(constant, n):
    result = bootstrap_ci([constant] * n)
    assert result.estimate == pytest.approx(constant)
    assert result.low == result.high == result.estimate


def test_missing_is_counted_never_zero():
    result = bootstrap_ci([1.0, np.nan, 1.0])
    assert (result.estimate, result.n, result.n_missing) == (1.0, 2, 1)
    nothing = bootstrap_ci([np.nan, np.nan])
    assert np.isnan([nothing.estimate, nothing.low, nothing.high]).all()
    assert (nothing.n, nothing.reason) == (0, "no values")
    assert np.isnan(bootstrap_ci([]).estimate)


def test_single_unit_has_no_interval():
    result = bootstrap_ci([0.7])
    assert result.estimate == 0.7
    assert np.isnan([result.low, result.high]).all()
    assert "single" in result.reason


def test_seeds():
    values = np.random.default_rng(0).random(20)
    assert bootstrap_ci(values) == bootstrap_ci(values)
    assert bootstrap_ci(values, rng=7) == bootstrap_ci(values, rng=np.random.default_rng(7))
    assert bootstrap_ci(values, rng=7) != bootstrap_ci(values, rng=8)


def test_chunks_do_not_change_the_result(monkeypatch):
    values = np.random.default_rng(0).random(30)
    whole = bootstrap_ci(values, n_resamples=1000, rng=3)
    monkeypatch.setattr("evalib.stats.intervals._CHUNK_CELLS", 900)
    assert bootstrap_ci(values, n_resamples=1000, rng=3) == whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [[1.0]]}, "one-dimensional"),
        ({"values": [1.0, 2.0], "groups": ["a"]}, "one group per value"),
        ({"values": [1.0, np.inf]}, "infinity"),
        ({"values": [1.0, 2.0], "confidence": 95}, "confidence=95"),
        ({"values": [1.0, 2.0], "n_resamples": 0}, "n_resamples=0"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ConfigError, match=message):
        bootstrap_ci(**arguments)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_interval_lies_within_the_data(values):
    result = bootstrap_ci(values, n_resamples=200)
    assert min(values) - 1e-12 <= result.low <= result.high <= max(values) + 1e-12
