"""Creating and resuming a run folder."""

from __future__ import annotations

import json
import pickle
import shutil
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import StoreError
from evalib.store import RunWriter, load_run
from evalib.store.trial import TrialKey, trial_folder


@dataclass
class Profile:
    name: str
    latency: float


class Colour(Enum):
    RED = "red"


def test_run_json_says_what_was_run(tmp_path, scenario):
    config = {"profile": Profile("careful", 0.5), "colours": (Colour.RED,), "data": Path("a"), "set": {2, 1}}
    RunWriter(tmp_path / "run", config, [scenario], seed=3, planned=5)
    stored = json.loads((tmp_path / "run" / "run.json").read_text())
    assert stored["schema_version"] == 1
    assert stored["config"] == {
        "profile": {"name": "careful", "latency": 0.5},
        "colours": ["red"],
        "data": "a",
        "set": [1, 2],
    }
    assert (stored["seed"], stored["planned"]) == (3, 5)
    (session,) = stored["sessions"]
    assert session["versions"].keys() == {"evalib", "python", "platform", "git", "packages"}
    assert session["utc"].endswith("+00:00")


def test_a_resumed_run_knows_what_is_finished(tmp_path, scenario, make_call, timeline):
    writer = RunWriter(tmp_path, {"n": 1}, [scenario])
    assert writer.finished() == set()
    calls = [make_call(trial=n, condition=c) for n in (0, 1) for c in ("clean", "noise")]
    for call in calls:
        writer.write(call, timeline)
    writer.close()
    assert RunWriter(tmp_path, {"n": 1}, [scenario]).finished() == {call.key for call in calls}
    assert list(load_run(tmp_path)) == sorted(calls, key=lambda c: (c.condition, c.trial))


@pytest.mark.parametrize(
    ("config", "options", "told"),
    [
        ({"agent": {"latency": 0.6}, "n": 1}, {}, "config.agent.latency was 0.5 and is 0.6"),
        ({"agent": {"latency": 0.5}}, {}, "config.n was 1 and is not given"),
        (
            {"agent": {"latency": 0.5}, "n": 1, "gate": None},
            {},
            "config.gate was not given and is None",
        ),
        ({"agent": {"latency": 0.5}, "n": 1}, {"seed": 1}, "seed was 0 and is 1"),
        ({"agent": {"latency": 0.5}, "n": 1}, {"planned": 4}, "planned was None and is 4"),
    ],
)
def test_another_configuration_is_not_resumed(tmp_path, scenario, config, options, told):
    RunWriter(tmp_path, {"agent": {"latency": 0.5}, "n": 1}, [scenario])
    with pytest.raises(StoreError) as error:
        RunWriter(tmp_path, config, [scenario], **options)
    assert told in str(error.value)


def test_a_run_is_resumed_only_when_allowed(tmp_path, scenario):
    RunWriter(tmp_path, {}, [scenario])
    with pytest.raises(StoreError, match="already holds a run"):
        RunWriter(tmp_path, {}, [scenario], resume=False)


def test_another_scenario_of_the_same_id_is_refused(tmp_path, scenario, make_scenario):
    RunWriter(tmp_path / "run", {}, [scenario])
    with pytest.raises(StoreError, match=r"airline 1\.1\.1 differs.*: starting_utterance\."):
        RunWriter(tmp_path / "run", {}, [make_scenario(starting_utterance="Bonjour")])
    with pytest.raises(StoreError, match="differs"):
        RunWriter(tmp_path / "new", {}, [scenario, make_scenario(language="fr")])
    RunWriter(tmp_path / "run", {}, [make_scenario(source="another folder")])


def test_a_folder_of_someone_else_is_left_alone(tmp_path, scenario):
    (tmp_path / "thesis.tmp-1").write_text("mine")
    with pytest.raises(StoreError, match=r"holds files but no run\.json"):
        RunWriter(tmp_path, {}, [scenario])
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tmp-1"]


def test_a_call_about_an_unknown_scenario_is_refused(tmp_path, scenario, make_call):
    writer = RunWriter(tmp_path, {}, [scenario])
    with pytest.raises(StoreError, match="was not given"):
        writer.write(make_call(scenario_id="9.9.9"), [])


