"""The page in a real Chromium, headless, beside a scripted app or the real bot.

A Chromium takes seconds to start on a busy machine, a page of its own moments. So each process of
the tests has one, and they share its event loop: what is awaited here is a `shared_loop` fixture.
"""

import os
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Page, ViewportSize, async_playwright

from bot.cli.demo.tour import tour
from bot.cli.demo.trace import TraceSource
from bot.playground import Backstage, Playground
from schema import Pool
from schema.database import open_pool
from tests.bot.conftest import Start, corpus_url, starter

__all__ = ["corpus_url"]

shared_loop = partial(pytest_asyncio.fixture, loop_scope="session")

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
REQUIRED = os.environ.get("FOOTNOTE_TEST_BROWSER") == "required"  # noqa: TID251 - no bot's setting
WIDE: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 800}
TOUR = tour(ingests=True)
QUESTION = TOUR.question

type Scheme = Literal["light", "dark"]


def chromium() -> str:
    """Return the path of a Chromium that is there; without one, skip, or fail where CI wants it."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        missing = "There is no Chromium here: apt-get install chromium."
        if REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Run the tests of this folder on the loop that the browser's driver is on."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@shared_loop(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """The browser of this process."""
    path = chromium()
    # Its sandbox wants rights that root and containers don't have; it opens our own page only.
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=path, args=arguments)
        yield opened
        await opened.close()


@shared_loop()
async def slack(tmp_path: Path) -> AsyncIterator[Playground]:
    """A stand-in whose workspace lies in a file."""
    async with Playground(
        state_path=tmp_path / "state.json",
        commands={"/ask": "QUESTION [service:NAME]", "/filter": "[clear]"},
        shortcuts=[{"type": "message", "name": "Ask about this", "callback_id": "ask"}],
    ) as playground:
        yield playground


@shared_loop()
async def pool(corpus_url: str) -> AsyncIterator[Pool]:
    """A pool on the corpus."""
    async with open_pool(corpus_url, engine="pg_search", max_size=8) as opened:
        yield opened


@shared_loop()
async def start(slack: Playground, corpus_url: str) -> AsyncGenerator[Start]:
    """Starts processes of the bot, connected to the stand-in and the corpus."""
    async with starter(slack, {"FOOTNOTE_DATABASE_URL": corpus_url}) as begin:
        yield begin


@shared_loop()
async def toured(slack: Playground, start: Start, pool: Pool) -> Playground:
    """The stand-in with the real bot connected, a tour, and traces of what the bot did."""
    slack.offer(Backstage(tour=TOUR, trace=TraceSource(pool)))
    await start()
    await slack.connected()
    return slack


@pytest.fixture
def complaints() -> list[str]:
    """What the page's console said, and errors in its scripts; tests end with none."""
    return []


@shared_loop()
async def page(browser: Browser, slack: Playground, complaints: list[str]) -> AsyncIterator[Page]:
    """The page, wide and light; afterwards its console must be clean."""
    async with opened(browser, complaints, WIDE) as page:
        await page.goto(slack.base_url)
        await page.get_by_role("button", name="# checkout").click()
        yield page
    assert complaints == []


@asynccontextmanager
async def opened(
    browser: Browser, complaints: list[str], size: ViewportSize, scheme: Scheme = "light"
) -> AsyncGenerator[Page]:
    """Open a page without a past, and close it with all that it kept."""
    async with await browser.new_context(viewport=size, color_scheme=scheme) as context:
        page = await context.new_page()
        page.set_default_timeout(15_000)
        listen(page, complaints)
        yield page


def listen(page: Page, complaints: list[str]) -> None:
    """Note everything that the page complains about, refusals by its policy included."""

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(str(error)))
