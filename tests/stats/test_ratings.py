"""Ratings and buckets: the paper's shares, and edges of buckets."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError
from evalib.stats.ratings import rating_distribution, score_buckets


def table(values, **columns):
    frame = pd.DataFrame({"scenario": range(len(values)), "trial": 0, "value": values})
    return frame.assign(**({"metric": "m", "system": "a"} | columns))


@pytest.mark.parametrize(
    ("shares", "reported", "strict"),
    [((43.5, 32.0, 24.4), 56.4, 24.4), ((18.8, 42.4, 38.8), 81.2, 38.8)],  # E.3.2, E.4.1
)
def test_the_paper_s_cuts(shares, reported, strict):
    counts = np.array([*(np.array(shares[:2]) * 10), 1000 - 10 * (shares[0] + shares[1])]).round().astype(int)
    found = rating_distribution(table(np.repeat([0, 0.5, 1], counts)), "m")
    assert (100 * found["share"]).tolist() == pytest.approx(shares, abs=0.11)  # 99.9% are printed
    assert 100 * found["at_least"][1] == pytest.approx(reported, abs=0.11)
    assert 100 * found["at_least"][2] == pytest.approx(strict, abs=0.11)
    assert found["n"].tolist() == counts.tolist()


def test_by_system_missing_and_rounding():
    frame = pd.concat(
        [table([0, 0.1 * 5, np.nan, 1]), table([1, 1, 1 - 1e-12], system="b"), table([np.nan], system="c")]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rating_distribution(frame, "m", by=("system",)).set_index(["system", "level"])
    assert found.loc["a", "n"].tolist() == [1, 1, 1]
    assert found.loc["a", "n_missing"].tolist() == [1, 1, 1]
    assert found.loc["b", "at_least"].tolist() == [1, 1, 1]
    assert found.loc["c", "share"].isna().all()
    assert set(found.loc["c", "reason"]) == {"no trial has a value"}
    assert rating_distribution(frame, "m")["n"].tolist() == [1, 1, 4]


def test_means_over_passes_are_no_ratings():
    with pytest.raises(DataFormatError, match=r"0\.166667.*score_buckets"):
        rating_distribution(table([0, 1 / 6]), "m")


def test_edges_of_buckets():
    values = [i * 0.1 for i in range(10)] + [1.0, 0.29, 0.3 - 1e-12]
    found = score_buckets(table(values), "m")
    assert found["n"].tolist() == [1, 1, 2, 2, 1, 1, 1, 1, 1, 2]
    assert found["low"].tolist() == [i / 10 for i in range(10)]
    assert found["high"].iloc[-1] == 1
    assert found["share"].sum() == pytest.approx(1)
    assert found["mean"][0] == pytest.approx(np.mean(values))
    assert found["sd"][0] == pytest.approx(np.std(values, ddof=1))


def test_table_19_as_a_histogram():
    """Of its shares, the mean and SD lie where 0.78 and 0.11 are possible."""
    shares = np.array([0, 0, 0, 0.3, 0.7, 6.9, 15.6, 27.0, 35.0, 14.5])
    found = score_buckets(table(np.repeat(np.arange(10) / 10 + 0.05, (shares * 10).astype(int))), "m")
    assert (100 * found["share"]).tolist() == pytest.approx(shares, abs=0.01)
    assert abs(found["mean"][0] - 0.78) < 0.05
    assert found["sd"][0] == pytest.approx(0.11, abs=0.015)
    assert found.loc[found["high"] <= 0.5, "share"].sum() == pytest.approx(0.01)


def test_too_few():
    one = score_buckets(table([0.5]), "m")
    assert one["reason"][0] == "no sd: a single trial"
    none = score_buckets(table([np.nan]), "m")
    assert none["reason"][0] == "no trial has a value"
    assert none[["share", "mean", "sd"]].isna().all(axis=None)


def test_invalid():
    with pytest.raises(DataFormatError, match="outside"):
        score_buckets(table([1.2]), "m")
    for width in (0, 0.3, 2):
        with pytest.raises(ConfigError, match="width"):
            score_buckets(table([1.0]), "m", width=width)
    for levels in ((), (1, 0), (0, 0)):
        with pytest.raises(ConfigError, match="levels"):
            rating_distribution(table([1.0]), "m", levels=levels)
    with pytest.raises(DataFormatError, match="no rows"):
        rating_distribution(table([1.0]), "x")


def test_arguments_of_the_wrong_kind():
    frame = table([0, 0.5, 1.0, 1.0], system="s")
    for call in (rating_distribution, score_buckets):
        pd.testing.assert_frame_equal(call(frame, "m", by="system"), call(frame, "m", by=["system"]))
        with pytest.raises(DataFormatError, match="DataFrame"):
            call(None, "m")
        with pytest.raises(DataFormatError, match="infinite"):
            call(frame.assign(value=np.inf), "m")
    for levels in (["a"], [0, np.inf], 0, None):
        with pytest.raises(ConfigError, match="levels"):
            rating_distribution(frame, "m", levels=levels)
    for width in ("a", None, np.nan):
        with pytest.raises(ConfigError, match="width"):
            score_buckets(frame, "m", width=width)
