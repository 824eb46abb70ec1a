"""One post a second in a channel: answers wait their turn, and their threads see it."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from psycopg import AsyncConnection
from slack_sdk.web.async_client import AsyncWebClient

from bot import inbox
from bot.delivery import Delivery
from bot.events import Incoming
from bot.inbox import Message
from bot.pace import InLine, Pace
from bot.playground import Playground
from bot.status import Status
from schema.database import Pool, open_pool
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, stop_reason

GAP = 100.0  # seconds, so that the test's own don't count
REAL = {"FOOTNOTE_POSTS_PER_SECOND": "1"}
STATUS = "assistant.threads.setStatus"


@pytest.fixture
async def pools(database_url: str) -> AsyncIterator[tuple[Pool, Pool]]:
    """The pools of two workers."""
    async with (
        open_pool(database_url, engine="pg_search", max_size=2) as one,
        open_pool(database_url, engine="pg_search", max_size=2) as two,
    ):
        yield one, two


def pace() -> Pace:
    """A worker's pace, where nothing reaches Slack."""
    nowhere = AsyncWebClient("xoxb-1", "http://127.0.0.1:9/", retry_handlers=[])
    return Pace(Delivery(nowhere, GAP), Status(nowhere), GAP)


async def taken_up(pool: Pool, ts: str, channel: str = "C1") -> Message:
    """A message that is being answered."""
    async with pool.connection() as connection:
        session = f"T1:{channel}:{ts}"
        asked = Incoming(
            event_id=f"Ev{ts}{channel}",
            kind="mention",
            team="T1",
            channel=channel,
            ts=ts,
            root_ts=ts,
            author="U1",
            text="why?",
        )
        async with connection.transaction():
            await inbox.accept(connection, asked)
        message = await inbox.next_message(connection, session)
    assert message is not None
    return message


async def place(pool: Pool, message: Message, posts: int = 1) -> int:
    """How many posts of the channel a message waits for."""
    async with pool.connection() as connection:
        try:
            await pace().await_turn(connection, message, posts)
        except InLine as line:
            return round(line.seconds / GAP)
    return 0


async def test_workers_take_turns_in_the_database(pools: tuple[Pool, Pool]) -> None:
    """Each message has a time of its own, behind the posts before it, and keeps it."""
    one, two = pools
    messages = [await taken_up(one, f"{number}.1") for number in range(1, 5)]
    assert await place(one, messages[0]) == 0
    assert await place(two, messages[1], posts=2) == 1
    assert await place(one, messages[2]) == 3
    assert await place(two, messages[2]) == 3
    assert await place(two, messages[3]) == 4
    assert await place(two, await taken_up(one, "5.1", channel="C2")) == 0


async def test_a_command_takes_two_times(pools: tuple[Pool, Pool]) -> None:
    """Its question is one post and its answer another, behind what took a time in between."""
    one, two = pools
    asked = Incoming(
        event_id="Ev1",
        kind="command",
        team="T1",
        channel="C1",
        ts="",
        root_ts="command:Ev1",
        author="U1",
        text="why?",
    )
    async with one.connection() as connection:
        async with connection.transaction():
            await inbox.accept(connection, asked)
        question = await inbox.next_message(connection, asked.session)
        assert question is not None
        assert await place(two, question) == 0
        async with connection.transaction():
            session = await inbox.root_posted(connection, question, "1.1")
        assert await place(two, await taken_up(one, "2.1")) == 1
        answer = await inbox.next_message(connection, session)
    assert answer is not None
    assert await place(two, answer) == 2


async def test_a_pointer_has_no_place_before_answers(pools: tuple[Pool, Pool]) -> None:
    """What may be left out is posted only where nobody waits, and then the next one waits."""
    one, two = pools
    message = await taken_up(one, "1.1")
    async with two.connection() as connection:
        assert await pace().free(connection, "C1")
        assert not await pace().free(connection, "C1")
        assert await place(one, message) == 1
        assert await pace().free(connection, "C2")


async def test_a_pause_that_slack_wants_is_kept_by_all(pools: tuple[Pool, Pool]) -> None:
    """After a 429 nobody posts in the channel, not at a time either that was taken before it."""
    one, two = pools
    message, other = await taken_up(one, "1.1"), await taken_up(one, "2.1")
    assert await place(one, message) == 0
    async with one.connection() as connection:
        early = await pace().place(connection, "C2", None)
        for channel in ("C1", "C2"):
            await pace().hold(connection, channel, 3 * GAP)
        with pytest.raises(InLine) as line:
            await pace().come(connection, early)
    assert round(line.value.seconds / GAP) == 3
    assert await place(two, other) == 3
    assert await place(two, message) == 3


