"""What an answer shows of itself, and what people say of it, over Socket Mode and HTTP."""

import asyncio

import pytest

from bot import gaps, service_settings
from bot.gaps import Asked, grouped
from bot.places import Places
from bot.playground import Message, Playground
from bot.replies.gaps import render_gaps
from bot.replies.ids import CHUNK, CORRECT, EVERYWHERE, VOTE, WHY
from bot.service_settings import ServiceSettings
from schema.database import Pool
from tests.bot.conftest import Start
from tests.bot.test_clicks import client_of
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled
from tests.bot.test_edits import rows
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture


async def answered(slack: Playground, question: str = QUESTION) -> Message:
    """Ask, and return the reply."""
    ts = await slack.post("Ana", CHANNEL, mention(slack, question))
    (reply,) = await settled(slack, ts)
    return reply


def turn_of(reply: Message) -> str:
    """Return the turn that a reply shows."""
    assert reply.metadata is not None
    return str(reply.metadata["event_payload"]["turn"])


async def modal_says(slack: Playground, who: str, words: str) -> str:
    """Wait for a person's modal to say something; returns all it says."""
    person = slack.person(who)
    await slack.wait_until(lambda: person.modal is not None and words in str(person.modal.blocks))
    assert person.modal is not None
    return str(person.modal.blocks)


async def test_a_chunk_in_full(app: Playground) -> None:
    """The button beside a source shows the whole cited passage, code as it is."""
    reply = await answered(app, "how do I roll back a deploy?")
    assert (await app.person("Ben").click(CHANNEL, reply.ts, CHUNK)).acknowledged
    shown = await modal_says(app, "Ben", "rich_text")
    assert "Footnote 1" in str(app.person("Ben").modal)
    assert "rich_text_section" in shown


async def test_why_this_answer(app: Playground) -> None:
    """Filters, both ranks with their fused score, times, versions and the trace's id are shown."""
    reply = await answered(app, f"{QUESTION} service:payments")
    assert (await app.person("Ben").click(CHANNEL, reply.ts, WHY)).acknowledged
    shown = await modal_says(app, "Ben", "Trace")
    for part in (
        "service payments",
        "no. 1 by meaning",
        "by words",
        "fused score 0.0",
        "distance 0.",
        "version",
    ):
        assert part in shown
    assert "Payment error codes" in shown
    assert turn_of(reply) in shown


async def test_the_last_vote_of_a_person_counts(app: Playground, corpus_url: str) -> None:
    """A 👎 asks for the reason; every vote stands in the log, the last one with the turn."""
    reply = await answered(app)
    turn = turn_of(reply)
    for value in ("up", "down"):
        receipt = await app.person("Ben").click(CHANNEL, reply.ts, VOTE, f"{turn}:{value}")
        assert receipt.acknowledged
    await modal_says(app, "Ben", "What would be right?")
    receipt = await app.person("Ben").submit({"reason": "outdated", "correction": "Ask *Dora*."})
    assert receipt.acknowledged
    await modal_says(app, "Ben", "it is kept with this answer")
    await app.person("Ben").close_modal()
    found = await rows(corpus_url, "SELECT helpful, reason, correction FROM feedback")
    assert found == [(False, "outdated", "Ask *Dora*.")]
    log = await rows(corpus_url, "SELECT text FROM event WHERE kind = 'feedback' ORDER BY number")
    assert log == [("",), ("",), ("Ask *Dora*.",)]
    await app.person("Ben").click(CHANNEL, reply.ts, VOTE, f"{turn}:up")
    assert await rows(corpus_url, "SELECT helpful, reason FROM feedback") == [(True, None)]


async def test_correct_this_without_a_vote(slack: Playground, start: Start, pool: Pool) -> None:
    """A correction counts as no vote, and reaches nobody by itself."""
    await start()
    reply = await answered(slack)
    await slack.person("Ana").click(CHANNEL, reply.ts, CORRECT)
    await modal_says(slack, "Ana", "What would be right?")
    await slack.person("Ana").submit({"correction": "x"})
    async with pool.connection() as connection:
        cursor = await connection.execute("SELECT helpful, correction FROM feedback")
        assert await cursor.fetchall() == [(None, "x")]


