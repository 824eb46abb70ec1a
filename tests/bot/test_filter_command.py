"""`/filter`, and names in filters that nobody knows, over Socket Mode and over HTTP."""

import psycopg

from bot.playground import Playground
from bot.playground.views import View
from bot.replies.ids import MEANT
from tests.bot.test_cli import footnote
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture

_ELSEWHERE = """
    INSERT INTO document (id, audience, source, title, service, doc_type, hash, characters)
    VALUES ('x', 'C0SECRET', 'x', 'x', 'vault', 'secret', '', 0)
"""


async def filter_(app: Playground, text: str, channel: str = CHANNEL, who: str = "Ana") -> str:
    """Use the command; what it answers."""
    receipt = await app.command(who, channel, "/filter", text)
    assert receipt.acknowledged
    return str((receipt.answer or {}).get("text"))


def offered(view: View | None, field: str) -> set[str]:
    """Return the values that a field of a form lets choose."""
    assert view is not None
    (block,) = [each for each in view.blocks if each.get("block_id") == field]
    return {each["value"] for each in block["element"]["options"]}


async def asked(app: Playground, text: str) -> str:
    """Ask in the channel; the reply as it is read."""
    ts = await app.post("Ana", CHANNEL, mention(app, text))
    (reply,) = await settled(app, ts)
    return reply.visible_text()


async def test_a_sticky_filter_by_words(app: Playground) -> None:
    """It is set for everybody to see, holds for a question, yields to the question's own words."""
    assert "everything" in await filter_(app, "")
    assert "`service:platform type:runbook`" in await filter_(app, "service:platform type:runbook")
    (told,) = [each for each in app.person("Ben").sees(CHANNEL) if "set the filter" in each.text]
    assert app.user_id("Ana") in told.text
    assert "service:platform" in await filter_(app, "show")
    assert "service platform and type runbook" in await asked(app, QUESTION)
    own = await asked(app, f"{QUESTION} service:payments")
    assert "service payments and type runbook" in own
    assert "ERR_5032" in own
    assert "all services and types" in await asked(app, f"{QUESTION} service:all type:all")
    assert "cleared the filter" in await filter_(app, "clear")
    assert "all services and types" in await asked(app, QUESTION)


async def test_a_sticky_filter_by_its_form(app: Playground, corpus_url: str) -> None:
    """The form lists what this channel may see, begins with what is set, and is saved."""
    ana = app.person("Ana")
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as connection:
        await connection.execute(_ELSEWHERE)
    assert "vault" not in await filter_(app, "service:qqq")
    await filter_(app, "service:platform")
    await filter_(app, "")
    await app.wait_until(lambda: ana.modal is not None)
    assert offered(ana.modal, "services") == {"payments", "platform"}
    assert "runbook" in offered(ana.modal, "types")
    assert (await ana.submit({"services": ["payments"], "types": ["runbook"]})).acknowledged
    assert ana.modal is None
    assert "`service:payments type:runbook`" in await filter_(app, "show")
    await app.wait_until(lambda: ana.modal is not None)
    await ana.submit({"services": [], "types": []})
    assert "everything" in await filter_(app, "show")


async def test_what_cannot_be_a_filter(app: Playground) -> None:
    """Unknown names, misspelt keys and stray words get what was meant, and change nothing."""
    assert "did you mean `service:payments`" in await filter_(app, "service:paymnts")
    assert "did you mean `type:runbook`" in await filter_(app, "typ:runbook")
    assert "Did you mean `/filter service:payments type:runbook`" in await filter_(
        app, "payments runbook"
    )
    assert "can't read “&lt;!channel&gt; x” as a filter" in await filter_(app, "<!channel> x")
    guest = app.workspace.add_user("Gus", guest=True)
    app.join(CHANNEL, guest.id)
    assert "Guests can't" in await filter_(app, "service:payments", who="Gus")
    assert "everything" in await filter_(app, "show", who="Gus")
    assert app.person("Gus").modal is None


async def test_unknown_names_in_questions(app: Playground) -> None:
    """A name that no document has gets buttons of the nearest, not another service's answer."""
    ts = await app.post("Ana", CHANNEL, mention(app, f"{QUESTION} service:paymnts"))
    (reply,) = await settled(app, ts)
    assert stop_reason(reply) == "no_match"
    assert "did you mean `service:payments`" in reply.text
    receipt = await app.click("Ben", CHANNEL, reply.ts, f"{MEANT}:0")
    assert receipt.acknowledged
    _, answer = await settled(app, ts, 2)
    assert stop_reason(answer) == "cited"
    assert "Searched service payments." in answer.visible_text()
    before = len(app.log.history(app.channel_id(CHANNEL)))
    receipt = await app.command("Ana", CHANNEL, "/ask", f"{QUESTION} typ:runbook")
    assert "did you mean `type:runbook`" in str(receipt.answer)
    assert len(app.log.history(app.channel_id(CHANNEL))) == before


def test_unknown_names_in_the_terminal(corpus_url: str) -> None:
    """`footnote ask` offers the nearest names, too."""
    ended = footnote("ask", QUESTION, "--service", "paymnts", FOOTNOTE_DATABASE_URL=corpus_url)
    assert ended.code == 1
    assert "did you mean `service:payments`?" in ended.err
    every = f"{QUESTION} service:all"
    assert footnote("ask", every, FOOTNOTE_DATABASE_URL=corpus_url).code == 0
