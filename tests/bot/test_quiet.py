"""`/ask -q`: an answer that one person sees, which may be shared with the channel, once."""

import asyncio

import psycopg
import pytest

from bot.playground import Message, Playground, When
from bot.replies.blocks import actions
from bot.replies.blocks import button as press
from bot.replies.ids import CHUNK, EVERYWHERE, ONCALL, SHARE, WHY
from bot.service_settings import ServiceSettings
from schema.database import Pool
from tests.bot.conftest import Start
from tests.bot.test_clicks import client_of
from tests.bot.test_durability import CHANNEL, QUESTION, settled, stop_reason
from tests.bot.test_no_match_buttons import MISSING, set_service
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture


async def whispered(slack: Playground, question: str = QUESTION) -> Message:
    """Ask so that only Ana sees the answer; returns it."""
    before = len(slack.ephemeral(CHANNEL, "Ana"))
    receipt = await slack.command("Ana", CHANNEL, "/ask", f"-q {question}")
    assert "Only you" in str(receipt.answer)
    return await told(slack, before + 2)


async def told(slack: Playground, count: int) -> Message:
    """Return the last of so many messages that only Ana sees, once it is there."""
    await slack.wait_until(lambda: len(slack.ephemeral(CHANNEL, "Ana")) >= count, 30)
    assert len(slack.ephemeral(CHANNEL, "Ana")) == count
    return slack.ephemeral(CHANNEL, "Ana")[-1]


def posted(slack: Playground) -> list[Message]:
    """Return what everybody sees in the channel."""
    return slack.log.history(slack.channel_id(CHANNEL))


async def shared(slack: Playground, before: int) -> Message:
    """Wait until one question more stands in the channel; returns it."""
    await slack.wait_until(lambda: len(posted(slack)) > before, 30)
    return posted(slack)[-1]


async def test_only_the_asker_sees_it(app: Playground) -> None:
    """Nothing is posted; the answer has its sources, what can be opened, no buttons of a thread."""
    before = posted(app)
    answer = await whispered(app)
    assert "ERR_5032" in answer.visible_text()
    assert "Mute here" not in answer.visible_text()
    ana = app.person("Ana")
    for action, words in [(CHUNK, "ERR_5032"), (WHY, "Search by")]:
        await ana.click(CHANNEL, answer.ts, action)
        await app.wait_until(lambda w=words: ana.modal is not None and w in str(ana.modal.blocks))
        await ana.close_modal()
    assert posted(app) == before
    assert app.ephemeral(CHANNEL, "Ben") == []


async def test_shared_once_it_is_a_thread_like_any_other(app: Playground) -> None:
    """However often it is clicked, question and answer are posted once, and the thread goes on."""
    before = len(posted(app))
    answer = await whispered(app)
    ana = app.person("Ana")
    await asyncio.gather(*(ana.click(CHANNEL, answer.ts, SHARE) for _ in range(3)))
    root = await shared(app, before)
    assert QUESTION in root.text
    assert app.user_id("Ana") in root.text
    (reply,) = await settled(app, root.ts)
    assert stop_reason(reply) == "cited"
    assert "Share with channel" not in reply.visible_text()
    assert "Mute here" in reply.visible_text()
    await ana.click(CHANNEL, answer.ts, SHARE)
    await app.wait_until(lambda: "already" in app.ephemeral(CHANNEL, "Ana")[-1].text, 10)
    ben = app.person("Ben")
    await ben.click(CHANNEL, reply.ts, WHY)
    await app.wait_until(lambda: ben.modal is not None and "Search by" in str(ben.modal.blocks))
    await app.post("Ben", CHANNEL, "and ERR_5033?", thread_ts=root.ts)
    await settled(app, root.ts, 2)
    assert len(posted(app)) == before + 1


async def test_a_quiet_miss_stays_quiet(slack: Playground, start: Start, pool: Pool) -> None:
    """Owners and the gaps hear of it once it is shared; searching wider is quiet as well."""
    owner = ServiceSettings(owner_channel=slack.channel_id("checkout"), oncall="S0ONCALL")
    await set_service(pool, slack, owner)
    await start()
    miss = await whispered(slack, MISSING)
    assert "No match" in miss.text
    assert "Ask the on-call" not in miss.visible_text()
    before = len(posted(slack))
    await slack.person("Ana").click(CHANNEL, miss.ts, EVERYWHERE)
    wider = await told(slack, 3)
    assert "all services" in wider.visible_text()
    await asyncio.sleep(2)
    assert slack.log.history(slack.channel_id("checkout")) == []
    listed = await slack.command("Ana", CHANNEL, "/footnote", "gaps")
    assert "Nothing was left unanswered" in str(listed.answer)
    assert len(posted(slack)) == before
    await slack.person("Ana").click(CHANNEL, miss.ts, SHARE)
    await shared(slack, before)
    await slack.wait_until(lambda: bool(slack.log.history(slack.channel_id("checkout"))), 20)


async def test_the_on_call_is_asked_of_no_quiet_answer(
    slack: Playground, start: Start, pool: Pool
) -> None:
    """No button offers it, and a forged one says so: there is no thread to point them to."""
    await set_service(pool, slack, ServiceSettings(oncall="S0ONCALL"))
    await start()
    await whispered(slack, MISSING)
    async with pool.connection() as connection:
        cursor = await connection.execute("SELECT id FROM turn")
        ((turn,),) = await cursor.fetchall()
    forged = await client_of(slack).chat_postMessage(
        channel=slack.channel_id(CHANNEL), text="x", blocks=[actions(press("x", ONCALL, str(turn)))]
    )
    await slack.person("Ana").click(CHANNEL, str(forged["ts"]), ONCALL)
    assert "isn't kept" in (await told(slack, 3)).text


