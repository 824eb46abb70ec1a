"""Many turns while everything fails now and then: each ends once, and nothing uncited is shown."""

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.core import open_core
from bot.database import Database
from bot.playground import Playground
from bot.settings import Settings
from retrieval.ingest import ingest
from retrieval.sources import collect
from schema import Server, migrate
from schema.embedded import use
from tests.bot.conftest import CORPUS, SAMPLES, starter
from tests.bot.test_database_restart import crash
from tests.bot.test_durability import CHANNEL, QUESTION, mention, stop_reason
from tests.bot.test_loop import ids
from tests.chat_server import ChatServer, Reply, chat_server, tool_call
from tests.model_server import Fault, ModelServer, model_server

TURNS = 200
AT_ONCE = 20
OUTAGE = 6  # of each fault
NOWHERE = "Zanzibar"  # only uncited claims say it


STRUCK = {
    "model down",
    "model overflow",
    "fallback filtered",
    "correction",
    "tool ok",
    "tool try_again",
    "search without vectors",
    "search without reranker",
}
"""What the step logs must show, so that no fault was injected in vain."""


def misbehaving() -> Any:
    """A script that answers rightly, and wrongly in each way, one after the other."""
    count = itertools.count()

    def script(messages: list[Any]) -> Reply:
        number = next(count)
        name = (ids(messages) or ["S9zz"])[0]
        right = Reply(f"Look at the refund's error code [{name}].")
        ways = [
            right,
            Reply(f"The error comes from {NOWHERE}."),
            Reply(f"Look at the code [{name}]. It was made in {NOWHERE}."),
            Reply(status=500, body={"error": "no"}),
            Reply(f"Look in {NOWHERE} [S77xx]."),
            Reply(raw=b"data: {garbage\n\n"),
            Reply(calls=(tool_call("search", {"query": f"refund {number % 3}"}),)),
            Reply("Look at the refund's", dies_after=40),
            Reply(""),
            Reply(calls=(tool_call("nonsense", "{"),)),
            Reply("I can't help with that.", finish="content_filter"),
            Reply("NO_MATCH"),
            Reply(status=400, body={"error": {"code": "context_length_exceeded"}}),
        ]
        hopeless = f"(case {AT_ONCE - 1})" in str(messages)
        return Reply(status=500, body={"error": "no"}) if hopeless else ways[number % len(ways)]

    return script


def spoil(models: ModelServer) -> None:
    """Let the embedder and the reranker fail for a while, more often than is tried again."""
    ways = [Fault(drop=True), Fault(500, {"error": "no"}), Fault(raw="{garbage")]
    models.faults.extend(ways * OUTAGE)


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    """An embedder and a reranker."""
    async with model_server() as running:
        yield running


@pytest.fixture
async def chat() -> AsyncIterator[ChatServer]:
    """A chat model that does everything wrong, in turn."""
    async with chat_server() as running:
        running.by = misbehaving()
        yield running


def variables(url: str, models: ModelServer, chat: ChatServer) -> dict[str, str]:
    """The settings of a bot that uses these servers."""
    return {
        "FOOTNOTE_DATABASE_URL": url,
        "FOOTNOTE_EMBEDDER_URL": models.url,
        "FOOTNOTE_EMBEDDER_MODEL": "bag",
        "FOOTNOTE_RERANKER_URL": models.url,
        "FOOTNOTE_MAX_DISTANCE": "2",
        "FOOTNOTE_MODEL_URL": chat.url,
        "FOOTNOTE_MODEL": "scripted",
        "FOOTNOTE_MODEL_TIMEOUT": "3",
    }


@pytest.fixture
async def own_server(
    data_dir: Path, models: ModelServer, chat: ChatServer
) -> AsyncIterator[Server]:
    """A server of the test's own, with the corpus as the test's embedder sees it."""
    using = use(data_dir)
    server = await asyncio.to_thread(using.__enter__)
    try:
        await migrate(server.url, vector_size=models.size)
        values = {
            name.removeprefix("FOOTNOTE_").lower(): value
            for name, value in variables(server.url, models, chat).items()
        }
        settings = Settings.model_validate(values)
        found = await asyncio.to_thread(collect, [SAMPLES / folder for folder in CORPUS])
        async with open_core(settings, Database(server.url, None)) as core:
            report = await ingest(core.store, core.embedder, found)
        assert not report.failed
        yield server
    finally:
        await asyncio.to_thread(using.__exit__, None, None, None)


async def struck(connection: psycopg.AsyncConnection[Any]) -> set[str]:
    """Return which of the faults looked for stand in the step logs."""
    cursor = await connection.execute(
        "SELECT DISTINCT kind, coalesce(data ->> 'failure', data ->> 'reason', data ->> 'result'),"
        " coalesce(data ->> 'degraded', '') FROM step"
    )
    found: set[str] = set()
    for kind, word, degraded in await cursor.fetchall():
        found.add(f"{kind} {word}" if word else kind)
        found |= {"search without vectors"} if "embedder" in degraded else set()
        found |= {"search without reranker"} if "rerank" in degraded else set()
    return found & STRUCK


@pytest.mark.timeout(240)
async def test_every_turn_ends_once(
    slack: Playground, own_server: Server, models: ModelServer, chat: ChatServer
) -> None:
    """As many outcomes as questions; none shows an uncited claim, none is lost, none doubled."""
    roots: list[str] = []
    async with starter(slack, variables(own_server.url, models, chat)) as start:
        await start()
        for begin in range(0, TURNS, AT_ONCE):
            spoil(models)
            batch = [
                await slack.post("Ana", CHANNEL, mention(slack, f"{QUESTION} (case {number})"))
                for number in range(begin, begin + AT_ONCE)
            ]
            if begin == TURNS // 2:
                await crash(own_server)
                await asyncio.sleep(0.5)
                await asyncio.to_thread(own_server.ensure_running)
            for ts in batch:
                await slack.wait_for_reply(CHANNEL, ts, 1, timeout=60)
            roots += batch
        await asyncio.sleep(2.5)
    replies = [slack.bot_replies(CHANNEL, ts) for ts in roots]
    assert Counter(map(len, replies)) == {1: TURNS}
    shown = [each for (each,) in replies]
    assert not [each for each in shown if NOWHERE in f"{each.text}{each.blocks}"]
    ends = Counter(map(stop_reason, shown))
    assert ends["error"] == 0
    for each in shown:
        if stop_reason(each) == "cited":
            assert re.search(r"\[1\]", str(each.blocks))
    async with await psycopg.AsyncConnection.connect(own_server.url) as connection:
        cursor = await connection.execute(
            "SELECT count(*), count(outcome), count(reply_ts) FROM turn"
        )
        assert await cursor.fetchone() == (TURNS, TURNS, TURNS)
        assert await struck(connection) == STRUCK
    assert len(chat.asked) > TURNS
