"""The sign test: against R and scipy, and what becomes of zeros."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from evalib.core import ConfigError
from evalib.stats.sign_test import sign_test

pytestmark = pytest.mark.filterwarnings("error")
FIXTURE = Path(__file__).parent.parent / "fixtures" / "stats" / "signflip_r.json"
R = json.loads(FIXTURE.read_text())["binomial"]
counts = st.integers(0, 40)


def deltas(positive, negative, zero=0):
    return np.repeat([0.3, -0.2, 0.0], [positive, negative, zero])


@pytest.mark.parametrize("case", R, ids=lambda case: f"{case['positive']}/{case['n']}")
def test_r(case):
    alternative = case["alternative"].replace("two.sided", "two-sided")
    found = sign_test(deltas(case["positive"], case["n"] - case["positive"]), alternative)
    assert found.pvalue == pytest.approx(case["p"], rel=1e-9)


@given(counts, counts, counts, st.sampled_from(["greater", "less", "two-sided"]))
def test_scipy(positive, negative, zero, alternative):
    if not positive + negative:
        return
    dropped = sign_test(deltas(positive, negative, zero), alternative, zeros="drop")
    expected = binomtest(positive, positive + negative, alternative=alternative).pvalue
    assert dropped.pvalue == pytest.approx(expected, rel=1e-9)
    assert (dropped.n, dropped.n_counted) == (positive + negative + zero, positive + negative)
    half = zero // 2
    split = sign_test(deltas(positive, negative, zero), alternative, zeros="split")
    expected = binomtest(positive + half, positive + negative + 2 * half, alternative=alternative).pvalue
    assert split.pvalue == pytest.approx(expected, rel=1e-9)


@given(counts, counts, counts)
def test_kept_zeros_support_no_claim(positive, negative, zero):
    n = positive + negative + zero
    if not n:
        return
    values = deltas(positive, negative, zero)
    greater, less = (sign_test(values, a).pvalue for a in ("greater", "less"))
    assert greater == pytest.approx(binomtest(positive, n, alternative="greater").pvalue, rel=1e-9)
    assert less == pytest.approx(binomtest(negative, n, alternative="greater").pvalue, rel=1e-9)
    assert sign_test(values, "two-sided").pvalue == pytest.approx(min(1, 2 * min(greater, less)))
    assert greater >= sign_test(values, zeros="drop").pvalue - 1e-12  # never the less strict


def test_table_37_counts_all_records():
    """Printed p_sign of the paper's Table 37, in domains of 50, 80 and 83 records.

    Each is the tail of a whole number of records above zero, among all of the domain's: were
    records without a difference left out, nothing would tie the printed values to these sizes. A
    p above one half beside a mean far above zero says the same.
    """
    printed = [(50, "0.003"), (50, "0.008"), (50, "0.899"), (50, "0.984"), (80, "0.073")]
    printed += [(83, "0.008"), (83, "0.413"), (83, "0.745")]
    for n, p in printed:
        fits = [k for k in range(n + 1) if f"{sign_test(deltas(k, 0, n - k)).pvalue:.3f}" == p]
        assert len(fits) == 1, (n, p)
    for n in (50, 80, 83):  # speech fidelity: nothing varies, or few records do
        assert f"{sign_test(np.zeros(n)).pvalue:.3f}" == "1.000"
        assert f"{sign_test(deltas(n // 5, 0, n - n // 5)).pvalue:.3f}" == "1.000"
    assert sign_test(deltas(10, 0, 40), zeros="drop").pvalue == 0.5**10


def test_noise_is_no_sign():
    found = sign_test([0.1, 0.2, 5e-17, -3e-17])
    assert (found.n_positive, found.n_negative, found.n_zero) == (2, 0, 2)


def test_missing_and_nothing():
    found = sign_test(pd.Series([0.1, pd.NA, -0.1, 0.2], dtype="Float64"))
    assert (found.n, found.n_missing, found.pvalue) == (3, 1, 0.5)
    for values, reason in (([], "no deltas"), ([np.nan], "1 are missing")):
        empty = sign_test(values)
        assert np.isnan(empty.pvalue)
        assert reason in empty.reason


@pytest.mark.parametrize("zeros", ["keep", "drop", "split"])
def test_only_zeros(zeros):
    found = sign_test([0, 0, 0], zeros=zeros)
    assert (found.pvalue, found.reason) == (1.0, "all deltas are zero")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deltas": [1.0], "alternative": "more"}, "alternative"),
        ({"deltas": [1.0], "zeros": "half"}, "zeros"),
        ({"deltas": [[1.0]]}, "one-dimensional"),
        ({"deltas": [np.inf]}, "infinity"),
        ({"deltas": ["a"]}, "must be numbers"),
    ],
)
def test_invalid(arguments, message):
    with pytest.raises(ConfigError, match=message):
        sign_test(**arguments)
