"""Server-sent events: bytes as they come, into the data of each event. Pure.

Bytes may be cut anywhere, also within a character or between CR and LF: only whole lines are
looked at. Lines that mean nothing (comments that keep a connection alive, other fields) are left
out.
"""

import re
from typing import Final

__all__ = ["Events"]

_BOM: Final = b"\xef\xbb\xbf"
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
# llama.cpp once said `error: {…}` where `data: {"error": …}` is meant.
_FIELDS: Final = frozenset({b"data", b"error"})


class Events:
    """Gathers bytes and gives the data of the events they complete."""

    def __init__(self) -> None:
        self._pending: bytearray = bytearray()
        self._looked_at: int = 0
        self._data: list[bytes] = []
        self._begun: bool = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of each event that these bytes complete."""
        self._pending += piece
        found: list[bytes] = []
        start = 0
        for end in _LINE_END.finditer(self._pending, self._looked_at):
            if end.end() == len(self._pending) and end.group() == b"\r":
                break  # perhaps the first half of CR LF
            found += self._line(bytes(self._pending[start : end.start()]))
            start = end.end()
        del self._pending[:start]
        self._looked_at = max(0, len(self._pending) - 1)
        return found

    def end(self) -> list[bytes]:
        """Return the data of a last event that nothing closed."""
        last = bytes(self._pending)
        self._pending.clear()
        return [*self._line(last), *self._line(b"")]

    def _line(self, line: bytes) -> list[bytes]:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BOM)
        if not line:
            data, self._data = self._data, []
            return [b"\n".join(data)] if data else []
        name, _, value = line.partition(b":")
        if name in _FIELDS:
            self._data.append(value.removeprefix(b" "))
        return []
