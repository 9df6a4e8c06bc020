"""Made-up calls to draw, and figures that are closed again."""

from __future__ import annotations

import wave

import matplotlib
import numpy as np
import pytest

from evalib.core import Architecture, AudioFiles, Conversation, EndReason, ToolCall, Turn

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def call() -> Conversation:
    turns = [
        Turn(0, agent=[(0.5, 3.0)]),
        Turn(1, [(4.0, 7.0)], [(8.25, 12.0)]),
        Turn(2, [(13.0, 15.0)], [(18.5, 24.0)], tool_call=True),
        Turn(3, [(25.0, 30.0)], [(29.0, 33.0)], agent_interrupts=True),
        Turn(4, [(32.0, 35.0)], [(36.0, 40.0)], caller_interrupts=True),
        Turn(5, [(41.0, 42.5)]),
    ]
    calls = [
        ToolCall(0, "get_reservation", {}, {"status": "success"}, turn=2, start_s=16.0, end_s=16.5),
        ToolCall(1, "rebook_flight", {}, {"status": "error"}, turn=2, start_s=17.0, end_s=17.6),
        ToolCall(2, "assign_seat", {}, {"status": "success"}, turn=4, start_s=42.0),
    ]
    return Conversation(
        system="made-up",
        architecture=Architecture.CASCADE,
        domain="airline",
        scenario_id="1.1.1",
        trial=0,
        condition="clean",
        turns=turns,
        texts=[],
        trace=[],
        tool_calls=calls,
        initial_db={},
        final_db={},
        end_reason=EndReason.GOODBYE,
        duration_s=43.0,
    )


@pytest.fixture
def recorded_call(call, tmp_path) -> Conversation:
    """The same, with recordings: a tone where a side speaks, the agent's at half level."""
    for side, level in (("caller", 20_000), ("agent", 10_000)):
        t = np.arange(43 * 8000) / 8000
        sound = np.zeros(len(t))
        for turn in call.turns:
            for start, end in getattr(turn, side):
                sound[(t >= start) & (t < end)] = level
        with wave.open(str(tmp_path / f"{side}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes((sound * np.sin(2 * np.pi * 440 * t)).astype("<i2").tobytes())
    call.audio = AudioFiles(tmp_path / "caller.wav", tmp_path / "agent.wav", tmp_path / "mixed.wav")
    return call
