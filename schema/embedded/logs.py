"""What PostgreSQL's programs say, kept in files: a pipe would keep its reader waiting.

The files lie in the account's folder, so they are written, moved and read as the account.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from schema.embedded.account import Account

__all__ = ["Log"]

_LARGEST = 5_000_000


@dataclass(frozen=True, slots=True)
class Log:
    """A file that programs append to. One old file is kept when it grows large."""

    path: Path
    account: Account

    def begin(self) -> int:
        """Make room for more; return the place, in bytes, where that will start."""
        with suppress(FileNotFoundError):
            size = self.path.stat().st_size
            if size <= _LARGEST:
                return size
            self.account.run('mv -f -- "$0" "$1"', self.path, self.path.with_suffix(".old.log"))
        return 0

    def last_words(self, since: int, marks: Sequence[str]) -> str:
        """Return the last line since a place with the most telling mark, else the last line."""
        try:
            said = self.account.run(
                'tail -c "+$1" -- "$0" | tail -n 200', self.path, str(since + 1)
            )
        except OSError:
            said = ""
        lines = said.splitlines()
        for mark in marks:
            for line in reversed(lines):
                if mark in line:
                    return line.strip()
        return lines[-1].strip() if lines else "it says nothing"
