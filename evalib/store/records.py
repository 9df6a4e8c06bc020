"""The nouns as files: what a conversation, a scenario, an event log and a recording look like on disk.

Pydantic reads the dataclasses of :mod:`evalib.core` here, at the file boundary, so that a file of the
wrong shape is refused with the name of the field instead of failing in some metric.
"""

from __future__ import annotations

import io
import json
import wave
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalib.core import Conversation, Event, Scenario, StoreError
from evalib.store.durable import json_bytes, parse_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import TypeAdapter

SCHEMA_VERSION = 1
SAMPLE_RATE = 24_000

_ELSEWHERE = {"initial_db", "final_db", "audio"}  # files of their own beside conversation.json


@cache
def _adapter(noun: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(noun)


def dump(noun: Any, value: Any, exclude: set[str] | None = None) -> dict[str, Any]:
    """A dataclass as plain values, its field types checked.

    Raises
    ------
    StoreError
        When a field does not hold what its type says; it could not be read back.
    """
    try:
        return _adapter(noun).dump_python(value, exclude=exclude, warnings="error")
    except ValueError as exc:
        raise StoreError(f"{value!r} cannot be stored: {' '.join(str(exc).split())}") from exc


def validate(noun: Any, data: Any, where: Path) -> Any:
    """Plain values read from the file `where` as a dataclass.

    Raises
    ------
    StoreError
        Names the file and the first field that is wrong.
    """
    from pydantic import ValidationError

    try:
        return _adapter(noun).validate_python(data)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or noun.__name__
        raise StoreError(f"{where} does not hold a {noun.__name__}: {field}: {first['msg']}") from exc


def conversation_json(conversation: Conversation) -> bytes:
    """``conversation.json``: everything but the databases and the recordings, which are files beside it."""
    fields = dump(Conversation, conversation, exclude=_ELSEWHERE)
    return json_bytes({"schema_version": SCHEMA_VERSION, **fields})


def scenario_json(scenario: Scenario) -> bytes:
    """A scenario file: the resolved scenario, all a run needs to be scored again."""
    return json_bytes({"schema_version": SCHEMA_VERSION, **dump(Scenario, scenario)}, indent=1)


def events_jsonl(events: Iterable[Event], started: datetime | None = None) -> bytes:
    """``events.jsonl``. An event that has no `utc` yet gets the start of the call plus its offset."""
    lines = []
    for event in events:
        line = event.to_json()
        if started is not None and not line["utc"]:
            at = started.astimezone(UTC) + timedelta(seconds=event.offset_s)
            line["utc"] = at.isoformat(timespec="microseconds")
        lines.append(json_bytes(line))
    return b"".join(lines)


def parse_events(content: bytes, where: Path) -> list[Event]:
    """The events of an ``events.jsonl``.

    Raises
    ------
    StoreError
        Names the file and the line that is wrong.
    """
    events = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            events.append(Event.from_json(json.loads(line)))
        except (ValueError, TypeError, AttributeError) as exc:
            raise StoreError(f"{where}, line {number} is not an event: {exc}") from exc
    return events


def parse_object(content: bytes, where: Path) -> dict[str, Any]:
    """`content` as a JSON object."""
    data = parse_json(content, where)
    if not isinstance(data, dict):
        raise StoreError(f"{where} holds a JSON {type(data).__name__}, not an object")
    return data


def check_schema(data: dict[str, Any], where: Path) -> None:
    """Refuse a file of a later evalib, whose meaning this one cannot know."""
    found = data.get("schema_version")
    if not isinstance(found, int):
        raise StoreError(f"{where} has no schema_version: evalib did not write it")
    if found > SCHEMA_VERSION:
        raise StoreError(
            f"{where} has schema version {found} and this evalib reads up to {SCHEMA_VERSION}: upgrade evalib"
        )


def recordings(
    caller: NDArray[np.int16], agent: NDArray[np.int16], sample_rate: int = SAMPLE_RATE
) -> dict[str, bytes]:
    """``caller.wav``, ``agent.wav`` and ``mixed.wav``: mono PCM16, the same samples the same bytes.

    Parameters
    ----------
    caller, agent : ndarray of int16, shape (samples,)
        The two tracks; the mix is their sum, clipped.
    sample_rate : int
        Samples a second.

    Raises
    ------
    StoreError
        When a track is not mono int16, or the lengths differ.
    """
    import numpy as np

    for name, track in (("caller", caller), ("agent", agent)):
        if track.dtype != np.int16 or track.ndim != 1:
            raise StoreError(
                f"the {name} track is {track.dtype} of shape {track.shape}: give mono int16, one axis"
            )
    if len(caller) != len(agent):
        raise StoreError(f"the tracks have {len(caller)} and {len(agent)} samples: make them equally long")
    mixed = np.clip(caller.astype(np.int32) + agent, -32768, 32767).astype(np.int16)
    tracks = {"caller.wav": caller, "agent.wav": agent, "mixed.wav": mixed}
    return {name: _wav(track, sample_rate) for name, track in tracks.items()}


def _wav(samples: NDArray[np.int16], sample_rate: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(sample_rate)
        out.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue()
