"""The demo goes away and comes back: nothing that was written is lost, nothing has to be done."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from bot.playground import Playground
from tests.browser.conftest import WIDE, opened, shared_loop

UNREACHABLE = ("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "403", "ERR_CONNECTION_RESET")


class Demo:
    """A stand-in that can be stopped, and started again on the same port and file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._running = AsyncExitStack()
        self.slack = Playground(state_path=path)

    async def start(self) -> None:
        """Start it, on the port that it had."""
        await self._running.enter_async_context(self.slack)

    async def stop(self) -> None:
        """Stop it, and make ready the next run."""
        port = int(self.slack.base_url.rpartition(":")[2])
        await self._running.aclose()
        self.slack = Playground(port=port, state_path=self._path)


@shared_loop()
async def demo(tmp_path: Path) -> AsyncIterator[Demo]:
    """A stand-in that is running."""
    started = Demo(tmp_path / "state.json")
    await started.start()
    yield started
    await started.stop()


@shared_loop()
async def page(browser: Browser, demo: Demo, complaints: list[str]) -> AsyncIterator[Page]:
    """Its page, which complains of nothing but that nobody answers for a while."""
    async with opened(browser, complaints, WIDE) as page:
        await page.goto(f"{demo.slack.base_url}/#checkout")
        yield page
    assert [each for each in complaints if not any(word in each for word in UNREACHABLE)] == []


async def test_the_page_survives_a_restart(page: Page, demo: Demo) -> None:
    """A new run has a new token: the open page takes it up, and nothing on it has moved."""
    root = await demo.slack.post("Ana", "checkout", "before")
    await demo.slack.post("Ben", "checkout", "a reply", root)
    await page.get_by_role("button", name="1 reply").click()
    reply = page.get_by_role("textbox", name="Reply in this thread")
    await reply.fill("half ty")
    await page.get_by_role("button", name="Traffic", exact=True).click()
    await reply.focus()
    token = demo.slack.page_token
    await demo.stop()
    await expect(page.get_by_role("status").filter(has_text="does not answer")).to_be_visible()
    await demo.start()
    assert demo.slack.page_token != token
    await demo.slack.post("Ben", "checkout", "after")
    await expect(page.get_by_text("after")).to_be_visible()
    await expect(page.get_by_text("before").first).to_be_visible()
    await expect(page.get_by_role("region", name="Traffic").first).to_be_visible()
    await page.keyboard.type("ped")
    await expect(reply).to_have_value("half typed")
    await reply.press("Enter")
    await expect(page.get_by_role("article").filter(has_text="half typed")).to_be_visible()


@pytest.mark.parametrize("words", ["is anybody there?", "/ask is anybody there?"])
async def test_what_could_not_be_sent_is_kept(page: Page, demo: Demo, words: str) -> None:
    """While the demo is down a message stays in the box with one sentence, and goes by a click."""
    await expect(page.get_by_text("No messages here yet")).to_be_visible()
    await demo.stop()
    box = page.get_by_role("textbox", name="Message #checkout")
    await box.fill(words)
    await box.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("Not sent")
    await expect(box).to_have_value(words)
    await page.get_by_role("button", name="general").click()
    await page.get_by_role("button", name="checkout").click()
    await expect(box).to_have_value(words)
    await box.press("Enter")
    await demo.start()
    await page.get_by_role("button", name="Send again").click()
    await expect(page.get_by_role("article")).to_have_count(1)
    await expect(box).to_have_value("")
    await expect(page.get_by_text("Not sent")).to_have_count(0)
