"""The page in a real Chromium, headless, beside a scripted app or the real bot."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright

from bot.playground import Playground
from tests.bot.conftest import corpus_url, pool, start

__all__ = ["corpus_url", "pool", "start"]

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
REQUIRED = os.environ.get("FOOTNOTE_TEST_BROWSER") == "required"  # noqa: TID251 - no bot's setting
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 800}


def chromium() -> str:
    """Return the path of a Chromium that is there; without one, skip, or fail where CI wants it."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        missing = "There is no Chromium here: apt-get install chromium."
        if REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A browser of the test's own."""
    path = chromium()
    # Its sandbox wants rights that root and containers don't have; it opens our own page only.
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=path, args=arguments)
        yield opened
        await opened.close()


@pytest.fixture
async def slack(tmp_path: Path) -> AsyncIterator[Playground]:
    """A stand-in whose workspace lies in a file."""
    async with Playground(
        state_path=tmp_path / "state.json",
        commands={"/ask": "QUESTION [service:NAME]", "/filter": "[clear]"},
        shortcuts=[{"type": "message", "name": "Ask about this", "callback_id": "ask"}],
    ) as playground:
        yield playground


@pytest.fixture
def complaints() -> list[str]:
    """What the page's console said, and errors in its scripts; tests end with none."""
    return []


@pytest.fixture
async def page(browser: Browser, slack: Playground, complaints: list[str]) -> AsyncIterator[Page]:
    """The page, wide and light; afterwards its console must be clean."""
    opened = await browser.new_page(viewport=WIDE, color_scheme="light")  # pyright: ignore[reportArgumentType]  # a dict
    opened.set_default_timeout(15_000)
    listen(opened, complaints)
    await opened.goto(slack.base_url)
    await opened.get_by_role("button", name="# checkout").click()
    yield opened
    assert complaints == []


def listen(page: Page, complaints: list[str]) -> None:
    """Note everything that the page complains about, refusals by its policy included."""

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(str(error)))
