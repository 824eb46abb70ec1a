"""Every accepted question ends in exactly one answer, whatever dies and whenever it dies."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise

import psycopg
import pytest

from bot.playground import Message, Playground, When
from tests.bot.conftest import Start

CHANNEL = "payments-oncall"
QUESTION = "what do I do about ERR_5032 on a refund?"


def mention(slack: Playground, text: str) -> str:
    """Write a message that mentions the bot."""
    return f"<@{slack.bot_user_id}> {text}"


def stop_reason(message: Message) -> str:
    """Return what the reply's metadata say it came to."""
    assert message.metadata is not None
    return str(message.metadata["event_payload"]["stop_reason"])


async def settled(slack: Playground, ts: str, count: int = 1) -> list[Message]:
    """Wait for the replies of a thread, then a while longer, in which no more may come."""
    await slack.wait_for_reply(CHANNEL, ts, count, timeout=30)
    await asyncio.sleep(2.5)
    replies = slack.bot_replies(CHANNEL, ts)
    assert len(replies) == count, [each.text[:80] for each in replies]
    return replies


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 15) -> None:
    """Wait until a condition of the database holds."""
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110  # the database has no event to wait for
            await asyncio.sleep(0.02)


async def test_a_mention_is_answered_in_its_thread(slack: Playground, start: Start) -> None:
    """One mention, which arrives as two events, gets one cited reply below it."""
    await start()
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"
    assert reply.thread_ts == ts


