"""One call, and many: what is kept of them, and what becomes of them when something breaks."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import weakref
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context

import pytest

import evalib
from evalib.core import Architecture, ConfigError, EndReason, SimulationError, StoreError
from evalib.domains.executor import ToolExecutor
from evalib.experiments import calls as calls_module
from evalib.experiments.calls import CallSpec, run_call
from evalib.simulator.agents.profile import PROFILES, AgentProfile
from evalib.simulator.party import LatencyProfile


@pytest.fixture(scope="module")
def scenarios():
    return evalib.load_scenarios(ids=["E1.1", "E4.2"])


def simulate(scenarios, **options):
    return evalib.simulate(scenarios, **({"fidelity": "text", "progress": False, "trials": 1} | options))


# -- one call


def test_another_attempt_has_other_draws(scenarios):
    """Refused once, a call is not the same call again."""
    spec = CallSpec(scenarios[0], PROFILES["reference"], 0, 0, fidelity="text")
    first = run_call(spec).conversation
    second = run_call(spec, lambda c, s: None if c.attempt == 2 else "again", 2).conversation
    assert (first.attempt, second.attempt, second.invalid) == (1, 2, None)
    assert second.seed != first.seed
    assert second.turns != first.turns


def test_a_tool_call_holds_the_changes_it_made(scenarios, monkeypatch):
    made = []

    class Kept(ToolExecutor):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(calls_module, "ToolExecutor", Kept)
    call = run_call(CallSpec(scenarios[0], PROFILES["reference"], 0, 0, fidelity="text")).conversation
    assert [c.changes for c in call.tool_calls] == [c.changes for c in made[0].log]
    assert any(c.changes for c in call.tool_calls)
    assert any(not c.changes for c in call.tool_calls)


def test_stored_events_say_when_they_happened(scenarios, tmp_path):
    before = datetime.now(UTC)
    run = simulate(scenarios[:1], out=tmp_path / "run")
    events = run.events(run[0])
    began = datetime.fromisoformat(events[0].utc)
    assert before <= began <= datetime.now(UTC)
    for event in events:
        expected = began + timedelta(seconds=event.offset_s - events[0].offset_s)
        assert abs(datetime.fromisoformat(event.utc) - expected) < timedelta(milliseconds=1)
    spec = CallSpec(scenarios[0], PROFILES["reference"], 0, 0, fidelity="text")
    assert run_call(spec) == run_call(spec)  # when is no part of what


# -- gates


@pytest.mark.parametrize("verdict", [True, False, 0, "", ["late"]])
def test_a_gate_gives_a_reason_or_none(scenarios, verdict):
    with pytest.raises(ConfigError, match="returned"):
        simulate(scenarios, gate=lambda conversation, scenario: verdict)


def test_a_gate_that_breaks_is_named_and_earlier_calls_are_kept(scenarios, tmp_path):
    def picky(conversation, scenario):
        if scenario.id == "E4.2":
            raise ValueError("no such rule")

    with pytest.raises(SimulationError, match=r"gate .*picky failed at .*E4\.2.*ValueError: no such rule"):
        simulate(scenarios, gate=picky, out=tmp_path / "run")
    assert [c.scenario_id for c in evalib.load_run(tmp_path / "run")] == ["E1.1"]


# -- agents


class Own:
    """An agent that is no dataclass."""

    name, architecture = "own", Architecture.CASCADE
    latency = LatencyProfile()

    def __init__(self, leave=None, config=None):
        self.leave = leave
        if config is not None:
            self.config = config

    def brain(self, scenario, rng):
        return _Brain(self.leave)


class Other(Own):
    pass


class _Brain:
    def __init__(self, leave):
        self._leave = leave

    async def greet(self, desk):
        desk.say("Hello.")

    async def reply(self, heard, desk):
        desk.say("Goodbye.")
        desk.leave(self._leave or EndReason.AGENT_HANGUP)


def test_a_wrong_way_to_leave_costs_that_call_only(scenarios):
    run = simulate(scenarios, agent=[Own("whatever"), PROFILES["careful"]])
    assert {c.end_reason for c in run.select(system="own")} == {EndReason.ERROR}
    assert all("an agent leaves with" in c.error for c in run.select(system="own"))
    assert all(c.end_reason == EndReason.GOODBYE for c in run.select(system="careful"))


def test_an_agent_that_makes_no_brain_is_named(scenarios):
    class Headless(Own):
        def brain(self, scenario, rng):
            raise KeyError("brain")

    with pytest.raises(SimulationError, match=r"'own' made no brain for airline E1\.1: KeyError"):
        simulate(scenarios, agent=Headless())


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (Other(), r"config\.agents"),
        (Own(config={"prompt": "short"}), r"config\.agents"),
        (replace(PROFILES["careful"], name="own"), r"config\.agents"),
    ],
    ids=["class", "config", "kind"],
)
def test_another_agent_of_the_same_name_does_not_continue_a_run(scenarios, tmp_path, changed, told):
    simulate(scenarios, agent=Own(), out=tmp_path / "run")
    simulate(scenarios, agent=Own(), out=tmp_path / "run")
    with pytest.raises(StoreError, match=told):
        simulate(scenarios, agent=changed, out=tmp_path / "run")


def test_another_latency_or_architecture_does_not_continue_a_run(scenarios, tmp_path):
    simulate(scenarios, agent=Own(), out=tmp_path / "run")
    for name, value in (("latency", LatencyProfile(endpoint_s=0.1)), ("architecture", Architecture.S2S)):
        agent = Own()
        setattr(agent, name, value)
        with pytest.raises(StoreError, match=r"config\.agents"):
            simulate(scenarios, agent=agent, out=tmp_path / "run")


def test_another_gate_does_not_continue_a_run(scenarios, tmp_path):
    def accepts(conversation, scenario):
        return None

    gates = [
        accepts,
        lambda c, s: "no" if c.condition in {"a", "b", "c"} else None,
        lambda c, s: "no" if c.condition == "a" else None,
        None,
        "default",
    ]
    for n, gate in enumerate(gates):
        out = tmp_path / str(n)
        simulate(scenarios[:1], gate=gate, out=out)
        simulate(scenarios[:1], gate=gate, out=out)
        for other in gates[:n] + gates[n + 1 :]:
            with pytest.raises(StoreError, match=r"config\.gate"):
                simulate(scenarios[:1], gate=other, out=out)


_RECORD = """
from evalib.experiments.asked import _gate_record
print(_gate_record(lambda c, s: [x for x in "ab" if x in {"a", "b", "c"}] or None))
"""


def test_the_record_of_a_gate_is_the_same_in_every_process():
    records = {
        subprocess.run(
            [sys.executable, "-c", _RECORD],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in range(3)
    }
    assert len(records) == 1
    assert records.pop().startswith("__main__.<lambda> ")


# -- many calls at once


class Killer(AgentProfile):
    """Kills the process in which it is asked for a second brain."""

    def brain(self, scenario, rng):
        if scenario.id == "E4.2" and os.environ.get("EVALIB_TEST_KILL"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().brain(scenario, rng)


def test_a_killed_worker_is_one_line_and_the_run_continues(scenarios, tmp_path, monkeypatch):
    monkeypatch.setenv("EVALIB_TEST_KILL", "1")
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(SimulationError, match="run the same again to continue") as error,
    ):
        simulate(scenarios, agent=Killer("killer"), out=tmp_path / "run", executor=pool)
    assert "\n" not in str(error.value)
    assert [c.scenario_id for c in evalib.load_run(tmp_path / "run")] == ["E1.1"]
    monkeypatch.delenv("EVALIB_TEST_KILL")
    assert len(simulate(scenarios, agent=Killer("killer"), out=tmp_path / "run")) == 2


def test_what_cannot_be_sent_to_a_worker_is_told_before_the_first_call(scenarios):
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(ConfigError, match="cannot be sent to another process"),
    ):
        simulate(scenarios, gate=lambda c, s: None, executor=pool)


class _Counting(Executor):
    """Does at once what it is given, and knows how much of it is still remembered."""

    _max_workers = 2

    def __init__(self):
        self.results: list[weakref.ref] = []
        self.most = 0

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        result = fn(*args, **kwargs)
        self.results.append(weakref.ref(result))
        future.set_result(result)
        del result
        gc.collect()
        self.most = max(self.most, sum(ref() is not None for ref in self.results))
        return future


def test_results_are_let_go_once_they_are_written(scenarios, tmp_path):
    executor = _Counting()
    run = simulate(scenarios, trials=8, out=tmp_path / "run", executor=executor)
    assert len(run) == len(executor.results) == 16
    assert executor.most <= 2 * 2 + 2
