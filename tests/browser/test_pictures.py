"""The README's pictures, taken of the page with the real bot; `make pictures` renews them."""

import os
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from bot.cli.demo.trace import TraceSource
from bot.playground import Backstage, Playground, Tour
from schema import Pool
from tests.bot.conftest import Start
from tests.browser.conftest import PHONE, WIDE

PLACE = os.environ.get("FOOTNOTE_PICTURES")  # noqa: TID251 - said by make, no setting of the bot
QUESTION = "how do I roll back a deploy?"
TOUR = Tour(QUESTION, "and in staging?", "how do I rotate the kafka broker certificates?")
SMALLEST = 10_000  # bytes of a picture with something on it


async def test_pictures(
    browser: Browser, slack: Playground, start: Start, pool: Pool, tmp_path: Path
) -> None:
    """An answer wide and on a phone, and its trace in the dark, can be shown to anybody."""
    folder = Path(PLACE) if PLACE else tmp_path
    slack.offer(Backstage(tour=TOUR, trace=TraceSource(pool)))
    await start()
    await slack.connected()
    page = await browser.new_page(viewport=WIDE)  # pyright: ignore[reportArgumentType]  # a dict
    await page.goto(f"{slack.base_url}/#payments-oncall")
    await page.get_by_role("button", name=QUESTION).click()
    pane = page.get_by_role("region", name="Thread")
    await expect(pane).to_contain_text("rollout undo", timeout=20_000)
    await take(page, folder / "answer.png")
    await page.emulate_media(color_scheme="dark")
    await page.get_by_role("button", name="Trace", exact=True).click()
    await expect(page.get_by_text("best distance")).to_be_visible()
    await take(page, folder / "trace.png")
    await page.keyboard.press("Escape")
    await page.emulate_media(color_scheme="light")
    await page.set_viewport_size(PHONE)  # pyright: ignore[reportArgumentType]  # a dict
    await take(page, folder / "phone.png")
    await page.close()


async def take(page: Page, path: Path) -> None:
    """Take a picture without anything moving or marked in it."""
    await page.evaluate("document.activeElement.blur()")
    await page.mouse.move(0, 0)
    content = await page.screenshot(path=path)
    assert len(content) > SMALLEST
