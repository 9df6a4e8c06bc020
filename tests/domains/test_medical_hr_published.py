"""The HR tools against what the published ones answered and left behind."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalib.core import LANGUAGES
from evalib.domains import ToolExecutor, load_scenarios, replay, state_hash
from evalib.domains.placeholders import fill, token_values

# Where a recorded response is not what the published tool can have answered on the published database:
# - Names: the database holds them in the romanised, lower-case form, the recorded responses as spoken.
# - Record T1.2: its license ends on another day in the database than in the recorded responses.
NAMES = ("first_name", "last_name")
CONTRADICTED = {("T1.2", "get_license_record"), ("T1.2", "check_extension_eligibility")}


def recorded_responses(published: Path) -> dict[str, list[dict[str, Any]]]:
    records = json.loads((published / "medical_hr_dataset.json").read_text())
    out = {}
    for record in records:
        overrides = record["culture_overrides"], record["romanized_culture_overrides"]
        trace = fill(record["ground_truth"]["expected_trace"]["trace"], token_values(*overrides, "en"))
        out[record["id"]] = [e["response"] for e in trace if e["event_type"] == "tool_response"]
    return out


def lower_names(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {k: v.lower() if k in NAMES else lower_names(v) for k, v in value.items()}


def exact(value: Any) -> str:
    """Tells 12 from 12.0, which == does not."""
    return json.dumps(value, sort_keys=True)


def test_every_recorded_response(published: Path) -> None:
    recorded = recorded_responses(published)
    equal = but_for_names = 0
    differing = set()
    for scenario in load_scenarios(published, "medical_hr"):
        responses = replay(scenario).responses
        assert len(responses) == len(recorded[scenario.id])
        for call, ours, theirs in zip(
            scenario.reference_calls, responses, recorded[scenario.id], strict=True
        ):
            if exact(ours) == exact(theirs):
                equal += 1
            elif exact(ours) == exact(lower_names(theirs)):
                but_for_names += 1
            else:
                differing.add((scenario.id, call["name"]))
    assert differing == CONTRADICTED
    assert (equal, but_for_names) == (351, 43)


@pytest.mark.parametrize("language", LANGUAGES)
def test_replay_reaches_every_published_state(published: Path, language: str) -> None:
    results = {s.id: replay(s) for s in load_scenarios(published, "medical_hr", language=language)}
    assert {i: r.diff for i, r in results.items() if not r.hash_ok} == {}
    assert sum(r.ok for r in results.values()) == len(results) == 43


def test_replay_notices_every_missing_write(published: Path) -> None:
    """Leaving out any call that writes must be seen: the comparison can fail."""
    left_out = 0
    for scenario in load_scenarios(published, "medical_hr"):
        tools = ToolExecutor("medical_hr", scenario.initial_db, scenario.now)
        for i, call in enumerate(scenario.reference_calls):
            before = state_hash(tools.db)
            tools.call(call["name"], call["arguments"])
            if state_hash(tools.db) == before:
                continue
            without = [c for k, c in enumerate(scenario.reference_calls) if k != i]
            assert not replay(replace(scenario, reference_calls=without)).ok, (scenario.id, call)
            left_out += 1
    assert left_out > 100


def test_the_published_calls_pass_authentication_only_because_of_it(published: Path) -> None:
    """Without the calls that identify the caller, no call that writes succeeds."""
    for scenario in load_scenarios(published, "medical_hr"):
        rest = [c for c in scenario.reference_calls if "_auth" not in c["name"]]
        responses = replay(replace(scenario, reference_calls=rest)).responses
        for call, response in zip(rest, responses, strict=True):
            if call["name"] != "transfer_to_agent":
                assert response["error_type"] == "authentication_required", (scenario.id, call)
