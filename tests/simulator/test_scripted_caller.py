"""The scripted caller, spoken to by hand: each rule of its behaviour as one small dialogue."""

from dataclasses import replace

import pytest

from evalib import load_scenarios
from evalib.simulator.callers.choice import Choice, actions, clock_times, total_cost
from evalib.simulator.callers.listening import listen
from evalib.simulator.callers.scripted import MAX_UNHELPFUL, ScriptedCaller, spoken_line


@pytest.fixture
def change():
    """A voluntary change: max 130 dollars, after noon, arriving by 19:00, no transfer, no standby."""
    return load_scenarios(ids=["E1.1"])[0]


@pytest.fixture
def caller(change):
    return ScriptedCaller(change)


def with_tree(scenario, **keys):
    return replace(scenario, goal=scenario.goal | {"decision_tree": scenario.decision_tree | keys})


def test_opens_with_the_starting_utterance_and_never_again(caller, change):
    assert caller.open("Hello, how can I help?").text == change.starting_utterance
    assert change.starting_utterance not in caller.reply("May I have your confirmation number?").text


def test_gives_only_what_is_asked(caller, change):
    text = caller.reply("What is the last name on the booking?").text
    assert change.caller["name"].split()[-1] in text
    assert "confirmation" not in text


def test_asked_for_many_things_it_gives_two(caller):
    text = caller.reply(
        "Could you give me your confirmation number, last name, phone number and email address?"
    ).text
    assert "confirmation number" in text
    assert "last name" in text
    assert "@" not in text
    assert "dot com" not in text
    assert "phone" not in text


def test_second_time_it_spells_in_nato_and_slowly(caller):
    first = caller.reply("May I have your confirmation number?")
    second = caller.reply("I'm sorry, I could not find that. Could you repeat the confirmation number?")
    assert first.pace == "normal"
    assert second.pace == "slow"
    assert first.text != second.text
    assert any(
        word in second.text.lower()
        for word in (
            "kilo",
            "alpha",
            "alfa",
            "tango",
            "mike",
            "sierra",
            "bravo",
            "quebec",
            "x-ray",
            "victor",
            "papa",
            "november",
            "golf",
            "delta",
        )
    )


def test_works_down_its_seat_wishes(caller, change):
    wishes = change.information["seat_preference"]
    first = caller.reply("Would you prefer a window, an aisle or a middle seat?").text
    assert wishes["first_choice"] in first
    second = caller.reply(
        f"I'm sorry, there is no {wishes['first_choice']} seat left. Which other seat would you prefer, "
        f"window, aisle or middle?"
    ).text
    assert wishes["second_choice"] in second
    assert wishes["first_choice"] not in second


def test_waits_for_the_outcome_and_not_for_a_promise(caller):
    assert caller.reply("I'll book that for you now, one moment please.").text == ""


def test_ends_after_the_outcome_and_not_with_the_approval(caller):
    approval = caller.reply(
        "I can rebook you on flight QZ 318, leaving at 1:30 PM and arriving at 5:00 PM. It is $104 in "
        "total. Shall I go ahead?"
    )
    assert approval.text.startswith("Yes")
    assert not approval.end_call
    farewell = caller.reply(
        "You are now rebooked on flight QZ 318. Is there anything else I can help you with?"
    )
    assert farewell.end_call


@pytest.mark.parametrize(
    "offer",
    [
        "I can rebook you on flight QZ 1, leaving at 2:00 PM and arriving at 6:00 PM. It is $131 in total. "
        "Shall I go ahead?",
        "I can rebook you on flight QZ 1, leaving at 9:00 AM and arriving at 1:00 PM. Shall I go ahead?",
        "I can rebook you on flight QZ 1, leaving at 4:00 PM and arriving at 8:00 PM. Shall I go ahead?",
        "I can put you on standby for flight QZ 1 at 2:00 PM. Shall I go ahead?",
        "I can cancel your flight instead. Shall I go ahead?",
        "Would you like me to add travel insurance for twenty dollars?",
        "Would you like to be upgraded to first class? Shall I do that?",
    ],
)
def test_declines_what_its_decision_tree_rules_out(caller, offer):
    turn = caller.reply(offer)
    assert not turn.text.startswith("Yes")
    assert not turn.end_call


def test_refuses_a_forbidden_transfer_and_leaves_one_turn_later(caller):
    refusal = caller.reply("I can transfer you to a live agent. Is that okay?")
    assert "transfer" in refusal.text
    assert not refusal.end_call
    assert caller.reply("I understand. Is there anything else?").end_call