def test_two_systems_of_one_name_are_told(tmp_path, scenario, make_call, timeline):
    writer = RunWriter(tmp_path, {}, [scenario])
    writer.write(make_call(), timeline)
    writer.write(make_call(), timeline)  # the same call again, by a worker that outlived its run
    with pytest.raises(StoreError, match="name of its own"):
        writer.write(make_call(duration_s=99.0), timeline)


def test_a_writer_crosses_to_a_worker(tmp_path, scenario, make_call, timeline):
    writer = pickle.loads(pickle.dumps(RunWriter(tmp_path, {}, [scenario])))
    call = writer.write(make_call(), timeline)
    assert list(load_run(tmp_path)) == [call]


def test_other_versions_are_noted_and_do_not_stop_a_resume(tmp_path, scenario, monkeypatch):
    RunWriter(tmp_path, {}, [scenario])
    first = (tmp_path / "run.json").read_bytes()
    monkeypatch.setattr("evalib.store.writer.versions", lambda: {"evalib": "9"})
    RunWriter(tmp_path, {}, [scenario])
    RunWriter(tmp_path, {}, [scenario])
    sessions = json.loads((tmp_path / "run.json").read_text())["sessions"]
    assert [s["versions"]["evalib"] for s in sessions] == [
        json.loads(first)["sessions"][0]["versions"]["evalib"],
        "9",
    ]


def test_what_json_cannot_hold_is_named(tmp_path, scenario):
    with pytest.raises(StoreError, match=r"config\.agent\.1 is a function"):
        RunWriter(tmp_path / "run", {"agent": [1, lambda: None]}, [scenario])


ID = st.text(st.characters(exclude_categories=()), max_size=20) | st.sampled_from(
    ["..", "../..", "../../x", "/etc/x", "a/b", "a\\..\\b", "C:\\x", "CON", "", ".", "~", "x" * 400, "\x00"]
)


@settings(max_examples=40)
@given(system=ID, condition=ID, scenario_id=ID, domain=ID)
def test_nothing_is_written_outside_the_run_folder(
    tmp_path_factory, make_call, make_scenario, system, condition, scenario_id, domain
):
    outer = tmp_path_factory.mktemp("outer")
    scenario = make_scenario(id=scenario_id, domain=domain)
    call = make_call(system=system, condition=condition, scenario_id=scenario_id, domain=domain)
    RunWriter(outer / "run", {}, [scenario]).write(call, [])
    assert [p.name for p in outer.iterdir()] == ["run"]
    assert sorted(p.name for p in (outer / "run").iterdir()) == ["run.json", "scenarios", "trials"]
    run = load_run(outer / "run")
    assert list(run) == [call]
    assert run.scenarios() == {(domain, scenario_id): scenario}
    shutil.rmtree(outer)


def test_ids_that_differ_in_case_alone_are_two_calls(tmp_path, scenario, make_call):
    writer = RunWriter(tmp_path, {}, [scenario])
    calls = [writer.write(make_call(system=s), []) for s in ("A", "a")]
    folders = [trial_folder(tmp_path, TrialKey(*c.key)) for c in calls]
    assert str(folders[0]).lower() != str(folders[1]).lower()
    assert [c.system for c in load_run(tmp_path)] == ["A", "a"]


def test_folders_of_someone_else_among_the_trials_are_left_alone(tmp_path, scenario, make_call):
    with RunWriter(tmp_path, {}, [scenario]) as writer:
        folder = trial_folder(tmp_path, TrialKey(*writer.write(make_call(), []).key))
    others = ["trial_notes", "trial_0 copy", "trial_0.tmp-mine", "trial_"]
    for name in others:
        (folder.parent / name).mkdir()
        (folder.parent / name / "thesis.txt").write_text("mine")
    torn = folder.with_name("trial_1.tmp-123")
    torn.mkdir()
    with RunWriter(tmp_path, {}, [scenario]) as writer:
        assert writer.finished() == {make_call().key}
    assert all((folder.parent / name / "thesis.txt").read_text() == "mine" for name in others)
    assert not torn.exists()
    assert len(load_run(tmp_path)) == 1


def test_a_folder_name_with_a_nul_is_refused(tmp_path, scenario):
    with pytest.raises(StoreError, match="NUL"):
        RunWriter(f"{tmp_path}/a\0b", {}, [scenario])
