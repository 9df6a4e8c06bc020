"""Our own scenarios: right by the rules, consistent in time and money, and our own.

The expected databases were made by replaying, so replaying alone proves nothing about them. What a
right call does is therefore stated here a second time, from the airline's rules and by hand, and
the flight to take is found again from the caller's acceptance alone.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from evalib.core import LANGUAGES, Scenario
from evalib.domains import ToolExecutor, load_scenarios, replay, tools
from evalib.domains.airline import policy
from evalib.domains.package_data import data_folder

SCENARIOS = {s.id: s for s in load_scenarios(domain="airline")}
FILES = {p.stem: json.loads(p.read_text()) for p in (data_folder("scenarios") / "airline").glob("*.json")}
ZONES = {
    "America/Los_Angeles": "SEA LAX SAN PDX",
    "America/Denver": "DEN ABQ SLC",
    "America/Phoenix": "PHX",
    "America/Chicago": "ORD MSP BNA MCI OMA",
    "America/New_York": "CLT PHL BOS MIA BUF TPA",
}
ZONE = {airport: ZoneInfo(zone) for zone, airports in ZONES.items() for airport in airports.split()}

# Rebookings: flights, fare kept or paid, charge (fee, difference), seats, bags
REBOOKED = {
    "E1.1": (["QZ330"], 256, (75, 256 - 214), ["21A"], 1),
    "E2.1": (["QZ503"], 176, (0, 0), ["21C"], 1),
    "E2.2": (["QZ640", "QZ177"], 112 + 176, (0, 0), ["21A", "21A"], 2),
    "E3.1": (["QZ247"], 268, (75, 268 - 239), ["21A"], 0),
    "E4.1": (["QZ452"], 171, (0, 171 - 148), ["21C"], 0),
    "E7.1": (["QZ553"], 169, (75, 169 - 157), ["21A"], 0),
}
# Everything else that a right call leaves, by table, in order of issue
GIVEN = {
    "E2.1": {
        "hotel_vouchers": [{"num_nights": 1, "issued_date": "2027-01-22"}],
        "meal_vouchers": [{"amount": 25, "voucher_reason": "irrops_overnight"}],
    },
    "E2.2": {"meal_vouchers": [{"amount": 12, "voucher_reason": "delay_over_2_hours"}]},
    "E5.1": {
        "travel_credits": [
            {
                "amount": 346.5 - 100,
                "credit_reason": "cancellation_non_refundable",
                "expiry_date": "2028-07-12",
            }
        ]
    },
    "E6.1": {
        "refunds": [
            {"refund_amount": 262, "refund_type": "full_fare"},
            {"refund_amount": 24 + 35, "refund_type": "ancillary_fees"},
        ]
    },
}
GIVING_TABLES = ("hotel_vouchers", "meal_vouchers", "travel_credits", "refunds")
each = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)


def booked(scenario: Scenario, db: dict[str, Any]) -> dict[str, Any]:
    """The caller's reservation."""
    return db["reservations"][scenario.information["confirmation_number"]]


def calls(scenario: Scenario, name: str) -> list[dict[str, Any]]:
    return [c["arguments"] for c in scenario.reference_calls if c["name"] == name]


