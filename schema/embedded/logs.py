"""What PostgreSQL's programs say, kept in files: a pipe would keep its reader waiting."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from schema.embedded.account import Account

__all__ = ["appended", "last_words"]

_LARGEST = 5_000_000


@contextmanager
def appended(log: Path, account: Account) -> Generator[int]:
    """Open a log for a program that runs under the account; one old log is kept when large."""
    with suppress(FileNotFoundError):
        if log.stat().st_size > _LARGEST:
            log.rename(log.with_suffix(".old.log"))
    with log.open("ab") as file:
        account.own(log)
        yield file.fileno()


def last_words(log: Path, marks: Sequence[str]) -> str:
    """Return the last line with the most telling of the marks, else the last line."""
    try:
        lines = log.read_text(errors="replace").splitlines()[-200:]
    except FileNotFoundError:
        lines = []
    for mark in marks:
        for line in reversed(lines):
            if mark in line:
                return line.strip()
    return lines[-1].strip() if lines else "it says nothing"
