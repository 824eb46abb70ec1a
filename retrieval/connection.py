"""The seam to the driver: what it can store, and its errors, which become `QueryFailed` here."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from retrieval.errors import QueryFailed

if TYPE_CHECKING:
    from schema.database import Pool

__all__ = ["connected", "storable"]


@asynccontextmanager
async def connected(pool: "Pool") -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
    """Take a connection from the pool.

    Raises:
        QueryFailed: the database is down or refuses what is done inside.
    """
    try:
        async with pool.connection() as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise QueryFailed(
            "The database doesn't answer, or has no connection left: try again in a minute."
        ) from error
    except psycopg.Error as error:
        raise QueryFailed(
            "The database refused a query; the log has the reason. `footnote doctor` says "
            "whether database and program fit together."
        ) from error


def storable[T: (str, str | None)](text: T) -> T:
    """Replace what PostgreSQL's text can't hold, NUL and halves of surrogate pairs, one for one."""
    if text is None:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
