"""The buttons of a NO_MATCH, over Socket Mode and HTTP: each does its thing once."""

import asyncio

from bot import service_settings
from bot.playground import Message, Playground
from bot.replies.blocks import button as press
from bot.replies.ids import ADD, CHUNK, EVERYWHERE, ONCALL, WHY
from bot.service_settings import ServiceSettings
from schema.database import Pool
from tests.bot.conftest import Start
from tests.bot.test_clicks import client_of
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture

MISSING = "how do I rotate the kafka broker certificates? service:payments"
GROUP = "S0ONCALL"


async def unanswered(slack: Playground, question: str = MISSING) -> tuple[str, Message]:
    """Ask what no runbook holds; returns the thread and its NO_MATCH."""
    ts = await slack.post("Ana", CHANNEL, mention(slack, question))
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "no_match"
    return ts, reply


async def set_service(pool: Pool, slack: Playground, settings: ServiceSettings) -> None:
    """Say who owns and answers for payments."""
    async with pool.connection() as connection:
        await service_settings.write(connection, slack.team_id, "payments", settings, "U1")


async def test_search_all_services(app: Playground) -> None:
    """It asks again without the filter, once, however often and by whomever it is clicked."""
    ts = await app.post("Ana", CHANNEL, mention(app, "how do I drain a node? service:payments"))
    (first,) = await app.wait_for_reply(CHANNEL, ts, timeout=30)
    assert stop_reason(first) == "no_match"
    receipts = await asyncio.gather(
        app.person("Ana").click(CHANNEL, first.ts, EVERYWHERE),
        app.person("Ben").click(CHANNEL, first.ts, EVERYWHERE),
        app.person("Ana").click(CHANNEL, first.ts, EVERYWHERE),
    )
    assert all(each.acknowledged for each in receipts)
    _, wider = await settled(app, ts, 2)
    assert "all services and types" in wider.visible_text()
    assert EVERYWHERE not in str(wider.blocks)


async def test_add_a_document(app: Playground) -> None:
    """It opens the form of `/ingest`."""
    _, reply = await unanswered(app)
    receipt = await app.person("Ana").click(CHANNEL, reply.ts, ADD)
    assert receipt.acknowledged
    await app.wait_until(lambda: app.person("Ana").modal is not None)
    modal = app.person("Ana").modal
    assert modal is not None
    assert modal.content["callback_id"] == "footnote:knowledge:form"


async def test_ask_the_oncall(slack: Playground, start: Start, pool: Pool) -> None:
    """The group is called in the thread once; without one there is no button."""
    await start()
    _, reply = await unanswered(slack)
    assert ONCALL not in str(reply.blocks)
    await set_service(pool, slack, ServiceSettings(oncall=GROUP))
    ts, reply = await unanswered(slack)
    for name in ("Ana", "Ben", "Ana"):
        assert (await slack.person(name).click(CHANNEL, reply.ts, ONCALL)).acknowledged
    _, call = await settled(slack, ts, 2)
    assert call.text.startswith(f"<!subteam^{GROUP}>")
    assert "kafka broker" in call.visible_text()
    told = [each.text for each in slack.ephemeral(CHANNEL, "Ana")]
    assert told[0] != told[-1]
    assert "already" in told[-1]


async def test_owners_hear_of_what_is_missing(slack: Playground, start: Start, pool: Pool) -> None:
    """Their channel gets the question with the way there; of a private one it gets nothing."""
    await set_service(pool, slack, ServiceSettings(owner_channel=slack.channel_id("checkout")))
    await start()
    people = [slack.user_id("Ana")]
    private = slack.workspace.add_channel("war-room", people, private=True)
    secret = mention(slack, "where is the secret merger plan? service:payments")
    root = await slack.post("Ana", private.id, secret)
    await slack.wait_for_reply(private.id, root, timeout=30)
    direct = await slack.post("Ana", "dm", "who gets fired next? service:payments")
    await slack.wait_for_reply(slack.dm("Ana"), direct, timeout=30)
    await unanswered(slack)
    there = slack.channel_id("checkout")
    await slack.wait_until(lambda: bool(slack.log.history(there)), 20)
    await asyncio.sleep(2)
    (notice,) = slack.log.history(there)
    assert "kafka broker" in notice.visible_text()
    assert "Go to the question" in notice.visible_text()
    assert not notice.pings()


async def test_buttons_of_another_channel_show_nothing(slack: Playground, start: Start) -> None:
    """What is clicked has to stand where it was asked: a turn's id opens nothing elsewhere."""
    await start()
    ts = await slack.post("Ana", "dm", QUESTION)
    (reply,) = await slack.wait_for_reply(slack.dm("Ana"), ts, timeout=30)
    assert reply.metadata is not None
    turn = reply.metadata["event_payload"]["turn"]
    forged = [
        {"type": "actions", "elements": [press("x", WHY, turn), press("y", CHUNK, f"{turn}:1")]},
    ]
    posted = await client_of(slack).chat_postMessage(
        channel=slack.channel_id(CHANNEL), text="x", blocks=forged
    )
    ben = slack.person("Ben")
    for action in (WHY, CHUNK):
        await ben.click(CHANNEL, str(posted["ts"]), action)
        await slack.wait_until(
            lambda: ben.modal is not None and "isn't kept" in str(ben.modal.blocks)
        )
        await ben.close_modal()
