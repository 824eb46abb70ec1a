"""The page and the HTTP interface of a person: what they give, and whom they refuse."""

import re
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from bot.playground.page import STATIC


@pytest.fixture
def token(slack: Playground) -> dict[str, str]:
    """The header that opens /playground/…."""
    return {"X-Playground-Token": slack.page_token}


async def test_page_carries_its_token_and_a_strict_policy(
    slack: Playground, session: aiohttp.ClientSession
) -> None:
    """The page is served with this run's token and may load nothing from elsewhere or inline."""
    async with session.get(slack.base_url) as response:
        page = await response.text()
        policy = response.headers["Content-Security-Policy"]
    assert f'content="{slack.page_token}"' in page
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for address in re.findall(r'(?:src|href)="([^"]+)"', page):
        async with session.get(slack.base_url + address) as response:
            assert response.status == 200


def test_page_builds_no_markup_from_text() -> None:
    """No script sets HTML, and no page holds inline scripts or styles."""
    for path in STATIC.iterdir():
        text = path.read_text("utf-8")
        code = "\n".join(line for line in text.splitlines() if not line.strip().startswith("//"))
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
        ):
            assert forbidden not in code, path.name
        if path.suffix == ".html":
            assert "<script>" not in text
            assert "style=" not in text
            assert "onclick" not in text


async def test_post_and_state(
    slack: Playground, session: aiohttp.ClientSession, token: dict[str, str]
) -> None:
    """A message posted over HTTP shows in the state, and later states hold only what is new."""
    body = {"user": "Ana", "channel": "checkout", "text": "@Footnote hello"}
    async with session.post(
        f"{slack.base_url}/playground/post", json=body, headers=token
    ) as response:
        posted = await response.json()
    first = await state(slack, session, token, 0)
    assert [message["ts"] for message in first["messages"]] == [posted["ts"]]
    assert first["messages"][0]["nodes"][0]["children"][0]["kind"] == "mention"
    assert (await state(slack, session, token, first["revision"]))["messages"] == []
    await slack.delete("checkout", posted["ts"])
    removed = (await state(slack, session, token, first["revision"]))["removed"]
    assert removed == [{"channel": slack.channel_id("checkout"), "ts": posted["ts"]}]


async def test_state_waits_for_news(
    slack: Playground, session: aiohttp.ClientSession, token: dict[str, str]
) -> None:
    """A waiting request returns as soon as something happens."""
    revision = (await state(slack, session, token, 0))["revision"]
    await slack.post("Ana", "checkout", "news")
    news = await state(slack, session, token, revision, wait="20")
    assert [message["text"] for message in news["messages"]] == ["news"]


async def test_command_and_click_over_http(
    slack: Playground, session: aiohttp.ClientSession, token: dict[str, str]
) -> None:
    """Commands and clicks over HTTP say whether the app took them; mistakes are sentences."""
    where = {"user": "Ana", "channel": "checkout"}
    url = f"{slack.base_url}/playground/"
    async with session.post(
        f"{url}command", json={**where, "command": "/ask", "text": "x"}, headers=token
    ) as response:
        assert (await response.json())["error"] == "dispatch_failed"
    async with session.post(
        f"{url}click", json={**where, "ts": "1.000001", "action_id": "x"}, headers=token
    ) as response:
        assert response.status == 400
        assert "no message" in (await response.json())["error"]
    async with session.post(f"{url}post", json={"user": "Zoe"}, headers=token) as response:
        assert (await response.json())["error"] == "channel is missing."


async def test_strangers_are_refused(
    slack: Playground, session: aiohttp.ClientSession, token: dict[str, str]
) -> None:
    """Without the token, under a foreign Host, or from a foreign Origin nothing is answered."""
    url = f"{slack.base_url}/playground/state"
    port = slack.base_url.rpartition(":")[2]
    refusals: list[dict[str, str]] = [
        {},
        {"X-Playground-Token": "guess"},
        token | {"Host": f"evil.test:{port}"},
        token | {"Origin": "http://evil.test"},
        token | {"Origin": "null"},
    ]
    for headers in refusals:
        async with session.get(url, headers=headers) as response:
            assert response.status == 403, headers
    for headers in [token, token | {"Origin": slack.base_url}]:
        async with session.get(url, headers=headers) as response:
            assert response.status == 200, headers
    # The Web API is behind the same guard.
    async with session.post(
        f"{slack.api_url}auth.test", headers={"Origin": "http://evil.test"}
    ) as response:
        assert response.status == 403


async def test_static_serves_only_its_own_files(
    slack: Playground, session: aiohttp.ClientSession
) -> None:
    """No path leads out of the folder, and the template is not served raw."""
    for name in ("..%2fpage.py", "index.html", "nothing.js"):
        async with session.get(f"{slack.base_url}/static/{name}") as response:
            assert response.status == 404, name


async def test_bot_answers_are_rendered_as_nodes(
    slack: Playground, client: AsyncWebClient, session: aiohttp.ClientSession, token: dict[str, str]
) -> None:
    """Blocks become nodes of known tags; HTML and unsafe links in them stay text."""
    hostile = "<script>alert(1)</script> [x](javascript:alert(1)) **b** `c`"
    blocks: list[dict[str, Any]] = [
        {"type": "markdown", "text": hostile},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "*s* <javascript:x|y> <http://a.b|l>"},
        },
        {"type": "plan", "title": "unknown here"},
    ]
    await client.chat_postMessage(channel=slack.channel_id("general"), text="x", blocks=blocks)
    nodes = (await state(slack, session, token, 0))["messages"][0]["nodes"]
    tags = list(walk(nodes))
    assert "script" not in {tag for tag, _ in tags}
    assert [node["href"] for tag, node in tags if tag == "a"] == ["http://a.b"]
    assert {"strong", "code", "pre"} <= {tag for tag, _ in tags}
    assert "<script>alert(1)</script>" in words(nodes)


async def state(
    slack: Playground,
    session: aiohttp.ClientSession,
    token: dict[str, str],
    since: int,
    wait: str = "0",
) -> dict[str, Any]:
    """The state as the page reads it."""
    async with session.get(
        f"{slack.base_url}/playground/state",
        params={"since": str(since), "wait": wait},
        headers=token,
    ) as response:
        assert response.status == 200
        return dict(await response.json())


def walk(nodes: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    """Each element of a tree with its tag."""
    found: list[tuple[str, dict[str, Any]]] = []
    for node in nodes:
        if isinstance(node, dict):
            found.append((node["tag"], node))
            found += walk(node["children"])
    return found


def words(nodes: list[Any]) -> str:
    """The text of a tree."""
    return "".join(node if isinstance(node, str) else words(node["children"]) for node in nodes)
