"""Many means at once: against one at a time, and with values missing."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from evalib.core import ConfigError
from evalib.stats import bootstrap_ci
from evalib.stats.intervals import stratified_interval
from evalib.stats.matrix_bootstrap import bootstrap_means


def test_agrees_with_a_plain_loop():
    values = np.random.default_rng(1).random((30, 3))
    found = bootstrap_means(values, n_resamples=20_000, rng=2)
    rng = np.random.default_rng(7)
    draws = np.array([values[rng.integers(30, size=30)].mean(axis=0) for _ in range(20_000)])
    np.testing.assert_allclose(found.estimate, values.mean(axis=0))
    np.testing.assert_allclose(
        [found.low, found.high], np.quantile(draws, [0.025, 0.975], axis=0), atol=0.004
    )


def test_a_missing_unit_is_out_of_the_mean_and_counted():
    values = np.random.default_rng(1).random((30, 2))
    values[:10, 1] = np.nan
    both, alone = bootstrap_means(values, rng=2), bootstrap_means(values[10:, 1:], rng=2)
    assert both.n.tolist() == [30, 20]
    assert both.n_missing.tolist() == [0, 10]
    assert both.estimate[1] == pytest.approx(np.nanmean(values[:, 1]))
    assert both.low[1] == pytest.approx(alone.low[0], abs=0.015)
    assert both.high[1] == pytest.approx(alone.high[0], abs=0.015)


def test_each_column_is_as_it_would_be_alone():
    values = np.random.default_rng(3).integers(0, 6, (40, 4)) / 5
    found = bootstrap_means(values, rng=5)
    for j in range(4):
        alone = bootstrap_ci(values[:, j], rng=5)
        together = (found.estimate[j], found.low[j], found.high[j])
        assert together == pytest.approx((alone.estimate, alone.low, alone.high), rel=1e-12)


def test_strata_have_equal_weight():
    values = np.random.default_rng(3).random((30, 3))
    strata = np.array(["b"] * 21 + ["a"] * 9)
    found = bootstrap_means(values, rng=4, strata=strata)
    expected = stratified_interval([values[21:], values[:21]], rng=4)[:3]
    np.testing.assert_allclose([found.estimate, found.low, found.high], expected, rtol=1e-12)


def test_missing_values_in_strata_against_a_plain_loop():
    values = np.random.default_rng(1).exponential(size=(24, 2))
    values[[0, 5, 13, 14], 0] = np.nan
    parts = values[:10], values[10:]
    found = bootstrap_means(values, 20_000, rng=2, strata=[0] * 10 + [1] * 14)
    rng = np.random.default_rng(7)
    draws = [
        np.mean([np.nanmean(p[rng.integers(len(p), size=len(p))], axis=0) for p in parts], axis=0)
        for _ in range(10_000)
    ]
    np.testing.assert_allclose(found.estimate, np.mean([np.nanmean(p, axis=0) for p in parts], axis=0))
    ends = np.quantile(draws, [0.025, 0.975], axis=0)
    np.testing.assert_allclose([found.low, found.high], ends, atol=0.02 * np.ptp(ends))
    assert found.n_missing.tolist() == [4, 0]


def test_resamples_without_a_value_are_counted():
    """Two of ten units have a value: a resample holds neither with probability 0.8^10."""
    values = np.full((10, 1), np.nan)
    values[:2, 0] = 0.0, 1.0
    (reason,) = bootstrap_means(values, 5000).reason
    empty = int(reason.split()[3])
    assert reason == f"no value in {empty} of 5000 resamples: the interval is that of the rest"
    low, high = scipy_stats.binom.ppf([1e-4, 1 - 1e-4], 5000, 0.8**10)
    assert low <= empty <= high
    seed = next(s for s in range(100) if np.random.default_rng(s).integers(10, size=10).min() > 1)
    found = bootstrap_means(values, 1, rng=seed)
    assert np.isnan(found.low[0])
    assert found.estimate[0] == 0.5
    assert found.reason[0] == "no interval: no resample holds a value"


def test_edges_have_reasons():
    nan = np.nan
    found = bootstrap_means([[nan, 1.0, 0.1], [nan, nan, 0.1], [nan, nan, 0.1]])
    equal = "all 3 units are equal: resampling cannot show how far others would be"
    assert found.reason == ("no values", "no interval: a single unit to resample", equal)
    assert (found.low[2], found.high[2], found.estimate[2]) == (0.1, 0.1, 0.1)


def test_edges_within_strata_have_reasons():
    nan = np.nan
    columns = [[1, 0, 1, 1], [1, 0, nan, nan], [1, 0, 1, nan], [1, 1, 0, 0], [0, 1, 1, 0]]
    found = bootstrap_means(np.transpose(columns), strata=["a", "a", "b", "b"])
    np.testing.assert_array_equal(found.estimate, [0.75, 0.5, 0.75, 0.5, 0.5])
    assert found.reason == (
        "",
        "no values in b",
        "no interval: a single unit to resample in b",
        "all 4 units are equal within their strata: resampling cannot show how far others would be",
        "",
    )
    assert np.isnan(found.low).tolist() == [False, False, True, False, False]
    assert (found.low[1], found.high[1]) == (0, 1)  # means of two drawn from 0 and 1


@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (2, 0)])
def test_nothing_gives_nothing(shape):
    for strata in (None, [0] * shape[0]):
        found = bootstrap_means(np.empty(shape), strata=strata)
        assert len(found.estimate) == shape[1]
        assert np.isnan(found.estimate).all()
        assert set(found.reason) <= {"no values"}


def test_frames_and_nullable_columns():
    frame = pd.DataFrame({"a": [0.0, 1.0, 0.5], "b": [1.0, None, 0.0]}, index=[5, 5, 1])
    expected = bootstrap_means(frame.to_numpy())
    for given in (frame, frame.astype("Float64"), frame.to_numpy().tolist()):
        found = bootstrap_means(given)
        np.testing.assert_array_equal(found.low, expected.low)
        np.testing.assert_array_equal(found.n, [3, 2])


def test_shown_as_one_row_per_column():
    frame = bootstrap_means([[0.0, 1.0, np.nan], [1.0, 1.0, np.nan]]).to_frame()
    assert frame["estimate"].tolist()[:2] == [0.5, 1.0]
    assert frame["reason"].tolist()[::2] == ["", "no values"]
    assert bootstrap_means(np.empty((0, 0))).to_frame().empty
    assert "no values" in bootstrap_means([[np.nan]])._repr_html_()


def test_no_warning_leaks():
    values = np.full((6, 4), np.nan)
    values[:1, 1] = values[:2, 2] = values[:, 3] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bootstrap_means(values)
        bootstrap_means(values, strata=list("aabbcc"))


@pytest.mark.parametrize(
    "bad",
    [
        {"values": [1.0]},
        {"values": [[np.inf]]},
        {"values": [["a"]]},
        {"values": [[1e300], [1.0]]},
        {"values": [[1.0]], "confidence": 1},
        {"values": [[1.0]], "n_resamples": 0},
        {"values": [[1.0]], "strata": ["a", "b"]},
        {"values": [[1.0]], "strata": [None]},
    ],
)
def test_invalid_input_is_refused(bad):
    with pytest.raises(ConfigError):
        bootstrap_means(**bad)
