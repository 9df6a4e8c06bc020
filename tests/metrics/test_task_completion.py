"""Task completion: state and authentication gate, on a made-up call and on published records."""

from __future__ import annotations

import copy
import json

import pytest

from evalib.core import EndReason
from evalib.metrics.task_completion import METRIC


@pytest.fixture
def final_db(make_conversation):
    return copy.deepcopy(make_conversation().final_db)


def test_perfect(make_conversation, make_scenario):
    (value,) = METRIC.score(make_conversation(), make_scenario())
    assert (value.value, value.status, value.reason) == (1.0, "ok", "")
    evidence = value.details[0].evidence
    assert evidence["state_ok"]
    assert evidence["session_ok"]
    assert evidence["state_diff"] == {}
    assert evidence["expected_hash"] == evidence["actual_hash"]


def test_meaningless_differences_do_not_count(make_conversation, make_scenario, final_db):
    final_db["session"]["last_name"] = "OKAFOR"
    final_db["session"]["more"] = "allowed"
    (value,) = METRIC.score(make_conversation(final_db=final_db), make_scenario())
    assert value.value == 1.0


def test_gate_fails_although_the_state_is_right(make_conversation, make_scenario, final_db):
    final_db["session"] = {"confirmation_number": "QX7R2M"}
    (value,) = METRIC.score(make_conversation(final_db=final_db), make_scenario())
    assert value.value == 0.0
    assert value.reason == "not authenticated (last_name)"
    evidence = value.details[0].evidence
    assert evidence["state_ok"]
    assert evidence["session_lacking"] == {"last_name": {"expected": "okafor", "actual": None}}


def test_wrong_missing_and_extra_changes_all_fail(make_conversation, make_scenario, final_db):
    wrong, missing, extra = (copy.deepcopy(final_db) for _ in range(3))
    wrong["reservations"]["QX7R2M"]["status"] = "cancelled"
    del missing["reservations"]["QX7R2M"]
    extra["travel_credits"] = {"TC1": {"amount": 50}}
    for db, words in (
        (wrong, "state differs in reservations"),
        (missing, "state differs in reservations"),
        (extra, "state has added travel_credits"),
    ):
        (value,) = METRIC.score(make_conversation(final_db=db), make_scenario())
        assert value.value == 0.0
        assert value.reason == words
        assert value.details[0].evidence["state_diff"]


def test_no_final_database_is_not_zero(make_conversation, make_scenario):
    (value,) = METRIC.score(make_conversation(final_db={}), make_scenario())
    assert value.value is None
    assert value.status == "infra_error"


def test_broken_call_is_not_zero(make_conversation, make_scenario):
    broken = make_conversation(end_reason=EndReason.ERROR, error="socket closed")
    (value,) = METRIC.score(broken, make_scenario())
    assert (value.value, value.status) == (None, "infra_error")
    assert "socket closed" in value.reason


def test_every_published_record(published, make_conversation, make_scenario):
    """The published expected state passes; the state before the call passes only where they agree."""
    from evalib.domains.loader import load_scenarios
    from evalib.domains.replaying import replay

    scenarios = load_scenarios(published, domain="airline")
    assert len(scenarios) == 24
    for scenario in scenarios:
        call = {"scenario_id": scenario.id}
        (done,) = METRIC.score(make_conversation(final_db=replay(scenario).db, **call), scenario)
        assert done.value == 1.0, scenario.id
        untouched = {**scenario.initial_db, "_current_date": scenario.date, "session": {}}
        (nothing,) = METRIC.score(make_conversation(final_db=untouched, **call), scenario)
        writes = json.dumps(scenario.expected_db) != json.dumps(untouched)
        assert nothing.value == (0.0 if writes else 1.0), scenario.id
