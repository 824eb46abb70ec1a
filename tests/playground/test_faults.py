"""Failures on demand: the world stops where a test wants it to."""

import asyncio
import time

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground, When

POST = "chat.postMessage"


async def test_error_before_stores_nothing(slack: Playground, client: AsyncWebClient) -> None:
    """A planned error strikes as often as asked, before anything is stored."""
    channel = slack.channel_id("general")
    slack.faults.fail(POST, "fatal_error", times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError, match="fatal_error"):
            await client.chat_postMessage(channel=channel, text="x")
    await client.chat_postMessage(channel=channel, text="x")
    assert len(slack.log.history(channel)) == 1


async def test_http_error_after_has_stored(slack: Playground, client: AsyncWebClient) -> None:
    """A 500 after the effect leaves the message stored."""
    channel = slack.channel_id("general")
    slack.faults.http_error(POST, 500, when=When.AFTER)
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=channel, text="x")
    assert caught.value.response.status_code == 500
    assert len(slack.log.history(channel)) == 1


async def test_drop_makes_the_sdk_double_post(
    slack: Playground, session: aiohttp.ClientSession
) -> None:
    """A connection dropped after the effect makes a retrying client post twice."""
    channel = slack.channel_id("general")
    handlers = [AsyncConnectionErrorRetryHandler()]
    retrying = AsyncWebClient(
        slack.bot_token, slack.api_url, session=session, retry_handlers=list(handlers)
    )
    slack.faults.drop(POST)
    await retrying.chat_postMessage(channel=channel, text="x")
    assert len(slack.log.history(channel)) == 2


async def test_hold_stands_between_stored_and_answered(
    slack: Playground, client: AsyncWebClient
) -> None:
    """A hold keeps the caller waiting while the message is already there."""
    channel = slack.channel_id("general")
    hold = slack.faults.hold(POST)
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(client.chat_postMessage(channel=channel, text="x"))
        await hold.reached.wait()
        assert len(slack.log.history(channel)) == 1
        assert not call.done()
        hold.release()
    assert call.result()["ok"]


async def test_a_stop_releases_holds(session: aiohttp.ClientSession) -> None:
    """A call that stands still does not keep the stand-in from stopping, and is answered."""
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks, Playground() as slack:
        hold = slack.faults.hold("auth.test", when=When.BEFORE)
        client = AsyncWebClient(slack.bot_token, slack.api_url, session=session)
        call = tasks.create_task(client.auth_test())
        await hold.reached.wait()
    assert call.result()["ok"]


async def test_delay_answers_later(slack: Playground, client: AsyncWebClient) -> None:
    """A delay holds the answer back for the time asked."""
    slack.faults.delay("auth.test", 0.2)
    start = time.monotonic()
    await client.auth_test()
    assert time.monotonic() - start >= 0.2


async def test_rate_limit_is_off_unless_asked(slack: Playground, client: AsyncWebClient) -> None:
    """Without rate_limit a burst passes; a planned 429 is one the SDK's handler waits out."""
    channel = slack.channel_id("general")
    for number in range(6):
        await client.chat_postMessage(channel=channel, text=f"{number}")
    slack.faults.rate_limit(POST, retry_after=1)
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler())
    start = time.monotonic()
    await client.chat_postMessage(channel=channel, text="patient")
    assert time.monotonic() - start >= 1


async def test_rate_limit_refuses_a_sustained_burst(session: aiohttp.ClientSession) -> None:
    """With rate_limit, more than a short burst in one channel ends in 429 with Retry-After."""
    async with Playground(rate_limit=True) as slack:
        client = AsyncWebClient(slack.bot_token, slack.api_url, session=session, retry_handlers=[])
        channel = slack.channel_id("general")

        async def burst() -> None:
            for number in range(6):
                await client.chat_postMessage(channel=channel, text=f"{number}")

        with pytest.raises(SlackApiError) as caught:
            await burst()
        assert caught.value.response.status_code == 429
        assert caught.value.response.headers["Retry-After"] == "1"
        await client.chat_postMessage(channel=slack.channel_id("checkout"), text="elsewhere")
