"""What the timeline shows, read back from the axes."""

from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import pytest

from evalib.core import Turn
from evalib.plots import timeline


def texts(ax):
    return [t.get_text() for t in ax.texts]


def lines(ax, label):
    return [line for line in ax.lines if line.get_label() == label]


def test_what_is_drawn(call):
    ax = timeline(call)
    shown = texts(ax)
    assert [t for t in shown if t.isdigit()] == ["0", "1", "2", "3", "4", "5"]
    assert [t for t in shown if "." in t] == ["1.2", "3.5", "-1.0", "1.0"]  # 1.25 s reads 1.2
    assert {"get_reservation", "rebook_flight", "assign_seat"} <= set(shown)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["caller", "agent", "tools"]
    assert "(s)" in ax.get_xlabel()
    assert ax.get_xlim() == (0.0, 43.0)
    caller, agent = ax.collections[:2]
    assert [p.get_extents().intervalx.tolist() for p in caller.get_paths()] == [
        [s.start_s, s.end_s] for t in call.turns for s in t.caller
    ]
    assert len(agent.get_paths()) == 5


def test_interruptions_are_marked_where_they_happen(call):
    ax = timeline(call)
    (by_agent,), (by_caller,) = lines(ax, "agent interrupts"), lines(ax, "caller interrupts")
    assert list(by_agent.get_xdata()) == [29.0]
    assert list(by_caller.get_xdata()) == [32.0]


def test_tool_calls_are_spans_and_failures_look_different(call):
    ax = timeline(call)
    (ok,), (failed,) = lines(ax, "tool call"), lines(ax, "tool call, error")
    assert list(ok.get_xdata()) == [16.0, 16.5]
    assert list(failed.get_xdata()) == [17.0, 17.6]
    assert ok.get_color() != failed.get_color()


def test_modelled_latencies_say_so(call):
    assert "modelled" not in timeline(call).get_title(loc="left")
    call.cost_model = {"think": 0.45}
    assert "modelled, not measured" in timeline(call).get_title(loc="left")


def test_envelope_of_the_recordings(recorded_call):
    ax = timeline(recorded_call)
    caller, agent = ax.collections[1].get_paths()[0], ax.collections[3].get_paths()[0]
    for envelope, middle in ((caller, 2.0), (agent, 1.0)):  # each to its own loudest sound
        assert envelope.get_extents().ymax == pytest.approx(middle + 0.3, abs=0.01)
    inside = caller.vertices[(caller.vertices[:, 0] > 8.5) & (caller.vertices[:, 0] < 12.5)]
    assert inside[:, 1] == pytest.approx(2.0)  # the caller is silent there


def test_recordings_that_are_gone(recorded_call):
    recorded_call.audio.caller.unlink()
    assert len(timeline(recorded_call).collections) == 3


def test_window(call):
    ax = timeline(call, window=(12.5, 24.0))
    assert ax.get_xlim() == (12.5, 24.0)
    assert [t for t in texts(ax) if t.isdigit()] == ["2"]
    assert "assign_seat" not in texts(ax)


def test_own_axes_and_global_style(call):
    before = dict(plt.rcParams)
    figure, ax = plt.subplots()
    assert timeline(call, ax=ax) is ax
    assert plt.get_fignums() == [figure.number]
    assert dict(plt.rcParams) == before


def test_empty_and_one_sided_calls(call):
    call.turns, call.tool_calls, call.duration_s = [], [], 0.0
    timeline(call).figure.canvas.draw()
    call.turns, call.duration_s = [Turn(0), Turn(1, [(0, 1)])], 1.0
    timeline(call).figure.canvas.draw()


def test_labels_of_a_long_call_do_not_overlap(call):
    call.turns = [Turn(0)] + [
        Turn(i, [(3.0 * i, 3.0 * i + 1)], [(3.0 * i + 1.5, 3.0 * i + 2.5)]) for i in range(1, 150)
    ]
    call.duration_s = 460.0
    ax = timeline(call)
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    for rows in (
        [t for t in ax.texts if t.get_text().isdigit()],
        [t for t in ax.texts if "." in t.get_text()],
    ):
        boxes = [t.get_window_extent(renderer) for t in rows]
        assert len(boxes) > 10
        assert all(a.x1 <= b.x0 for a, b in pairwise(boxes))
