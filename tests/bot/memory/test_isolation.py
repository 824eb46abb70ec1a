"""Another's memory appears nowhere: a secret planted with each person is looked for everywhere.

Six people ask at the same time in threads of their own, in each other's, and in direct messages;
the model repeats to everybody whatever it is told. Which of them do what, when, is drawn anew by
each seed.
"""

import asyncio
import json
import random
import re
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.sql import SQL, Identifier

from bot.memory import Fact, Memories, Owner
from bot.memory.shown import listed as shown
from bot.memory.shown import modal, section
from bot.playground import Playground
from tests.bot.conftest import starter
from tests.bot.memory.conftest import embedded
from tests.bot.test_durability import CHANNEL, mention
from tests.chat_server import ChatServer, Reply, tool_call
from tests.retrieval.bag_of_words import BagOfWords

PEOPLE = ("Ana", "Ben", "Chloe", "Dora", "Emil", "Finn")
QUESTIONS = (
    "what do I do about ERR_5032 on a refund?",
    "how do I roll back a deploy?",
    "I'm new here and we use a lot of refunds, what does ERR_5033 mean?",
    "and in staging?",
    "how do I rotate the kafka broker certificates?",
)
KEPT = ("turn", "step", "event", "inbox", "citation", "procrastinate_jobs", "session")
SECRET = re.compile(r"zq[a-z]+\d+xk")


def secret_of(who: str) -> str:
    """A word that nobody else would say."""
    return f"zq{who.lower()}{sum(map(ord, who))}xk"


def parrot(messages: list[Any]) -> Reply | str:
    """A model that repeats all secrets it is shown: in its searches, its answers, its facts."""
    said = "\n".join(str(each["content"]) for each in messages)
    secrets = " ".join(sorted(set(SECRET.findall(said))))
    if "You note down" in said:
        return json.dumps([{"content": f"I use a lot of refunds {secrets}"}])
    if messages[-1]["role"] == "user" and "zq" in secrets:
        query = {"query": f"refund {secrets} error"}
        return Reply(calls=(tool_call("search", query),))
    found = re.findall(r'<<<passage id="(S\w+)"', said)
    return f"As {secrets} says, look at the error first [{found[0]}]." if found else "NO_MATCH"


@dataclass
class Crowd:
    """People who ask at the same time."""

    slack: Playground
    chat: ChatServer

    async def tell(self, who: str) -> None:
        """Plant a secret: half by a direct message, half by the command."""
        fact = f"my refunds and deploys are kept in the vault {secret_of(who)}"
        if PEOPLE.index(who) % 2:
            receipt = await self.slack.person(who).command(CHANNEL, "/memory", f"add {fact}")
            assert receipt.acknowledged
        else:
            ts = await self.slack.post(who, "dm", f"remember that {fact}")
            await self.slack.wait_for_reply(self.slack.dm(who), ts, timeout=60)

    async def talk(self, who: str, dice: random.Random, roots: list[str]) -> None:
        """Ask some questions, here and there, with a look at one's memories in between."""
        for _ in range(3):
            question = dice.choice(QUESTIONS)
            if dice.random() < 0.2:
                ts = await self.slack.post(who, "dm", question)
                await self.slack.wait_for_reply(self.slack.dm(who), ts, timeout=90)
                continue
            root = dice.choice(roots) if roots and dice.random() < 0.6 else None
            text = mention(self.slack, question)
            ts = await self.slack.post(who, CHANNEL, text, thread_ts=root)
            roots.append(root or ts)
            thread = root or ts
            before = len(self.slack.bot_replies(CHANNEL, thread))
            await self.slack.wait_for_reply(CHANNEL, thread, before + 1, timeout=90)
            reply = self.slack.bot_replies(CHANNEL, thread)[-1]
            if "Used" in reply.visible_text():
                await self.slack.click(who, CHANNEL, reply.ts, "footnote:memory:list")

    def seen_by(self, who: str) -> str:
        """Everything that one person can see in the workspace."""
        person = self.slack.person(who)
        places = [
            *(person.sees(CHANNEL, each.thread_ts or each.ts) for each in person.sees(CHANNEL)),
            person.sees(CHANNEL),
            person.sees("dm"),
        ]
        messages = [message for place in places for message in place]
        views = self.slack.open_views(who)
        return "\n".join(
            [f"{each.text} {each.blocks} {each.metadata}" for each in messages]
            + [str(each.blocks) for each in views]
        )


