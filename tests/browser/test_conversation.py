"""Writing and reading on the page: threads, keys, completion, menus, files, people."""

from collections.abc import AsyncIterator

from playwright.async_api import Locator, Page, expect

from bot.playground import Playground
from tests.browser.app import running
from tests.browser.conftest import shared_loop


@shared_loop()
async def heard(slack: Playground) -> AsyncIterator[list[str]]:
    """What the connected small app hears."""
    async with running(slack) as words:
        yield words


def box(page: Page) -> Locator:
    """The box of the open channel."""
    return page.get_by_role("textbox", name="Message #checkout")


def thread(page: Page) -> Locator:
    """The side pane."""
    return page.get_by_role("region", name="Thread")


async def asked(page: Page) -> Locator:
    """Mention the app, and wait for its reply in the pane, which opens by itself."""
    await box(page).fill("@Footnote what about the ledger?")
    await box(page).press("Enter")
    reply = thread(page).get_by_role("article").nth(1)
    await expect(reply).to_contain_text("Ledger")
    return reply


async def test_a_reply_opens_its_thread(page: Page, heard: list[str]) -> None:
    """Every block is shown there; the channel counts it; Escape closes it, focus goes back."""
    reply = await asked(page)
    for text in ("Fail over first [1].", "ledgerctl failover", "Host", "video"):
        await expect(reply).to_contain_text(text)
    link = reply.get_by_role("link", name="Fail over the ledger")
    assert await link.get_attribute("rel") == "noopener noreferrer"
    await box(page).press("Escape")
    await expect(thread(page)).to_be_hidden()
    way = page.get_by_role("button", name="1 reply")
    await expect(way).to_be_focused()
    await way.press("Enter")
    await expect(thread(page).get_by_role("textbox")).to_be_focused()
    assert "mention" in heard


async def test_buttons_choices_and_feedback_reach_the_app(
    page: Page, slack: Playground, heard: list[str]
) -> None:
    """What is clicked or chosen in a message arrives with its value."""
    reply = await asked(page)
    await reply.get_by_role("combobox").select_option("search")
    await slack.wait_until(lambda: "search" in heard)
    await reply.get_by_role("button", name="Bad answer").click()
    await slack.wait_until(lambda: "bad" in heard)


async def test_a_modal_complains_and_submits(
    page: Page, slack: Playground, heard: list[str]
) -> None:
    """What Slack refuses and what the app refuses stand below the field; then it is submitted."""
    await (await asked(page)).get_by_role("button", name="Settings").click()
    form = page.get_by_role("dialog", name="Settings")
    name = form.get_by_role("textbox", name="Name")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_be_visible()
    await expect(name).to_have_attribute("aria-invalid", "true")
    await name.fill("taken")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_have_text("This name is taken.")
    await expect(name).to_have_value("taken")
    await name.fill("free")
    await form.get_by_role("checkbox", name="runbook").check()
    await form.get_by_role("button", name="Save").click()
    await expect(form).to_be_hidden()
    await slack.wait_until(lambda: "submitted free" in heard)


async def test_escape_closes_a_modal(page: Page, slack: Playground, heard: list[str]) -> None:
    """The app's modal goes, however often it is pressed, and the thread behind it stays."""
    await (await asked(page)).get_by_role("button", name="Settings").click()
    form = page.get_by_role("dialog", name="Settings")
    await expect(form).to_be_visible()
    again = "() => dialog.dispatchEvent(new Event('cancel', { cancelable: true }))"
    await form.evaluate(f"dialog => dialog.addEventListener('cancel', {again}, {{ once: true }})")
    await page.keyboard.press("Escape")
    await expect(form).to_be_hidden()
    await expect(thread(page)).to_be_visible()
    assert slack.open_views("Ana") == []
    assert heard


async def test_keys_of_the_box(page: Page, slack: Playground) -> None:
    """Shift+Enter breaks a line, Enter sends, ↑ edits the last message, Escape leaves it."""
    await box(page).fill("one")
    await box(page).press("Shift+Enter")
    await box(page).press_sequentially("two")
    await box(page).press("Enter")
    await slack.wait_until(lambda: len(slack.person("Ana").sees("checkout")) == 1)
    assert slack.person("Ana").sees("checkout")[0].text == "one\ntwo"
    await expect(page.get_by_role("article")).to_have_count(1)
    await box(page).press("ArrowUp")
    edit = page.get_by_role("textbox", name="Edit this message")
    await expect(edit).to_have_value("one\ntwo")
    await edit.press("Escape")
    await expect(edit).to_be_hidden()
    await box(page).press("ArrowUp")
    await edit.fill("three")
    await edit.press("Enter")
    await expect(page.get_by_role("article")).to_contain_text("three")
    await expect(page.get_by_role("article")).to_contain_text("edited")


