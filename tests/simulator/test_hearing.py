"""What caller and agent make of each other's words about cities, meals and seats."""

from dataclasses import replace
from itertools import permutations

import pytest

from evalib import load_scenarios
from evalib.domains import tools
from evalib.domains.airline.airports import CITIES
from evalib.simulator.agents.hearing import hear_argument
from evalib.simulator.agents.wording import ask
from evalib.simulator.callers.knowledge import Knowledge, say_value
from evalib.simulator.callers.listening import listen

SOME = sorted(CITIES)[::5]


def parameter(name):
    return next(p for t in tools("airline") for p in t.parameters if p.name == name)


def with_information(**facts):
    s = load_scenarios(ids=["E1.1"])[0]
    rest = {k: v for k, v in s.information.items() if "seat" not in k}
    return replace(s, goal=s.goal | {"information_required": rest | facts})


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (ask("origin"), ("origin",)),
        (ask("destination"), ("destination",)),
        ("Where would you like to fly from?", ("origin",)),
        ("From which city do you want to travel?", ("origin",)),
        ("Where are you flying to?", ("destination",)),
        ("Where to?", ("destination",)),
        ("Which city are you leaving from and which are you flying to?", ("destination", "origin")),
    ],
)
def test_one_end_of_the_journey_is_asked_for_at_a_time(question, asked):
    assert listen(question).asked == asked


@pytest.mark.parametrize(("origin", "destination"), list(permutations(SOME, 2)))
def test_each_end_is_heard_where_both_are_named(origin, destination):
    start = f"I want to leave from {say_value(origin)}."
    end = f"I want to fly to {say_value(destination)}."
    short = f"From {CITIES[origin]} to {CITIES[destination]}."
    for heard in (f"{start} {end}", f"{end} {start}", short):
        assert hear_argument(parameter("origin"), heard, "2027-02-09") == origin, heard
        assert hear_argument(parameter("destination"), heard, "2027-02-09") == destination, heard


@pytest.mark.parametrize("code", sorted(CITIES))
def test_one_end_alone_is_heard(code):
    for name, lead in (("origin", "I want to leave from"), ("destination", "I want to fly to")):
        assert hear_argument(parameter(name), f"{lead} {say_value(code)}.", "2027-02-09") == code


def test_no_meal_is_said_and_heard_as_none():
    said = Knowledge(with_information(meal_preference="none"))
    none = replace(said.scenario, reference_calls=[])
    assert Knowledge(none).say("meal") == "No special meal, please."
    assert hear_argument(parameter("meal_type"), "No special meal please.", "2027-02-09") == "none"
    assert hear_argument(parameter("meal_type"), "It is vegetarian.", "2027-02-09") == "vegetarian"


def test_entities_inside_a_text_are_spoken():
    said = say_value("SK340 SAT to ORD departing 2:00 PM on 2026-05-25, back at 14:05, code K7M2QX")
    assert said == (
        "S, K, 3, 4, 0 San Antonio to Chicago O'Hare departing 2:00 PM on May twenty fifth, "
        "back at 2:05 PM, code K, 7, M, 2, Q, X"
    )
    assert say_value("2026-99-99") == "2026-99-99"


@pytest.mark.parametrize(
    ("facts", "order"),
    [
        ({"preferred_seat": "window"}, ["window"]),
        ({"seat": ["aisle", "window"]}, ["aisle", "window"]),
        ({"preferences": {"seat_type": {"first": "middle", "second": "aisle"}}}, ["middle", "aisle"]),
        ({"seat_preference": {"second_choice": "aisle", "first_choice": "window"}}, ["window", "aisle"]),
        ({"seat_preference": "window or aisle"}, ["window", "aisle"]),
        ({"seating": "A window if possible, otherwise an aisle."}, ["window", "aisle"]),
        ({"seat_wish": "aisle, but not the middle"}, ["aisle"]),
        ({"seat_fee_paid": 24}, ["window"]),  # no wish: what the reference call assigns
        ({}, ["window"]),
        ({"seat_preference": "no preference"}, []),
        ({"companion_seat": "middle"}, ["window"]),
    ],
)
def test_seat_wishes(facts, order):
    assert Knowledge(with_information(**facts)).seat_choices() == order