def test_ten_that_cover_the_seven_workflows() -> None:
    assert len(SCENARIOS) == len(FILES) == 10
    assert {i[1] for i in SCENARIOS} == set("1234567")
    assert [i for i, s in SCENARIOS.items() if s.adversarial] == ["E7.1"]
    assert all(file["synthetic"] is True for file in FILES.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_replay_in_every_language(language: str) -> None:
    for scenario in load_scenarios(domain="airline", language=language):
        result = replay(scenario)
        assert result.ok, (scenario.id, result.diff)
        assert all(r["status"] == "success" for r in result.responses)


@each
def test_recorded_responses_are_those_of_the_tools(scenario: Scenario) -> None:
    file = FILES[scenario.id]
    executor = ToolExecutor("airline", file["scenario_db"], scenario.now)
    for event in file["record"]["ground_truth"]["expected_trace"]["trace"]:
        if event["event_type"] == "tool_call":
            response = executor.call(event["tool_name"], event["params"])
        elif event["event_type"] == "tool_response":
            assert event["response"] == response


# ---- right by the rules


@each
def test_outcome_is_the_one_worked_out_by_hand(scenario: Scenario) -> None:
    before, after = booked(scenario, scenario.initial_db), booked(scenario, scenario.expected_db)
    given = {
        table: list(scenario.expected_db[table].values())
        for table in GIVING_TABLES
        if scenario.expected_db.get(table)
    }
    expected = GIVEN.get(scenario.id, {})
    assert given.keys() == expected.keys()
    for table, entries in expected.items():
        assert [{k: g[k] for k in e} for g, e in zip(given[table], entries, strict=True)] == entries
    if scenario.id in REBOOKED:
        flights, fare, (fee, difference), seats, bags = REBOOKED[scenario.id]
        assert [b["status"] for b in after["bookings"]] == ["cancelled", "confirmed"]
        new = after["bookings"][1]
        assert [s["flight_number"] for s in new["segments"]] == flights
        assert [s["seat"] for s in new["segments"]] == seats
        assert {s["bags_checked"] for s in new["segments"]} == {bags}
        assert new["fare_paid"] == fare == sum(s["fare_paid"] for s in new["segments"])
        charged = next(r["cost_summary"] for r in replay(scenario).responses if "cost_summary" in r)
        assert (charged["change_fee"], charged["total_collected"]) == (fee, fee + difference)
        assert scenario.decision_tree["acceptance"]["max_total_cost"] >= fee + difference
    elif scenario.id in ("E5.1", "E6.1"):
        assert after["status"] == "cancelled"
        assert [b["status"] for b in after["bookings"]] == ["cancelled"]
    elif scenario.id == "E4.2":
        assert after["standby_list"][0]["passenger_ids"] == ["PAX001", "PAX002"]
        assert after["bookings"] == before["bookings"]
        waiting = scenario.expected_db["journeys"]["FL_QZ268_20270508"]["standby_list"]
        assert [w["passenger_id"] for w in waiting] == ["PAX001", "PAX002"]
    else:
        assert scenario.id == "E6.2"
        assert after == before
    assert scenario.expected_session == {
        "confirmation_number": scenario.information["confirmation_number"],
        "last_name": scenario.information["last_name"],
    }


def minutes_from_call(scenario: Scenario, journey: dict[str, Any]) -> float:
    day, clock, _ = scenario.now.split()
    origin = booked(scenario, scenario.initial_db)["bookings"][0]["journey_id"]
    here = ZONE[scenario.initial_db["journeys"][origin]["origin"]]
    call = datetime.fromisoformat(f"{day} {clock}").replace(tzinfo=here)
    first = journey["segments"][0]
    leaves = datetime.fromisoformat(f"{journey['date']} {first['scheduled_departure']}")
    return (leaves.replace(tzinfo=ZONE[journey["origin"]]) - call).total_seconds() / 60


@each
def test_rebookings_keep_to_the_windows_and_waivers(scenario: Scenario) -> None:
    for change in calls(scenario, "rebook_flight"):
        journeys = scenario.initial_db["journeys"]
        old, new = journeys[change["journey_id"]], journeys[change["new_journey_id"]]
        ahead = minutes_from_call(scenario, new)
        kind = change["rebooking_type"]
        reservation = booked(scenario, scenario.initial_db)
        elite = reservation["passengers"][0]["elite_status"]
        if kind == "voluntary":
            assert new["date"] != scenario.date
            assert min(ahead, minutes_from_call(scenario, old)) >= policy.VOLUNTARY_CUTOFF_MIN
            assert change["waive_change_fee"] == (elite in policy.VOLUNTARY_FEE_WAIVED_FOR)
        elif kind == "same_day":
            assert new["date"] == scenario.date
            assert ahead >= policy.SAME_DAY_CUTOFF_MIN
            assert change["waive_change_fee"] == (elite in policy.SAME_DAY_FEE_WAIVED_FOR)
        elif kind == "missed_flight_passenger_fault":
            assert minutes_from_call(scenario, old) < 0 < ahead
            assert ahead <= policy.MISSED_FLIGHT_REBOOKING_HOURS * 60
            assert change["waive_change_fee"] is False
        else:
            [disruption] = scenario.initial_db["disruptions"].values()
            assert change["waive_change_fee"] is disruption["is_irrops"] is True
            days = (datetime.fromisoformat(new["date"]) - datetime.fromisoformat(old["date"])).days
            assert 0 <= days <= policy.IRROPS_REBOOKING_DAYS


@each
def test_disruptions_entitle_to_what_the_rules_say(scenario: Scenario) -> None:
    for disruption in scenario.initial_db["disruptions"].values():
        entitled = disruption["passenger_entitled_to"]
        delay = disruption["delay_minutes"]
        if disruption["disruption_type"] == "delay":
            assert entitled["fee_waiver"] is (delay > policy.IRROPS_WAIVER_DELAY_MIN)
            assert entitled["refund_option"] is (delay > policy.IRROPS_REFUND_DELAY_MIN)
            assert entitled["meal_voucher"] is (delay >= policy.MEAL_VOUCHER_DELAY_MIN)
            earned = calls(scenario, "issue_meal_voucher")
            assert bool(earned) is entitled["meal_voucher"]
            long = delay >= policy.MEAL_VOUCHER_LONG_DELAY_MIN
            assert all((e["voucher_reason"] == "delay_over_4_hours") is long for e in earned)
        flight = disruption["flight_number"]
        segments = [s for j in scenario.initial_db["journeys"].values() for s in j["segments"]]
        [segment] = [s for s in segments if s["flight_number"] == flight]
        assert segment["delay_minutes"] == delay
        assert (segment["cancellation_reason"] is not None) == (delay is None)


def test_the_credit_is_for_a_cancellation_that_earns_no_refund() -> None:
    scenario = SCENARIOS["E5.1"]
    reservation = booked(scenario, scenario.initial_db)
    since_booking = datetime.fromisoformat("2027-07-12T16:40:00-07:00") - datetime.fromisoformat(
        reservation["booking_date"]
    )
    assert since_booking > timedelta(hours=policy.FREE_CANCELLATION_HOURS)
    assert reservation["fare_type"] == "non_refundable"
    assert not scenario.initial_db["disruptions"]


# ---- the acceptance can be followed by a machine


def acceptable(scenario: Scenario) -> list[dict[str, Any]]:
    """The journeys the caller would take, best first; found without the tools."""
    want = scenario.decision_tree["acceptance"]
    fare_class, old = want.get("fare_class"), booked(scenario, scenario.initial_db)["bookings"][0]
    kinds = [c["rebooking_type"] for c in calls(scenario, "rebook_flight")]
    free = bool(kinds) and "irrops" in kinds[0]
    fee = 0 if free or scenario.id == "E4.1" else 75
    fits = []
    for j in scenario.initial_db["journeys"].values():
        leaves = j["segments"][0]["scheduled_departure"]
        lands = j["segments"][-1]["scheduled_arrival"]
        fares = {c: f for c, f in j["fares"].items() if f is not None and fare_class in (None, c)}
        enough = [
            f
            for c, f in fares.items()
            if min(s["available_seats"][c] for s in j["segments"]) >= want.get("passenger_count", 1)
        ]
        if (
            not enough
            or not j["bookable"]
            or (j["origin"], j["destination"]) != (want["origin"], want["destination"])
            or j["date"] != want["date"]
            or not want.get("earliest_departure", "") <= leaves <= want.get("latest_departure", "24:00")
            or not leaves < lands <= want.get("latest_arrival", "24:00")
            or j["num_stops"] > (0 if want.get("nonstop") else want.get("max_stops", 9))
        ):
            continue
        cost = 0 if free else fee + max(0, min(enough) - old["fare_paid"])
        if cost <= want["max_total_cost"]:
            fits.append((leaves if want.get("choose") == "earliest" else cost, j))
    if "choose" not in want:
        assert len(fits) <= 1, f"{scenario.id}: several fit and nothing says which to take"
    return [j for _, j in sorted(fits, key=lambda fit: fit[0])]


@pytest.mark.parametrize("id", REBOOKED)
def test_acceptance_leads_to_the_reference_flight(id: str) -> None:
    scenario = SCENARIOS[id]
    [change] = calls(scenario, "rebook_flight")
    assert acceptable(scenario)[0]["journey_id"] == change["new_journey_id"]


@pytest.mark.parametrize("id", ["E4.2", "E6.1"])
def test_nothing_to_book_where_the_right_end_is_another(id: str) -> None:
    assert acceptable(SCENARIOS[id]) == []


WANTED_CALL = {
    "rebook": "rebook_flight",
    "seat": "assign_seat",
    "standby": "add_to_standby",
    "cancel_refund": "process_refund",
    "travel_credit": "issue_travel_credit",
    "meal_voucher": "issue_meal_voucher",
    "hotel_voucher": "issue_hotel_voucher",
    "transfer": "transfer_to_agent",
}


@each
def test_what_the_caller_wants_is_what_the_reference_does(scenario: Scenario) -> None:
    want = scenario.decision_tree["acceptance"]
    done = {c["name"] for c in scenario.reference_calls}
    assert {WANTED_CALL[w] for w in want["wants"]} == done & set(WANTED_CALL.values())
    assert want["accept_transfer"] is ("transfer" in want["wants"])
    assert want.get("accept_standby", False) is ("standby" in want["wants"])
    documented = (data_folder("scenarios") / "README.md").read_text()
    assert all(f"`{key}`" in documented for key in want)


@each
def test_the_caller_knows_what_only_the_caller_can_give(scenario: Scenario) -> None:
    known = scenario.information
    reservation = booked(scenario, scenario.initial_db)
    caller = reservation["passengers"][0]
    for ours, theirs in (
        ("first_name", "first_name"),
        ("last_name", "last_name"),
        ("email_address", "email"),
        ("phone_number", "phone"),
    ):
        assert known[ours] == caller[theirs]
    choices = list(known["seat_preference"].values())
    assert list(known["seat_preference"]) == ["first_choice", "second_choice", "third_choice"]
    assert sorted(choices) == ["aisle", "middle", "window"]
    asked = {(s.name, p.name) for s in tools("airline") for p in s.parameters if p.asked_of_caller}
    for call in scenario.reference_calls:
        for name, value in call["arguments"].items():
            if (call["name"], name) not in asked:
                continue
            if name == "seat_preference":
                assert value == next(c for c in choices if c in seat_types_left(scenario, call["arguments"]))
            elif name == "meal_type":
                assert value == known["meal_preference"] == caller["meal_preference"]
            else:
                assert value == known[name]


def seat_types_left(scenario: Scenario, seat: dict[str, Any]) -> list[str]:
    segments = scenario.initial_db["journeys"][seat["journey_id"]]["segments"]
    number = seat.get("flight_number", segments[0]["flight_number"])
    [segment] = [s for s in segments if s["flight_number"] == number]
    return segment["available_seat_types"]["main_cabin"]


def test_special_features_are_there() -> None:
    assert seat_types_left(SCENARIOS["E3.1"], calls(SCENARIOS["E3.1"], "assign_seat")[0]) == [
        "window",
        "middle",
    ]
    assert SCENARIOS["E3.1"].information["seat_preference"]["first_choice"] == "aisle"
    two = booked(SCENARIOS["E4.2"], SCENARIOS["E4.2"].initial_db)["passengers"]
    assert [p["first_name"] for p in two] == ["Gerald", "Paula"]
    assert len(calls(SCENARIOS["E2.2"], "assign_seat")) == 2
    assert SCENARIOS["E7.1"].decision_tree["acceptance"]["push_back"]


# ---- consistent, and our own


@each
def test_times_agree_with_the_time_zone_database(scenario: Scenario) -> None:
    day, _, abbreviation = scenario.now.split()
    home = booked(scenario, scenario.initial_db)["bookings"][0]["journey_id"]
    origin = scenario.initial_db["journeys"][home]["origin"]
    assert datetime.fromisoformat(f"{day} 12:00").replace(tzinfo=ZONE[origin]).tzname() == abbreviation
    for j in scenario.initial_db["journeys"].values():
        moments = []
        for s in j["segments"]:
            assert set(s["available_seats"]) == set(policy.FARE_CLASSES)
            for place, when, offset in (
                ("origin", "scheduled_departure", "origin_utc_offset"),
                ("destination", "scheduled_arrival", "destination_utc_offset"),
            ):
                local = datetime.fromisoformat(f"{j['date']} {s[when]}").replace(tzinfo=ZONE[s[place]])
                assert local.utcoffset() == timedelta(hours=s[offset])
                moments.append(local)
            assert moments[-1] - moments[-2] == timedelta(minutes=s["duration_minutes"])
            for fare_class, left in s["available_seats"].items():
                assert bool(left) == bool(s["available_seat_types"][fare_class])
                assert not left or s["fares"][fare_class]
        assert moments == sorted(moments), "flights of a journey follow one another"
        assert moments[-1] - moments[0] == timedelta(minutes=j["total_duration_minutes"])
        assert (j["origin"], j["destination"]) == (
            j["segments"][0]["origin"],
            j["segments"][-1]["destination"],
        )
        assert j["num_stops"] == len(j["segments"]) - 1
        numbers = "_".join(s["flight_number"] for s in j["segments"])
        assert j["journey_id"] == f"FL_{numbers}_{j['date'].replace('-', '')}"
        for fare_class, fare in j["fares"].items():
            parts = [s["fares"][fare_class] for s in j["segments"]]
            assert fare == (None if None in parts else sum(parts))


def test_codes_are_hard_to_say_and_far_apart() -> None:
    codes = [s.information["confirmation_number"] for s in SCENARIOS.values()]
    for code in codes:
        assert len(code) == 6
        assert sum(c.isdigit() for c in code) in (2, 3)
        assert not set(code) & set("0O1I"), "no letters that look like digits"
    for a, b in combinations(codes, 2):
        assert sum(x != y for x, y in zip(a, b, strict=True)) >= 4, (a, b)
    names = [s.information["last_name"] for s in SCENARIOS.values()]
    assert len(set(names)) == 10


def keys(value: Any, path: str = "") -> set[str]:
    """Key paths of a record; ids and free-form parts are cut off."""
    if isinstance(value, list):
        return set().union(*(keys(v, f"{path}[]") for v in value))
    if not isinstance(value, dict) or path.endswith(("information_required", "response", "params")):
        return {path}
    tables = ("reservations", "journeys", "disruptions", "refunds", "culture_overrides")
    by_id = path.endswith((*tables, "vouchers", "credits", "utterances"))
    return set().union({path}, *(keys(v, f"{path}.{'*' if by_id else k}") for k, v in value.items()))


def test_format_is_the_published_one(published: Path) -> None:
    records = json.loads((published / "airline_dataset.json").read_text())
    theirs = set().union(*(keys(r) for r in records))
    ours = set().union(*(keys(f["record"]) for f in FILES.values()))
    new = {p for p in ours - theirs if ".acceptance" not in p}
    assert new == set()
    always = set.intersection(*map(keys, records))
    always = {p for p in always if ".expected_trace." not in p}  # it also counts its own events
    for id, file in FILES.items():
        assert always - keys(file["record"]) == set(), id


def test_nothing_is_taken_from_the_published_records(published: Path) -> None:
    text = (published / "airline_dataset.json").read_text()
    records = json.loads(text)
    taken_ids = {r["id"] for r in records}
    for id, file in FILES.items():
        record = file["record"]
        assert id not in taken_ids
        assert record["user_goal"]["information_required"]["confirmation_number"] not in text
        sentences = [
            *record["starting_utterances"].values(),
            record["user_goal"]["high_level_user_goal"],
            record["user_config"]["user_persona"],
            record["scenario_context"]["premise"],
            record["expected_flow"],
        ]
        tree = record["user_goal"]["decision_tree"]
        for part in tree.values():
            sentences += part if isinstance(part, list) else [part] if isinstance(part, str) else []
        for sentence in sentences:
            assert json.dumps(sentence)[1:-1] not in text, sentence
        people = record["culture_overrides"].items()
        for language, person in people:
            name = (person["first_name"], person["last_name"])
            published_people = [r["culture_overrides"][language] for r in records]
            assert name not in [(p["first_name"], p["last_name"]) for p in published_people]
    assert '"QZ' not in text
