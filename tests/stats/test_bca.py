"""BCa: against R and scipy on the same resamples, closed forms, and where it is undefined."""

from __future__ import annotations

import itertools
import json
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalib.stats.bca import acceleration, bca_levels
from evalib.stats.cluster_units import strata_of
from evalib.stats.intervals import bootstrap_ci, resampled_sums

R = json.loads((Path(__file__).parents[1] / "fixtures" / "stats" / "intervals_r.json").read_text())
RNG = np.random.default_rng(4)
SAMPLES = {
    "skewed": RNG.exponential(size=40).round(3),
    "shares": RNG.integers(0, 6, 30) / 5,
    "rare": (np.arange(50) < 3).astype(float),  # on a lattice: a fifth of the resamples equals the estimate
}


def scipy_on(draws, samples, statistic, **options):
    """scipy's BCa interval of given resamples."""
    found = scipy_stats.bootstrap(
        samples,
        statistic,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=draws),
        method="BCa",
        **options,
    )
    return tuple(found.confidence_interval)


@pytest.mark.parametrize("case", R["bca"])
def test_against_r_on_its_resamples(case):
    theirs = R["bca"][case]
    values, t = np.array(theirs["x"]), np.array(theirs["t"])
    parts, _ = strata_of(values, None, theirs["strata"], "groups")
    a = acceleration(parts)
    assert a == pytest.approx(theirs["acceleration"], rel=1e-9)
    levels, reason = bca_levels(t, theirs["t0"], a, theirs["conf"])
    assert reason == ""
    np.testing.assert_allclose(levels, theirs["levels"], atol=6e-6)  # R rounds ranks of 999 to 0.01
    t.sort()
    for level, end in zip(levels, theirs["ends"], strict=True):
        rank = int(level * (len(t) + 1))  # R interpolates between these on a normal scale
        assert t[rank - 1] <= end <= t[rank]
        assert t[rank - 2] <= np.quantile(t, level) <= t[rank + 1]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_against_scipy_on_the_same_resamples(name, confidence):
    values = SAMPLES[name]
    ours = bootstrap_ci(values, n_resamples=5000, confidence=confidence, rng=9, method="bca")
    draws = resampled_sums(values[:, None], 5000, np.random.default_rng(9))[0] / len(values)
    theirs = scipy_on(draws, (values,), np.mean, confidence_level=confidence)
    assert (ours.low, ours.high) == pytest.approx(theirs, rel=1e-9)
    assert (ours.method, ours.reason) == ("bca", "")


def test_strata_of_unlike_sizes_against_scipy():
    one, two = RNG.exponential(size=12), 5 * RNG.exponential(size=31)
    labels = np.repeat(["a", "b"], [12, 31])
    ours = bootstrap_ci(np.r_[one, two], n_resamples=5000, rng=2, method="bca", strata=labels)
    rng = np.random.default_rng(2)
    draws = np.mean([resampled_sums(x[:, None], 5000, rng)[0] / len(x) for x in (one, two)], axis=0)

    def pooled(x, y, axis=-1):
        return (np.mean(x, axis=axis) + np.mean(y, axis=axis)) / 2

    assert (ours.low, ours.high) == pytest.approx(scipy_on(draws, (one, two), pooled), rel=1e-9)


def test_a_ratio_of_cluster_sums_against_scipy():
    sizes = RNG.integers(1, 9, 25)
    groups = np.repeat(np.arange(25), sizes)
    values = RNG.exponential(size=len(groups)) * (1 + groups / 10)
    totals = np.bincount(groups, weights=values)
    ours = bootstrap_ci(values, groups, n_resamples=5000, rng=3, method="bca", weights="values")
    sums = resampled_sums(np.column_stack([totals, sizes]), 5000, np.random.default_rng(3))

    def ratio(x, y, axis=-1):
        return np.sum(x, axis=axis) / np.sum(y, axis=axis)

    theirs = scipy_on(sums[0] / sums[1], (totals, sizes), ratio, paired=True)
    assert ours.estimate == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx(theirs, rel=1e-9)


