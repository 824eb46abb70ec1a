"""Socket Mode with a real Bolt app: events arrive, are acknowledged, and come again when not."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground

type Connect = Callable[[AsyncApp], AbstractAsyncContextManager[AsyncSocketModeHandler]]


def answering(app: AsyncApp) -> list[dict[str, Any]]:
    """Make the app answer each mention in its thread; returns the list of all events it sees."""
    seen: list[dict[str, Any]] = []

    @app.middleware
    async def remember(body: dict[str, Any], next: Callable[[], Any]) -> None:  # noqa: A002 - Bolt injects by this name
        seen.append(body)
        await next()

    @app.event("app_mention")
    async def mentioned(event: dict[str, Any], client: AsyncWebClient) -> None:
        await client.chat_postMessage(
            channel=event["channel"], thread_ts=event["ts"], text=f"heard: {event['text']}"
        )

    @app.event("message")
    async def ignored() -> None:
        pass

    return seen


async def test_mention_is_answered_in_its_thread(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """A mention reaches the app as two events, and its reply stands below the mention."""
    seen = answering(app)
    async with connect(app):
        ts = await slack.post("Ana", "#checkout", "@Footnote is 1 < 2 & @Ben there?")
        reply = (await slack.wait_for_reply("checkout", ts))[0]
    ben = slack.user_id("Ben")
    assert reply.text == f"heard: <@{slack.bot_user_id}> is 1 &lt; 2 &amp; <@{ben}> there?"
    assert reply.thread_ts == ts
    mine = [body for body in seen if body["event"].get("ts") == ts]
    assert sorted(body["event"]["type"] for body in mine) == ["app_mention", "message"]
    assert len({body["event_id"] for body in mine}) == 2


async def test_direct_message_is_no_mention(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """In direct messages a mention yields one event of channel_type im and no app_mention."""
    seen = answering(app)
    async with connect(app):
        await slack.post("Ana", "dm", "@Footnote hello")
        await slack.post("Ana", "checkout", "@Footnote ready?")
        await slack.wait_until(lambda: any(e.type == "app_mention" for e in slack.events))
        await asyncio.sleep(0.05)
    direct = [body["event"] for body in seen if body["event"].get("channel_type") == "im"]
    assert [event["type"] for event in direct] == ["message"]


async def test_own_posts_echo_back(
    slack: Playground, client: AsyncWebClient, app: AsyncApp, connect: Connect
) -> None:
    """What the bot posts comes back as a message event that carries its bot_id."""
    async with connect(app):
        await client.chat_postMessage(channel=slack.channel_id("general"), text="hello")
        await slack.wait_until(lambda: len(slack.events) == 1)
    event = slack.events[0].payload["event"]
    assert event["bot_id"] == slack.workspace.bot.bot_id
    assert event["user"] == slack.bot_user_id


async def test_unacknowledged_event_comes_again(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """An event the app refuses is sent again under the same event_id with a retry number."""
    tries: list[tuple[str, list[str] | None]] = []

    @app.middleware
    async def refuse_first(
        req: Any,
        body: dict[str, Any],
        next: Callable[[], Any],  # noqa: A002 - Bolt injects by this name
    ) -> BoltResponse | None:
        tries.append((body["event_id"], req.headers.get("x-slack-retry-num")))
        if len(tries) == 1:
            return BoltResponse(status=503)
        await next()
        return None

    answering(app)
    async with connect(app):
        await slack.post("Ana", "checkout", "anybody?")
        await slack.wait_until(lambda: slack.events[0].acknowledged)
    assert tries == [(slack.events[0].event_id, ["0"]), (slack.events[0].event_id, ["1"])]
    assert slack.events[0].attempts == ["", "timeout"]


async def test_events_wait_for_a_connection(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """What was posted while the app was away is delivered in order once it connects."""
    seen = answering(app)
    first = await slack.post("Ana", "checkout", "one")
    second = await slack.post("Ana", "checkout", "two")
    async with connect(app):
        await slack.wait_until(lambda: len(seen) >= 2)
    assert [body["event"]["ts"] for body in seen] == [first, second]


async def test_deliver_twice_repeats_the_event_id(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """With deliver_twice the app sees every event two times, the second as a retry."""
    seen = answering(app)
    slack.deliver_twice = True
    async with connect(app):
        await slack.post("Ana", "checkout", "twice")
        await slack.wait_until(lambda: len(seen) >= 2)
        await slack.redeliver(slack.events[0].event_id)
    assert {body["event_id"] for body in seen} == {slack.events[0].event_id}
    assert len(seen) == 3


async def test_connections_take_turns_and_survive_a_refresh(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """Two connections share the events; after a refresh both come back and nothing is lost."""
    seen = answering(app)
    async with connect(app), connect(app):
        assert slack.socket.connections == 2
        await slack.socket.refresh()
        await slack.connected(2)
        for number in range(4):
            await slack.post("Ana", "checkout", f"message {number}")
        await slack.wait_until(lambda: len(seen) >= 4)
    assert len({body["event"]["ts"] for body in seen}) == 4


async def test_cut_connection_brings_the_event_again(
    slack: Playground, session: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    """An event in flight when the connection breaks arrives on the next one, marked as a retry."""

    async def opened() -> str:
        answer = await client.apps_connections_open(app_token=slack.app_token)
        return str(answer["url"])

    async with session.ws_connect(await opened()) as first:
        hello = await first.receive_json()
        assert (hello["type"], hello["num_connections"]) == ("hello", 1)
        await slack.post("Ana", "checkout", "going dark")
        sent = await first.receive_json()
        slack.socket.drop()
    async with session.ws_connect(await opened()) as second:
        await second.receive_json()
        again = await second.receive_json()
        await second.send_json({"envelope_id": again["envelope_id"]})
        await slack.wait_until(lambda: slack.events[0].acknowledged)
    assert again["payload"]["event_id"] == sent["payload"]["event_id"]
    assert again["envelope_id"] != sent["envelope_id"]
    assert (sent["retry_attempt"], again["retry_attempt"]) == (0, 1)


async def test_websocket_pings_are_answered(
    slack: Playground, session: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    """A ping comes back as a pong with its data, which the SDK's liveness check relies on."""
    answer = await client.apps_connections_open(app_token=slack.app_token)
    async with session.ws_connect(str(answer["url"]), autoping=False) as socket:
        await socket.receive_json()
        await socket.ping(b"sdk-ping-pong:1")
        message = await socket.receive()
    assert (message.type, message.data) == (aiohttp.WSMsgType.PONG, b"sdk-ping-pong:1")


@pytest.mark.parametrize(
    ("given", "error"),
    [("", "not_authed"), ("xapp-wrong", "invalid_auth"), ("bot", "not_allowed_token_type")],
)
async def test_socket_needs_the_app_token(
    slack: Playground, session: aiohttp.ClientSession, given: str, error: str
) -> None:
    """apps.connections.open takes the app-level token only."""
    wrong_kind = slack.bot_token if given == "bot" else given
    client = AsyncWebClient(wrong_kind, slack.api_url, session=session)
    with pytest.raises(SlackApiError) as caught:
        await client.api_call("apps.connections.open")
    assert caught.value.response["error"] == error


async def test_ten_connections_are_the_most(
    slack: Playground, session: aiohttp.ClientSession
) -> None:
    """An eleventh connection is refused."""
    client = AsyncWebClient(slack.app_token, slack.api_url, session=session)
    sockets = [
        await session.ws_connect(
            str((await client.apps_connections_open(app_token=slack.app_token))["url"])
        )
        for _ in range(10)
    ]
    await slack.connected(10)
    with pytest.raises(SlackApiError, match="too_many_websockets"):
        await client.apps_connections_open(app_token=slack.app_token)
    for socket in sockets:
        await socket.close()
