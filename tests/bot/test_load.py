"""Many threads at once while workers are killed: every question is answered once, in order.

`make test` runs it small; `make load` runs it whole, as it is promised.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

import psycopg
import pytest

from bot.playground import Message, Playground
from tests.bot.conftest import Bot, Start, starter
from tests.bot.test_durability import mention, stop_reason

WHOLE = bool(os.environ.get("FOOTNOTE_TEST_LOAD"))  # noqa: TID251 - no setting of the bot's
THREADS, KILLS, CHANNELS = (50, 5, 10) if WHOLE else (12, 2, 4)
SECONDS = 600.0 if WHOLE else 100.0
QUESTIONS = (
    "what do I do about ERR_5032 on a refund?",
    "what about ERR_5033?",
    "what does ERR_5011 mean?",
    "and ERR_5020?",
)


@pytest.fixture
async def slack() -> AsyncIterator[Playground]:
    """A stand-in for Slack that delivers every event twice, and refuses who posts too fast."""
    channels = [f"room-{number}" for number in range(CHANNELS)]
    async with Playground(
        channels=channels, retry_delays=(0.2, 0.5, 1, 2, 4, 8, 16, 30, 60), rate_limit=True
    ) as playground:
        playground.deliver_twice = True
        yield playground


@pytest.fixture
async def start(slack: Playground, corpus_url: str) -> AsyncGenerator[Start]:
    """Starts processes that show pointers and keep Slack's pace, as they do by default."""
    variables = {
        "FOOTNOTE_DATABASE_URL": corpus_url,
        "FOOTNOTE_POINTER_SECONDS": "0.6",
        "FOOTNOTE_POSTS_PER_SECOND": "1",
    }
    async with starter(slack, variables) as begin:
        yield begin


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, as the database knows it: its ts, when it came in and was first taken up."""

    ts: str
    accepted: datetime
    begun: datetime


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread, by where it is, and the ts of its questions."""

    channel: str
    asked: Sequence[str]

    def answers(self, slack: Playground) -> list[Message]:
        """The replies that came to an end; a pointer is none yet."""
        replies = slack.bot_replies(self.channel, self.asked[0])
        return [each for each in replies if "stop_reason" in str(each.metadata)]


async def ask(slack: Playground) -> list[Thread]:
    """Ask everything at once, the threads spread over the channels."""
    threads: list[Thread] = []
    for number in range(THREADS):
        channel = f"room-{number % CHANNELS}"
        first, *further = QUESTIONS
        root = await slack.post("Ana", channel, mention(slack, first))
        rest = [await slack.post("Ben", channel, each, thread_ts=root) for each in further]
        threads.append(Thread(channel, [root, *rest]))
    return threads


async def start_all(slack: Playground, start: Start, mode: str) -> tuple[str, list[Bot]]:
    """Start what receives and two processes to be killed; returns the role of those, and them.

    Over sockets a process receives and answers, and its connection dies with it.
    """
    if mode == "socket":
        bots = [await start("run"), await start("run")]
        await slack.connected(2)
        return "run", bots
    web = await start("web", FOOTNOTE_SLACK_MODE="http")
    (listening,) = web.events("http_listening")
    slack.deliver_to(f"http://127.0.0.1:{listening['port']}/slack/events")
    return "worker", [await start("worker"), await start("worker")]


@pytest.mark.timeout(SECONDS + 100)
@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_all_are_answered_once_and_in_order(
    slack: Playground, start: Start, corpus_url: str, mode: str
) -> None:
    """Two processes are killed in turn again and again; none is lost, none doubled, none early."""
    role, bots = await start_all(slack, start, mode)
    threads = await ask(slack)
    wanted = len(QUESTIONS) * THREADS

    async def answered(count: int) -> None:
        # Looked for now and then: after each of thousands of changes it would be the load itself.
        async with asyncio.timeout(SECONDS):
            while sum(len(each.answers(slack)) for each in threads) < count:  # noqa: ASYNC110  # above
                await asyncio.sleep(0.3)

    for kill in range(KILLS):
        await answered(wanted * (kill + 1) // (KILLS + 2))
        await bots.pop(0).kill()
        bots.append(await start(role))
    await answered(wanted)
    await asyncio.sleep(4)  # in which no more may come

    async with await psycopg.AsyncConnection.connect(corpus_url) as connection:
        cursor = await connection.execute(
            "SELECT t.id, t.ts, i.accepted_at, t.started_at"
            " FROM turn t JOIN inbox i ON i.id = t.inbox"
        )
        posts = {turn: Asked(*rest) for turn, *rest in await cursor.fetchall()}
        cursor = await connection.execute("SELECT count(*) FROM inbox WHERE state = 'pending'")
        assert await cursor.fetchone() == (0,)
    for thread in threads:
        answers = thread.answers(slack)
        asked = [posts[str((each.metadata or {})["event_payload"]["turn"])] for each in answers]
        assert sorted(each.ts for each in asked) == list(thread.asked)
        for before, after in combinations(asked, 2):
            # What Slack had to bring again may come when the next one is being answered.
            assert before.ts < after.ts or after.accepted > before.begun
        assert len(slack.bot_replies(thread.channel, thread.asked[0])) == len(QUESTIONS)
        for one, reply in zip(asked, answers, strict=True):
            question = QUESTIONS[thread.asked.index(one.ts)]
            code = question[question.index("ERR_") :][:8]
            assert code in reply.visible_text()
    assert Counter(stop_reason(each) for t in threads for each in t.answers(slack)).keys() == {
        "cited"
    }
