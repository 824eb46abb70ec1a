"""Text that streams into a message, as the page shows it."""

from typing import Any

import pytest
from playwright.async_api import Page, expect
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.playground.blocks import section


@pytest.fixture
def client(slack: Playground) -> AsyncWebClient:
    """The app's hands."""
    return AsyncWebClient(slack.bot_token, slack.api_url)


async def test_an_answer_grows_in_its_thread(
    page: Page, slack: Playground, client: AsyncWebClient
) -> None:
    """One message, rendered at each step, half a code block too; what is half written stays."""
    root = await slack.post("Ana", "checkout", "how?")
    await page.goto(f"{slack.base_url}/#checkout/{root}")
    thread = page.get_by_role("region", name="Thread")
    reply = thread.get_by_role("article", name="Footnote")
    draft = thread.get_by_label("Reply in this thread")
    await draft.fill("half written")
    channel = slack.channel_id("checkout")
    whom: dict[str, Any] = {
        "recipient_user_id": slack.user_id("Ana"),
        "recipient_team_id": slack.team_id,
    }
    started = await client.chat_startStream(
        channel=channel, thread_ts=root, markdown_text="Roll **ba", **whom
    )
    await expect(reply).to_contain_text("Roll **ba")
    where: dict[str, Any] = {"channel": channel, "ts": str(started["ts"])}
    await client.chat_appendStream(**where, markdown_text="ck** first:\n\n```\nkubectl rollout <b>")
    await expect(reply.locator("strong")).to_have_text("back")
    await expect(reply.locator("pre")).to_contain_text("kubectl rollout <b>")
    await client.chat_appendStream(**where, markdown_text=" undo\n```\n")
    await expect(reply.locator("pre")).to_contain_text("<b> undo")
    await client.chat_stopStream(**where, blocks=[section("*[1]* the source")])
    await expect(reply).to_contain_text("[1] the source")
    await expect(reply).to_have_count(1)
    await expect(draft).to_have_value("half written")
    await expect(draft).to_be_focused()
