"""Bringing the identifiers in recorded calls up to date.

Service desk tools name what they create by its content. The published traces were recorded with
another way of naming, so a later call of a trace asks for something that no longer exists under
that name. Executing the trace and comparing each response with the recorded one tells what every
recorded identifier is called now.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evalib.domains.executor import ToolExecutor

_ID = re.compile(r"(?:REQ-[A-Z]+-|INC|CASE-[A-Z]+-|SEC-|CAL-)[A-Za-z0-9]+")


def has_ids(responses: Sequence[Any]) -> bool:
    """Whether any response names something whose name may have changed."""
    return any(_ID.fullmatch(text) for response in responses for text in _texts(response))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]


def with_current_ids(
    calls: Sequence[Mapping[str, Any]], recorded: Sequence[Any], executor: ToolExecutor
) -> list[dict[str, Any]]:
    """Recorded calls with the identifiers that executing them gives.

    Parameters
    ----------
    calls : sequence of mapping
        ``{"name": ..., "arguments": ...}``, in order.
    recorded : sequence
        The recorded response to each call; None where there is none.
    executor : ToolExecutor
        On the database before the first call; it is used up.
    """
    current: dict[str, str] = {}
    updated = []
    for call, then in zip(calls, recorded, strict=True):
        arguments = _replaced(call["arguments"], current)
        updated.append({"name": call["name"], "arguments": arguments})
        _learn(then, executor.call(call["name"], arguments), current)
    return updated


def _learn(then: Any, now: Any, current: dict[str, str]) -> None:
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        for key in then:
            _learn(then[key], now.get(key), current)
    elif isinstance(then, list) and isinstance(now, list):
        for old, new in zip(then, now, strict=False):
            _learn(old, new, current)
    elif isinstance(then, str) and isinstance(now, str) and _ID.fullmatch(then) and _ID.fullmatch(now):
        current[then] = now


def _replaced(value: Any, current: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _ID.sub(lambda match: current.get(match[0], match[0]), value)
    if isinstance(value, Mapping):
        return {k: _replaced(v, current) for k, v in value.items()}
    if isinstance(value, list):
        return [_replaced(item, current) for item in value]
    return value
