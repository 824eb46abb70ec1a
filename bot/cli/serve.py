"""`footnote web`, `worker`, `run`, `migrate`: the bot's processes and the step before them."""

import asyncio
from typing import Annotated

import typer

from bot.app import Roles
from bot.app import serve as serve_bot
from bot.cli.terminal import FAILURES, fail, prepared, say
from bot.database import Database, open_database
from bot.logs import configure
from bot.model_servers import vector_size
from bot.settings import Settings, load_settings
from schema import MigrationReport
from schema import migrate as migrate_database

__all__ = ["migrate", "run", "web", "worker"]


def run() -> None:
    """Receive from Slack and answer, in one process."""
    _serve(Roles())


def web() -> None:
    """Receive from Slack; a worker answers."""
    _serve(Roles(worker=False))


def worker() -> None:
    """Answer what the web process received."""
    _serve(Roles(web=False))


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


def _serve(roles: Roles) -> None:
    try:
        settings = load_settings()
        configure(settings.log_level)
        with open_database(settings) as database:
            asyncio.run(serve_bot(settings, database, roles))
    except FAILURES as error:
        fail(str(error))
