"""The virtual clock: exact, fast, and loud about what would hang."""

from __future__ import annotations

import asyncio
import math
import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalib.core import ConfigError, SimulationError
from evalib.simulator.clock import START_S, VirtualLoop, external, run, sleep_until


def run_on(loop_options: dict, coro):
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(**loop_options)) as runner:
        return runner.run(coro)


def now() -> float:
    return asyncio.get_running_loop().time()


def test_time_starts_above_zero_and_stands_still_while_code_runs():
    async def main():
        before = now()
        time.sleep(0.02)
        return before, now()

    assert run(main()) == (START_S, START_S)


def test_an_hour_of_sleep_takes_no_real_time():
    async def main():
        await asyncio.sleep(3600)
        return now()

    began = time.monotonic()
    assert run(main()) == START_S + 3600
    assert time.monotonic() - began < 5


def test_absolute_times_are_reached_exactly():
    async def main():
        start, seen = now(), []
        for k in range(1, 20_001):
            await sleep_until(start + k / 50)
            seen.append(now())
        return start, seen

    start, seen = run(main())
    assert seen == [start + k / 50 for k in range(1, 20_001)]


def test_wakes_at_exactly_the_timer_also_with_another_task_in_between():
    async def other():
        for _ in range(500):
            await asyncio.sleep(0.0137)

    async def main():
        task = asyncio.create_task(other())
        start = now()
        for k in range(1, 300):
            await sleep_until(start + k / 50)
            assert now() == start + k / 50
        await task

    run(main())


def test_timers_an_ulp_apart_do_not_fire_together():
    """asyncio's own clock resolution would let the second one fire early."""

    async def main():
        loop, fired = asyncio.get_running_loop(), []
        first = loop.time() + 1.0
        second = math.nextafter(first, math.inf)
        done = loop.create_future()
        loop.call_at(second, lambda: (fired.append(loop.time()), done.set_result(None)))
        loop.call_at(first, lambda: fired.append(loop.time()))
        await done
        return fired, [first, second]

    fired, due = run(main())
    assert fired == due


@given(st.lists(st.floats(0, 1000, allow_nan=False), min_size=1, max_size=30))
def test_timers_fire_in_order_and_on_time(delays):
    async def main():
        loop, fired = asyncio.get_running_loop(), []
        start = loop.time()
        for i, delay in enumerate(delays):
            loop.call_at(start + delay, lambda i=i: fired.append((i, loop.time())))
        await sleep_until(start + 1001)
        return start, fired

    start, fired = run(main())
    assert {i: t for i, t in fired} == {i: start + d for i, d in enumerate(delays)}
    assert [t for _, t in fired] == sorted(start + d for d in delays)


def test_cancelled_timers_do_not_move_time():
    async def main():
        loop = asyncio.get_running_loop()
        for _ in range(300):
            loop.call_later(0.5, pytest.fail).cancel()
        await asyncio.sleep(2.0)
        return now() - START_S

    assert run(main()) == 2.0


def test_skipping_a_round_never_passes_over_work():
    """The line's fast path: refused while anything is ready, due, held or connected."""

    async def main():
        loop = asyncio.get_running_loop()
        assert loop.skip_to(loop.time() + 1.0)
        assert loop.time() == START_S + 1.0

        handle = loop.call_soon(lambda: None)
        assert not loop.skip_to(loop.time() + 1.0)
        handle.cancel()
        await asyncio.sleep(0)

        timer = loop.call_later(0.5, lambda: None)
        assert not loop.skip_to(loop.time() + 0.5)
        assert loop.skip_to(loop.time() + 0.25)
        timer.cancel()
        await asyncio.sleep(1)

        a, b = socket.socketpair()
        loop.add_reader(a, lambda: None)
        assert not loop.skip_to(loop.time() + 1.0)
        loop.remove_reader(a)
        a.close(), b.close()

        loop._holds = 1
        assert not loop.skip_to(loop.time() + 1.0)
        loop._holds = 0

    run(main())


def test_executor_runs_inline_with_the_clock_frozen():
    async def main():
        result = await asyncio.to_thread(lambda: (threading.get_ident(), time.sleep(0.01)))
        return result[0], now() - START_S

    assert run(main()) == (threading.get_ident(), 0.0)


