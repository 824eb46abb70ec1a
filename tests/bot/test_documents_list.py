"""`/footnote documents`: what may be seen, by page; fetched again and deleted by those who may."""

import asyncio
from typing import Any

import pytest

from bot.knowledge.listing import DELETE, PAGE, REFRESH, Spot
from bot.playground import Message, Playground, When
from tests.bot.conftest import starter
from tests.bot.knowledge_server import Site
from tests.bot.test_durability import CHANNEL, stop_reason
from tests.bot.test_ingest_from_slack import (
    PAGE as HTML,
)
from tests.bot.test_ingest_from_slack import (
    QUESTION,
    RUNBOOK,
    ask,
    posted,
    receipt,
)
from tests.bot.test_ingest_from_slack import app as app  # noqa: PLC0414  # a fixture
from tests.bot.test_ingest_from_slack import site as site  # noqa: PLC0414  # a fixture


async def listed(slack: Playground, who: str, words: str = "", where: str = CHANNEL) -> Message:
    """Have the documents listed; returns the message that only this person sees."""
    before = len(slack.ephemeral(where, who))
    await slack.command(who, where, "/footnote", f"documents {words}".strip())
    await slack.wait_until(lambda: len(slack.ephemeral(where, who)) > before)
    return slack.ephemeral(where, who)[-1]


def row(message: Message, title: str) -> list[dict[str, Any]]:
    """Return a document's buttons."""
    texts = [str((each.get("text") or {}).get("text")) for each in message.blocks]
    place = next(n for n, text in enumerate(texts) if title in text and "\n" in text)
    return message.blocks[place + 1]["elements"]


def buttons(message: Message, title: str) -> dict[str, str]:
    """Return the values of a document's buttons, by action."""
    return {each["action_id"]: each["value"] for each in row(message, title)}


def label(message: Message, title: str) -> str:
    """Return what stands on the first button of a document."""
    return str(row(message, title)[0]["text"]["text"])


async def press(slack: Playground, who: str, message: Message, title: str, action: str) -> None:
    """Click a button of one document in the list."""
    value = buttons(message, title)[action]
    got = await slack.person(who).click(CHANNEL, message.ts, action, value)
    assert got.acknowledged


async def now(slack: Playground, message: Message, words: str) -> Message:
    """Wait until a message shows something; returns it as it is then."""

    def shown() -> Message:
        return next(each for each in slack.log.everything() if each.ts == message.ts)

    await slack.wait_until(lambda: words in shown().visible_text(), 20)
    return shown()


async def whispered(slack: Playground, who: str, words: str) -> None:
    """Wait until one person is told something."""
    await slack.wait_until(lambda: words in slack.ephemeral(CHANNEL, who)[-1].text, 20)


async def test_pages_and_words(app: Playground) -> None:
    """Ten a page, the latest first, each once; words narrow it; nobody else sees the list."""
    first = await listed(app, "Ana")
    assert "1 to 10" in first.visible_text()
    assert "ingested by whoever runs me" in first.visible_text()
    assert DELETE not in str(first.blocks)
    await app.person("Ana").click(CHANNEL, first.ts, f"{PAGE}:older")
    second = await now(app, first, "11 to")
    await app.person("Ana").click(CHANNEL, first.ts, f"{PAGE}:newer")
    assert (await now(app, first, "1 to 10")).visible_text() == first.visible_text()
    titles = [
        each["text"]["text"].partition("\n")[0]
        for each in [*first.blocks, *second.blocks]
        if each["type"] == "section" and "\n" in each["text"]["text"]
    ]
    assert len(titles) == len(set(titles)) > 10
    narrowed = await listed(app, "Ana", "webhook")
    assert "1 to 1" in narrowed.visible_text()
    assert "no documents" in (await listed(app, "Ana", "<!channel> `x`")).text
    assert "<!channel>" not in str(app.ephemeral(CHANNEL, "Ana")[-1].blocks)
    assert app.ephemeral(CHANNEL, "Ben") == []
    guest = app.workspace.add_user("Gail", guest=True)
    app.join(CHANNEL, guest.id)
    assert "Guests can't" in (await listed(app, "Gail")).text


