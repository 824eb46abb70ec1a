"""`/footnote`, its forms, the buttons of a thread and *Ask about this*, in both modes."""

import asyncio

import psycopg

from bot import channel_settings, service_settings
from bot.channel_settings import ChannelSettings
from bot.playground import Playground
from bot.playground.people import Person
from bot.service_settings import ServiceSettings
from bot.thread_buttons import EVERYTHING, MUTE, ONLY
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_filter_command import offered
from tests.bot.test_listening import QUIET, alert, silent
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture

SHORTCUT = "footnote:ask:message"


async def footnote(app: Playground, text: str, who: str = "Ana") -> str:
    """Use the command; what it answers."""
    receipt = await app.command(who, CHANNEL, "/footnote", text)
    assert receipt.acknowledged
    return str((receipt.answer or {}).get("text"))


def filled(person: Person) -> bool:
    """Tell whether a form is open and has its fields."""
    return person.modal is not None and "One moment" not in str(person.modal.blocks)


async def stored(app: Playground, url: str) -> ChannelSettings:
    """Return what is set for the channel."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        return await channel_settings.read(connection, app.team_id, app.channel_id(CHANNEL))


async def test_verbs(app: Playground) -> None:
    """Help without one, the documents of the channel, and the verbs there are for a wrong one."""
    assert "/footnote settings" in await footnote(app, "")
    assert "Documents that are searched here" in await footnote(app, "documents payments")
    told = await footnote(app, "setings <!channel>")
    assert "don't know “setings”" in told
    assert "`settings`" in told
    guest = app.workspace.add_user("Gus", guest=True)
    app.join(CHANNEL, guest.id)
    assert "Guests can't" in await footnote(app, "settings", who="Gus")


async def test_a_channels_form(app: Playground, corpus_url: str) -> None:
    """It begins with what is set, offers the bots that post here, complains, and is kept."""
    await app.alert(CHANNEL, text="disk full", name="Alerts")
    pager = app.workspace.add_bot("Pager")
    bot = str(app.workspace.add_bot("Alerts").bot_id)
    ana = app.person("Ana")
    await footnote(app, "settings")
    await app.wait_until(
        lambda: ana.modal is not None and "One moment" not in str(ana.modal.blocks)
    )
    assert offered(ana.modal, "bots") == {bot}
    assert (await ana.submit({"watch": "on"})).problems.keys() == {"watch"}
    chosen = {"mode": "all", "bots": [bot], "services": ["payments"], "ingest": "nobody"}
    assert (await ana.submit({**chosen, "watch": "on"})).acknowledged
    assert ana.modal is not None
    assert f"Saved. <#{app.channel_id(CHANNEL)}>" in str(ana.modal.blocks)
    await ana.close_modal()
    assert await stored(app, corpus_url) == ChannelSettings(
        "all", (bot,), ("payments",), (), "nobody", alert_watch=True
    )
    await footnote(app, "settings")
    await app.wait_until(
        lambda: ana.modal is not None and "One moment" not in str(ana.modal.blocks)
    )
    assert str(pager.bot_id) not in offered(ana.modal, "bots")
    assert (await ana.submit({"watch": "off", "bots": []})).acknowledged
    kept = await stored(app, corpus_url)
    assert (kept.mode, kept.bots, kept.services, kept.alert_watch) == (
        "all",
        (),
        ("payments",),
        False,
    )


async def test_a_services_form(app: Playground, corpus_url: str) -> None:
    """Its owner's channel and its on-call group are kept; what is no id is complained of."""
    ana = app.person("Ana")
    assert "did you mean `service:payments`" in await footnote(app, "settings paymnts")
    await footnote(app, "settings payments")
    await app.wait_until(lambda: ana.modal is not None)
    assert (await ana.submit({"oncall": "@payments-team"})).problems.keys() == {"oncall"}
    owner = app.channel_id("checkout")
    assert (await ana.submit({"owner": owner, "oncall": "<!subteam^S0PAYMENTS>"})).acknowledged
    assert "Saved. payments" in str(ana.modal and ana.modal.blocks)
    async with await psycopg.AsyncConnection.connect(corpus_url) as connection:
        held = await service_settings.read(connection, app.team_id, "payments")
    assert held == ServiceSettings(owner, "S0PAYMENTS")


async def test_the_buttons_of_a_thread(app: Playground) -> None:
    """*Only NAME* asks again with a filter that stays, *All services* lifts it, *Mute* is quiet."""
    ts = await app.post("Ana", CHANNEL, mention(app, QUESTION))
    (first,) = await settled(app, ts)
    ben = app.person("Ben")
    assert (await ben.click(CHANNEL, first.ts, f"{ONLY}:0")).acknowledged
    *_, second = await settled(app, ts, 2)
    assert "service payments" in second.visible_text()
    assert (await ben.click(CHANNEL, first.ts, f"{ONLY}:0")).acknowledged
    await app.post("Ana", CHANNEL, "and ERR_5033?", thread_ts=ts)
    *_, third = await settled(app, ts, 3)
    assert "service payments" in third.visible_text()
    assert (await ben.click(CHANNEL, third.ts, EVERYTHING)).acknowledged
    *_, fourth = await settled(app, ts, 4)
    assert "all services" in fourth.visible_text()
    assert (await ben.click(CHANNEL, fourth.ts, MUTE)).acknowledged
    await app.wait_until(lambda: len(app.ephemeral(CHANNEL, "Ben")) == 4)
    told = [each.text for each in app.ephemeral(CHANNEL, "Ben")]
    assert "searches only payments from now on. I'm asking again." in told[0]
    assert "already" in told[1]
    assert "searches everything" in told[2]
    assert "quiet" in told[3]
    await app.post("Ana", CHANNEL, "and ERR_5032?", thread_ts=ts)
    await silent(app, ts, 4)


async def test_ask_about_an_alert(app: Playground) -> None:
    """An alert's attachments are the question; its thread gets the answer, and goes on."""
    ts = await app.alert(CHANNEL, attachments=alert())
    assert (await app.person("Ana").message_shortcut(CHANNEL, ts, SHORTCUT)).acknowledged
    (reply,) = await settled(app, ts)
    assert stop_reason(reply) == "cited"
    await app.post("Ana", CHANNEL, "and ERR_5033?", thread_ts=ts)
    await settled(app, ts, 2)
    own = await app.person("Ana").message_shortcut(CHANNEL, reply.ts, SHORTCUT)
    assert own.acknowledged
    await app.wait_until(lambda: bool(app.ephemeral(CHANNEL, "Ana")))
    assert "message of mine" in app.ephemeral(CHANNEL, "Ana")[0].text
    await settled(app, ts, 2)


async def test_ask_about_a_message_where_the_bot_is_not(app: Playground) -> None:
    """Somebody's question there is answered to whoever asked, and to nobody else."""
    secret = app.workspace.add_channel("secret", [app.user_id("Ana")], with_bot=False)
    ts = await app.post("Ana", secret.id, f"{QUESTION} service:nonsense")
    assert (await app.person("Ana").message_shortcut(secret.id, ts, SHORTCUT)).acknowledged
    await app.wait_until(lambda: bool(app.ephemeral(secret.id, "Ana")), 20)
    await asyncio.sleep(QUIET)
    (told,) = app.ephemeral(secret.id, "Ana")
    assert "ERR_5032" in told.visible_text()
    assert app.bot_replies(secret.id, ts) == []
