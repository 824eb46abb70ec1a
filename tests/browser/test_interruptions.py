"""What comes in while somebody reads, types or chooses leaves them where they are."""

from collections.abc import AsyncIterator

from playwright.async_api import Locator, Page, expect
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.browser.app import FORM, running
from tests.browser.conftest import shared_loop
from tests.playground.blocks import field, section, text_input


@shared_loop()
async def heard(slack: Playground) -> AsyncIterator[list[str]]:
    """What the connected small app hears."""
    async with running(slack) as words:
        yield words


async def menu_of(page: Page, slack: Playground, text: str) -> tuple[str, Locator]:
    """Post as Ana; returns the message's ts and its menu."""
    ts = await slack.post("Ana", "checkout", text)
    article = page.get_by_role("article").filter(has_text=text)
    return ts, article.get_by_label("Actions for the message of Ana")


async def test_news_leave_the_focus_alone(page: Page, slack: Playground) -> None:
    """A message that arrives takes the focus from none of the others, nor from their menus."""
    _, menu = await menu_of(page, slack, "mine")
    await menu.click()
    await page.keyboard.press("Escape")
    await slack.post("Ben", "checkout", "not mine")
    await expect(page.get_by_text("not mine")).to_be_visible()
    await expect(menu).to_be_focused()


async def test_a_change_leaves_a_menu_open(page: Page, slack: Playground) -> None:
    """A message that is drawn anew keeps its menu open and what is focused in it."""
    ts, menu = await menu_of(page, slack, "mine")
    await menu.click()
    edit = page.get_by_role("button", name="Edit")
    await edit.focus()
    await slack.person("Ben").react("checkout", ts, "eyes")
    await expect(page.get_by_role("button", name="eyes, 1")).to_be_visible()
    await expect(edit).to_be_focused()


async def test_a_change_leaves_a_half_typed_edit(page: Page, slack: Playground) -> None:
    """A message that is being edited keeps the new words, and the caret in them."""
    ts, _ = await menu_of(page, slack, "mine")
    await page.get_by_role("textbox", name="Message #checkout").press("ArrowUp")
    edit = page.get_by_role("textbox", name="Edit this message")
    await edit.fill("half typd")
    await edit.press("ArrowLeft")
    await slack.person("Ben").react("checkout", ts, "eyes")
    await slack.post("Ben", "checkout", "said later")
    await expect(page.get_by_text("said later")).to_be_visible()
    await page.keyboard.type("e")
    await expect(edit).to_have_value("half typed")
    await edit.press("Enter")
    await expect(page.get_by_text("half typed")).to_be_visible()
    await expect(page.get_by_role("button", name="eyes, 1")).to_be_visible()


async def test_an_update_leaves_what_was_entered(
    page: Page, slack: Playground, heard: list[str]
) -> None:
    """A form that the app draws anew keeps the fields that somebody is filling in."""
    await page.get_by_role("textbox", name="Message #checkout").fill("@Footnote the ledger?")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Settings").click()
    form = page.get_by_role("dialog")
    await form.get_by_role("textbox", name="Name").press_sequentially("led")
    client = AsyncWebClient(slack.bot_token, slack.api_url)
    view = {**FORM, "title": {"type": "plain_text", "text": "Renewed"}}
    shown = slack.open_views("Ana")[0]
    await client.views_update(view=view, view_id=shown.id)
    await expect(form).to_have_accessible_name("Renewed")
    await page.keyboard.type("ger")
    await expect(form.get_by_role("textbox", name="Name")).to_have_value("ledger")
    assert "mention" in heard


async def test_home_leaves_what_was_entered(page: Page, slack: Playground) -> None:
    """A field of the Home tab keeps its words and the caret when the app publishes it anew."""
    client = AsyncWebClient(slack.bot_token, slack.api_url)
    search = field(text_input("find"), "Find")
    ana = slack.user_id("Ana")
    await client.views_publish(user_id=ana, view={"type": "home", "blocks": [search]})
    await page.get_by_role("button", name="Footnote · Home").click()
    await page.get_by_role("textbox", name="Find").press_sequentially("led")
    blocks = [section("31 documents"), search]
    await client.views_publish(user_id=ana, view={"type": "home", "blocks": blocks})
    await expect(page.get_by_text("31 documents")).to_be_visible()
    await page.keyboard.type("ger")
    await expect(page.get_by_role("textbox", name="Find")).to_have_value("ledger")
