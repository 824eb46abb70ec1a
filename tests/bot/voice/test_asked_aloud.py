"""Questions that are spoken, in Slack: heard once, quoted, and answered like written ones."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from bot.outcome import Outcome, StopReason, dump, load
from bot.playground import Message, Playground
from bot.replies import render
from bot.voice.whisper import is_installed
from tests.bot.conftest import Start, starter
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason, until
from tests.model_server import Fault
from tests.transcriber_server import TranscriberServer, spoken, transcriber_server

HEARD = f"Heard: “{QUESTION}”"


@pytest.fixture
async def scribe() -> AsyncIterator[TranscriberServer]:
    """A server that writes down what clips say."""
    async with transcriber_server() as running:
        yield running


@pytest.fixture
async def start(
    slack: Playground, corpus_url: str, scribe: TranscriberServer
) -> AsyncIterator[Start]:
    """Starts processes of the bot that have their clips written down by the server."""
    variables = {
        "FOOTNOTE_DATABASE_URL": corpus_url,
        "FOOTNOTE_TRANSCRIBER_URL": scribe.url,
        "FOOTNOTE_TRANSCRIBER_TIMEOUT": "20",
    }
    async with starter(slack, variables) as begin:
        yield begin


async def say(  # noqa: PLR0913  # all that a clip may be sent with
    slack: Playground,
    words: str,
    *,
    who: str = "Ana",
    where: str = CHANNEL,
    written: str | None = None,
    thread_ts: str | None = None,
) -> str:
    """Send a clip, by default with a bare mention of the bot; returns the message's ts."""
    text = mention(slack, "") if written is None else written
    clip = spoken(words)
    return await slack.person(who).upload(where, "clip.webm", clip, text, thread_ts, clip=True)


async def reply_to(slack: Playground, ts: str, where: str = CHANNEL, count: int = 1) -> Message:
    """Wait for a thread's replies; returns the last of them."""
    return (await slack.wait_for_reply(where, ts, count, timeout=40))[-1]


async def test_a_clip_with_a_mention(
    slack: Playground, start: Start, scribe: TranscriberServer, corpus_url: str
) -> None:
    """It comes as two events, is fetched and heard once, and the reply quotes what was heard."""
    await start()
    ts = await say(slack, QUESTION)
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"
    assert HEARD in reply.visible_text()
    assert reply.visible_text().index("Heard") < reply.visible_text().index("[1]")
    assert [each.name for each in scribe.asked] == ["clip.webm"]
    async with await psycopg.AsyncConnection.connect(corpus_url) as connection:
        cursor = await connection.execute("SELECT kind, data FROM step ORDER BY number LIMIT 1")
        kind, data = await cursor.fetchone() or ("", {})
        assert (kind, data["characters"]) == ("heard", len(QUESTION))
        cursor = await connection.execute("SELECT text FROM inbox")
        assert set(await cursor.fetchall()) == {("",)}


async def test_in_a_direct_message_and_in_a_thread(slack: Playground, start: Start) -> None:
    """Without a mention, where written words need none; a written filter holds for spoken words."""
    await start()
    dm = slack.dm("Ana")
    ts = await say(slack, QUESTION, where="dm", written="")
    assert HEARD in (await reply_to(slack, ts, dm)).visible_text()
    root = await slack.post("Ana", CHANNEL, mention(slack, "how do I roll back a deploy?"))
    await reply_to(slack, root)
    await say(slack, QUESTION, written="service:platform", thread_ts=root)
    reply = await reply_to(slack, root, count=2)
    assert HEARD in reply.visible_text()
    assert "service platform" in reply.visible_text()


async def test_what_is_said_calls_nobody(slack: Playground, start: Start) -> None:
    """It is data: its marks are shown as they are, on one line, and nothing of it is a mention."""
    await start()
    said = f"<!channel> <@U123>  *{QUESTION}*\n\x00\u202e <https://evil.example|click> & so on"
    reply = await reply_to(
        slack, await say(slack, said, who="Ben", where="dm", written=""), slack.dm("Ben")
    )
    heard = reply.blocks[0]["elements"][0]["text"]
    assert heard.startswith("Heard: “&lt;!channel&gt; &lt;@U123&gt; what do I do about ERR_5032")
    assert "\n" not in heard
    assert "&lt;https://evil.example¦click&gt; &amp; so on" in heard
    assert "<!" not in str(reply.blocks)
    assert "<!" not in reply.text


