"""`footnote migrate`: the database brought up to date, before a new version of the bot starts."""

import asyncio
from typing import Annotated

import typer

from bot.cli.terminal import prepared, say
from bot.database import Database
from bot.model_servers import vector_size
from bot.settings import Settings
from schema import MigrationReport
from schema import migrate as migrate_database

__all__ = ["migrate"]


def migrate(
    *,
    engine: Annotated[
        str | None, typer.Option(help="vchord, pg_search or sql; chosen by what the database has.")
    ] = None,
) -> None:
    """Bring the database up to date."""
    with prepared() as (settings, database):
        report = asyncio.run(_migrate(settings, database, engine))
    names = ", ".join(report.applied)
    say(f"Engine {report.engine}: " + (f"applied {names}." if names else "up to date."))


async def _migrate(settings: Settings, database: Database, engine: str | None) -> MigrationReport:
    size = await vector_size(settings, database.url)
    return await migrate_database(database.url, vector_size=size, engine=engine or settings.engine)
