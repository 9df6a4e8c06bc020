"""The scripted caller, spoken to by hand: each rule of its behaviour as one small dialogue."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib import load_scenarios
from evalib.core.spoken.alphabet import NATO
from evalib.simulator.callers.choice import Choice
from evalib.simulator.callers.listening import listen
from evalib.simulator.callers.offers import actions, clock_times, total_cost
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
        ("The fee is $75, the fare $20.", 95),
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


@pytest.mark.parametrize(
    "read_back",
    [
        "I see you are booked on flight QZ318 on February 18th, leaving Seattle at 9 AM.",
        "Your reservation is confirmed on flight QZ318.",
        "You are confirmed on flight QZ318 on February 18th. Is there anything else I can help you with?",
    ],
)
def test_how_things_stand_is_no_outcome(caller, read_back):
    assert not caller.reply(read_back).end_call


@pytest.mark.parametrize(
    "cause",
    [
        "I see that your flight has been cancelled by the airline.",
        "Your flight was cancelled due to the weather.",
        "I'm sorry, your flight has been cancelled.",
    ],
)
def test_a_cancellation_by_the_airline_is_not_the_one_that_was_asked_for(cause):
    scenario = load_scenarios(ids=["E6.1"])[0]
    caller = ScriptedCaller(scenario)
    caller.reply("I can cancel your flight and refund 321 dollars. Shall I go ahead?")
    turn = caller.reply(f"Your refund of 321 dollars has been processed. {cause}")
    assert not turn.end_call
    assert "cancelled" in turn.text


@pytest.mark.parametrize(
    "report",
    [
        "I have moved you to flight QZ330. Is there anything else?",
        "You are now rebooked on flight QZ330.",
        "You have been rebooked on flight QZ330. Is there anything else?",
    ],
)
def test_what_was_done_unasked_is_an_outcome_when_said_clearly(caller, report):
    assert caller.reply(report).end_call


@pytest.mark.parametrize(
    "report",
    [
        "You are confirmed on flight QZ330.",
        "You are now re-booked on FlightQ, Z, as in Zulu 3, 3, 0, leaving Seattle at 12.45 pm.",
        "We're now re-booked on Flight Q, Z330.",
        "Great, you're all set! Your new flight is QZ330. Anything else?",
        "You're booked on QZ330.",
        "I've gone ahead and changed your flight. Is there anything else?",
    ],
)
def test_what_was_approved_may_be_reported_in_any_words(caller, report):
    caller.reply("I can rebook you on flight QZ330 at 12:45 PM for $117 in total. Shall I go ahead?")
    assert caller.reply(report).end_call


@pytest.mark.parametrize(
    "repair",
    [
        "I'm not able to find a reservation under that code.",
        "I'm sorry, I could not hear you.",
        "I can't locate your booking with that.",
        "I am unable to verify that confirmation number.",
    ],
)
def test_says_again_what_was_not_understood(caller, repair):
    caller.reply("May I have your confirmation number?")
    again = caller.reply(repair)
    assert not again.end_call
    assert again.pace == "slow"
    assert "Mike" in again.text  # K7M2QX


def test_says_the_opening_again_when_nothing_else_was_said(caller, change):
    caller.open("Hello.")
    again = caller.reply("I'm sorry, I couldn't understand you.")
    assert again.text == change.starting_utterance
    assert again.pace == "slow"


@pytest.mark.parametrize(
    ("reply", "start"),
    [
        (
            "I can't waive the change fee, but there is a seat on QZ330 at 12:45 PM for 117 dollars in "
            "total.",
            "Yes",
        ),
        (
            "The 10 AM flight is not available, unable to book it. I do have the 12:45 PM for $117 in "
            "total, and I can rebook you on it.",
            "Yes",
        ),
        ("I'm unable to do that, but I can rebook you on a flight at 9 AM for $117.", "No, that one"),
    ],
)
def test_an_alternative_beside_a_no_is_judged_as_an_offer(caller, reply, start):
    turn = caller.reply(reply)
    assert turn.text.startswith(start)
    assert not turn.end_call


def test_a_plain_no_is_argued_with_before_the_caller_leaves_a_turn_later(caller):
    no = "I'm sorry, I am unable to do that."
    turns = [caller.reply(no) for _ in range(3)]
    assert [t.end_call for t in turns] == [False, False, True]
    assert "rebooked" in turns[0].text


def test_a_transfer_offered_as_a_statement_is_answered():
    caller = ScriptedCaller(load_scenarios(ids=["E6.2"])[0])
    assert caller.reply("I can transfer you to a live agent who can help.").text.startswith("Yes")
    assert caller.reply("I'll connect you with a specialist now.").end_call


def test_a_transfer_offered_as_a_statement_is_refused_where_forbidden(caller):
    assert caller.reply("I can transfer you to a live agent who can help.").text.startswith("No")


POOL = [
    "May I have your six character confirmation number, please?",
    "And what is the last name on the booking?",
    "Could you give me your phone number and your email address?",
    "I'm sorry, I could not find a booking with that. Please say the confirmation number once more.",
    "Your confirmation number is K, 7, M, 2, Q, S. Is that correct?",
    "What date would you like to travel?",
    "Which city would you like to leave from?",
    "Would you prefer a window, an aisle or a middle seat?",
    "I can rebook you on flight QZ330, leaving at 12:45 PM for 117 dollars in total. Shall I go ahead?",
    "I can rebook you on flight QZ330, leaving at 12:45 PM. Shall I go ahead?",
    "That would be 117 dollars in total.",
    "I can rebook you for $900 in total. Shall I go ahead?",
    "I can cancel your flight and refund 321 dollars. Shall I go ahead?",
    "You are now rebooked on flight QZ330. Is there anything else I can help you with?",
    "You are booked on flight QZ318.",
    "Your flight has been cancelled. Your refund of 321 dollars has been processed.",
    "I'm sorry, I am not able to do that. Is there anything else I can help you with?",
    "I'm unable to waive that fee.",
    "I can transfer you to a live agent. Is that okay?",
    "I am transferring you to a live agent now. Please hold.",
    "I'm sorry, I could not hear you.",
    "I encountered an error.",
    "One moment please.",
    "Is there anything else I can help you with?",
    "The weather is lovely.",
    "",
]
_SPELLED = re.compile(
    r"\d|\byes\b|\b[A-Z], [A-Z]\b|go ahead|number is|\b(?:" + "|".join(NATO.values()) + r")\b"
)


@settings(max_examples=150, deadline=None)
@given(
    id=st.sampled_from(["E1.1", "E4.2", "E5.1", "E6.1", "E6.2", "E7.1"]),
    replies=st.lists(st.sampled_from(POOL), min_size=1, max_size=25),
)
def test_a_farewell_gives_no_information_and_no_approval(id, replies):
    caller = ScriptedCaller(_SCENARIOS[id])
    caller.open("Hello.")
    for reply in replies:
        turn = caller.reply(reply)
        if turn.end_call:
            assert not _SPELLED.search(turn.text), turn.text
            assert not turn.text.lower().startswith("yes")
            return


_SCENARIOS = {s.id: s for s in load_scenarios(domain="airline")}


def test_a_yes_to_a_read_back_approves_of_nothing(caller):
    booked = "You are booked on flight QZ318 on February 18th."
    assert not caller.reply(f"{booked} Is that correct?").end_call
    assert not caller.reply("Your reservation is confirmed on flight QZ318.").end_call


@pytest.mark.parametrize(
    "reply",
    [
        "I'm going to put you on hold for a second.",
        "If you like, I'll transfer you to a live agent.",
        "I'm sorry, I can't get you a refund.",
        "I don't see any change fee on your booking.",
    ],
)
def test_is_neither_a_transfer_nor_a_repair(caller, reply):
    h = listen(reply)
    assert not h.transferring
    assert not h.repeat
    assert not caller.reply(reply).end_call


@pytest.mark.parametrize(
    "reply", ["Is there anything else I can book for you?", "Let me see if I can book you on another flight."]
)
def test_is_no_offer(reply):
    assert not listen(reply).offer


def test_what_was_not_understood_is_not_approved(caller):
    from evalib.simulator.agents.hearing import said_yes

    assert not said_yes(caller.reply("I found your booking on flight QZ318 on February 18th.").text)
