"""What the scenario files hold, as pydantic models. Keys that are not known here are tolerated.

Only what evalib reads is declared; what is free-form in the published data (facts a caller knows,
databases) stays a dict.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class UserGoal(_Lenient):
    high_level_user_goal: str
    decision_tree: dict[str, Any]
    information_required: dict[str, Any]


class UserConfig(_Lenient):
    model_config = ConfigDict(extra="allow")

    name: str
    gender: str
    user_persona: str = ""


class TraceToolCall(_Lenient):
    event_type: Literal["tool_call"]
    tool_name: str
    params: dict[str, Any]


class TraceToolResponse(_Lenient):
    event_type: Literal["tool_response"]
    response: Any = None


class TraceOther(_Lenient):
    """Utterances: not read."""

    event_type: Literal["user_utterance", "agent_utterance"]


TraceEvent = Annotated[TraceToolCall | TraceToolResponse | TraceOther, Field(discriminator="event_type")]


class ExpectedTrace(_Lenient):
    trace: list[TraceEvent]


class GroundTruth(_Lenient):
    expected_scenario_db: dict[str, Any]
    expected_trace: ExpectedTrace


class Companion(_Lenient):
    first_name: str


class Culture(_Lenient):
    first_name: str
    last_name: str
    phone: str | None = None
    companion: Companion | None = None


class Record(_Lenient):
    """One element of ``<domain>_dataset.json``."""

    id: str
    current_date_time: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}( |$)")
    user_goal: UserGoal
    user_config: UserConfig
    scenario_context: dict[str, Any] = {}
    ground_truth: GroundTruth
    starting_utterances: dict[str, str]
    culture_overrides: dict[str, Culture]
    romanized_culture_overrides: dict[str, Culture] = {}


class BuiltinFile(_Lenient):
    """One file of ``data/scenarios/<domain>/``: a record with its database."""

    record: dict[str, Any]
    scenario_db: dict[str, Any]


class AliasFile(_Lenient):
    """One file of ``<domain>_aliases/``: what else a place or product is called."""

    name: str
    base: list[str]
    translations: dict[str, list[str]] = {}


Dataset = TypeAdapter(list[dict[str, Any]])
Database = TypeAdapter(dict[str, Any])
