"""What people set is kept: for channels, services and threads."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from psycopg import AsyncConnection

from bot import channel_settings, service_settings, thread_settings
from bot.channel_settings import ChannelSettings
from bot.policy import Rules
from bot.service_settings import ServiceSettings
from bot.thread_settings import ThreadSettings

type Connection = AsyncConnection[Any]


@pytest.fixture
async def tuples(database_url: str) -> AsyncIterator[Connection]:
    """A connection to an empty database whose rows are tuples."""
    async with await AsyncConnection.connect(database_url, autocommit=True) as opened:
        yield opened


async def test_a_channels_settings(tuples: Connection) -> None:
    """They are the defaults until set, then what was set last, in this team's channel only."""
    assert await channel_settings.read(tuples, "T1", "C1") == ChannelSettings()
    chosen = ChannelSettings(
        "all", ("B1",), ("payments",), ("runbook",), "nobody", alert_watch=True
    )
    await channel_settings.write(tuples, "T1", "C1", ChannelSettings(mode="mention"), "U1")
    await channel_settings.write(tuples, "T1", "C1", chosen, "U2")
    assert await channel_settings.read(tuples, "T1", "C1") == chosen
    assert await channel_settings.read(tuples, "T2", "C1") == ChannelSettings()
    assert await channel_settings.read_all(tuples, "T1", ["C1", "C2"]) == {"C1": chosen}


async def test_a_sticky_filter_leaves_the_rest_alone(tuples: Connection) -> None:
    """Setting a channel's filter changes nothing else of it, and two empty ones clear it."""
    await channel_settings.set_filter(tuples, "T1", "C1", ["search"], [], "U1")
    assert await channel_settings.read(tuples, "T1", "C1") == ChannelSettings(services=("search",))
    await channel_settings.write(tuples, "T1", "C1", ChannelSettings("all", ("B1",)), "U1")
    await channel_settings.set_filter(tuples, "T1", "C1", ["search"], ["runbook"], "U1")
    kept = await channel_settings.read(tuples, "T1", "C1")
    assert kept == ChannelSettings("all", ("B1",), ("search",), ("runbook",))
    await channel_settings.set_filter(tuples, "T1", "C1", [], [], "U1")
    assert await channel_settings.read(tuples, "T1", "C1") == ChannelSettings("all", ("B1",))


async def test_a_services_settings(tuples: Connection) -> None:
    """A service's owner and on-call are kept until nothing of them is left."""
    chosen = ServiceSettings("C9", "S1")
    await service_settings.write(tuples, "T1", "payments", chosen, "U1")
    await service_settings.write(tuples, "T1", "search", ServiceSettings(oncall="U7"), "U1")
    assert await service_settings.read(tuples, "T1", "payments") == chosen
    assert await service_settings.read(tuples, "T2", "payments") == ServiceSettings()
    assert list(await service_settings.read_all(tuples, "T1")) == ["payments", "search"]
    await service_settings.write(tuples, "T1", "payments", ServiceSettings(), "U1")
    assert list(await service_settings.read_all(tuples, "T1")) == ["search"]


async def test_a_threads_settings(tuples: Connection) -> None:
    """A thread's own filter may be "everything", and is told from none; a mute can be lifted."""
    assert not await thread_settings.set_filter(tuples, "T1:C1:1.1", ["search"], [])
    await tuples.execute(
        "INSERT INTO session (id, team, channel, root_ts) VALUES ('T1:C1:1.1', 'T1', 'C1', '1.1')"
    )
    assert await thread_settings.read(tuples, "T1:C1:1.1") == ThreadSettings()
    assert await thread_settings.set_filter(tuples, "T1:C1:1.1", ["search"], [])
    await thread_settings.mute(tuples, "T1:C1:1.1")
    kept = await thread_settings.read(tuples, "T1:C1:1.1")
    assert kept == ThreadSettings(filtered=True, services=("search",), muted=True)
    await thread_settings.set_filter(tuples, "T1:C1:1.1", [], [])
    await thread_settings.mute(tuples, "T1:C1:1.1", muted=False)
    assert await thread_settings.read(tuples, "T1:C1:1.1") == ThreadSettings(filtered=True)


def test_a_channel_never_widens_who_may_ingest() -> None:
    """Among those who may ingest at all, a channel leaves all, only admins, or nobody."""
    people = Rules(ingest=frozenset({"members", "U1"}))
    assert ChannelSettings().rules(people) == people
    assert ChannelSettings(ingest="admins").rules(people).ingest == {"admins"}
    assert ChannelSettings(ingest="nobody").rules(people).ingest == frozenset()
    few = Rules(ingest=frozenset({"U1"}))
    assert ChannelSettings(ingest="admins").rules(few).ingest == frozenset()
