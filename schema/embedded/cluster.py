"""One PostgreSQL data folder on disk: made, configured, started and stopped.

Nothing here locks; `server.py` calls it while holding the start lock. Layout of `home`:
`data` (PostgreSQL's own), `socket`, `server.log`, `initdb.log`, `start.lock`, `use.lock`.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from schema.embedded.account import Account
from schema.embedded.logs import appended, last_words
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

# Built from nothing: PG*, LC_* and LANG of the caller must not reach the server.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}

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
            shutil.rmtree(leftover, ignore_errors=True)
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
        disown_pid_file(self.data)
        conf = self.data / "footnote.conf"
        sockets = self.sockets.make()
        conf.write_text(f"{_SETTINGS}unix_socket_directories = '\"{sockets}\"'\n", "utf-8")
        self.account.own(conf)
        with appended(self.log, self.account) as log:
            # The shell leaves at once, so that the server is nobody's child who must reap it.
            # Arguments don't pass through the shell's grammar, whatever the path holds.
            command = ("/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", str(self.programs / "postgres"))
            done = subprocess.run(  # noqa: S603 - our own programs
                [*command, "-D", str(self.data)],
                cwd="/",
                env=_ENVIRONMENT,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C in the terminal is not for the server
                umask=0o077,
                **self.account.identity(),
            )
        if not done.stdout or not self.await_ready(int(done.stdout)):
            words = last_words(self.log, ("FATAL", "PANIC", "postgres:", "ERROR"))
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

    def _initdb(self) -> None:
        # A name of its own: a killed starter's initdb may still be writing into the last one.
        draft = Path(tempfile.mkdtemp(prefix="data.init.", dir=self.home))
        self.account.own(draft)
        log = self.home / "initdb.log"
        with appended(log, self.account) as output:
            done = subprocess.run(  # noqa: S603 - our own programs
                [str(self.programs / "initdb"), *_INITDB, "-D", str(draft)],
                cwd="/",
                env=_ENVIRONMENT,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                umask=0o077,
                **self.account.identity(),
            )
        if done.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            words = last_words(log, ("initdb: error", "FATAL", "error"))
            raise EmbeddedServerError(
                f"The embedded PostgreSQL can't make its data folder ({words}); see {log}."
            )
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as conf:
            conf.write("\ninclude 'footnote.conf'\n")
        draft.rename(self.data)
        directory = os.open(self.home, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
