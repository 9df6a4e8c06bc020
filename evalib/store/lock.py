"""One writer a run folder, as far as the system can promise it."""

from __future__ import annotations

import errno
import os
import weakref
from pathlib import Path

from evalib.core import StoreError

_held: weakref.WeakSet[FolderLock] = weakref.WeakSet()


def _let_go() -> None:
    for lock in list(_held):
        lock.release()


if hasattr(os, "register_at_fork"):
    # A worker that was forked may outlive a killed run; it must not hold the folder then.
    os.register_at_fork(after_in_child=_let_go)


class FolderLock:
    """Held from its making until :meth:`release`, or until its process ends in whatever way.

    The lock is on the folder itself, so nothing is left behind in it. Where the system or the file
    system has no such lock (Windows, some network drives), nothing is locked.

    Raises
    ------
    StoreError
        When another holds it.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import fcntl
        except ImportError:  # Windows
            return
        handle = os.open(folder, os.O_RDONLY)
        self._release = weakref.finalize(self, os.close, handle)
        _held.add(self)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            self.release()
            if exc.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise StoreError(
                    f"another process is writing the run {folder}: wait for it, or name another folder"
                ) from exc

    def release(self) -> None:
        """Let the next writer in; again is no error."""
        if hasattr(self, "_release"):
            self._release()
