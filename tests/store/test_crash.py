"""A run killed with SIGKILL at any moment resumes, repeats no finished call and loses none."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def command(*arguments: object) -> list[str]:
    return [sys.executable, str(HERE / "killed.py"), *map(str, arguments)]


def environment(repo: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(repo)}


def test_killed_at_every_step_of_the_code(tmp_path, repo):
    done = subprocess.run(
        command("everywhere", tmp_path, 11),
        env=environment(repo),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert report["status"] == 0
    assert report["kills"] > 80


def test_killed_at_random_moments(tmp_path, repo):
    """Real signals from outside, which also come in the midst of a write or a rename."""
    whole, run = tmp_path / "whole", tmp_path / "run"
    subprocess.run(command("write", whole, tmp_path / "whole.log"), env=environment(repo), check=True)
    rng = random.Random(0)
    log = tmp_path / "run.log"
    kills = 0
    while kills < 100:
        before = len(lines(log))
        process = subprocess.Popen(command("write", run, log), env=environment(repo))
        while process.poll() is None and len(lines(log)) == before:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.02))
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            break
        kills += 1
    assert process.returncode == 0
    assert kills >= 1  # how many depends on the machine; the test above kills at every place
    finished = [line for line in lines(log) if line.startswith("done")]
    assert len(finished) == len(set(finished)), "a finished call was repeated"
    assert same_files(run, whole)


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def same_files(run: Path, whole: Path) -> bool:
    names = [sorted(str(p.relative_to(f)) for p in f.rglob("*") if p.is_file()) for f in (run, whole)]
    assert names[0] == names[1]
    assert len(names[0]) > 30 * 5
    return all(
        (run / name).read_bytes() == (whole / name).read_bytes() for name in names[0] if name != "run.json"
    )