def test_against_all_resamples_there_are():
    values = np.array([0.0, 0.13, 0.37, 0.81, 2.3])
    means = np.array([np.mean(r) for r in itertools.product(values, repeat=5)])
    ours = bootstrap_ci(values, n_resamples=200_000, confidence=0.8, rng=0, method="bca")
    # The share of resamples below the mean, by counting, and the textbook formula.
    z0 = scipy_stats.norm.ppf(
        (means < values.mean() - 1e-12).mean() + 0.5 * np.isclose(means, values.mean()).mean()
    )
    a = scipy_stats.skew(values) / (6 * np.sqrt(5))
    z = z0 + scipy_stats.norm.ppf([0.1, 0.9])
    expected = np.quantile(means, scipy_stats.norm.cdf(z0 + z / (1 - a * z)))
    assert (ours.low, ours.high) == pytest.approx(expected, abs=0.02)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.integers(-100, 100), min_size=2, max_size=20), min_size=1, max_size=3))
def test_acceleration_is_a_sixth_of_the_skewness_of_the_estimate(strata):
    """Of a mean over strata: third moments over n^2, second over n."""
    samples = [np.array(s, dtype=float) for s in strata]
    variance = sum(s.var() / len(s) for s in samples)
    assume(variance > 0)
    third = sum(((s - s.mean()) ** 3).mean() / len(s) ** 2 for s in samples)
    labels = np.repeat(np.arange(len(samples)), [len(s) for s in samples])
    parts, _ = strata_of(np.concatenate(samples), None, labels, "groups")
    assert acceleration(parts) == pytest.approx(third / variance**1.5 / 6, abs=1e-9)


def test_levels_of_mirrored_resamples_are_mirrored():
    draws = RNG.exponential(size=999)
    (low, high), _ = bca_levels(draws, 0.9, 0.05, 0.95)
    assert bca_levels(-draws, -0.9, -0.05, 0.95)[0] == pytest.approx((1 - high, 1 - low))


def test_resamples_that_equal_the_estimate_but_for_rounding_are_ties():
    draws = np.array([0.1, 0.2, 0.3, 0.3, 0.4, 0.5])
    noisy = draws + np.array([0, 0, 1, 1, 0, 0]) * 1e-16
    assert bca_levels(noisy, 0.3, 0.0, 0.9) == bca_levels(draws, 0.3, 0.0, 0.9)
    assert bca_levels(draws, 0.3, 0.0, 0.9)[0] == pytest.approx((0.05, 0.95))


@pytest.mark.parametrize(
    ("estimate", "a", "message"),
    [
        (9.0, 0.0, "all resamples lie below the estimate"),
        (-9.0, 0.0, "all resamples lie above the estimate"),
        (0.5, 0.9, "no acceleration that it can use"),  # 1 - a (z0 + z) < 0: the ends would cross
        (0.5, np.nan, "no acceleration that it can use"),
    ],
)
def test_no_levels_where_there_are_none(estimate, a, message):
    levels, reason = bca_levels(np.linspace(0, 1, 101), estimate, a, 0.95)
    assert levels is None
    assert message in reason


def test_falls_back_to_the_percentile_interval_and_says_so():
    values, rng = [0.0] * 9 + [1.0], np.random.default_rng(1)
    found = [
        bootstrap_ci(values, n_resamples=2, rng=int(s), method="bca") for s in rng.integers(1000, size=50)
    ]
    fallen = [r for r in found if r.method == "percentile"]
    assert fallen  # both resamples on one side
    for r in fallen:
        assert "percentile interval, since BCa is undefined: all resamples lie" in r.reason
        assert np.isfinite([r.low, r.high]).all()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([0.0, 0.2, 1.0, 1e9, np.nan]), max_size=12),
    st.integers(1, 60),
    st.sampled_from(["groups", "values"]),
)
def test_never_a_silent_nan(values, n_resamples, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        groups = np.arange(len(values)) // 2
        found = bootstrap_ci(values, groups, n_resamples, method="bca", weights=weights)
    if np.isnan([found.estimate, found.low, found.high]).any():
        assert found.reason
    else:
        assert found.low <= found.high
