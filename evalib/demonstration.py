"""The demonstration: phone two agents about a handful of scenarios, score the calls, draw them."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from evalib.core import ConfigError

if TYPE_CHECKING:
    from evalib.reporting import Report

AGENTS = ("careful", "hasty")


def demo(
    out: str | Path = "results/demo",
    *,
    n_scenarios: int = 6,
    trials: int = 3,
    fidelity: str = "audio",
    jobs: int | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Report:
    """Simulate, score, aggregate and draw, offline and without a key.

    Parameters
    ----------
    out : path
        The run folder; continued when it holds an interrupted demo.
    n_scenarios : int
        Built-in airline scenarios to use, spread over the workflows.
    trials : int
    fidelity : {"audio", "text"}
    jobs : int, optional
        Processes that simulate calls; default: one per core.
    seed : int
    progress : bool

    Returns
    -------
    Report
        Print it for the table and the paths of pictures.
    """
    import evalib
    from evalib.reporting import report

    scenarios = evalib.load_scenarios(domain="airline")
    if not 1 <= n_scenarios <= len(scenarios):
        raise ConfigError(f"n_scenarios={n_scenarios}: there are {len(scenarios)} built-in airline scenarios")
    chosen = _spread(scenarios, n_scenarios)
    with process_pool(jobs) as executor:
        run = evalib.simulate(
            chosen,
            agent=list(AGENTS),
            trials=trials,
            fidelity=fidelity,  # type: ignore[arg-type]
            seed=seed,
            out=out,
            executor=executor,
            progress=progress,
        )
    scores = evalib.score(run)
    return report(run, scores, Path(out) / "figures")


def _spread(scenarios: list, n: int) -> list:
    """`n` scenarios at even distances in the list, which is ordered by workflow."""
    return [scenarios[i * len(scenarios) // n] for i in range(n)]


def process_pool(jobs: int | None = None) -> ProcessPoolExecutor:
    """Processes for simulating calls, one per core by default.

    Started afresh rather than forked: a fork copies the threads of numerical libraries half.
    """
    if jobs is not None and jobs < 1:
        raise ConfigError(f"jobs={jobs}: at least one process is needed")
    return ProcessPoolExecutor(jobs or len(os.sched_getaffinity(0)), mp_context=get_context("spawn"))
