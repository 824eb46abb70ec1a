"""Whose account the server runs under. PostgreSQL refuses to run as root."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from schema.errors import EmbeddedServerError

__all__ = ["Account", "Identity", "choose"]


class Identity(TypedDict, total=False):
    """Keyword arguments of `subprocess` that change the account of the child."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """A user and group id; `dropped` says that it isn't the one this process runs under."""

    uid: int
    gid: int
    dropped: bool

    def identity(self) -> Identity:
        """Return what a subprocess needs to run under this account."""
        if not self.dropped:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Give a file or folder that this process has just made to the account."""
        if self.dropped:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def can_enter(self, folder: Path) -> bool:
        """Say whether the account may enter a folder, by trying it."""
        return self._tries("cd", folder)

    def can_run(self, program: Path) -> bool:
        """Say whether the account may reach and execute a program."""
        return self._tries("test -x", program)

    def barred_at(self, folder: Path) -> Path | None:
        """Return the outermost folder on the way that the account may not enter."""
        for step in [*reversed(folder.parents), folder]:
            if not self.can_enter(step):
                return step
        return None

    def name(self) -> str:
        """Return the account's name, or its number when it has none."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    def _tries(self, action: str, path: Path) -> bool:
        done = subprocess.run(  # noqa: S603 - the action is one of the two literals above
            ["/bin/sh", "-c", f'{action} "$0"', str(path)],
            cwd="/",
            env={},
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self.identity(),
        )
        return done.returncode == 0


def choose(home: Path, data_dir: Path) -> Account:
    """Return the account for the data in `home`, a folder of `data_dir`: our own, if not root.

    As root it is the owner of the first of the two that exists and isn't root's, so that data
    once written keep their owner; else `postgres`, else `nobody`.

    Raises:
        EmbeddedServerError: as root, when the system has neither account; as another user,
            when the data belong to somebody else.
    """
    uid = os.geteuid()
    owners = [_owner(home), _owner(data_dir)]
    if uid != 0:
        if owners[0] is not None and owners[0][0] != uid:
            owner = Account(*owners[0], dropped=False).name()
            raise EmbeddedServerError(
                f"The data folder {home} belongs to another user ({owner}): run footnote as that "
                "user, or choose another folder with FOOTNOTE_DATA_DIR."
            )
        return Account(uid, os.getegid(), dropped=False)
    for found in owners:
        if found is not None and found[0] != 0:
            return Account(*found, dropped=True)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, dropped=True)
    raise EmbeddedServerError(
        "PostgreSQL doesn't run as root, and this system has neither a user 'postgres' nor "
        "'nobody': run footnote as an ordinary user, or set FOOTNOTE_DATABASE_URL."
    )


def _owner(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    return status.st_uid, status.st_gid
