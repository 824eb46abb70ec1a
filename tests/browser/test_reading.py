"""Reading, at a desk and on a phone: everything is within reach, and nobody loses their place."""

import time

import pytest
from playwright.async_api import Browser, Locator, Page, ViewportSize, expect
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.browser.app import running
from tests.browser.conftest import PHONE, WIDE, opened
from tests.playground.blocks import field, modal, text_input

LONG = "\n\n".join(f"Paragraph {number}" for number in range(60))


@pytest.fixture
def client(slack: Playground) -> AsyncWebClient:
    """The app's hands."""
    return AsyncWebClient(slack.bot_token, slack.api_url)


async def answer(client: AsyncWebClient, channel: str, root: str, text: str = LONG) -> None:
    """Answer in a thread."""
    blocks = [{"type": "markdown", "text": text}]
    await client.chat_postMessage(channel=channel, thread_ts=root, text="Answer", blocks=blocks)


def thread(page: Page) -> Locator:
    """The open thread's messages."""
    return page.get_by_role("log", name="Thread")


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
async def test_a_thread_opens_at_the_newest_answer(
    browser: Browser,
    slack: Playground,
    client: AsyncWebClient,
    complaints: list[str],
    size: ViewportSize,
) -> None:
    """A long answer is read from its beginning, when it is opened and when it comes in."""
    channel = slack.channel_id("checkout")
    root = await slack.post("Ana", "checkout", "a question")
    await answer(client, channel, root)
    async with opened(browser, complaints, size) as page:
        await page.goto(f"{slack.base_url}/#checkout")
        await page.get_by_role("button", name="1 reply").click()
        await expect(thread(page).get_by_text("Paragraph 0", exact=True)).to_be_in_viewport()
        await expect(thread(page).get_by_text("Paragraph 59")).not_to_be_in_viewport()
        reply = page.get_by_role("textbox", name="Reply in this thread")
        await reply.fill("and then?")
        await reply.press("Enter")
        await expect(thread(page).get_by_text("and then?")).to_be_in_viewport()
        await answer(client, channel, root, LONG.replace("Paragraph", "Line"))
        await expect(thread(page).get_by_text("Line 0", exact=True)).to_be_in_viewport()
        # Nobody is torn away from what they read.
        await slack.post("Ben", "checkout", "by the way", root)
        await expect(thread(page).get_by_text("by the way")).to_be_attached()
        await expect(thread(page).get_by_text("Line 0", exact=True)).to_be_in_viewport()


async def test_a_drawer_and_a_thread_leave_the_place(
    page: Page, slack: Playground, client: AsyncWebClient
) -> None:
    """What was in sight stays in sight while a drawer opens and closes, or a thread beside it."""
    await slack.post("Ana", "checkout", "the first")
    blocks = [{"type": "markdown", "text": LONG}]
    await client.chat_postMessage(channel=slack.channel_id("checkout"), text="x", blocks=blocks)
    middle = page.get_by_text("Paragraph 30", exact=True)
    await middle.evaluate("element => element.scrollIntoView()")
    root = await slack.post("Ben", "checkout", "the last")
    await slack.post("Ana", "checkout", "a reply", root)
    await expect(middle).to_be_in_viewport()
    traffic = page.get_by_role("button", name="Traffic", exact=True)
    await traffic.click()
    await expect(middle).to_be_in_viewport()
    await traffic.click()
    await expect(middle).to_be_in_viewport()
    await page.goto(f"{slack.base_url}/#checkout/{root}")
    await expect(thread(page)).to_be_visible()
    await expect(middle).to_be_in_viewport()


async def test_everything_is_within_reach_of_a_thumb(
    browser: Browser, slack: Playground, client: AsyncWebClient, complaints: list[str]
) -> None:
    """On a phone all places are in sight, the drawers above a thread too, and a form's button."""
    await slack.post("Ana", "checkout", "@Footnote why?")
    async with running(slack), opened(browser, complaints, PHONE) as page:
        await slack.connected()
        await page.goto(f"{slack.base_url}/#checkout")
        for name in ("# payments-oncall", "# general", "Footnote", "Footnote · Home"):
            place = page.get_by_role("button", name=name, exact=True)
            await expect(place).to_be_in_viewport(ratio=1)
        await page.get_by_role("button", name="1 reply").click()
        await page.get_by_role("button", name="Faults", exact=True).click()
        await expect(page.get_by_role("switch").first).to_be_in_viewport()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Faults", exact=True)).to_be_focused()
        await expect(thread(page)).to_be_visible()
        await page.get_by_role("button", name="Settings").click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        form = modal(*(field(text_input(f"f{n}"), f"Field {n}") for n in range(20)))
        await client.views_update(view_id=slack.open_views("Ana")[0].id, view=form)
        await page.get_by_role("textbox", name="Field 19").scroll_into_view_if_needed()
        await expect(page.get_by_role("button", name="Save")).to_be_in_viewport(ratio=1)
        await page.get_by_role("textbox", name="Field 0").scroll_into_view_if_needed()
        await expect(page.get_by_role("button", name="Save")).to_be_in_viewport(ratio=1)
    assert complaints == []


async def test_dates_are_said_as_people_say_them(
    page: Page, slack: Playground, client: AsyncWebClient
) -> None:
    """A date of the app's reads as today, yesterday or its day, in the reader's zone."""
    now = int(time.time())
    text = f"<!date^{now}^{{date_short_pretty}}|x> <!date^{now - 86_400 * 400}^{{date_num}}|y>"
    await client.chat_postMessage(channel=slack.channel_id("checkout"), text=text)
    article = page.get_by_role("article")
    await expect(article.get_by_text("today")).to_have_attribute("title", "x")
    day = time.strftime("%Y-%m-%d", time.localtime(now - 86_400 * 400))
    await expect(article.get_by_text(day)).to_be_visible()
