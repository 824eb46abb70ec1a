"""The page's requests: everything a person does, over HTTP with the page's token."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.playground.blocks import actions, button, field, modal, option, plain, select, text_input

type Body = dict[str, Any]

FORM = modal(
    field(text_input("name"), "who"),
    actions(button("press"), select("service", "a", "b")),
    callback_id="form",
)


@pytest.fixture
def headers(slack: Playground) -> dict[str, str]:
    """The header that opens /playground/…."""
    return {"X-Playground-Token": slack.page_token}


@dataclass(frozen=True)
class Browser:
    """Ana's page."""

    base: str
    session: aiohttp.ClientSession
    headers: dict[str, str]

    async def ask(self, action: str, **body: Any) -> Body:
        """Do something as her, in #checkout."""
        body = {"user": "Ana", "channel": "checkout", **body}
        url = f"{self.base}/playground/{action}"
        async with self.session.post(url, json=body, headers=self.headers) as response:
            return {"status": 404} if response.status == 404 else await response.json()

    async def state(self) -> Body:
        """What it shows."""
        url = f"{self.base}/playground/state"
        async with self.session.get(url, headers=self.headers) as response:
            return await response.json()


@pytest.fixture
def page(slack: Playground, session: aiohttp.ClientSession, headers: dict[str, str]) -> Browser:
    """Ana's page, open."""
    return Browser(slack.base_url, session, headers)


@pytest.fixture
async def heard(slack: Playground, app: AsyncApp) -> AsyncIterator[list[Body]]:
    """The interactions a connected app gets; it opens the form at each press in a message."""
    seen: list[Body] = []

    @app.action("press")
    async def pressed(ack: Callable[..., Any], body: Body, client: AsyncWebClient) -> None:
        await ack()
        seen.append(body)
        if "message" in body:
            await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @app.view("form")
    async def submitted(ack: Callable[..., Any], body: Body) -> None:
        seen.append(body)
        await ack()

    @app.action("service")
    @app.shortcut("ask")
    async def listen(ack: Callable[..., Any], body: Body) -> None:
        await ack()
        seen.append(body)

    @app.options("search")
    async def offer(ack: Callable[..., Any]) -> None:
        await ack(options=[option("ledger.md")])

    @app.event("app_home_opened")
    async def home(event: Body, client: AsyncWebClient) -> None:
        view = {"type": "home", "blocks": [actions(button("press", "home"))]}
        await client.views_publish(user_id=event["user"], view=view)

    handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=1)
    await handler.connect_async()
    await slack.connected()
    yield seen
    await handler.close_async()


async def test_a_form_from_button_to_submission(
    slack: Playground,
    client: AsyncWebClient,
    page: Browser,
    heard: list[Body],
) -> None:
    """A button opens a modal; clicks in it bring its fields along; it complains and submits."""
    posted = await client.chat_postMessage(
        channel=slack.channel_id("checkout"), text="x", blocks=[actions(button("press"))]
    )
    assert (await page.ask("click", ts=posted["ts"], action_id="press"))["ok"]
    await slack.wait_until(lambda: slack.person("Ana").modal is not None)
    (view,) = (await page.state())["views"]
    assert (view["title"], view["submit"], view["errors"]) == ("Settings", "Save", {})
    await page.ask(
        "click", view=view["id"], action_id="press", values={"name": "Ada", "service": ""}
    )
    await page.ask("click", view=view["id"], action_id="service", value="b")
    answer = await page.ask("submit", values={"name": ""})
    assert answer["problems"].keys() == {"who"}
    (view,) = (await page.state())["views"]
    assert view["errors"].keys() == {"who"}
    assert (await page.ask("submit", values={"name": "Ada"}))["ok"]
    values = heard[1]["view"]["state"]["values"]
    assert values["who"]["name"]["value"] == "Ada"
    assert heard[2]["actions"][0]["selected_option"]["value"] == "b"
    assert heard[3]["type"] == "view_submission"
    assert (await page.state())["views"] == []


