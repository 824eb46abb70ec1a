"""`footnote reembed`: the vectors of everything stored made anew by the embedder that is set."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from bot.cli.bar import bar
from bot.cli.terminal import prepared, print_json, say
from bot.database import Database
from bot.model_servers import open_embedder
from bot.settings import Settings
from retrieval.embedding import BUNDLED_SIZE
from retrieval.reembed import ReembedReport
from retrieval.reembed import reembed as make_anew
from schema import check, engine_named, inspect, migrate, open_pool

__all__ = ["reembed"]

_TOLD_EACH = 1_000


def reembed(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make all vectors anew after a change of the embedder; searches go on meanwhile.

    It may be stopped and goes on at the next run. Restart the bot when it is done.
    """
    with prepared(as_json=as_json) as (settings, database):
        report = asyncio.run(_reembed(settings, database))
    if as_json:
        print_json(asdict(report))
    elif report.changed:
        say(f"{report.embedded} vectors of {report.after}, {report.size} dimensions.")
        say("Restart what still runs with the embedder before it.")
    else:
        say(f"Nothing to do: the vectors are those of {report.after}.")


async def _reembed(settings: Settings, database: Database) -> ReembedReport:
    # The size of the table as it is: that the embedder has another is what this is for.
    size = (await inspect(database.url)).vector_size or BUNDLED_SIZE
    if database.server is not None:
        await migrate(database.url, vector_size=size, engine=settings.engine)
    engine = engine_named((await check(database.url, vector_size=size)).engine)
    async with (
        open_embedder(settings) as embedder,
        open_pool(database.url, engine=engine.name, max_size=2) as pool,
    ):
        with bar("vectors", told_each=_TOLD_EACH) as advance:
            return await make_anew(pool, engine, embedder, progress=advance)
