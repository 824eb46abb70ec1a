"""Memory in Slack: told, at work in a later thread, seen and changed by its owner alone."""

import json
from collections.abc import AsyncIterator

import psycopg
import pytest

from bot.playground import Message, Playground
from tests.bot.conftest import Bot, Start, starter
from tests.bot.test_durability import CHANNEL, mention, stop_reason

FACT = "refunds with ERR_5032 are mine to handle on the payments team"
QUESTION = "what do I do about ERR_5032 on a refund of the payments team?"


@pytest.fixture
async def bot(start: Start) -> Bot:
    """The bot, running."""
    return await start()


@pytest.fixture
async def slack() -> AsyncIterator[Playground]:
    """A stand-in for Slack with the bot's commands."""
    commands = ("/ask", "/memory")
    async with Playground(retry_delays=(0.2, 0.5, 1.0, 2.0), commands=commands) as playground:
        yield playground


async def asked(slack: Playground, who: str, text: str, channel: str = CHANNEL) -> Message:
    """Mention the bot in a new thread; returns its reply."""
    ts = await slack.post(who, channel, mention(slack, text))
    (reply,) = await slack.wait_for_reply(channel, ts, timeout=40)
    return reply


async def command(slack: Playground, who: str, text: str) -> str:
    """Use `/memory`; returns what only that person sees then."""
    before = len(slack.ephemeral(CHANNEL, who))
    receipt = await slack.person(who).command(CHANNEL, "/memory", text)
    assert receipt.acknowledged
    shown = slack.ephemeral(CHANNEL, who)[before:]
    assert len(shown) == 1
    return shown[0].text


@pytest.mark.usefixtures("bot")
async def test_what_is_told_works_in_a_later_thread(slack: Playground) -> None:
    """One line confirms it; its owner's answer says that it was used, nobody else's does."""
    told = await asked(slack, "Ana", f"remember that {FACT}.")
    assert stop_reason(told) == "noted"
    assert told.text == "Noted, as your memory 1; only you can see it."
    mine = await asked(slack, "Ana", QUESTION)
    assert stop_reason(mine) == "cited"
    assert "Used 1 memory to order the sources." in mine.visible_text()
    assert FACT not in mine.visible_text()
    others = await asked(slack, "Ben", QUESTION)
    assert stop_reason(others) == "cited"
    assert "memory" not in others.visible_text()

    # The list opens for its owner; another one gets one sentence, and sees nothing of it.
    ana, ben = slack.person("Ana"), slack.person("Ben")
    await ben.click(CHANNEL, mine.ts, "footnote:memory:list")
    await slack.wait_until(lambda: bool(slack.ephemeral(CHANNEL, "Ben")))
    (sentence,) = slack.ephemeral(CHANNEL, "Ben")
    assert "only they can see them" in sentence.text
    assert ben.modal is None
    slack.faults.fail("views.open", "expired_trigger_id")
    await ana.click(CHANNEL, mine.ts, "footnote:memory:list")
    await slack.wait_until(lambda: bool(slack.ephemeral(CHANNEL, "Ana")))
    assert "try again" in slack.ephemeral(CHANNEL, "Ana")[-1].text
    await ana.click(CHANNEL, mine.ts, "footnote:memory:list")
    await slack.wait_until(lambda: ana.modal is not None)
    assert ana.modal is not None
    assert FACT in str(ana.modal.blocks)

    # From there it is forgotten, and no longer at work.
    await ana.click_modal("footnote:memory:forget", "1")
    await slack.wait_until(lambda: FACT not in str(ana.modal and ana.modal.blocks))
    assert "memory" not in (await asked(slack, "Ana", QUESTION)).visible_text()


