"""The front against its definition, pair by pair."""

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError
from evalib.stats.frontier import pareto_front


def by_definition(points, maximize):
    p = np.asarray(points) * np.where(maximize, 1, -1)
    return [not np.isnan(a).any() and not any((b >= a).all() and (b > a).any() for b in p) for a in p]


@pytest.mark.parametrize("maximize", [(True, True), (True, False), (False, True), (False, False)])
def test_agrees_with_the_definition_ties_and_nan_included(maximize):
    rng = np.random.default_rng(5)
    for _ in range(100):
        points = rng.integers(0, 5, size=(rng.integers(1, 15), 2)).astype(float)
        points[rng.random(points.shape) < 0.1] = np.nan
        points[rng.random(points.shape) < 0.05] = -np.inf
        assert pareto_front(points, maximize=maximize).tolist() == by_definition(points, maximize)


def test_frame_with_any_index_and_nullable_columns():
    frame = pd.DataFrame({"a": [1, 2, None], "b": [2, 1, 9]}, index=[7, 7, 7]).astype("Float64")
    assert pareto_front(frame, "a", "b").tolist() == [True, True, False]


def test_empty_and_invalid():
    assert pareto_front([]).tolist() == []
    with pytest.raises(DataFormatError):
        pareto_front(pd.DataFrame({"a": [1.0]}), "a", "b")
    with pytest.raises(ConfigError):
        pareto_front([1.0, 2.0])


@pytest.mark.parametrize("maximize", [True, (True,), ("min", "max"), None])
def test_maximize_is_a_pair(maximize):
    with pytest.raises(ConfigError, match="maximize="):
        pareto_front([[1, 2], [2, 1]], maximize=maximize)


def test_containers():
    points = [[1.0, np.nan], [2.0, 1.0], [1.5, np.inf]]
    wanted = [False, True, True]
    assert pareto_front(points, x=np.int64(0)).tolist() == wanted
    assert pareto_front([[1, pd.NA], [2, 1], [1.5, np.inf]]).tolist() == wanted
    masked = np.ma.array([[1, 9], [2, 1]], mask=[[False, True], [False, False]])
    assert pareto_front(masked).tolist() == [False, True]  # numpy would read the 9
    twice = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"])
    with pytest.raises(DataFormatError, match="2 columns 'a'"):
        pareto_front(twice, "a", "b")
    with pytest.raises(DataFormatError, match="no column"):
        pareto_front(twice, ["a"], "b")
    for points, x in ((np.zeros((3, 0)), 0), ([[1, 2]], True), ([[1, 2], [3]], 0)):
        with pytest.raises(ConfigError):
            pareto_front(points, x=x)
    with pytest.raises(ConfigError, match="numbers"):
        pareto_front(np.array([["2020", "2021"]], dtype="datetime64[D]"))
