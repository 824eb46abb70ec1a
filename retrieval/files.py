"""Reading files that nobody vouches for: regular ones only, only so much, errors as sentences."""

import errno
import os
import re
import stat
from pathlib import Path

from retrieval.errors import UnreadableDocument

__all__ = ["NotRegular", "read_regular", "shown", "unreadable"]

# Control characters, line separators, and the marks that turn the direction of writing.
_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ADVICE = {
    errno.EACCES: "check its permissions",
    errno.EPERM: "check its permissions",
    errno.ENOENT: "it was moved or removed meanwhile",
    errno.ENAMETOOLONG: "shorten its path",
}


class NotRegular(OSError):
    """A path leads to a folder, pipe, socket or device, which may never end or never begin."""


def read_regular(path: Path, limit: int) -> bytes:
    """Return the first `limit` bytes of a file, without waiting for whoever may write to a pipe.

    Raises:
        NotRegular: it is no regular file.
        OSError: it can't be opened or read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a Path opens no descriptor
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegular(errno.EINVAL, "not a regular file")
        return file.read(limit)


def unreadable(name: str, error: OSError | ValueError) -> UnreadableDocument:
    """Return the sentence, beginning with the name, for an error of the file system."""
    if isinstance(error, NotRegular):
        return UnreadableDocument(
            f"{name} is a folder, pipe, socket or device, not a file: leave it out."
        )
    if not isinstance(error, OSError):
        return UnreadableDocument(f"{name} is no path that can be opened: check it.")
    advice = _ADVICE.get(error.errno or 0, "check the disk that it lies on")
    return UnreadableDocument(f"{name} can't be read ({error.strerror}): {advice}.")


def shown(path: Path | str) -> str:
    """Return a path as text that may be stored and printed: names of files are any bytes."""
    return _UNSHOWN.sub("\ufffd", os.fsencode(path).decode("utf-8", "replace"))
