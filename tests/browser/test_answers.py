"""The real bot on the page: ask, read the sources, ask on, edit, delete, NO_MATCH, and why."""

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground import Playground
from tests.browser.conftest import QUESTION


@pytest.fixture
def talking(toured: Playground, page: Page) -> Page:
    """The page with the bot connected, a tour and its traces."""
    assert toured.socket.connections
    return page


def replies(page: Page) -> Locator:
    """The messages of the open thread after its root."""
    return page.get_by_role("region", name="Thread").get_by_role("article", name="Footnote")


async def asked(page: Page) -> Locator:
    """Ask the tour's question, and wait for its answer."""
    await page.get_by_role("button", name=QUESTION).click()
    reply = replies(page).first
    await expect(reply).to_contain_text("rollout undo", timeout=20_000)
    return reply


async def test_an_answer_has_its_sources_and_its_trace(talking: Page) -> None:
    """Footnotes have sources with links; asking on stays in the thread; the trace shows both."""
    reply = await asked(talking)
    await expect(reply).to_contain_text("[1]")
    source = reply.get_by_role("link").first
    assert (await source.get_attribute("href") or "").startswith("https://")
    await talking.get_by_role("button", name="↳ and in staging?").click()
    await expect(replies(talking)).to_have_count(2)
    await expect(replies(talking).last).to_contain_text("[1]")
    await talking.get_by_role("button", name="Trace", exact=True).click()
    drawer = talking.get_by_role("region", name="Trace").first
    await expect(drawer.get_by_role("heading", level=3)).to_have_count(2)
    await expect(drawer).to_contain_text("best distance")
    await expect(drawer.get_by_role("columnheader", name="keyword").first).to_be_visible()
    await expect(drawer.get_by_role("row").filter(has_text="[1]").first).to_be_visible()


async def test_all_there_is_to_try_is_within_reach(talking: Page) -> None:
    """Beside a thread the steps of the tour stand in one row, until all are asked for."""
    await asked(talking)
    steps = talking.get_by_role("region", name="Things to try")
    last = steps.get_by_role("listitem").last
    await expect(last).not_to_be_in_viewport(ratio=1)
    await steps.get_by_role("button", name="All").click()
    for step in await steps.get_by_role("listitem").all():
        await expect(step).to_be_in_viewport(ratio=1)
    await steps.get_by_role("button", name="Fewer").click()
    await expect(last).not_to_be_in_viewport(ratio=1)


async def test_no_match_is_an_answer(talking: Page) -> None:
    """What the runbooks don't hold is said, and the trace tells that the gate refused."""
    await talking.get_by_role("button", name="kafka").click()
    await expect(replies(talking).first).to_contain_text("No match", timeout=20_000)
    await talking.get_by_role("button", name="Why? Show the trace").click()
    drawer = talking.get_by_role("region", name="Trace").first
    await expect(drawer).to_contain_text("NO_MATCH")


async def test_a_question_is_edited_and_deleted(talking: Page) -> None:
    """An edited question gets another answer in place, a deleted one loses its answer."""
    await asked(talking)
    pane = talking.get_by_role("region", name="Thread")
    await pane.get_by_label("Reply in this thread").press("ArrowUp")
    edit = pane.get_by_role("textbox", name="Edit this message")
    await edit.fill("@Footnote how do I rotate the kafka broker certificates?")
    await edit.press("Enter")
    await expect(replies(talking).first).to_contain_text("No match", timeout=20_000)
    await expect(replies(talking)).to_have_count(1)
    menu = pane.get_by_label("Actions for the message of Ana")
    await menu.click()
    await pane.get_by_role("button", name="Delete").click()
    await expect(talking.get_by_text("No match")).to_have_count(0)


async def test_a_command_is_answered_where_it_was_given(talking: Page) -> None:
    """The answer of a slash command comes in a thread, which opens by itself."""
    box = talking.get_by_role("textbox", name="Message #checkout")
    await box.fill(f"/ask {QUESTION} service:platform")
    await box.press("Enter")
    await expect(replies(talking).last).to_contain_text("rollout undo", timeout=20_000)
    await expect(replies(talking).last).to_contain_text("platform")