async def test_whoever_comes_late_posts_beside_nobody(pools: tuple[Pool, Pool]) -> None:
    """A post that is made later than its time waits for the one that is being made then."""
    one, two = pools
    async with one.connection() as connection, two.connection() as another:
        late = await pace().place(connection, "C1", None)
        await connection.execute("UPDATE channel_pace SET free_at = now()")  # its time has passed
        await pace().come(another, await pace().place(another, "C1", None))
        assert not await pace().free(another, "C1")
        with pytest.raises(InLine) as line:
            await pace().come(connection, late)
    assert round(line.value.seconds / GAP) == 1


async def test_a_clock_that_is_put_back_silences_no_channel(pools: tuple[Pool, Pool]) -> None:
    """Times that were taken hours ahead hold nobody up for longer than the longest line."""
    one, two = pools
    message, other = await taken_up(one, "1.1"), await taken_up(one, "2.1")
    assert await place(one, message) == 0
    async with one.connection() as connection:
        await connection.execute(
            "UPDATE channel_pace SET free_at = free_at + interval '1 day',"
            " busy_until = busy_until + interval '1 day'"
        )
        await connection.execute("UPDATE inbox SET posts_at = posts_at + interval '1 day'")
    assert await place(two, message) == 9
    assert await place(two, other) == 9
    assert await place(two, message) == 9
    async with one.connection() as connection:
        await connection.execute("UPDATE inbox SET posts_at = now()")
    assert await place(two, message) == 0


@pytest.fixture
async def slack() -> AsyncIterator[Playground]:
    """A stand-in for Slack that refuses whoever posts faster than one message a second."""
    async with Playground(retry_delays=(0.2, 0.5, 1.0, 2.0), rate_limit=True) as playground:
        yield playground


async def let_others_post(url: str, slack: Playground) -> None:
    """Take the channel's next seconds: a slow machine's answers come too late to wait."""
    async with await AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            "INSERT INTO channel_pace VALUES (%s, now() + interval '6 s')"
            " ON CONFLICT (channel) DO UPDATE SET free_at = excluded.free_at",
            [slack.channel_id(CHANNEL)],
        )


async def test_many_answers_in_one_channel_are_never_refused(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Two workers keep one pace; whoever waits is told by the status of the thread."""
    for _ in range(2):
        await start(**REAL)
    await let_others_post(corpus_url, slack)
    roots = [await slack.post("Ana", CHANNEL, mention(slack, QUESTION)) for _ in range(8)]
    await slack.wait_until(lambda: any("waiting" in slack.status(CHANNEL, ts) for ts in roots), 30)
    for ts in roots:
        (reply,) = await slack.wait_for_reply(CHANNEL, ts, timeout=40)
        assert stop_reason(reply) == "cited"
        assert slack.status(CHANNEL, ts) == ""
    posts = [each for each in slack.traffic.since(0) if each["name"] == "chat.postMessage"]
    assert [each["outcome"] for each in posts] == ["ok"] * len(roots)


async def test_without_a_status_the_asker_is_told_once(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Where Slack shows no status, a word to the asker alone says that the answer waits."""
    slack.faults.fail(STATUS, "missing_scope", times=100)
    await start(**REAL)
    first = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.wait_for_reply(CHANNEL, first, timeout=40)
    assert slack.ephemeral(CHANNEL, "Ana") == []
    await let_others_post(corpus_url, slack)
    roots = [await slack.post("Ana", CHANNEL, mention(slack, QUESTION)) for _ in range(3)]
    for ts in roots:
        await slack.wait_for_reply(CHANNEL, ts, timeout=40)
    told = [each.text for each in slack.ephemeral(CHANNEL, "Ana")]
    assert 0 < len(told) <= len(roots)
    assert all("Your answer comes in about" in each for each in told)


async def test_whoever_gave_a_command_is_told(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Its question isn't in the channel yet, so that there is no thread to say so in."""
    await start(**REAL)
    await let_others_post(corpus_url, slack)
    await slack.command("Ana", CHANNEL, "/ask", QUESTION)
    await slack.wait_until(lambda: bool(slack.log.history(slack.channel_id(CHANNEL))), 30)
    (told,) = slack.ephemeral(CHANNEL, "Ana")
    assert "Your question comes in about" in told.text


async def test_a_worker_killed_while_answers_wait(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """The next worker posts them at their times, each once."""
    worker = await start(**REAL)
    await let_others_post(corpus_url, slack)
    roots = [await slack.post("Ana", CHANNEL, mention(slack, QUESTION)) for _ in range(6)]
    await slack.wait_until(lambda: any("waiting" in slack.status(CHANNEL, ts) for ts in roots), 30)
    await worker.kill()
    await start(**REAL)
    for ts in roots:
        await slack.wait_for_reply(CHANNEL, ts, timeout=40)
    await asyncio.sleep(2)
    assert [len(slack.bot_replies(CHANNEL, ts)) for ts in roots] == [1] * len(roots)