@pytest.mark.usefixtures("start")
async def test_clips_that_are_for_nobody_here(
    slack: Playground, start: Start, scribe: TranscriberServer
) -> None:
    """In a thread that isn't ours, in a channel, from a guest: not fetched. Thanks: silence."""
    await start()
    gail = slack.workspace.add_user("Gail", guest=True)
    slack.join(CHANNEL, gail.id)
    root = await slack.post("Ben", CHANNEL, "lunch?")
    await say(slack, QUESTION, written="", thread_ts=root)
    await say(slack, QUESTION, written="")
    refused = await say(slack, QUESTION, who="Gail")
    await slack.wait_until(lambda: bool(slack.ephemeral(CHANNEL, gail.id)), 20)
    assert slack.bot_replies(CHANNEL, refused) == []
    assert scribe.asked == []
    thanks = await say(slack, "Thank you so much!", where="dm", written="")
    after = await slack.post("Ana", "dm", QUESTION)
    await reply_to(slack, after, slack.dm("Ana"))
    assert len(scribe.asked) == 1
    assert slack.bot_replies(slack.dm("Ana"), thanks) == []
    assert slack.bot_replies(CHANNEL, root) == []


async def test_what_goes_wrong_is_one_sentence(
    slack: Playground, start: Start, scribe: TranscriberServer
) -> None:
    """Silence, no audio, too large, too long, down: what it was and what to do, once."""
    bot = await start()
    ana, dm = slack.person("Ana"), slack.dm("Ana")

    async def told(content: bytes, name: str = "clip.webm") -> str:
        ts = await ana.upload("dm", name, content, clip=True)
        reply = await reply_to(slack, ts, dm)
        assert stop_reason(reply) == "unheard"
        assert reply.text.count(". ") == 0
        assert reply.text in reply.visible_text()
        return reply.text

    assert "heard nothing" in await told(b"")
    assert "can't read" in await told(b"%PDF-1.7")
    assert "25 MB" in await told(bytes(25_000_001), "a\0b.webm")
    assert scribe.asked[2:] == []
    scribe.faults.extend([Fault(500, {"error": "secret words"})] * 3)
    assert "just now" in await told(spoken(QUESTION))
    scribe.faults.extend([Fault(raw="<html>sign in</html>")] * 3)
    assert "just now" in await told(spoken(QUESTION))
    slack.faults.fail("files.download", "not_allowed")
    assert "files:read" in await told(spoken(QUESTION))
    slack.faults.fail("files.info", "file_not_found")
    assert "can't see that file" in await told(spoken(QUESTION))
    # Something was written beside it: that is answered, with a word about the clip.
    scribe.faults.append(Fault(400, {"error": "no"}))
    reply = await reply_to(slack, await say(slack, "hm", where="dm", written=QUESTION), dm)
    assert stop_reason(reply) == "cited"
    assert "can't read your audio clip" in reply.visible_text()
    assert "secret words" not in str(bot.lines)
    assert QUESTION not in str(bot.lines)


@pytest.mark.skipif(is_installed(), reason="only without the extra, which listens")
async def test_without_a_transcriber(slack: Playground, corpus_url: str) -> None:
    """One clear sentence that says what to do; nothing is fetched."""
    async with starter(slack, {"FOOTNOTE_DATABASE_URL": corpus_url}) as begin:
        await begin()
        (reply,) = await settled(slack, await say(slack, QUESTION))
    assert stop_reason(reply) == "unheard"
    for words in ("type your question", "FOOTNOTE_TRANSCRIBER_URL", "make voice"):
        assert words in reply.text
    assert "files.info" not in str(slack.traffic.since(0))


async def test_everything_twice_is_heard_once(
    slack: Playground, start: Start, scribe: TranscriberServer
) -> None:
    """Events delivered twice, the reply delayed by Slack: heard once, answered once."""
    await start()
    slack.deliver_twice = True
    slack.faults.rate_limit("chat.postMessage", 1)
    await settled(slack, await say(slack, QUESTION))
    assert len(scribe.asked) == 1


async def test_killed_while_listening(
    slack: Playground, start: Start, scribe: TranscriberServer
) -> None:
    """The next worker listens, and answers once."""
    bot = await start()
    arrived = asyncio.Event()
    scribe.faults.append(Fault(until=asyncio.Event(), arrived=arrived))
    ts = await say(slack, QUESTION)
    async with asyncio.timeout(30):
        await arrived.wait()
    await bot.kill()
    await start()
    (reply,) = await settled(slack, ts)
    assert HEARD in reply.visible_text()
    assert len(scribe.asked) == 2