async def test_owners_hear_of_a_bad_answer(slack: Playground, start: Start, pool: Pool) -> None:
    """A 👎 reaches the service's owner channel, once for an answer."""
    owners = slack.channel_id("checkout")
    async with pool.connection() as connection:
        settings = ServiceSettings(owner_channel=owners)
        await service_settings.write(connection, slack.team_id, "payments", settings, "U1")
    await start()
    reply = await answered(slack)
    assert f"<#{owners}>" in str(reply.blocks)
    for who in ("Ana", "Ben"):
        await slack.person(who).click(CHANNEL, reply.ts, VOTE, f"{turn_of(reply)}:down")
    await slack.wait_until(lambda: bool(slack.log.history(owners)), 20)
    await asyncio.sleep(1.5)
    (notice,) = slack.log.history(owners)
    assert "ERR_5032" in notice.visible_text()


@pytest.mark.parametrize("what", ["vote", "why"])
async def test_without_a_database_a_click_gets_a_sentence(
    slack: Playground, start: Start, pool: Pool, what: str
) -> None:
    """Slack brings no click again, so whoever clicked is told to."""
    await start()
    reply = await answered(slack)
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("LOCK TABLE turn IN ACCESS EXCLUSIVE MODE")
        ben = slack.person("Ben")
        if what == "vote":
            receipt = await ben.click(CHANNEL, reply.ts, VOTE, f"{turn_of(reply)}:up")
            assert receipt.acknowledged
            await slack.wait_until(lambda: bool(slack.ephemeral(CHANNEL, "Ben")))
            assert "database" in slack.ephemeral(CHANNEL, "Ben")[0].text
        else:
            await ben.click(CHANNEL, reply.ts, WHY)
            await modal_says(slack, "Ben", "database")


async def test_gaps_are_what_was_not_answered(slack: Playground, start: Start, pool: Pool) -> None:
    """NO_MATCH and 👎, alike ones together; nothing of a private place shows anywhere else."""
    await start()
    missing = "how do I rotate the kafka broker certificates?"
    for question in (missing, f"{missing} please"):
        await answered(slack, question)
    reply = await answered(slack)
    await slack.person("Ben").click(CHANNEL, reply.ts, VOTE, f"{turn_of(reply)}:down")
    direct = await slack.post("Ana", "dm", "who gets fired next in accounting?")
    await slack.wait_for_reply(slack.dm("Ana"), direct, timeout=30)
    places = Places(client_of(slack))
    async with pool.connection() as connection:
        found = await gaps.read(connection, slack.team_id)
    everywhere = await gaps.seen(found, places)
    there = await gaps.seen(found, places, slack.dm("Ana"))
    guest = await gaps.seen(found, places, slack.channel_id("general"), only_here=True)
    assert [(len(gap.asked), gap.unhelpful) for gap in everywhere] == [(2, 0), (1, 1)]
    assert any("fired" in gap.question for gap in there)
    assert guest == []
    shown = str(render_gaps(everywhere))
    assert "asked 2×" in shown
    assert "1 👎" in shown
    assert "fired" not in shown


async def test_what_a_second_try_answered_is_no_gap(
    slack: Playground, start: Start, pool: Pool
) -> None:
    """A question that found nothing with its filter, and an answer without it, is answered."""
    await start()
    reply = await answered(slack, "how do I drain a node? service:payments")
    async with pool.connection() as connection:
        assert len(await gaps.read(connection, slack.team_id)) == 1
    await slack.person("Ben").click(CHANNEL, reply.ts, EVERYWHERE)
    await slack.wait_for_reply(CHANNEL, str(reply.thread_ts), 2, timeout=30)
    async with pool.connection() as connection:
        assert await gaps.read(connection, slack.team_id) == []


def test_alike_is_what_shares_its_stems() -> None:
    """Other words about the same things are one gap; the largest comes first."""

    def asked(question: str, *earlier: str) -> Asked:
        return Asked("t", "C1", question, "no_match", 0, earlier)

    found = grouped(
        [
            asked("where is the wifi password"),
            asked("rotating kafka certificates"),
            asked("how do I rotate the kafka certificate? service:platform"),
            asked("and in staging?", "how do I restart the mail relay?"),
        ]
    )
    assert [gap.question for gap in found] == [
        "rotating kafka certificates",
        "where is the wifi password",
        "and in staging? (after “how do I restart the mail relay?”)",
    ]
    assert grouped([]) == []
    assert "Nothing was left" in str(render_gaps([]))
