"""A question that its author puts right before it is answered: one line says so, once."""

from typing import Any

import psycopg
import pytest

from bot import inbox
from bot.events import Incoming, Kind, session_id
from bot.gate import replaces
from bot.playground import Playground
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_edits import replies
from tests.bot.test_limits_of_a_turn import chat as chat  # noqa: PLC0414  # a fixture
from tests.bot.test_limits_of_a_turn import thinking
from tests.bot.test_loop import cites
from tests.chat_server import ChatServer

RIGHT = "sorry, I meant ERR_5033"
LINE = "your next message puts this question right"


@pytest.mark.parametrize(
    ("text", "corrects"),
    [
        (RIGHT, True),
        ("No wait, I mean in staging", True),
        ("oops … what I meant: ERR_5033", True),
        ("make that ERR_5033", True),
        ("Correction: the search cluster", True),
        ("scratch that, how do I roll it back?", True),
        ("let me rephrase. who owns checkout?", True),
        ("ignore my last question, it is ERR_5020", True),
        ("what does ERR_5033 mean?", False),
        ("and in staging?", False),
        ("sorry to ask, but how do I roll back?", False),
        ("the error means that checkout is down", False),
        ("<@U0BEN> I meant the other one", False),
        ("forget that I'm on payments", False),
    ],
)
def test_what_puts_a_question_right(text: str, *, corrects: bool) -> None:
    """A correction says that it is one; another question replaces nothing."""
    assert replaces("reply", text) == corrects
    assert not replaces("alert", text)


async def test_while_a_model_thinks(slack: Playground, start: Start, chat: ChatServer) -> None:
    """The model is asked no more; the line comes where the answer would, then the right one."""
    chat.by = cites("Look at ERR_5033 [{0}].")
    ts = await thinking(slack, start, chat)
    await slack.post("Ana", CHANNEL, RIGHT, thread_ts=ts)
    first, second = await replies(slack, ts, "ERR_5033")
    assert chat.asked[0].gone.is_set()
    assert stop_reason(first) == "superseded"
    assert LINE in first.visible_text()
    assert "ERR_5033" in second.visible_text()


async def test_only_the_last_question_of_its_author_is_replaced(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Of what waits, that one gets the line; what others asked, and asked before, is answered."""
    await start()
    async with await psycopg.AsyncConnection.connect(corpus_url) as blocker:
        await blocker.execute("LOCK TABLE turn IN ACCESS EXCLUSIVE MODE")
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        for who, text in [
            ("Ana", "what does ERR_5011 mean?"),
            ("Ben", "and ERR_5020?"),
            ("Ana", RIGHT),
        ]:
            await slack.post(who, CHANNEL, text, thread_ts=ts)
        await slack.wait_until(lambda: all(event.acknowledged for event in slack.events))
        await blocker.rollback()
    got = await settled(slack, ts, 4)
    reasons = [stop_reason(each) for each in got]
    assert reasons[1] == "superseded"
    assert "superseded" not in [reasons[0], *reasons[2:]]
    assert "ERR_5020" in got[2].visible_text()
    assert "ERR_5033" in got[3].visible_text()


def said(number: int, text: str, **more: Any) -> Incoming:
    """What somebody says in the thread of 1.0."""
    return Incoming(
        event_id=f"Ev{number}{more}",
        kind=more.get("kind", "reply"),
        team="T1",
        channel="C1",
        ts=f"{number}.0",
        root_ts="1.0",
        author="U1",
        text=text,
        revision=more.get("revision", ""),
    )


async def test_a_correction_that_is_taken_back_replaces_nothing(
    database_url: str,
) -> None:
    """The question wants its answer again, whichever of the two was delivered first."""
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        assert await inbox.accept(connection, said(3, RIGHT))
        assert await inbox.accept(connection, said(2, QUESTION))
        cursor = await connection.execute("SELECT id FROM inbox WHERE text = %s", [QUESTION])
        ((question,),) = await cursor.fetchall()
        assert await inbox.unwanted(connection, [question]) == {question: "superseded"}
        assert await inbox.accept(connection, said(3, "", kind="deletion", revision="4.0"))
        assert await inbox.unwanted(connection, [question]) == {}


@pytest.mark.parametrize(
    ("kind", "mode", "muted", "why"),
    [
        ("reply", "follow", False, "superseded"),
        ("reply", "mention", False, None),
        ("mention", "mention", False, "superseded"),
        ("reply", "follow", True, None),
        ("mention", "follow", True, "superseded"),
    ],
)
async def test_what_gets_no_answer_replaces_nothing(
    database_url: str, kind: Kind, mode: str, *, muted: bool, why: str | None
) -> None:
    """Where only mentions are answered, or a thread is muted, the question keeps its answer."""
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        await connection.execute(
            "INSERT INTO channel_setting (team, channel, mode, changed_by)"
            " VALUES ('T1', 'C1', %s, 'U1')",
            [mode],
        )
        await connection.execute(
            "INSERT INTO session (id, team, channel, root_ts, muted)"
            " VALUES (%s, 'T1', 'C1', '1.0', %s)",
            [session_id("T1", "C1", "1.0"), muted],
        )
        assert await inbox.accept(connection, said(1, QUESTION, kind="mention"))
        assert await inbox.accept(connection, said(2, RIGHT, kind=kind))
        cursor = await connection.execute("SELECT id FROM inbox WHERE text = %s", [QUESTION])
        ((question,),) = await cursor.fetchall()
        assert (await inbox.unwanted(connection, [question])).get(question) == why