async def test_names_and_commands_are_completed(
    page: Page, slack: Playground, heard: list[str]
) -> None:
    """@, # and / offer what there is; a command shows its hint; arrows and Enter take."""
    await box(page).press_sequentially("@fo")
    offered = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    await expect(offered).to_have_text(["@Footnote"])
    await box(page).press("Tab")
    await expect(box(page)).to_have_value("@Footnote ")
    await box(page).fill("")
    await box(page).press_sequentially("/")
    await expect(offered).to_have_count(2)
    await box(page).press("ArrowDown")
    await box(page).press("ArrowUp")
    await box(page).press("Enter")
    await expect(box(page)).to_have_value("/ask ")
    await expect(page.get_by_text("/ask QUESTION [service:NAME]")).to_be_visible()
    await box(page).press_sequentially("why?")
    await box(page).press("Enter")
    await expect(page.get_by_text("only you can see this")).to_be_visible()
    assert "command why?" in heard
    await box(page).press_sequentially("see #gen")
    await offered.get_by_text("#general").click()
    await expect(box(page)).to_have_value("see #general ")
    assert slack.ephemeral("checkout", "Ana")[0].text == "Looking …"


async def test_commands_are_refused_in_threads(page: Page, heard: list[str]) -> None:
    """Slack's own sentence stands in the thread, for this person alone."""
    await asked(page)
    reply = thread(page).get_by_role("textbox", name="Reply in this thread")
    await reply.fill("/ask again?")
    await reply.press("Enter")
    await expect(thread(page)).to_contain_text("/ask is not supported in threads. Sorry!")
    assert "command again?" not in heard


async def test_the_menu_of_a_message(page: Page, slack: Playground, heard: list[str]) -> None:
    """React, use a shortcut, edit and delete; others' messages have no edit; Escape closes it."""
    ts = await slack.post("Ana", "checkout", "mine")
    await slack.post("Ben", "checkout", "not mine")
    mine = page.get_by_role("article").filter(has_text="Ana")
    menu = mine.get_by_label("Actions for the message of Ana")
    await menu.click()
    await page.keyboard.press("Escape")
    await expect(mine.get_by_role("button", name="Delete")).to_be_hidden()
    await expect(menu).to_be_focused()
    await menu.click()
    await mine.get_by_role("button", name="React with eyes").click()
    await expect(mine.get_by_role("button", name="eyes, 1")).to_be_visible()
    await menu.click()
    await mine.get_by_role("button", name="Ask about this").click()
    await slack.wait_until(lambda: "about mine" in heard)
    await menu.click()
    await mine.get_by_role("button", name="Edit").click()
    await page.get_by_role("textbox", name="Edit this message").fill("changed")
    await page.get_by_role("button", name="Save").click()
    await expect(mine).to_contain_text("changed")
    others = page.get_by_role("article").filter(has_text="Ben")
    await others.get_by_label("Actions for the message of Ben").click()
    await expect(others.get_by_role("button", name="Reply in thread")).to_be_visible()
    await expect(others.get_by_role("button", name="Delete")).to_have_count(0)
    await menu.click()
    await mine.get_by_role("button", name="Delete").click()
    await expect(mine).to_have_count(0)
    assert slack.log.get(slack.channel_id("checkout"), ts) is None


async def test_files_and_audio_clips_are_sent(page: Page, slack: Playground) -> None:
    """A file waits beside the words until both are sent; a clip is marked as recorded in Slack."""
    await box(page).fill("here")
    chooser = page.get_by_label("Attach a file").last
    await chooser.set_input_files({"name": "wrong.md", "mimeType": "", "buffer": b"# W"})
    await page.get_by_role("button", name="Remove wrong.md").click()
    await chooser.set_input_files({"name": "n.md", "mimeType": "", "buffer": b"# N"})
    await expect(page.get_by_text("n.md · 3 bytes")).to_be_visible()
    assert slack.person("Ana").sees("checkout") == []
    await box(page).press("Enter")
    await expect(page.get_by_role("article").get_by_role("button", name="n.md")).to_be_visible()
    clip = page.get_by_label("Attach an audio clip from a file").last
    await clip.set_input_files({"name": "c.webm", "mimeType": "audio/webm", "buffer": b"x"})
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(page.get_by_role("article").get_by_role("button", name="c.webm")).to_be_visible()
    first, second = slack.person("Ana").sees("checkout")
    assert (first.text, "subtype" in first.files[0]) == ("here", False)
    assert second.files[0]["subtype"] == "slack_audio"


async def test_people_see_their_own(page: Page, slack: Playground, heard: list[str]) -> None:
    """Another person has their own direct messages and Home, and sees no one else's remarks."""
    await slack.command("Ana", "checkout", "/ask", "x")
    await expect(page.get_by_text("Looking …")).to_be_visible()
    await page.get_by_role("combobox", name="You are").select_option("Ben")
    await expect(page.get_by_text("Looking …")).to_have_count(0)
    await page.get_by_role("button", name="Footnote", exact=True).click()
    direct = page.get_by_role("textbox", name="Message Footnote")
    await direct.fill("hello")
    await direct.press("Enter")
    await expect(page.get_by_role("article", name="Ben")).to_have_count(1)
    assert slack.person("Ben").sees("dm")[0].text == "hello"
    await page.get_by_role("button", name="Footnote · Home").click()
    await expect(page.get_by_text("Documents: 31")).to_be_visible()
    await page.get_by_role("button", name="Settings").click()
    await expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    assert "message" in heard
