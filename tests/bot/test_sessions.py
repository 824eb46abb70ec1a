"""Sessions in the database: a log that is never rewritten, turns that are fenced."""

import asyncio
from dataclasses import replace

import psycopg
import pytest
from psycopg import AsyncConnection
from psycopg.rows import DictRow

from bot import session_log, sessions
from bot.model import ModelDown
from bot.outcome import Outcome
from bot.sessions import Post
from bot.summary import extractive, keep_up
from bot.window import Entry, choose, estimate, questions

POST = Post(
    session="T1:C1:1.0",
    team="T1",
    channel="C1",
    ts="1.0",
    root_ts="1.0",
    author="U1",
    question="why?",
)
OUTCOME = Outcome(stop_reason="cited", answer="Because [1].")


@pytest.fixture
async def plain(database_url: str) -> AsyncConnection[tuple[object, ...]]:
    """A connection as the pool gives them."""
    return await AsyncConnection.connect(database_url, autocommit=True)


async def test_a_turn_is_logged_with_author_turn_and_tokens(
    connection: AsyncConnection[DictRow], plain: AsyncConnection
) -> None:
    """Question and answer are two events, numbered on, each with what it takes to choose it."""
    async with plain:
        turn = await sessions.begin(plain, POST)
        assert turn is not None
        assert turn.log_version == 0
        async with plain.transaction():
            assert await sessions.commit(plain, POST, turn, OUTCOME, [])
        following = await sessions.begin(plain, replace(POST, ts="2.0"))
    assert following is not None
    assert following.log_version == 2
    cursor = await connection.execute("SELECT * FROM event ORDER BY number")
    asked, answered = await cursor.fetchall()
    assert (asked["number"], asked["kind"], asked["author"], asked["turn"]) == (
        1,
        "user",
        "U1",
        turn.id,
    )
    assert (answered["number"], answered["kind"], answered["author"]) == (2, "assistant", None)
    assert answered["tokens"] == estimate("Because [1].")


async def test_a_turn_brings_its_own_events(plain: AsyncConnection) -> None:
    """What an agent did is logged in its order, between the question and the answer."""
    entries = [
        Entry("tool_call", '{"query": "why"}', None, {"call": "c1", "name": "search"}),
        Entry("tool_result", "found", None, {"call": "c1"}),
        Entry("correction", "cite it"),
    ]
    async with plain:
        turn = await sessions.begin(plain, POST)
        assert turn is not None
        async with plain.transaction():
            await sessions.commit(plain, POST, turn, OUTCOME, [], entries)
        window = await sessions.window(plain, POST.session)
    (shown,) = window.turns
    between = [entry.kind for entry in entries]
    assert [event.kind for event in shown] == ["user", *between, "assistant"]
    assert shown[1].data["name"] == "search"


@pytest.mark.parametrize(
    "statement", ["UPDATE event SET text = ''", "UPDATE event SET turn = NULL"]
)
async def test_no_event_is_ever_rewritten(plain: AsyncConnection, statement: str) -> None:
    """The database itself refuses to change what was logged."""
    async with plain:
        turn = await sessions.begin(plain, POST)
        assert turn is not None
        async with plain.transaction():
            await sessions.commit(plain, POST, turn, OUTCOME, [])
        with pytest.raises(psycopg.errors.RaiseException, match="never rewritten"):
            await plain.execute(statement.encode())


async def test_what_is_appended_meanwhile_does_not_disturb_a_turn(plain: AsyncConnection) -> None:
    """Feedback that comes while a turn runs is logged before it, and the turn is committed."""
    async with plain:
        turn = await sessions.begin(plain, POST)
        assert turn is not None
        async with plain.transaction():
            await session_log.append(plain, POST.session, [Entry("feedback", "good", "U2")])
        async with plain.transaction():
            assert await sessions.commit(plain, POST, turn, OUTCOME, [])
        log = await session_log.read(plain, POST.session)
    assert [(event.number, event.kind) for event in log] == [
        (1, "feedback"),
        (2, "user"),
        (3, "assistant"),
    ]


async def test_a_log_without_a_session_stays_empty(plain: AsyncConnection) -> None:
    """What comes for a session that was forgotten is not kept."""
    async with plain, plain.transaction():
        await session_log.append(plain, "T1:C1:9.0", [Entry("feedback", "good", "U2")])
        assert await session_log.read(plain, "T1:C1:9.0") == ()


async def test_an_edited_post_gets_a_further_turn(plain: AsyncConnection) -> None:
    """It takes over the reply of the turn before, and ends that one if it came to nothing."""
    edited = replace(POST, question="why not?", revision="5.0")
    async with plain:
        first = await sessions.begin(plain, POST)
        assert first is not None
        second = await sessions.begin(plain, edited)
        assert second is not None
        assert second.id != first.id
        assert second.earlier == (first.id,)
        async with plain.transaction():
            assert not await sessions.commit(plain, POST, first, OUTCOME, [])
            assert await sessions.commit(plain, edited, second, OUTCOME, [])
        assert await sessions.deliver(plain, second, "6.0")
        third = await sessions.begin(plain, replace(POST, question="when?", revision="7.0"))
        assert third is not None
        assert (third.reply_ts, third.delivered) == ("6.0", False)
        assert questions(await sessions.window(plain, POST.session)) == ("why not?",)


async def test_a_log_that_outgrows_the_window_is_summarised(plain: AsyncConnection) -> None:
    """Without a model: what was asked and what was cited; with one that fails, the same."""

    async def failing(_before: str | None, _turns: object) -> str:
        await asyncio.sleep(0)
        raise ModelDown

    async with plain:
        for number in range(1, 7):
            post = replace(POST, ts=f"{number}.0", question=f"question {number}?")
            turn = await sessions.begin(plain, post)
            assert turn is not None
            async with plain.transaction():
                await sessions.commit(plain, post, turn, OUTCOME, [])
        assert not await keep_up(plain, POST.session, 1000, extractive)
        assert await keep_up(plain, POST.session, 60, failing)
        assert not await keep_up(plain, POST.session, 60, failing)
        log = await session_log.read(plain, POST.session)
    assert [event.kind for event in log][-1] == "summary"
    assert len(log) == 13
    summary = choose(log, 60).summary
    assert summary is None or summary == log[-1].text
    assert log[-1].text.splitlines()[0] == "- asked: question 1? · no answer found"
