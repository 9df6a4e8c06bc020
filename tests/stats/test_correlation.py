"""Correlations against scipy, and where there is none."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalib.core import ConfigError
from evalib.stats.correlation import correlation


@pytest.mark.parametrize("n", [4, 12, 60])
def test_agrees_with_scipy(n):
    x, e = np.random.default_rng(n).normal(size=(2, n))
    y = np.round(x + e, 1)
    ours, theirs = correlation(x, y, confidence=0.9), stats.pearsonr(x, y)
    assert (ours.r, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(0.9)))
    ranks, theirs = correlation(x, y, "spearman"), stats.spearmanr(x, y)
    assert (ranks.r, ranks.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_missing_pairs_are_counted():
    found = correlation([1, 2, np.nan, 4, 5], [2, 1, 3, np.nan, 7])
    assert (found.n, found.n_missing) == (3, 2)


@pytest.mark.parametrize(
    ("x", "y"), [([], []), ([1, 2], [2, 1]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [4, 4, 4])]
)
def test_none_has_a_reason(x, y):
    found = correlation(x, y)
    assert np.isnan([found.r, found.pvalue, found.low, found.high]).all()
    assert found.reason


@pytest.mark.parametrize(
    "bad",
    [
        {"x": [1], "y": [1, 2]},
        {"x": [np.inf], "y": [1]},
        {"x": [1], "y": [1], "method": "kendall"},
        {"x": [1], "y": [1], "confidence": 1},
    ],
)
def test_invalid_input_is_refused(bad):
    with pytest.raises(ConfigError):
        correlation(**bad)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
@pytest.mark.parametrize("scale", [2.0**1020, 2.0**-700])
def test_does_not_depend_on_the_scale(method, scale):
    x, y = np.array([1.0, -4.0, 2.0, 3.5, 1.0]), np.array([2.0, 1.0, 5.0, 3.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled, plain = correlation(scale * x, y, method), correlation(x, y, method)
    pd.testing.assert_frame_equal(scaled.to_frame(), plain.to_frame(), check_exact=True)
