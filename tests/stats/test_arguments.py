"""Arguments of statistics: what is a number, a count, a share, a flag and a column."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError
from evalib.stats import holm, sign_flip_test, sign_test
from evalib.stats.arguments import (
    as_floats,
    check_columns,
    check_count,
    check_flag,
    check_least,
    check_share,
    refuse_unsquarable,
)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_what_is_missing_is_nan(missing):
    np.testing.assert_array_equal(as_floats(pd.Series([1, missing], dtype=object), "x"), [1, np.nan])


def test_masked_values_are_missing():
    masked = np.ma.array([1.0, 2.0, 300.0], mask=[0, 0, 1])
    np.testing.assert_array_equal(as_floats(masked, "x"), [1, 2, np.nan])
    for test in (sign_flip_test, sign_test):
        found = test(masked)
        assert (found.n, found.n_missing) == (2, 1)
    np.testing.assert_array_equal(holm(np.ma.array([0.01, 0.5], mask=[0, 1])), [0.01, np.nan])


@pytest.mark.parametrize("values", [["1"], [10**400], [1j], "12", [[1], [1, 2]], [np.inf], [pd.Timestamp(0)]])
def test_what_is_no_number(values):
    with pytest.raises(ConfigError, match="x "):
        as_floats(values, "x")


def test_a_new_array():
    given = np.ones(2)
    as_floats(given, "x")[0] = 5
    assert given[0] == 1


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (check_count, (1, 7, np.int64(2)), (0, -1, 1.0, 2.5, True, "3", None, np.nan)),
        (check_share, (0.1, np.float32(0.5)), (0, 1, 95, np.nan, "0.9", None, True)),
        (check_least, (0, 3, np.inf), (-1e-9, np.nan, "1", None)),
        (check_flag, (True, np.bool_(False)), ("no", 1, None)),
    ],
)
def test_checks(check, good, bad):
    for value in good:
        check("x", value)
    for value in bad:
        with pytest.raises(ConfigError, match=r"^x="):
            check("x", value)


def test_squares_that_a_float_cannot_hold():
    for value in (1e300, 1e-300):
        with pytest.raises(ConfigError, match="unit"):
            refuse_unsquarable(np.array([value, np.nan]), "x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values in ([], [0.0], [np.nan], [1e-9, 1e9]):
            refuse_unsquarable(np.array(values), "x")


def test_columns():
    frame = pd.DataFrame({"a": [1], "b": [2]})
    assert check_columns(frame, ["a", "b"], "data") is frame
    for data, message in (
        ({"a": 1}, "DataFrame, not dict"),
        (None, "DataFrame, not NoneType"),
        (frame[["b"]], "no column 'a'; there are b"),
        (frame.set_index("a"), "reset_index"),
        (frame[["a", "a"]], "2 columns 'a'"),
    ):
        with pytest.raises(DataFormatError, match=message):
            check_columns(data, ["a"], "data")
    with pytest.raises(DataFormatError, match="no column"):
        check_columns(frame, [["a"]], "data")