async def test_a_page_is_fetched_again(app: Playground, site: Site) -> None:
    """Anybody who may ingest refreshes it, once at a time; it stays its owner's to delete."""
    channel = app.channel_id(CHANNEL)
    url = site.put("/pelican", HTML)
    await app.person("Ana").command(CHANNEL, "/ingest", f"{url} service:birds type:runbook")
    await receipt(app, channel)
    assert app.user_id("Ana") in str((await listed(app, "Ben", "pelican")).blocks)
    site.put("/pelican", HTML.replace("forty", "fifty"))
    message = await listed(app, "Ben", "pelican")
    assert label(message, "Pelican") == "Refresh"
    assert DELETE not in buttons(message, "Pelican")
    await asyncio.gather(*(press(app, "Ben", message, "Pelican", REFRESH) for _ in range(3)))
    shown = (await receipt(app, channel, 2)).visible_text()
    assert "Changed: “Check”" in shown
    assert "birds · runbook" in shown
    told = [each.text for each in app.ephemeral(CHANNEL, "Ben")]
    assert sum("fetching “Pelican failover”" in each for each in told) == 1
    assert sum("already" in each for each in told) == 2
    assert DELETE not in buttons(await listed(app, "Ben", "pelican"), "Pelican")
    assert DELETE in buttons(await listed(app, "Ana", "pelican"), "Pelican")


async def test_what_has_no_address_says_how_else(app: Playground) -> None:
    """A file is dropped anew, and what the command line brought is ingested by it.

    No button there promises to fetch them.
    """
    await app.person("Ana").upload(CHANNEL, "osprey.md", RUNBOOK, f"<@{app.bot_user_id}> ingest")
    await receipt(app, app.channel_id(CHANNEL))
    message = await listed(app, "Ben", "osprey")
    assert label(message, "Osprey") == "How to renew"
    await press(app, "Ben", message, "Osprey", REFRESH)
    await whispered(app, "Ben", "Drop its new version here")
    message = await listed(app, "Ben", "webhook")
    assert label(message, "ebhook") == "How to renew"
    await press(app, "Ben", message, "ebhook", REFRESH)
    await whispered(app, "Ben", "`footnote ingest`")
    await asyncio.sleep(1)
    assert len(posted(app, app.channel_id(CHANNEL))) == 1


async def test_it_is_deleted_from_the_list(app: Playground, site: Site) -> None:
    """The list is shown without it, and says so; nothing is found any more; twice is as once."""
    await app.person("Ana").command(CHANNEL, "/ingest", site.put("/pelican", HTML))
    await receipt(app, app.channel_id(CHANNEL))
    first, second = await listed(app, "Ana", "pelican"), await listed(app, "Ana", "pelican")
    await press(app, "Ana", first, "Pelican", DELETE)
    shown = await now(app, first, "Deleted: “Pelican failover”")
    assert "no documents with “pelican”" in shown.visible_text()
    await press(app, "Ana", second, "Pelican", DELETE)
    await now(app, second, "isn't there any more")
    assert stop_reason(await ask(app, CHANNEL, QUESTION)) == "no_match"


async def test_of_another_channel_nothing_is_listed_or_done(app: Playground, site: Site) -> None:
    """A private channel's document is in no list elsewhere, and its buttons don't work there."""
    ana = app.person("Ana")
    private = app.workspace.add_channel("red", [ana.id], private=True)
    await ana.command(private.id, "/ingest", site.put("/pelican", HTML))
    await receipt(app, private.id)
    there = await listed(app, "Ana", "pelican", private.id)
    assert "seen only in this channel" in there.visible_text()
    stolen = Spot.of(buttons(there, "Pelican")[REFRESH])
    assert "no documents" in (await listed(app, "Ana", "pelican")).text
    own = await listed(app, "Ana", "webhook")
    element = own.blocks[2]["elements"][0]
    element["value"] = str(stolen)  # as if it had been forged
    await ana.click(CHANNEL, own.ts, REFRESH)
    await whispered(app, "Ana", "isn't there any more")
    assert len(posted(app, app.channel_id(CHANNEL))) == 0


@pytest.mark.parametrize("deleted", [False, True])
async def test_killed_or_deleted_in_the_middle(
    slack: Playground, corpus_url: str, site: Site, *, deleted: bool
) -> None:
    """The next worker goes on with one receipt; what was deleted meanwhile doesn't come back."""
    variables = {"FOOTNOTE_DATABASE_URL": corpus_url, "FOOTNOTE_FETCH_INSIDE": site.host}
    channel = slack.channel_id(CHANNEL)
    async with starter(slack, variables) as start:
        bot = await start()
        await slack.person("Ana").command(CHANNEL, "/ingest", site.put("/pelican", HTML))
        await receipt(slack, channel)
        message = await listed(slack, "Ana", "pelican")
        hold = slack.faults.hold("chat.postMessage", when=When.BEFORE)
        await press(slack, "Ana", message, "Pelican", REFRESH)
        async with asyncio.timeout(30):
            await hold.reached.wait()
        if deleted:
            await press(slack, "Ana", message, "Pelican", DELETE)
            await now(slack, message, "Deleted:")
        await bot.kill()
        await start()
        shown = (await receipt(slack, channel, 2)).visible_text()
        assert ("deleted in the meantime" if deleted else "Nothing has changed") in shown
        again = await listed(slack, "Ana", "pelican")
        assert ("no documents" in again.text) == deleted