def owners(text: str) -> set[str]:
    """Whose secrets stand in a text."""
    found = set(SECRET.findall(text))
    return {who for who in PEOPLE if secret_of(who) in found}


@pytest.mark.parametrize("seed", [1, 2])
async def test_nobody_meets_anothers_memory(corpus_url: str, chat: ChatServer, seed: int) -> None:
    """Not in a prompt, a reply, a modal, a log line, a trace, the thread's log, or a job."""
    chat.by = parrot
    dice = random.Random(seed)  # noqa: S311  # the same draws at each run
    variables = {
        "FOOTNOTE_DATABASE_URL": corpus_url,
        "FOOTNOTE_MODEL_URL": chat.url,
        "FOOTNOTE_MODEL": "parrot",
        "FOOTNOTE_LOG_LEVEL": "debug",
    }
    commands = ("/ask", "/memory")
    async with (
        Playground(retry_delays=(0.2, 1.0), people=PEOPLE, commands=commands) as slack,
        starter(slack, variables) as start,
    ):
        bot = await start()
        crowd = Crowd(slack, chat)
        for who in PEOPLE:
            await crowd.tell(who)
        roots: list[str] = []
        async with asyncio.TaskGroup() as people:
            for who in PEOPLE:
                people.create_task(crowd.talk(who, dice, roots))
        await asyncio.sleep(2)  # what is learned comes after the replies

        used = 0
        for asked in chat.asked:
            told = owners(json.dumps(asked.messages))
            assert len(told) <= 1, told
            used += len(told)
        assert used, "no memory was ever at work: this shows nothing"
        prompts = " ".join(json.dumps(asked.messages) for asked in chat.asked)
        assert f"Channel: #{CHANNEL}" in prompts
        for who in PEOPLE:
            # Whoever told it sees it in their own message, command's list and modal.
            assert owners(crowd.seen_by(who)) <= {who}
        public = [*slack.person("Ana").sees(CHANNEL)]
        everyone = [m for each in public for m in slack.replies(CHANNEL, each.ts)]
        assert owners(" ".join(f"{m.text} {m.blocks}" for m in [*public, *everyone])) == set()
        assert owners(json.dumps(bot.lines, default=str)) == set()
        await bot.stop()
    async with await psycopg.AsyncConnection.connect(corpus_url) as database:
        for table in KEPT:
            cursor = await database.execute(SQL("SELECT * FROM {}").format(Identifier(table)))
            assert owners(str(await cursor.fetchall())) == set(), table
        cursor = await database.execute("SELECT owner, content FROM memories")
        for owner, content in await cursor.fetchall():
            assert {slack.user_id(who) for who in owners(content)} <= {owner}


PERSON = st.sampled_from(
    [Owner(team, user) for team in ("T1", "T2") for user in ("UA", "UB", "UC")]
)
NOUNS = ("ledger", "deploy", "refund", "vault", "region", "team")
WORDS = st.lists(st.sampled_from(NOUNS), min_size=1)
DOING = st.sampled_from(["add", "forget", "clear", "off", "on", "recall", "list", "settle"])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(PERSON, DOING, WORDS), min_size=1, max_size=25))
async def test_whatever_people_do(
    memories: Memories, steps: list[tuple[Owner, str, list[str]]]
) -> None:
    """Whatever people do, in whatever order, each finds what is theirs and nothing else."""
    words = BagOfWords()
    for owner, doing, said in steps:
        content = f"{' '.join(said)} of {owner.team}{owner.user}"
        vector = await words.embed_query(" ".join(said))
        match doing:
            case "add":
                await memories.add(owner, Fact(content), await embedded(words, content))
            case "settle":
                await memories.add(owner, Fact(content))
                for identity, text in await memories.unsettled(owner):
                    await memories.settle(owner, identity, await embedded(words, text))
            case "forget":
                await memories.forget(owner, len(said))
            case "clear":
                await memories.clear(owner)
            case "off" | "on":
                await memories.turn(owner, on=doing == "on")
            case _:
                pass
        found = [
            *await memories.nearest(owner, vector, at_least=-1),
            *await memories.foremost(owner),
        ]
        listed, total = await memories.page(owner, 100)
        assert all(f"of {owner.team}{owner.user}" in each.content for each in (*found, *listed))
        for view in (shown(listed, total, 0, on=True), modal(listed, total, on=True)):
            assert str(view).count(" of T") == str(view).count(f" of {owner.team}{owner.user}")
        assert str(section(listed, total, on=True)).count(" of T") == min(total, 5)
