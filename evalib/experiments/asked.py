"""What a caller of :func:`evalib.simulate` asked for: checked before the first call, and put on record."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields, is_dataclass
from hashlib import sha256
from types import CodeType
from typing import Any

from evalib.core import Architecture, ConfigError, Scenario
from evalib.experiments.calls import Agent, Gate, SpeechConfig
from evalib.simulator.party import LatencyProfile, Limits

FIDELITIES = ("text", "audio")
CLOCKS = ("virtual", "wall")
LANGUAGE = "en"
SPOKEN_DOMAINS = {"airline"}  # that the caller and the reference agent have words for


def checked_agents(agent: Any) -> list[Agent]:
    """The agents, each one that can be phoned, no two of one name."""
    from evalib.simulator.agents.profile import PROFILES

    given = list(agent) if isinstance(agent, list | tuple) else [agent]
    found: list[Agent] = []
    for one in given:
        if isinstance(one, str):
            if one not in PROFILES:
                raise ConfigError(
                    f"unknown agent {one!r}: give one of {', '.join(PROFILES)}, an AgentProfile, or an "
                    "object with name, architecture, latency and brain(scenario, rng)"
                )
            one = PROFILES[one]
        found.append(_checked_agent(one))
    names = [a.name for a in found]
    if not found:
        raise ConfigError("no agent given")
    if len(set(names)) != len(names):
        raise ConfigError(
            f"two agents have one name ({', '.join(names)}): rename one with dataclasses.replace(profile, "
            "name=...)"
        )
    return found


def _checked_agent(agent: Any) -> Agent:
    needs = {"name": str, "architecture": str, "latency": LatencyProfile}
    if isinstance(agent, type):
        raise ConfigError(f"the agent {agent.__qualname__} is a class: give an object, {agent.__name__}()")
    if not callable(getattr(agent, "brain", None)):
        raise ConfigError(f"{agent!r} is no agent: it needs {', '.join(needs)} and brain(scenario, rng)")
    for name, kind in needs.items():
        value = getattr(agent, name, None)
        if not isinstance(value, kind) or not value:
            raise ConfigError(f"{name} of the agent {agent!r} is {value!r}: it must be a {kind.__name__}")
    if agent.architecture not in tuple(Architecture):
        raise ConfigError(
            f"architecture of the agent {agent.name!r} is {agent.architecture!r}: use one of "
            f"{', '.join(Architecture)}"
        )
    return agent


def checked_scenarios(scenarios: Any) -> list[Scenario]:
    """The scenarios, each one that calls can be about, none of them twice."""
    from evalib.domains import load_scenarios

    if scenarios is None:
        scenarios = load_scenarios(domain="airline")
    try:
        found = [scenarios] if isinstance(scenarios, Scenario) else list(scenarios)
    except TypeError:
        found = [scenarios]
    if not found:
        raise ConfigError("no scenarios given: load some with evalib.load_scenarios()")
    for one in found:
        if not isinstance(one, Scenario):
            raise ConfigError(f"{one!r} is no scenario: load scenarios with evalib.load_scenarios()")
        if one.language != LANGUAGE:
            raise ConfigError(
                f"scenario {one.domain} {one.id} is in {one.language!r}: the scripted caller, its voice and "
                "the recogniser speak English only"
            )
    twice = [f"{d} {i}" for (d, i), n in Counter((s.domain, s.id) for s in found).items() if n > 1]
    if twice:
        raise ConfigError(f"given more than once: scenario {', '.join(twice)}; for more calls use trials")
    if other := sorted({s.domain for s in found} - SPOKEN_DOMAINS):
        raise ConfigError(
            f"the caller and the reference agent have no words for {', '.join(other)} yet: calls can be "
            f"simulated in {', '.join(sorted(SPOKEN_DOMAINS))}; ToolExecutor and replay work in every domain"
        )
    return found


def check_choices(**choices: tuple[Any, tuple[str, ...]]) -> None:
    """Refuse a value that is not among those known."""
    for name, (value, known) in choices.items():
        if value not in known:
            raise ConfigError(f"{name}={value!r} is not known: use one of {', '.join(known)}")


def check_whole(least: int | None, **values: Any) -> None:
    """Refuse what is no whole number, or below `least`."""
    for name, value in values.items():
        if type(value) is not int or (least is not None and value < least):
            of = "" if least is None else f" of {least} or more"
            raise ConfigError(f"{name}={value!r}: it must be a whole number{of}")


def check_limits(limits: Any) -> None:
    if not isinstance(limits, Limits):
        raise ConfigError(f"limits={limits!r}: it must be an evalib.simulator.Limits")
    for f in fields(limits):
        value = getattr(limits, f.name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise ConfigError(f"limits: {f.name} is {value!r}: it must be above 0")


def check_engines(speech: Any) -> None:
    """Refuse names of engines that there are not; for calls in words too, which do not use them."""
    from evalib.simulator.speech.registry import DETECTORS, RECOGNISERS, VOICES

    if not isinstance(speech, SpeechConfig):
        raise ConfigError(f"speech={speech!r}: it must be an evalib.experiments.calls.SpeechConfig")
    known = {"caller_voice": VOICES, "agent_voice": VOICES, "stt": RECOGNISERS, "vad": DETECTORS}
    check_choices(**{n: (getattr(speech, n), tuple(table)) for n, table in known.items()})


def check_where(out: Any, executor: Any, agents: list[Agent], gate: Gate | None) -> None:
    """Refuse a run folder that has no name, and an executor that cannot be given these calls."""
    if out is not None and (not isinstance(out, str | os.PathLike) or not os.fspath(out)):
        raise ConfigError(f"out={out!r}: it must be the path of a run folder")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise ConfigError(f"executor={executor!r}: it must be a concurrent.futures.Executor")
    if isinstance(executor, ProcessPoolExecutor):
        try:
            pickle.dumps((agents, gate))
        except Exception as exc:  # whatever the object's own code raises
            raise ConfigError(
                f"an agent or the gate cannot be sent to another process ({exc}): define it at the top of a "
                "module, or simulate without an executor"
            ) from exc


def configuration(agents: list[Agent], scenarios: list[Scenario], given: dict[str, Any]) -> dict[str, Any]:
    """What decides the results: a run is resumed with this configuration or not at all."""
    return {
        "agents": [_agent_record(a) for a in agents],
        "caller": given["caller"],
        "fidelity": given["fidelity"],
        "clock": given["clock"],
        "condition": given["condition"],
        "gate": _gate_record(given["gate"]),
        "max_attempts": given["max_attempts"],
        "limits": asdict(given["limits"]),
        "speech": asdict(given["speech"]) if given["fidelity"] == "audio" else None,
        "scenarios": sorted(f"{s.domain}/{s.id}" for s in scenarios),
        "trials": given["trials"],
    }


def _agent_record(agent: Agent) -> dict[str, Any]:
    """An agent's class and settings: fields of a dataclass, and ``agent.config`` of any other."""
    own = {f.name: getattr(agent, f.name) for f in fields(agent)} if is_dataclass(agent) else {}
    if hasattr(agent, "config"):
        own["config"] = agent.config
    own = {n: asdict(v) if is_dataclass(v) and not isinstance(v, type) else v for n, v in own.items()}
    kind = type(agent)
    return own | {
        "name": agent.name,
        "class": f"{kind.__module__}.{kind.__qualname__}",
        "architecture": str(agent.architecture),
        "latency": agent.latency.as_dict(),
    }


def _gate_record(gate: Any) -> str | None:
    """A gate by its name; one that shares its name with others, by its code too."""
    if gate is None or isinstance(gate, str):
        return gate
    named = gate if hasattr(gate, "__qualname__") else type(gate)
    name = f"{named.__module__}.{named.__qualname__}"
    code = getattr(gate, "__code__", None)
    if code is None or "<" not in name:
        return name
    parts = [code.co_code.hex(), repr(code.co_names), *map(_constant, code.co_consts)]
    return f"{name} {sha256(' '.join(parts).encode()).hexdigest()[:16]}"


def _constant(value: Any) -> str:
    """The same text for the same constant in every process."""
    if isinstance(value, CodeType):
        return value.co_code.hex() + "".join(map(_constant, value.co_consts))
    if isinstance(value, frozenset):
        return repr(sorted(map(repr, value)))
    return repr(value)
