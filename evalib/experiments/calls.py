"""One call of an experiment: what is to be simulated, and simulating it.

A :class:`CallSpec` is plain data, so that it can be sent to another process or machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from evalib.core import (
    Architecture,
    ConfigError,
    Conversation,
    EndReason,
    EvalibError,
    Event,
    Scenario,
    SimulationError,
)
from evalib.domains import ToolExecutor
from evalib.simulator.audio_call import Engines, run_audio_call
from evalib.simulator.callers.scripted import ScriptedCaller
from evalib.simulator.clock import Clock
from evalib.simulator.party import CALLER_LATENCY, AgentBrain, CallContext, LatencyProfile, Limits
from evalib.simulator.seeding import derive_rng, derive_seed
from evalib.simulator.text_call import run_text_call

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    from evalib.simulator.outcome import CallOutcome


class Agent(Protocol):
    """An agent under test that thinks in words: a name, an architecture, latencies, a brain per call.

    :class:`~evalib.simulator.agents.profile.AgentProfile` is one. It must be picklable when an
    executor with processes runs the calls.
    """

    @property
    def name(self) -> str: ...

    @property
    def architecture(self) -> Architecture: ...

    @property
    def latency(self) -> LatencyProfile: ...

    def brain(self, scenario: Scenario, rng: random.Random) -> AgentBrain: ...


# (conversation, scenario) -> None when the call counts, else why the simulator spoiled it.
Gate = Callable[[Conversation, Scenario], str | None]


@dataclass(frozen=True)
class SpeechConfig:
    """Which engines speak and listen in calls of fidelity ``"audio"``. Names as in
    :mod:`evalib.simulator.speech`."""

    caller_voice: str = "hibari-heart"
    agent_voice: str = "hibari-heart-low"
    stt: str = "whisper-tiny.en"
    vad: str = "energy"


@dataclass(frozen=True)
class CallSpec:
    """One call to simulate."""

    scenario: Scenario
    agent: Agent
    trial: int
    seed: int
    condition: str = "clean"
    fidelity: str = "audio"
    clock: Clock = "virtual"
    limits: Limits = field(default_factory=Limits)
    speech: SpeechConfig = field(default_factory=SpeechConfig)

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        """As :attr:`Conversation.key`."""
        return (self.agent.name, self.scenario.domain, self.scenario.id, self.trial, self.condition)


@dataclass
class CallResult:
    """A simulated call: the conversation, its events and, for fidelity audio, its two tracks.

    ``started`` is when it began on the wall clock; it is no part of what two equal calls share.
    """

    conversation: Conversation
    events: list[Event]
    started: datetime = field(compare=False)
    caller_track: NDArray[np.int16] | None = None
    agent_track: NDArray[np.int16] | None = None


def run_call(spec: CallSpec, gate: Gate | None = None, max_attempts: int = 1) -> CallResult:
    """Simulate a call; again with other draws, up to `max_attempts` times, while the gate refuses it.

    A call that is still refused comes back with ``conversation.invalid`` set, never dropped.

    Raises
    ------
    ConfigError
        When the gate returns anything but a reason or None.
    SimulationError
        When the gate raises, or the agent cannot make a brain for this call.
    """
    for attempt in range(1, max_attempts + 1):
        result = _run_once(spec, attempt)
        result.conversation.attempt = attempt
        reason = None if gate is None else _verdict(gate, result.conversation, spec.scenario)
        if reason is None:
            break
        result.conversation.invalid = reason
    return result


def _verdict(gate: Gate, conversation: Conversation, scenario: Scenario) -> str | None:
    name = getattr(gate, "__qualname__", repr(gate))
    try:
        reason = gate(conversation, scenario)
    except Exception as exc:  # a gate may be anybody's code
        what = f"{type(exc).__name__}: {exc}"
        raise SimulationError(f"the gate {name} failed at {conversation!r}: {what}") from exc
    if reason is not None and not (isinstance(reason, str) and reason):
        raise ConfigError(
            f"the gate {name} returned {reason!r}: it must return None when the call counts, else the "
            "reason in words why it does not"
        )
    return reason


def _run_once(spec: CallSpec, attempt: int) -> CallResult:
    scenario, started = spec.scenario, datetime.now(UTC)
    session = "/".join([*map(str, spec.key), *([f"attempt-{attempt}"] if attempt > 1 else [])])
    seed = derive_seed(spec.seed, session)
    tools = ToolExecutor(scenario.domain, scenario.initial_db, scenario.now)
    initial_db = scenario.initial_db | {"_current_date": scenario.date}
    caller = ScriptedCaller(scenario)
    agent = _brain(spec, derive_rng(seed, "brain"))
    context = CallContext(session, seed, spec.limits)
    if spec.fidelity == "text":
        outcome = run_text_call(caller, agent, tools.call, context, clock=spec.clock)
    else:
        outcome = run_audio_call(caller, agent, tools.call, _engines(spec.speech), context, clock=spec.clock)
    return _result(spec, outcome, tools, initial_db, seed, started)


def _brain(spec: CallSpec, rng: random.Random) -> AgentBrain:
    """The agent's brain; what it does not say of itself (name, architecture, latency) its agent says."""
    try:
        brain = spec.agent.brain(spec.scenario, rng)
    except EvalibError:
        raise
    except Exception as exc:  # an agent may be anybody's code
        what = f"{type(exc).__name__}: {exc}"
        raise SimulationError(
            f"agent {spec.agent.name!r} made no brain for {spec.scenario.domain} {spec.scenario.id}: {what}"
        ) from exc
    for method in ("greet", "reply"):
        if not callable(getattr(brain, method, None)):
            raise ConfigError(
                f"the brain of agent {spec.agent.name!r} has no {method}(): it needs async greet(desk) and "
                "async reply(heard, desk), see evalib.simulator.AgentBrain"
            )
    for name in ("name", "architecture", "latency"):
        if not hasattr(brain, name):
            setattr(brain, name, getattr(spec.agent, name))
    return brain


def _engines(speech: SpeechConfig) -> Engines:
    from evalib.simulator.speech import make_stt, make_tts, make_vad

    stt = make_stt(speech.stt)
    return Engines(
        caller_tts=make_tts(speech.caller_voice),
        agent_tts=make_tts(speech.agent_voice),
        caller_stt=stt,
        agent_stt=stt,
        new_vad=lambda: make_vad(speech.vad),
    )


def _result(
    spec: CallSpec,
    outcome: CallOutcome,
    tools: ToolExecutor,
    initial_db: dict[str, Any],
    seed: int,
    started: datetime,
) -> CallResult:
    for call, logged in zip(outcome.tool_calls, tools.log, strict=False):
        call.changes = logged.changes
    conversation = Conversation(
        system=spec.agent.name,
        architecture=spec.agent.architecture,
        domain=spec.scenario.domain,
        scenario_id=spec.scenario.id,
        trial=spec.trial,
        condition=spec.condition,
        turns=outcome.turns,
        texts=outcome.texts,
        trace=outcome.trace,
        tool_calls=outcome.tool_calls,
        initial_db=initial_db,
        final_db=tools.db,
        end_reason=EndReason(outcome.end_reason),
        duration_s=round(outcome.duration_s, 6),
        fidelity=spec.fidelity,
        clock=spec.clock,
        cost_model={"agent": spec.agent.latency.as_dict(), "caller": CALLER_LATENCY.as_dict()},
        seed=seed,
        language=spec.scenario.language,
        error=outcome.error,
    )
    return CallResult(conversation, outcome.events, started, outcome.caller_track, outcome.agent_track)
