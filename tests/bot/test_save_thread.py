"""Save thread as document: a preview without names, secrets refused, then a cited answer."""

import pytest

from bot.playground import Playground
from bot.playground.elements import elements
from tests.bot.knowledge_server import Site
from tests.bot.test_durability import CHANNEL, stop_reason
from tests.bot.test_ingest_from_slack import app, ask, receipt, site

__all__ = ["app", "site"]

SHORTCUT = "footnote:knowledge:save_thread"
TOKEN = "xoxb-" + "8804417723-qkDWR93hzuJKL45tmyo"


def preview(slack: Playground) -> str:
    """Return the text of the thread in Ana's modal."""
    view = slack.person("Ana").modal
    assert view is not None
    return "\n".join(
        str(each.content.get("initial_value", ""))
        for each in elements(view.blocks)
        if each.action_id.startswith("text")
    )


async def test_a_thread_becomes_a_document(app: Playground, site: Site) -> None:
    """Previewed and edited, with roles for names; found and cited afterwards."""
    del site
    ana, ben = app.person("Ana"), app.person("Ben")
    root = await ana.post(CHANNEL, "The Kestrel gateway rejects all webhooks, Ben any idea?")
    await ben.post(CHANNEL, "Rotate the Kestrel seal: `kestrelctl seal --rotate`", root)
    ts = await ana.post(CHANNEL, "that fixed it", root)
    await ana.message_shortcut(CHANNEL, ts, SHORTCUT)
    await app.wait_until(lambda: ana.modal is not None and "text0" in str(ana.modal.blocks), 15)
    text = preview(app)
    assert "**Asker:**" in text
    assert "**Responder 1:**\n\nRotate" in text
    assert app.user_id("Ben") not in text
    await ana.submit({"text0": f"{text}\n\npassword: {TOKEN}"})
    assert ana.modal is not None
    assert "Line" in str(ana.modal.errors)
    await ana.submit({"text0": text, "title": "Kestrel rejects webhooks", "service": "birds"})
    shown = await receipt(app, app.channel_id(CHANNEL))
    assert shown.thread_ts == root
    assert "Kestrel rejects webhooks" in shown.visible_text()
    reply = await ask(app, CHANNEL, "what do I do when the Kestrel gateway rejects webhooks?")
    assert stop_reason(reply) == "cited"
    assert "Kestrel" in reply.visible_text()


@pytest.mark.parametrize("app", ["socket"], indirect=True)
async def test_guests_get_a_sentence_instead_of_the_thread(app: Playground) -> None:
    """Who may not ingest isn't shown the preview."""
    gail = app.workspace.add_user("Gail", guest=True)
    app.join(CHANNEL, gail.id)
    ts = await app.post("Ana", CHANNEL, "The Kestrel gateway is down")
    person = app.person("Gail")
    await person.message_shortcut(CHANNEL, ts, SHORTCUT)
    await app.wait_until(lambda: "Guests" in str(person.modal and person.modal.blocks), 15)
