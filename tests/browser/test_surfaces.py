"""What the real bot can do besides answering: filter, remember, ingest, show what it cited."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from bot.manifest import load_manifest
from bot.playground import Playground
from bot.playground.faults import When
from tests.browser.conftest import shared_loop


@shared_loop()
async def slack(tmp_path: Path) -> AsyncIterator[Playground]:
    """A stand-in that knows all of the app's commands."""
    manifest = await asyncio.to_thread(load_manifest)
    async with Playground(
        state_path=tmp_path / "state.json",
        commands=manifest.commands,
        shortcuts=manifest.shortcuts,
        home=manifest.home,
    ) as playground:
        yield playground


async def write(page: Page, words: str) -> None:
    """Send something in the open channel."""
    box = page.get_by_role("textbox", name="Message #checkout")
    await box.fill(words)
    await box.press("Enter")


def replies(page: Page) -> Locator:
    """The app's messages in the open thread."""
    return page.get_by_role("log", name="Thread").get_by_role("article", name="Footnote")


async def test_a_filter_and_the_way_out_of_it(toured: Playground, page: Page) -> None:
    """`/filter` narrows a channel; a NO_MATCH says so, and searches wider by a click."""
    await write(page, "/filter service:payments")
    await expect(page.get_by_text("set the filter: service:payments")).to_be_visible()
    await write(page, "@Footnote how do I drain a node?")
    await expect(replies(page).first).to_contain_text("No match", timeout=20_000)
    await expect(replies(page).first).to_contain_text("in service payments")
    await replies(page).first.get_by_role("button", name="Search all services").click()
    await expect(replies(page)).to_have_count(2, timeout=20_000)
    await expect(replies(page).last).to_contain_text("Searched all services and types.")
    assert toured.person("Ana").modal is None


async def test_a_misspelt_filter_is_mended_by_a_click(toured: Playground, page: Page) -> None:
    """The filter that was meant is a button, which asks the same question with it."""
    await write(page, "@Footnote what does ERR_5032 mean? service:paymnts")
    await replies(page).first.get_by_role("button", name="service:payments").click(timeout=20_000)
    await expect(replies(page).last).to_contain_text("Searched service payments.", timeout=20_000)
    assert toured.socket.connections


async def test_memories_are_listed_to_their_owner(toured: Playground, page: Page) -> None:
    """What was told is listed, to nobody else, and can be forgotten."""
    await write(page, "/memory add I'm on the payments team")
    await expect(page.get_by_text("only you can see this").first).to_be_visible()
    await write(page, "/memory list")
    listed = page.get_by_role("article", name="Footnote").last
    await expect(listed).to_contain_text("I'm on the payments team")
    await expect(listed).to_contain_text("only you can see this")
    assert toured.ephemeral("checkout", "Ben") == []


async def test_a_document_comes_in_before_ones_eyes(toured: Playground, page: Page) -> None:
    """An empty form is refused below its field; a file shows how far it is, and then answers."""
    await write(page, "/ingest")
    form = page.get_by_role("dialog")
    await form.get_by_role("button").last.click()
    await expect(form.get_by_role("alert")).to_be_visible()
    await page.keyboard.press("Escape")
    hold = toured.faults.hold("chat.update", when=When.BEFORE)
    await page.get_by_role("button", name="Ingest replace-a-scanner.md").click()
    await expect(replies(page).first).to_contain_text("Reading the file …")
    hold.release()
    await expect(replies(page).first).to_contain_text("Replace a courier's handheld scanner")
    await expect(replies(page).first).to_contain_text("New: 2 sections")
    await page.get_by_label("Close the thread").click()
    await page.get_by_role("button", name="how do I replace a courier's scanner?").click()
    await expect(replies(page).first).to_contain_text("scanner swap", timeout=20_000)


async def test_show_draws_the_cited_passage(toured: Playground, page: Page) -> None:
    """*Show* has no mark of Markdown: a row of a table says what its cells are."""
    await write(page, "@Footnote what does ERR_5032 mean?")
    await replies(page).first.get_by_role("button", name="Show").first.click(timeout=20_000)
    shown = page.get_by_role("dialog", name="Footnote 1")
    row = shown.get_by_role("listitem").filter(has_text="ERR_5032")
    await expect(row).to_contain_text(": refund exceeds capture")
    text = await shown.inner_text()
    assert "|" not in text
    assert "##" not in text
    await page.keyboard.press("Escape")
    await expect(shown).to_be_hidden()
    assert toured.open_views("Ana") == []
