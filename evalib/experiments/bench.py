"""How fast calls are simulated on this machine: seconds of call per second of one core."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from evalib.core import ConfigError, Scenario
from evalib.experiments.calls import CallSpec, SpeechConfig, run_call
from evalib.experiments.simulate import simulate
from evalib.simulator.agents.profile import PROFILES


def bench(seconds: float = 5.0) -> Iterator[str]:
    """Measure text and audio fidelity, each for about `seconds`, and say what was measured.

    Nothing is asserted: numbers depend on the machine and on what else it is doing.

    Raises
    ------
    ConfigError
        When `seconds` is not above 0.
    """
    from evalib.domains import load_scenarios

    if not 0 < seconds < float("inf"):
        raise ConfigError(f"seconds={seconds}: the time for a measurement must be above 0")
    scenarios = load_scenarios(domain="airline")
    yield f"one process, {os.cpu_count()} cores; {len(scenarios)} built-in airline scenarios"
    simulate(scenarios[:1], trials=1, fidelity="text", progress=False)  # imports are not what is measured
    yield from _text(scenarios, seconds)
    yield from _audio(scenarios, seconds)


def _text(scenarios: list[Scenario], seconds: float) -> Iterator[str]:
    specs = [CallSpec(s, PROFILES["reference"], 0, 0, fidelity="text") for s in scenarios]
    calls, took = _repeat(lambda i: run_call(replace(specs[i % len(specs)], trial=i)), seconds)
    yield f"text, kept in memory:        {calls / took:8.1f} calls a second"
    with tempfile.TemporaryDirectory() as folder:
        start, trials = time.perf_counter(), max(1, int(calls / len(specs) / 2))
        run = simulate(scenarios, trials=trials, fidelity="text", out=Path(folder) / "run", progress=False)
        took = time.perf_counter() - start
        yield f"text, written durably:       {len(run) / took:8.1f} calls a second"


def _audio(scenarios: list[Scenario], seconds: float) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        kept, os.environ["EVALIB_CACHE"] = os.environ.get("EVALIB_CACHE"), folder
        try:
            spec = CallSpec(scenarios[0], PROFILES["reference"], 0, 0)
            run_call(replace(spec, scenario=scenarios[-1]))  # loads the engines
            fresh = iter(scenarios[:-1])
            cold, took, n = 0.0, 0.0, 0
            for scenario in fresh:
                if took > 4 * seconds:
                    break
                start = time.perf_counter()
                cold += run_call(replace(spec, scenario=scenario)).conversation.duration_s
                took += time.perf_counter() - start
                n += 1
            yield f"audio, cold caches:          {cold / took:8.1f} s of call a second ({n} calls)"
            for name, vad in (("energy", "energy"), ("Silero", "silero")):
                one = replace(spec, speech=SpeechConfig(vad=vad))
                run_call(one)
                lasted, took = 0.0, 0.0
                for _ in count():
                    start = time.perf_counter()
                    lasted += run_call(one).conversation.duration_s
                    took += time.perf_counter() - start
                    if took > seconds:
                        break
                yield f"audio, warm caches, {name}:  {lasted / took:8.1f} s of call a second"
        finally:
            os.environ.pop("EVALIB_CACHE")
            if kept is not None:
                os.environ["EVALIB_CACHE"] = kept


def _repeat(work: Callable[[int], object], seconds: float) -> tuple[int, float]:
    """How often `work` ran in about `seconds`, and in how long exactly."""
    start = time.perf_counter()
    for done in count(1):
        work(done)
        if (took := time.perf_counter() - start) > seconds:
            return done, took
    raise AssertionError("count() does not end")
