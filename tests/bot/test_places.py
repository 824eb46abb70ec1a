"""What channels are called, and which of them everybody may read, as Slack tells it."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.places import Places
from bot.playground import Playground
from tests.bot.test_durability import CHANNEL


@pytest.fixture
async def client(slack: Playground) -> AsyncIterator[AsyncWebClient]:
    """The SDK's client with the bot's token, without retries."""
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(slack.bot_token, slack.api_url, session=session, retry_handlers=[])


async def test_channels_have_names(slack: Playground, client: AsyncWebClient) -> None:
    """As people write them; a private one's too, since only who is in it asks there."""
    private = slack.workspace.add_channel("red", [slack.user_id("Ana")], private=True)
    places = Places(client)
    assert await places.name(slack.channel_id(CHANNEL)) == f"#{CHANNEL}"
    assert await places.name(private.id) == "#red"
    assert await places.name(slack.dm("Ana")) == "direct messages"
    assert await places.public(slack.channel_id(CHANNEL))
    assert not await places.public(private.id)
    assert not await places.public(slack.dm("Ana"))


async def test_names_are_kept_and_fail_open(slack: Playground, client: AsyncWebClient) -> None:
    """One call in ten minutes; when Slack doesn't tell, the id, and a minute until the next."""
    now = 0.0
    places = Places(client, lambda: now)
    channel = slack.channel_id(CHANNEL)
    slack.faults.fail("conversations.info", "missing_scope")
    assert await places.name(channel) == channel
    assert not await places.public(channel)
    assert await places.name(channel) == channel
    now = 61.0
    assert await places.name(channel) == f"#{CHANNEL}"
    slack.faults.http_error("conversations.info", 500, times=9)
    now = 600.0
    assert await places.name(channel) == f"#{CHANNEL}"
    now = 700.0
    assert await places.name(channel) == channel
