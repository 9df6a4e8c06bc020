"""How an agent's tool calls differ from the reference calls, in words.

The state diff says *that* a call went wrong; this says which call did it. Only calls that change the
database are compared, in order, each with the reference call of the same tool that comes next.
"""

from __future__ import annotations

from typing import Any

from evalib.core import Conversation, Scenario


def call_differences(conversation: Conversation, scenario: Scenario) -> list[str]:
    """One sentence per deviation: an argument that differs, a call that is missing or too many.

    Free text (summaries) is not compared. The list may be empty where the state differs for another
    reason, such as the order of calls.
    """
    made = [c for c in conversation.tool_calls if c.changes and c.ok]
    tried = {c.name for c in conversation.tool_calls}
    waiting = [c for c in scenario.reference_calls if _writes(c["name"], scenario)]
    found = []
    for call in made:
        expected = next((w for w in waiting if w["name"] == call.name), None)
        if expected is None:
            if _writes(call.name, scenario):
                found.append(f"{call.name} was not to be called")
            continue
        waiting.remove(expected)
        found += _argument_differences(call.name, expected["arguments"], call.arguments)
    for left in waiting:
        how = "did not succeed" if left["name"] in tried else "was not called"
        found.append(f"{left['name']} {how}")
    return found


def _writes(name: str, scenario: Scenario) -> bool:
    from evalib.domains import tools

    return any(t.name == name and t.kind == "write" for t in tools(scenario.domain))


def _argument_differences(tool: str, expected: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    def norm(value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    return [
        f"{tool}: {name} was {actual.get(name)!r}, expected {value!r}"
        for name, value in expected.items()
        if norm(actual.get(name)) != norm(value) and not (isinstance(value, str) and len(value) > 80)
    ]
