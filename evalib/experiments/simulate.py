"""``evalib.simulate``: scenarios x agents x trials, phoned and stored."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evalib.core import ConfigError, Conversation, EndReason, Scenario, SimulationError
from evalib.experiments.asked import (
    CLOCKS,
    FIDELITIES,
    check_choices,
    check_engines,
    check_limits,
    check_where,
    check_whole,
    checked_agents,
    checked_scenarios,
    configuration,
)
from evalib.experiments.calls import Agent, CallResult, CallSpec, Gate, SpeechConfig, run_call
from evalib.simulator.party import Limits

if TYPE_CHECKING:
    from evalib.store.run import Run

CALLS_AHEAD = 32  # calls handed to an executor that does not say how many workers it has


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
        As :func:`evalib.load_scenarios` gives them, in English; default: the built-in ones that
        evalib has tools for.
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
        temporary folder that goes when the run object does; what was simulated before an error or an
        interruption is lost then, and kept in a run folder.
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
        `out` cannot be written, is being written by another process, or holds a run of other
        settings.
    SimulationError
        A gate or an agent broke outside a call, or a worker process was killed. In a run folder the
        calls that were finished are kept: run the same again to continue.
    """
    agents = checked_agents(agent)
    scenarios = checked_scenarios(scenarios)
    check_choices(caller=(caller, ("scripted",)), fidelity=(fidelity, FIDELITIES), clock=(clock, CLOCKS))
    check_whole(1, trials=trials, max_attempts=max_attempts)
    check_whole(None, seed=seed)
    if not isinstance(condition, str) or not condition:
        raise ConfigError(f"condition={condition!r}: it must be a label, e.g. 'clean'")
    gate_function = _gate(gate)
    limits = Limits() if limits is None else limits
    speech = SpeechConfig() if speech is None else speech
    check_limits(limits)
    check_engines(speech)
    check_where(out, executor, agents, gate_function)
    # Trials last: calls that run side by side are about different scenarios, and what is said again
    # in a later trial is in the speech cache by then.
    specs = [
        CallSpec(scenario, one, trial, seed, condition, fidelity, clock, limits, speech)
        for trial in range(trials)
        for one in agents
        for scenario in scenarios
    ]
    config = configuration(agents, scenarios, locals())
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
    with RunWriter(out, config, scenarios, seed=seed, planned=len(specs), resume=resume) as writer:
        finished = writer.finished()
        todo = [s for s in specs if s.key not in finished]
        with tqdm(total=len(specs), initial=len(finished), disable=not progress, unit="call") as bar:
            for result in _results(todo, gate, max_attempts, executor):
                writer.write(result.conversation, result.events, _tracks(result), result.started)
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
    # Results are taken as they come and let go at once: only what is under way is in memory.
    ahead = 2 * (getattr(executor, "_max_workers", None) or CALLS_AHEAD // 2)
    waiting, running = iter(specs), set[Future[CallResult]]()
    try:
        while True:
            for spec in islice(waiting, ahead - len(running)):
                running.add(executor.submit(run_call, spec, gate, max_attempts))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            ready = sorted(done, key=lambda future: future.exception() is None)
            del done
            while ready:  # what went well first, so that it is kept
                yield ready.pop().result()
    except BrokenExecutor as exc:
        raise SimulationError(
            f"a worker process was killed or could not start ({exc}): run the same again to continue; "
            "if it was out of memory, with fewer workers"
        ) from exc
    finally:
        for future in running:
            future.cancel()


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