async def test_killed_after_listening(
    slack: Playground, start: Start, scribe: TranscriberServer, corpus_url: str
) -> None:
    """What was heard is known to the next worker, which doesn't listen again."""
    bot = await start()
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        async with await psycopg.AsyncConnection.connect(corpus_url) as blocker:
            await blocker.execute("LOCK TABLE turn IN ACCESS EXCLUSIVE MODE")
            ts = await say(slack, QUESTION)

            async def known() -> bool:
                cursor = await connection.execute("SELECT count(*) FROM transcript")
                return await cursor.fetchone() == (1,)

            await until(known, 30)
            await bot.kill()
            await blocker.rollback()
        await start()
        (reply,) = await settled(slack, ts)
        assert HEARD in reply.visible_text()
        assert len(scribe.asked) == 1
        # It is kept no longer than it may be of use.
        await connection.execute("UPDATE transcript SET heard_at = now() - interval '1 hour'")

        async def forgotten() -> bool:
            return not await known()

        await until(forgotten, 30)


@pytest.mark.parametrize("stop_reason", ["cited", "no_match", "uncited", "error", "noted"])
def test_what_was_heard_stands_above_every_reply(stop_reason: StopReason) -> None:
    """As it was stored with the outcome, safe and cut; nothing stands there of written words."""
    said = "<!here> *is* it\ndown? " * 90
    outcome = load(dump(Outcome(stop_reason, notes=("Noted.",), heard=said)))
    first, *rest = render(outcome).blocks
    assert first["type"] == "context"
    words = first["elements"][0]["text"]
    assert words.startswith("Heard: “&lt;!here&gt; is it down? &lt;!here&gt;")
    assert words.endswith("…”")
    assert len(words) < 1_000
    assert rest == render(replace(outcome, heard="")).blocks


async def test_an_edit_asks_anew_without_listening(
    slack: Playground, start: Start, scribe: TranscriberServer
) -> None:
    """What is written beside a clip is changed: the same reply, and the clip is known."""
    await start()
    ana, dm = slack.person("Ana"), slack.dm("Ana")
    ts = await say(slack, QUESTION, where="dm", written="service:payments")
    first = await reply_to(slack, ts, dm)
    await ana.edit("dm", ts, "service:platform")
    await slack.wait_until(
        lambda: "service platform" in slack.bot_replies(dm, ts)[0].visible_text(), 30
    )
    (reply,) = slack.bot_replies(dm, ts)
    assert reply.ts == first.ts
    assert HEARD in reply.visible_text()
    assert len(scribe.asked) == 1


@pytest.mark.parametrize("how", ["stop", "delete"])
async def test_unwanted_while_listening(
    slack: Playground, start: Start, scribe: TranscriberServer, how: str
) -> None:
    """Stopped or taken back, the clip is left at once; stopped is said, taken back is silence."""
    await start()
    arrived = asyncio.Event()
    scribe.faults.append(Fault(until=asyncio.Event(), arrived=arrived))
    ts = await say(slack, QUESTION)
    async with asyncio.timeout(30):
        await arrived.wait()
    if how == "stop":
        await slack.post("Ana", CHANNEL, "stop", thread_ts=ts)
        assert stop_reason(await reply_to(slack, ts)) == "cancelled"
    else:
        await slack.person("Ana").delete(CHANNEL, ts)
        after = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await reply_to(slack, after)
        assert slack.bot_replies(CHANNEL, ts) == []
    assert len(scribe.asked) == 1


async def test_remembering_aloud_quotes_nothing(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """What the memory is told stands neither in the reply nor in the thread's log."""
    await start()
    fact = "I run the pelican ledger"
    ts = await say(slack, f"Remember that {fact}.")
    reply = await reply_to(slack, ts)
    assert stop_reason(reply) == "noted"
    assert "Heard: “remember that …”" in reply.visible_text()
    assert "pelican" not in reply.visible_text()
    async with await psycopg.AsyncConnection.connect(corpus_url) as connection:
        for table in ("turn", "event", "step", "inbox"):
            query = SQL("SELECT {}::text FROM {} AS {}")
            name = Identifier(table)
            cursor = await connection.execute(query.format(name, name, name))
            assert "pelican" not in str(await cursor.fetchall())
        cursor = await connection.execute("SELECT content FROM memories")
        assert await cursor.fetchall() == [(fact,)]
