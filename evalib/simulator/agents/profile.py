"""How a reference agent behaves: how long it takes, and which faults it has how often."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from evalib.core import Architecture, ConfigError, Scenario
from evalib.simulator.party import LatencyProfile, Spread

if TYPE_CHECKING:
    from evalib.simulator.agents.reference import ReferenceAgent


@dataclass(frozen=True)
class Faults:
    """How often a reference agent goes wrong, each a probability in [0, 1].

    Attributes
    ----------
    skip_confirmation : float
        Per write group: it writes without asking first.
    misread : float
        Per utterance with a code, flight number, amount or time in it: one is spoken wrong. What
        it *meant* to say stays right, so this is a fault of speech and not of reasoning.
    repeat : float
        Per utterance: it says again what it said before.
    ramble : float
        Per utterance: it adds sentences that nobody needs.
    interrupt : float
        Per caller utterance: it starts to speak before the caller has finished.
    wrong_write : float
        Per write call: one argument is changed.
    silent : float
        Per reply: it says nothing and does nothing.
    """

    skip_confirmation: float = 0.0
    misread: float = 0.0
    repeat: float = 0.0
    ramble: float = 0.0
    interrupt: float = 0.0
    wrong_write: float = 0.0
    silent: float = 0.0

    def __post_init__(self) -> None:
        for f in fields(self):
            p = getattr(self, f.name)
            if not 0.0 <= p <= 1.0:
                raise ConfigError(f"fault {f.name!r} is {p!r}: a probability lies between 0 and 1")


@dataclass(frozen=True)
class AgentProfile:
    """A reference agent: an instrument with known latencies and known faults, not a competitor.

    Its brain is the scenario's reference tool calls. It hears through speech recognition and
    speaks through synthesis like any cascade, so what it hears wrong it does wrong.
    """

    name: str = "reference"
    faults: Faults = field(default_factory=Faults)
    latency: LatencyProfile = field(default_factory=LatencyProfile)
    architecture: Architecture = Architecture.CASCADE

    def brain(self, scenario: Scenario, rng: random.Random) -> ReferenceAgent:
        """The brain for one call."""
        from evalib.simulator.agents.reference import ReferenceAgent

        return ReferenceAgent(scenario, self, rng)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


CAREFUL = AgentProfile("careful")
HASTY = AgentProfile(
    "hasty",
    faults=Faults(skip_confirmation=0.5, misread=0.1, interrupt=0.2, wrong_write=0.1),
    latency=LatencyProfile(endpoint_s=0.45, think=Spread(0.3), first_audio=Spread(0.15)),
)
SLOW = AgentProfile(
    "slow",
    faults=Faults(repeat=0.15, ramble=0.3, silent=0.02),
    latency=LatencyProfile(endpoint_s=0.9, think=Spread(1.6, 0.4), tool=Spread(1.5, 0.4)),
)

PROFILES = {
    "reference": AgentProfile("reference"),
    "careful": CAREFUL,
    "hasty": HASTY,
    "slow": SLOW,
}
