"""The domains: scenarios, the tools an agent calls, and when two final states are the same.

Each domain is a subpackage that declares its tools in ``TOOLS``; executing, loading, hashing and
replaying are shared. Nothing here is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalib.domains.executor import ToolExecutor, tools
    from evalib.domains.loader import load_scenarios
    from evalib.domains.replaying import ReplayResult, replay
    from evalib.domains.state import session_satisfied, state_diff, state_hash
    from evalib.domains.toolspec import Parameter, ToolSpec

_HOME = {
    "Parameter": "toolspec",
    "ReplayResult": "replaying",
    "ToolExecutor": "executor",
    "ToolSpec": "toolspec",
    "load_scenarios": "loader",
    "replay": "replaying",
    "session_satisfied": "state",
    "state_diff": "state",
    "state_hash": "state",
    "tools": "executor",
}

__all__ = [
    "Parameter",
    "ReplayResult",
    "ToolExecutor",
    "ToolSpec",
    "load_scenarios",
    "replay",
    "session_satisfied",
    "state_diff",
    "state_hash",
    "tools",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
