"""HTTP mode with a real Bolt app behind a request URL."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Credentials, Playground
from tests.playground.blocks import field, modal, option, plain, text_input


@pytest.fixture
async def served(slack: Playground, app: AsyncApp) -> AsyncIterator[str]:
    """The app listening on a free port, with the stand-in delivering there; the request URL."""
    runner = web.AppRunner(app.web_app(path="/slack/events"))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    slack.deliver_to(url)
    yield url
    slack.deliver_to(None)
    await runner.cleanup()


@pytest.mark.usefixtures("served")
async def test_events_commands_and_clicks_pass_the_signature(
    slack: Playground, app: AsyncApp
) -> None:
    """Bolt accepts the signed events, commands and clicks, and its answers come back."""

    @app.event("app_mention")
    async def mentioned(event: dict[str, Any], client: AsyncWebClient) -> None:
        button = {"type": "button", "action_id": "b", "text": {"type": "plain_text", "text": "B"}}
        await client.chat_postMessage(
            channel=event["channel"],
            thread_ts=event["ts"],
            text="heard",
            blocks=[{"type": "actions", "elements": [button]}],
        )

    @app.event("message")
    async def ignored() -> None:
        pass

    @app.command("/ask")
    async def asked(ack: Callable[..., Any]) -> None:
        await ack("asked")

    @app.action("b")
    async def clicked(ack: Callable[..., Any], respond: Callable[..., Any]) -> None:
        await ack()
        await respond("clicked", replace_original=False)

    assert await slack.http.verify()
    ts = await slack.post("Ana", "checkout", "@Footnote hello")
    reply = (await slack.wait_for_reply("checkout", ts))[0]
    assert (await slack.command("Ana", "checkout", "/ask", "x & y")).acknowledged
    assert (await slack.click("Ana", "checkout", reply.ts, "b")).acknowledged
    await slack.wait_until(
        lambda: [m.text for m in slack.ephemeral("checkout", "Ana")] == ["asked", "clicked"]
    )


@pytest.mark.usefixtures("served")
async def test_a_wrong_secret_is_refused(slack: Playground) -> None:
    """Bolt refuses requests signed with another secret; the event counts as not acknowledged."""
    slack.http.credentials = Credentials()
    await slack.post("Ana", "checkout", "hello")
    await slack.wait_until(lambda: len(slack.events[0].attempts) == 3)
    assert slack.events[0].attempts == ["", "http_error", "http_error"]
    assert not slack.events[0].acknowledged


async def test_failing_app_gets_retries_with_headers(slack: Playground) -> None:
    """An event answered with 500, or too late, comes again with number and reason of the retry."""
    tries: list[tuple[str | None, str | None]] = []

    async def handle(request: web.Request) -> web.Response:
        tries.append(
            (
                request.headers.get("x-slack-retry-num"),
                request.headers.get("x-slack-retry-reason"),
            )
        )
        return web.Response(status=500 if len(tries) < 3 else 200)

    server = web.Application()
    server.router.add_post("/", handle)
    runner = web.AppRunner(server)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.deliver_to(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    await slack.post("Ana", "checkout", "hello")
    await slack.wait_until(lambda: slack.events[0].acknowledged)
    await runner.cleanup()
    assert tries == [(None, None), ("1", "http_error"), ("2", "http_error")]
    assert (await slack.command("Ana", "checkout", "/ask", "x")).error == "dispatch_failed"


@pytest.mark.usefixtures("served")
async def test_forms_options_and_shortcuts_pass_too(
    slack: Playground, app: AsyncApp, client: AsyncWebClient
) -> None:
    """Over HTTP an app answers a form with errors, a search with options, and opens from Home."""

    @app.view("form")
    async def submitted(ack: Callable[..., Any]) -> None:
        await ack(response_action="errors", errors={"who": "Nobody of that name."})

    @app.options("search")
    async def offered(ack: Callable[..., Any]) -> None:
        await ack(options=[option("ledger.md")])

    @app.shortcut("settings")
    async def opened(ack: Callable[..., Any], body: dict[str, Any]) -> None:
        await ack()
        external = {"type": "external_select", "action_id": "search", "placeholder": plain("x")}
        view = modal(field(text_input("name"), "who"), field(external, "what"), callback_id="form")
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    ana = slack.person("Ana")
    assert (await ana.shortcut("settings")).acknowledged
    await slack.wait_until(lambda: ana.modal is not None)
    assert [each["value"] for each in await ana.options("search", "led")] == ["ledger.md"]
    receipt = await ana.submit({"name": "Ada", "search": "ledger.md"})
    assert receipt.problems == {"who": "Nobody of that name."}