def test_executor_charges_its_modelled_cost():
    async def main():
        loop = asyncio.get_running_loop()
        results = await asyncio.gather(*(loop.run_in_executor(None, int, str(i)) for i in range(3)))
        return results, now() - START_S

    assert run_on({"executor_cost_s": 0.25}, main()) == ([0, 1, 2], 0.25)


def test_executor_passes_on_exceptions():
    async def main():
        await asyncio.get_running_loop().run_in_executor(None, int, "x")

    with pytest.raises(ValueError, match="invalid literal"):
        run(main())


async def _reply_from_a_thread(delay_s: float) -> bytes:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    thread = threading.Timer(delay_s, lambda: (theirs.sendall(b"reply"), theirs.close()))
    thread.start()
    try:
        return await asyncio.get_running_loop().sock_recv(ours, 10)
    finally:
        thread.join()
        ours.close()


def test_external_hold_charges_exactly_what_it_says():
    async def ticking(ticks):
        while True:
            ticks.append(now())
            await asyncio.sleep(0.02)

    async def main():
        ticks = []
        task = asyncio.create_task(ticking(ticks))
        async with external(charge_s=0.5):
            reply = await _reply_from_a_thread(0.1)
            during = now() - START_S
        after = now() - START_S
        task.cancel()
        return reply, during, after, len(ticks)

    assert run(main()) == (b"reply", 0.0, 0.5, 26)


def test_unheld_io_lets_the_clock_run_away():
    """Why the hold is needed: the same reply without it."""

    async def main():
        task = asyncio.create_task(asyncio.sleep(10_000))
        reply = await _reply_from_a_thread(0.1)
        task.cancel()
        return reply, now() - START_S

    with pytest.raises(SimulationError, match=r"deadlock at 10000\.000 s"):
        run(main())


def test_a_hold_without_any_answer_is_given_up():
    async def main():
        async with external():
            await asyncio.get_running_loop().create_future()

    with pytest.raises(SimulationError, match=r"nothing came in for 0\.05 real seconds"):
        run_on({"real_limit_s": 0.05}, main())


def test_external_on_the_wall_clock_charges_nothing():
    async def main():
        before = now()
        async with external(charge_s=100.0):
            await asyncio.sleep(0.01)
        return now() - before

    assert run(main(), clock="wall") < 10


def test_deadlock_names_who_waits():
    async def stuck_forever():
        await asyncio.get_running_loop().create_future()

    async def main():
        await asyncio.sleep(1.5)
        await asyncio.create_task(stuck_forever(), name="the agent")

    with pytest.raises(SimulationError, match=r"deadlock at 1\.500 s.*the agent \(.*stuck_forever\)"):
        run(main())


def test_livelock_is_noticed():
    async def main():
        await asyncio.sleep(2)
        while True:
            await asyncio.sleep(0)

    with pytest.raises(SimulationError, match=r"livelock at 2\.000 s"):
        run_on({"max_idle_rounds": 1000}, main())


def test_time_limit():
    async def main():
        while True:
            await asyncio.sleep(1)

    with pytest.raises(SimulationError, match=r"time limit: the next timer is at 61\.000 s"):
        run_on({"limit_s": 60}, main())


def test_time_limit_holds_for_the_fast_path_too():
    async def main():
        for k in range(10_000):
            await sleep_until(START_S + k)

    with pytest.raises(SimulationError, match="time limit"):
        run_on({"limit_s": 60}, main())


def test_wall_clock_takes_real_time():
    async def main():
        await sleep_until(now() + 0.05)

    began = time.monotonic()
    run(main(), clock="wall")
    assert time.monotonic() - began >= 0.05


def test_runs_inside_a_running_loop_as_in_a_notebook():
    async def call():
        await asyncio.sleep(5)
        return now() - START_S

    async def cell():
        return run(call())

    assert asyncio.run(cell()) == 5.0


def test_unknown_clock_is_refused():
    async def main():
        pass

    with pytest.raises(ConfigError, match="'sundial'"):
        run(main(), clock="sundial")


def test_sleep_until_can_be_cancelled():
    async def main():
        task = asyncio.create_task(sleep_until(now() + 100))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait({task})
        await asyncio.sleep(0.5)
        return task.cancelled(), now() - START_S

    assert run(main()) == (True, 1.5)
