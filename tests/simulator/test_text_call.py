"""A call in words: it ends as a call on the line would, whatever the agent's brain does."""

from __future__ import annotations

import asyncio
import random

import pytest

from evalib.core import Architecture, EndReason
from evalib.simulator.party import CallContext, CallerTurn, LatencyProfile, Limits, Spread
from evalib.simulator.text_call import run_text_call, speech_s

LIMITS = Limits(duration_s=300.0, inactivity_s=20.0, max_turns=5)


class Caller:
    """Says the same for ever; counts what it was told."""

    name = "caller"

    def __init__(self) -> None:
        self.heard: list[str] = []

    def open(self, greeting: str) -> CallerTurn:
        return self.reply(greeting)

    def reply(self, heard: str) -> CallerTurn:
        self.heard.append(heard)
        return CallerTurn("I would like to go on.")


class Agent:
    name = "agent"
    architecture = Architecture.CASCADE

    def __init__(self, act, greet=None, latency: LatencyProfile | None = None) -> None:
        self._act, self._greet = act, greet
        self.latency = latency or LatencyProfile()

    async def greet(self, desk) -> None:
        desk.say("Hello.")
        if self._greet is not None:
            await self._greet(desk)

    async def reply(self, heard: str, desk) -> None:
        await self._act(desk)


def phone(act, greet=None, *, limits: Limits = LIMITS, latency: LatencyProfile | None = None, caller=None):
    def execute(name, arguments):
        return {"status": "success"}

    agent = Agent(act, greet, latency)
    return run_text_call(caller or Caller(), agent, execute, CallContext("call", 0, limits))


async def talks(desk) -> None:
    desk.say("And on.")


async def waits(desk) -> None:
    await asyncio.Event().wait()


async def sleeps(desk) -> None:
    await asyncio.sleep(1e9)


async def looks_up_for_ever(desk) -> None:
    while True:
        await desk.call_tool("look", {})


async def looks_up_whatever_happens(desk) -> None:
    while True:
        try:
            await desk.call_tool("look", {})
        except (Exception, asyncio.CancelledError):
            continue


async def says_nothing(desk) -> None:
    pass


async def says_spaces(desk) -> None:
    desk.say("   ")
    desk.say("\n", spoken="boo")


@pytest.mark.parametrize(
    "act", [waits, sleeps, looks_up_for_ever, looks_up_whatever_happens, says_nothing, says_spaces]
)
@pytest.mark.parametrize("when", ["greet", "reply"])
def test_an_agent_that_does_not_speak_ends_in_inactivity(act, when):
    if when == "greet" and act in (says_nothing, says_spaces):
        pytest.skip("the caller speaks then")
    outcome = phone(act) if when == "reply" else phone(talks, act)
    assert outcome.end_reason == EndReason.INACTIVITY
    assert outcome.error is None
    last_speech_s = max(s.end_s for turn in outcome.turns for s in turn.caller + turn.agent)
    assert outcome.duration_s == pytest.approx(last_speech_s + LIMITS.inactivity_s)
    assert [e.type for e in outcome.events][-2:] == ["silence", "call_ended"]


def test_an_agent_that_goes_on_speaking_ends_at_the_time_limit():
    async def recites(desk):
        while True:
            desk.say("One more line of a very long poem.")
            await asyncio.sleep(5)

    outcome = phone(recites)
    assert outcome.end_reason == EndReason.TIME_LIMIT
    assert outcome.duration_s == LIMITS.duration_s


def test_one_long_speech_is_cut_at_the_time_limit():
    async def recites(desk):
        desk.say("la " * 10_000)
        desk.say("This is never said.")

    outcome = phone(recites)
    assert outcome.end_reason == EndReason.TIME_LIMIT
    assert outcome.duration_s == LIMITS.duration_s
    assert max(s.end_s for turn in outcome.turns for s in turn.agent) == LIMITS.duration_s
    assert max(e.offset_s for e in outcome.events) == LIMITS.duration_s
    assert outcome.events[-1].type == "call_ended"


