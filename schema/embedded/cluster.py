"""One PostgreSQL data folder on disk: made, configured, started and stopped.

Nothing here locks; `server.py` calls it while holding the start lock. Layout of `home`:
`data` (PostgreSQL's own), `socket`, `server.log`, `initdb.log`, `start.lock`, `use.lock`.
"""

import os
import secrets
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from schema.embedded.account import Account
from schema.embedded.logs import Log
from schema.embedded.processes import (
    Postmaster,
    disown_pid_file,
    end_orphans,
    find_postmaster,
    is_alive,
    is_launching,
)
from schema.embedded.sockets import SocketFolder
from schema.errors import EmbeddedServerError

__all__ = ["Cluster"]

_MAJOR = "17"
_START_SECONDS = 600.0  # recovery after a crash may have much to read
_STOP_SECONDS = 60.0
_TRIES = 3

_INITDB = (
    "--username=postgres",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--lc-collate=C",
    "--lc-ctype=C.UTF-8",
    "--auth-local=trust",
    "--auth-host=reject",
    "--data-checksums",
)

_SETTINGS = """\
# Written by footnote at each start; changes here are lost. Use ALTER SYSTEM.
listen_addresses = ''
port = 5432
unix_socket_permissions = 0700
max_connections = 100
wal_level = minimal
max_wal_senders = 0
timezone = 'UTC'
log_timezone = 'UTC'
logging_collector = off
log_destination = 'stderr'
# What people wrote must not reach the log: no statements, no rows.
log_min_error_statement = panic
log_error_verbosity = terse
"""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A data folder, the account that owns it, and the programs that serve it."""

    home: Path
    account: Account
    programs: Path

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.home / "data"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.home / "server.log"

    @property
    def sockets(self) -> SocketFolder:
        """Where its socket lies."""
        return SocketFolder(self.home, self.account)

    def running(self) -> Postmaster | None:
        """Return the live postmaster, if there is one."""
        return find_postmaster(self.data)

    def ensure_data(self) -> None:
        """Make the data directory when it is absent; it appears whole or not at all.

        Raises:
            EmbeddedServerError: initdb failed, or the data are of another major version.
        """
        for leftover in self.home.glob("data.init.*"):
            self.account.remove(leftover)
        if not self.data.exists():
            self._initdb()
            return
        try:
            version = (self.data / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            version = "(unknown)"
        if version != _MAJOR:
            raise EmbeddedServerError(
                f"The data in {self.data} are of PostgreSQL {version} and this "
                f"footnote runs PostgreSQL {_MAJOR}: choose another folder with "
                "FOOTNOTE_DATA_DIR and ingest again, or move the data with pg_dump."
            )

    def start(self) -> None:
        """Start the server on the data directory and wait until it takes connections.

        Raises:
            EmbeddedServerError: it ended at once, or wasn't ready after ten minutes.
        """
        log = Log(self.log, self.account)
        words = ""
        # Again, since whoever told the last server to stop may have met this one as it came up.
        for _ in range(_TRIES):
            self._make_way()
            since = log.begin()
            # The shell leaves at once, so that the server is nobody's child who must reap it.
            launched = self.account.run(
                'exec 2>>"$0"; "$@" </dev/null >&2 & echo $!',
                *(self.log, self.programs / "postgres", "-D", self.data),
            )
            if self.await_ready(int(launched)):
                return
            words = log.last_words(since, ("FATAL", "PANIC", "postgres:", "ERROR"))
        raise EmbeddedServerError(
            f"The embedded PostgreSQL doesn't start ({words}); its log is {self.log}."
        )

    def await_ready(self, launched: int | None = None) -> bool:
        """Wait while a server is starting or stopping; return whether one takes connections.

        `launched` is the process that was just started, if we did that.

        Raises:
            EmbeddedServerError: it does neither for ten minutes.
        """
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            postmaster = self.running()
            if postmaster is not None and postmaster.ready:
                return True
            if postmaster is None and not self._is_coming(launched):
                return False
            time.sleep(0.02)
        raise EmbeddedServerError(
            f"The embedded PostgreSQL wasn't ready after {_START_SECONDS:.0f} s; "
            f"its log is {self.log}."
        )

    def stop(self) -> None:
        """Stop the server if it runs: orderly, and at once when that takes a minute.

        Raises:
            EmbeddedServerError: it still runs.
        """
        postmaster = self.running()
        if postmaster is None:
            return
        ended = postmaster.stop(signal.SIGINT, _STOP_SECONDS)
        if not ended and not postmaster.stop(signal.SIGQUIT, _STOP_SECONDS):
            raise EmbeddedServerError(
                f"The embedded PostgreSQL (process {postmaster.process.pid}) doesn't stop; "
                f"its log is {self.log}."
            )
        self.sockets.sweep()

    def _is_coming(self, launched: int | None) -> bool:
        if launched is not None:
            return is_alive(launched)
        # Twice, since a process in the middle of exec shows no command line.
        for _ in range(2):
            if is_launching(self.data) or self.running() is not None:
                return True
            time.sleep(0.01)
        return False

    def _make_way(self) -> None:
        """See to it that no other server is in the way, and write the settings."""
        if self.sockets.answers():
            raise EmbeddedServerError(
                f"The data folder {self.home.parent} is served by a PostgreSQL that this process "
                "can't see, perhaps in another container: stop that one, or use another folder."
            )
        if not end_orphans(self.data):
            raise EmbeddedServerError(
                f"Processes of a crashed PostgreSQL still work in {self.data} and don't end: "
                "end them, then try again."
            )
        disown_pid_file(self.data, self.account)
        settings = f"{_SETTINGS}unix_socket_directories = '\"{self.sockets.make()}\"'\n"
        self.account.write(self.data / "footnote.conf", settings)

    def _initdb(self) -> None:
        # A name of its own: a killed starter's initdb may still be writing into the last one.
        draft = self.home / f"data.init.{secrets.token_hex(4)}"
        log = Log(self.home / "initdb.log", self.account)
        since = log.begin()
        try:
            self.account.run(
                'exec >>"$0" 2>&1; exec "$@"',
                *(log.path, self.programs / "initdb", *_INITDB, "-D", draft),
            )
        except OSError as error:
            self.account.remove(draft)
            marks = ("initdb: error", "FATAL", "error")
            words = error.strerror or log.last_words(since, marks)
            raise EmbeddedServerError(
                f"The embedded PostgreSQL can't make its data folder ({words}); see {log.path}."
            ) from error
        self.account.run(
            r"""printf "\ninclude 'footnote.conf'\n" >>"$0/postgresql.conf" && mv -- "$0" "$1" """,
            *(draft, self.data),
        )
        directory = os.open(self.home, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
