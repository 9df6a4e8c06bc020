"""What an agent did otherwise than the reference, in words."""

from evalib import load_scenarios
from evalib.core import ToolCall
from evalib.domains import ToolExecutor
from evalib.metrics.call_differences import call_differences


def played(make_conversation, scenario, change):
    """The reference calls, changed by `change(calls)`, as a conversation."""
    calls = [{"name": c["name"], "arguments": dict(c["arguments"])} for c in scenario.reference_calls]
    executor = ToolExecutor(scenario.domain, scenario.initial_db, scenario.now)
    for call in change(calls):
        executor.call(call["name"], call["arguments"])
    logged = [ToolCall(c.index, c.name, c.arguments, c.response, changes=c.changes) for c in executor.log]
    return make_conversation(scenario_id=scenario.id, tool_calls=logged, final_db=executor.db)


def differences(make_conversation, change, scenario_id="E1.1"):
    (scenario,) = load_scenarios(ids=[scenario_id])
    return call_differences(played(make_conversation, scenario, change), scenario)


def edit(name, **arguments):
    def change(calls):
        for call in calls:
            if call["name"] == name:
                call["arguments"].update(arguments)
        return calls

    return change


def test_the_reference_differs_in_nothing(make_conversation):
    assert differences(make_conversation, lambda calls: calls) == []


def test_a_lower_case_code_is_no_difference(make_conversation):
    assert differences(make_conversation, edit("assign_seat", confirmation_number="k7m2qx")) == []


def test_an_argument_that_differs(make_conversation):
    found = differences(make_conversation, edit("assign_seat", seat_preference="middle"))
    assert found == ["assign_seat: seat_preference was 'middle', expected 'window'"]


def test_a_call_that_is_missing_and_one_that_failed(make_conversation):
    missing = differences(make_conversation, lambda calls: [c for c in calls if c["name"] != "assign_seat"])
    assert missing == ["assign_seat was not called"]
    failed = differences(make_conversation, edit("assign_seat", passenger_id="PAX999"))
    assert failed == ["assign_seat did not succeed"]


def test_a_call_too_many(make_conversation):
    extra = {
        "name": "issue_meal_voucher",
        "arguments": {
            "confirmation_number": "K7M2QX",
            "passenger_id": "PAX001",
            "voucher_reason": "delay_over_2_hours",
        },
    }
    found = differences(make_conversation, lambda calls: [*calls, extra])
    assert found == ["issue_meal_voucher was not to be called"]
