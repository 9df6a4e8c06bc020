"""Bootstrap intervals against scipy, full enumeration, closed forms and published numbers."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalib.core import ConfigError
from evalib.stats import bootstrap_ci
from evalib.stats.binomial import binomial_interval
from evalib.stats.intervals import resample_counts, resampled_sums, stratified_interval

# pass@k and the half-width printed after it, of the paper's tables 28 (EVA-A) and 30 (EVA-X), 12
# systems each, in their order: shares of the 50 CSM scenarios.
PUBLISHED = [
    (0.500, 0.140), (0.900, 0.080), (0.640, 0.140), (0.940, 0.060), (0.460, 0.140), (0.880, 0.100),
    (0.680, 0.140), (0.840, 0.100), (0.540, 0.140), (0.660, 0.140), (0.640, 0.140), (0.300, 0.120),
    (0.680, 0.120), (0.120, 0.100), (0.040, 0.060), (0.020, 0.040), (0.440, 0.140), (0.080, 0.080),
    (0.700, 0.120), (0.000, 0.000), (0.120, 0.100), (1.000, 0.000), (0.940, 0.080), (0.900, 0.100),
]  # fmt: skip


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


def reproduced(tolerance):
    """How many published numbers are the longer arm, and how many half the width, of a binomial's quantiles.

    Each end may be the quantile at any level within `tolerance` of 2.5% or 97.5%.
    """
    near = np.linspace(-tolerance, tolerance, 401)
    arms = halves = 0
    for share, printed in PUBLISHED:
        low, high = (
            scipy_stats.binom.ppf(np.unique(level + near), 50, share)[:, None] / 50
            for level in (0.025, 0.975)
        )
        high = high.T
        arms += bool((abs(np.maximum(share - low, high - share) - printed) < 5e-4).any())
        halves += bool((abs((high - low) / 2 - printed) < 5e-4).any())
    return arms, halves


def test_the_paper_prints_the_longer_arm():
    assert reproduced(0.0) == (19, 8)
    assert reproduced(2 * (0.025 * 0.975 / 1000) ** 0.5) == (24, 18)  # two standard errors, 1,000 resamples


def test_longer_arm_and_half_width():
    """6 of 50 pass: the quantiles 2/50 and 11/50 of the binomial are no close calls."""
    found = bootstrap_ci([1.0] * 6 + [0.0] * 44)
    assert (found.estimate, found.low, found.high) == pytest.approx((0.12, 0.04, 0.22))
    assert found.half_width == pytest.approx(0.09)
    assert found.longer_arm == pytest.approx(0.10)  # as the paper prints it
    assert bootstrap_ci([1.0] * 44 + [0.0] * 6).longer_arm == pytest.approx(0.10)
    assert np.isnan(bootstrap_ci([1.0]).longer_arm)
    assert found.to_frame()["high"].tolist() == [found.high]


@pytest.mark.parametrize(("method", "stated"), [("percentile", 0.782), ("bca", 0.770)])
def test_coverage_of_a_rare_share_is_as_the_docstring_says(method, stated):
    """Over all samples of 30 at a rate of 0.05; 9 or more pass in 1 of 25,000 of them."""
    ends = [bootstrap_ci([1.0] * x + [0.0] * (30 - x), method=method) for x in range(9)]
    holds = np.array([e.low <= 0.05 <= e.high for e in ends])
    assert scipy_stats.binom.pmf(np.arange(9), 30, 0.05) @ holds == pytest.approx(stated, abs=6e-4)


def test_values_weigh_the_same_when_asked_to():
    """Against all resamples of three clusters: a ratio of sums."""
    values, groups = [1.0, 0.0, 0.5, 0.25, 0.9, 0.3], ["a", "b", "b", "b", "c", "c"]
    totals, sizes = {"a": 1.0, "b": 0.75, "c": 1.2}, {"a": 1, "b": 3, "c": 2}
    means = [
        sum(totals[g] for g in drawn) / sum(sizes[g] for g in drawn)
        for drawn in itertools.product("abc", repeat=3)
    ]
    found = bootstrap_ci(values, groups, 100_000, confidence=0.36, weights="values", rng=0)
    assert found.estimate == pytest.approx(np.mean(values))
    assert found.n == 3
    assert (found.low, found.high) == pytest.approx((sorted(means)[8], sorted(means)[17]), abs=1e-9)
    assert bootstrap_ci(values, groups).estimate == pytest.approx((1.0 + 0.25 + 0.6) / 3)


def test_weights_make_no_difference_between_groups_of_one_size():
    values, groups = np.random.default_rng(2).random(24), np.repeat(np.arange(8), 3)
    one, other = (bootstrap_ci(values, groups, weights=w, strata=groups // 4) for w in ("groups", "values"))
    assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high))


def test_strata_have_equal_weight():
    rng = np.random.default_rng(8)
    one, two = rng.random(5), rng.random(20)
    found = bootstrap_ci(np.r_[two, one], strata=["b"] * 20 + ["a"] * 5, rng=6)
    estimate, low, high, _ = stratified_interval([one[:, None], two[:, None]], rng=6)
    assert found.n == 25
    assert (found.estimate, found.low, found.high) == pytest.approx((estimate[0], low[0], high[0]))
    assert found.estimate == pytest.approx((one.mean() + two.mean()) / 2)


@pytest.mark.parametrize("weights", ["groups", "values"])
def test_order_of_grouped_rows_does_not_matter(weights):
    rng = np.random.default_rng(5)
    values, groups = rng.integers(0, 2, 40), rng.integers(0, 9, 40)
    order = rng.permutation(40)
    options = {"strata": groups % 2, "weights": weights, "method": "bca"}
    shuffled = options | {"strata": groups[order] % 2}
    assert bootstrap_ci(values, groups, **options) == bootstrap_ci(values[order], groups[order], **shuffled)


def test_containers():
    values = [0.0, 1.0, 1.0, 0.0, 1.0, np.nan]
    labels = ["x", "y", "z", "x", "y", "z"]
    expected = bootstrap_ci(values, labels)
    series = pd.Series(values, index=[9, 9, 3, 2, 1, 0])
    for container in (
        series,
        series.astype("Float64"),
        series.astype("boolean"),
        np.array(values, dtype=object),
    ):
        for groups in (pd.Series(labels), pd.Categorical(labels), pd.Series(labels, dtype="string")):
            assert bootstrap_ci(container, groups) == expected
    assert bootstrap_ci([True, False, True]) == bootstrap_ci([1, 0, 1])


@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3, 1.0])
@pytest.mark.parametrize("n", [2, 7, 50])
def test_constant_has_no_width(constant, n):
    result = bootstrap_ci([constant] * n)
    assert result.estimate == pytest.approx(constant)
    assert result.low == result.high == result.estimate
    assert result.reason == f"all {n} units are equal: resampling cannot show how far others would be"
    grouped = bootstrap_ci([constant] * (3 * n - 1), np.arange(3 * n - 1) // 3, method="bca")
    assert grouped.low == grouped.high == grouped.estimate


def test_strata_that_do_not_vary_have_no_width():
    found = bootstrap_ci([0.1, 0.1, 0.1, 0.9, 0.9], strata=["a", "a", "a", "b", "b"], method="bca")
    assert (found.low, found.high) == (found.estimate, found.estimate)
    assert "all 5 units are equal within their strata" in found.reason


def test_missing_is_counted_never_zero():
    result = bootstrap_ci([1.0, np.nan, 1.0])
    assert (result.estimate, result.n, result.n_missing) == (1.0, 2, 1)
    nothing = bootstrap_ci([np.nan, np.nan])
    assert np.isnan([nothing.estimate, nothing.low, nothing.high]).all()
    assert (nothing.n, nothing.reason) == (0, "no values")
    empty = bootstrap_ci([], groups=[], strata=[], method="bca")
    assert np.isnan([empty.estimate, empty.low, empty.high]).all()
    assert (empty.n, empty.reason) == (0, "no values")


def test_a_stratum_without_values_is_left_out_and_named():
    found = bootstrap_ci([1.0, 0.5, np.nan, np.nan], strata=["a", "a", "b", "b"])
    assert (found.estimate, found.n, found.n_missing) == (0.75, 2, 2)
    assert found.reason == "no values in b"


def test_single_unit_has_no_interval():
    result = bootstrap_ci([0.7])
    assert result.estimate == 0.7
    assert np.isnan([result.low, result.high]).all()
    assert "single" in result.reason
    in_stratum = bootstrap_ci([0.0, 1.0, 0.7], strata=["a", "a", "b"])
    assert in_stratum.estimate == pytest.approx(0.6)
    assert np.isnan([in_stratum.low, in_stratum.high]).all()
    assert in_stratum.reason == "no interval: a single unit to resample in b"


def test_few_resamples_are_said_to_be():
    values = np.random.default_rng(0).random(20)
    assert bootstrap_ci(values, n_resamples=30).reason == "an end is the outermost of 30 resamples: take more"
    assert bootstrap_ci(values, n_resamples=40).reason == ""


def test_seeds():
    values = np.random.default_rng(0).random(20)
    assert bootstrap_ci(values) == bootstrap_ci(values)
    assert bootstrap_ci(values, rng=7) == bootstrap_ci(values, rng=np.random.default_rng(7))
    assert bootstrap_ci(values, rng=7) != bootstrap_ci(values, rng=8)


def test_chunks_do_not_change_the_result(monkeypatch):
    values = np.random.default_rng(0).random(30)
    whole = bootstrap_ci(values, n_resamples=1000, rng=3)
    monkeypatch.setattr("evalib.stats.intervals._CACHE_CELLS", 900)
    assert bootstrap_ci(values, n_resamples=1000, rng=3) == whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [[1.0]]}, "one-dimensional"),
        ({"values": ["1", "2"]}, "values must be numbers"),
        ({"values": [1e300, 1.0]}, "cannot be squared"),
        ({"values": [1.0, 2.0], "groups": ["a"]}, r"groups have shape \(1,\), values \(2,\)"),
        ({"values": [1.0, 2.0], "strata": ["a"]}, r"strata have shape \(1,\)"),
        ({"values": [1.0, 2.0], "groups": ["a", None]}, r"groups\[1\] is missing"),
        ({"values": [1.0, 2.0], "strata": [np.nan, "a"]}, r"strata\[0\] is missing"),
        ({"values": [1.0, 2.0], "groups": "aa", "strata": "ab"}, "shape"),
        ({"values": [1, 2], "groups": [7, 7], "strata": ["x", "y"]}, "group '7' lies in strata 'x' and 'y'"),
        ({"values": [1.0, 2.0], "method": "basic"}, "method='basic'"),
        ({"values": [1.0, 2.0], "weights": "size"}, "weights='size'"),
        ({"values": [1.0, 2.0], "confidence": "0.95"}, "confidence='0.95'"),
        ({"values": [1.0, 2.0], "n_resamples": 10.5}, "n_resamples=10.5"),
        ({"values": [1.0, np.inf]}, "infinity"),
        ({"values": [1.0, 2.0], "confidence": 95}, "confidence=95"),
        ({"values": [1.0, 2.0], "n_resamples": 0}, "n_resamples=0"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ConfigError, match=message):
        bootstrap_ci(**arguments)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.just(0.0) | st.floats(1e-100, 1), min_size=2, max_size=30))
def test_interval_lies_within_the_data(values):
    result = bootstrap_ci(values, n_resamples=200)
    assert min(values) - 1e-12 <= result.low <= result.high <= max(values) + 1e-12


def test_counts_do_not_depend_on_how_many_at_a_time():
    whole = np.concatenate(list(resample_counts(7, 100, np.random.default_rng(1))))
    parts = list(resample_counts(7, 100, np.random.default_rng(1), at_a_time=33))
    assert [len(part) for part in parts] == [33, 33, 33, 1]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert (whole.sum(axis=1) == 7).all()
    # How often one unit is drawn is binomial.
    many = np.concatenate(list(resample_counts(7, 20_000, np.random.default_rng(2))))
    observed = np.bincount(many[:, 3].astype(int), minlength=8) / 20_000
    np.testing.assert_allclose(observed, scipy_stats.binom.pmf(np.arange(8), 7, 1 / 7), atol=0.01)


def test_sums_are_those_of_drawn_rows():
    rows = np.random.default_rng(0).random((9, 3))
    drawn = np.random.default_rng(4).integers(9, size=(50, 9))
    sums = resampled_sums(rows, 50, np.random.default_rng(4))
    np.testing.assert_allclose(sums, rows[drawn].sum(axis=1).T)


def test_no_warning_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values in ([], [np.nan], [1.0], [0.0, 0.0], [0.0, 1.0], [1e-139, 2e-139], [1e139, -1e139]):
            for method in ("percentile", "bca"):
                found = bootstrap_ci(values, method=method)
                assert found.reason or np.isfinite([found.low, found.high]).all()


def test_where_all_agree_the_binomial_still_has_a_bound():
    assert bootstrap_ci([0.0] * 30).high == 0.0
    assert binomial_interval(0, 30).high == pytest.approx(0.1157, abs=5e-5)


@pytest.mark.parametrize("rng", ["abc", -1, 1.5, {}])
def test_what_is_no_seed(rng):
    with pytest.raises(ConfigError, match="rng="):
        bootstrap_ci([1.0, 2.0], rng=rng)


def test_pairs_are_labels():
    pairs = [("a", 1), ("a", 1), ("b", 1), ("b", 2)]
    found = bootstrap_ci([1.0, 3.0, 4.0, 6.0], groups=pairs, n_resamples=50)
    assert found == bootstrap_ci([1.0, 3.0, 4.0, 6.0], groups=["a1", "a1", "b1", "b2"], n_resamples=50)
    with pytest.raises(ConfigError, match="groups cannot be sorted"):
        bootstrap_ci([1.0, 2.0], groups=[{1}, {2}])
    with pytest.raises(ConfigError, match="strata cannot be sorted"):
        bootstrap_ci([1.0, 2.0, 3.0], strata=[("a", 1), 2, "b"])


def test_a_label_as_text_and_as_number_is_not_two():
    for labels in ("groups", "strata"):
        with pytest.raises(ConfigError, match=f"{labels} hold '1' as text and as a number"):
            bootstrap_ci([1.0, 2.0, 3.0], **{labels: [1, "1", "b"]})
