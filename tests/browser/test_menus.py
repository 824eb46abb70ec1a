"""The menu of a message: all of it is in sight, and what it does happens where it was pressed."""

import pytest
from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

from bot.playground import Playground
from tests.browser.conftest import PHONE, WIDE, opened

SIZES = pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])


def menu(messages: Locator, text: str) -> Locator:
    """What opens the menu of Ana's message of that text."""
    article = messages.get_by_role("article").filter(has_text=text)
    return article.get_by_label("Actions for the message of Ana")


@SIZES
async def test_a_message_is_edited_where_its_menu_was(
    browser: Browser, slack: Playground, complaints: list[str], size: ViewportSize
) -> None:
    """A thread's first message is edited in the thread, also where that covers the channel."""
    root = await slack.post("Ana", "checkout", "a questoin")
    await slack.post("Ben", "checkout", "a reply", root)
    async with opened(browser, complaints, size) as page:
        await page.goto(f"{slack.base_url}/#checkout/{root}")
        pane = page.get_by_role("log", name="Thread")
        await menu(pane, "a questoin").click()
        await pane.get_by_role("button", name="Edit").click()
        edit = pane.get_by_role("textbox", name="Edit this message")
        await expect(edit).to_be_focused()
        await edit.fill("a question")
        await edit.press("Enter")
        await expect(pane.get_by_role("article").first).to_contain_text("a question")
        await expect(pane.get_by_role("article").first).to_be_focused()
        await expect(page.get_by_role("textbox", name="Edit this message")).to_have_count(0)
    assert complaints == []


@SIZES
async def test_a_menu_is_all_in_sight(
    browser: Browser, slack: Playground, complaints: list[str], size: ViewportSize
) -> None:
    """Where there is no room below its message a menu opens upwards, else downwards."""
    for number in range(10, 40):
        await slack.post("Ana", "checkout", f"message {number}")
    async with opened(browser, complaints, size) as page:
        await page.goto(f"{slack.base_url}/#checkout")
        messages = page.get_by_role("log", name="Messages")
        for text in ("message 39", "message 10"):
            await menu(messages, text).click()
            await in_sight(page, messages)
            await page.keyboard.press("Escape")
    assert complaints == []


async def in_sight(page: Page, messages: Locator) -> None:
    """Hold the open menu's first and last entry to be within what scrolls."""
    await expect(page.get_by_role("button", name="Delete")).to_be_in_viewport(ratio=1)
    await expect(page.get_by_role("button", name="React with +1")).to_be_in_viewport(ratio=1)
    whole = await messages.bounding_box()
    last = await page.get_by_role("button", name="Delete").bounding_box()
    first = await page.get_by_role("button", name="React with +1").bounding_box()
    assert whole is not None
    assert last is not None
    assert first is not None
    assert first["y"] >= whole["y"]
    assert last["y"] + last["height"] <= whole["y"] + whole["height"]
