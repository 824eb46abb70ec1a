"""Start or share the embedded server, and stop it after its last user.

Two locks: `start.lock` is held (exclusively) while anything is started or stopped, `use.lock` is
shared by all who use the server. Both vanish with their process, so after a `kill -9` nobody
waits for the dead, and whoever leaves last stops the server.
"""

import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Never
from urllib.parse import quote

import platformdirs
import psycopg

from schema.embedded.account import Account, choose
from schema.embedded.cluster import Cluster
from schema.embedded.locks import UseLock, exclusive, make
from schema.embedded.programs import find
from schema.errors import EmbeddedServerError

__all__ = ["Server", "default_data_dir", "use"]

_DATABASE = "footnote"
_CONNECT_SECONDS = 60.0
_PRIVATE = 0o700
_PLAIN = "&hostaddr=&channel_binding=prefer"


@dataclass(frozen=True, slots=True)
class Server:
    """The running server. `url` stays the same over restarts of the same data folder."""

    url: str
    data_dir: Path
    log: Path
    _cluster: Cluster

    def url_for(self, database: str) -> str:
        """Return the address of another database of this server."""
        return _url(self._cluster.sockets.path(), database)

    def ensure_running(self) -> bool:
        """Start the server again if it has died under its users; return whether it had.

        To be called when connections fail; many processes may do so at once. It blocks for as
        long as crash recovery takes.

        Raises:
            EmbeddedServerError: it doesn't start.
        """
        home = self._cluster.home
        with _sentences(self.data_dir), exclusive(home / "start.lock"):
            return _ensure_running(self._cluster)


def default_data_dir() -> Path:
    """Return where data go when nobody chose: /var/lib/footnote as root, else the user's.

    A root's home usually has a mode that PostgreSQL's account can't pass.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/footnote")
    return Path(platformdirs.user_data_dir("footnote", appauthor=False))


@contextmanager
def use(data_dir: Path) -> Generator[Server]:
    """Use the server of a data folder: made, started or shared on entry, stopped by the last.

    In the main thread a SIGTERM that nobody handles becomes SystemExit, so that it stops the
    server too.

    Raises:
        EmbeddedServerError: with one sentence that says what to do.
    """
    # The one PG variable that an address can't outweigh: an unknown service ends every connection.
    os.unsetenv("PGSERVICE")
    with _sigterm_raises(), ExitStack() as stack:
        with _sentences(data_dir):
            home, account = _prepare(Path(os.path.abspath(data_dir)))  # noqa: PTH100 - resolve() would follow links
            start_lock = home / "start.lock"
            with exclusive(start_lock):
                cluster = Cluster(home, account, find(account, home))
                lock = UseLock(cluster.home / "use.lock")
                stack.callback(_leave, cluster, lock, start_lock)
                _ensure_running(cluster)
                _ensure_database(cluster)
            url = _url(cluster.sockets.path(), _DATABASE)
        yield Server(url, cluster.home.parent, cluster.log, cluster)


@contextmanager
def _sentences(data_dir: Path) -> Generator[None]:
    """Turn what the system says about files into the sentence of an EmbeddedServerError."""
    try:
        yield
    except OSError as error:
        raise EmbeddedServerError(
            f"The data folder {data_dir} can't be used ({error.strerror or error}): choose "
            "another with FOOTNOTE_DATA_DIR."
        ) from error


def _leave(cluster: Cluster, lock: UseLock, start_lock: Path) -> None:
    try:
        with exclusive(start_lock):
            if lock.is_last():
                cluster.stop()
    finally:
        lock.close()


def _prepare(data_dir: Path) -> tuple[Path, Account]:
    """Make the folder for the server and its locks, and choose the account that has them."""
    if not str(data_dir).isprintable():
        raise EmbeddedServerError(
            f"The data folder's name {str(data_dir)!r} has characters that PostgreSQL can't "
            "write into its files: choose another with FOOTNOTE_DATA_DIR."
        )
    home = data_dir / "postgres"
    account = choose(home, data_dir)
    if not data_dir.exists():
        # Looked at first, so that a refused folder isn't made.
        _refuse_barred(account, next(step for step in data_dir.parents if step.exists()))
    data_dir.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    account.own(data_dir)
    _refuse_barred(account, data_dir)
    home.mkdir(mode=_PRIVATE, exist_ok=True)
    account.own(home)
    for name in ("start.lock", "use.lock"):
        make(home / name, account)
    return home, account


def _refuse_barred(account: Account, folder: Path) -> None:
    barred = account.barred_at(folder) if account.dropped else None
    if barred is not None:
        raise EmbeddedServerError(
            f"PostgreSQL runs as the user '{account.name()}' here, who may not enter {barred}: "
            "choose a folder outside it with FOOTNOTE_DATA_DIR (for instance "
            "/var/lib/footnote), or run footnote as an ordinary user."
        )


def _ensure_running(cluster: Cluster) -> bool:
    if cluster.await_ready():
        return False
    cluster.ensure_data()
    cluster.start()
    return True


def _ensure_database(cluster: Cluster) -> None:
    with _connect(cluster) as connection:
        found = connection.execute(
            "SELECT 1 FROM pg_database WHERE datname = %s", [_DATABASE]
        ).fetchone()
        if found is None:
            connection.execute("CREATE DATABASE footnote")


def _connect(cluster: Cluster) -> psycopg.Connection:
    """Connect to the maintenance database, patient while the server recovers from a crash."""
    url = _url(cluster.sockets.path(), "postgres")
    deadline = time.monotonic() + _CONNECT_SECONDS
    while True:
        try:
            return psycopg.connect(url, autocommit=True, connect_timeout=10)
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise EmbeddedServerError(
                    f"The embedded PostgreSQL runs but takes no connections "
                    f"({str(error).splitlines()[0]}); its log is {cluster.log}."
                ) from error
            time.sleep(0.1)


def _url(sockets: Path, database: str) -> str:
    # All is named for which a PG variable of the caller would otherwise count.
    host = quote(os.fsencode(sockets), safe="")
    return f"postgresql://postgres@/{quote(database, safe='')}?host={host}&port=5432{_PLAIN}"


@contextmanager
def _sigterm_raises() -> Generator[None]:
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, _frame: FrameType | None) -> Never:
    raise SystemExit(128 + number)
