"""What a party does on the line: when it answers, when it gives way, and what it says then."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from evalib.core import EndReason
from evalib.simulator.agent_voice import AgentVoice
from evalib.simulator.clock import run
from evalib.simulator.line import Line
from evalib.simulator.mouth import Mouth, Utterance
from evalib.simulator.party import SAMPLE_RATE, CallerTurn, Limits
from evalib.simulator.pcm import frames_of
from evalib.simulator.segments import speech_segments
from evalib.simulator.session import Session
from evalib.simulator.voice_party import CallerVoice
from tests.simulator.fakes import (
    EXACT,
    EXACT_CALLER,
    Agent,
    Caller,
    LevelVAD,
    PitchSTT,
    ToneTTS,
    no_tools,
    tone,
)

SLACK = 0.061  # a tick on the line, one to notice the end, one to begin in
GREETING = "one two three four five six seven eight"  # 2.0 s, and then 0.2 s for the first sound


class Script:
    """The other end of the line: tones at given times, whatever happens."""

    def __init__(self, *speech: tuple[float, float]) -> None:
        n = max((round((at + length) * SAMPLE_RATE) for at, length in speech), default=0)
        track = np.zeros(n, dtype=np.int16)
        for at, length in speech:
            sound = tone(length, hz=300)
            track[round(at * SAMPLE_RATE) :][: len(sound)] = sound
        self.frames = list(frames_of(track))

    async def on_tick(self, k, t, heard):
        frame = self.frames[k] if k < len(self.frames) else None
        return frame if frame is not None and frame.any() else None


class Scene:
    """One voice against a script, after it has been played."""

    def __init__(self, voice, script, seconds):
        caller, agent = (script, voice) if isinstance(voice, AgentVoice) else (voice, script)
        self.voice = voice
        limits = Limits(duration_s=seconds, inactivity_s=1000)
        self.line = Line(caller, agent, limits=limits, session=voice.session)

        async def play():
            await self.line.run()
            await voice.close()

        run(play())
        tracks = self.line.tracks()
        self.speech = speech_segments(tracks[1] if isinstance(voice, AgentVoice) else tracks[0])
        self.events = voice.session.log.events

    def of(self, type):
        return [event for event in self.events if event.type == type]


def agent_scene(*speech, replies=(), greeting="", seconds=10.0, latency=EXACT, execute=no_tools, p=0.0):
    brain = Agent(*replies, greeting=greeting, latency=latency)
    voice = AgentVoice(
        brain,
        execute,
        brain_rng=random.Random(1),
        interrupt_rng=random.Random(2),
        interrupt_probability=p,
        session=Session(),
        tts=ToneTTS(),
        stt=PitchSTT(),
        vad=LevelVAD(),
        rng=random.Random(3),
    )
    voice._stt.by_pitch = {300.0: "caller"}
    return Scene(voice, Script(*speech), seconds)


def caller_scene(brain, *speech, seconds=10.0, latency=EXACT_CALLER, **options):
    voice = CallerVoice(
        brain,
        session=Session(),
        tts=ToneTTS(),
        stt=PitchSTT(),
        vad=LevelVAD(),
        latency=latency,
        rng=random.Random(3),
        **options,
    )
    voice._stt.by_pitch = {300.0: "agent"}
    return Scene(voice, Script(*speech), seconds)


# -- when it answers


def test_the_agent_answers_after_its_modelled_delays():
    scene = agent_scene((1.0, 1.5), replies=["yes of course"])
    modelled = EXACT.endpoint_s + 0.1 + 0.4 + 0.2
    (answer,) = scene.speech
    assert 2.5 + modelled <= answer.start_s <= 2.5 + modelled + SLACK
    assert answer.duration_s == pytest.approx(0.75, abs=0.001)
    assert scene.voice.brain.heard == ["caller"]


def test_the_caller_answers_after_its_modelled_delays():
    scene = caller_scene(Caller("hello", "bye#"), (1.0, 1.5), (5.0, 1.0), seconds=12)
    modelled = EXACT_CALLER.endpoint_s + 0.3 + 0.1
    assert [s.start_s for s in scene.speech] == [
        pytest.approx(end + modelled + SLACK / 2, abs=SLACK / 2) for end in (2.5, 6.0)
    ]
    assert scene.voice.session.end_reason is EndReason.GOODBYE
    assert scene.line.ticks / 50 == pytest.approx(scene.speech[-1].end_s, abs=0.041)


@pytest.mark.parametrize("cut", [0.0, 0.007, 0.0199])
def test_latency_does_not_depend_on_where_in_a_tick_speech_ends(cut):
    scene = agent_scene((1.0, 1.5 + cut), replies=["yes"])
    latency = scene.speech[0].start_s - (2.5 + cut)
    assert 1.3 - 1e-9 <= latency <= 1.3 + SLACK


def test_sound_starts_where_the_utterance_says_whatever_silence_the_engine_makes():
    scene = agent_scene(greeting="hello")
    (event,) = scene.of("speech_started")
    assert scene.speech[0].start_s == pytest.approx(event.attributes["start_s"], abs=0.001)
    assert event.attributes["start_s"] == pytest.approx(0.2, abs=0.001)
    (ended,) = scene.of("speech_ended")
    assert scene.speech[0].end_s == pytest.approx(ended.attributes["end_s"], abs=0.001)
    assert ended.pcm["duration_seconds"] == 0.25
    assert ended.pcm["peak_amplitude"] == 8000


def test_a_click_is_no_utterance():
    scene = agent_scene((1.0, 0.06), replies=["yes"])
    assert scene.speech == []
    assert scene.voice.brain.heard == []


def test_a_pause_before_the_answer_withdraws_it():
    """0.9 s of pause: past the end point, not yet answered. Both pieces are heard as one."""
    scene = agent_scene((1.0, 1.0), (2.9, 1.0), replies=["yes", "no"])
    assert scene.voice.brain.heard == ["caller"]
    (heard,) = scene.of("heard")
    assert heard.attributes["start_s"] == pytest.approx(1.02)
    assert heard.attributes["end_s"] == pytest.approx(3.92)
    assert scene.speech[0].start_s == pytest.approx(3.9 + 1.3, abs=SLACK)


def test_a_pause_beyond_the_answer_is_answered_and_then_cut_in_on():
    scene = agent_scene((1.0, 1.0), (3.6, 1.0), replies=["yes yes yes yes yes yes yes yes", "no"], seconds=8)
    assert scene.voice.brain.heard == ["caller", "caller"]
    assert len(scene.of("yielded")) == 1


def test_speech_follows_on_with_a_gap():
    async def two(heard, desk):
        desk.say("one two")
        desk.say("three four")

    scene = agent_scene((0.5, 0.5), replies=[two])
    gap = scene.speech[1].start_s - scene.speech[0].end_s
    assert gap == pytest.approx(0.2, abs=0.021)


def test_a_slow_caller_is_synthesised_slow():
    scene = caller_scene(Caller(CallerTurn("a b", pace="slow")), (0.5, 0.5))
    assert scene.speech[0].duration_s == pytest.approx(1.0, abs=0.001)
    assert scene.of("utterance")[0].attributes["pace"] == "slow"


def test_a_caller_that_says_nothing_keeps_listening():
    scene = caller_scene(Caller("hello", "", "yes"), (0.5, 0.5), (4.0, 0.5), (7.0, 0.5), seconds=12)
    assert scene.voice.brain.heard == ["agent"] * 3
    assert len(scene.speech) == 2
    assert scene.voice.session.end_reason is EndReason.TIME_LIMIT


def test_a_caller_that_is_not_greeted_speaks_first():
    scene = caller_scene(Caller("hello"), seconds=8)
    assert scene.voice.brain.heard == [""]
    assert scene.speech[0].start_s == pytest.approx(5.0, abs=0.03)


def test_turns_are_limited_and_listening_is_no_turn():
    speech = [(2.0 + 4 * i, 0.5) for i in range(6)]
    scene = caller_scene(Caller("a", "", "b", "c", "d"), *speech, seconds=40, max_turns=2)
    assert len(scene.speech) == 2
    assert scene.voice.session.end_reason is EndReason.TIME_LIMIT


# -- when it gives way


def test_the_agent_yields_to_a_caller_who_cuts_in():
    scene = agent_scene((1.0, 1.5), greeting=GREETING, replies=["sorry"])
    greeting, answer = scene.speech
    assert greeting.start_s == pytest.approx(0.2, abs=0.001)
    # The caller's speech arrives a tick late and is over the limit after 15 voiced ticks.
    assert 1.0 + EXACT.yield_s <= greeting.end_s <= 1.0 + EXACT.yield_s + 0.021
    (event,) = scene.of("yielded")
    assert event.attributes["yield_s"] == pytest.approx(EXACT.yield_s)
    assert event.attributes["share_said"] == pytest.approx((greeting.end_s - 0.2) / 2.0, abs=0.01)
    assert event.attributes["text_said"] == "one two three four"
    assert answer.start_s == pytest.approx(2.5 + 1.3, abs=SLACK)
    assert scene.voice.brain.heard == ["caller"]


def test_what_waited_to_be_said_is_dropped_and_marked():
    async def long(heard, desk):
        for text in (GREETING, "second part", "third part"):
            desk.say(text)

    unsaid = []

    async def next_reply(heard, desk):
        unsaid.extend(desk.unsaid)

    scene = agent_scene((0.5, 0.5), (3.5, 1.0), replies=[long, next_reply])
    dropped = [e.attributes["text"] for e in scene.of("utterance") if e.attributes.get("dropped")]
    assert dropped == ["second part", "third part"]
    assert unsaid == [GREETING, "second part", "third part"]
    assert len(scene.speech) == 1


def test_a_short_sound_of_the_other_side_is_talked_over_and_not_answered():
    scene = agent_scene((1.0, 0.2), greeting=GREETING, replies=["sorry"])
    assert len(scene.speech) == 1
    assert scene.speech[0].duration_s == pytest.approx(2.0, abs=0.001)
    assert scene.voice.brain.heard == []


def test_speech_that_outlasts_the_agents_own_is_answered():
    """It begins 0.2 s before the greeting ends, too late to yield to."""
    scene = agent_scene((2.0, 1.0), greeting=GREETING, replies=["sorry"])
    assert scene.of("yielded") == []
    assert scene.voice.brain.heard == ["caller"]
    assert scene.speech[1].start_s == pytest.approx(3.0 + 1.3, abs=SLACK)


def test_the_caller_yields_too_and_one_with_infinite_patience_does_not():
    line = Caller(GREETING)
    scene = caller_scene(line, (0.5, 0.5), (3.0, 2.0))
    assert scene.speech[0].end_s == pytest.approx(3.0 + EXACT_CALLER.yield_s, abs=0.03)
    stubborn = replace(EXACT_CALLER, yield_s=math.inf)
    scene = caller_scene(Caller(GREETING), (0.5, 0.5), (3.0, 1.0), latency=stubborn)
    assert scene.speech[0].duration_s == pytest.approx(2.0, abs=0.001)
    assert scene.voice.brain.heard == ["agent"]


def test_starting_while_the_other_speaks_is_a_barge_in():
    scene = agent_scene((0.1, 1.0), greeting="hello hello hello")
    (event,) = scene.of("barge_in")
    assert event.role == "agent"
    assert event.offset_s == pytest.approx(0.2, abs=0.021)
    assert agent_scene((3.0, 0.5), greeting="hello").of("barge_in") == []


# -- tools


def tools_that_take(log):
    def execute(name, arguments):
        log.append((name, arguments))
        return {"status": "success", "n": len(log)}

    return execute


def test_a_tool_takes_its_modelled_time_while_the_line_goes_on():
    async def look_up(heard, desk):
        desk.say("let me check")
        response = await desk.call_tool("get", {"id": heard})
        desk.say(f"found {response['n']}")

    log = []
    scene = agent_scene((0.5, 0.5), replies=[look_up], execute=tools_that_take(log))
    (call,) = scene.voice.tool_calls
    assert (call.name, call.arguments, call.response) == (
        "get",
        {"id": "caller"},
        {"status": "success", "n": 1},
    )
    assert call.end_s - call.start_s == pytest.approx(1.0)
    assert scene.speech[0].start_s < call.end_s < scene.speech[1].start_s + 0.2
    asked, answered = scene.of("tool_call")[0], scene.of("tool_response")[0]
    assert (asked.offset_s, answered.offset_s) == (call.start_s, call.end_s)


def test_a_tool_finishes_though_the_caller_cuts_in_and_what_they_said_is_answered_next():
    """The caller speaks while the tool runs: its result is not spoken, their words are answered."""
    order = []

    async def look_up(heard, desk):
        await desk.call_tool("get", {})
        order.append(("tool done", desk.interrupted))
        desk.say("here is your result")

    async def after(heard, desk):
        order.append(("answers", desk.unsaid))
        desk.say("yes")

    slow = replace(EXACT, tool=replace(EXACT.tool, mean_s=3.0))
    scene = agent_scene(
        (0.5, 0.5), (3.0, 0.5), replies=[look_up, after], latency=slow, execute=tools_that_take([])
    )
    assert order == [("tool done", True), ("answers", ("here is your result",))]
    assert scene.voice.tool_calls[0].end_s == pytest.approx(1.0 + 0.6 + 0.5 + 3.0, abs=SLACK)
    (dropped,) = [e for e in scene.of("utterance") if e.attributes.get("dropped")]
    assert dropped.attributes["text"] == "here is your result"
    (answer,) = scene.speech
    assert answer.start_s >= scene.voice.tool_calls[0].end_s


def test_what_was_logged_of_a_tool_does_not_change_after():
    record = {"status": "success", "seat": "1A"}

    async def change(heard, desk):
        response = await desk.call_tool("get", {})
        response["seat"] = "9F"

    scene = agent_scene((0.5, 0.5), replies=[change], execute=lambda name, arguments: record)
    assert scene.voice.tool_calls[0].response["seat"] == "1A"
    assert scene.of("tool_response")[0].attributes["response"]["seat"] == "1A"


def test_a_tool_that_outlives_the_call_has_no_end():
    async def look_up(heard, desk):
        await desk.call_tool("get", {})

    scene = agent_scene((0.5, 0.5), replies=[look_up], seconds=2.5)
    (call,) = scene.voice.tool_calls
    assert call.start_s == pytest.approx(2.1, abs=SLACK)
    assert call.end_s is None
    assert scene.of("tool_response") == []


# -- leaving, interrupting, failing


def test_the_agent_hangs_up_once_it_has_spoken():
    async def goodbye(heard, desk):
        desk.leave(EndReason.AGENT_HANGUP)
        desk.say("good bye now")

    scene = agent_scene((0.5, 0.5), replies=[goodbye])
    assert scene.voice.session.end_reason is EndReason.AGENT_HANGUP
    assert scene.speech[0].duration_s == pytest.approx(0.75, abs=0.001)
    assert scene.line.ticks / 50 == pytest.approx(scene.speech[0].end_s, abs=0.041)


def test_a_transferred_caller_has_a_moment_to_say_goodbye():
    async def transfer(heard, desk):
        desk.say("transferring you")
        desk.leave(EndReason.TRANSFER)

    scene = agent_scene((0.5, 0.5), replies=[transfer], seconds=20)
    assert scene.voice.session.end_reason is EndReason.TRANSFER
    assert scene.line.ticks / 50 == pytest.approx(scene.speech[0].end_s + 3.0, abs=0.041)
    spoken_after = agent_scene((0.5, 0.5), (4.0, 1.0), replies=[transfer, "never said"], seconds=20)
    assert spoken_after.voice.session.end_reason is EndReason.TRANSFER
    # However much the caller says, it is the quiet after it that ends the call: a goodbye may pause.
    assert spoken_after.line.ticks / 50 == pytest.approx(5.0 + EXACT.endpoint_s + 3.0, abs=SLACK)
    assert len(spoken_after.speech) == 1


def test_an_agent_that_interrupts_cuts_in_after_a_second():
    scene = agent_scene((1.0, 4.0), p=1.0, replies=["yes"])
    filler, answer = scene.speech
    assert filler.start_s == pytest.approx(2.0, abs=0.5)
    assert filler.duration_s == pytest.approx(0.5, abs=0.001)  # said to its end
    assert answer.start_s == pytest.approx(5.0 + 1.3, abs=SLACK)
    (event,) = [e for e in scene.of("utterance") if e.attributes.get("interjection")]
    assert event.attributes["text"] == "one moment"
    assert len(scene.of("barge_in")) == 1
    assert scene.voice.brain.heard == ["caller"]


def test_interruptions_come_as_often_as_asked():
    """150 utterances at p = 0.3: the count lies within 4 standard deviations of 45."""
    speech = [(1.0 + 4.0 * i, 2.5) for i in range(150)]
    scene = agent_scene(*speech, p=0.3, seconds=602)
    count = sum(bool(e.attributes.get("interjection")) for e in scene.of("utterance"))
    assert abs(count - 45) < 4 * math.sqrt(150 * 0.3 * 0.7)


def test_an_agent_that_fails_ends_the_call_and_says_how():
    async def broken(heard, desk):
        raise RuntimeError("no model")

    scene = agent_scene((0.5, 0.5), replies=[broken])
    assert scene.voice.session.end_reason is EndReason.ERROR
    assert scene.voice.session.error == "agent: RuntimeError: no model"
    assert scene.of("error")[0].attributes == {"message": "agent: RuntimeError: no model"}


# -- the mouth alone


def mouth_with(*utterances):
    mouth = Mouth(lambda u: None, lambda u: None)
    for utterance in utterances:
        mouth.add(utterance)
    return mouth


def test_a_text_without_sound_is_said_and_over():
    empty, hello = Utterance("...", "..."), Utterance("hello", "hello")
    empty.set_sound(np.zeros(4800, np.int16))
    hello.set_sound(tone(0.05))
    mouth = mouth_with(empty, hello)
    sent = [mouth.next_frame(k / 50) for k in range(30)]
    assert sum(frame is not None for frame in sent) == 3
    assert (empty.start_s, empty.end_s, empty.text_said) == (0.0, 0.0, "...")
    assert not mouth.busy


def test_speech_waits_for_its_sound_and_its_time():
    first, second = Utterance("a", "a", ready_s=0.1), Utterance("b", "b")
    second.set_sound(tone(0.02))
    mouth = mouth_with(first, second)
    assert [mouth.next_frame(k / 50) for k in range(10)] == [None] * 10
    first.set_sound(tone(0.02))
    assert mouth.next_frame(0.2) is not None
    assert first.start_s == 0.2


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, ""), (0.35, "one two"), (0.6, "one two three"), (0.9995, "one two three four five")],
)
def test_the_text_of_a_cut_utterance_is_its_leading_words(share, said):
    utterance = Utterance("one two three four five", "x")
    utterance.sound = tone(10.0)
    utterance.start_s, utterance.end_s = 0.0, 10.0 * share
    assert utterance.text_said == said
