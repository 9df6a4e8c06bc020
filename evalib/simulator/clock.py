"""The clock of a call is its event loop, and nothing else reads time.

On a :class:`VirtualLoop` time stands still while anything is running and then jumps to the next
timer, so a ten-minute call takes as long as its computing takes, and the same seed gives the same
call to the byte. On the wall clock the same coroutines run in real time. The two differ by the
loop factory alone.

Real waiting (a model's reply over HTTP, a socket) inside virtual time must be held with
:func:`external`: without a hold the clock would run through every timer while the reply is on its
way. Blocking functions given to ``run_in_executor`` run inline, with the clock frozen.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import math
import selectors
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeVar

from evalib.core import ConfigError, SimulationError

T = TypeVar("T")
Clock = Literal["virtual", "wall"]

# pipecat's system clock takes 0 for "not started".
START_S = 1000.0


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer as soon as nothing is left to run.

    Parameters
    ----------
    limit_s : float
        Virtual seconds after which the loop gives up.
    executor_cost_s : float
        Modelled time that a job given to ``run_in_executor`` takes.
    real_limit_s : float
        Real seconds without any input after which an :func:`external` hold is given up.
    max_idle_rounds : int
        Rounds of the loop at one point of time after which it is taken to be stuck.

    Raises
    ------
    SimulationError
        From ``run_*``: nothing is scheduled and nothing outstanding (deadlock), callbacks keep
        coming and time does not move (livelock), or a limit is passed.
    """

    def __init__(
        self,
        *,
        limit_s: float = 86_400.0,
        executor_cost_s: float = 0.0,
        real_limit_s: float = 600.0,
        max_idle_rounds: int = 100_000,
    ) -> None:
        self._now = START_S
        self._end = START_S + limit_s
        self._executor_cost_s = executor_cost_s
        self._real_limit_s = real_limit_s
        self._max_idle_rounds = max_idle_rounds
        self._idle_rounds = 0
        self._holds = 0
        super().__init__(_JumpingSelector(self))
        self._move_to(START_S)

    def time(self) -> float:
        return self._now

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Run `func` at once, in this thread, with the clock frozen; its modelled cost passes after."""
        future: asyncio.Future[T] = self.create_future()
        try:
            result = func(*args)
        except Exception as exc:
            future.set_exception(exc)
            return future
        if self._executor_cost_s:
            self.call_later(self._executor_cost_s, _resolve, future, result)
        else:
            future.set_result(result)
        return future

    def skip_to(self, when: float) -> bool:
        """Move time to `when` without a round of the loop, if such a round would do just that.

        It would when nothing is ready to run, no timer is due up to then and no input is awaited.
        A line whose parties are both silent ticks several times faster this way.
        """
        if (
            self._ready  # type: ignore[attr-defined]
            or self._holds
            or when > self._end
            or len(self._selector.get_map()) > 1  # type: ignore[attr-defined]
            or (self._scheduled and self._scheduled[0].when() <= when)  # type: ignore[attr-defined]
        ):
            return False
        self._move_to(when)
        return True

    def _move_to(self, when: float) -> None:
        self._now = when
        self._idle_rounds = 0
        # asyncio fires timers with `when < now + resolution`. One ulp makes that `when <= now`:
        # exactly the timers that are due, however close the next one is.
        self._clock_resolution = math.ulp(when)

    def _wait(self, timeout: float | None, poll: Callable[[float], list]) -> list:
        """What asyncio calls to wait for input or for the next timer, at most `timeout` seconds."""
        if self._holds:
            # Real input is on its way. The clock is frozen; only what is due already may run.
            if timeout is not None and timeout <= 0:
                return poll(0)
            if not (ready := poll(self._real_limit_s)):
                raise SimulationError(
                    f"nothing came in for {self._real_limit_s} real seconds during an external() hold "
                    f"at {self._now - START_S:.3f} s: give the request a timeout of its own"
                )
            return ready
        if timeout is not None and timeout <= 0:
            self._idle_rounds += 1
            if self._idle_rounds > self._max_idle_rounds:
                self._idle_rounds = 0  # cancelling the tasks takes some rounds more
                raise SimulationError(
                    f"livelock at {self._now - START_S:.3f} s: {self._max_idle_rounds} rounds of the loop "
                    f"and the clock has not moved; next to run: {self._ready[0]!r}"  # type: ignore[attr-defined]
                )
            return []
        if ready := poll(0):
            return ready
        if timeout is None:
            raise SimulationError(
                f"deadlock at {self._now - START_S:.3f} s: every task waits, and for no timer; real I/O "
                f"must be held with external(). Waiting: {self._waiting()}"
            )
        when: float = self._scheduled[0].when()  # type: ignore[attr-defined]
        if when > self._end:
            raise SimulationError(
                f"time limit: the next timer is at {when - START_S:.3f} s, the limit of this loop is "
                f"{self._end - START_S:.3f} s"
            )
        self._move_to(when)
        return []

    def _waiting(self) -> str:
        tasks = sorted(asyncio.all_tasks(self), key=lambda task: task.get_name())
        return ", ".join(f"{t.get_name()} ({getattr(t.get_coro(), '__qualname__', '?')})" for t in tasks)


class _JumpingSelector(selectors.DefaultSelector):
    """The selector of a virtual loop: it asks the loop how to wait."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop
        self._poll = super().select

    def select(self, timeout: float | None = None) -> list:
        return self._loop._wait(timeout, self._poll)


def _resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


@asynccontextmanager
async def external(charge_s: float = 0.0) -> AsyncIterator[None]:
    """Hold a virtual clock while real input is awaited; then exactly `charge_s` passes.

    On the wall clock the wait takes what it takes and nothing is charged.

    Examples
    --------
    >>> async def ask(client, prompt):
    ...     async with external(charge_s=0.8):
    ...         return await client.complete(prompt)
    """
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualLoop):
        yield
        return
    loop._holds += 1
    try:
        yield
    finally:
        loop._holds -= 1
    await sleep_until(loop.time() + charge_s)


async def sleep_until(when: float) -> None:
    """Wait until ``loop.time()`` is `when`; at once when it is already.

    Unlike a sleep of the difference it wakes at exactly `when`, so that a line can keep to
    absolute times.
    """
    loop = asyncio.get_running_loop()
    if when <= loop.time() or (isinstance(loop, VirtualLoop) and loop.skip_to(when)):
        return
    future: asyncio.Future[None] = loop.create_future()
    timer = loop.call_at(when, _resolve, future, None)
    try:
        await future
    finally:
        timer.cancel()


def run(coro: Coroutine[Any, Any, T], clock: Clock = "virtual") -> T:
    """Run a coroutine to its end on one of the two clocks.

    Where a loop is running already in this thread (a notebook cell), it runs in a thread of its own.

    Raises
    ------
    ConfigError
        For a clock that is neither ``"virtual"`` nor ``"wall"``.
    """
    factories: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
        "virtual": VirtualLoop,
        "wall": asyncio.SelectorEventLoop,
    }
    if clock not in factories:
        coro.close()
        raise ConfigError(f"clock {clock!r} is not known: use 'virtual' or 'wall'")

    def run_here() -> T:
        with asyncio.Runner(loop_factory=factories[clock]) as runner:
            return runner.run(coro)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_here()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(run_here).result()
