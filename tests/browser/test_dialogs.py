"""What an app opens before a person: closed on one page it is closed on all of them."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Locator, Page, expect
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from bot.playground.triggers import TRIGGER_SECONDS
from tests.browser.app import FORM, running
from tests.browser.conftest import WIDE, opened, shared_loop


@shared_loop()
async def fresh(browser: Browser, slack: Playground, complaints: list[str]) -> AsyncIterator[Page]:
    """A page on which nobody has clicked or typed yet."""
    async with opened(browser, complaints, WIDE) as page:
        await page.goto(f"{slack.base_url}/#checkout")
        await expect(page.get_by_text("No messages here yet")).to_be_visible()
        yield page
    assert complaints == []


async def form(slack: Playground, page: Page) -> Locator:
    """Open the small app's form before Ana."""
    client = AsyncWebClient(slack.bot_token, slack.api_url)
    trigger = slack.triggers.new(slack.user_id("Ana"))
    await client.views_open(trigger_id=trigger, view=FORM)
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_be_visible()
    return dialog


@pytest.mark.parametrize("way", ["Close", "Close everything", "Escape", "Save"])
async def test_every_way_out_tells_the_app(slack: Playground, fresh: Page, way: str) -> None:
    """Whichever way a dialog goes, no other browser of the person has it any more."""
    async with running(slack):
        dialog = await form(slack, fresh)
        match way:
            case "Escape":
                await fresh.keyboard.press("Escape")
            case "Save":
                await dialog.get_by_role("textbox", name="Name").fill("free")
                await dialog.get_by_role("button", name="Save").click()
            case _:
                await dialog.get_by_role("button", name=way, exact=True).click()
        await expect(dialog).to_be_hidden()
        assert slack.open_views("Ana") == []


async def test_a_second_browser_begins_without_dialogs(
    browser: Browser, slack: Playground, fresh: Page, complaints: list[str]
) -> None:
    """What was opened longer ago than a click counts is not shown there; what is new is."""
    first = await form(slack, fresh)
    slack.clock.advance(TRIGGER_SECONDS + 1)
    async with opened(browser, complaints, WIDE) as second:
        await second.goto(f"{slack.base_url}/#checkout")
        await expect(second.get_by_text("No messages here yet")).to_be_visible()
        await slack.post("Ben", "checkout", "news")
        await expect(second.get_by_text("news")).to_be_visible()
        await expect(second.get_by_role("dialog")).to_be_hidden()
        await expect(first).to_be_visible()
        await form(slack, second)
