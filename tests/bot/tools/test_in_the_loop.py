"""Tools in a turn of the bot: a real database, a chat server on loopback that calls them."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from bot.agent import Answered, Thread
from bot.core import open_core
from bot.database import Database
from bot.question import parse
from bot.settings import Settings
from tests.bot.test_loop import ASKED, ids
from tests.chat_server import ChatServer, Reply, chat_server, tool_call


@pytest.fixture
async def chat() -> AsyncGenerator[ChatServer]:
    """A chat server that says what the test tells it to."""
    async with chat_server() as running:
        yield running


async def asked(url: str, chat: ChatServer, text: str = ASKED) -> Answered:
    """What the bot makes of a question."""
    values = {"FOOTNOTE_DATABASE_URL": url, "model_url": chat.url, "model": "scripted"}
    async with open_core(Settings.model_validate(values), Database(url, None)) as core:
        return await core.agent.answer(parse(text), Thread())


async def test_what_is_read_on_can_be_cited(corpus_url: str, chat: ChatServer) -> None:
    """A chunk that no search gave comes by `read_document`, under an id of its own."""
    before: list[str] = []

    def script(messages: list[Any]) -> Reply:
        if not before:
            before.extend(ids(messages))
            calls = tuple(tool_call("read_document", {"id": each}, f"c{each}") for each in before)
            return Reply(calls=calls)
        new = [each for each in ids(messages) if each not in before]
        return Reply(f"Pick the last good build [{new[0]}].")

    chat.by = script
    answered = await asked(corpus_url, chat)
    assert answered.outcome.stop_reason == "cited"
    shown = {each.chunk_id for each in answered.outcome.passages}
    assert answered.outcome.citations[0].passage.chunk_id not in shown


async def test_whatever_is_called_the_turn_goes_on(corpus_url: str, chat: ChatServer) -> None:
    """Unknown tools, half arguments, other services: each is told the model in a sentence."""
    calls = [
        tool_call("deploy", {}, "c1"),
        tool_call("search", {}, "c2"),
        tool_call("search", {"query": "x", "service": "search"}, "c3"),
        tool_call("calculate", {"expression": "90*60"}, "c4"),
        tool_call("calculate", {"expression": " 90*60 ", "unknown": None}, "c5"),
    ]

    def script(messages: list[Any]) -> Reply:
        if messages[-1]["role"] != "tool":
            return Reply(calls=tuple(calls))
        return Reply(f"Pick the last good build [{ids(messages)[0]}].")

    chat.by = script
    answered = await asked(corpus_url, chat, f"{ASKED} service:platform")
    assert answered.outcome.stop_reason == "cited"
    told = [each["content"] for each in chat.asked[-1].messages if each["role"] == "tool"]
    assert told[0].startswith("There is no tool deploy: there are calculate,")
    assert told[1].startswith("search can't use these arguments: `query` is missing.")
    assert told[2].startswith("The question is limited to the service platform:")
    assert "5400" in told[3]
    assert told[4].startswith("This very call was made before")
