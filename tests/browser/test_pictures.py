"""The README's pictures, taken of the page with the real bot; `make pictures` renews them."""

import os
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from bot.playground import Playground
from tests.browser.conftest import PHONE, QUESTION, WIDE, opened

PLACE = os.environ.get("FOOTNOTE_PICTURES")  # noqa: TID251 - said by make, no setting of the bot
SMALLEST = 10_000  # bytes of a picture with something on it


async def test_pictures(
    browser: Browser, toured: Playground, complaints: list[str], tmp_path: Path
) -> None:
    """An answer wide and on a phone, and its trace in the dark, can be shown to anybody."""
    folder = Path(PLACE) if PLACE else tmp_path
    async with opened(browser, complaints, WIDE) as page:
        await page.goto(f"{toured.base_url}/#payments-oncall")
        await take_all(page, folder)
    assert complaints == []


async def take_all(page: Page, folder: Path) -> None:
    """Go to what is shown, and take the pictures."""
    await page.get_by_role("button", name=QUESTION).click()
    pane = page.get_by_role("region", name="Thread")
    await expect(pane).to_contain_text("rollout undo", timeout=20_000)
    await take(page, folder / "answer.png")
    await page.emulate_media(color_scheme="dark")
    await page.get_by_role("button", name="Trace", exact=True).click()
    await expect(page.get_by_text("best distance")).to_be_visible()
    search = page.get_by_role("heading", name="search by question")
    await search.evaluate("element => element.scrollIntoView()")
    await take(page, folder / "trace.png")
    await page.keyboard.press("Escape")
    await page.emulate_media(color_scheme="light")
    await page.set_viewport_size(PHONE)
    await take(page, folder / "phone.png")


async def take(page: Page, path: Path) -> None:
    """Take a picture without anything moving or marked in it."""
    await page.evaluate("document.activeElement.blur()")
    await page.mouse.move(0, 0)
    content = await page.screenshot(path=path)
    assert len(content) > SMALLEST
