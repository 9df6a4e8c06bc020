"""What the two ends of a call must be able to do, and how long they take to do it.

A call has three layers, and each talks to the next through one small interface:

- a :class:`Party` is one end of the line: every 20 ms it is given what it heard and gives what it
  says. Anything that can do this can be phoned: our own voices, a pipecat bot, a socket peer.
- a :class:`CallerBrain` or :class:`AgentBrain` is what an in-process party thinks with: words in,
  words out, no audio and no clock. The same brain serves audio and text fidelity.
- a :class:`Desk` is what an agent can do during its turn: speak, call tools, leave.

Times of in-process parties are modelled by a :class:`LatencyProfile`, never by how slow this
machine is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from evalib.core import Architecture, EndReason

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    Frame = NDArray[np.int16]

SAMPLE_RATE = 24_000
TICK_S = 0.02
TICK_SAMPLES = 480


class Party(Protocol):
    """One end of the line."""

    async def on_tick(self, k: int, t: float, heard: Frame | None) -> Frame | None:
        """Take the frame that arrived, give the frame to send.

        Parameters
        ----------
        k : int
            Tick number; tick `k` covers samples ``[k * 480, (k + 1) * 480)`` of both tracks.
        t : float
            Start of the tick, seconds from the start of the call.
        heard : ndarray of int16, shape (480,), or None
            What the other side sent in the tick before; None for silence.

        Returns
        -------
        ndarray of int16, shape (480,), or None
            None for silence.
        """


@dataclass(frozen=True)
class Spread:
    """A modelled time: `mean_s` with a seeded relative spread, never below `floor_s`."""

    mean_s: float
    relative_sd: float = 0.15
    floor_s: float = 0.0

    def draw(self, rng: random.Random) -> float:
        if self.mean_s == 0.0:
            return self.floor_s
        return max(self.floor_s, rng.gauss(self.mean_s, self.relative_sd * self.mean_s))


@dataclass(frozen=True)
class LatencyProfile:
    """How long an in-process party takes. All of it is modelled and says so in every result.

    Attributes
    ----------
    endpoint_s : float
        Silence after which the party takes the other side to have finished.
    transcribe, think, first_audio : Spread
        From the end point to the words, from the words to an answer, from an answer to sound.
    tool : Spread
        One tool call.
    yield_s : float or None
        Speech of the other side that it takes to stop talking; None for a party that never stops.
    """

    endpoint_s: float = 0.6
    transcribe: Spread = Spread(0.15)
    think: Spread = Spread(0.45)
    first_audio: Spread = Spread(0.2)
    tool: Spread = Spread(0.4)
    yield_s: float | None = 0.3

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


# A caller says what it came to say: the published simulator is never interrupted either.
CALLER_LATENCY = LatencyProfile(
    endpoint_s=0.8,
    transcribe=Spread(0.0),
    think=Spread(0.3, 0.3),
    first_audio=Spread(0.1),
    tool=Spread(0.0),
    yield_s=None,
)


@dataclass(frozen=True)
class CallerTurn:
    """What a caller says next.

    ``text`` is spoken as it stands; "" means that the caller keeps listening. ``pace`` steers the
    voice and is never spoken. ``end_call``: the caller hangs up after saying it.
    """

    text: str
    end_call: bool = False
    pace: Literal["normal", "slow"] = "normal"


class CallerBrain(Protocol):
    """What a caller thinks with."""

    name: str

    def open(self, greeting: str) -> CallerTurn:
        """The first turn, after the agent's greeting."""

    def reply(self, heard: str) -> CallerTurn:
        """The next turn, after the agent's reply as the caller's recogniser heard it."""


class Desk(Protocol):
    """What an agent can do during its turn."""

    rng: random.Random

    def say(self, text: str, *, spoken: str | None = None) -> None:
        """Queue speech. `spoken` is what the voice says when it differs from what was meant
        (the misreading fault); `text` is what the agent intended."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool. The call goes on while it runs; never raises on bad arguments."""

    def leave(self, reason: EndReason) -> None:
        """Hang up, or hand over to a live agent, once what was queued has been said."""


class AgentBrain(Protocol):
    """What an agent under test thinks with."""

    name: str
    architecture: Architecture
    latency: LatencyProfile

    async def greet(self, desk: Desk) -> None:
        """Turn 0."""

    async def reply(self, heard: str, desk: Desk) -> None:
        """One turn: say things, call tools, maybe leave. Saying nothing is silence."""


@dataclass(frozen=True)
class Limits:
    """When a call is ended from outside. Seconds on the call's clock.

    ``inactivity_s`` is the silence of both sides after which a call hangs; 600 s is the published
    time limit.
    """

    duration_s: float = 600.0
    inactivity_s: float = 30.0
    max_turns: int = 60


@dataclass
class CallContext:
    """Everything one call needs to be run; built by ``evalib.simulate``."""

    session: str
    seed: int
    limits: Limits = field(default_factory=Limits)
