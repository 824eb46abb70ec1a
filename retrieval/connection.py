"""The seam to the driver: what it can store, and its errors, which become `QueryFailed` here.

An error's sentence depends on its SQLSTATE (PostgreSQL's documentation, appendix A): to try again
in a minute helps against a restart and does nothing for a full disk.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from retrieval.errors import ConnectionLost, QueryFailed

if TYPE_CHECKING:
    from schema.database import Pool

__all__ = ["connected", "failure", "reading", "storable"]

_LOG = logging.getLogger(__name__)

_DOWN: Final = "The database doesn't answer, or has no connection left: try again in a minute."
_REFUSED: Final = (
    "The database refused a query; the log has the reason. `footnote doctor` says "
    "whether database and program fit together."
)
_NO_ROOM: Final = "The database has no room left on its disk: make some, then try again."
_NO_MEMORY: Final = "The database has no memory left: give it more, or try again with less at once."
_BUSY: Final = "The database was busy with something that excludes this: try again in a minute."
_STOPPED: Final = "The query was stopped, by a time limit or by hand: try again in a minute."
_READ_ONLY: Final = (
    "The database takes no changes, as a standby does: set FOOTNOTE_DATABASE_URL to the one "
    "that does."
)
_DAMAGED: Final = (
    "The database can't read or write its files: see its log, and have a backup at hand."
)

# By SQLSTATE, else by its first two characters, its class.
_SENTENCES: Final[Mapping[str, str]] = {
    "53100": _NO_ROOM,
    "53200": _NO_MEMORY,
    "40001": _BUSY,
    "40P01": _BUSY,
    "55P03": _BUSY,
    "57014": _STOPPED,
    "25006": _READ_ONLY,
    "58": _DAMAGED,
    "XX": _DAMAGED,
    "08": _DOWN,
    "53": _DOWN,
    "57": _DOWN,
}
# The server ended the connection: a shutdown, a crash, one not ready yet, one that idled too long.
_LOST: Final = frozenset({"57P01", "57P02", "57P03", "57P05"})
_POOL: Final = (PoolClosed, PoolTimeout, TooManyRequests)


@asynccontextmanager
async def connected(pool: "Pool") -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
    """Take a connection from the pool.

    Raises:
        ConnectionLost: it broke; whether what was done inside was kept is unknown.
        QueryFailed: the database is down or refuses what is done inside.
    """
    try:
        async with pool.connection() as connection:
            yield connection
    except psycopg.Error as error:
        failed = failure(error)
        _LOG.warning(
            "query_failed", extra={"error": type(error).__name__, "sqlstate": error.sqlstate}
        )
        raise failed from error


async def reading[T](
    pool: "Pool", ask: Callable[[psycopg.AsyncConnection[Any]], Awaitable[T]]
) -> T:
    """Ask something that changes nothing; once more when the connection breaks meanwhile.

    Raises:
        QueryFailed: the database is down or refuses the query.
    """
    try:
        async with connected(pool) as connection:
            return await ask(connection)
    except ConnectionLost:
        async with connected(pool) as connection:
            return await ask(connection)


def failure(error: psycopg.Error) -> QueryFailed:
    """Return what an error of the driver or the pool means."""
    if isinstance(error, _POOL):
        return QueryFailed(_DOWN)
    state = error.sqlstate
    if state is None:
        # Of the driver itself: an operational one is a connection that broke, no other is.
        operational = isinstance(error, psycopg.OperationalError)
        return ConnectionLost(_DOWN) if operational else QueryFailed(_REFUSED)
    if state in _LOST or state.startswith("08"):
        return ConnectionLost(_DOWN)
    return QueryFailed(_SENTENCES.get(state) or _SENTENCES.get(state[:2], _REFUSED))


def storable[T: (str, str | None)](text: T) -> T:
    """Replace what PostgreSQL's text can't hold, NUL and halves of surrogate pairs, one for one."""
    if text is None:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
