"""Two writers of one run folder: the second is refused, and no dead one is in the way."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from evalib.core import StoreError
from evalib.store import RunWriter

pytest.importorskip("fcntl", reason="this system has no such lock")

_HOLDS = """
import sys, time
sys.path.insert(0, sys.argv[2])
from conftest import SCENARIO
from evalib.store import RunWriter
writer = RunWriter(sys.argv[1], {}, [SCENARIO])
if sys.argv[3] == "forks":
    import os
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
print("holds", flush=True)
time.sleep(30)
"""


def holder(folder, repo, how="alone"):
    here = str(repo / "tests" / "store")
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(folder), here, how],
        env={**os.environ, "PYTHONPATH": str(repo)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holds\n"
    return process


@pytest.mark.parametrize("how", ["alone", "forks"])
def test_another_process_is_refused_until_it_dies(tmp_path, scenario, repo, how):
    process = holder(tmp_path / "run", repo, how)
    try:
        with pytest.raises(StoreError, match="another process is writing the run"):
            RunWriter(tmp_path / "run", {}, [scenario])
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        RunWriter(tmp_path / "run", {}, [scenario]).close()  # a worker it forked may live on
        assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["run.json", "scenarios"]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_closed_writer_is_in_nobodys_way(tmp_path, scenario, make_call):
    with RunWriter(tmp_path, {}, [scenario]) as writer:
        with pytest.raises(StoreError, match="another process"):
            RunWriter(tmp_path, {}, [scenario])
        pickle.loads(pickle.dumps(writer)).write(make_call(), [])
    RunWriter(tmp_path, {}, [scenario]).close()
    writer.close()


def test_a_refused_writer_holds_nothing(tmp_path, scenario):
    RunWriter(tmp_path, {}, [scenario]).close()
    with pytest.raises(StoreError, match="seed") as refused:
        RunWriter(tmp_path, {}, [scenario], seed=1)
    RunWriter(tmp_path, {}, [scenario]).close()
    assert refused.value
