"""The Home tab: what it shows, to whom, and that it stays within Slack's limits."""

from datetime import UTC, datetime

import psycopg

from bot.channel_settings import ChannelSettings
from bot.home import home_view
from bot.home.channels import channels_section
from bot.home.documents import documents_section, latest_section
from bot.memory import Memory
from bot.memory.shown import section as memory_section
from bot.playground import Playground
from retrieval.shelf import Kind, Latest
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture

_COPY = """
    INSERT INTO document (id, team, audience, source, title, service, doc_type, hash, characters)
    VALUES (%(title)s, %(team)s, %(audience)s, %(title)s, %(title)s, 'vault', 'runbook', '', 0)
"""


async def home(app: Playground, who: str) -> str:
    """Open somebody's Home tab; what it says."""
    person = app.person(who)
    await person.open_home()
    await app.wait_until(lambda: person.home is not None, 20)
    assert person.home is not None
    return str(person.home.blocks)


async def test_each_sees_what_they_may(app: Playground, corpus_url: str) -> None:
    """Documents of a private channel are shown to its members, those of a DM to whom it is with."""
    secret = app.workspace.add_channel("secret", [app.user_id("Ana")], private=True)
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        for title, audience in [("Vault seals", secret.id), ("My notes", app.dm("Ben"))]:
            values = {"title": title, "team": app.team_id, "audience": audience}
            await connection.execute(_COPY, values)
        elsewhere = {"title": "Theirs", "team": "T2", "audience": None}
        await connection.execute(_COPY, elsewhere)
    ana, ben, chloe = await home(app, "Ana"), await home(app, "Ben"), await home(app, "Chloe")
    assert "Vault seals" in ana
    assert "vault" in ana
    assert "My notes" in ben
    assert "vault" not in chloe
    for shown in (ana, ben, chloe):
        assert "payments" in shown
        assert "Theirs" not in shown
    assert "My notes" not in ana
    assert "Vault seals" not in ben


async def test_settings_are_shown_and_guests_refused(app: Playground) -> None:
    """What was set for a channel shows at the next opening; who may not ask sees why."""
    await app.command("Ana", "checkout", "/filter", "service:platform")
    assert "searches `service:platform`" in await home(app, "Ben")
    app.workspace.add_user("Gus", guest=True)
    shown = await home(app, "Gus")
    assert "Guests can't" in shown
    assert "payments" not in shown


def test_documents_by_service() -> None:
    """Each service with its types and counts; names are escaped, a long list is cut."""
    blocks = documents_section([Kind("a<b", "runbook", 2), Kind("a<b", "note", 1)])
    assert "*a&lt;b*: runbook 2, note 1" in str(blocks)
    many = documents_section([Kind(f"s{number}", "runbook", 1) for number in range(40)])
    assert "… and 15 more services." in str(many)
    assert "no documents" in str(documents_section([]))


def test_the_latest_documents() -> None:
    """Title, place and time in the reader's zone; without documents the section isn't there."""
    at = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    shown = str(latest_section([Latest("A*b", "pay", "runbook", None, "C1", at)]))
    assert "• Ab · pay · runbook · <!date^1767323040^" in shown
    assert "only in <#C1>" in shown
    assert latest_section([]) == []


def test_channels_that_were_set() -> None:
    """Those left as they were aren't named."""
    chosen = ChannelSettings("all", ("B1",), ("pay",), alert_watch=True, ingest="admins")
    shown = str(channels_section({"C1": chosen, "C2": ChannelSettings()}))
    assert "<#C1>: answers every question · alert watch on" in shown
    assert "searches `service:pay` · documents added by admins" in shown
    assert "C2" not in shown


def test_a_home_tab_is_never_too_long() -> None:
    """What doesn't fit into a hundred blocks is left out, by whole sections."""
    section = [{"type": "divider"}] * 49
    assert len(home_view([section, section, section])["blocks"]) == 99
    assert home_view([[], section[:1]])["blocks"] == section[:1]


def test_memories_are_counted_in_words() -> None:
    """None, one and several, each in a sentence that is one."""
    one = Memory("m", 1, "FACT", "I run the ledger", 0.5)
    for count, words in [
        (0, "I remember nothing of you yet."),
        (1, "I remember 1 memory of yours; only you can see it."),
        (2, "I remember 2 memories of yours; only you can see them."),
    ]:
        blocks = memory_section([one] * count, count, on=True)
        assert words in str(blocks[1])
        assert "Memory is off" in str(memory_section([one] * count, count, on=False)[1])
