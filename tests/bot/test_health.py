"""What a process tells of itself: that it runs, what it lacks, what it did; never what was said."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest
from psycopg import AsyncConnection

from bot.doors import open_http
from bot.health import open_health, routes
from bot.metrics import Metrics
from bot.playground import Playground
from bot.slack import is_local
from schema.database import Pool, open_pool
from tests.bot.conftest import Bot, Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled
from tests.frozen import swallowing

ANYWHERE = {"FOOTNOTE_METRICS_PORT": "0"}


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """What asks."""
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def few(database_url: str) -> AsyncIterator[Pool]:
    """A pool on an empty database."""
    async with open_pool(database_url, engine="pg_search", max_size=2) as opened:
        yield opened


async def wait_for(connection: AsyncConnection[Any], minutes: int, state: str = "pending") -> None:
    """Let a message have waited for some minutes."""
    await connection.execute(
        "INSERT INTO inbox (event_id, session, kind, team, channel, ts, root_ts, author, text,"
        " state, accepted_at) VALUES (gen_random_uuid(), gen_random_uuid(), 'mention', 'T1', 'C1',"
        " '1.1', '1.1', 'U1', 'secret words', %s, now() - make_interval(mins => %s))",
        (state, minutes),
    )


def port(bot: Bot) -> str:
    """The address of the first port that a process has opened."""
    return f"http://127.0.0.1:{bot.events('http_listening')[0]['port']}"


async def get(http: aiohttp.ClientSession, address: str) -> tuple[int, Any]:
    """Ask; returns the status and what was said."""
    async with http.get(address) as response:
        kind = response.content_type
        said = await (response.json() if "json" in kind else response.text())
        return response.status, said


async def becomes(http: aiohttp.ClientSession, address: str, status: int) -> Any:
    """Ask until the status is as wanted."""
    async with asyncio.timeout(60):
        while (seen := await get(http, address))[0] != status:  # noqa: ASYNC110  # over HTTP
            await asyncio.sleep(0.2)
    return seen[1]


async def test_a_socket_that_is_gone_is_told(
    slack: Playground, start: Start, http: aiohttp.ClientSession
) -> None:
    """Cut off from Slack it is alive, and not ready; connected anew it is both, and answers."""
    bot = await start()
    seen = await becomes(http, f"{port(bot)}/readyz", 200)
    assert (seen["database"], seen["socket"]["connected"]) == (True, True)
    slack.faults.fail("apps.connections.open", "internal_error", times=1000)
    slack.socket.drop()
    seen = await becomes(http, f"{port(bot)}/readyz", 503)
    assert (seen["database"], seen["socket"]["connected"]) == (True, False)
    assert await get(http, f"{port(bot)}/healthz") == (200, {"alive": True})
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    slack.faults.forget("apps.connections.open")
    await becomes(http, f"{port(bot)}/readyz", 200)
    await settled(slack, ts)


async def test_a_database_that_does_not_answer(few: Pool, database_url: str) -> None:
    """It is named, within seconds; the metrics that are there without it are still told."""
    async with open_health(few, Metrics(), works=True) as health:
        async with await AsyncConnection.connect(database_url) as blocker:
            await blocker.execute("LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE")
            assert await health.ready() == (False, {"ready": False, "database": False})
            text = (await health.measures()).decode()
        assert "footnote_database_up 0.0" in text
        assert "footnote_waiting_messages NaN" in text
        assert (await health.ready())[0]
        assert "footnote_database_up 1.0" in (await health.measures()).decode()


async def test_a_database_that_is_frozen(database_url: str) -> None:
    """It is told as soon as a slow one, each time, though no query can be called off there."""
    async with AsyncExitStack() as stack:
        line = AsyncExitStack()
        url, frozen = await line.enter_async_context(swallowing(database_url))
        pool = await stack.enter_async_context(open_pool(url, engine="pg_search", max_size=2))
        health = await stack.enter_async_context(open_health(pool, Metrics(), works=True))
        stack.push_async_callback(line.aclose)
        assert (await health.ready())[0]
        frozen.set()
        for _ in range(3):
            async with asyncio.timeout(6):
                assert await health.ready() == (False, {"ready": False, "database": False})


async def test_a_message_left_lying(few: Pool, database_url: str) -> None:
    """It makes a worker unready; not what receives over HTTP, which a balancer would leave out."""
    async with (
        await AsyncConnection.connect(database_url, autocommit=True) as connection,
        open_health(few, Metrics(), works=True) as worker,
        open_health(few, Metrics(), works=False) as called,
    ):
        await wait_for(connection, 5)
        well, seen = await worker.ready()
        assert well
        assert seen["waiting"]["messages"] == 1
        assert seen["waiting"]["oldest_seconds"] >= 300
        await wait_for(connection, 11)
        await wait_for(connection, 90, "failed")
        assert not (await worker.ready())[0]
        assert (await called.ready())[0]
        await connection.execute("UPDATE inbox SET rests_until = now() + interval '1 hour'")
        well, seen = await worker.ready()
        assert well
        assert seen["waiting"]["messages"] == 2
        text = (await worker.measures()).decode()
        assert "footnote_waiting_messages 2.0" in text
        assert "footnote_failed_messages 1.0" in text


async def test_what_a_worker_counts(
    slack: Playground, start: Start, http: aiohttp.ClientSession
) -> None:
    """Outcomes, stages and Slack's errors, of a worker alone; no text, no person, no channel."""
    slack.faults.fail("assistant.threads.setStatus", "missing_scope", times=10)
    await start("web")
    worker = await start("worker", **ANYWHERE, FOOTNOTE_POINTER_SECONDS="0")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await settled(slack, ts)
    ts = await slack.post("Ana", CHANNEL, mention(slack, "how do I brew oolong tea?"))
    await settled(slack, ts)
    status, text = await get(http, f"{port(worker)}/metrics")
    assert status == 200
    for line in (
        'footnote_turns_total{stop_reason="cited"} 1.0',
        'footnote_turns_total{stop_reason="no_match"} 1.0',
        'footnote_turns_total{stop_reason="error"} 0.0',
        "footnote_turn_seconds_count 2.0",
        'footnote_stage_seconds_count{stage="search"} 2.0',
        'footnote_stage_seconds_count{stage="search_vector"} 2.0',
        "footnote_waiting_messages 0.0",
    ):
        assert line in text, text
    errors = (
        'footnote_slack_errors_total{error="missing_scope",method="assistant.threads.setStatus"}'
    )
    assert errors in text
    for private in ("ERR_5032", "oolong", CHANNEL, slack.channel_id(CHANNEL)):
        assert private not in text
    assert slack.user_id("Ana") not in text
    assert slack.team_id not in text


async def test_metrics_are_for_this_machine(few: Pool, http: aiohttp.ClientSession) -> None:
    """Where others reach the port that Slack's requests come in by, there are no metrics."""
    async with (
        open_health(few, Metrics(), works=False) as health,
        open_http("127.0.0.1", 0, health) as opened,
    ):
        assert (await get(http, f"http://127.0.0.1:{opened}/metrics"))[0] == 200
    seen = {each.path for each in routes(health, metrics=False)}
    assert seen == {"/healthz", "/readyz"}
    assert [is_local(host) for host in ("127.0.0.1", "::1", "localhost")] == [True] * 3
    assert [is_local(host) for host in ("0.0.0.0", "::", "10.0.0.1", "host.example")] == [False] * 4  # noqa: S104  # nothing listens there
