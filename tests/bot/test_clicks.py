"""Clicks and modals: each gets its answer within three seconds, known or not."""

from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.bot.test_durability import CHANNEL
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture
from tests.playground.blocks import actions, button, field, modal, text_input


def client_of(slack: Playground) -> AsyncWebClient:
    """Return a client that acts as the bot, as an older version of it would have."""
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
    client.proxy = None
    return client


async def test_an_unknown_button_is_told_of(app: Playground) -> None:
    """A button of an older version is acknowledged, and says so to whoever clicked."""
    posted = await client_of(app).chat_postMessage(
        channel=app.channel_id(CHANNEL), text="x", blocks=[actions(button("footnote:gone:press"))]
    )
    receipt = await app.person("Ana").click(CHANNEL, str(posted["ts"]), "footnote:gone:press")
    assert receipt.acknowledged
    await app.wait_until(lambda: bool(app.ephemeral(CHANNEL, "Ana")))
    (told,) = app.ephemeral(CHANNEL, "Ana")
    assert "older version" in told.text
    assert app.ephemeral(CHANNEL, "Ben") == []


async def test_an_unknown_modal_is_told_of(app: Playground) -> None:
    """A modal of an older version says so itself instead of failing or closing without a word."""
    ana = app.person("Ana")
    client = client_of(app)
    await client.views_open(
        trigger_id=app.triggers.new(ana.id),
        view=modal(field(text_input("name"), "who"), callback_id="footnote:gone:form"),
    )
    receipt = await ana.submit({"name": "Ada"})
    assert receipt.acknowledged
    assert ana.modal is not None
    assert "older version" in str(ana.modal.blocks)
