"""What was set for a service: who hears of its gaps, and who is on call."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncConnection

from schema.sql import load

__all__ = ["ServiceSettings", "read", "read_all", "write"]

_SQL = load("bot", "channel_settings.sql")

type Connection = AsyncConnection[Any]


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The settings of a service. `oncall` is the id of a user group (S…) or of a person (U…)."""

    owner_channel: str | None = None
    oncall: str | None = None


async def read(connection: Connection, team: str, service: str) -> ServiceSettings:
    """Return the settings of a service."""
    return (await read_all(connection, team, [service])).get(service, ServiceSettings())


async def read_all(
    connection: Connection, team: str, services: Collection[str] | None = None
) -> dict[str, ServiceSettings]:
    """Return the settings of these services, or of all, for which some were set."""
    which = {"team": team, "services": None if services is None else list(services)}
    cursor = await connection.execute(_SQL["read_services"], which)
    return {name: ServiceSettings(*row) for name, *row in await cursor.fetchall()}


async def write(
    connection: Connection, team: str, service: str, settings: ServiceSettings, by: str
) -> None:
    """Set everything of a service; `by` is the user who does."""
    which = {"team": team, "service": service}
    if settings == ServiceSettings():
        await connection.execute(_SQL["forget_service"], which)
        return
    values = {"owner_channel": settings.owner_channel, "oncall": settings.oncall, "by": by}
    await connection.execute(_SQL["write_service"], {**which, **values})
