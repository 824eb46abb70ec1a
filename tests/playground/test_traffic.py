"""The page's drawers: what went over the wire, what the app did, and what shall go wrong."""

import asyncio
from collections.abc import Sequence
from typing import Any

import aiohttp
import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Backstage, Message, Playground, Switch, Tour
from tests.playground.conftest import Connect

type Body = dict[str, Any]


class Page:
    """Ana's page."""

    def __init__(self, slack: Playground, session: aiohttp.ClientSession) -> None:
        self._slack = slack
        self._session = session

    async def get(self, path: str, **query: str) -> Body:
        """Read something."""
        url = f"{self._slack.base_url}/playground/{path}"
        async with self._session.get(url, params=query, headers=self._headers) as response:
            return {"status": response.status} if response.status != 200 else await response.json()

    async def ask(self, action: str, **body: Any) -> Body:
        """Do something as her, in #checkout."""
        body = {"user": "Ana", "channel": "checkout", **body}
        url = f"{self._slack.base_url}/playground/{action}"
        async with self._session.post(url, json=body, headers=self._headers) as response:
            return await response.json()

    @property
    def _headers(self) -> dict[str, str]:
        return {"X-Playground-Token": self._slack.page_token}


@pytest.fixture
def page(slack: Playground, session: aiohttp.ClientSession) -> Page:
    """Her page, open."""
    return Page(slack, session)


async def test_each_event_command_call_and_answer_is_listed(
    slack: Playground, app: AsyncApp, connect: Connect, client: AsyncWebClient, page: Page
) -> None:
    """The list has them all with their time and what became of them."""

    @app.event("message")
    async def heard() -> None: ...

    @app.command("/ask")
    async def asked(ack: Any, respond: Any) -> None:
        await ack("yes")
        await respond("later")

    async with connect(app):
        before = (await page.get("traffic"))["exchanges"][-1]["number"]
        await slack.post("Ana", "checkout", "hello")
        await slack.wait_until(lambda: all(each.acknowledged for each in slack.events))
        await slack.command("Ana", "checkout", "/ask")
        await slack.wait_until(lambda: len(slack.ephemeral("checkout", "Ana")) == 2)
    await slack.command("Ana", "checkout", "/ask")
    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel="C0NOWHERE", text="x")
    news = (await page.get("traffic", since=str(before)))["exchanges"]
    lines = [each for each in news if each["name"] != "auth.test"]  # Bolt's, at the first event
    assert sorted((each["kind"], each["name"], each["outcome"]) for each in lines) == [
        ("call", "chat.postMessage", "channel_not_found"),
        ("command", "/ask", "dispatch_failed"),
        ("command", "/ask", "ok"),
        ("event", "message", "ok"),
        ("response", "response_url", "ok"),
    ]
    assert all(each["milliseconds"] >= 0 for each in lines)
    assert [each["number"] for each in news] == list(range(before + 1, before + 1 + len(news)))


async def test_one_exchange_shows_both_sides_without_secrets(
    slack: Playground, client: AsyncWebClient, page: Page
) -> None:
    """What was sent and answered can be read; the tokens that open the stand-in cannot."""
    await client.chat_postMessage(
        channel=slack.channel_id("checkout"), text="words", token=slack.bot_token
    )
    await client.api_call("auth.test", http_verb="POST", params={"token": slack.bot_token})
    opened = AsyncWebClient(slack.app_token, slack.api_url)
    await opened.apps_connections_open(app_token=slack.app_token)
    lines = (await page.get("traffic"))["exchanges"]
    shown = [await page.get(f"traffic/{each['number']}") for each in lines]
    assert '"text": "words"' in shown[0]["sent"]
    assert '"ts"' in shown[0]["answered"]
    everything = str(shown)
    assert slack.bot_token not in everything
    assert slack.app_token not in everything
    assert "ticket" not in everything
    assert await page.get("traffic/999") == {"status": 404}
    assert await page.get("traffic/x") == {"status": 404}