async def test_home_and_its_buttons(
    slack: Playground,
    page: Browser,
    heard: list[Body],
) -> None:
    """Opening Home shows what the app publishes, and its buttons reach the app."""
    await page.ask("home")
    await slack.wait_until(lambda: slack.person("Ana").home is not None)
    (home,) = (await page.state())["homes"]
    assert (await page.ask("click", view=home["id"], action_id="press"))["ok"]
    assert heard[0]["actions"][0]["value"] == "home"
    assert (
        "not open"
        in (await page.ask("click", user="Ben", view=home["id"], action_id="press"))["error"]
    )


async def test_a_message_has_its_menu(
    slack: Playground,
    client: AsyncWebClient,
    page: Browser,
    heard: list[Body],
) -> None:
    """Shortcuts, reactions, editing and deleting; only one's own messages change."""
    ts = (await page.ask("post", text="@Footnote hello #general"))["ts"]
    assert (await page.ask("shortcut", ts=ts, callback_id="ask"))["ok"]
    assert (await page.ask("shortcut", callback_id="ask"))["ok"]
    assert [body["type"] for body in heard] == ["message_action", "shortcut"]
    for counts in ([1], []):
        await page.ask("react", ts=ts, name="eyes")
        (message,) = (await page.state())["messages"]
        assert [each["count"] for each in message["reactions"]] == counts
        assert message["typed"] == "@Footnote hello #general"
    assert "not Ben's" in (await page.ask("edit", user="Ben", ts=ts, text="x"))["error"]
    await page.ask("edit", ts=ts, text="changed")
    assert slack.person("Ana").sees("checkout")[0].text == "changed"
    await page.ask("delete", ts=ts)
    assert slack.person("Ana").sees("checkout") == []
    external = {"type": "external_select", "action_id": "search", "placeholder": plain("x")}
    posted = await client.chat_postMessage(
        channel=slack.channel_id("checkout"), text="x", blocks=[actions(external)]
    )
    found = await page.ask("options", ts=posted["ts"], action_id="search", query="led")
    assert found["options"] == [{"text": "ledger.md", "value": "ledger.md"}]


async def test_a_file_is_uploaded_shared_and_saved(
    slack: Playground, session: aiohttp.ClientSession, headers: dict[str, str], page: Browser
) -> None:
    """Bytes go up under the page's token, are shared with words, and come down the same."""
    url = f"{slack.base_url}/playground/file"
    content = b"x" * 5_000_000
    query = {"user": "Ana", "name": "notes.md"}
    async with session.post(url, params=query, data=BytesIO(content), headers=headers) as response:
        file = (await response.json())["file"]
    assert "no file" in (await page.ask("share", user="Ben", file=file))["error"]
    ts = (await page.ask("share", file=file, text="here"))["ts"]
    (message,) = slack.person("Ana").sees("checkout")
    assert (message.ts, message.text, message.files[0]["id"]) == (ts, "here", file)
    async with session.get(f"{url}/{file}", headers=headers) as response:
        assert response.content_type == "application/octet-stream"
        assert await response.read() == content
    for path, wrong in [(f"/{file}", {}), ("/F0NOTHING", headers)]:
        async with session.get(url + path, headers=wrong) as response:
            assert response.status == (404 if wrong else 403)
    async with session.post(url, params=query, data=b"x") as response:
        assert response.status == 403


async def test_mistakes_are_sentences(page: Browser) -> None:
    """What a request lacks is said; an unknown action is not found."""
    assert (await page.ask("post", text=""))["error"] == "text is missing."
    assert (await page.ask("submit"))["error"] == "Ana has no modal open."
    assert (await page.ask("submit", values=[1]))["error"] == "values is an object."
    assert "no message" in (await page.ask("click", ts="1.000001", action_id="x"))["error"]
    assert await page.ask("dance") == {"status": 404}
