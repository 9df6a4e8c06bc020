"""What a caller takes and leaves: offers read for times, places and money, and judged."""

from dataclasses import replace

import pytest

from evalib import load_scenarios
from evalib.simulator.callers.choice import Choice
from evalib.simulator.callers.escalation import transfer_allowed
from evalib.simulator.callers.offers import departure_and_arrival, proposed, stops, total_cost, total_gain
from evalib.simulator.callers.scripted import ScriptedCaller


def scenario(id, **acceptance):
    """A scenario of our own, with some of its acceptance replaced."""
    s = load_scenarios(ids=[id])[0]
    tree = s.decision_tree | {"acceptance": s.decision_tree["acceptance"] | acceptance}
    return replace(s, goal=s.goal | {"decision_tree": tree})


def judge(offer, id="E1.1", **acceptance):
    return Choice(scenario(id, **acceptance)).judge(offer)


FITS = "I can rebook you on flight QZ330, leaving at 12:45 PM and arriving at 4:25 PM"


@pytest.mark.parametrize(
    ("price", "taken"),
    [
        ("The change fee is $75 and the fare difference is $42.", True),
        ("The change fee is $75 and the fare difference is $400.", False),
        ("The fee is $75, the fare difference is $42, total due $900.", False),
        ("The fee is $75, the fare difference is $42, total due $117.", True),
        ("There is a 300 dollar charge.", False),
        ("There is a 117 dollar charge.", True),
        ("It is nine hundred dollars in total.", False),
        ("It is one hundred and seventeen dollars in total.", True),
        ("It is 117 dollars in total, 75 dollars for the fee and 42 dollars for the fare.", True),
        ("That is $200 in total, and I can issue a $12 meal voucher.", False),
        ("I can give you a voucher of $12 and move you for $200.", False),
        ("The $117 go on your credit card.", True),
        ("The $317 go on your credit card.", False),
    ],
)
def test_cost_against_the_limit_of_130_dollars(price, taken):
    assert judge(f"{FITS}. {price} Shall I go ahead?").accept is taken


@pytest.mark.parametrize(
    ("flight", "taken"),
    [
        ("flight QZ1 at 8:10 PM, arriving at 12:30 AM", False),  # the next day
        ("flight QZ1 leaving 20:10, arriving 00:30", False),
        ("flight QZ1 leaving at 20:10 and arriving 21:55", True),
        ("flight QZ1 at 8 PM, arriving at 9 PM the next day", False),
        ("flight QZ1 on March 30th at 8 PM", False),
        ("flight QZ1 tomorrow at 8 PM", False),
        ("flight QZ1 on March fourth at 8 PM", True),
        ("flight QZ1 today at 8 PM", True),
        ("flight QZ1 to Miami at 8 PM", False),
        ("flight QZ1 from Memphis to Philadelphia at 8 PM", False),
        ("flight QZ1 from Nashville to Philadelphia at 8 PM", True),
        ("flight QZ1 at 8 PM with one stop", False),
        ("a connecting flight at 8 PM", False),
        ("flight QZ1 at 8 PM, without a stop", True),
        ("flight QZ1 at 8 PM in basic economy", False),
        ("flight QZ1 at 8 PM in main cabin", True),
    ],
)
def test_flight_against_the_acceptance(flight, taken):
    """E3.1: Nashville to Philadelphia on March 4th, nonstop in main cabin, landing by 22:00."""
    assert judge(f"I can rebook you on {flight} for $75 in total. Shall I go ahead?", "E3.1").accept is taken


def test_two_stops_against_one():
    offer = "I can rebook you on a flight with {} for $75 in total."
    assert not judge(offer.format("two stops"), "E3.1", nonstop=None, max_stops=1).accept
    assert judge(offer.format("one stop"), "E3.1", nonstop=None, max_stops=1).accept


@pytest.mark.parametrize(
    "noisy",
    [
        "I can rebook you on FlightQZ3 3 0, leaving Seattle at 1245 pm, a riving at 4.25 pm. $117 in total.",
        "I can rebook you on flight Q Z 330 leaving at 12 45 PM, arriving at 4 25 pm. 117 dollars and total",
        "I can rebook you on flight cues he 330 leaving the attle at 12.45 p.m. The total is $117.",
        "I found your booking on flight QZ318 on February 18th, I can rebook you on flight QZ330 for $117.",
        "There is a delay of 2 hours. It now leaves at 9 AM. I can rebook you on flight QZ330 for $117.",
    ],
)
def test_noise_of_recognition_is_no_reason_to_refuse(noisy):
    assert judge(noisy + " Shall I go ahead?").accept


@pytest.mark.parametrize(("clock", "taken"), [("12:45 PM", True), ("9 AM", False)])
def test_a_flight_offered_by_its_time_alone_is_measured_too(clock, taken):
    assert judge(f"The {clock} would cost $117 in total. Would that work for you?").accept is taken


def test_refund_and_credit_against_the_least_that_will_do():
    offer = "I can give you a travel credit of {} dollars. Shall I go ahead?"
    assert judge(offer.format(246), "E5.1").accept
    less = judge(offer.format(200), "E5.1")
    assert not less.accept
    assert "240 dollars" in less.why
    fare, fees = "I can refund 262 dollars for the fare.", "I can refund 59 dollars for the fees."
    assert judge(f"{fare} {fees} Shall I go ahead?", "E6.1").accept
    listed = "I can refund $262 for the fare, $24 for the seat fee and $35 for the bag fee. Okay to proceed?"
    assert judge(listed, "E6.1").accept
    choice = Choice(scenario("E6.1"))
    assert not choice.judge(f"{fare} Shall I go ahead?").accept
    assert choice.judge("I can also refund 59 dollars for the fees. Shall I go ahead?").accept


