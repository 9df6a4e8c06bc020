"""Every public statistic is documented with an example, and the examples say what really comes out."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import evalib.stats as stats

MODULES = sorted(m.name for m in pkgutil.walk_packages(stats.__path__, "evalib.stats."))
FUNCTIONS = sorted(name for name in stats.__all__ if inspect.isfunction(getattr(stats, name)))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true(name):
    found = doctest.testmod(importlib.import_module(name))
    assert not found.failed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_says_what_it_takes_and_gives(name):
    text = inspect.getdoc(getattr(stats, name)) or ""
    for section in ("Parameters", "Returns", "Examples"):
        assert re.search(rf"^{section}\n-+$", text, re.MULTILINE), f"{name} has no section {section}"
    assert ">>>" in text
    for parameter in inspect.signature(getattr(stats, name)).parameters:
        assert re.search(rf"\b{parameter}\b", text), f"{name} does not say what {parameter} is"
