"""Each kind of reply and modal on the page, wide and on a phone; FOOTNOTE_PICTURES keeps them."""

import os
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from bot.replies import messages
from tests.bot.test_reply_pictures import KINDS, VIEWS
from tests.browser.app import running
from tests.browser.axe import findings
from tests.browser.conftest import PHONE, WIDE, Scheme, opened

PLACE = os.environ.get("FOOTNOTE_PICTURES")  # noqa: TID251 - said by hand, no setting of the bot
LOOKS: dict[str, tuple[ViewportSize, Scheme]] = {"wide": (WIDE, "light"), "phone": (PHONE, "dark")}


@pytest.mark.parametrize("look", LOOKS)
async def test_every_reply_looks_well(
    browser: Browser, slack: Playground, complaints: list[str], tmp_path: Path, look: str
) -> None:
    """Nothing is wider than the page, nothing is objected to by axe, and the console is clean."""
    size, scheme = LOOKS[look]
    folder = Path(PLACE or tmp_path)
    client = AsyncWebClient(slack.bot_token, slack.api_url)
    channel = slack.channel_id("checkout")
    async with opened(browser, complaints, size, scheme) as page:
        for kind, (reply, said) in KINDS.items():
            root = await slack.post("Ana", "checkout", f"Show me: {kind}")
            for part in messages(reply):
                blocks = part.blocks or None
                await client.chat_postMessage(
                    channel=channel, thread_ts=root, text=part.text, blocks=blocks
                )
            await page.goto(f"{slack.base_url}/#{channel}/{root}")
            pane = page.get_by_role("log", name="Thread")
            await expect(pane).to_contain_text(said[0])
            await look_at(page, "#thread", folder / f"{look} {kind}.png")
    assert complaints == []


@pytest.mark.parametrize("look", LOOKS)
async def test_every_modal_looks_well(
    browser: Browser, slack: Playground, complaints: list[str], tmp_path: Path, look: str
) -> None:
    """The same of what opens above it; its buttons are in sight without scrolling."""
    size, scheme = LOOKS[look]
    folder = Path(PLACE or tmp_path)
    client = AsyncWebClient(slack.bot_token, slack.api_url)
    async with running(slack), opened(browser, complaints, size, scheme) as page:
        await page.goto(f"{slack.base_url}/#checkout")
        await page.get_by_role("textbox").fill("@Footnote open a form")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Settings").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_be_visible()
        for kind, (view, _said) in VIEWS.items():
            await client.views_update(view_id=slack.open_views("Ana")[0].id, view=view)
            await expect(dialog).to_have_accessible_name(view["title"]["text"])
            await expect(dialog.get_by_role("button").last).to_be_in_viewport(ratio=1)
            await look_at(page, "#view", folder / f"{look} modal {kind}.png")
    assert complaints == []


async def look_at(page: Page, part: str, path: Path) -> None:
    """Hold a part of the page as it is to what it promises, and take the page's picture."""
    assert await findings(page, part) == []
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await page.screenshot(path=path)
