"""Every way to ask, over Socket Mode and over HTTP."""

import asyncio
import hashlib
import hmac
import socket
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from bot.playground import Playground
from tests.bot.conftest import Bot, Start, starter
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason

RETRIES = (0.2, 0.5, 1.0, 2.0)


def free_port() -> int:
    """Return a port that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def over_http(corpus_url: str) -> AsyncGenerator[tuple[Playground, str]]:
    """Run the bot in HTTP mode and a stand-in that sends it its requests."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/slack/events"
    async with Playground(request_url=url, retry_delays=RETRIES) as slack:
        variables = {
            "FOOTNOTE_DATABASE_URL": corpus_url,
            "FOOTNOTE_SLACK_MODE": "http",
            "FOOTNOTE_PORT": str(port),
        }
        async with starter(slack, variables) as start:
            await start()
            yield slack, url


@pytest.fixture(params=["socket", "http"])
async def app(request: pytest.FixtureRequest, corpus_url: str) -> AsyncIterator[Playground]:
    """The stand-in with the bot connected to it, in either mode."""
    if request.param == "http":
        async with over_http(corpus_url) as (slack, _):
            yield slack
        return
    async with (
        Playground(retry_delays=RETRIES) as slack,
        starter(slack, {"FOOTNOTE_DATABASE_URL": corpus_url}) as start,
    ):
        await start()
        yield slack


async def test_a_conversation(app: Playground) -> None:
    """Mention, follow-up without one, thanks, two people talking, and NO_MATCH."""
    ts = await app.post("Ana", CHANNEL, mention(app, "how do I roll back a deploy?"))
    (reply,) = await settled(app, ts)
    assert stop_reason(reply) == "cited"
    await app.post("Ben", CHANNEL, "and in staging?", thread_ts=ts)
    _, further = await settled(app, ts, 2)
    assert "taging" in further.visible_text()
    await app.post("Ana", CHANNEL, "thanks, that worked! :tada:", thread_ts=ts)
    await app.post("Ana", CHANNEL, f"<@{app.user_id('Ben')}> shall we tell support?", thread_ts=ts)
    await app.post("Ben", CHANNEL, "yes, my dog ate the pager", thread_ts=ts)
    await settled(app, ts, 2)
    missing = "how do I rotate the kafka broker certificates?"
    ts = await app.post("Ana", CHANNEL, mention(app, missing))
    (reply,) = await settled(app, ts)
    assert stop_reason(reply) == "no_match"
    assert missing in reply.visible_text()
    assert not reply.pings()


async def test_direct_messages(app: Playground) -> None:
    """A direct message needs no mention, and its thread is a session like any other."""
    channel = app.dm("Chloe")
    ts = await app.post("Chloe", "dm", "what does ERR_5032 mean?")
    (reply,) = await app.wait_for_reply(channel, ts, timeout=20)
    assert "ERR_5032" in reply.visible_text()
    await app.post("Chloe", "dm", "and ERR_5033?", thread_ts=ts)
    replies = await app.wait_for_reply(channel, ts, 2, timeout=20)
    assert "ERR_5033" in replies[1].visible_text()


async def test_the_ask_command(app: Playground) -> None:
    """`/ask` posts the question, answers below it with its filters, and the thread goes on."""
    before = len(app.log.history(app.channel_id(CHANNEL)))
    receipt = await app.command(
        "Ana", CHANNEL, "/ask", "what does ERR_5032 mean service:payments type:runbook"
    )
    assert receipt.acknowledged
    await app.wait_until(lambda: len(app.log.history(app.channel_id(CHANNEL))) > before, 20)
    root = app.log.history(app.channel_id(CHANNEL))[-1]
    assert "what does ERR_5032 mean" in root.text
    assert app.user_id("Ana") in root.text
    (reply,) = await settled(app, root.ts)
    assert "service payments and type runbook" in reply.visible_text()
    await app.post("Ana", CHANNEL, "and ERR_5033?", thread_ts=root.ts)
    await settled(app, root.ts, 2)


async def test_ask_without_a_question(app: Playground) -> None:
    """It gets a hint that only its author sees."""
    receipt = await app.command("Ana", CHANNEL, "/ask", "  service:payments ")
    assert "Ask like this" in str(receipt.answer)


async def test_ask_where_the_bot_may_not_post(app: Playground) -> None:
    """In a channel that the bot hasn't joined, the author is told so, and nobody else."""
    secret = app.workspace.add_channel("secret", [app.user_id("Ana")], with_bot=False)
    await app.command("Ana", secret.id, "/ask", "what does ERR_5032 mean?")
    await app.wait_until(lambda: bool(app.ephemeral(secret.id, "Ana")), 20)
    assert "/invite" in app.ephemeral(secret.id, "Ana")[0].text


async def test_other_threads_are_left_alone(app: Playground) -> None:
    """A thread in which nobody asked the bot stays without it, until somebody does."""
    ts = await app.post("Ana", CHANNEL, "deploy of checkout is out")
    await app.post("Ben", CHANNEL, "what does ERR_5032 mean?", thread_ts=ts)
    await asyncio.sleep(2)
    assert app.bot_replies(CHANNEL, ts) == []
    await app.post("Ben", CHANNEL, mention(app, QUESTION), thread_ts=ts)
    await settled(app, ts)


async def test_a_stranger_at_the_http_door(corpus_url: str) -> None:
    """Requests without Slack's signature, or with no real timestamp, are refused with 401."""
    async with over_http(corpus_url) as (slack, url), aiohttp.ClientSession() as session:
        body = b'{"type":"url_verification","challenge":"x"}'
        now = str(int(time.time()))

        def signed(timestamp: str, secret: str) -> dict[str, str]:
            base = b"v0:" + timestamp.encode() + b":" + body
            digest = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
            return {
                "X-Slack-Request-Timestamp": timestamp,
                "X-Slack-Signature": f"v0={digest}",
                "Content-Type": "application/json",
            }

        old = str(int(time.time()) - 3_600)
        refused = [
            {},
            signed(now, "wrong"),
            signed("soon", slack.signing_secret),
            signed("-1", slack.signing_secret),
            signed("²", slack.signing_secret),
            signed(old, slack.signing_secret),
        ]
        for headers in refused:
            encoded = {
                name: value.encode("utf-8").decode("latin-1") for name, value in headers.items()
            }
            async with session.post(url, data=body, headers=encoded) as response:
                assert response.status == 401, headers
        async with session.post(
            url, data=body, headers=signed(now, slack.signing_secret)
        ) as response:
            assert response.status == 200
        async with session.get(url.replace("/slack/events", "/healthz")) as response:
            assert await response.json() == {"alive": True}


async def test_a_second_deployment_is_noticed(slack: Playground, start: Start) -> None:
    """Two processes with one token share the events; the log says so."""
    await start()
    second: Bot = await start()
    async with asyncio.timeout(10):
        while not second.events("socket_shared"):  # noqa: ASYNC110  # lines of a log
            await asyncio.sleep(0.05)
    assert slack.socket.connections == 2
