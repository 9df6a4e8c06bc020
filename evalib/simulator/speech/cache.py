"""A folder of results by the hash of what they were made from.

Speech is made and heard again in every trial, and both are functions of their input. An entry is one
file: checksum, then content. It is written to a temporary name and renamed, so that any number of
processes may share the folder; an entry whose checksum does not fit counts as absent.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
import zlib
from pathlib import Path

_CHECKSUM_BYTES = 4
_said_so: set[Path] = set()  # folders that could not be written


def default_folder() -> Path:
    """``$EVALIB_CACHE``, or the folder for caches of this user on this platform."""
    if folder := os.environ.get("EVALIB_CACHE"):
        return Path(folder)
    import platformdirs

    return Path(platformdirs.user_cache_dir("evalib", appauthor=False))


def content_key(*parts: str | bytes) -> str:
    """SHA-256 hex of the parts; the bounds between parts count."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()


class DiskCache:
    """Bytes by key, in a folder. Without a writable folder it is empty, and says so once."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def get(self, kind: str, key: str) -> memoryview | None:
        """The content stored under a key, or None when there is none or it is damaged."""
        try:
            raw = self._path(kind, key).read_bytes()
        except OSError:
            return None
        content = memoryview(raw)[_CHECKSUM_BYTES:]  # speech is long, so it is not copied
        return content if raw[:_CHECKSUM_BYTES] == _checksum(content) else None

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Store content under a key."""
        path = self._path(kind, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_checksum(content) + content)
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError as e:
            if self.folder not in _said_so:
                _said_so.add(self.folder)
                warnings.warn(
                    f"speech is not cached, {self.folder} cannot be written ({e.strerror}): "
                    "set EVALIB_CACHE to a folder that can",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / kind / key[:2] / key[2:]


def _checksum(content: bytes | memoryview) -> bytes:
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "little")
