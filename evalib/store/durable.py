"""Files that are either whole or not there, whenever the process or the machine stops."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalib.core import StoreError


@contextmanager
def store_errors(doing: str) -> Iterator[None]:
    """Turn what the operating system says into a :class:`StoreError` that says what was being done."""
    try:
        yield
    except OSError as exc:
        raise StoreError(f"cannot {doing}: {exc.strerror or exc}") from exc


def write_file(path: Path, content: bytes, *, sync: bool) -> None:
    """Write a new file; with `sync`, return only when it is on the disk."""
    with open(path, "wb") as file:
        file.write(content)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` in the place of `path` in one step: a reader finds the old file or the new one."""
    draft = path.with_name(f"{path.name}.tmp-{os.getpid()}")
    try:
        write_file(draft, content, sync=True)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, where the system can (Windows cannot open a folder)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def json_bytes(value: Any, indent: int | None = None) -> bytes:
    """JSON in UTF-8, ending in a line end. NaN is refused: no reader outside Python takes it.

    Raises
    ------
    StoreError
        For what JSON cannot hold.
    """
    try:
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
            return text.encode() + b"\n"
        except UnicodeEncodeError:  # half a surrogate pair: only an escape can hold it
            return json.dumps(value, allow_nan=False, indent=indent).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as exc:
        raise StoreError(f"cannot be stored as JSON: {exc}") from exc


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises
    ------
    StoreError
        When it is missing, unreadable or broken.
    """
    with store_errors(f"read {path}"):
        content = path.read_bytes()
    return parse_json(content, path)


def parse_json(content: bytes, path: Path) -> Any:
    """`content` as JSON; `path` is where it came from, for the error."""
    try:
        return json.loads(content)
    except ValueError as exc:
        raise StoreError(f"{path} is not readable JSON ({exc}): restore it, or make the run again") from exc
