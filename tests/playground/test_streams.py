"""Streamed messages: begun, grown, ended, and dead after five minutes."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Message, Playground
from tests.playground.blocks import section


@pytest.fixture
async def where(slack: Playground) -> dict[str, Any]:
    """A thread in a channel, and for whom it is."""
    return {
        "channel": slack.channel_id("checkout"),
        "thread_ts": await slack.post("Ana", "checkout", "root"),
        "recipient_user_id": slack.user_id("Ana"),
        "recipient_team_id": slack.team_id,
    }


def stored(slack: Playground, answer: Any) -> Message:
    """The message an answer names."""
    found = slack.log.get(answer["channel"], answer["ts"])
    assert found is not None
    return found


async def test_a_stream_grows_and_ends(
    slack: Playground, client: AsyncWebClient, where: dict[str, Any]
) -> None:
    """Text is appended, blocks come at the end, and then it is a message like any other."""
    started = await client.chat_startStream(**where, markdown_text="**One**")
    at: dict[str, Any] = {"channel": where["channel"], "ts": str(started["ts"])}
    await client.chat_appendStream(**at, markdown_text=" two")
    await client.chat_appendStream(**at, chunks=[{"type": "markdown_text", "text": " three"}])
    assert stored(slack, started).text == "**One** two three"
    await client.chat_stopStream(**at, blocks=[section("sources")])
    kinds = [block["type"] for block in stored(slack, started).blocks]
    assert kinds == ["markdown", "section"]
    assert stored(slack, started).thread_ts == where["thread_ts"]
    for call in (
        client.chat_appendStream(**at, markdown_text="more"),
        client.chat_stopStream(**at),
    ):
        with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
            await call
    await client.chat_update(**at, text="final")


async def test_the_sdks_helper_streams(
    slack: Playground, client: AsyncWebClient, where: dict[str, Any]
) -> None:
    """The SDK's own chat_stream finds everything it needs."""
    stream = await client.chat_stream(**where, buffer_size=4)
    for word in ("several ", "words ", "arrive"):
        await stream.append(markdown_text=word)
    await stream.stop()
    (reply,) = slack.bot_replies("checkout", where["thread_ts"])
    assert reply.text == "several words arrive"


async def test_a_stream_dies_after_five_minutes(
    slack: Playground, client: AsyncWebClient, where: dict[str, Any]
) -> None:
    """A dead stream takes nothing more; chat.update, refused until then, finishes its message."""
    started = await client.chat_startStream(**where, markdown_text="slow")
    at: dict[str, Any] = {"channel": where["channel"], "ts": str(started["ts"])}
    with pytest.raises(SlackApiError, match="streaming_state_conflict"):
        await client.chat_update(**at, text="early")
    slack.clock.advance(299)
    await client.chat_appendStream(**at, markdown_text=" still")
    slack.clock.advance(2)
    for call in (
        client.chat_appendStream(**at, markdown_text=" late"),
        client.chat_stopStream(**at),
    ):
        with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
            await call
    await client.chat_update(**at, text="finished otherwise")
    assert stored(slack, started).text == "finished otherwise"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"recipient_user_id": ""}, "missing_recipient_user_id"),
        ({"recipient_team_id": ""}, "missing_recipient_team_id"),
        ({"recipient_user_id": "U0NOBODY"}, "user_not_found"),
        ({"recipient_team_id": "T0OTHER000"}, "team_not_found"),
        ({"thread_ts": ""}, "invalid_thread_ts"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
    ],
)
async def test_a_stream_is_not_begun_without_what_it_needs(
    slack: Playground,
    client: AsyncWebClient,
    where: dict[str, Any],
    change: dict[str, Any],
    error: str,
) -> None:
    """In channels a stream needs a thread, its reader's user and team, and bounded text."""
    with pytest.raises(SlackApiError, match=error):
        await client.api_call("chat.startStream", json={"markdown_text": "x", **where, **change})
    assert slack.bot_replies("checkout", where["thread_ts"]) == []


async def test_each_call_has_a_limit_and_an_owner(
    slack: Playground, client: AsyncWebClient, where: dict[str, Any]
) -> None:
    """12,000 characters a call, not in total; nobody else's message can be streamed into."""
    started = await client.chat_startStream(**where, markdown_text="x" * 12_000)
    at: dict[str, Any] = {"channel": where["channel"], "ts": str(started["ts"])}
    await client.chat_appendStream(**at, markdown_text="y" * 12_000)
    with pytest.raises(SlackApiError, match="msg_too_long"):
        await client.chat_appendStream(**at, markdown_text="z" * 12_001)
    theirs: dict[str, Any] = {"channel": where["channel"], "ts": where["thread_ts"]}
    with pytest.raises(SlackApiError, match="message_not_owned_by_app"):
        await client.chat_appendStream(**theirs, markdown_text="x")
    assert len(stored(slack, started).text) == 24_000


async def test_direct_messages_need_no_recipient(slack: Playground, client: AsyncWebClient) -> None:
    """In direct messages it is clear for whom a stream is."""
    ts = await slack.post("Ana", "dm", "hello")
    started = await client.chat_startStream(
        channel=slack.dm("Ana"), thread_ts=ts, markdown_text="hi"
    )
    assert started["ok"]
