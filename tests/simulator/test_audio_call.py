"""A whole call with sound: what it leaves behind, the same every time, however it ends."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from evalib.core import Architecture, EndReason, Event, SimulationError, ToolCall
from evalib.simulator.audio_call import AudioCall, Engines, run_audio_call
from evalib.simulator.clock import VirtualLoop, run
from evalib.simulator.event_log import EventLog, event_lines
from evalib.simulator.party import CALLER_LATENCY, CallContext, LatencyProfile, Limits
from evalib.simulator.seeding import derive_rng, derive_seed
from evalib.simulator.turns import build_turns
from tests.simulator.fakes import EXACT_CALLER, Agent, Caller, LevelVAD, PitchSTT, ToneTTS, engines, no_tools

GREETING = "hello there"
ASK, CODE, BYE = "i want to change my flight please", "my code is alpha bravo", "thank you and goodbye"
WHICH, WAIT, DONE = "what is your code", "let me check that", "you are booked on the evening flight"
TEXTS = (GREETING, ASK, CODE, BYE, WHICH, WAIT, DONE)


def rebook(heard, desk):
    async def steps():
        desk.say(WAIT)
        await desk.call_tool("rebook", {"code": heard})
        desk.say(DONE)

    return steps()


def a_call(seed=1, *, caller=None, agent=None, execute=None, session="s", limits=None, **options):
    options.setdefault("caller_latency", EXACT_CALLER)
    return run_audio_call(
        caller or Caller(ASK, CODE, BYE + "#"),
        agent or Agent(WHICH, rebook, greeting=GREETING),
        execute or (lambda name, arguments: {"status": "success"}),
        options.pop("engines", None) or engines(*TEXTS),
        CallContext(session, seed, limits or Limits()),
        **options,
    )


def test_a_call_from_greeting_to_goodbye():
    call = a_call()
    assert call.end_reason is EndReason.GOODBYE
    assert call.error is None
    assert [(t.caller_intended, t.caller_heard, t.agent_intended, t.agent_heard) for t in call.texts] == [
        (None, None, GREETING, GREETING),
        (ASK, ASK, WHICH, WHICH),
        (CODE, CODE, f"{WAIT} {DONE}", DONE),  # the fake recogniser knows one text a pitch
        (BYE, None, None, None),
    ]
    assert [t.tool_call for t in call.turns] == [False, False, True, False]
    assert not any(t.agent_interrupts or t.caller_interrupts for t in call.turns)
    (tool,) = call.tool_calls
    assert (tool.turn, tool.arguments) == (2, {"code": CODE})
    assert len(call.caller_track) == len(call.agent_track) == round(call.duration_s * 24_000)
    for turn in call.turns[1:3]:
        assert 1.3 - 0.001 <= turn.latency_s <= 1.361
    assert [(e.turn, e.role, e.content) for e in call.trace] == [
        (0, "agent", GREETING),
        (1, "caller", ASK),
        (1, "agent", WHICH),
        (2, "caller", CODE),
        (2, "tool_call", {"name": "rebook", "arguments": {"code": CODE}}),
        (2, "agent", WAIT),
        (2, "tool_response", {"name": "rebook", "response": {"status": "success"}}),
        (2, "agent", DONE),
        (3, "caller", BYE),
    ]


def test_who_starts_in_a_pause_of_an_utterance_cuts_in_on_it():
    """The agent takes a rest of 1.4 s for the end and starts after 1.3 s of it; the caller goes on.

    No new turn opens, and the agent, which gives way first, answers it all after its real end.
    """
    paused = "i want to change <1.4> my flight please"
    call = a_call(
        caller=Caller(paused, BYE + "#"),
        agent=Agent(WHICH, DONE, greeting=GREETING),
        engines=engines(*TEXTS, paused),
    )
    first = call.turns[1]
    assert len(first.caller) == 1
    assert first.caller[0].duration_s == pytest.approx(7 * 0.25 + 1.4, abs=0.001)
    assert first.agent_interrupts
    assert not any(t.caller_interrupts for t in call.turns)
    assert len(first.agent) == 2
    assert [e.type for e in call.events if e.turn == 1].count("yielded") == 1
    assert call.texts[1].agent_intended.endswith(DONE)


def test_the_turns_are_those_of_the_finished_tracks():
    call = a_call()
    speech = [[s for t in call.turns for s in getattr(t, side)] for side in ("caller", "agent")]
    assert build_turns(*speech, [ToolCall(0, "x", {}, {}, start_s=call.tool_calls[0].start_s)]) == call.turns


def test_events_keep_the_contract():
    call = a_call()
    events = call.events
    assert [e.sequence for e in events] == list(range(len(events)))
    offsets = [e.offset_s for e in events]
    assert offsets == sorted(offsets)
    assert (events[0].type, events[0].offset_s) == ("call_started", 0.0)
    assert (events[-1].type, events[-1].attributes) == ("call_ended", {"reason": "goodbye"})
    assert events[0].attributes["clock"] == "virtual"
    assert events[0].attributes["cost_model"]["kind"] == "modelled"
    assert events[0].attributes["cost_model"]["agent"]["endpoint_s"] == 0.6
    for line, event in zip(event_lines(events), events, strict=True):
        assert Event.from_json(json.loads(line)) == event


def test_every_event_has_the_turn_of_what_it_is_about():
    by_text = {ASK: 1, WHICH: 1, CODE: 2, WAIT: 2, DONE: 2, BYE: 3, GREETING: 0}
    for event in a_call().events:
        if event.type in ("utterance", "heard"):
            assert event.turn == by_text[event.attributes["text"]], event
        elif event.type in ("tool_call", "tool_response"):
            assert event.turn == 2


def test_utc_is_start_plus_offset_and_the_only_difference():
    events = a_call().events
    start = datetime(2026, 3, 1, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    plain = [json.loads(line) for line in event_lines(events)]
    dated = [json.loads(line) for line in event_lines(events, start)]
    assert all(line["utc"] == "" for line in plain)
    for line, event in zip(dated, events, strict=True):
        at = datetime.fromisoformat(line.pop("utc"))
        assert at - start.astimezone(UTC) == timedelta(seconds=event.offset_s)
        assert list(line) == [key for key in plain[event.sequence] if key != "utc"]


def test_what_is_said_wrong_is_heard_wrong_and_meant_right():
    async def misread(heard, desk):
        desk.say(WHICH, spoken=DONE)

    call = a_call(caller=Caller(ASK, BYE + "#"), agent=Agent(misread, greeting=GREETING))
    assert (call.texts[1].agent_intended, call.texts[1].agent_heard) == (WHICH, DONE)
    said = [e.attributes for e in call.events if e.type == "utterance" and e.role == "agent"]
    assert said[1]["spoken"] == DONE


def test_what_is_misheard_is_what_the_agent_works_with():
    class Deaf(PitchSTT):
        def transcribe(self, pcm, sample_rate):
            return super().transcribe(pcm, sample_rate).replace("bravo", "papa")

    tts = ToneTTS()
    call = a_call(engines=Engines(tts, tts, PitchSTT(*TEXTS), Deaf(*TEXTS), LevelVAD))
    assert call.tool_calls[0].arguments == {"code": "my code is alpha papa"}
    assert (call.texts[2].caller_intended, call.texts[2].caller_heard) == (CODE, "my code is alpha papa")


@pytest.mark.parametrize(
    ("architecture", "caller_word", "agent_words"),
    [
        (Architecture.CASCADE, "papa", [WAIT, DONE]),
        (Architecture.HYBRID, "bravo", [WAIT, DONE]),
        (Architecture.S2S, "bravo", [DONE]),
    ],
)
def test_the_trace_has_the_words_the_system_worked_with(architecture, caller_word, agent_words):
    class Deaf(PitchSTT):
        def transcribe(self, pcm, sample_rate):
            return super().transcribe(pcm, sample_rate).replace("bravo", "papa")

    agent = Agent(WHICH, rebook, greeting=GREETING)
    agent.architecture = architecture
    tts = ToneTTS()
    call = a_call(agent=agent, engines=Engines(tts, tts, PitchSTT(*TEXTS), Deaf(*TEXTS), LevelVAD))
    in_turn = [e for e in call.trace if e.turn == 2]
    assert [e.content for e in in_turn if e.role == "caller"] == [f"my code is alpha {caller_word}"]
    assert [e.content for e in in_turn if e.role == "agent"] == agent_words


# -- the same every time


def digest(call) -> str:
    """Of everything that is written: the events without utc, and both tracks."""
    text = "\n".join(event_lines(call.events)) + repr((call.turns, call.texts, call.trace, call.tool_calls))
    return hashlib.sha256(
        text.encode() + call.caller_track.tobytes() + call.agent_track.tobytes()
    ).hexdigest()


def spread_call(seed: int):
    """With spread latencies and an agent that interrupts, so that every stream is drawn from."""
    agent = Agent(WHICH, rebook, greeting=GREETING, latency=LatencyProfile())
    return a_call(seed, agent=agent, caller_latency=CALLER_LATENCY, interrupt_probability=0.5)


def test_same_seed_same_bytes_and_another_seed_others():
    first = digest(spread_call(7))
    assert digest(spread_call(7)) == first
    assert digest(spread_call(8)) != first


def test_same_bytes_in_another_process_whatever_its_hash_seed(repo):
    program = "from tests.simulator.test_audio_call import *; print(digest(spread_call(7)))"
    seen = {digest(spread_call(7))}
    for hash_seed in ("0", "4242"):
        env = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(repo)}
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=repo, env=env, capture_output=True, text=True, check=True
        )
        seen.add(done.stdout.strip())
    assert len(seen) == 1


def test_streams_are_apart_and_known():
    assert derive_seed(7, "s", "agent") == int.from_bytes(
        hashlib.sha256(b"7\x1fs\x1fagent").digest()[:8], "big"
    )
    draws = {derive_rng(7, *names).random() for names in (("s", "agent"), ("s", "caller"), ("sa", "gent"))}
    assert len(draws) == 3


def test_the_wall_clock_gives_the_same_call_in_real_time():
    """Latencies on the wall are the modelled ones plus what computing takes."""
    quick = replace(EXACT_CALLER, endpoint_s=0.3)
    parts = {"caller": Caller("hi", "bye#"), "agent": Agent("ok", greeting="yo")}
    call = a_call(**parts, engines=engines("hi", "bye", "ok", "yo"), caller_latency=quick, clock="wall")
    assert call.end_reason is EndReason.GOODBYE
    assert [t.caller_heard for t in call.texts] == [None, "hi", None]
    assert call.events[0].attributes["clock"] == "wall"
    assert call.turns[1].latency_s >= 1.3 - 0.001


# -- however it ends


def test_an_agent_that_goes_silent_ends_in_inactivity():
    call = a_call(agent=Agent("", greeting=GREETING), limits=Limits(inactivity_s=10))
    assert call.end_reason is EndReason.INACTIVITY
    assert call.turns[-1].agent == []
    assert call.duration_s == pytest.approx(call.turns[-1].caller[-1].end_s + 10, abs=0.04)


def test_the_time_limit():
    call = a_call(limits=Limits(duration_s=4.0))
    assert call.end_reason is EndReason.TIME_LIMIT
    assert call.duration_s == 4.0


def test_a_transferred_caller_who_says_goodbye_ends_the_call():
    async def transfer(heard, desk):
        desk.say(DONE)
        desk.leave(EndReason.TRANSFER)

    call = a_call(caller=Caller(ASK, BYE + "#"), agent=Agent(transfer, greeting=GREETING))
    assert call.end_reason is EndReason.GOODBYE
    assert call.texts[2].caller_intended == BYE


class Failing:
    def __init__(self, *args):
        pass

    def _fail(self, *args):
        raise RuntimeError("broken engine")

    synthesize = transcribe = is_speech = _fail
    reset = lambda self: None  # noqa: E731


def with_broken(part):
    good = engines(*TEXTS)
    return replace(good, **{part: Failing if part == "new_vad" else Failing()})


@pytest.mark.parametrize("part", ["caller_tts", "agent_tts", "caller_stt", "agent_stt", "new_vad"])
def test_a_broken_engine_is_an_error_of_the_call(part):
    call = a_call(engines=with_broken(part))
    assert call.end_reason is EndReason.ERROR
    assert "RuntimeError: broken engine" in call.error
    assert part.split("_")[0] in call.error or part == "new_vad"
    assert [e.type for e in call.events[-2:]] == ["error", "call_ended"]
    assert call.events[-1].attributes["reason"] == "error"


def test_a_broken_brain_or_tool_is_an_error_of_the_call():
    def broken(*args):
        raise ValueError("brain")

    caller = Caller(ASK)
    caller.reply = broken
    assert a_call(caller=caller).error == "caller: ValueError: brain"
    assert a_call(execute=broken).error == "agent: ValueError: brain"
    agent = Agent()
    agent.greet = broken
    assert a_call(agent=agent).error == "the agent failed at 0.00 s: ValueError: brain"


def test_a_brain_that_spins_is_stopped_by_the_clock():
    async def spin(heard, desk):
        import asyncio

        while True:
            await asyncio.sleep(0)

    call = a_call(agent=Agent(spin, greeting=GREETING))
    assert call.end_reason is EndReason.ERROR
    assert call.error.startswith("livelock at")
    assert [e.type for e in call.events[-2:]] == ["error", "call_ended"]
    assert call.texts[1].caller_intended == ASK


def test_nothing_of_a_call_goes_on_after_it():
    """A tool of ten minutes is cancelled with the call; no task is left behind."""
    import asyncio

    async def slow_tool(heard, desk):
        await desk.call_tool("slow", {})

    slow = LatencyProfile(tool=replace(EXACT_CALLER.tool, mean_s=600.0))
    call = AudioCall(
        Caller(ASK),
        Agent(slow_tool, greeting=GREETING, latency=slow),
        lambda name, arguments: {"status": "success"},
        engines(*TEXTS),
        CallContext("s", 1, Limits(inactivity_s=5)),
    )

    async def main():
        await call.run()
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert run(main()) == set()
    assert call.outcome().tool_calls[0].end_s is None
    assert call.outcome().end_reason is EndReason.INACTIVITY


def test_noise_on_the_line_reaches_the_ear_and_not_the_recording():
    noise = np.random.default_rng(0).normal(0, 200, 480).astype(np.int16)
    heard = []

    class Listening(PitchSTT):
        def transcribe(self, pcm, sample_rate):
            heard.append(pcm)
            return ASK

    class LoudVAD(LevelVAD):
        def is_speech(self, frame):
            return bool(np.max(frame) > 3000)

    tts = ToneTTS()
    call = a_call(
        engines=Engines(tts, tts, PitchSTT(*TEXTS), Listening(*TEXTS), LoudVAD),
        to_agent=lambda frame: noise if frame is None else frame + noise,
    )
    assert call.end_reason is EndReason.GOODBYE
    quiet = call.caller_track[: round(0.2 * 24_000)]
    assert not quiet.any()
    assert heard[0][:480].any()


# -- the log


def test_the_log_refuses_what_the_contract_does_not_know():
    log = EventLog("s")
    log.add("silence", 1.0, source="line")
    with pytest.raises(SimulationError, match="'laughter' is not in the contract"):
        log.add("laughter", 2.0, source="line")
    with pytest.raises(SimulationError, match=r"comes after one at 1\.0 s"):
        log.add("silence", 0.5, source="line")
    assert len(log) == 1


def test_a_call_leaves_the_loop_that_ran_it():
    """AudioCall runs on whatever loop it is given; here twice on one."""
    import asyncio

    async def main():
        calls = []
        for session in ("a", "b"):
            call = AudioCall(
                Caller(ASK, BYE + "#"), Agent(WHICH), no_tools, engines(*TEXTS), CallContext(session, 1)
            )
            await call.run()
            calls.append(call.outcome())
        return calls

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        a, b = runner.run(main())
    assert a.end_reason is b.end_reason is EndReason.GOODBYE
    assert b.events[0].offset_s == 0.0
