"""The database in use: the one that is set, or the embedded one, and that it is up to date."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.model_servers import vector_size
from bot.settings import Settings
from schema import Server, check, default_data_dir, migrate, use

__all__ = ["Database", "open_database", "ready"]


@dataclass(frozen=True, slots=True)
class Database:
    """The database in use. `server` is there when it is the embedded one."""

    url: str
    server: Server | None


@contextmanager
def open_database(settings: Settings) -> Generator[Database]:
    """Use the database that is set, or start (or share) the embedded one."""
    if settings.database_url is not None:
        yield Database(settings.database_url.get_secret_value(), None)
        return
    with use(settings.data_dir or default_data_dir()) as server:
        yield Database(server.url, server)


async def ready(
    database: Database, settings: Settings, size: int | None = None, name: str | None = None
) -> str:
    """Return the engine of a database that is up to date.

    The embedded database is brought up to date here; another one by `footnote migrate`, since
    several processes and people may stand on it. With an embedder's `size` and `name`, the
    stored vectors have to be of this size and by it; without one no embedder has to answer.
    """
    if size is None:
        size = await vector_size(settings, database.url)
    if database.server is not None:
        await migrate(database.url, vector_size=size, engine=settings.engine)
    return (await check(database.url, vector_size=size, embedder=name)).engine