@pytest.mark.usefixtures("bot")
async def test_the_command(slack: Playground) -> None:
    """Each of its words, and one sentence for whatever else is typed; all for one's eyes alone."""
    assert "remember nothing" in await command(slack, "Ana", "")
    assert "memory 1; only you" in await command(slack, "Ana", f"add {FACT}")
    assert "know that already" in await command(slack, "Ana", f"add {FACT.upper()}.")
    assert "memory 2" in await command(slack, "Ana", "add I like <b> & tea")
    assert await command(slack, "Ana", "list") == (
        f"*2* · I like &lt;b&gt; &amp; tea _fact_\n*1* · {FACT} _fact_"
    )
    kept = json.loads((await command(slack, "Ana", "export")).strip("`").replace("&amp;", "&"))
    assert [each["number"] for each in kept] == [1, 2]
    assert "Forgotten: 1 memory." in await command(slack, "Ana", "forget 2")
    assert "no memory 2" in await command(slack, "Ana", "forget 2")
    for wrong in ("forget", "forget two", "forget -1", "list x", "list 9", "lst", "add", "add ."):
        assert (await command(slack, "Ana", wrong)).count("\n") == 0
    assert "secrets" in await command(slack, "Ana", "add my password is hunter2")
    assert "is off" in await command(slack, "Ana", "off")
    assert "keep nothing" in await command(slack, "Ana", "add I run the ledger")
    assert "is off" in await command(slack, "Ana", "list")
    assert "memory" not in (await asked(slack, "Ana", QUESTION)).visible_text()
    assert "keep nothing" in (await asked(slack, "Ana", "remember that I run it all")).text
    assert "is on" in await command(slack, "Ana", "on")
    assert "Used 1 memory" in (await asked(slack, "Ana", QUESTION)).visible_text()
    assert "remember nothing" in await command(slack, "Ben", "list")
    assert await command(slack, "Ana", "clear") == "Forgotten: 1 memory."
    assert "remember nothing" in await command(slack, "Ana", "list")
    assert slack.ephemeral(CHANNEL, "Chloe") == []


@pytest.mark.usefixtures("bot")
async def test_a_long_export_is_a_file(slack: Playground, corpus_url: str) -> None:
    """Whole, in direct messages; the channel sees nothing, and a Slack that refuses is told of."""
    owner = slack.user_id("Ana")
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        await connection.execute(
            "INSERT INTO memory_owner (team, owner, last_number) VALUES (%s, %s, 200)",
            [slack.team_id, owner],
        )
        await connection.execute(
            "INSERT INTO memories (team, owner, number, type, content, importance)"
            " SELECT %s, %s, n, 'FACT', 'I run ```ledger``` <' || n || '> & more', 0.5"
            " FROM generate_series(1, 200) AS n",
            [slack.team_id, owner],
        )
    posted = len(slack.log.history(slack.channel_id(CHANNEL)))
    assert "as a file, in a direct message" in await command(slack, "Ana", "export")
    await slack.wait_until(lambda: len(slack.person("Ana").sees("dm")) == 2, 20)
    said, sent = slack.person("Ana").sees("dm")
    assert said.text == "What I remember of you: 200 memories."
    content = slack.files.content(sent.files[0]["id"])
    assert content is not None
    kept = json.loads(content)
    assert [each["number"] for each in kept] == list(range(1, 201))
    assert kept[6]["content"] == "I run ```ledger``` <7> & more"
    slack.faults.fail("files.completeUploadExternal", "missing_scope")
    assert "as a file" in await command(slack, "Ana", "export")
    await slack.wait_until(lambda: len(slack.ephemeral(CHANNEL, "Ana")) == 3, 20)
    assert f"--user {owner}" in slack.ephemeral(CHANNEL, "Ana")[-1].text
    assert len(slack.log.history(slack.channel_id(CHANNEL))) == posted
    assert slack.ephemeral(CHANNEL, "Ben") == []
    assert slack.person("Ben").sees("dm") == []


async def test_added_where_there_is_no_embedder(slack: Playground, corpus_url: str) -> None:
    """The process that receives keeps the words; a worker makes them findable by meaning."""
    async with starter(slack, {"FOOTNOTE_DATABASE_URL": corpus_url}) as start:
        await start("web")
        assert "memory 1" in await command(slack, "Ana", f"add {FACT}")
        await start("worker")
        for _ in range(20):
            reply = await asked(slack, "Ana", QUESTION)
            if "Used 1 memory" in reply.visible_text():
                return
    pytest.fail("what was added was never found")


@pytest.mark.usefixtures("bot")
async def test_forgetting_by_words(slack: Playground) -> None:
    """In a thread without a mention, and in direct messages; what isn't known is told so."""
    await asked(slack, "Ana", f"please remember that {FACT}")
    root = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.wait_for_reply(CHANNEL, root, timeout=40)
    await slack.post("Ana", CHANNEL, f"forget that {FACT}", thread_ts=root)
    _, reply = await slack.wait_for_reply(CHANNEL, root, 2, timeout=40)
    assert reply.text == "Forgotten: 1 memory."
    dm = slack.dm("Ana")
    ts = await slack.post("Ana", "dm", f"forget that {FACT}")
    (reply,) = await slack.wait_for_reply(dm, ts, timeout=40)
    assert "no memory that says that" in reply.text