async def test_killed_between_question_and_answer(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """A question that was acknowledged, but not begun when the process died, is answered later."""
    bot = await start()
    async with await psycopg.AsyncConnection.connect(corpus_url) as blocker:
        await blocker.execute("LOCK TABLE turn IN ACCESS EXCLUSIVE MODE")
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await slack.wait_until(lambda: all(event.acknowledged for event in slack.events))
        await bot.kill()
        await blocker.rollback()
    assert slack.bot_replies(CHANNEL, ts) == []
    await start()
    await settled(slack, ts)


async def test_killed_between_commit_and_post(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """An outcome that was stored, but never reached Slack, is posted as it was stored."""
    bot = await start()
    hold = slack.faults.hold("chat.postMessage", when=When.BEFORE)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await bot.kill()
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        await connection.execute("DELETE FROM corpus")  # a new answer would be another one
    await start()
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"


async def test_killed_between_post_and_its_ts_being_stored(slack: Playground, start: Start) -> None:
    """A reply that Slack has, but the database doesn't know of, is found and not posted again."""
    bot = await start()
    hold = slack.faults.hold("chat.postMessage", when=When.AFTER)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await bot.kill()
    assert len(slack.bot_replies(CHANNEL, ts)) == 1
    await start()
    await asyncio.sleep(4)
    await settled(slack, ts)


async def test_a_connection_lost_after_the_post_posts_nothing_twice(
    slack: Playground, start: Start
) -> None:
    """When Slack's answer to a post is lost, the thread is searched before anything is posted."""
    await start()
    slack.faults.drop("chat.postMessage", when=When.AFTER)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await asyncio.sleep(3)
    await settled(slack, ts)


async def test_slack_failing_for_a_while_delays_the_reply(slack: Playground, start: Start) -> None:
    """Server errors and rate limits of Slack are waited out."""
    await start()
    slack.faults.http_error("chat.postMessage", 500, times=2)
    slack.faults.rate_limit("chat.postMessage", 1)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await settled(slack, ts)


async def test_refused_blocks_become_text(slack: Playground, start: Start) -> None:
    """A reply whose form Slack doesn't take is shown as plain text, not kept back."""
    await start()
    slack.faults.fail("chat.postMessage", "invalid_blocks", times=3)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    (reply,) = await settled(slack, ts)
    assert reply.blocks == []
    assert "[1]" in reply.text


async def test_a_refused_table_becomes_paragraphs(slack: Playground, start: Start) -> None:
    """What Slack takes least well goes first: the words, the sources and the code stay."""
    await start()
    slack.faults.fail("chat.postMessage", "invalid_blocks", times=2)
    ts = await slack.post("Ana", CHANNEL, mention(slack, "how do I roll back a deploy?"))
    (reply,) = await settled(slack, ts)
    assert {each["type"] for each in reply.blocks} == {"section"}
    assert "[1]" in reply.visible_text()


async def test_a_refusal_for_good_lets_the_thread_go_on(slack: Playground, start: Start) -> None:
    """A reply that Slack never takes is given up at once; the next question is answered."""
    await start()
    slack.faults.fail("chat.postMessage", "restricted_action")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.post("Ana", CHANNEL, "what does ERR_5033 mean?", thread_ts=ts)
    (reply,) = await settled(slack, ts)
    assert "ERR_5033" in reply.visible_text()


async def test_no_form_of_a_reply_is_refused_into_silence(slack: Playground, start: Start) -> None:
    """Even a reply that Slack finds too long as text is shown, cut short."""
    await start()
    slack.faults.fail("chat.postMessage", "msg_too_long", times=4)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    (reply,) = await settled(slack, ts)
    assert 0 < len(reply.text) <= 500


async def test_a_token_that_is_refused_for_a_while_loses_nothing(
    slack: Playground, start: Start
) -> None:
    """A revoked token or a missing scope can be mended: the reply waits for it."""
    await start()
    slack.faults.fail("chat.postMessage", "token_revoked")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await settled(slack, ts)


@pytest.mark.parametrize("pause", ["slow", "rate_limit"])
async def test_a_lock_lost_during_a_post_makes_no_double(
    slack: Playground, start: Start, corpus_url: str, pause: str
) -> None:
    """Slack is slow, and the connection that holds the session's lock is ended meanwhile."""
    await start("web")
    await start("worker")
    await start("worker")
    if pause == "slow":
        slack.faults.delay("chat.postMessage", 4.0)
    else:
        slack.faults.rate_limit("chat.postMessage", 3)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as admin:

        async def committed() -> bool:
            cursor = await admin.execute("SELECT count(*) FROM turn WHERE outcome IS NOT NULL")
            return await cursor.fetchone() == (1,)

        await until(committed)
        await asyncio.sleep(0.3)
        await admin.execute(
            # Of this database only: the tests beside this one hold locks on the same server.
            "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d"
            " ON d.oid = l.database WHERE l.locktype = 'advisory'"
            " AND d.datname = current_database() AND l.pid <> pg_backend_pid()"
        )
    await asyncio.sleep(6)
    await settled(slack, ts)


async def test_a_reply_that_comes_before_its_root_is_answered(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Slack brings a root again after its reply: the reply was not for nobody."""
    bot = await start("web")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.wait_until(lambda: all(event.acknowledged for event in slack.events))
    await slack.post("Ana", CHANNEL, "what does ERR_5033 mean?", thread_ts=ts)
    await slack.wait_until(lambda: all(event.acknowledged for event in slack.events))
    await bot.stop()
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        # As if the root's events had come a moment after the reply's.
        await connection.execute(
            "UPDATE inbox SET session = 'later', rests_until = now() + interval '1 hour'"
            " WHERE kind = 'mention'"
        )
        await start()

        async def ignored() -> bool:
            cursor = await connection.execute("SELECT reason FROM inbox WHERE kind = 'reply'")
            return await cursor.fetchone() == ("not_ours",)

        await until(ignored)
        await connection.execute(
            "UPDATE inbox SET session = (SELECT session FROM inbox WHERE kind = 'reply'),"
            " rests_until = NULL WHERE kind = 'mention'"
        )
    await settled(slack, ts, 2)


async def test_two_workers_answer_each_question_once(slack: Playground, start: Start) -> None:
    """Two workers and a web process: each of many questions gets one answer, one worker killed."""
    await start("web")
    first = await start("worker", FOOTNOTE_CONCURRENCY="2")
    await start("worker", FOOTNOTE_CONCURRENCY="2")
    slack.deliver_twice = True
    roots = [await slack.post("Ana", CHANNEL, mention(slack, QUESTION)) for _ in range(6)]
    for ts in roots:
        await slack.post("Ben", CHANNEL, "and in staging?", thread_ts=ts)
    await slack.wait_for_reply(CHANNEL, roots[0], timeout=30)
    await first.kill()
    for ts in roots:
        await slack.wait_for_reply(CHANNEL, ts, 2, timeout=40)
    await asyncio.sleep(3)
    assert [len(slack.bot_replies(CHANNEL, ts)) for ts in roots] == [2] * 6


async def test_four_quick_messages_are_answered_in_order(slack: Playground, start: Start) -> None:
    """Messages of one thread are answered as they were posted, without pauses between them."""
    await start()
    warm = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.wait_for_reply(CHANNEL, warm, timeout=30)
    asked = [QUESTION, "what about ERR_5033?", "what does ERR_5011 mean?", "and ERR_5020?"]
    ts = await slack.post("Ana", CHANNEL, mention(slack, asked[0]))
    for each in asked[1:]:
        await slack.post("Ana", CHANNEL, each, thread_ts=ts)
    replies = await slack.wait_for_reply(CHANNEL, ts, 4, timeout=30)
    for question, reply in zip(asked, replies, strict=True):
        code = question[question.index("ERR_") :][:8]
        assert code in reply.visible_text()
    arrivals = [float(reply.ts) for reply in replies]
    gaps = [later - earlier for earlier, later in pairwise(arrivals)]
    assert max(gaps) < 4, gaps


async def test_events_delivered_twice_are_answered_once(slack: Playground, start: Start) -> None:
    """Duplicates by event_id, and the message beside the mention, make no second answer."""
    await start()
    slack.deliver_twice = True
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await settled(slack, ts)
    for event in slack.events:
        await slack.redeliver(event.event_id)
    await settled(slack, ts)


async def test_sigterm_lets_a_running_turn_finish(slack: Playground, start: Start) -> None:
    """An operator's stop takes no answer away: the running turn is delivered, the exit is 0."""
    bot = await start()
    hold = slack.faults.hold("chat.postMessage", when=When.BEFORE)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    bot.process.terminate()
    await asyncio.sleep(0.5)
    hold.release()
    async with asyncio.timeout(20):
        assert await bot.process.wait() == 0
    await settled(slack, ts)


async def test_a_turn_beyond_its_grace_stays_pending(slack: Playground, start: Start) -> None:
    """A turn that doesn't finish in time is cancelled at a stop, and answered after the start."""
    bot = await start(FOOTNOTE_GRACE_SECONDS="0.5")
    hold = slack.faults.hold("chat.postMessage", when=When.BEFORE)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    async with asyncio.timeout(20):
        assert await bot.stop() == 0
    await start()
    await settled(slack, ts)


async def test_a_message_that_kills_its_worker_ends_in_an_error(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """After the last attempt the outcome is `error`, with an incident id; the thread goes on."""
    bot = await start(FOOTNOTE_ATTEMPTS="2")
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:

        async def attempts_are(count: int) -> bool:
            cursor = await connection.execute("SELECT coalesce(max(attempt), 0) FROM turn")
            row = await cursor.fetchone()
            return row is not None and row[0] == count

        # The corpus can't be read for as long as this lock is held: turns begin and hang.
        async with await psycopg.AsyncConnection.connect(corpus_url) as blocker:
            await blocker.execute("LOCK TABLE corpus IN ACCESS EXCLUSIVE MODE")
            ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
            await until(lambda: attempts_are(1))
            await bot.kill()
            bot = await start(FOOTNOTE_ATTEMPTS="2")
            await until(lambda: attempts_are(2))
            await bot.kill()
            await blocker.rollback()
    await start(FOOTNOTE_ATTEMPTS="2")
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "error"
    assert "incident id" in reply.text
    await slack.post("Ana", CHANNEL, "what does ERR_5033 mean?", thread_ts=ts)
    _, further = await settled(slack, ts, 2)
    assert stop_reason(further) == "cited"
