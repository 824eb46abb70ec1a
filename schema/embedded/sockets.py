"""Where the server's Unix socket lies: the same folder over all starts of one data folder."""

import os
import re
import secrets
import socket
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from schema.embedded.account import Account
from schema.errors import EmbeddedServerError

__all__ = ["SOCKET", "SocketFolder"]

SOCKET = ".s.PGSQL.5432"
_LONGEST = 85  # bytes of the folder; the system's limit for a whole address is 103 to 107
_PLAIN = re.compile(r"[\w/ .+~@%:=()&#$-]+")  # a comma would separate two folders, and so on


@dataclass(frozen=True, slots=True)
class SocketFolder:
    """The folder beside the data when its name is short and plain enough for an address.

    Else it is one of its own, mode 0700, under a temporary folder; `socket.path` keeps its name.
    """

    home: Path
    account: Account

    def path(self) -> Path:
        """Return the folder as the last start left it.

        Raises:
            EmbeddedServerError: there was no start.
        """
        if _fits(self._beside):
            return self._beside
        try:
            return Path(self._note.read_text())
        except FileNotFoundError as error:
            raise EmbeddedServerError(
                f"The embedded PostgreSQL in {self.home} was never started."
            ) from error

    def make(self) -> Path:
        """Return the folder, made when absent and empty of a dead server's socket."""
        folder = self._made()
        self.account.run('rm -f -- "$0" "$1"', folder / SOCKET, folder / f"{SOCKET}.lock")
        return folder

    def answers(self) -> bool:
        """Say whether somebody listens on the socket, whether or not we see the process."""
        with suppress(EmbeddedServerError, OSError), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(str(self.path() / SOCKET))
            return True
        return False

    def sweep(self) -> None:
        """Remove a temporary folder after the server has stopped; its name stays reserved."""
        if not _fits(self._beside):
            with suppress(OSError):
                self.account.run('rmdir -- "$0"', self.path())

    @property
    def _beside(self) -> Path:
        return self.home / "socket"

    @property
    def _note(self) -> Path:
        return self.home / "socket.path"

    def _made(self) -> Path:
        if _fits(self._beside):
            self.account.run('test -d "$0" || mkdir -- "$0"', self._beside)
            return self._beside
        with suppress(FileNotFoundError):
            kept = Path(self._note.read_text())
            # Made again when it was swept away, so that its users need no new address.
            if self._is_ours(kept) or self._makes(kept):
                return kept
        made = self._temporary()
        self.account.write(self._note, str(made))
        return made

    def _is_ours(self, folder: Path) -> bool:
        try:
            status = folder.lstat()
        except OSError:
            return False
        return (
            stat.S_ISDIR(status.st_mode)
            and status.st_uid == self.account.uid
            and stat.S_IMODE(status.st_mode) == stat.S_IRWXU
        )

    def _makes(self, folder: Path) -> bool:
        try:
            self.account.run('mkdir -- "$0"', folder)
        except OSError:  # it is somebody else's, or the account may not
            return False
        return True

    def _temporary(self) -> Path:
        for parent in (tempfile.gettempdir(), "/tmp", "/var/tmp"):  # noqa: S108 - a private folder is made in it
            folder = Path(parent, f"footnote-{secrets.token_hex(4)}")
            if _fits(folder) and self._makes(folder):
                return folder
        raise EmbeddedServerError(
            f"The path {self.home} doesn't serve for PostgreSQL's socket (too long, or with "
            "unusual characters), nor does a temporary folder: choose a shorter one with "
            "FOOTNOTE_DATA_DIR."
        )


def _fits(folder: Path) -> bool:
    return (
        folder.is_absolute()
        and len(os.fsencode(folder)) <= _LONGEST
        and _PLAIN.fullmatch(str(folder)) is not None
    )
