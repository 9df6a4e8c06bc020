"""``import evalib`` costs nothing, and still offers every name."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest

import evalib

HEAVY = [
    "IPython",
    "faster_whisper",
    "hibari",
    "jiwer",
    "librosa",
    "litellm",
    "matplotlib",
    "numpy",
    "onnxruntime",
    "pandas",
    "pipecat",
    "pyarrow",
    "pydantic",
    "scipy",
    "seaborn",
    "soundfile",
    "soxr",
    "statsmodels",
    "tqdm",
    "yaml",
]


def fresh(code: str, repo) -> str:
    """What `code` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(repo)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_loads_nothing_heavy(repo):
    code = "import sys, json, evalib; dir(evalib); print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(fresh(code, repo)))
    assert not loaded & set(HEAVY)
    assert {m for m in loaded if m.startswith("evalib.")} == set()


def test_the_nouns_load_nothing_heavy(repo):
    code = (
        "import sys, json, evalib; evalib.Conversation, evalib.core; print(json.dumps(sorted(sys.modules)))"
    )
    assert not set(json.loads(fresh(code, repo))) & set(HEAVY)


@pytest.mark.parametrize("name", evalib.__all__)
def test_every_name_is_there(name):
    value = getattr(evalib, name)
    assert getattr(evalib, name) is value
    if name in evalib._SUBPACKAGES:
        assert value.__name__ == f"evalib.{name}"
    elif name in evalib._MODULE_OF:
        assert value.__name__ == name
        assert value is getattr(sys.modules[evalib._MODULE_OF[name]], name)


def test_functions_are_not_hidden_by_the_modules_they_live_in(repo):
    modules = sorted(set(evalib._MODULE_OF.values()))
    code = (
        "import evalib, "
        + ", ".join(modules)
        + "\nfor n in evalib._MODULE_OF: assert callable(getattr(evalib, n)), n"
    )
    fresh(code, repo)


def test_tab_completion_offers_every_name():
    assert set(evalib.__all__) <= set(dir(evalib))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'evalib' has no attribute 'simulat'"):
        _ = evalib.simulat


def test_static_tools_see_the_same_names(repo):
    """The imports under TYPE_CHECKING agree with the table that is used at run time."""
    tree = ast.parse((repo / "evalib" / "__init__.py").read_text())
    (block,) = [n for n in tree.body if isinstance(n, ast.If)]
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == evalib._MODULE_OF | dict.fromkeys(evalib._SUBPACKAGES, "evalib")
    assert set(evalib.__all__) == seen.keys() | {"__version__"}
