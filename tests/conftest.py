"""One embedded PostgreSQL for the whole run, a fresh database for each test that wants one.

All xdist workers share the server and its templates (one for each engine, migrated once).

With FOOTNOTE_TEST_DATABASE_URL, tests of the engines are run a further time on the server at that
address, with the engine that it would get: beside the database named there, each test makes one of
its own and drops it, for which the user needs the right to create databases and extensions.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings
from psycopg import AsyncConnection, sql
from psycopg.rows import DictRow, dict_row

from schema.embedded import Server, use
from schema.migrate import choose_engine, inspect, migrate

VECTOR_SIZE = 384
"""Dimensions of the templates' vectors, those of the bundled embedder."""

GIVEN_URL = os.environ.get("FOOTNOTE_TEST_DATABASE_URL")  # noqa: TID251 - no setting of the bot's
"""A server to run the tests of engines on as well; None when there is none."""

ENGINES = ["pg_search", "sql", *(["given"] if GIVEN_URL else [])]
"""What tests of engines are run with: `parametrize("engine", ENGINES, indirect=True)`."""

_ROOT = Path(__file__).parent.parent


def _room(name: str) -> ModuleType:
    """Stand for one of our packages, so that nothing is imported before a test asks for it."""
    module = ModuleType(name)
    module.__path__ = [str(_ROOT / name)]
    return module


_ROOMS = [_room("bot"), _room("retrieval"), _room("schema")]
_ROOMY = 4_000_000_000
_CRASHED = ("was terminated by signal", "PANIC:")
_LOG_LINES = 60  # shown before and after the first crash
_FOLDER = pytest.StashKey[Path]()


settings.register_profile("footnote", deadline=None)  # a busy machine is no defect
settings.load_profile("footnote")


def pytest_configure(config: pytest.Config) -> None:
    """Name the run's data folder: made by the controller, told to its workers.

    It isn't pytest's own temporary folder, which as root nobody else may enter, PostgreSQL's
    user included.
    """
    told: dict[str, Any] | None = getattr(config, "workerinput", None)
    folder = told["footnote_folder"] if told else _scratch()
    config.stash[_FOLDER] = Path(folder)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker where the data folder is."""
    node.workerinput["footnote_folder"] = str(node.config.stash[_FOLDER])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show the end of the shared server's log when one of its processes has crashed.

    All are ended then, so that tests fail which had no part in it, and the log goes with the
    data folder.
    """
    log = config.stash[_FOLDER] / "postgres/server.log"
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    crashes = [at for at, line in enumerate(lines) if any(mark in line for mark in _CRASHED)]
    if crashes:
        terminalreporter.section("the shared PostgreSQL crashed; its log around the first time")
        for line in lines[max(0, crashes[0] - _LOG_LINES) :][: 2 * _LOG_LINES]:
            terminalreporter.write_line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the data folder, after stopping what a killed worker may have left running."""
    if hasattr(config, "workerinput"):
        return
    folder = config.stash[_FOLDER]
    if (folder / "postgres/data/postmaster.pid").exists():
        with use(folder):
            pass
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def _nothing_blocks_the_loop() -> Generator[None]:
    """Make a blocking call of our code on the event loop an error."""
    with blockbuster_ctx(_ROOMS):
        yield


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config) -> Generator[Server]:
    """The shared server; its data needn't survive anything, so it doesn't wait for the disk."""
    with use(pytestconfig.stash[_FOLDER]) as shared:
        with psycopg.connect(shared.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        yield shared


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> str:
    """The keyword engine; for "given" the one that the given server gets."""
    name: str = getattr(request, "param", "pg_search")
    if name == "given" and GIVEN_URL is not None:
        return choose_engine(asyncio.run(inspect(GIVEN_URL)), None)
    return name


@pytest.fixture
def database_url(request: pytest.FixtureRequest, server: Server, engine: str) -> Generator[str]:
    """The address of a database of its own, migrated for the engine, dropped at the end."""
    if is_given(request) and GIVEN_URL is not None:
        for url in cloned(Given(GIVEN_URL), "template1"):
            asyncio.run(migrate(url, vector_size=VECTOR_SIZE, engine=engine))
            yield url
        return
    template = made_once(
        server,
        f"template_{engine}",
        lambda url: migrate(url, vector_size=VECTOR_SIZE, engine=engine),
    )
    yield from cloned(server, template)


@pytest.fixture
def empty_database_url(server: Server) -> Generator[str]:
    """The address of a database of its own that nothing was done to."""
    yield from cloned(server, "template1")


@pytest.fixture
async def connection(database_url: str) -> AsyncGenerator[AsyncConnection[DictRow]]:
    """A connection to the test's database, in autocommit mode, with rows as dicts."""
    opened = await AsyncConnection[DictRow].connect(
        database_url, autocommit=True, row_factory=dict_row
    )
    async with opened:
        yield opened


@pytest.fixture
def data_dir() -> Generator[Path]:
    """An empty data folder for a server of the test's own; the test stops that server."""
    folder = Path(_scratch())
    folder.chmod(0o755)  # a folder inside it must be reachable for PostgreSQL's user
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def _scratch() -> str:
    """Make a folder, in memory where there is much of it: PostgreSQL syncs a lot when it starts."""
    memory = Path("/dev/shm")  # noqa: S108 - mkdtemp makes a private folder in it
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > _ROOMY
    return tempfile.mkdtemp(prefix="footnote-test-", dir=memory if roomy else None)


def is_given(request: pytest.FixtureRequest) -> bool:
    """Whether this run of a test is the one on the given server."""
    callspec = getattr(request.node, "callspec", None)
    return callspec is not None and callspec.params.get("engine") == "given"


@dataclass(frozen=True)
class Given:
    """The server at FOOTNOTE_TEST_DATABASE_URL."""

    url: str

    def url_for(self, database: str) -> str:
        """Return the address of another of its databases."""
        return urlsplit(self.url)._replace(path=f"/{database}").geturl()


def cloned(server: Server | Given, template: str) -> Generator[str]:
    """Copy a database, give the copy's address, drop it at the end."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server.url, autocommit=True) as admin:
        admin.execute(
            # Half the time of the default, which writes each block of the template to the log.
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
    try:
        yield server.url_for(name)
    finally:
        with psycopg.connect(server.url, autocommit=True) as admin:
            _drop(admin, sql.Identifier(name))


def _drop(admin: psycopg.Connection, name: sql.Identifier) -> None:
    """Drop a database, by force only when somebody stays in it for the 5 s that PostgreSQL waits.

    Force signals pg_search's background merger too, which then aborts (its signal handler may not
    call PostgreSQL from its thread), and the whole server with it.
    """
    try:
        admin.execute(sql.SQL("DROP DATABASE {}").format(name))
    except psycopg.errors.ObjectInUse:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def made_once(server: Server, name: str, fill: Callable[[str], Coroutine[Any, Any, object]]) -> str:
    """Return the name of a database to copy, made and filled by whichever worker asks first."""
    done = server.data_dir / f"{name}.done"
    with (server.data_dir / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            with psycopg.connect(server.url, autocommit=True) as admin:
                admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
            asyncio.run(fill(server.url_for(name)))
            done.touch()
    return name
