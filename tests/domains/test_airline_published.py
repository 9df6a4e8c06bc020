"""The airline tools against what the published ones answered and left behind."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalib.core import LANGUAGES
from evalib.domains import ToolExecutor, load_scenarios, replay, state_hash
from evalib.domains.placeholders import fill, token_values

# Where the recorded responses are not what the tool answered at that moment:
# - Search and rebooking responses were recorded by reference and written out at the end of the call,
#   so the seats of their segments are those of the end state.
# - The conversation loop, not the tool, answered transfers; judge validation data holds the tool's
#   own answer, which a test below compares.
SEATS_OF_THE_END = ("search_rebooking_options", "rebook_flight")
ANSWERED_ELSEWHERE = {"transfer_to_agent": {"status": "transfer_initiated"}}


def recorded_responses(published: Path) -> dict[str, list[dict[str, Any]]]:
    records = json.loads((published / "airline_dataset.json").read_text())
    out = {}
    for record in records:
        overrides = record["culture_overrides"], record["romanized_culture_overrides"]
        trace = fill(record["ground_truth"]["expected_trace"]["trace"], token_values(*overrides, "en"))
        out[record["id"]] = [e["response"] for e in trace if e["event_type"] == "tool_response"]
    return out


def with_seats_of(db: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """The response as it reads once written out at the end of the call."""
    response = copy.deepcopy(response)
    for journey in [*response.get("options", []), response.get("new_journey")]:
        if journey:
            at_end = db["journeys"][journey["journey_id"]]["segments"]
            for segment, other in zip(journey["segments"], at_end, strict=True):
                segment["available_seats"] = other["available_seats"]
    return response


def exact(value: Any) -> str:
    """Tells 75 from 75.0, which == does not."""
    return json.dumps(value, sort_keys=True)


def test_every_recorded_response(published: Path) -> None:
    recorded = recorded_responses(published)
    compared = transfers = 0
    for scenario in load_scenarios(published, "airline"):
        responses = replay(scenario).responses
        assert len(responses) == len(recorded[scenario.id])
        for call, ours, theirs in zip(
            scenario.reference_calls, responses, recorded[scenario.id], strict=True
        ):
            if call["name"] in ANSWERED_ELSEWHERE:
                assert theirs == ANSWERED_ELSEWHERE[call["name"]]
                transfers += 1
                continue
            if call["name"] in SEATS_OF_THE_END:
                ours = with_seats_of(scenario.expected_db, ours)
            assert exact(ours) == exact(theirs), f"{scenario.id} {call['name']}"
            compared += 1
    assert (compared, transfers) == (115, 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_replay_reaches_every_published_state(published: Path, language: str) -> None:
    results = {s.id: replay(s) for s in load_scenarios(published, "airline", language=language)}
    assert {i: r.diff for i, r in results.items() if not r.hash_ok} == {}
    assert sum(r.ok for r in results.values()) == len(results) == 24


def test_replay_notices_every_missing_write(published: Path) -> None:
    """Leaving out any call that writes must be seen: the comparison can fail."""
    left_out = 0
    for scenario in load_scenarios(published, "airline"):
        executor = ToolExecutor("airline", scenario.initial_db, scenario.now)
        for i, call in enumerate(scenario.reference_calls):
            before = state_hash(executor.db)
            executor.call(call["name"], call["arguments"])
            if state_hash(executor.db) == before:  # a read, or a meal of "none" in place of null
                continue
            without = [c for k, c in enumerate(scenario.reference_calls) if k != i]
            assert not replay(replace(scenario, reference_calls=without)).ok, (scenario.id, call)
            left_out += 1
    assert left_out > 40


def test_calls_of_a_published_run_leave_its_final_state(shared: Path) -> None:
    """A real agent's calls, recorded by the published framework with the database it ended on."""
    record = shared / "eva-bench" / "run-sample" / "output" / "records" / "1.1.2"
    if not record.is_dir():
        pytest.skip(f"no published run at {record}")
    initial = json.loads((record / "initial_scenario_db.json").read_text())
    final = json.loads((record / "final_scenario_db.json").read_text())
    executor = ToolExecutor("airline", initial, initial["_current_date"])
    recorded = []
    for entry in json.loads((record / "audit_log.json").read_text())["transcript"]:
        if entry.get("message_type") == "tool_call":
            executor.call(entry["value"]["tool"], entry["value"]["parameters"])
        elif entry.get("message_type") == "tool_response":
            recorded.append(entry["value"]["response"])
    assert state_hash(executor.db) == state_hash(final) != state_hash(initial)
    for ours, theirs in zip(executor.log, recorded, strict=True):
        if ours.name in SEATS_OF_THE_END:
            assert exact(with_seats_of(final, ours.response)) == exact(theirs)
        elif ours.name != "get_reservation":  # that version did not show the schedule
            assert exact(ours.response) == exact(theirs)


def test_transfer_answers_as_the_published_tool(shared: Path, executor: ToolExecutor) -> None:
    path = shared / "eva-bench" / "judge_validation" / "faithfulness.dev.jsonl"
    if not path.is_file():
        pytest.skip(f"no judge validation data at {path}")
    traces = [json.loads(line)["trace"] for line in path.read_text().splitlines()]
    theirs = [
        e["response"]
        for trace in traces
        for e in trace
        if e.get("tool_name") == "transfer_to_agent"
        and e["event_type"] == "tool_response"
        and e["response"].get("transfer_id", "").startswith("TRF-")
        and len(e["response"].get("confirmation_number", "")) == 6
    ]
    assert theirs
    arguments = {"confirmation_number": "AB1C2D", "transfer_reason": "r", "issue_summary": "s"}
    ours = executor.call("transfer_to_agent", arguments)
    for response in theirs:
        assert set(response) == set(ours)
        code = response["confirmation_number"]
        assert response["transfer_id"] in (f"TRF-{code}-001", f"TRF-{code}-002")