async def test_what_is_gone_is_not_shared(slack: Playground, start: Start, corpus_url: str) -> None:
    """An answer that shows a document which is deleted by now, or another's, stays where it is."""
    await start()
    answer = await whispered(slack)
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        cursor = await connection.execute("SELECT id FROM turn")
        (turn,) = await cursor.fetchone() or ("",)
        await connection.execute("DELETE FROM document")
    before = len(posted(slack))
    await slack.person("Ana").click(CHANNEL, answer.ts, SHARE)
    assert "isn't here any more" in (await told(slack, 3)).text
    forged = [actions(press("x", SHARE, turn), press("y", WHY, turn))]
    message = await client_of(slack).chat_postMessage(
        channel=slack.channel_id(CHANNEL), text="x", blocks=forged
    )
    ben = slack.person("Ben")
    await ben.click(CHANNEL, str(message["ts"]), SHARE)
    await slack.wait_until(lambda: bool(slack.ephemeral(CHANNEL, "Ben")), 10)
    assert "isn't kept" in slack.ephemeral(CHANNEL, "Ben")[0].text
    await ben.click(CHANNEL, str(message["ts"]), WHY)
    await slack.wait_until(lambda: ben.modal is not None and "isn't kept" in str(ben.modal.blocks))
    await asyncio.sleep(1)
    assert len(posted(slack)) == before + 1  # the forged one


async def test_what_has_become_private_while_it_waits_to_be_shared(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Its question, which stands in the channel by then, is answered from what is seen there."""
    await start()
    answer = await whispered(slack)
    assert "refund exceeds capture" in answer.visible_text()
    before = len(posted(slack))
    hold = slack.faults.hold("chat.postMessage", when=When.BEFORE)
    await slack.person("Ana").click(CHANNEL, answer.ts, SHARE)
    async with asyncio.timeout(20):
        await hold.reached.wait()
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        await connection.execute("UPDATE document SET audience = 'C0RED'")
        await connection.execute("UPDATE corpus SET audience = 'C0RED'")
    hold.release()
    root = await shared(slack, before)
    (reply,) = await settled(slack, root.ts)
    assert stop_reason(reply) == "no_match"
    assert "refund exceeds capture" not in reply.visible_text()


async def test_killed_before_it_was_shown(slack: Playground, start: Start, corpus_url: str) -> None:
    """An answer that was stored is shown by the next process, though its address is too old."""
    bot = await start()
    hold = slack.faults.hold("chat.postEphemeral", when=When.BEFORE)
    async with await psycopg.AsyncConnection.connect(corpus_url) as connection:
        await connection.execute("LOCK TABLE turn IN ACCESS EXCLUSIVE MODE")
        await slack.command("Ana", CHANNEL, "/ask", f"-q {QUESTION}")
        slack.clock.advance(1_801)  # the address of a command lives for half an hour
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await bot.kill()
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        await connection.execute("DELETE FROM corpus")  # a new answer would be another one
    await start()
    answer = await told(slack, 2)
    assert "ERR_5032" in answer.visible_text()
    assert "Share with channel" in answer.visible_text()


@pytest.mark.parametrize("when", [When.BEFORE, When.AFTER])
@pytest.mark.parametrize("posts", [0, 1], ids=["question", "answer"])
async def test_killed_while_sharing(
    slack: Playground, start: Start, when: When, posts: int
) -> None:
    """Whenever the process dies, one question and one answer stand in the channel in the end."""
    bot = await start()
    answer = await whispered(slack)
    before = len(posted(slack))
    if posts:
        slack.faults.delay("chat.postMessage", 0, times=posts, when=when)
    hold = slack.faults.hold("chat.postMessage", when=when)
    await slack.person("Ana").click(CHANNEL, answer.ts, SHARE)
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await bot.kill()
    await start()
    root = await shared(slack, before)
    await settled(slack, root.ts)
    assert len(posted(slack)) == before + 1


async def test_where_the_bot_is_not(slack: Playground, start: Start) -> None:
    """A quiet question is answered there, too; to share it the bot is let in first."""
    await start()
    secret = slack.workspace.add_channel("secret", [slack.user_id("Ana")], with_bot=False)
    await slack.command("Ana", secret.id, "/ask", f"–quiet {QUESTION}")
    await slack.wait_until(lambda: len(slack.ephemeral(secret.id, "Ana")) == 2, 20)
    answer = slack.ephemeral(secret.id, "Ana")[-1]
    assert "ERR_5032" in answer.visible_text()
    ana = slack.person("Ana")
    await ana.click(secret.id, answer.ts, SHARE)
    await slack.wait_until(lambda: "/invite" in str(slack.ephemeral(secret.id, "Ana")), 20)
    slack.join(secret.id, slack.bot_user_id)
    await ana.click(secret.id, answer.ts, SHARE)
    await slack.wait_until(lambda: bool(slack.log.history(secret.id)), 20)
    (root,) = slack.log.history(secret.id)
    await slack.wait_for_reply(secret.id, root.ts, timeout=20)
