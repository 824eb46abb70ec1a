"""File locks of the kernel (flock): they vanish with the process that held them."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from schema.embedded.account import Account
from schema.errors import EmbeddedServerError

__all__ = ["PATIENCE", "UseLock", "exclusive", "make"]

PATIENCE = 660.0
"""Seconds to wait for a lock: longer than the slowest start that the holder waits for."""

_PAUSE = 0.03


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)


def make(path: Path, account: Account) -> None:
    """Make a lock's file, if absent, as the account that owns the data."""
    account.run(': >>"$0"', path)


@contextmanager
def exclusive(path: Path) -> Generator[None]:
    """Hold a file's exclusive lock, waiting for it.

    The wait is a series of tries, since a signal handler must be able to end it.

    Raises:
        EmbeddedServerError: somebody else held it for `PATIENCE` seconds.
    """
    deadline = time.monotonic() + PATIENCE
    file = _open(path)
    try:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise EmbeddedServerError(
                        f"Another process has been starting or stopping the embedded PostgreSQL "
                        f"for {PATIENCE:.0f} s (it holds {path}): stop that process, try again."
                    ) from None
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(file)


class UseLock:
    """Says that the server is in use. To be taken and left while holding the start lock."""

    def __init__(self, path: Path) -> None:
        self._file: int = _open(path)
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def is_last(self) -> bool:
        """Say whether nobody else uses the server; the start lock keeps newcomers out."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._file)
