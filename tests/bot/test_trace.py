"""The step log read back: what a turn did, and what turns come to together."""

import asyncio
import re
from typing import Any

import pytest

from bot import stats, trace
from bot.cli.ask import answer
from bot.core import open_core
from bot.database import Database
from bot.question import parse
from bot.settings import Settings
from tests.bot.test_cli import footnote
from tests.bot.test_loop import ASKED, FAR, cites
from tests.chat_server import ChatServer, chat_server

PRICES = (2.0, 10.0)


async def asked_twice(url: str, chat: ChatServer) -> tuple[list[trace.Traced], list[stats.Row]]:
    """Ask one question with an answer and one without, and read the logs back."""
    chat.by = cites("Roll back to the last build [{0}].")
    values = {"FOOTNOTE_DATABASE_URL": url, "model_url": chat.url, "model": "scripted"}
    settings = Settings.model_validate(values)
    async with open_core(settings, Database(url, None)) as core:
        await answer(core, ASKED, parse(ASKED), "t")
        chat.says("NO_MATCH")
        await answer(core, FAR, parse(FAR), "t")
        async with core.pool.connection() as connection:
            return (
                await trace.read(connection, "cli:terminal:t"),
                await stats.read(connection, 1),
            )


async def test_a_thread_is_read_back(corpus_url: str) -> None:
    """Each turn has its searches, its model calls with tokens, its verdict and its end."""
    async with chat_server() as chat:
        traced, rows = await asked_twice(corpus_url, chat)
    assert [each.turn.stop_reason for each in traced] == ["cited", "no_match"]
    search, model, verdict = traced[0].steps
    assert search.data["query"] == ASKED
    assert set(search.data["timings_ms"]) >= {"vector", "keyword", "rerank", "total"}
    assert model.data["prompt_tokens"] == 11
    assert model.data["model"] == "scripted"
    assert [bool(each["ids"]) for each in verdict.data["claims"]] == [True]
    stored: dict[str, Any] = traced[1].to_json()
    assert stored["steps"][0]["no_match"] is True
    (group,) = stats.grouped(rows, None, *PRICES)
    assert group.outcomes == {"cited": 1, "no_match": 1}
    assert (group.turns, group.calls, group.prompt_tokens) == (2, 2, 22)
    assert group.cost == pytest.approx((22 * 2.0 + 14 * 10.0) / 1e6)
    assert [each.name for each in stats.grouped(rows, "service", *PRICES)] == ["none", "platform"]


async def test_the_command_names_passages_by_their_titles(corpus_url: str) -> None:
    """Whoever reads it knows documents, not ids; the footnotes stand at the end."""
    async with chat_server() as chat:
        await asked_twice(corpus_url, chat)
    ended = await asyncio.to_thread(
        footnote, "trace", "cli:terminal:t", FOOTNOTE_DATABASE_URL=corpus_url, COLUMNS="200"
    )
    assert ended.code == 0, ended.err
    assert "[1] Roll back a deploy" in ended.out
    assert not re.search(r"\b[0-9a-f]{24}\b", ended.out)


async def test_the_newest_turn_is_the_default(corpus_url: str) -> None:
    """Without a name the newest turn is shown; an unknown name shows none."""
    async with chat_server() as chat:
        await asked_twice(corpus_url, chat)
    values = {"FOOTNOTE_DATABASE_URL": corpus_url}
    async with (
        open_core(Settings.model_validate(values), Database(corpus_url, None)) as core,
        core.pool.connection() as connection,
    ):
        (newest,) = await trace.read(connection, None)
        assert newest.turn.question == FAR
        assert await trace.read(connection, "nothing") == []
