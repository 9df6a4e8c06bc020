"""Writes a small run, to be killed; run by ``test_crash.py`` in a process of its own.

``write FOLDER LOG``: write what is not finished; a line in LOG says which call begins and which is done.
``everywhere FOLDER STRIDE``: fork a writer for every STRIDE-th line of the store's code, kill it there,
resume, and compare with a run that nobody killed. Prints a JSON report.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from conftest import CALL, SCENARIO, TIMELINE

from evalib.core import Conversation
from evalib.store import RunWriter, load_run, trial, writer

STARTED = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCENARIOS = [SCENARIO, replace(SCENARIO, id="1.1.2")]
writer.versions = lambda: {"evalib": "as it was"}  # asks git and every package; not what is tested here


def planned(calls: int) -> Iterator[tuple[Conversation, tuple[np.ndarray, np.ndarray] | None]]:
    for n in range(calls):
        tone = np.full(2400, n, dtype=np.int16)
        call = replace(CALL, trial=n // 2, scenario_id=SCENARIOS[n % 2].id, seed=n)
        yield call, (tone, -tone) if n % 3 == 0 else None


def write(folder: Path, calls: int, tell: Callable[[str], None]) -> None:
    run = RunWriter(folder, {"calls": calls}, SCENARIOS)
    for call, tracks in planned(calls):
        name = f"{call.scenario_id} {call.trial}"
        if call.key in run.finished():
            continue
        tell(f"begins {name}\n")
        run.write(call, TIMELINE, tracks, STARTED)
        tell(f"done {name}\n")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a run folder but the time at which it was begun."""
    files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    info = json.loads(files["run.json"])
    del info["sessions"][0]["utc"]
    return files | {"run.json": json.dumps(info).encode()}


def logger(log: Path) -> Callable[[str], None]:
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    return lambda line: os.write(handle, line.encode()) and None


def kill_at_line(nth: int) -> None:
    """Arrange for this process to be killed when it comes to the `nth` line of the store's code."""
    package = str(Path(trial.__file__).parent)
    count = 0

    def on_line(frame, event, argument):
        nonlocal count
        if event == "line":
            count += 1
            if count == nth:
                os.kill(os.getpid(), signal.SIGKILL)
        return on_line

    sys.settrace(
        lambda frame, event, argument: on_line if frame.f_code.co_filename.startswith(package) else None
    )


def everywhere(folder: Path, stride: int, calls: int = 3) -> dict[str, object]:
    write(folder / "whole", calls, lambda line: None)
    expected = contents(folder / "whole")
    wrong: list[str] = []
    kills = 0
    nth = 1
    while True:
        run, log = folder / "run", folder / "log"
        child = os.fork()
        if child == 0:
            tell = logger(log)
            kill_at_line(nth)
            write(run, calls, tell)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            return {"kills": kills, "wrong": wrong, "status": status}
        kills += 1
        done = {line[5:] for line in read(log) if line.startswith("done")}
        seen: list[str] = []
        try:
            if (run / "run.json").exists():
                load_run(run)
            write(run, calls, seen.append)
            again = done & {line.strip()[7:] for line in seen if line.startswith("begins")}
            if again:
                wrong.append(f"line {nth}: finished and repeated: {sorted(again)}")
            if contents(run) != expected:
                wrong.append(f"line {nth}: differs from the run that was not killed")
        except Exception as exc:
            wrong.append(f"line {nth}: {type(exc).__name__}: {exc}")
        shutil.rmtree(run, ignore_errors=True)
        log.unlink(missing_ok=True)
        nth += stride


def read(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


if __name__ == "__main__":
    mode, where, third = sys.argv[1:]
    if mode == "write":
        write(Path(where), 30, logger(Path(third)))
    else:
        print(json.dumps(everywhere(Path(where), int(third))))
