"""Sign-flip tests: against R, closed forms, brute force, scipy, and independent reference values."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalib.core import ConfigError
from evalib.stats.lattice import find_lattice, subset_sum_tails
from evalib.stats.sign_flip import SignFlipResult, sign_flip_test, sign_flip_tests
from evalib.stats.subset_sums import enumerated_tails

pytestmark = pytest.mark.filterwarnings("error")
FIXTURES = Path(__file__).parent.parent / "fixtures" / "stats"
R = json.loads((FIXTURES / "signflip_r.json").read_text())
COLUMNS = np.loadtxt(FIXTURES / "signflip_90x8.csv", delimiter=",")
REFERENCE = json.loads((FIXTURES / "item5_reference.json").read_text())["signflip"]
ALTERNATIVES = ("two-sided", "greater", "less")


def all_sums(deltas):
    return np.array(list(product([-1, 1], repeat=len(deltas)))) @ np.asarray(deltas, dtype=float)


def brute_force(deltas, alternative):
    """Share of all sign patterns that are at least as extreme; ties within 1e-9."""
    sums, seen, near = all_sums(deltas), np.sum(deltas), 1e-9 * np.abs(deltas).sum()
    extreme = {
        "two-sided": np.abs(sums) >= abs(seen) - near,
        "greater": sums >= seen - near,
        "less": sums <= seen + near,
    }
    return extreme[alternative].mean()


# --- outside witnesses


def test_reference_columns():
    found = sign_flip_tests(COLUMNS)
    assert found.pvalue == pytest.approx(REFERENCE["exact_p"], rel=1e-9)
    assert set(found.method) == {"exact lattice"}
    assert found.mean == pytest.approx(COLUMNS.mean(axis=0))


def test_reference_enumeration_by_both_exact_ways():
    deltas = COLUMNS[:14, 0]
    assert sign_flip_test(deltas).pvalue == REFERENCE["enum14_col0"]
    # The same numbers off the lattice: exact multiples of 1/15, moved by far less than any gap.
    rng = np.random.default_rng(1)
    moved = np.rint(deltas * 15) / 15 + rng.normal(size=14) * 1e-13
    limit = np.abs(moved[moved < 0]).sum()
    limit = min(limit, np.abs(moved).sum() - limit)
    assert 2 * enumerated_tails(np.abs(moved)[:, None], np.array([limit]))[0] == REFERENCE["enum14_col0"]


@pytest.mark.parametrize("case", R["enumerated"], ids=lambda case: str(len(case["deltas"])))
def test_r_enumeration(case):
    for alternative in ALTERNATIVES:
        found = sign_flip_test(case["deltas"], alternative)
        assert found.pvalue == pytest.approx(case[alternative.replace("-", "_")], rel=1e-12)
        assert found.method.startswith("exact")


@pytest.mark.parametrize("case", R["signed_ranks"], ids=lambda case: str(case["n"]))
def test_signed_ranks_are_wilcoxons_test(case):
    ranks = np.arange(1, case["n"] + 1)
    deltas = np.where(np.isin(ranks, case["positive"]), ranks, -ranks)
    for alternative in ("greater", "less"):
        found = sign_flip_test(deltas, alternative)
        assert found.method == "exact lattice"
        assert found.pvalue == pytest.approx(case[alternative], rel=1e-10)
    if case["n"] <= 40:
        negative = np.array([np.abs(deltas[deltas < 0]).sum()], dtype=float)
        tail = enumerated_tails(ranks[:, None].astype(float), negative)
        assert tail == pytest.approx(case["greater"], rel=1e-12)


def test_the_largest_enumeration_agrees_with_the_lattice():
    rng = np.random.default_rng(3)
    steps = rng.integers(1, 30, size=38)
    limit = np.array([int(steps.sum() * 0.3)])
    listed = enumerated_tails(steps[:, None].astype(float), limit.astype(float))
    assert listed == pytest.approx(subset_sum_tails(steps[:, None], limit), rel=1e-12)


@pytest.mark.parametrize("n", [40, 500, 700, 1010])
def test_equal_sizes_are_binomial(n):
    """Closed form; tiny p keep their relative accuracy."""
    for n_negative in (0, 1, n // 10, n // 2 - 1):
        deltas = np.repeat([0.3, -0.3], [n - n_negative, n_negative])
        exact = Fraction(sum(comb(n, j) for j in range(n_negative + 1)), 2**n)
        assert sign_flip_test(deltas, "greater").pvalue == pytest.approx(float(exact), rel=1e-11)
        assert sign_flip_test(deltas).pvalue == pytest.approx(float(2 * exact), rel=1e-11)


def test_more_differences_than_a_float_has_powers_of_two():
    deltas = np.repeat([1.0, -1.0], [1600, 1400])
    assert sign_flip_test(deltas).pvalue == pytest.approx(2 * stats.binom.cdf(1400, 3000, 0.5), rel=1e-10)
    found = sign_flip_test(np.ones(3000))
    assert 0 < found.pvalue < 1e-300
    assert "float" in found.reason


def test_relative_accuracy_against_whole_numbers():
    """The distribution in exact integers, n = 250 on a lattice of 1/30."""
    rng = np.random.default_rng(5)
    steps = rng.integers(0, 31, size=250)
    signs = np.where(rng.random(250) < 0.93, 1, -1)
    counts = [1] + [0] * int(steps.sum())
    for step in steps.tolist():
        counts = [c + (counts[s - step] if s >= step else 0) for s, c in enumerate(counts)]
    negative = int(steps[signs < 0].sum())
    exact = float(Fraction(sum(counts[: negative + 1]), 2**250))
    assert exact < 1e-30
    assert sign_flip_test(steps * signs / 30, "greater").pvalue == pytest.approx(exact, rel=1e-12)


def test_scipy_enumerates_the_same():
    deltas = np.random.default_rng(2).normal(0.4, 1, size=11)
    for alternative in ALTERNATIVES:
        other = stats.permutation_test(
            (deltas,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative=alternative
        )
        # scipy doubles the smaller tail; so does this, since the distribution is symmetric.
        assert sign_flip_test(deltas, alternative).pvalue == pytest.approx(other.pvalue, rel=1e-12)


sizes = st.one_of(
    st.integers(-100_000, 100_000).map(lambda k: k / 7), st.integers(-6, 6).map(lambda k: k / 15)
)


@settings(max_examples=60)
@given(st.lists(sizes, min_size=1, max_size=10), st.sampled_from(ALTERNATIVES))
def test_brute_force(deltas, alternative):
    found = sign_flip_test(deltas, alternative)
    assert found.pvalue == pytest.approx(brute_force(deltas, alternative), rel=1e-12)
    assert found.method.startswith("exact")


@settings(max_examples=60)
@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=9), st.randoms(use_true_random=False))
def test_brute_force_off_the_lattice(magnitudes, random):
    deltas = np.array([m * random.choice([-1, 1]) for m in magnitudes])
    gaps = np.diff(np.unique(np.abs(all_sums(deltas))))
    if ((gaps > 1e-12) & (gaps < 1e-5)).any():
        return  # whether such sums tie is a matter of definition
    for alternative in ALTERNATIVES:
        assert sign_flip_test(deltas, alternative).pvalue == pytest.approx(brute_force(deltas, alternative))


# --- Monte Carlo


def test_monte_carlo_is_within_its_error_of_exact():
    for alternative in ALTERNATIVES:
        exact = sign_flip_tests(COLUMNS, alternative).pvalue
        drawn = sign_flip_tests(COLUMNS, alternative, n_resamples=40_000, exact=False, rng=7)
        error = np.sqrt(exact * (1 - exact) / 40_000)
        z = (drawn.pvalue - exact) / error
        assert np.abs(z).max() < 4
        assert set(drawn.method) == {"monte carlo"}
        assert set(drawn.n_resamples) == {40_000}


def test_monte_carlo_counts_the_pattern_seen():
    rng = np.random.default_rng(0)
    deltas = 1 + rng.random(60)
    found = sign_flip_test(deltas, n_resamples=999)
    assert (found.method, found.pvalue) == ("monte carlo", 1 / 1000)
    assert sign_flip_test(-deltas, "greater", n_resamples=999).pvalue == 1.0


def test_monte_carlo_depends_on_the_seed_alone():
    deltas = np.random.default_rng(0).normal(0.1, 1, size=70)
    first = sign_flip_test(deltas, rng=3).pvalue
    assert first == sign_flip_test(deltas, rng=np.random.default_rng(3)).pvalue
    assert first != sign_flip_test(deltas, rng=4).pvalue
    assert sign_flip_test(deltas).pvalue == sign_flip_test(deltas).pvalue


def test_chunks_change_nothing(monkeypatch):
    deltas = np.random.default_rng(0).normal(0.1, 1, size=(50, 7))
    whole = sign_flip_tests(deltas, n_resamples=1_001)
    monkeypatch.setattr("evalib.stats.subset_sums._CHUNK_CELLS", 1_000)
    monkeypatch.setattr("evalib.stats.lattice._BATCH_CELLS", 100)
    assert sign_flip_tests(deltas, n_resamples=1_001).pvalue.tolist() == whole.pvalue.tolist()
    assert sign_flip_tests(COLUMNS).pvalue == pytest.approx(REFERENCE["exact_p"], rel=1e-9)


# --- size


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    "magnitudes",
    [
        np.array([1, 1, 2, 2, 3, 0, 5, 1]) / 15,
        np.random.default_rng(8).exponential(size=9),
    ],
    ids=["lattice", "continuous"],
)
def test_never_rejects_more_often_than_it_says(magnitudes, alternative):
    """Under the null all sign patterns are equally likely: P(p <= a) <= a at every attainable a."""
    patterns = np.array(list(product([-1, 1], repeat=len(magnitudes)))).T
    p = sign_flip_tests(patterns * magnitudes[:, None], alternative).pvalue
    for a in np.unique(p):
        # Exact: what is attained is attained exactly as often as it says.
        assert np.mean(p <= a) == pytest.approx(a, rel=1e-12)


# --- floating point


def naive(deltas, signs):
    return np.mean(np.abs((signs * deltas).mean(axis=1)) >= abs(deltas.mean()))


def test_rounding_does_not_change_p():
    """The order of the differences and noise in their last bits change sums; p must not follow."""
    rng = np.random.default_rng(11)
    deltas = np.rint(rng.normal(0.5, 3, size=16)) / 15
    signs = np.array(list(product([-1.0, 1.0], repeat=16)))
    versions = [deltas[rng.permutation(16)] for _ in range(6)]
    versions += [deltas + rng.uniform(-1, 1, size=16) * 1e-16 for _ in range(6)]
    assert len({naive(v, signs) for v in versions}) > 1  # what this guards against does happen
    exact = brute_force(deltas, "two-sided")
    for v in versions:
        assert sign_flip_test(v).pvalue == exact
        total = np.abs(v).sum()
        limit = min(np.abs(v[v < 0]).sum(), total - np.abs(v[v < 0]).sum())
        assert 2 * enumerated_tails(np.abs(v)[:, None], np.array([limit]))[0] == exact
    assert len({sign_flip_test(v, exact=False).pvalue for v in versions}) == 1


def test_rounding_does_not_change_a_monte_carlo_p_at_n_90():
    rng = np.random.default_rng(0)
    deltas = COLUMNS[:, 3]
    first = sign_flip_test(deltas, exact=False).pvalue
    for _ in range(5):
        other = rng.permutation(deltas) + rng.uniform(-1, 1, size=90) * 1e-16
        assert sign_flip_test(other, exact=False).pvalue == first


@settings(max_examples=30)
@given(st.floats(1e-300, 1e290))
def test_the_unit_does_not_matter(scale):
    for exact in ("auto", False):
        p = [sign_flip_test(COLUMNS[:40, 1] * c, exact=exact).pvalue for c in (1, scale, -scale)]
        assert p[0] == p[1] == p[2]


def test_large_numbers_do_not_overflow():
    found = sign_flip_test([1.7e308, 1.6e308, -1e308])
    assert found.pvalue == 0.5
    assert found.mean == pytest.approx(1.7e308 / 3 + 0.6e308 / 3)


# --- lattices


@pytest.mark.parametrize(
    ("numbers", "steps"),
    [
        ([0.26666667, 0.066666667, 0.2], [4, 1, 3]),
        ([26.666667, 6.6666667, 20.0], [4, 1, 3]),  # per cent
        ([1 / 30, 2 / 15, 0.5], [1, 4, 15]),
        ([0.1 + 0.2, 0.3, 0.6], [1, 1, 2]),
        ([300, 700, 0], [3, 7, 0]),
        ([np.pi, 2 * np.pi], [1, 2]),
        ([0.0, 0.0], [0, 0]),
        ([1 / 360, 1.0], [1, 360]),
    ],
)
def test_a_lattice_is_recognised(numbers, steps):
    found, on = find_lattice(np.array(numbers, dtype=float)[:, None])
    assert on.all()
    assert found.ravel().tolist() == steps


@pytest.mark.parametrize(
    "numbers",
    [
        [1 / 15, 1 / 15 + 1e-6, 0.5],  # two units, nearly the same
        [1 / 15, 2 / 15, 0.4, 0.4 + 2e-7],
        [1 / 15, 2 / 15.0001, 1.0],
        [0.5, np.sqrt(0.5), 1.0],
        [1.0, 1 / 1001],  # too fine
        [1 / 31, 1 / 37, 1 / 29],
    ],
)
def test_what_is_no_lattice_is_none(numbers):
    found, on = find_lattice(np.array(numbers)[:, None])
    assert not on.any()
    assert not found.any()


def test_nearly_equal_numbers_are_not_ties_off_the_lattice():
    deltas = [1.0, -1.000001, 0.3, 0.1234567]
    assert sign_flip_test(deltas).pvalue == brute_force(deltas, "two-sided")


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 400), min_size=1, max_size=60).filter(any),
    st.integers(1, 400),
    st.floats(1e-3, 1e3),
    st.sampled_from(["exact", "eight digits"]),
)
def test_every_lattice_is_found_from_its_points(counts, denominator, scale, written):
    numbers = np.array(counts) / denominator * scale
    if written == "eight digits":
        numbers = np.array([float(f"{x:.8g}") for x in numbers])
    steps, on = find_lattice(numbers[:, None])
    assert on.all()
    divisor = np.gcd.reduce(counts)
    assert steps.ravel().tolist() == (np.array(counts) // divisor).tolist()


# --- many tests at once


def mixed():
    rng = np.random.default_rng(4)
    table = np.column_stack(
        [COLUMNS[:, :3], rng.normal(0.2, 1, size=(90, 3)), np.zeros(90), np.full(90, np.nan), COLUMNS[:, 3:5]]
    )
    table[25:, 3] = np.nan  # few enough to enumerate
    table[rng.random(90) < 0.1, 4] = np.nan
    table[::3, 8] = np.nan
    return table


@pytest.mark.parametrize("exact", ["auto", False])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_column_is_as_if_alone(alternative, exact):
    table = mixed()
    many = sign_flip_tests(table, alternative, exact=exact, rng=5)
    few = sign_flip_tests(table[:, 3:5], alternative, exact=exact, rng=5)
    assert few.pvalue.tolist() == many.pvalue[3:5].tolist()
    for i in range(table.shape[1]):
        one = sign_flip_test(table[:, i], alternative, exact=exact, rng=5)
        without_missing = sign_flip_test(table[~np.isnan(table[:, i]), i], alternative, exact=exact, rng=5)
        for name, value in one.as_dict().items():
            assert repr(getattr(many, name).tolist()[i]) == repr(value)
        assert repr(one.pvalue) == repr(without_missing.pvalue)
    if exact == "auto":
        assert set(many.method) == {"exact lattice", "exact enumeration", "monte carlo", "none"}


def test_results_as_a_table():
    frame = sign_flip_tests(mixed()).to_frame()
    assert len(frame) == 10
    assert list(frame.columns) == list(SignFlipResult.__dataclass_fields__)
    assert frame["n_missing"].tolist()[7] == 90
    assert "SignFlipResult" in sign_flip_test([1.0, 2.0])._repr_html_()


# --- edges


@pytest.mark.parametrize("exact", ["auto", True, False])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_all_zero(alternative, exact):
    found = sign_flip_test([0.0, 0.0, 0.0], alternative, exact=exact)
    assert (found.pvalue, found.mean, found.n_zero) == (1.0, 0.0, 3)
    assert found.reason == "all deltas are zero"


@pytest.mark.parametrize(("deltas", "reason"), [([], "no deltas"), ([np.nan] * 2, "2 are missing")])
def test_nothing(deltas, reason):
    found = sign_flip_test(deltas)
    assert np.isnan(found.pvalue)
    assert np.isnan(found.mean)
    assert (found.n, found.n_missing, found.method) == (0, len(deltas), "none")
    assert reason in found.reason


def test_few():
    one = sign_flip_test([0.7])
    assert one.pvalue == 1.0
    assert "no p below 1.0" in one.reason
    assert sign_flip_test([0.7], "greater").pvalue == 0.5
    assert sign_flip_test([0.7], "less").pvalue == 1.0
    assert "no p below 0.125" in sign_flip_test([1, 1, 1, 1, 0, np.nan]).reason
    assert sign_flip_test([1, 1, 1, 1, 1, 1]).reason == ""


def test_zeros_and_missing_change_no_p():
    deltas = [0.2, 0.4, -0.2, 0.6, 0.2]
    found = sign_flip_test([*deltas, 0, np.nan, 0, 5e-17])
    assert found.pvalue == sign_flip_test(deltas).pvalue
    assert (found.n, found.n_zero, found.n_missing) == (8, 3, 1)
    assert found.mean == pytest.approx(1.2 / 8)
    # What two means written with eight digits differ by, although they are the same.
    rounded = sign_flip_test([*deltas, 0.26666667 - 0.26666666])
    assert (rounded.pvalue, rounded.n_zero, rounded.method) == (found.pvalue, 1, "exact lattice")


@pytest.mark.parametrize("n", [2, 30, 200])
def test_balanced_differences_have_a_p_of_one(n):
    steps = np.random.default_rng(0).integers(1, 9, size=n)
    for deltas in (
        np.concatenate([steps, -steps]) / 7,
        np.concatenate([steps, -steps]) * np.sqrt(steps.tolist() * 2),
    ):
        assert sign_flip_test(deltas).pvalue == pytest.approx(1.0, rel=1e-12)


def test_exact_on_request():
    rng = np.random.default_rng(0)
    deltas = rng.normal(0.3, 1, size=36)
    assert sign_flip_test(deltas).method == "monte carlo"
    found = sign_flip_test(deltas, exact=True)
    assert found.method == "exact enumeration"
    drawn = sign_flip_test(deltas, n_resamples=40_000).pvalue
    assert abs(drawn - found.pvalue) < 4 * np.sqrt(found.pvalue * (1 - found.pvalue) / 40_000)
    with pytest.raises(ConfigError, match=r"90 nonzero deltas of test 1: they are not multiples of one unit"):
        sign_flip_tests(np.column_stack([COLUMNS[:, 0], rng.normal(size=90)]), exact=True)


def test_a_lattice_too_fine_for_auto_is_exact_on_request():
    steps = np.random.default_rng(0).integers(1, 1000, size=200)
    deltas = np.where(np.arange(200) % 2, steps, -steps)
    assert sign_flip_test(deltas).method == "monte carlo"
    assert sign_flip_test(deltas, exact=True).method == "exact lattice"
    with pytest.raises(ConfigError, match="too fine"):
        sign_flip_test(np.tile(deltas, 10), exact=True)


@pytest.mark.parametrize(
    "deltas",
    [
        (0.5, 1.0, 0.5, None),
        np.array([1, 2, 1, 0], dtype=int).astype(object) / 2 + 0,
        pd.Series([0.5, 1.0, 0.5, None], index=[7, 7, 1, 2]),
        pd.Series([0.5, 1.0, 0.5, pd.NA], dtype="Float64"),
        pd.Series([0.5, 1.0, 0.5]).astype("category"),
        np.array([0.5, 1.0, 0.5], dtype="float32"),
        pd.array([1, 2, 1], dtype="Int8"),
    ],
    ids=["tuple", "object", "series", "nullable", "category", "float32", "int8"],
)
def test_containers(deltas):
    assert sign_flip_test(deltas).pvalue == 0.25


def test_bools_and_frames():
    assert sign_flip_test([True, False, True]).pvalue == 0.5
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": pd.array([1, None], dtype="Int64")})
    assert sign_flip_tests(frame).pvalue.tolist() == [0.5, 1.0]


def test_the_input_is_left_alone():
    deltas = np.array([1.0, 0.0, 1e-17])
    kept = deltas.copy()
    sign_flip_test(deltas)
    assert (deltas == kept).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deltas": [[1.0]]}, "one-dimensional"),
        ({"deltas": 1.0}, "one-dimensional"),
        ({"deltas": [1.0, np.inf]}, "infinity"),
        ({"deltas": ["a", "b"]}, "must be numbers"),
        ({"deltas": pd.Series(["0.5", "1"])}, "must be numbers"),
        ({"deltas": [1.0, "2"]}, "must be numbers"),
        ({"deltas": np.array(["2026-01-01"], dtype="M8[D]")}, "must be numbers"),
        ({"deltas": [1j]}, "must be numbers"),
        ({"deltas": [[1.0], [1.0, 2.0]]}, "must be numbers"),
        ({"deltas": [1.0], "alternative": "both"}, "alternative"),
        ({"deltas": [1.0], "n_resamples": 0}, "n_resamples"),
        ({"deltas": [1.0], "exact": "yes"}, "exact"),
        ({"deltas": [1.0], "exact": None}, "exact"),
    ],
)
def test_invalid(arguments, message):
    with pytest.raises(ConfigError, match=message) as raised:
        sign_flip_test(**arguments)
    assert "\n" not in str(raised.value)


def test_one_column_per_test():
    with pytest.raises(ConfigError, match="column per test"):
        sign_flip_tests([1.0, 2.0])
    assert len(sign_flip_tests(np.empty((3, 0))).pvalue) == 0
    assert np.isnan(sign_flip_tests(np.empty((0, 2))).pvalue).all()


@pytest.mark.parametrize("n_resamples", [2.5, "9", True, None])
def test_a_number_of_resamples_is_whole(n_resamples):
    with pytest.raises(ConfigError, match="whole number"):
        sign_flip_test([1, 2], n_resamples=n_resamples)
