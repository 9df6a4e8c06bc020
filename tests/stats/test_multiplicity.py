"""Holm's correction: against R, statsmodels and closed testing by brute force."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from statsmodels.stats.multitest import multipletests

from evalib.core import ConfigError
from evalib.stats.multiplicity import holm

pytestmark = pytest.mark.filterwarnings("error")
R = json.loads((Path(__file__).parent.parent / "fixtures" / "stats" / "signflip_r.json").read_text())["holm"]
families = arrays.arrays(float, st.integers(1, 9), elements=st.floats(0, 1))


@pytest.mark.parametrize("case", R, ids=lambda case: str(len(case["p"])))
def test_r(case):
    expected = np.array(case["adjusted"], dtype=float)
    assert holm(case["p"]) == pytest.approx(expected, rel=1e-12, nan_ok=True)


@settings(max_examples=10)  # statsmodels takes its time
@given(families)
def test_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12)


@given(families.filter(lambda p: len(p) <= 6))
def test_closed_testing(p):
    """A hypothesis falls when every intersection that holds it falls by Bonferroni."""
    n = len(p)
    expected = [
        max(
            min(1.0, size * min(p[list(subset)]))
            for size in range(1, n + 1)
            for subset in combinations(range(n), size)
            if i in subset
        )
        for i in range(n)
    ]
    assert holm(p) == pytest.approx(expected, rel=1e-12)


@given(families)
def test_order_is_kept_and_values_never_fall(p):
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (holm(p[::-1]) == adjusted[::-1]).all()


def test_shape_containers_and_missing():
    p = np.array([[0.01, np.nan], [0.03, 0.04]])
    assert holm(p) == pytest.approx(np.array([[0.03, np.nan], [0.06, 0.06]]), nan_ok=True)
    assert np.isnan(p[0, 1])  # the input is left alone
    assert p[0, 0] == 0.01
    assert holm(pd.Series([0.2, pd.NA], dtype="Float64")).tolist()[0] == 0.2
    assert holm([]).shape == (0,)
    assert holm(0.2).tolist() == 0.2
    assert np.isnan(holm([None, np.nan])).all()


@pytest.mark.parametrize("p", [[0.1, 1.2], [-0.1], [np.inf], ["a"]])
def test_what_is_no_p_value_is_refused(p):
    with pytest.raises(ConfigError):
        holm(p)
