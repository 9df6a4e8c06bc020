"""The front door: what it makes, what it refuses, and that it is the same every time."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

import evalib
from evalib.core import ConfigError, EndReason, Status, StoreError
from evalib.experiments.calls import SpeechConfig
from evalib.simulator.agents.profile import AgentProfile, Faults
from evalib.simulator.party import Limits

IDS = ["E1.1", "E4.2"]


@pytest.fixture(scope="module")
def scenarios():
    return evalib.load_scenarios(ids=IDS)


def simulate(scenarios, **options):
    return evalib.simulate(scenarios, **({"fidelity": "text", "progress": False, "trials": 2} | options))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a run's trials; events without their wall-clock field."""
    found = {}
    for path in sorted(folder.glob("trials/**/*")):
        if path.is_file() and path.name not in ("done.json", "events.jsonl"):
            found[str(path.relative_to(folder))] = path.read_bytes()
        elif path.name == "events.jsonl":
            events = [json.loads(line) for line in path.read_text().splitlines()]
            for event in events:
                event.pop("utc")
            found[str(path.relative_to(folder))] = json.dumps(events).encode()
    return found


def finished(folder: Path) -> int:
    """Trials that are committed; os.walk does not mind folders that are renamed under it."""
    return sum("done.json" in files for at, _, files in os.walk(folder) if ".tmp-" not in at)


def test_a_call_for_every_agent_scenario_and_trial(scenarios):
    run = simulate(scenarios, agent=["careful", "hasty"])
    assert len(run) == 2 * 2 * 2
    assert {c.key for c in run} == {
        (a, "airline", s, t, "clean") for a in ("careful", "hasty") for s in IDS for t in (0, 1)
    }


def test_says_which_clock_and_cost_model_made_it(scenarios):
    call = simulate(scenarios, trials=1)[0]
    assert call.clock == "virtual"
    assert call.cost_model["agent"]["endpoint_s"] > 0


def test_same_seed_same_bytes_in_any_process(scenarios, tmp_path):
    simulate(scenarios, agent="hasty", out=tmp_path / "here")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        simulate(scenarios, agent="hasty", out=tmp_path / "there", executor=pool)
    here, there = contents(tmp_path / "here"), contents(tmp_path / "there")
    assert here == there
    simulate(scenarios, agent="hasty", out=tmp_path / "other", seed=1)
    assert contents(tmp_path / "other") != here


def test_resumes_and_repeats_no_finished_trial(scenarios, tmp_path):
    simulate(scenarios, out=tmp_path / "run")
    before = {p: p.stat().st_mtime_ns for p in tmp_path.glob("run/trials/**/conversation.json")}
    simulate(scenarios, out=tmp_path / "run")
    assert before == {p: p.stat().st_mtime_ns for p in tmp_path.glob("run/trials/**/conversation.json")}
    with pytest.raises(StoreError, match="already holds a run"):
        simulate(scenarios, out=tmp_path / "run", resume=False)
    with pytest.raises(StoreError, match="seed"):
        simulate(scenarios, out=tmp_path / "run", seed=3)


_KILLED = """
import sys, evalib
if __name__ == "__main__":
    scenarios = evalib.load_scenarios(ids=["E1.1", "E4.2", "E5.1"])
    evalib.simulate(scenarios, agent="hasty", trials=20, fidelity="text", progress=False, out=sys.argv[1])
"""


def test_killed_and_resumed_is_the_same_run(tmp_path):
    script = tmp_path / "go.py"
    script.write_text(_KILLED)

    def start(name):
        return subprocess.Popen([sys.executable, str(script), str(tmp_path / name)])

    assert start("whole").wait() == 0
    process = start("cut")
    for _ in range(3):
        trials = finished(tmp_path / "cut")
        deadline = time.monotonic() + 60
        while (
            process.poll() is None and time.monotonic() < deadline and finished(tmp_path / "cut") < trials + 5
        ):
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process = start("cut")
    assert process.wait() == 0
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert len(evalib.load_run(tmp_path / "cut")) == 60


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"agent": "nobody"}, "unknown agent 'nobody'"),
        ({"agent": []}, "no agent"),
        ({"agent": ["careful", "careful"]}, "one name"),
        ({"agent": 3}, "is no agent"),
        ({"fidelity": "video"}, "fidelity"),
        ({"clock": "sundial"}, "clock"),
        ({"caller": "mother"}, "caller"),
        ({"trials": 0}, "trials"),
        ({"trials": 1.5}, "trials"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"gate": "iron"}, "gate"),
        ({"agent": AgentProfile}, "is a class"),
        ({"trials": True}, "trials"),
        ({"condition": ""}, "condition"),
        ({"condition": 3}, "condition"),
        ({"seed": 1.0}, "seed"),
        ({"seed": "0"}, "seed"),
        ({"limits": 600}, "limits"),
        ({"limits": Limits(duration_s=-1.0)}, "duration_s"),
        ({"limits": Limits(max_turns=0)}, "max_turns"),
        ({"speech": "whisper"}, "speech"),
        ({"speech": SpeechConfig(vad="nope")}, "vad='nope'"),
        ({"speech": SpeechConfig(stt="nope")}, "stt='nope'"),
        ({"speech": SpeechConfig(caller_voice="nope")}, "caller_voice='nope'"),
        ({"out": 3}, "out"),
        ({"out": ""}, "out"),
        ({"executor": 4}, "executor"),
    ],
)
def test_bad_arguments_are_named(scenarios, options, says):
    with pytest.raises(ConfigError, match=says):
        simulate(scenarios, **options)


