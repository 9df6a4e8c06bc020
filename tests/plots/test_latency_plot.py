"""The points are the latencies."""

from __future__ import annotations

import copy

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from evalib.core import DataFormatError, EndReason
from evalib.plots import latency_distribution


def points(ax):
    return sorted(round(float(x), 3) for c in ax.collections for x in np.asarray(c.get_offsets())[:, 0])


def legend(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_every_turn_of_every_call(call):
    other = copy.deepcopy(call)
    other.system = "other"
    ax = latency_distribution([call, other])
    assert points(ax) == sorted(
        [1.25, 3.5, 1.0] * 2
    )  # the turn at -1.0 is an interruption, and said to be left out
    assert "2 turns in which the agent spoke first are left out" in ax.get_title(loc="left")
    assert legend(ax) == ["without tool calls (n=4)", "with tool calls (n=2)"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["made-up", "other"]
    assert "(s)" in ax.get_xlabel()
    assert "modelled" not in ax.get_title(loc="left")


def test_broken_calls_are_left_out(call):
    broken = copy.deepcopy(call)
    broken.end_reason = EndReason.ERROR
    assert points(latency_distribution([call, broken])) == [
        1.0,
        1.25,
        3.5,
    ]  # the turn at -1.0 is an interruption


def test_modelled_latencies_say_so(call):
    call.cost_model = {"think": 0.45}
    assert "modelled" in latency_distribution([call]).get_title(loc="left")


def test_means_of_a_score_table():
    scores = pd.DataFrame(
        [
            ("a", "response_latency.no_tool_calls", 1.5, "ok"),
            ("a", "response_latency.with_tool_calls", 2.5, "ok"),
            ("a", "response_latency.with_tool_calls", np.nan, "not_applicable"),
            ("a", "response_latency", 9.0, "ok"),
        ],
        columns=["system", "metric", "value", "status"],
    )
    ax = latency_distribution(scores)
    assert points(ax) == [1.5, 2.5]
    assert "per conversation" in ax.get_title(loc="left")


def test_drawn_twice_it_is_the_same_and_touches_no_global_random_state(call):
    np.random.seed(1)
    before = np.random.get_state()[1].tolist()
    first, second = (latency_distribution([call]) for _ in range(2))
    assert np.random.get_state()[1].tolist() == before
    for a, b in zip(first.collections, second.collections, strict=True):
        assert np.array_equal(a.get_offsets(), b.get_offsets())


def test_own_axes(call):
    _, ax = plt.subplots()
    assert latency_distribution([call], ax=ax) is ax


def test_nothing_to_draw(call):
    call.turns = []
    with pytest.raises(DataFormatError, match="no response latency"):
        latency_distribution([call])
    with pytest.raises(DataFormatError, match="'metric'"):
        latency_distribution(pd.DataFrame({"system": ["a"]}))
