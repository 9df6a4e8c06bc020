"""The reference agent: right when it hears right, and wrong in the way that it is told to be."""

import asyncio
import random
from dataclasses import replace

import pytest

from evalib import load_scenarios
from evalib.core import ConfigError, EndReason, spoken
from evalib.domains import ToolExecutor, session_satisfied, state_hash, tools
from evalib.simulator.agents.faults import alter_argument, misread
from evalib.simulator.agents.profile import PROFILES, AgentProfile, Faults
from evalib.simulator.callers.scripted import ScriptedCaller
from evalib.simulator.party import CallContext
from evalib.simulator.text_call import run_text_call


class TypedDesk:
    """A desk without sound or clock: what was said, what was called."""

    def __init__(self, scenario):
        self.rng = random.Random(0)
        self.executor = ToolExecutor(scenario.domain, scenario.initial_db, scenario.now)
        self.said, self.calls, self.left = [], [], None

    def say(self, text, *, spoken=None):
        self.said.append(text if spoken is None else spoken)

    async def call_tool(self, name, arguments):
        self.calls.append((name, arguments))
        return self.executor.call(name, arguments)

    def leave(self, reason):
        self.left = reason


def talk(agent, desk, *heard):
    async def go():
        await agent.greet(desk)
        for text in heard:
            await agent.reply(text, desk)

    asyncio.run(go())


def play(scenario, profile=PROFILES["reference"], seed=0):
    """One call in words; the executor that holds its final state, and the outcome."""
    executor = ToolExecutor(scenario.domain, scenario.initial_db, scenario.now)
    brain = profile.brain(scenario, random.Random(seed))
    outcome = run_text_call(ScriptedCaller(scenario), brain, executor.call, CallContext("t", seed))
    return executor, outcome


def completed(scenario, executor):
    return state_hash(executor.db) == state_hash(scenario.expected_db) and session_satisfied(
        scenario.expected_session, executor.db.get("session", {})
    )


@pytest.mark.parametrize("scenario", load_scenarios(domain="airline"), ids=lambda s: s.id)
def test_without_faults_every_scenario_of_our_own_is_completed(scenario):
    executor, outcome = play(scenario)
    assert outcome.error is None
    assert outcome.end_reason in (EndReason.GOODBYE, EndReason.TRANSFER)
    assert completed(scenario, executor)


def test_without_faults_the_published_scenarios_complete_in_words(published):
    scenarios = load_scenarios(published, domain="airline")
    done = sum(completed(s, play(s)[0]) for s in scenarios)
    assert done >= 20 * len(scenarios) / 24


def test_a_misheard_character_reaches_the_tool_call():
    scenario = load_scenarios(ids=["E1.1"])[0]
    code = scenario.expected_session["confirmation_number"]
    misheard = ("B" if code[0] != "B" else "D") + code[1:]
    desk = TypedDesk(scenario)
    agent = PROFILES["reference"].brain(scenario, random.Random(0))
    name = scenario.caller["name"].split()[-1]
    talk(agent, desk, "I need help.", f"It is {spoken.say_code(misheard)}.", f"The last name is {name}.")
    assert desk.calls == [("get_reservation", {"confirmation_number": misheard, "last_name": name})]
    assert "session" not in desk.executor.db
    assert "confirmation number once more" in desk.said[-1]


def test_asks_before_it_writes():
    scenario = load_scenarios(ids=["E1.1"])[0]
    _, outcome = play(scenario)
    writes = {t.name for t in tools("airline") if t.kind == "write"}
    first_write = next(
        i for i, e in enumerate(outcome.trace) if e.role == "tool_call" and e.content["name"] in writes
    )
    before = [e for e in outcome.trace[:first_write] if e.role in ("agent", "caller")]
    assert before[-1].role == "caller"
    assert before[-1].content.startswith("Yes")
    assert before[-2].content.endswith("Shall I go ahead?")


def test_fault_skip_confirmation_writes_unasked():
    scenario = load_scenarios(ids=["E1.1"])[0]
    _, outcome = play(scenario, AgentProfile("x", Faults(skip_confirmation=1.0)))
    said = " ".join(e.content for e in outcome.trace if e.role == "agent")
    assert "Shall I go ahead?" not in said
    assert any(c.name == "rebook_flight" for c in outcome.tool_calls)


def test_fault_wrong_write_fails_the_task():
    scenario = load_scenarios(ids=["E1.1"])[0]
    executor, _ = play(scenario, AgentProfile("x", Faults(wrong_write=1.0)))
    assert not completed(scenario, executor)


def test_fault_silent_hangs_the_call():
    scenario = load_scenarios(ids=["E1.1"])[0]
    _, outcome = play(scenario, AgentProfile("x", Faults(silent=1.0)))
    assert outcome.end_reason == EndReason.INACTIVITY


def test_fault_interrupt_is_seen_in_the_turns():
    scenario = load_scenarios(ids=["E1.1"])[0]
    _, outcome = play(scenario, AgentProfile("x", Faults(interrupt=1.0)))
    assert any(t.agent_interrupts for t in outcome.turns)
    assert not any(t.agent_interrupts for t in play(scenario)[1].turns)


def test_faults_of_manner_lengthen_what_is_said():
    scenario = load_scenarios(ids=["E1.1"])[0]

    def words(faults):
        return sum(
            len(e.content.split())
            for e in play(scenario, AgentProfile("x", faults))[1].trace
            if e.role == "agent"
        )

    plain = words(Faults())
    assert words(Faults(ramble=1.0)) > plain
    assert words(Faults(repeat=1.0)) > plain


def test_fault_misread_changes_what_is_spoken_and_not_what_is_meant():
    scenario = load_scenarios(ids=["E1.1"])[0]
    _, outcome = play(scenario, AgentProfile("x", Faults(misread=1.0)))
    assert any(t.agent_heard != t.agent_intended for t in outcome.texts)
    assert all(t.agent_heard == t.agent_intended for t in play(scenario)[1].texts)


def test_misread_changes_one_character():
    text = "Your confirmation number is K, 7, Q, 2, M, X. Goodbye."
    spoken_text = misread(text, random.Random(3))
    assert len(spoken_text) == len(text)
    assert sum(a != b for a, b in zip(text, spoken_text, strict=True)) == 1
    assert misread("Hello there.", random.Random(3)) == "Hello there."


def test_alter_argument_stays_well_formed():
    spec = next(t for t in tools("airline") if t.name == "assign_seat")
    arguments = {
        "confirmation_number": "ABC123",
        "passenger_id": "PAX001",
        "journey_id": "FL_QZ1_20270101",
        "seat_preference": "aisle",
    }
    altered = alter_argument(spec, arguments, random.Random(0))
    assert altered != arguments
    assert spec.accept(altered)["seat_preference"] != "aisle"


def test_a_probability_outside_0_and_1_is_refused():
    with pytest.raises(ConfigError, match="misread"):
        Faults(misread=1.5)


def test_same_seed_same_words():
    scenario = load_scenarios(ids=["E4.1"])[0]
    hasty = replace(PROFILES["hasty"], name="h")
    first, second = play(scenario, hasty, 5)[1], play(scenario, hasty, 5)[1]
    assert [e.to_json() for e in first.events] == [e.to_json() for e in second.events]
    other = play(scenario, hasty, 6)[1]
    assert [e.to_json() for e in first.events] != [e.to_json() for e in other.events]
