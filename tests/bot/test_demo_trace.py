"""The demo's trace: a thread's step log as the page shows it, and the manifest it starts with."""

from pathlib import Path
from typing import Any

import yaml

from bot.cli.ask import answer
from bot.cli.demo.trace import TraceSource
from bot.core import open_core
from bot.database import Database
from bot.manifest import load_manifest
from bot.playground import Message
from bot.question import parse
from bot.settings import Settings

QUESTION = "how do I roll back a deploy?"


async def test_a_turn_shows_both_ranks_the_gate_and_its_citations(corpus_url: str) -> None:
    """The table has each candidate's rank in both searches; what was cited is marked as such."""
    settings = Settings.model_validate({"FOOTNOTE_DATABASE_URL": corpus_url})
    async with open_core(settings, Database(corpus_url, None)) as core:
        await answer(core, QUESTION, parse(QUESTION), "t1")
        root = Message("cli:terminal:t1", "C", "U", QUESTION)
        (turn,) = await TraceSource(core.pool)([root])
    assert (turn["title"], turn["outcome"]) == (QUESTION, "cited")
    steps: list[dict[str, Any]] = list(turn["steps"])
    search, citations = steps[0], steps[-1]
    assert any("best distance" in each and "passed" in each for each in search["notes"])
    rows = search["table"]["rows"]
    ranks = [(row["cells"][2], row["cells"][4]) for row in rows]
    assert "1" in {vector for vector, _ in ranks}
    assert "1" in {keyword for _, keyword in ranks}
    marked = [row["cells"] for row in rows if row["marked"]]
    assert {cells[-1] for cells in marked} == {each.split()[0] for each in citations["notes"]}
    assert all("›" in cells[1] or "deploy" in cells[1] for cells in marked)


async def test_a_reply_names_its_turn(corpus_url: str) -> None:
    """A command has no thread of its own before its answer: the turn's id in the reply finds it."""
    settings = Settings.model_validate({"FOOTNOTE_DATABASE_URL": corpus_url})
    async with open_core(settings, Database(corpus_url, None)) as core:
        await answer(core, QUESTION, parse(QUESTION), "t1")
        async with core.pool.connection() as connection:
            cursor = await connection.execute("SELECT id FROM turn")
            row = await cursor.fetchone()
        assert row is not None
        metadata = {"event_type": "footnote_turn", "event_payload": {"turn": row[0]}}
        thread = [Message("1.0", "C", "U", "x"), Message("2.0", "C", "B", "y", metadata=metadata)]
        turns = await TraceSource(core.pool)(thread)
        assert [each["title"] for each in turns] == [QUESTION]
        assert await TraceSource(core.pool)(thread[:1]) == []


def test_the_manifest_is_read() -> None:
    """Commands with their hints, events and Home are those of the file an admin pastes."""
    content = yaml.safe_load((Path(__file__).parents[2] / "manifest.yml").read_text())
    manifest = load_manifest()
    features = content["features"]
    assert list(manifest.commands) == [each["command"] for each in features["slash_commands"]]
    assert manifest.commands["/ask"] == features["slash_commands"][0]["usage_hint"]
    assert manifest.events == set(content["settings"]["event_subscriptions"]["bot_events"])
    assert manifest.home == features["app_home"]["home_tab_enabled"]
