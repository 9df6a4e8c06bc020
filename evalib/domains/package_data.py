"""Where the data files that come with evalib are."""

from __future__ import annotations

from pathlib import Path

from evalib.core import ScenarioError


def data_folder(name: str) -> Path:
    """A folder of bundled data: ``evalib/_data/<name>`` in a wheel, ``data/<name>`` in a checkout.

    Raises
    ------
    ScenarioError
        When the installation lacks it.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "_data" / name, package.parent / "data" / name):
        if folder.is_dir():
            return folder
    raise ScenarioError(f"this installation of evalib lacks its data folder {name!r}: install it anew")
