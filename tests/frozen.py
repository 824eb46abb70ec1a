"""A PostgreSQL that freezes: its connections stand, and nothing comes back by them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from tempfile import TemporaryDirectory

from psycopg.conninfo import conninfo_to_dict, make_conninfo

__all__ = ["swallowing"]


@asynccontextmanager
async def swallowing(url: str) -> AsyncGenerator[tuple[str, asyncio.Event]]:
    """Stand before a server; once the event is set, what is sent is lost, and nobody says so.

    As with a firewall that drops packets, or a server whose machine has stopped. Its end cuts all
    connections.
    """
    frozen = asyncio.Event()
    there = conninfo_to_dict(url)
    behind = f"{there['host']}/.s.PGSQL.{there.get('port', 5432)}"
    running: list[asyncio.Task[None]] = []

    async def passed_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                if not frozen.is_set():
                    target.write(data)
        finally:
            target.close()

    async def relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_unix_connection(behind)
        async with asyncio.TaskGroup() as both:
            both.create_task(passed_on(reader, forth))
            both.create_task(passed_on(back, writer))

    with TemporaryDirectory() as folder:
        async with asyncio.TaskGroup() as relays:

            def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                running.append(relays.create_task(relayed(reader, writer)))

            async with await asyncio.start_unix_server(connected, f"{folder}/.s.PGSQL.5432"):
                yield make_conninfo(url, host=folder, port=5432), frozen
                for task in running:
                    task.cancel()