async def test_traffic_waits_for_news(
    slack: Playground, client: AsyncWebClient, page: Page
) -> None:
    """A waiting request returns with the next call."""
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(page.get("traffic", since="0", wait="20"))
        await asyncio.sleep(0)
        await client.auth_test()
    assert [each["name"] for each in waiting.result()["exchanges"]] == ["auth.test"]
    assert slack.traffic.get(1) is not None


async def test_drawers_are_closed_to_strangers(
    slack: Playground, session: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    """Neither traffic nor trace is read without the page's token."""
    await client.auth_test()
    for path in ("traffic", "traffic/1", "trace"):
        async with session.get(f"{slack.base_url}/playground/{path}") as response:
            assert response.status == 403, path


async def test_trace_is_what_the_host_says_of_the_thread(slack: Playground, page: Page) -> None:
    """The host gets the thread, root first, and its turns come back; without a host none do."""
    root = await slack.post("Ana", "checkout", "root")
    await slack.post("Ben", "checkout", "reply", root)
    where = {"channel": slack.channel_id("checkout"), "ts": root}
    assert (await page.get("trace", **where))["turns"] == []
    assert (await page.get("state"))["trace"] is False

    async def trace(thread: Sequence[Message]) -> Sequence[Body]:
        await asyncio.sleep(0)
        return [{"title": " ".join(each.text for each in thread)}]

    slack.offer(Backstage(trace=trace))
    assert (await page.get("trace", **where))["turns"] == [{"title": "root reply"}]
    assert (await page.get("trace", channel="C0NOWHERE", ts="1.0"))["turns"] == []
    assert (await page.get("state"))["trace"] is True


async def test_the_tour_posts_alert_and_document(slack: Playground, page: Page) -> None:
    """What the tour offers is posted by the server; what it lacks is refused with a sentence."""
    assert "no tour" in (await page.ask("alert"))["error"]
    alert = {"name": "Alertmanager", "text": "", "attachments": [{"title": "[FIRING] Queue"}]}
    slack.offer(Backstage(tour=Tour("q", "f", "u", alert, ("n.md", b"# N"), "@Footnote ingest")))
    await page.ask("alert")
    await page.ask("document")
    alerted, shared = slack.person("Ana").sees("checkout")
    assert alerted.bot_id is not None
    assert alerted.attachments[0]["title"] == "[FIRING] Queue"
    assert (shared.files[0]["name"], shared.user) == ("n.md", slack.user_id("Ana"))
    assert slack.bot_user_id in shared.text
    assert (await page.get("state"))["tour"]["document"] == "n.md"
    slack.offer(Backstage(tour=Tour("q", "f", "u")))
    assert "no alert" in (await page.ask("alert"))["error"]
    assert "no document" in (await page.ask("document"))["error"]


async def test_switches_turn_and_tell(
    slack: Playground, client: AsyncWebClient, page: Page
) -> None:
    """The stand-in's own faults and the host's are switched alike, and the state says how."""
    turned: list[bool] = []

    async def turn(on: bool) -> None:  # noqa: FBT001 - the one thing a switch is told
        await asyncio.sleep(0)
        turned.append(on)

    own = Switch("host", "Host", "Of the host.", lambda: turned[-1:] == [True], turn)
    slack.offer(Backstage(switches=[own]))
    for name in ("twice", "limit", "host"):
        assert (await page.ask("switch", name=name, on=True))["on"]
    assert slack.deliver_twice
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=slack.channel_id("checkout"), text="x")
    assert caught.value.response.headers["Retry-After"] == "2"
    switches = (await page.get("state"))["switches"]
    assert [each["on"] for each in switches] == [True, True, True]
    for name in ("twice", "limit", "host"):
        assert not (await page.ask("switch", name=name, on=False))["on"]
    await client.chat_postMessage(channel=slack.channel_id("checkout"), text="x")
    assert turned == [True, False]
    assert "no switch" in (await page.ask("switch", name="luck"))["error"]
