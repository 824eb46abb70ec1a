"""`footnote ask`: a question answered in the terminal, by the agent and sessions of the bot."""

import asyncio
import re
import time
from dataclasses import asdict
from typing import Annotated, Any

import typer

from bot import sessions
from bot.agent import Thread
from bot.channel_settings import ChannelSettings
from bot.cli.terminal import console, fail, output, prepared, print_json, say
from bot.core import Core, open_core
from bot.database import Database
from bot.errors import BadInput
from bot.filters import effective, known, problems
from bot.outcome import Outcome
from bot.question import Question, parse
from bot.replies import removed_note
from bot.sessions import Post
from bot.settings import Settings
from bot.thread_settings import ThreadSettings
from bot.window import questions
from retrieval.documents import Passage

__all__ = ["ask"]

_TEAM, _CHANNEL = "cli", "terminal"


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)],
    service: Annotated[
        list[str] | None, typer.Option(help="Only this service; may be repeated.")
    ] = None,
    doc_type: Annotated[
        list[str] | None, typer.Option(help="Only this type of document; may be repeated.")
    ] = None,
    thread: Annotated[
        str | None, typer.Option(help="A name; questions under one name follow each other.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Answer a question from the documents, with footnotes."""
    text = question.replace("\0", "").encode(errors="ignore").decode()
    asked = parse(text).narrowed(service or (), doc_type or ())
    if not asked.text:
        fail("The question is empty: ask something, in quotes.", as_json=as_json, code=2)
    if thread is not None and not re.fullmatch(r"[\w.-]{1,80}", thread):
        fail(
            "A thread's name has up to 80 letters, digits, dots and dashes.",
            as_json=as_json,
            code=2,
        )
    with prepared(as_json=as_json) as (settings, database):
        outcome = asyncio.run(_ask(settings, database, text, asked, thread))
    if as_json:
        print_json(_as_json(outcome))
    else:
        _show(outcome)


async def _ask(
    settings: Settings, database: Database, text: str, asked: Question, thread: str | None
) -> Outcome:
    async with open_core(settings, database) as core:
        if wrong := problems(text, asked, known(await core.store.kinds())):
            raise BadInput(" ".join(wrong))
        asked = effective(asked, ThreadSettings(), ChannelSettings())
        return await answer(core, text, asked, thread)


async def answer(core: Core, text: str, asked: Question, thread: str | None = None) -> Outcome:
    """Answer, and keep the turn in a session of the terminal's own."""
    ts = f"{time.time():.6f}"
    root = thread or ts
    post = Post(
        session=f"{_TEAM}:{_CHANNEL}:{root}",
        team=_TEAM,
        channel=_CHANNEL,
        ts=ts,
        root_ts=root,
        author="terminal",
        question=text,
    )
    async with core.pool.connection() as connection:
        window = await sessions.window(connection, post.session)
        turn = await sessions.begin(connection, post)
        earlier = tuple(parse(each).text for each in questions(window))
        answered = await core.agent.answer(asked, Thread(earlier=earlier, window=window))
        if turn is not None:
            async with connection.transaction():
                await sessions.commit(
                    connection, post, turn, answered.outcome, answered.steps, answered.events
                )
    return answered.outcome


def _as_json(outcome: Outcome) -> dict[str, Any]:
    markers = {each.passage.chunk_id: each.marker for each in outcome.citations}
    return {
        "answer": outcome.answer,
        "stop_reason": outcome.stop_reason,
        "citations": [_citation(each.passage, each.marker) for each in outcome.citations],
        "passages": [_passage(each, markers.get(each.chunk_id)) for each in outcome.passages],
        "best_distance": outcome.best_distance,
        "removed": outcome.removed,
        "model": outcome.model,
        "notes": list(outcome.notes),
        "timings_ms": {name: round(ms, 3) for name, ms in outcome.timings_ms.items()},
    }


def _citation(passage: Passage, marker: int | None) -> dict[str, Any]:
    return {
        "marker": marker,
        "chunk_id": passage.chunk_id,
        "source": passage.source,
        "heading": passage.heading,
        "page": passage.page,
    }


def _passage(passage: Passage, marker: int | None) -> dict[str, Any]:
    return {**_citation(passage, marker), **asdict(passage)}


def _show(outcome: Outcome) -> None:
    if outcome.stop_reason == "cited":
        output(outcome.answer)
        output("")
        for citation in outcome.citations:
            output(f"[{citation.marker}] {_label(citation.passage)}")
    elif outcome.stop_reason == "no_match":
        output("NO_MATCH: nothing in the documents answers this.")
        for searched in outcome.searched:
            where = ", ".join((*searched.services, *searched.doc_types)) or "everything"
            output(f"  searched {where} for: {' '.join(searched.query.split())}")
        for near in outcome.nearest:
            output(f"  near: {near.title} ({near.service}) {near.source}")
    else:
        output("Nothing in the documents can be quoted as an answer. The closest chunks:")
        for passage in outcome.passages:
            output(f"  {_label(passage)}")
    if outcome.removed:
        say(removed_note(outcome.removed))
    for note in outcome.notes:
        say(note)
    if outcome.best_distance is not None and console.is_terminal:
        total = outcome.timings_ms.get("total", 0.0)
        say(f"best distance {outcome.best_distance:.3f}, {total:.0f} ms")


def _label(passage: Passage) -> str:
    heading = f" › {passage.heading}" if passage.heading not in {"", passage.title} else ""
    page = f", p. {passage.page}" if passage.page is not None else ""
    where = passage.link or passage.source
    return f"{passage.title}{heading}{page} · {passage.service} · {passage.doc_type} · {where}"
