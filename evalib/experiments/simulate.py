"""``evalib.simulate``: scenarios x agents x trials, phoned and stored."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evalib.core import Architecture, ConfigError, Conversation, EndReason, Scenario
from evalib.domains import tools
from evalib.experiments.calls import Agent, CallResult, CallSpec, Gate, SpeechConfig, run_call
from evalib.simulator.party import LatencyProfile, Limits

if TYPE_CHECKING:
    from evalib.store.run import Run

FIDELITIES = ("text", "audio")
CLOCKS = ("virtual", "wall")


def simulate(
    scenarios: Scenario | Iterable[Scenario] | None = None,
    agent: str | Agent | Sequence[str | Agent] = "reference",
    caller: Literal["scripted"] = "scripted",
    trials: int = 5,
    seed: int = 0,
    fidelity: Literal["text", "audio"] = "audio",
    clock: Literal["virtual", "wall"] = "virtual",
    condition: str = "clean",
    gate: Literal["default"] | Gate | None = "default",
    max_attempts: int = 3,
    out: str | Path | None = None,
    executor: Executor | None = None,
    resume: bool = True,
    progress: bool = True,
    limits: Limits | None = None,
    speech: SpeechConfig | None = None,
) -> Run:
    """Phone an agent about every scenario, several times, and keep what happened.

    Parameters
    ----------
    scenarios : Scenario or iterable of Scenario, optional
        As :func:`evalib.load_scenarios` gives them; default: the built-in ones that evalib has
        tools for.
    agent : str, Agent or a sequence of them
        The name of a reference profile (``"reference"``, ``"careful"``, ``"hasty"``, ``"slow"``), an
        :class:`~evalib.simulator.agents.profile.AgentProfile`, or any object with a name, an
        architecture, latencies and ``brain(scenario, rng)``.
    caller : {"scripted"}
        Who calls.
    trials : int
        Calls per scenario and agent.
    seed : int
        Same seed, same calls: the same words, audio bytes and events in every run and process.
    fidelity : {"audio", "text"}
        ``"audio"`` speaks and listens for real; ``"text"`` passes words and models all timing.
    clock : {"virtual", "wall"}
        ``"virtual"`` runs faster than real time.
    condition : str
        Label of the condition, kept in the score table.
    gate : "default", callable or None
        Which calls the simulator spoiled; those are simulated again, up to `max_attempts` times in
        all. The default gate is ``conversation_valid_end``.
    out : path, optional
        Run folder to write. Without it a run of words is kept in memory, and a spoken one in a
        temporary folder that goes when the run object does.
    executor : concurrent.futures.Executor, optional
        Where calls run, e.g. a ``ProcessPoolExecutor``; default: here, one after the other.
    resume : bool
        Continue the run in `out`, repeating no finished trial; False refuses a folder with a run in it.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Run

    Raises
    ------
    ConfigError
        An argument is not one that evalib knows.
    StoreError
        `out` cannot be written, or holds a run of other settings.
    """
    agents = _agents(agent)
    scenarios = _scenarios(scenarios)
    _check(caller=(caller, ("scripted",)), fidelity=(fidelity, FIDELITIES), clock=(clock, CLOCKS))
    for name, value in (("trials", trials), ("max_attempts", max_attempts)):
        if not isinstance(value, int) or value < 1:
            raise ConfigError(f"{name}={value!r}: it must be a whole number of 1 or more")
    gate_function = _gate(gate)
    limits, speech = limits or Limits(), speech or SpeechConfig()
    # Trials last: calls that run side by side are about different scenarios, and what is said again
    # in a later trial is in the speech cache by then.
    specs = [
        CallSpec(scenario, one, trial, seed, condition, fidelity, clock, limits, speech)
        for trial in range(trials)
        for one in agents
        for scenario in scenarios
    ]
    config = _config(agents, scenarios, locals())
    return _run(specs, config, gate_function, max_attempts, out, executor, resume, progress)


def _run(
    specs: list[CallSpec],
    config: dict[str, Any],
    gate: Gate | None,
    max_attempts: int,
    out: str | Path | None,
    executor: Executor | None,
    resume: bool,
    progress: bool,
) -> Run:
    from tqdm.auto import tqdm

    from evalib.store.run import Run, load_run
    from evalib.store.writer import RunWriter

    scenarios = list({(s.scenario.domain, s.scenario.id): s.scenario for s in specs}.values())
    seed = specs[0].seed
    if out is None and specs[0].fidelity == "audio":
        folder = tempfile.TemporaryDirectory(prefix="evalib-")
        run = _run(specs, config, gate, max_attempts, folder.name, executor, resume, progress)
        run.kept_in = folder
        return run
    if out is None:
        results = list(
            tqdm(
                _results(specs, gate, max_attempts, executor),
                total=len(specs),
                disable=not progress,
                unit="call",
            )
        )
        events = {r.conversation.key: r.events for r in results}
        return Run(
            [r.conversation for r in results], scenarios, config, events=events, seed=seed, planned=len(specs)
        )
    writer = RunWriter(out, config, scenarios, seed=seed, planned=len(specs), resume=resume)
    finished = writer.finished()
    todo = [s for s in specs if s.key not in finished]
    with tqdm(total=len(specs), initial=len(finished), disable=not progress, unit="call") as bar:
        for result in _results(todo, gate, max_attempts, executor):
            writer.write(result.conversation, result.events, _tracks(result))
            bar.update()
    return load_run(out)


def _tracks(result: CallResult) -> tuple[Any, Any] | None:
    return None if result.caller_track is None else (result.caller_track, result.agent_track)


def _results(
    specs: list[CallSpec], gate: Gate | None, max_attempts: int, executor: Executor | None
) -> Iterator[CallResult]:
    if executor is None:
        for spec in specs:
            yield run_call(spec, gate, max_attempts)
        return
    futures = [executor.submit(run_call, spec, gate, max_attempts) for spec in specs]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _agents(agent: Any) -> list[Agent]:
    from evalib.simulator.agents.profile import PROFILES

    given = list(agent) if isinstance(agent, list | tuple) else [agent]
    found: list[Agent] = []
    for one in given:
        if isinstance(one, str):
            if one not in PROFILES:
                raise ConfigError(
                    f"unknown agent {one!r}: give one of {', '.join(PROFILES)}, an AgentProfile, or an "
                    f"object with "
                    "name, architecture, latency and brain(scenario, rng)"
                )
            one = PROFILES[one]
        found.append(_checked_agent(one))
    names = [a.name for a in found]
    if not found:
        raise ConfigError("no agent given")
    if len(set(names)) != len(names):
        raise ConfigError(
            f"two agents have one name ({', '.join(names)}): rename one with dataclasses.replace(profile, "
            f"name=...)"
        )
    return found


def _checked_agent(agent: Any) -> Agent:
    needs = {"name": str, "architecture": str, "latency": LatencyProfile}
    if not callable(getattr(agent, "brain", None)):
        raise ConfigError(f"{agent!r} is no agent: it needs {', '.join(needs)} and brain(scenario, rng)")
    for name, kind in needs.items():
        value = getattr(agent, name, None)
        if not isinstance(value, kind) or not value:
            raise ConfigError(f"{name} of the agent {agent!r} is {value!r}: it must be a {kind.__name__}")
    if agent.architecture not in tuple(Architecture):
        raise ConfigError(
            f"architecture of the agent {agent.name!r} is {agent.architecture!r}: use one of {', '.join(Architecture)}"
        )
    return agent


def _scenarios(scenarios: Any) -> list[Scenario]:
    from evalib.domains import load_scenarios

    if scenarios is None:
        scenarios = load_scenarios(domain="airline")
    found = [scenarios] if isinstance(scenarios, Scenario) else list(scenarios)
    if not found:
        raise ConfigError("no scenarios given: load some with evalib.load_scenarios()")
    for one in found:
        if not isinstance(one, Scenario):
            raise ConfigError(f"{one!r} is no scenario: load scenarios with evalib.load_scenarios()")
    for domain in {s.domain for s in found}:
        tools(domain)  # refuses a domain without tools before anything is written
    return found


def _check(**choices: tuple[str, tuple[str, ...]]) -> None:
    for name, (value, known) in choices.items():
        if value not in known:
            raise ConfigError(f"{name}={value!r} is not known: use one of {', '.join(known)}")


def valid_end_gate(conversation: Conversation, scenario: Scenario) -> str | None:
    """The default gate: the simulator let the call end as a call may end (paper appendix D.1.1).

    What broke is not simulated again: it counts as an infrastructure error, for everybody to see.
    A call that ran into the time limit is tried once more, and then taken as it is, as in the
    published runs: a system that always runs into it must not vanish from its own results.
    """
    from evalib.metrics.conversation_valid_end import score_end

    end, reason = score_end(conversation, scenario), conversation.end_reason
    excused = reason == EndReason.ERROR or (reason == EndReason.TIME_LIMIT and conversation.attempt > 1)
    return None if end.value == 1.0 or excused else end.reason


def _gate(gate: Any) -> Gate | None:
    if gate == "default":
        return valid_end_gate
    if gate is None or callable(gate):
        return gate
    raise ConfigError(
        f"gate={gate!r}: use 'default', None or a function (conversation, scenario) -> reason or None"
    )


def _config(agents: list[Agent], scenarios: list[Scenario], given: dict[str, Any]) -> dict[str, Any]:
    """What decides the results: a run is resumed with this configuration or not at all."""
    from dataclasses import asdict, is_dataclass

    return {
        "agents": [asdict(a) if is_dataclass(a) else {"name": a.name} for a in agents],
        "caller": given["caller"],
        "fidelity": given["fidelity"],
        "clock": given["clock"],
        "condition": given["condition"],
        "gate": given["gate"]
        if isinstance(given["gate"], str)
        else getattr(given["gate"], "__qualname__", None),
        "max_attempts": given["max_attempts"],
        "limits": asdict(given["limits"]),
        "speech": asdict(given["speech"]) if given["fidelity"] == "audio" else None,
        "scenarios": sorted(f"{s.domain}/{s.id}" for s in scenarios),
        "trials": given["trials"],
    }
