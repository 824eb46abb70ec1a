"""Forgetting removes rows from every table, and only the rows that were meant."""

import pytest
from psycopg import AsyncConnection

from bot import forget, inbox, session_log, sessions
from bot.events import Incoming
from bot.forget import Forgotten
from bot.knowledge import requests
from bot.knowledge.requests import Asked, Wanted
from bot.outcome import Citation, Outcome
from bot.sessions import Post
from bot.steps import Step
from bot.voice import transcripts
from bot.window import Entry
from retrieval.documents import Passage

PASSAGE = Passage("c1", "d1", "a.md", "A", "A", "", None, "payments", "runbook", None, "words")
OUTCOME = Outcome(stop_reason="cited", answer="Because [1].", citations=(Citation(1, PASSAGE),))
WHOLE = Forgotten(sessions=1, messages=1, turns=1, events=2, steps=1, citations=1, jobs=1)


@pytest.fixture
async def plain(database_url: str) -> AsyncConnection[tuple[object, ...]]:
    """A connection as the pool gives them."""
    return await AsyncConnection.connect(database_url, autocommit=True)


async def answered(
    connection: AsyncConnection, channel: str, ts: str, author: str, root_ts: str | None = None
) -> str:
    """Let a question be asked and answered; returns its session."""
    message = Incoming(
        event_id=f"{channel}{ts}",
        kind="mention",
        team="T1",
        channel=channel,
        ts=ts,
        root_ts=root_ts or ts,
        author=author,
        text="why?",
    )
    async with connection.transaction():
        await inbox.accept(connection, message)
        await connection.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, args)"
            " VALUES ('turns', 'drain_session', jsonb_build_object('session', %s::text))",
            [message.session],
        )
    taken = await inbox.next_message(connection, message.session)
    assert taken is not None
    await transcripts.keep(connection, taken, f"F{channel}{ts}", "why?")
    post = Post(message.session, "T1", channel, ts, message.root_ts, author, "why?", taken.id)
    turn = await sessions.begin(connection, post)
    assert turn is not None
    async with connection.transaction():
        await sessions.commit(connection, post, turn, OUTCOME, [Step("search", 1.0)])
    await inbox.end(connection, taken, "done")
    return message.session


async def left(connection: AsyncConnection) -> list[str]:
    """Return the sessions of which anything is left, in any table."""
    cursor = await connection.execute(
        "SELECT id FROM session UNION SELECT session FROM inbox UNION SELECT session FROM turn"
        " UNION SELECT session FROM event UNION SELECT args ->> 'session' FROM procrastinate_jobs"
        " UNION SELECT t.session FROM step JOIN turn t ON t.id = turn"
        " UNION SELECT session FROM transcript"
        " ORDER BY 1"
    )
    return [str(session) for (session,) in await cursor.fetchall()]


async def test_a_thread_is_forgotten(plain: AsyncConnection) -> None:
    """All of it, and nothing of the thread beside it."""
    async with plain:
        mine = await answered(plain, "C1", "1.0", "U1")
        other = await answered(plain, "C1", "2.0", "U1")
        assert await forget.of_thread(plain, mine) == WHOLE
        assert await left(plain) == [other]
        assert await forget.of_thread(plain, mine) == Forgotten()


async def test_a_channel_is_forgotten(plain: AsyncConnection) -> None:
    """All threads of it, and no other channel's."""
    async with plain:
        await answered(plain, "C1", "1.0", "U1")
        await answered(plain, "C1", "2.0", "U2")
        other = await answered(plain, "C2", "1.0", "U1")
        gone = await forget.of_channel(plain, "C1")
        assert (gone.sessions, gone.turns, gone.events) == (2, 2, 4)
        assert await left(plain) == [other]


async def test_a_user_is_forgotten(plain: AsyncConnection) -> None:
    """Their threads, their part of others' threads, and what summaries told of it."""
    async with plain:
        await answered(plain, "C1", "1.0", "U1")
        shared = await answered(plain, "C1", "2.0", "U2")
        assert await answered(plain, "C1", "3.0", "U1", root_ts="2.0") == shared
        async with plain.transaction():
            await session_log.append(plain, shared, [Entry("summary", "U1 asked why")])
            await session_log.append(plain, shared, [Entry("feedback", "good", "U2")])
        gone = await forget.of_user(plain, "U1")
        assert (gone.sessions, gone.messages, gone.turns, gone.events) == (1, 2, 2, 5)
        assert await left(plain) == [shared]
        kept = await session_log.read(plain, shared)
        assert [(event.kind, event.author) for event in kept] == [
            ("user", "U2"),
            ("assistant", None),
            ("feedback", "U2"),
        ]


async def test_votes_go_with_their_voter(plain: AsyncConnection) -> None:
    """What a user has said of answers to others is forgotten; the others' votes stay."""
    async with plain:
        await answered(plain, "C1", "1.0", "U2")
        await plain.execute(
            "INSERT INTO feedback (turn, person, helpful)"
            " SELECT turn.id, person, false FROM turn, unnest(ARRAY['U1', 'U3']) AS person"
        )
        await plain.execute(
            "INSERT INTO notice (id, kind, turn, target, person)"
            " SELECT 'oncall:1', 'oncall', id, 'S1', 'U1' FROM turn"
        )
        await forget.of_user(plain, "U1")
        cursor = await plain.execute("SELECT person FROM feedback UNION SELECT person FROM notice")
        assert {person for (person,) in await cursor.fetchall()} == {"U3", None}


async def test_old_threads_expire(plain: AsyncConnection) -> None:
    """A thread lives as long as something is said in it."""
    async with plain:
        old = await answered(plain, "C1", "1.0", "U1")
        new = await answered(plain, "C1", "2.0", "U1")
        assert await forget.old_sessions(plain, 60) == Forgotten()
        await plain.execute(
            "UPDATE session SET last_at = now() - interval '61 days' WHERE id = %s", [old]
        )
        assert await forget.old_sessions(plain, 60) == WHOLE
        assert await left(plain) == [new]


async def test_what_was_ingested_is_forgotten_but_not_the_documents(plain: AsyncConnection) -> None:
    """A user's requests, or a channel's, go with what they named; those of others stay."""
    async with plain:
        for channel, author in [("C1", "U1"), ("C1", "U2"), ("C2", "U2")]:
            asked = Asked(id=channel + author, team="T1", channel=channel, author=author)
            wanted = [Wanted("url", "https://docs.example/")]
            async with plain.transaction():
                await requests.accept(plain, asked, wanted)
        assert (await forget.of_user(plain, "U1")).ingests == 1
        assert (await forget.of_channel(plain, "C1")).ingests == 1
        cursor = await plain.execute("SELECT request FROM ingest_item")
        assert await cursor.fetchall() == [("C2U2",)]
