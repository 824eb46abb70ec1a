"""A database for once: made beside the one in use, migrated, dropped at the end."""

import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from schema.errors import SchemaError
from schema.migrate import migrate

__all__ = ["scratch_database"]


@asynccontextmanager
async def scratch_database(url: str, *, vector_size: int, engine: str) -> AsyncGenerator[str]:
    """Make a database on the server of an address, and give its address.

    Raises:
        SchemaError: the user may not create databases.
    """
    name = f"footnote_scratch_{uuid.uuid4().hex[:12]}"
    try:
        admin = await psycopg.AsyncConnection.connect(url, autocommit=True)
    except psycopg.OperationalError as error:
        raise SchemaError("The database doesn't answer: start it, or check its address.") from error
    async with admin:
        try:
            await admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        except psycopg.errors.InsufficientPrivilege as error:
            raise SchemaError(
                "This database's user may not create another one, which a benchmark needs: use "
                "the embedded database for it, without FOOTNOTE_DATABASE_URL."
            ) from error
        try:
            address = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
            await migrate(address, vector_size=vector_size, engine=engine)
            yield address
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            await admin.execute(drop)
