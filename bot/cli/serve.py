"""`footnote web`, `worker`, `run`: the bot's processes."""

import asyncio

from bot.app import Roles
from bot.app import serve as serve_bot
from bot.cli.terminal import FAILURES, fail
from bot.database import open_database
from bot.logs import configure
from bot.settings import load_settings

__all__ = ["run", "web", "worker"]


def run() -> None:
    """Receive from Slack and answer, in one process."""
    _serve(Roles())


def web() -> None:
    """Receive from Slack; a worker answers."""
    _serve(Roles(worker=False))


def worker() -> None:
    """Answer what the web process received."""
    _serve(Roles(web=False))


def _serve(roles: Roles) -> None:
    try:
        settings = load_settings()
        configure(settings.log_level)
        with open_database(settings) as database:
            asyncio.run(serve_bot(settings, database, roles))
    except FAILURES as error:
        fail(str(error))
