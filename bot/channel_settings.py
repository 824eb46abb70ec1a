"""What was set for a channel: how the bot listens there, and what it searches."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from psycopg import AsyncConnection

from bot.policy import Rules
from schema.sql import load

__all__ = [
    "DEFAULTS",
    "ChannelSettings",
    "Ingest",
    "Mode",
    "read",
    "read_all",
    "set_filter",
    "write",
]

_SQL = load("bot", "channel_settings.sql")

type Connection = AsyncConnection[Any]
type Mode = Literal["mention", "follow", "all"]
type Ingest = Literal["default", "admins", "nobody"]


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """The settings of a channel; as they are where nobody has set any.

    `mode`: answer mentions only, `follow` threads after one, or answer `all` questions. `bots` are
    the ids (B…) of those that may ask. `services` and `doc_types` are the sticky filter. `ingest`:
    who may add documents here, among those who may at all. `alert_watch`: alerts of these bots are
    answered.
    """

    mode: Mode = "follow"
    bots: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    ingest: Ingest = "default"
    alert_watch: bool = False

    def rules(self, everywhere: Rules) -> Rules:
        """Return who may do what here: never more than everywhere."""
        match self.ingest:
            case "default":
                return everywhere
            case "admins":
                some = not everywhere.ingest.isdisjoint({"members", "admins"})
                return replace(everywhere, ingest=_ADMINS if some else frozenset())
            case "nobody":
                return replace(everywhere, ingest=frozenset())


_ADMINS = frozenset({"admins"})
DEFAULTS = ChannelSettings()


async def read(connection: Connection, team: str, channel: str) -> ChannelSettings:
    """Return the settings of a channel."""
    cursor = await connection.execute(_SQL["read_channel"], {"team": team, "channel": channel})
    row = await cursor.fetchone()
    return _settings(row) if row else DEFAULTS


async def read_all(
    connection: Connection, team: str, channels: Collection[str]
) -> dict[str, ChannelSettings]:
    """Return the settings of those of these channels for which some were set."""
    which = {"team": team, "channels": list(channels)}
    cursor = await connection.execute(_SQL["read_channels"], which)
    return {row[0]: _settings(row[1:]) for row in await cursor.fetchall()}


async def write(
    connection: Connection, team: str, channel: str, settings: ChannelSettings, by: str
) -> None:
    """Set everything of a channel; `by` is the user who does."""
    values = {name: _listed(value) for name, value in asdict(settings).items()}
    await connection.execute(
        _SQL["write_channel"], {"team": team, "channel": channel, "by": by, **values}
    )


async def set_filter(  # noqa: PLR0913, PLR0917  # one for each column of the row
    connection: Connection,
    team: str,
    channel: str,
    services: Collection[str],
    doc_types: Collection[str],
    by: str,
) -> None:
    """Set the sticky filter of a channel; two empty ones clear it."""
    values = {"services": list(services), "doc_types": list(doc_types)}
    await connection.execute(
        _SQL["write_filter"], {"team": team, "channel": channel, "by": by, **values}
    )


def _settings(row: Sequence[Any]) -> ChannelSettings:
    """Return a row of the table, whose columns stand in the order of the settings."""
    mode, bots, services, doc_types, ingest, alert_watch = row
    return ChannelSettings(
        mode, tuple(bots), tuple(services), tuple(doc_types), ingest, alert_watch
    )


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
