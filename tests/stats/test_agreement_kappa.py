"""Kappa, agreement and rho of two raters, against R, statsmodels, scipy and the definition."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from statsmodels.stats.inter_rater import cohens_kappa

from evalib.core import ConfigError, DataFormatError
from evalib.stats.agreement import cohen_kappa, gwet_ac1

pytestmark = pytest.mark.filterwarnings("error")
LABELS = (1, 2, 3)
# Gwet's data set cont3x3abstractors (R package irrCAC, overview vignette: kappa, AC1 as printed there).
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]


def pairs_of(table):
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return [i for i, _ in cells], [j for _, j in cells]


def by_definition(a, b, k, weights):
    """Kappa from all pairs of items, one at a time: (observed - expected) / (1 - expected)."""

    def near(i, j):
        if weights is None:
            return float(i == j)
        power = {"linear": 1, "quadratic": 2}[weights]
        return 1 - (abs(i - j) / (k - 1)) ** power

    observed = np.mean([near(i, j) for i, j in zip(a, b, strict=True)])
    expected = np.mean([near(i, j) for i in a for j in b])
    return observed, expected


def r_tables(repo):
    return json.loads((repo / "tests/fixtures/stats/agreement_r.json").read_text())["tables"]


@pytest.mark.parametrize("name", ["three", "middle_unused", "end_unused", "five_gap", "two", "kappa_126"])
def test_as_r_psych(repo, name):
    want = r_tables(repo)[name]
    a, b = pairs_of(want["table"])
    labels = range(len(want["table"]))
    for weights, key in ((None, "unweighted"), ("linear", "linear"), ("quadratic", "quadratic")):
        found = cohen_kappa(a, b, labels, weights)
        assert found.kappa == pytest.approx(want[key], abs=1e-12)
        assert found.rho == pytest.approx(want["spearman"], abs=1e-12)
        assert (found.n, found.reason) == (len(a), "")


def test_the_fixture_of_126_pairs(repo):
    folder = repo / "tests/fixtures/stats"
    pairs = pd.read_csv(folder / "kappa_126.csv")
    want = json.loads((folder / "item5_reference.json").read_text())["kappa"]
    quadratic = cohen_kappa(pairs.judge, pairs.human, LABELS, "quadratic")
    assert quadratic.kappa == pytest.approx(want["quadratic"], abs=1e-12)
    assert quadratic.rho == pytest.approx(want["spearman"], abs=1e-12)
    assert cohen_kappa(pairs.judge, pairs.human, LABELS).kappa == pytest.approx(want["unweighted"], abs=1e-12)
    passed = cohen_kappa(pairs.judge >= 2, pairs.human >= 2, (False, True), "quadratic")
    assert passed.kappa == pytest.approx(want["quadratic_pf"], abs=1e-12)


ratings = st.integers(2, 6).flatmap(
    lambda k: st.tuples(
        st.just(k), st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), min_size=1, max_size=40)
    )
)


@given(ratings, st.sampled_from([None, "linear", "quadratic"]))
def test_as_the_definition_statsmodels_and_scipy(drawn, weights):
    k, pairs = drawn
    a, b = (list(side) for side in zip(*pairs, strict=True))
    found = cohen_kappa(a, b, range(k), weights)
    observed, expected = by_definition(a, b, k, weights)
    assert found.observed == pytest.approx(observed, abs=1e-12)
    assert found.expected == pytest.approx(expected, abs=1e-12)
    assert found.agreement == np.mean([i == j for i, j in pairs])
    one_label = len({*a, *b}) == 1
    assert np.isnan(found.kappa) == one_label
    if not one_label:
        assert found.kappa == pytest.approx((observed - expected) / (1 - expected), abs=1e-12)
        table = np.zeros((k, k))
        np.add.at(table, (a, b), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # statsmodels divides by zero for its variance
            assert found.kappa == pytest.approx(cohens_kappa(table, wt=weights).kappa, abs=1e-12)
    constant = len(set(a)) == 1 or len(set(b)) == 1
    assert np.isnan(found.rho) == constant
    assert bool(found.reason) == constant
    if not constant:
        assert found.rho == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)


def test_an_unused_label_counts_between_used_ones_and_nowhere_else():
    a, b = [1, 1, 2, 4, 4, 2, 1], [1, 2, 2, 4, 2, 2, 4]
    for weights in ("linear", "quadratic"):
        declared = cohen_kappa(a, b, (1, 2, 3, 4), weights).kappa
        assert cohen_kappa(a, b, (1, 2, 4), weights).kappa != pytest.approx(declared, abs=1e-3)
        assert cohen_kappa(a, b, (0, 1, 2, 3, 4, 5), weights).kappa == pytest.approx(declared, abs=1e-12)
    assert cohen_kappa(a, b, (1, 2, 3, 4)).kappa == cohen_kappa(a, b, (1, 2, 4)).kappa


def test_labels_count_by_position_whatever_they_are():
    a, b = [0, 1, 2, 2, 0, 1], [0, 2, 2, 1, 0, 1]
    want = cohen_kappa(a, b, (0, 1, 2), "quadratic").kappa
    for labels in ((0, 0.5, 1), ("low", "mid", "high"), (1, 2, 100)):
        x, y = [labels[i] for i in a], [labels[i] for i in b]
        assert cohen_kappa(x, y, labels, "quadratic").kappa == want


@pytest.mark.parametrize(
    "made",
    [
        list,
        tuple,
        np.array,
        lambda v: np.array(v, dtype=float),
        lambda v: pd.Series(v, index=range(10, 10 + len(v))),
        lambda v: pd.Series(v, dtype="Int64"),
        lambda v: pd.Series(v, dtype="category"),
        lambda v: pd.Series(v, dtype=object),
    ],
)
def test_any_kind_of_column_will_do(made):
    a, b = [1, 2, 3, 3, 1], [1, 2, 2, 3, 1]
    assert cohen_kappa(made(a), b, LABELS, "quadratic") == cohen_kappa(
        a, made(b), (1.0, 2.0, 3.0), "quadratic"
    )
    assert cohen_kappa(made(a), b, LABELS, "quadratic") == cohen_kappa(a, b, LABELS, "quadratic")


def test_bools_are_labels():
    found = cohen_kappa([True, False, True], np.array([True, False, False]), (False, True))
    assert found == cohen_kappa([1, 0, 1.0], [1, 0, 0], (0, 1))


def test_missing_pairs_are_left_out_and_counted():
    a = pd.Series([1, 2, pd.NA, 3, 1], dtype="Int64")
    found = cohen_kappa(a, [1, 2, 3, np.nan, None], LABELS)
    assert (found.n, found.n_missing, found.kappa) == (2, 3, 1.0)


def test_one_class_has_no_kappa_and_full_agreement():
    found = cohen_kappa([3, 3, 3], [3, 3, 3], LABELS, "quadratic")
    assert np.isnan(found.kappa)
    assert np.isnan(found.rho)
    assert (found.agreement, found.expected) == (1.0, 1.0)
    assert found.reason == "kappa and rho are 0/0: all ratings are one label"


def test_two_constants_that_differ_agree_as_chance_does():
    found = cohen_kappa([1, 1], [3, 3], LABELS)
    assert (found.kappa, found.agreement) == (0.0, 0.0)
    assert found.reason == "rho is 0/0: a rater gave a single label"


@pytest.mark.parametrize("a", [[], [np.nan, None], np.array([]), pd.Series([], dtype=float)])
def test_nothing_to_compare(a):
    found = cohen_kappa(a, list(a), LABELS)
    assert all(np.isnan([found.kappa, found.agreement, found.observed, found.expected, found.rho]))
    assert (found.n, found.reason) == (0, "no pair of ratings")


@pytest.mark.parametrize(
    ("a", "labels", "weights", "error", "says"),
    [
        ([1, 4], LABELS, None, DataFormatError, "rater a holds 4 in row 1"),
        (["1", 2], LABELS, None, DataFormatError, "holds '1' in row 0"),
        ([np.inf, 2], LABELS, None, DataFormatError, "holds inf"),
        ([[1], [2]], LABELS, None, DataFormatError, r"holds \[1\]"),
        (np.ones((2, 2)), LABELS, None, ConfigError, "one-dimensional"),
        ("12", LABELS, None, ConfigError, "one-dimensional"),
        ({1, 2}, LABELS, None, ConfigError, "one-dimensional"),
        (1, LABELS, None, ConfigError, "one-dimensional"),
        ([1, 2, 3], LABELS, None, ConfigError, "3 ratings, rater b 2"),
        ([1, 2], (1,), None, ConfigError, "at least two"),
        ([1, 2], (1, 2, 2), None, ConfigError, "twice"),
        ([1, 2], (1, 2, True), None, ConfigError, "twice"),
        ([1, 2], (1, 2, np.nan), None, ConfigError, "missing value"),
        ([1, 2], (1, 2, [3]), None, ConfigError, "numbers, strings or bools"),
        ([1, 2], LABELS, "cubic", ConfigError, "'linear' or 'quadratic'"),
    ],
)
@pytest.mark.parametrize("function", [cohen_kappa, gwet_ac1])
def test_what_is_wrong_is_said(function, a, labels, weights, error, says):
    with pytest.raises(error, match=says) as caught:
        function(a, [1, 2], labels, weights)
    assert "\n" not in str(caught.value)


def test_gwets_published_example():
    a, b = pairs_of(ABSTRACTORS)
    found = gwet_ac1(a, b, range(3))
    assert found.ac1 == pytest.approx(0.8493305, abs=5e-8)
    assert found.agreement == pytest.approx(0.89)
    assert cohen_kappa(a, b, range(3)).kappa == pytest.approx(0.7964094, abs=5e-8)


@given(ratings, st.sampled_from([None, "linear", "quadratic"]))
def test_gwets_coefficient_as_defined(drawn, weights):
    k, pairs = drawn
    a, b = (list(side) for side in zip(*pairs, strict=True))
    observed, _ = by_definition(a, b, k, weights)
    all_weights = sum(by_definition([i], [j], k, weights)[0] for i in range(k) for j in range(k))
    share = [(a.count(c) + b.count(c)) / (2 * len(a)) for c in range(k)]
    expected = all_weights / (k * (k - 1)) * sum(p * (1 - p) for p in share)
    found = gwet_ac1(a, b, range(k), weights)
    assert found.ac1 == pytest.approx((observed - expected) / (1 - expected), abs=1e-12)
    assert found.observed == pytest.approx(observed, abs=1e-12)
    assert found.reason == ""


def test_gwets_coefficient_at_the_edges():
    assert gwet_ac1([1, 1], [1, 1], LABELS).ac1 == 1.0
    empty = gwet_ac1([None], [1], LABELS)
    assert np.isnan(empty.ac1)
    assert (empty.n, empty.n_missing, empty.reason) == (0, 1, "no pair of ratings")
    # Chance is spread over all declared labels.
    assert gwet_ac1([1, 2], [1, 1], (1, 2)).ac1 < gwet_ac1([1, 2], [1, 1], LABELS).ac1


def test_perfect_rank_correlation_is_one_to_the_last_bit():
    for n in range(2, 40):
        ratings = [1, 2, 3] * n + [1] * n
        for turned, sign in ((ratings, 1.0), ([4 - r for r in ratings], -1.0)):
            assert cohen_kappa(ratings, turned, (1, 2, 3)).rho == sign
    assert cohen_kappa([1, 2], [1, 2], (1, 2)).rho == 1.0


@pytest.mark.parametrize("weights", [["linear"], {}])
def test_weights_that_cannot_be_looked_up(weights):
    with pytest.raises(ConfigError, match="weights"):
        cohen_kappa([1, 2], [1, 2], (1, 2), weights)