def test_asks_once_for_a_price_that_was_not_said():
    choice = Choice(scenario("E1.1"))
    first = choice.judge(f"{FITS}. Shall I go ahead?")
    assert (first.accept, first.why) == (False, "How much would that be in total?")
    assert choice.judge(f"{FITS}. Shall I go ahead?").accept


@pytest.mark.parametrize(("answer", "start"), [("117 dollars", "Yes"), ("900 dollars", "That is too")])
def test_judges_the_offer_once_the_price_is_named(answer, start):
    caller = ScriptedCaller(scenario("E1.1"))
    assert "How much" in caller.reply(f"{FITS}. Shall I go ahead?").text
    assert caller.reply(f"That would be {answer} in total.").text.startswith(start)


def test_takes_the_flight_and_leaves_the_extra():
    caller = ScriptedCaller(scenario("E1.1"))
    turn = caller.reply(
        f"{FITS} for $117 in total, and add travel insurance and rebook you right away. Shall I?"
    )
    assert turn.text == "Yes, please go ahead, but without the travel insurance."


def test_the_same_refusal_does_not_go_round_for_ever():
    caller = ScriptedCaller(scenario("E1.1"))
    turns = [caller.reply("I can rebook you for $900 in total. Shall I go ahead?") for _ in range(5)]
    assert [t.end_call for t in turns] == [False] * 4 + [True]


def test_the_same_approval_does_not_go_round_for_ever():
    caller = ScriptedCaller(scenario("E1.1"))
    turns = [caller.reply(f"{FITS} for $117. Shall I go ahead?") for _ in range(8)]
    assert turns[0].text.startswith("Yes")
    assert turns[-1].end_call


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("leaving at 715 am, arriving 9.50 am", (435, 590)),
        ("leaving at 7 15 am and arriving at nine fifty am", (435, 590)),
        ("22:10, arriving 00:30", (1330, 1470)),
        ("arriving at 9 PM", (None, 1260)),
        ("leaving 1:30, arriving 2:30", (None, None)),  # AM or PM was not heard
        ("leaving at 10 AM, arriving at 9:55 AM", (600, 595)),  # west across a time zone
    ],
)
def test_departure_and_arrival(text, times):
    assert departure_and_arrival(text) == times


def test_stops_and_sums_that_are_not_named_are_unknown():
    assert stops("flight QZ1 at 8 PM") is None
    assert total_cost("You paid $346. The seat is by the window.") is None
    assert total_cost("The change fee is waived.") == 0
    assert total_gain("I can refund 262 dollars and 50 cents.", "refund") == 262.5


def test_an_offer_that_names_the_delay_is_still_an_offer():
    offer = "Because of the delay I can move you from your current flight to one at 2 PM for {}. Shall I?"
    assert judge(offer.format("$117")).accept
    assert not judge(offer.format("$900")).accept


def test_what_is_refused_is_not_proposed():
    said = proposed("The 10 AM flight is not available. I can't waive the fee, but I have a seat at 2 PM.")
    assert "2 PM" in said
    assert "10 AM" not in said
    assert "fee" not in said


@pytest.mark.parametrize(
    "rule",
    [
        "Refuse any transfer to a live agent.",
        "Decline all transfers.",
        "If offered a transfer, say no.",
        "Under no circumstances accept a live agent.",
        "Do not ask for a supervisor. Never speak to a live agent.",
        "No live agent for this: decline a transfer, and say goodbye.",
        "Do not ask to be put through to a supervisor. If there is no progress, say goodbye.",
        "You must not be transferred.",
    ],
)
def test_rules_that_forbid_a_transfer(rule):
    assert not transfer_allowed(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "Do not hang up. Accept the transfer to the live agent.",
        "Once it has been denied, you may naturally ask to be transferred; do not insist on it.",
        "If the agent refuses or cannot help, ask once to be transferred to a supervisor.",
        "Ask for a live agent after the no. Do not ask for a transfer before that.",
    ],
)
def test_rules_that_allow_a_transfer(rule):
    assert transfer_allowed(rule)


def test_published_rules_agree_with_the_reference_calls(published):
    """Where a published rule has the caller agree to a transfer or ask for one, it is allowed."""
    import json

    rules = {
        r["user_goal"]["decision_tree"].get("escalation_behavior") or ""
        for path in sorted(published.glob("*_dataset.json"))
        for r in json.loads(path.read_text(encoding="utf-8"))
    }
    assert len(rules) > 5
    for rule in rules:
        assert transfer_allowed(rule) is not rule.startswith("Do not ask to speak to a supervisor"), rule


@pytest.mark.parametrize("key", ["acceptance", "negotiation_behavior", "escalation_behavior"])
def test_keys_of_the_tree_may_be_null(key):
    s = load_scenarios(ids=["E1.1"])[0]
    s = replace(s, goal=s.goal | {"decision_tree": s.decision_tree | {key: None}})
    assert ScriptedCaller(s).reply("I'm unable to do that.").text
