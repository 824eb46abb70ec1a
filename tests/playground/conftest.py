"""A stand-in for Slack, clients and real Bolt apps connected to it, new for each test."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground

type Connect = Callable[[AsyncApp], AbstractAsyncContextManager[AsyncSocketModeHandler]]


@pytest.fixture
async def slack() -> AsyncIterator[Playground]:
    """A stand-in with short retries."""
    async with Playground(retry_delays=(0.05, 0.05), ack_timeout=0.5) as playground:
        yield playground


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """One HTTP session for the SDK's clients and for plain requests."""
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
def client(slack: Playground, session: aiohttp.ClientSession) -> AsyncWebClient:
    """The SDK's client with the bot's token, without retries."""
    return AsyncWebClient(slack.bot_token, slack.api_url, session=session, retry_handlers=[])


@pytest.fixture
def app(slack: Playground, client: AsyncWebClient) -> AsyncApp:
    """An unmodified Bolt app without listeners."""
    return AsyncApp(client=client, signing_secret=slack.signing_secret)


@pytest.fixture
def connect(slack: Playground) -> Connect:
    """Connects an app over Socket Mode for as long as the block runs."""

    @asynccontextmanager
    async def connected(app: AsyncApp) -> AsyncGenerator[AsyncSocketModeHandler]:
        before = slack.socket.connections
        handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=1)
        await handler.connect_async()
        try:
            await slack.connected(before + 1)
            yield handler
        finally:
            await handler.close_async()

    return connected
