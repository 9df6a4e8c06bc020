"""The reference agent: a cascade agent whose brain is the scenario's reference tool calls.

It works down the reference calls. An argument that only the caller can know it asks for, and uses
what it *heard*; what earlier tool results hold it takes from there; the rest (enumerations, amounts,
flags: what a policy decides) it takes from the reference. Before a write it says what it is about to
do and asks. It is an instrument with known faults: with all of them at zero, what is heard right is
done right.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from evalib.core import Architecture, EndReason, Scenario, spoken
from evalib.domains import Parameter, ToolSpec, tools
from evalib.simulator.agents import wording
from evalib.simulator.agents.faults import alter_argument, misread, ramble
from evalib.simulator.agents.hearing import hear_argument, hear_seat, said_no, said_yes
from evalib.simulator.agents.memory import Memory
from evalib.simulator.party import Desk, LatencyProfile

if TYPE_CHECKING:
    from evalib.simulator.agents.profile import AgentProfile

MAX_TRIES = 4


class ReferenceAgent:
    """The brain of one call; made by :meth:`AgentProfile.brain`."""

    def __init__(self, scenario: Scenario, profile: AgentProfile, rng: random.Random) -> None:
        self.name: str = profile.name
        self.architecture: Architecture = profile.architecture
        self.latency: LatencyProfile = profile.latency
        self.interrupt_probability: float = profile.faults.interrupt
        self._scenario = scenario
        self._faults = profile.faults
        self._rng = rng
        self._calls = scenario.reference_calls
        self._specs: dict[str, ToolSpec] = {t.name: t for t in tools(scenario.domain)}
        self._writes = {name for name, spec in self._specs.items() if spec.kind in ("write", "system")}
        self._memory = Memory(scenario.now)
        self._next = 0  # the next reference call
        self._approved = 0  # calls before this index may write
        self._given: dict[tuple[str, str], Any] = {}  # (parameter, reference value) -> what was heard
        self._question: tuple[Parameter, str] | None = None  # the argument last asked for
        self._proposed = 0  # end of the group of writes last offered
        self._settled: set[str] = set()  # arguments that authentication has proved right
        self._tries: dict[str, int] = {}
        self._failed = False  # the last answer was understood, and did not work
        self._found = False
        self._last = ""
        self._declined = False  # the last offer was turned down
        self._offered_before = False  # the caller's words answer an offer

    # -- the two turns of the AgentBrain interface ------------------------------------------

    async def greet(self, desk: Desk) -> None:
        self._say(desk, wording.GREETING)

    async def reply(self, heard: str, desk: Desk) -> None:
        if self._rng.random() < self._faults.silent:
            return
        text = self._correction(heard)
        if not text:
            self._take(heard)
            text = await self._work(desk, heard)
        self._say(desk, text)

    def interjection(self) -> str:
        """What it says when it cuts in."""
        return "Okay, let me see."

    # -- understanding the caller -------------------------------------------------------------

    def _correction(self, heard: str) -> str:
        """Answer "that is not right": say the confirmation number again, as it is known."""
        code = self._memory.reservation.get("confirmation_number")
        if not code or not re.search(r"not right|that'?s wrong|incorrect", heard, re.I):
            return ""
        text = f"I'm sorry. Your confirmation number is {spoken.say_code(code)}, that is what I have."
        return text if self._next < len(self._calls) else f"{text} {wording.ANYTHING_ELSE}"

    def _take(self, heard: str) -> None:
        """Keep what the caller answered to the last question."""
        self._declined = False
        self._offered_before = self._proposed > self._approved
        if self._offered_before:
            if said_no(heard):
                self._declined = True
            elif said_yes(heard):
                self._approved = self._proposed
            self._volunteered(heard)
        if self._question is not None:
            parameter, reference = self._question
            value = hear_argument(parameter, heard, self._scenario.now)
            if value is None:
                self._tries[parameter.name] = self._tries.get(parameter.name, 0) + 1
            else:
                self._given[parameter.name, reference] = value
                self._question = None

    def _volunteered(self, heard: str) -> None:
        """A seat wish that comes along with a yes."""
        for call in self._calls[self._next : self._proposed]:
            wish = call["arguments"].get("seat_preference")
            if wish and (value := hear_seat(heard)):
                self._given.setdefault(("seat_preference", wish), value)

    # -- working down the reference calls --------------------------------------------------------

    async def _work(self, desk: Desk, heard: str) -> str:
        """Call what can be called; return what to say: a question, an offer or a report."""
        done: list[tuple[dict[str, Any], dict[str, Any]]] = []
        while self._next < len(self._calls):
            call = self._calls[self._next]
            writes = call["name"] in self._writes
            if writes and self._next >= self._approved:
                end = self._group_end()
                if self._declined and self._is_transfer(call):
                    self._next = end
                    continue
                if self._rng.random() >= self._faults.skip_confirmation:
                    self._proposed = end
                    return self._join(done, self._offer(end, heard))
                self._approved = end
            if question := self._missing(call):
                return self._join(done, question)
            arguments = self._arguments(call)
            response = await desk.call_tool(call["name"], arguments)
            self._memory.learn(response)
            if self._specs[call["name"]].kind == "auth" and response.get("status") != "error":
                self._settled |= arguments.keys()
            if retry := self._retry(call, response):
                return self._join(done, retry)
            if writes:
                if response.get("status") == "error":
                    done.append((call, {}))
                elif self._is_transfer(call):
                    desk.leave(EndReason.TRANSFER)
                    self._next = len(self._calls)
                    return self._join(done, "I am transferring you to a live agent now. Please hold.")
                else:
                    done.append(({"name": call["name"], "arguments": arguments}, response))
            self._next += 1
        return self._close(done, heard)

    def _offer(self, end: int, heard: str) -> str:
        """What it is about to do; the first time with what it found, against an argument with a no."""
        text = wording.offer(self._scenario.domain, self._calls[self._next : end], self._memory)
        if self._argued(heard):
            return f"{_NO_EXCEPTION} {text}"
        return f"{self._finding()} {text}".strip()

    def _finding(self) -> str:
        if self._found or not self._memory.reservation:
            return ""
        self._found = True
        return wording.found(self._scenario.domain, self._memory)

    def _is_transfer(self, call: dict[str, Any]) -> bool:
        return self._specs[call["name"]].kind == "system"

    def _group_end(self) -> int:
        """Writes that follow one another are offered together; a transfer is offered alone."""
        end = self._next + 1
        if self._is_transfer(self._calls[self._next]):
            return end
        while end < len(self._calls):
            call = self._calls[end]
            if call["name"] not in self._writes or self._is_transfer(call):
                break
            end += 1
        return end

    def _argued(self, heard: str) -> bool:
        """The caller answered an offer with neither yes nor no."""
        return self._offered_before and not self._declined and not said_yes(heard)

    def _missing(self, call: dict[str, Any]) -> str:
        """The question for the first argument of a call that only the caller can give; "" if none."""
        for parameter in self._specs[call["name"]].parameters:
            value = call["arguments"].get(parameter.name)
            if (
                value is None
                or (parameter.name, str(value)) in self._given
                or not self._only_caller_knows(call, parameter, value)
            ):
                continue
            tries = self._tries.get(parameter.name, 0)
            if tries >= MAX_TRIES:
                return "I'm sorry, I am not able to find that. " + wording.ANYTHING_ELSE
            if _FROM_TOOLS.fullmatch(parameter.name):
                return self._search_again()
            self._question = (parameter, str(value))
            question = wording.ask(parameter.name, again=tries > 0, failed=self._failed)
            self._failed = False
            return question
        return ""

    def _search_again(self) -> str:
        """An option that should be there is not: go back to the last call that used a caller's answer."""
        for index in range(self._next - 1, -1, -1):
            arguments = self._calls[index]["arguments"]
            heard = [(n, str(v)) for n, v in arguments.items() if (n, str(v)) in self._given]
            if heard:
                self._next = index
                for key in heard:
                    del self._given[key]
                    self._tries[key[0]] = self._tries.get(key[0], 0) + 1
                return f"I'm sorry, I find nothing that fits. {self._missing(self._calls[index])}"
        return f"I'm sorry, I find nothing that fits. {wording.ANYTHING_ELSE}"

    def _only_caller_knows(self, call: dict[str, Any], parameter: Any, value: Any) -> bool:
        if parameter.asked_of_caller:
            return True
        decided_by_policy = parameter.type != "string" or parameter.enum or not parameter.pattern
        return not decided_by_policy and not self._memory.knows(value)

    def _arguments(self, call: dict[str, Any]) -> dict[str, Any]:
        """The arguments as this agent knows them, with its own mistakes."""
        arguments = {
            name: self._given.get((name, str(value)), value) for name, value in call["arguments"].items()
        }
        if call["name"] in self._writes and self._rng.random() < self._faults.wrong_write:
            arguments = alter_argument(self._specs[call["name"]], arguments, self._rng)
        return arguments

    def _retry(self, call: dict[str, Any], response: dict[str, Any]) -> str:
        """Ask again for what the caller gave and the tool could not use; "" when there is none."""
        if response.get("status") != "error":
            return ""
        given = [
            p.name
            for p in self._specs[call["name"]].parameters
            if (p.name, str(call["arguments"].get(p.name))) in self._given
        ]
        asked = [name for name in given if name not in self._settled]
        if not asked:
            return ""
        # A last name that does not match comes with its own error; anything else is the first one asked.
        wrong = "last_name" if response.get("error_type") == "authentication_failed" else asked[0]
        for name in asked if wrong == "last_name" and self._tries.get(wrong, 0) >= 2 else [wrong]:
            reference = str(call["arguments"][name])
            self._given.pop((name, reference), None)
            self._failed = True
            self._tries[name] = self._tries.get(name, 0) + 1
        return self._missing(call)

    # -- speaking -------------------------------------------------------------------------------

    def _join(self, done: list, text: str) -> str:
        said = wording.report(self._scenario.domain, [d for d in done if d[1]], self._memory) if done else ""
        return f"{said} {text}".strip()

    def _close(self, done: list, heard: str) -> str:
        """Nothing is left to do: report, or say that nothing more can be done."""
        failed = [c for c, r in done if not r]
        if failed:
            return self._join(
                done,
                f"I'm sorry, I was not able to {failed[0]['name'].replace('_', ' ')}. "
                f"{wording.ANYTHING_ELSE}",
            )
        if done:
            return self._join(done, f"{wording.reference_number(self._memory)} {wording.ANYTHING_ELSE}")
        return f"{self._finding()} {_NOTHING_MORE} {wording.ANYTHING_ELSE}".strip()

    def _say(self, desk: Desk, text: str) -> None:
        """Say a reply, with the faults of speech and of manner that the profile asks for."""
        faults, rng = self._faults, self._rng
        if self._last and rng.random() < faults.repeat:
            text = f"{self._last} {text}"
        self._last = text
        if rng.random() < faults.ramble:
            text = f"{text} {ramble(rng)}" if "?" not in text else f"{ramble(rng)} {text}"
        heard_as = misread(text, rng) if rng.random() < faults.misread else None
        desk.say(text, spoken=heard_as)


# Arguments that no caller can be asked for: they come from a tool or not at all.
_FROM_TOOLS = re.compile(r"(?:new_)?journey_id|passenger_ids?")
_NO_EXCEPTION = "I'm sorry, I am not able to make an exception to that."
_NOTHING_MORE = "I'm sorry, I am not able to do more than that on this booking."
