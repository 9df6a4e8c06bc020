"""Rooms import only downward; and the checker would say so if they did not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CHECK, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )


def test_the_layers_hold(repo):
    done = lint(repo)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("core", "import evalib.domains"),
        ("domains", "from evalib.store import Run"),
        ("store", "import evalib.stats"),
        ("stats", "from evalib.store import Run"),
        ("metrics", "def f():\n    from evalib.simulator.party import Party"),
        ("simulator", "def f():\n    import evalib.metrics"),
        ("simulator", "import evalib.experiments"),
        ("plots", "from evalib.store import load_run"),
        ("experiments", "import evalib.plots"),
    ],
)
def test_an_import_upward_is_found(repo, tmp_path, room, line):
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(repo / "evalib", tmp_path / "evalib", ignore=ignore)
    shutil.copy(repo / "pyproject.toml", tmp_path)
    (tmp_path / "evalib" / room / "wrong_way.py").write_text(line + "\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"evalib.{room}.wrong_way" in done.stdout
