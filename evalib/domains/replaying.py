"""Replaying a scenario's reference calls: do its ground truth and the tools agree?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalib.core import Scenario
from evalib.domains.executor import ToolExecutor
from evalib.domains.state import session_satisfied, state_diff, state_hash


@dataclass(frozen=True)
class ReplayResult:
    """What the reference calls led to.

    Attributes
    ----------
    hash_ok : bool
        The database is the expected one.
    session_ok : bool
        The caller was authenticated as expected.
    responses : list of dict
        One per reference call.
    db : dict
        The database the calls left.
    diff : dict
        :func:`~evalib.domains.state.state_diff` from the expected database, without the session.
    """

    hash_ok: bool
    session_ok: bool
    responses: list[dict[str, Any]]
    db: dict[str, Any]
    diff: dict[str, Any]

    @property
    def ok(self) -> bool:
        return self.hash_ok and self.session_ok


def replay(scenario: Scenario) -> ReplayResult:
    """Run a scenario's reference calls on its initial database.

    Raises
    ------
    ConfigError
        When evalib has no tools for the scenario's domain.
    """
    executor = ToolExecutor(scenario.domain, scenario.initial_db, scenario.now)
    responses = [executor.call(c["name"], c["arguments"]) for c in scenario.reference_calls]
    expected, actual = ({**db, "session": {}} for db in (scenario.expected_db, executor.db))
    return ReplayResult(
        hash_ok=state_hash(expected) == state_hash(actual),
        session_ok=session_satisfied(scenario.expected_session, executor.db.get("session")),
        responses=responses,
        db=executor.db,
        diff=state_diff(expected, actual),
    )
