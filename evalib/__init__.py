"""evalib: evaluate conversational voice agents.

>>> import evalib
>>> run = evalib.simulate(evalib.load_scenarios(domain="airline"), trials=3)  # doctest: +SKIP
>>> scores = evalib.score(run)  # doctest: +SKIP

Importing this package loads nothing else: a name is looked up in its module when it is first used
(PEP 562), so that no tool pays for a speech engine or a plotting library that it does not touch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_SUBPACKAGES = ("core", "domains", "experiments", "metrics", "plots", "simulator", "stats", "store")

_MODULE_OF = {
    "load_scenarios": "evalib.domains.loader",
    "simulate": "evalib.experiments.simulate",
    "score": "evalib.experiments.scoring",
    "Run": "evalib.store.run",
    "load_run": "evalib.store.run",
    "versions": "evalib._versions",
    "report": "evalib.reporting",
    "demo": "evalib.demonstration",
} | dict.fromkeys(
    (
        "Architecture",
        "AudioFiles",
        "Conversation",
        "EndReason",
        "EvalibError",
        "Event",
        "Scenario",
        "Score",
        "SpeechSegment",
        "Status",
        "ToolCall",
        "TraceEntry",
        "Turn",
        "TurnText",
    ),
    "evalib.core",
)

__all__ = [
    "Architecture",
    "AudioFiles",
    "Conversation",
    "EndReason",
    "EvalibError",
    "Event",
    "Run",
    "Scenario",
    "Score",
    "SpeechSegment",
    "Status",
    "ToolCall",
    "TraceEntry",
    "Turn",
    "TurnText",
    "__version__",
    "core",
    "demo",
    "domains",
    "experiments",
    "load_run",
    "load_scenarios",
    "metrics",
    "plots",
    "report",
    "score",
    "simulate",
    "simulator",
    "stats",
    "store",
    "versions",
]

if TYPE_CHECKING:
    from evalib import core, domains, experiments, metrics, plots, simulator, stats, store
    from evalib._versions import versions
    from evalib.core import (
        Architecture,
        AudioFiles,
        Conversation,
        EndReason,
        EvalibError,
        Event,
        Scenario,
        Score,
        SpeechSegment,
        Status,
        ToolCall,
        TraceEntry,
        Turn,
        TurnText,
    )
    from evalib.demonstration import demo
    from evalib.domains.loader import load_scenarios
    from evalib.experiments.scoring import score
    from evalib.experiments.simulate import simulate
    from evalib.reporting import report
    from evalib.store.run import Run, load_run


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"evalib.{name}")
    if name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'evalib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
