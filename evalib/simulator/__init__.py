"""The simulator: a caller phones an agent over one line with one clock.

An agent of your own needs a name, an architecture, a :class:`LatencyProfile` and
``brain(scenario, rng)``, which returns an :class:`AgentBrain`: ``async greet(desk)`` and
``async reply(heard, desk)``, both speaking and acting through a :class:`Desk`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_MODULE_OF = {
    "AgentBrain": "party",
    "AgentProfile": "agents.profile",
    "CallerBrain": "party",
    "CallerTurn": "party",
    "Desk": "party",
    "Faults": "agents.profile",
    "LatencyProfile": "party",
    "Limits": "party",
    "PROFILES": "agents.profile",
    "Party": "party",
    "Spread": "party",
}

__all__ = [
    "PROFILES",
    "AgentBrain",
    "AgentProfile",
    "CallerBrain",
    "CallerTurn",
    "Desk",
    "Faults",
    "LatencyProfile",
    "Limits",
    "Party",
    "Spread",
]

if TYPE_CHECKING:
    from evalib.simulator.agents.profile import PROFILES, AgentProfile, Faults
    from evalib.simulator.party import (
        AgentBrain,
        CallerBrain,
        CallerTurn,
        Desk,
        LatencyProfile,
        Limits,
        Party,
        Spread,
    )


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(f"evalib.simulator.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module 'evalib.simulator' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