def test_agrees_to_an_allowed_transfer_waits_for_the_cue_and_leaves(change):
    bereaved = load_scenarios(ids=["E6.2"])[0]
    caller = ScriptedCaller(bereaved)
    yes = caller.reply("I can transfer you to a live agent. Shall I go ahead?")
    assert yes.text.startswith("Yes")
    assert not yes.end_call
    assert caller.reply("I am transferring you to a live agent now. Please hold.").end_call


def test_corrects_a_wrong_read_back_once_and_accepts_a_right_one(caller, change):
    from evalib.core import spoken

    code = change.expected_session["confirmation_number"]
    wrong = ("B" if code[0] != "B" else "D") + code[1:]
    caller.reply("May I have your confirmation number?")
    right = caller.reply(f"Your confirmation number is {spoken.say_code(code)}. Is that correct?")
    assert "not right" not in right.text
    correction = caller.reply(f"Your confirmation number is {spoken.say_code(wrong)}. Is that correct?")
    assert "not right" in correction.text
    assert not correction.end_call


def test_gives_up_after_five_unhelpful_turns(caller):
    turns = [caller.reply("The weather is lovely today in our city.") for _ in range(MAX_UNHELPFUL)]
    assert [t.end_call for t in turns] == [False] * (MAX_UNHELPFUL - 1) + [True]


def test_ends_when_the_agent_reports_an_error(caller):
    assert caller.reply("I'm sorry, I encountered an error processing your request.").end_call


def test_adversarial_caller_argues_once_and_then_takes_the_charge():
    scenario = load_scenarios(ids=["E7.1"])[0]
    caller = ScriptedCaller(scenario)
    offer = "I can rebook you on flight QZ 5 at 10:00 AM. The change fee is $75 in total. Shall I go ahead?"
    first, second = caller.reply(offer), caller.reply(offer)
    assert first.text == scenario.decision_tree["acceptance"]["push_back"]
    assert second.text.startswith("Yes")


def test_directions_are_never_spoken():
    assert spoken_line("[slow] Hello, I need help. [sighs] Please.") == "Hello, I need help. Please."


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("leaving at 1:05 PM", [785]),
        ("at noon", [720]),
        ("12:30 a.m. or 9 am", [30, 540]),
        ("no time here", []),
    ],
)
def test_clock_times(text, minutes):
    assert clock_times(text) == minutes


@pytest.mark.parametrize(
    ("text", "dollars"),
    [
        ("The fee is $75 and the difference $30, so $105 in total.", 105),
        ("That is 1,204.50 dollars.", 1204.5),
        ("That is $1,204.50.", 1204.5),
        ("There is no charge. I can issue a $12 meal voucher.", 0),
        ("The fee is $75, the fare $20.", None),
        ("Good morning.", None),
    ],
)
def test_total_cost(text, dollars):
    assert total_cost(text) == (pytest.approx(dollars) if dollars is not None else dollars)


def test_actions_of_an_offer():
    assert actions("I can rebook you and issue a hotel voucher.") == {"rebook_flight", "issue_hotel_voucher"}


def test_reference_outcome_decides_where_the_tree_is_prose(change):
    prose = with_tree(change, acceptance={})
    taken = next(c for c in prose.reference_calls if c["name"] == "rebook_flight")["arguments"][
        "new_journey_id"
    ]
    departs = prose.initial_db["journeys"][taken]["segments"][0]["scheduled_departure"]
    hour, minute = map(int, departs.split(":"))
    choice = Choice(prose)
    at = f"{hour % 12 or 12}:{minute:02d} {'PM' if hour >= 12 else 'AM'}"
    assert choice.judge(f"I can rebook you on a flight leaving at {at}. Shall I go ahead?").accept
    wrong = choice.judge(
        "I can rebook you on a flight leaving at 3:07 AM and arriving at 5:07 AM. Shall I go ahead?"
    )
    assert not wrong.accept
    assert "It has to leave at" in wrong.why


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("May I have your confirmation number?", {"question", "asked"}),
        ("Let me check that for you.", {"hold"}),
        ("You're all set, your flight has been changed.", {"done"}),
        ("Shall I go ahead?", {"question", "offer"}),
        ("I'm unable to do that.", {"refusal"}),
        ("Is there anything else I can help with?", {"question", "anything_else"}),
        ("", set()),
    ],
)
def test_listening(text, flags):
    h = listen(text)
    seen = {
        name
        for name in (
            "question",
            "asked",
            "offer",
            "hold",
            "done",
            "refusal",
            "anything_else",
            "error",
            "transferring",
        )
        if getattr(h, name)
    }
    assert seen == flags
