"""A database whose connections stand and answer nothing: clicks and commands get a sentence."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest

from bot.playground import Playground
from bot.replies.ids import VOTE
from tests.bot.conftest import starter
from tests.bot.test_durability import CHANNEL
from tests.bot.test_feedback import answered, turn_of
from tests.frozen import swallowing


@dataclass
class Line:
    """The bot's way to its database."""

    slack: Playground
    frozen: asyncio.Event


@pytest.fixture
async def line(slack: Playground, corpus_url: str) -> AsyncIterator[Line]:
    """The bot, connected by a line that can be frozen; it is cut before the bot ends."""
    async with AsyncExitStack() as stack:
        way = AsyncExitStack()
        url, frozen = await way.enter_async_context(swallowing(corpus_url))
        start = await stack.enter_async_context(starter(slack, {"FOOTNOTE_DATABASE_URL": url}))
        stack.push_async_callback(way.aclose)
        await start()
        yield Line(slack, frozen)


async def test_clicks_and_commands_are_acknowledged(line: Line) -> None:
    """Before Slack gives up waiting, though it takes far longer until the query is called off."""
    slack, ben = line.slack, line.slack.person("Ben")
    reply = await answered(slack)
    line.frozen.set()
    assert (await ben.click(CHANNEL, reply.ts, VOTE, f"{turn_of(reply)}:up")).acknowledged
    commands = ("/filter", "/footnote documents", "/footnote settings", "/memory list")
    for command in commands:
        name, _, text = command.partition(" ")
        assert (await ben.command(CHANNEL, name, text)).acknowledged, command
    await slack.wait_until(lambda: len(slack.ephemeral(CHANNEL, "Ben")) == 1 + len(commands))
    assert all("database" in each.text for each in slack.ephemeral(CHANNEL, "Ben"))
