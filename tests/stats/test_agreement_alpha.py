"""Krippendorff's alpha: published examples, the pairwise definition, and the edges."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalib.core import ConfigError, DataFormatError
from evalib.stats.agreement import krippendorff_alpha

pytestmark = pytest.mark.filterwarnings("error")
LEVELS = ("nominal", "ordinal", "interval", "ratio")
NAN = np.nan
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12 units.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
WANT = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


def pairwise(rows, level):
    """Alpha from all pairs of ratings, one at a time, ordinal distances as sums over ranks between."""
    units = [[v for v in row if not np.isnan(v)] for row in rows]
    units = [u for u in units if len(u) > 1]
    every = [v for u in units for v in u]

    def apart(c, d):
        if c == d:
            return 0.0
        low, high = min(c, d), max(c, d)
        if level == "ordinal":
            between = sum(low <= v <= high for v in every)
            return (between - (every.count(low) + every.count(high)) / 2) ** 2
        return {"nominal": 1.0, "interval": (c - d) ** 2, "ratio": ((c - d) / (c + d)) ** 2}[level]

    n = len(every)
    observed = (
        sum(sum(apart(c, d) for c, d in itertools.permutations(u, 2)) / (len(u) - 1) for u in units) / n
    )
    expected = sum(apart(c, d) for c, d in itertools.permutations(every, 2)) / (n * (n - 1))
    return 1 - observed / expected if expected else np.nan


@pytest.mark.parametrize("level", LEVELS)
def test_krippendorffs_published_example(level):
    found = krippendorff_alpha(PUBLISHED, level, rng=0)
    assert round(found.alpha, 3) == WANT[level]
    assert found.alpha == pytest.approx(pairwise(PUBLISHED, level), abs=1e-12)
    assert (found.n_units, found.n_ratings, found.n_single, found.n_missing) == (11, 40, 1, 7)
    assert found.n_raters == 4
    assert found.low < found.alpha < found.high


def test_gwets_published_examples():
    """R package irrCAC, overview vignette: 0.74342, and 0.7972585 for a table of two raters."""
    assert krippendorff_alpha(PUBLISHED).alpha == pytest.approx(0.74342, abs=5e-6)
    table = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j])]
    assert krippendorff_alpha(pairs).alpha == pytest.approx(0.7972585, abs=5e-8)


cell = st.one_of(st.integers(0, 4).map(float), st.just(NAN))
matrices = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.lists(cell, min_size=raters, max_size=raters), min_size=1, max_size=8)
)


@given(matrices, st.sampled_from(LEVELS))
def test_as_the_pairwise_definition(rows, level):
    found = krippendorff_alpha(rows, level, n_resamples=20)
    several = [row for row in rows if np.sum(~np.isnan(row)) > 1]
    assert found.n_units == len(several)
    want = pairwise(rows, level) if several else np.nan
    assert found.alpha == pytest.approx(want, abs=1e-12, nan_ok=True)
    assert not np.isnan(found.alpha) or found.reason


@pytest.mark.parametrize("level", LEVELS)
def test_interval_equals_a_loop_over_the_same_resamples(level):
    rng = np.random.default_rng(2)
    truth = rng.integers(1, 5, 15)
    rows = np.where(rng.random((15, 3)) < 0.3, rng.integers(1, 5, (15, 3)), truth[:, None]).astype(float)
    rows[rng.random((15, 3)) < 0.1] = NAN
    found = krippendorff_alpha(rows, level, n_resamples=60, rng=5)
    units = [row for row in rows if np.sum(~np.isnan(row)) > 1]
    # Units are in the order of their counts of each value, last value first.
    values = sorted(set(rows[~np.isnan(rows)]))
    units.sort(key=lambda row: [np.sum(row == v) for v in reversed(values)])
    draws = [
        pairwise([units[i] for i in drawn], level)
        for drawn in np.random.default_rng(5).integers(len(units), size=(60, len(units)))
    ]
    assert [found.low, found.high] == pytest.approx(list(np.quantile(draws, [0.025, 0.975])), abs=1e-12)


def test_a_large_offset_costs_no_digits():
    assert krippendorff_alpha(PUBLISHED + 1e7, "interval").alpha == pytest.approx(
        krippendorff_alpha(PUBLISHED, "interval").alpha, abs=1e-9
    )


def test_wide_long_and_array_are_one():
    wide = pd.DataFrame(PUBLISHED, columns=list("abcd"), index=list("zyxwvutsrqpo"))
    long = wide.rename_axis("call").reset_index().melt("call", var_name="who", value_name="rating")
    want = krippendorff_alpha(PUBLISHED, "ordinal", n_resamples=50)
    assert krippendorff_alpha(wide, "ordinal", n_resamples=50) == want
    assert krippendorff_alpha(wide.astype("Int64"), "ordinal", n_resamples=50) == want
    columns = {"unit": "call", "rater": "who", "value": "rating"}
    for rows in (long, long.sample(frac=1, random_state=1)):
        assert krippendorff_alpha(rows, "ordinal", n_resamples=50, **columns) == want
    left_out = krippendorff_alpha(long.dropna(), "ordinal", n_resamples=50, **columns)
    assert (left_out.alpha, left_out.low) == (want.alpha, want.low)


def test_row_order_does_not_matter():
    named = np.array([None if np.isnan(v) else f"label {v}" for v in PUBLISHED.ravel()]).reshape(
        PUBLISHED.shape
    )
    assert krippendorff_alpha(named, n_resamples=50) == krippendorff_alpha(named[::-1], n_resamples=50)
    for level in LEVELS:
        found = [krippendorff_alpha(rows, level, n_resamples=50) for rows in (PUBLISHED, PUBLISHED[::-1])]
        assert found[0] == found[1]


def test_labels_give_the_order_and_unused_ones_change_nothing():
    words = {1: "none", 2: "some", 3: "much", 4: "most", 5: "all"}
    named = [[words.get(v) for v in row] for row in PUBLISHED.tolist()]
    found = krippendorff_alpha(named, "ordinal", labels=words.values())
    assert round(found.alpha, 3) == WANT["ordinal"]
    assert round(krippendorff_alpha(PUBLISHED, "ordinal", labels=range(9)).alpha, 3) == WANT["ordinal"]
    assert round(krippendorff_alpha(named).alpha, 3) == WANT["nominal"]


def test_edges():
    perfect = krippendorff_alpha([[1, 1], [2, 2], [3, 3]])
    assert perfect.alpha == 1.0
    assert perfect.n_undefined > 0
    assert f"alpha is 0/0 in {perfect.n_undefined} of 10000 resamples" in perfect.reason

    one_class = krippendorff_alpha([[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]], "interval")
    assert np.isnan([one_class.alpha, one_class.low]).all()
    assert one_class.reason == "alpha is 0/0: all ratings are one value"

    one_unit = krippendorff_alpha([[1, 2]])
    assert one_unit.alpha == 0.0
    assert np.isnan(one_unit.low)
    assert one_unit.reason == "no interval: a single unit to resample"

    for nothing in ([], [[1, None], [None, 2]], [[None, None]], np.empty((0, 3)), pd.DataFrame({"a": [1.0]})):
        found = krippendorff_alpha(nothing)
        assert np.isnan(found.alpha)
        assert (found.n_units, found.reason) == (0, "no unit has two ratings")


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"level": "cardinal"}, ConfigError, "use one of nominal"),
        ({"ratings": [[1, 2], [1]]}, ConfigError, "as many entries"),
        ({"ratings": [1, 2]}, ConfigError, "one-dimensional"),
        ({"ratings": None}, ConfigError, "units x raters"),
        ({"ratings": np.ones((2, 2, 2))}, ConfigError, "one-dimensional"),
        ({"ratings": [[[1], [2]]]}, DataFormatError, "numbers, strings or bools"),
        ({"ratings": [[1, np.inf]], "level": "interval"}, DataFormatError, "infinity"),
        ({"ratings": [[1, -1]], "level": "ratio"}, ConfigError, "below 0"),
        ({"ratings": [["a", "b"]], "level": "interval"}, ConfigError, "takes numbers"),
        ({"ratings": [["a", "b"]], "level": "ordinal"}, ConfigError, "need labels="),
        ({"labels": (1, 2, 3)}, DataFormatError, "rater 0 holds 4"),
        ({"n_resamples": 0}, ConfigError, "at least 1"),
        ({"confidence": 0}, ConfigError, "between 0 and 1"),
        ({"unit": "call"}, ConfigError, "must be a DataFrame"),
        ({"unit": "call", "rater": "who"}, ConfigError, "all three"),
    ],
)
def test_what_is_wrong_is_said(change, error, says):
    with pytest.raises(error, match=says):
        krippendorff_alpha(**({"ratings": PUBLISHED} | change))


@pytest.mark.parametrize(
    ("long", "says"),
    [
        ({"u": [1, 1], "r": ["a", "a"], "v": [1, 2]}, "two rows for"),
        ({"u": [1, None], "r": ["a", "a"], "v": [1, 2]}, "in every row"),
        ({"u": [1, 1], "r": ["a", "b"]}, "no column 'v'"),
    ],
)
def test_what_is_wrong_with_a_long_frame_is_said(long, says):
    with pytest.raises(DataFormatError, match=says):
        krippendorff_alpha(pd.DataFrame(long), unit="u", rater="r", value="v")


@pytest.mark.parametrize("level", ["interval", "ratio"])
@pytest.mark.parametrize("scale", [1e-300, 1e200])
def test_the_unit_of_ratings_does_not_matter(level, scale):
    ratings = np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 2.0]])
    plain = krippendorff_alpha(ratings, level, n_resamples=50)
    other = krippendorff_alpha(ratings * scale, level, n_resamples=50)
    assert other.alpha == pytest.approx(plain.alpha, rel=1e-12)
    assert other.reason == plain.reason


WIDE = pd.DataFrame({"ann": [1, 2, 3, 3, 1, 2], "bob": [1, 2, 3, 2, 1, 2], "cat": [1, 3, 3, 3, 1, 2]})


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ({"conversation": range(6)}, "'conversation' has the name of an id"),
        ({"Trial": [0, 1] * 3}, "'Trial' has the name of an id"),
        ({"call_id": range(6)}, "'call_id' has the name of an id"),
        ({"what": ["faithfulness"] * 6}, "'what' holds text where others hold numbers"),
        ({"nr": [11, 12, 13, 14, 15, 16]}, "'nr' numbers its rows"),
    ],
)
@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_a_column_of_ids_is_no_rater(ids, message, level):
    frame = WIDE.assign(**ids)
    plain = krippendorff_alpha(WIDE, level, n_resamples=50)
    with pytest.raises(DataFormatError, match=rf"{message}: name the raters' columns with raters="):
        krippendorff_alpha(frame, level)
    assert krippendorff_alpha(frame, level, n_resamples=50, raters=["ann", "bob", "cat"]) == plain
    [name] = ids
    if len(set(frame[name])) == 6:
        assert krippendorff_alpha(frame, level, n_resamples=50, unit=name) == plain


def test_ids_beside_declared_labels_and_text():
    words = WIDE.map({1: "bad", 2: "fair", 3: "good"}.get)
    with pytest.raises(DataFormatError, match="'who' holds none of the labels: name the raters"):
        krippendorff_alpha(words.assign(who="me"), "ordinal", labels=("bad", "fair", "good"))
    with pytest.raises(DataFormatError, match="'who' numbers its rows"):
        krippendorff_alpha(words.assign(who=list("uvwxyz")))
    assert krippendorff_alpha(words, n_resamples=50).n_raters == 3


def test_a_unit_of_a_wide_frame_has_one_row():
    frame = WIDE.assign(conversation=[0, 0, 1, 2, 3, 4])
    with pytest.raises(DataFormatError, match="conversation 0 has two rows"):
        krippendorff_alpha(frame, unit="conversation")
    with pytest.raises(ConfigError, match="'ann' is the unit and one of raters"):
        krippendorff_alpha(WIDE[3:], unit="ann", raters=["ann", "bob"])
    with pytest.raises(ConfigError, match="leave out rater="):
        krippendorff_alpha(WIDE, unit="a", rater="b", value="c", raters=["ann"])


def test_a_column_that_is_not_there():
    with pytest.raises(DataFormatError, match="the ratings have no column 'gpt'; there are ann, bob, cat"):
        krippendorff_alpha(WIDE, raters=["ann", "gpt"])
