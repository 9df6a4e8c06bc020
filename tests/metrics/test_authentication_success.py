"""Authentication: the superset rule and the sub-metrics, by hand."""

from __future__ import annotations

import pytest

from evalib.core import ToolCall
from evalib.metrics.authentication_success import AUTH_TOOLS, METRIC

OK, FAILED = {"status": "success"}, {"status": "error", "error_type": "authentication_failed"}


def values(conversation, scenario):
    return {v.name.partition(".")[2]: v for v in METRIC.score(conversation, scenario)}


def calls(*responses, name="get_reservation"):
    return [ToolCall(i, name, {}, r, turn=i + 1) for i, r in enumerate(responses)]


def test_first_try(make_conversation, make_scenario):
    found = values(make_conversation(), make_scenario())
    assert found[""].value == 1.0
    assert found["first_try"].value == 1.0
    assert found["num_auth_calls"].value == 1
    assert found["distinct_tools_per_call"].value == 1.0
    assert found["num_auth_calls_on_failure"].status == "not_applicable"


def test_second_try(make_conversation, make_scenario):
    found = values(make_conversation(tool_calls=calls(FAILED, OK)), make_scenario())
    assert found[""].value == 1.0
    assert found["first_try"].value == 0.0
    assert found["num_auth_calls"].value == 2
    assert found["distinct_tools_per_call"].value == 0.5


def test_failure(make_conversation, make_scenario):
    found = values(
        make_conversation(tool_calls=calls(FAILED, FAILED), final_db={"session": {}}), make_scenario()
    )
    assert found[""].value == 0.0
    assert "2 of them failed" in found[""].reason
    assert found["first_try"].value == 0.0
    assert found["num_auth_calls_on_failure"].value == 2


def test_no_calls_at_all(make_conversation, make_scenario):
    found = values(make_conversation(tool_calls=[], final_db={"session": {}}), make_scenario())
    assert found[""].value == 0.0
    assert found["num_auth_calls"].value == 0
    assert found["distinct_tools_per_call"].value is None


@pytest.mark.parametrize("expected", [{}, {"session": {}}, {"session": None}])
def test_nothing_expected(make_conversation, make_scenario, expected):
    found = values(make_conversation(), make_scenario(expected_db=expected))
    assert {v.status for v in found.values()} == {"not_applicable"}


def test_letter_case_and_more_entries_do_not_count(make_conversation, make_scenario):
    session = {"confirmation_number": "qx7r2m", "last_name": "Okafor", "otp_auth": True}
    assert values(make_conversation(final_db={"session": session}), make_scenario())[""].value == 1.0
    session["last_name"] = "Okafar"
    assert values(make_conversation(final_db={"session": session}), make_scenario())[""].value == 0.0


def test_airline_auth_tools_are_those_declared():
    from evalib.domains.executor import tools

    assert {t.name for t in tools("airline") if t.kind == "auth"} == AUTH_TOOLS["airline"]