def test_no_scenarios_and_no_scenario():
    with pytest.raises(ConfigError, match="no scenarios"):
        simulate([])
    with pytest.raises(ConfigError, match="is no scenario"):
        simulate(["E1.1"])
    with pytest.raises(ConfigError, match="is no scenario"):
        simulate(3)


def test_scenarios_that_calls_cannot_be_about(scenarios):
    with pytest.raises(ConfigError, match=r"given more than once: scenario airline E1\.1;"):
        simulate([*scenarios, scenarios[0]])
    french = replace(scenarios[0], language="fr")
    with pytest.raises(ConfigError, match=r"E1\.1 is in 'fr': .*English only"):
        simulate([french])


def test_an_agent_that_breaks_is_an_infrastructure_error_and_no_score(scenarios):
    run = simulate(scenarios, agent=_Breaks(), trials=1, gate=None)
    assert all(c.end_reason == EndReason.ERROR and "no brain today" in c.error for c in run)
    scores = evalib.score(run, metrics=["task_completion"])
    assert set(scores["status"]) == {Status.INFRA_ERROR}
    assert scores["value"].isna().all()


class _Breaks(AgentProfile):
    def __init__(self):
        super().__init__("breaks")

    def brain(self, scenario, rng):
        brain = super().brain(scenario, rng)

        async def reply(heard, desk):
            raise RuntimeError("no brain today")

        brain.reply = reply
        return brain


def test_the_gate_repeats_a_call_and_marks_what_it_never_takes(scenarios):
    refused = []

    def gate(conversation, scenario):
        refused.append(conversation.key)
        return "never good enough" if conversation.scenario_id == "E1.1" else None

    run = simulate(scenarios, trials=1, gate=gate, max_attempts=3)
    assert len(refused) == 3 + 1
    spoiled = run.select(scenario="E1.1")[0]
    assert spoiled.invalid == "never good enough"
    assert spoiled.attempt == 3
    scores = evalib.score(run)
    of_spoiled = scores[scores["scenario"] == "E1.1"]
    kept = of_spoiled[~of_spoiled["metric"].isin(["conversation_valid_end"])]
    assert set(kept["status"]) <= {Status.INVALID_SIMULATION, Status.NOT_RUN}
    assert kept["value"].isna().all()
    assert (scores[scores["scenario"] == "E4.2"]["status"] == Status.OK).any()


def test_a_silent_agent_is_the_agents_failing_and_is_scored(scenarios):
    mute = AgentProfile("mute", Faults(silent=1.0))
    run = simulate(scenarios, agent=mute, trials=1)
    assert all(c.end_reason == EndReason.INACTIVITY and c.invalid is None for c in run)
    scores = evalib.score(run, metrics=["task_completion", "turn_taking"])
    headline = scores[~scores["metric"].str.contains(".", regex=False)]
    assert (headline["value"] == 0.0).all()


def test_scores_are_stored_with_the_run(scenarios, tmp_path):
    run = simulate(scenarios, out=tmp_path / "run")
    scores = evalib.score(run)
    again = evalib.load_run(tmp_path / "run").scores
    assert again.equals(scores)
    assert tuple(scores.columns) == evalib.core.SCORE_COLUMNS


def test_score_refuses_what_it_does_not_have(scenarios):
    run = simulate(scenarios, trials=1)
    with pytest.raises(ConfigError, match="judges"):
        evalib.score(run, judges="llm")
    with pytest.raises(ConfigError, match="unknown metric"):
        evalib.score(run, metrics=["charm"])
    for none in (None, [], 3):
        with pytest.raises(ConfigError, match="names of metrics"):
            evalib.score(run, metrics=none)
    with pytest.raises(ConfigError, match="is no run"):
        evalib.score(list(run))


@pytest.mark.parametrize("stored", [True, False])
def test_scoring_some_metrics_again_keeps_the_others(scenarios, tmp_path, stored):
    run = simulate(scenarios, trials=1, out=tmp_path / "run" if stored else None)
    whole = evalib.score(run)
    part = evalib.score(run, metrics=["turn_taking"])
    assert {m.split(".")[0] for m in part["metric"]} == {"turn_taking"}
    order = ["system", "scenario", "metric", "judge"]
    for reader in (run, evalib.load_run(run.path) if stored else run):
        assert reader.scores.sort_values(order, ignore_index=True).equals(
            whole.sort_values(order, ignore_index=True)
        )
        assert "task_completion" in set(reader.details["metric"])


def test_composites_join_what_was_scored_at_different_times(scenarios):
    run = simulate(scenarios, trials=1)
    for metric in ("turn_taking", "conversation_progression"):
        evalib.score(run, metrics=[metric])
        assert "eva_x_pass" not in set(run.scores["metric"])
    evalib.score(run, metrics=["conciseness"])
    together = evalib.score(
        run, metrics=["turn_taking", "conversation_progression", "conciseness"], save=False
    )
    of_both = [t[t["metric"] == "eva_x_pass"].reset_index(drop=True) for t in (run.scores, together)]
    assert len(of_both[0]) == len(run)
    assert of_both[0].equals(of_both[1])


def test_scores_that_are_not_to_be_saved_are_not(scenarios, tmp_path):
    run = simulate(scenarios, trials=1, out=tmp_path / "run")
    evalib.score(run, metrics=["task_completion"], save=False)
    assert not run.scored
