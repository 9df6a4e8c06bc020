"""Running an agent's tool calls on a scenario's database.

The executor is where an agent's mistakes arrive, so it takes anything: a tool that does not exist,
arguments that are not arguments. Whatever comes, it answers with a response that has a ``status``,
never raises, and leaves the database as it was unless a tool changed it on purpose.
"""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import import_module
from typing import Any

from evalib.core import DOMAINS, ConfigError, ToolCall
from evalib.domains.state import state_changes
from evalib.domains.toolspec import ToolFailure, ToolSpec


@dataclass(frozen=True)
class Tool:
    """A tool's declaration and the function that does its work.

    ``run(db, arguments, call_index)`` gets checked arguments, changes `db` in place and returns
    the response without its status. `call_index` is 1 for the first call of this tool.
    """

    spec: ToolSpec
    run: Callable[[dict[str, Any], dict[str, Any], int], dict[str, Any]]


@cache
def _tools_by_name(domain: str) -> dict[str, Tool]:
    if domain not in DOMAINS:
        raise ConfigError(f"unknown domain {domain!r}: the domains are {', '.join(DOMAINS)}")
    return {tool.spec.name: tool for tool in import_module(f"evalib.domains.{domain}").TOOLS}


def tools(domain: str) -> list[ToolSpec]:
    """The tools an agent has in a domain.

    Raises
    ------
    ConfigError
        When the domain is unknown.
    """
    return [tool.spec for tool in _tools_by_name(domain).values()]


class ToolExecutor:
    """The tools of one call, and the database they work on.

    Parameters
    ----------
    domain : str
    db : mapping
        The database before the call; it is copied and never changed.
    now : str
        When the call takes place, ``"YYYY-MM-DD HH:MM TZ"``. The tools know the date only.

    Attributes
    ----------
    db : dict
        The database as the calls so far left it, with ``_current_date`` set.
    log : list of ToolCall
        Every call with its response; ``changes`` holds the :func:`~evalib.domains.state.state_changes`.
    call_index : Counter
        How often each tool was called, failures included.

    Raises
    ------
    ConfigError
        When the domain has no tools, `db` is no mapping or `now` does not start with a date.
    """

    def __init__(self, domain: str, db: Mapping[str, Any], now: str) -> None:
        self._tools = _tools_by_name(domain)
        if not isinstance(db, Mapping):
            raise ConfigError(f"the database must be a mapping of tables, not {type(db).__name__}")
        self.db: dict[str, Any] = _copy(dict(db))
        self.db["_current_date"] = _date_of(now)
        self.log: list[ToolCall] = []
        self.call_index: Counter[str] = Counter()

    def call(self, name: str, arguments: Any) -> dict[str, Any]:
        """Call a tool.

        Parameters
        ----------
        name : str
        arguments : dict
            As the agent gave them. What is not a mapping counts as no arguments.

        Returns
        -------
        dict
            ``{"status": "success", ...}`` or ``{"status": "error", "error_type": ...,
            "message": ...}``. Never raises.
        """
        name = name if isinstance(name, str) else type(name).__name__
        self.call_index[name] += 1
        tool = self._tools.get(name)
        keeps_state = tool is None or tool.spec.kind in ("read", "system")
        before = None if keeps_state else _copy(self.db)
        try:
            if tool is None:
                raise ToolFailure("tool_not_found", f"there is no tool {name[:60]!r}")
            result = tool.run(self.db, tool.spec.accept(arguments), self.call_index[name])
            response = {"status": "success"} | _copy(result)  # no way back into the database
        except ToolFailure as exc:
            response = {"status": "error", "error_type": exc.error_type, "message": str(exc)}
        except Exception as exc:  # the database lacks what the tool takes for granted
            if before is not None:
                self.db = _copy(before)
            message = f"{name} failed: {type(exc).__name__}"
            response = {"status": "error", "error_type": "execution_error", "message": message}
        changes = {} if before is None else _copy(state_changes(before, self.db))
        self.log.append(ToolCall(len(self.log), name, _as_json(arguments), response, changes=changes))
        return response


def _date_of(now: str) -> str:
    try:
        day = str(now).split(" ", 1)[0]
        date.fromisoformat(day)
    except ValueError:
        raise ConfigError(f"{now!r} is no time of a call: it must read 'YYYY-MM-DD HH:MM TZ'") from None
    return day


def _copy(db: dict[str, Any]) -> dict[str, Any]:
    """A deep copy; pickling is several times faster than copy.deepcopy on plain data."""
    return pickle.loads(pickle.dumps(db, protocol=pickle.HIGHEST_PROTOCOL))


def _as_json(arguments: Any) -> dict[str, Any]:
    """The arguments as a log can hold them, whatever they were."""
    try:
        plain = json.loads(json.dumps(arguments, default=repr), parse_constant=str)
    except Exception:  # circular, too deep, keys of no JSON type, a repr that raises
        plain = None
    return plain if isinstance(plain, dict) else {"unreadable": type(arguments).__name__}
