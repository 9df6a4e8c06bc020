"""What every test may ask for: the repository, and the published data where it is present."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no failing: nothing here asserts a time.
settings.register_profile("evalib", deadline=None)
settings.load_profile("evalib")

REPO = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repo() -> Path:
    """The checkout."""
    return REPO


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published data that is read in tests and never committed."""
    folder = Path(os.environ.get("EVALIB_SHARED", REPO.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no published data at {folder}: set EVALIB_SHARED to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def published(shared: Path) -> Path:
    """The published EVA-Bench records (``airline_dataset.json``, ``airline_scenarios/``, ...)."""
    folder = shared / "eva-bench" / "data"
    if not folder.is_dir():
        pytest.skip(f"no EVA-Bench records at {folder}")
    return folder
