"""What is posted in the background: in its channel's line, and in nobody else's way."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
from psycopg import AsyncConnection
from slack_sdk.web.async_client import AsyncWebClient

from bot.core import BACKGROUND_TASKS
from bot.delivery import Delivery
from bot.jobs import Queue
from bot.notices import Notices
from bot.pace import Pace
from bot.places import Places
from bot.playground import Playground
from bot.status import Status
from schema.database import Pool, open_pool
from tests.bot.knowledge_server import Site
from tests.bot.test_durability import CHANNEL
from tests.bot.test_ingest_from_slack import PAGE, posted, receipt, running
from tests.bot.test_ingest_from_slack import site as site  # noqa: PLC0414  # a fixture

OTHER = "checkout"
POST = "chat.postMessage"


@dataclass
class Office:
    """What tells notices, on a database without any turns but those of `told`."""

    slack: Playground
    pool: Pool
    pace: Pace
    notices: Notices

    async def asked(self, turn: str) -> str:
        """Let a turn have a notice for the owners in another channel; returns its id."""
        session = f"{self.slack.team_id}:{turn}"
        notice = f"no_match:{turn}"
        here, there = self.slack.channel_id(CHANNEL), self.slack.channel_id(OTHER)
        async with self.pool.connection() as connection:
            await connection.execute(
                "INSERT INTO session (id, team, channel, root_ts) VALUES (%s, %s, %s, '1.1')",
                (session, self.slack.team_id, here),
            )
            await connection.execute(
                "INSERT INTO turn (id, session, team, channel, ts, question)"
                " VALUES (%s, %s, %s, %s, %s, 'why?')",
                (turn, session, self.slack.team_id, here, turn),
            )
            await connection.execute(
                "INSERT INTO notice (id, kind, turn, target, at)"
                " VALUES (%s, 'no_match', %s, %s, now() - interval '1 minute')",
                (notice, turn, there),
            )
        return notice

    async def states(self) -> list[str]:
        """How it stands with the notices, the oldest first."""
        async with self.pool.connection() as connection:
            cursor = await connection.execute("SELECT state FROM notice ORDER BY at")
            return [str(state) for (state,) in await cursor.fetchall()]

    async def jobs(self) -> int:
        """How many tasks are to tell a notice later."""
        async with self.pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT count(*) FROM procrastinate_jobs"
                " WHERE task_name = 'tell' AND scheduled_at > now()"
            )
            ((count,),) = await cursor.fetchall()
            return int(str(count))


@pytest.fixture
async def office(database_url: str, slack: Playground) -> AsyncIterator[Office]:
    """A worker's notices, without the worker."""
    async with (
        open_pool(database_url, engine="pg_search", max_size=4) as pool,
        aiohttp.ClientSession() as session,
    ):
        client = AsyncWebClient(slack.bot_token, slack.api_url, session=session, retry_handlers=[])
        queue = Queue(pool)
        await queue.open()
        delivery = Delivery(client, 0.001)
        pace = Pace(delivery, Status(client), 0.001)
        notices = Notices(pool, queue, delivery, Places(client), pace)
        yield Office(slack, pool, pace, notices)


async def test_a_notice_that_fails_holds_up_no_other(office: Office) -> None:
    """The others are told in the same look; it rests for a while, and is told then."""
    for turn in ("1.1", "2.2"):
        await office.asked(turn)
    office.slack.faults.fail(POST, "internal_error")
    await office.notices.look()
    assert sorted(await office.states()) == ["pending", "posted"]
    await office.notices.look()
    assert sorted(await office.states()) == ["pending", "posted"]
    async with office.pool.connection() as connection:
        await connection.execute("UPDATE notice SET rests_until = now() - interval '1 minute'")
    await office.notices.look()
    assert await office.states() == ["posted", "posted"]
    assert len(office.slack.log.history(office.slack.channel_id(OTHER))) == 2


async def test_a_pause_that_a_notice_is_told_holds_its_channel(office: Office) -> None:
    """After a 429 nobody posts in its channel until the pause is over, itself included."""
    notice = await office.asked("1.1")
    office.slack.faults.rate_limit(POST, 60)
    await office.notices.tell(notice)
    assert await office.states() == ["pending"]
    async with office.pool.connection() as connection:
        channel = office.slack.channel_id(OTHER)
        assert not await office.pace.free(connection, channel)
        place = await office.pace.place(connection, channel, None)
        assert round(place.seconds / 10) == 6
        elsewhere = await office.pace.place(connection, office.slack.channel_id(CHANNEL), None)
        await office.pace.come(connection, elsewhere)
    await office.notices.tell(notice)
    assert await office.states() == ["pending"]
    assert await office.jobs() == 2


async def test_a_notice_leaves_its_place_while_its_channel_has_a_line(office: Office) -> None:
    """Nobody waits with it in hand: it keeps its time, and is taken up again shortly before."""
    notice = await office.asked("1.1")
    async with office.pool.connection() as connection:
        await office.pace.hold(connection, office.slack.channel_id(OTHER), 100)
    await office.notices.tell(notice)
    await office.notices.look()  # it is no one's failure
    assert await office.states() == ["pending"]
    assert await office.jobs() == 1
    async with office.pool.connection() as connection:
        cursor = await connection.execute(
            "UPDATE channel_pace SET free_at = free_at + interval '1 hour', busy_until = now()"
            " RETURNING (SELECT posts_at FROM notice) > now() + interval '90 seconds'"
        )
        assert await cursor.fetchall() == [(True,)]
        await connection.execute("UPDATE notice SET posts_at = now()")
    await office.notices.tell(notice)
    assert await office.states() == ["posted"]


async def test_one_channels_line_holds_up_no_other(corpus_url: str, site: Site) -> None:
    """As many ingests as are done at once wait in one channel; another channel's is done first."""
    async with running(corpus_url, site) as slack:
        busy, idle = slack.channel_id(CHANNEL), slack.channel_id(OTHER)
        async with await AsyncConnection.connect(corpus_url, autocommit=True) as connection:
            await connection.execute(
                "INSERT INTO channel_pace VALUES (%s, now() + interval '15 seconds')", [busy]
            )
        for page in range(BACKGROUND_TASKS):
            url = site.put(f"/pelican-{page}", PAGE)
            await slack.command("Ana", CHANNEL, "/ingest", url)
        await slack.command("Ana", OTHER, "/ingest", site.put("/pelican", PAGE))
        await receipt(slack, idle)
        assert not posted(slack, busy)
        told = [each.text for each in slack.ephemeral(CHANNEL, "Ana")]
        assert len([each for each in told if "I begin in about" in each]) == BACKGROUND_TASKS
        await receipt(slack, busy, BACKGROUND_TASKS)
