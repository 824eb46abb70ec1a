"""Whose account the server runs under. PostgreSQL refuses to run as root.

What a root process changes in the account's folders it changes as the account, by `run`: a link
that was laid there leads no further than the account itself gets.
"""

import errno
import os
import pwd
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString, TypedDict

from schema.errors import EmbeddedServerError

__all__ = ["ENVIRONMENT", "Account", "Identity", "choose"]

ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
"""Built from nothing: PG*, LC_* and LANG of the caller must not reach the server."""


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

    def own(self, folder: Path) -> None:
        """Give an empty folder of root's to the account; never what a link leads to."""
        if not self.dropped:
            return
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except NotADirectoryError:  # a link
            return
        try:
            if os.fstat(handle).st_uid == 0 and not os.listdir(handle):  # noqa: PTH208 - a descriptor
                os.fchown(handle, self.uid, self.gid)
        finally:
            os.close(handle)

    def run(self, script: LiteralString, *arguments: Path | str) -> str:
        """Run a shell script as the account and return what it prints.

        The arguments, from `$0` on, don't pass through the shell's grammar. Ctrl-C in the
        terminal isn't for what it starts, and what it makes is for nobody else.

        Raises:
            OSError: it failed; with what it said.
        """
        done = subprocess.run(  # noqa: S603 - the script is ours
            ["/bin/sh", "-c", script, *map(str, arguments)],
            cwd="/",
            env=ENVIRONMENT,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,
            umask=0o077,
            **self.identity(),
        )
        if done.returncode != 0:
            raise OSError(errno.EIO, done.stderr.decode(errors="replace").strip())
        return done.stdout.decode(errors="replace")

    def write(self, path: Path, text: str) -> None:
        """Put a small file in a path's place, whole or not at all."""
        script = 'rm -f -- "$1" && printf %s "$2" >"$1" && mv -f -- "$1" "$0"'
        self.run(script, path, path.with_name(f"{path.name}.new"), text)

    def remove(self, path: Path) -> None:
        """Remove a file, or a folder with all that is in it, as far as that is possible."""
        with suppress(OSError):
            self.run('rm -rf -- "$0"', path)

    def can_enter(self, folder: Path) -> bool:
        """Say whether the account may enter a folder, by trying it."""
        return self._tries('cd "$0"', folder)

    def can_run(self, program: Path) -> bool:
        """Say whether the account may reach and execute a program."""
        return self._tries('test -x "$0"', program)

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

    def _tries(self, script: LiteralString, path: Path) -> bool:
        try:
            self.run(script, path)
        except OSError:
            return False
        return True


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
