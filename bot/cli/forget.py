"""`footnote forget`: remove what was asked and answered, for real."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from bot import forget as forgetting
from bot.cli.terminal import console, fail, prepared, print_json, say
from bot.database import Database, ready
from bot.forget import Forgotten
from bot.settings import Settings
from schema import open_pool

__all__ = ["forget"]

_PARTS = 3  # of a session's id: TEAM:CHANNEL:TS


def forget(
    user: Annotated[str | None, typer.Option(help="A user's id: all that they asked.")] = None,
    thread: Annotated[str | None, typer.Option(help="One thread: TEAM:CHANNEL:TS.")] = None,
    channel: Annotated[str | None, typer.Option(help="A channel's id: all its threads.")] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Remove the questions and answers of a user, a thread or a channel from the database.

    Messages in Slack stay, and so do the documents.
    """
    given = [each for each in (user, thread, channel) if each]
    if len(given) != 1:
        fail("Say what to forget: one of --user, --thread, --channel.", as_json=as_json, code=2)
    if thread and len(thread.split(":")) != _PARTS:
        fail("A thread is named TEAM:CHANNEL:TS.", as_json=as_json, code=2)
    if not yes:
        if as_json or not console.is_terminal:
            fail("Nothing was forgotten: add --yes.", as_json=as_json, code=2)
        typer.confirm(f"Forget all of {given[0]}? There is no way back.", abort=True)
    with prepared(as_json=as_json) as (settings, database):
        gone = asyncio.run(_forget(settings, database, user, thread, channel))
    counts = asdict(gone)
    if as_json:
        print_json(counts)
    else:
        say("Forgotten: " + ", ".join(f"{count} {name}" for name, count in counts.items()) + ".")


async def _forget(
    settings: Settings,
    database: Database,
    user: str | None,
    thread: str | None,
    channel: str | None,
) -> Forgotten:
    engine = await ready(database, settings)
    async with (
        open_pool(database.url, engine=engine, max_size=2) as pool,
        pool.connection() as connection,
    ):
        if user:
            return await forgetting.of_user(connection, user)
        if thread:
            return await forgetting.of_thread(connection, thread)
        return await forgetting.of_channel(connection, channel or "")