def test_calls_that_go_on_end_at_the_time_limit():
    outcome = phone(talks, limits=Limits(duration_s=60.0, max_turns=10_000))
    assert outcome.end_reason == EndReason.TIME_LIMIT
    assert outcome.duration_s == 60.0


def test_the_caller_takes_no_more_turns_than_the_limit():
    caller = Caller()
    outcome = phone(talks, caller=caller)
    assert outcome.end_reason == EndReason.TIME_LIMIT
    assert len(outcome.texts) == 1 + LIMITS.max_turns
    assert [t.caller_intended is not None for t in outcome.texts] == [False] + [True] * LIMITS.max_turns
    assert caller.heard == ["Hello."] + ["And on."] * LIMITS.max_turns


def test_tools_without_latency_are_stopped_by_the_clock():
    free = LatencyProfile(tool=Spread(0.0))
    outcome = phone(looks_up_for_ever, latency=free)
    assert outcome.end_reason == EndReason.ERROR
    assert "livelock" in (outcome.error or "")


@pytest.mark.parametrize("reason", [EndReason.AGENT_HANGUP, EndReason.TRANSFER])
@pytest.mark.parametrize("speaks", [True, False])
def test_an_agent_may_leave_in_a_reply(reason, speaks):
    async def leaves(desk):
        if speaks:
            desk.say("Goodbye.")
        desk.leave(reason)

    outcome = phone(leaves)
    assert outcome.end_reason == reason
    assert len(outcome.texts) == 2


@pytest.mark.parametrize("reason", [EndReason.AGENT_HANGUP, EndReason.TRANSFER])
def test_an_agent_may_leave_after_its_greeting(reason):
    async def leaves(desk):
        desk.leave(reason)

    outcome = phone(talks, leaves)
    assert outcome.end_reason == reason
    assert [t.caller_intended for t in outcome.texts] == [None]
    assert outcome.turns[0].agent[0].duration_s == pytest.approx(speech_s("Hello."))


@pytest.mark.parametrize("reason", ["whatever", EndReason.GOODBYE, EndReason.TIME_LIMIT, None])
def test_an_agent_leaves_for_no_other_reason(reason):
    async def leaves(desk):
        desk.leave(reason)

    outcome = phone(leaves)
    assert outcome.end_reason == EndReason.ERROR
    assert "AGENT_HANGUP or EndReason.TRANSFER" in (outcome.error or "")


def test_a_voice_leaves_for_no_other_reason():
    from evalib.core import ConfigError
    from evalib.simulator.agent_voice import AgentVoice

    agent = object.__new__(AgentVoice)
    with pytest.raises(ConfigError, match="an agent leaves with"):
        agent.leave("whatever")  # type: ignore[arg-type]
    agent.leave("transfer")  # type: ignore[arg-type]
    assert agent._leaving is EndReason.TRANSFER


@pytest.mark.parametrize("broken", [asyncio.CancelledError, RuntimeError])
def test_a_brain_that_breaks_is_an_error_of_that_call(broken):
    async def breaks(desk):
        raise broken("no")

    for outcome in (phone(breaks), phone(talks, breaks)):
        assert outcome.end_reason == EndReason.ERROR
        assert broken.__name__ in (outcome.error or "")


def test_the_watch_changes_nothing_of_a_call_that_ends_by_itself():
    """Two calls that differ in their limits alone are one call when neither comes to them."""

    class Polite(Caller):
        def reply(self, heard):
            self.heard.append(heard)
            return CallerTurn("Thank you.", end_call=len(self.heard) == 4)

    rng = random.Random(0)

    async def works(desk):
        await desk.call_tool("look", {"n": rng.random()})
        desk.say("Done.")

    outcomes = []
    for limits in (LIMITS, Limits(duration_s=10_000.0, inactivity_s=5_000.0)):
        rng.seed(0)
        outcomes.append(phone(works, caller=Polite(), limits=limits))
    assert outcomes[0].end_reason == EndReason.GOODBYE
    assert outcomes[0].events == outcomes[1].events
    assert outcomes[0].turns == outcomes[1].turns
