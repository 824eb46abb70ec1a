"""What expires: statuses, response URLs and the right to post; time moves on when told."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.playground import Playground

type Connect = Callable[[AsyncApp], AbstractAsyncContextManager[AsyncSocketModeHandler]]


async def test_a_status_lasts_two_minutes(slack: Playground, client: AsyncWebClient) -> None:
    """A status nobody clears is gone after two minutes; an empty one clears it at once."""
    channel, ts = slack.channel_id("general"), await slack.post("Ana", "general", "look")

    async def say(status: str) -> None:
        await client.assistant_threads_setStatus(channel_id=channel, thread_ts=ts, status=status)

    await say("is searching")
    slack.clock.advance(119)
    assert slack.status("general", ts) == "is searching"
    slack.clock.advance(2)
    assert slack.status("general", ts) == ""
    await say("is reading")
    await say("")
    assert slack.status("general", ts) == ""
    await client.api_call(
        "agents.sessions.setStatus",
        json={"channel_id": channel, "thread_ts": ts, "status": "is writing"},
    )
    assert slack.status("general", ts) == "is writing"
    await slack.post("Ana", "general", "hurry", ts)
    assert slack.status("general", ts) == "is writing"
    await client.chat_postMessage(channel=channel, thread_ts=ts, text="done")
    assert slack.status("general", ts) == ""


async def test_a_response_url_lasts_half_an_hour(
    slack: Playground, app: AsyncApp, connect: Connect, session: aiohttp.ClientSession
) -> None:
    """After thirty minutes a response URL is refused, however seldom it was used."""
    urls: list[str] = []

    @app.command("/ask")
    async def asked(ack: Callable[..., Any], command: dict[str, Any]) -> None:
        urls.append(command["response_url"])
        await ack()

    async with connect(app):
        await slack.person("Ana").command("checkout", "/ask", "x")
    hook = AsyncWebhookClient(urls[0], session=session)
    slack.clock.advance(29 * 60)
    assert (await hook.send(text="in time")).status_code == 200
    slack.clock.advance(61)
    late = await hook.send(text="late")
    assert (late.status_code, "expired_url" in late.body) == (404, True)


async def test_posting_recovers_with_time(session: aiohttp.ClientSession) -> None:
    """A channel takes one message a second after a burst, and says how long to wait."""
    async with Playground(rate_limit=True) as slack:
        client = AsyncWebClient(slack.bot_token, slack.api_url, session=session, retry_handlers=[])
        channel = slack.channel_id("general")
        ts = ""
        for _ in range(3):
            ts = str((await client.chat_postMessage(channel=channel, text="x"))["ts"])
        with pytest.raises(SlackApiError, match="ratelimited") as caught:
            await client.chat_update(channel=channel, ts=ts, text="y")
        slack.clock.advance(float(caught.value.response.headers["Retry-After"]))
        await client.chat_update(channel=channel, ts=ts, text="y")
