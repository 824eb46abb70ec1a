"""A small app with what the page has to show: buttons, a modal that complains, Home, streams."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.playground.blocks import (
    actions,
    button,
    field,
    modal,
    option,
    section,
    select,
    text_input,
)

type Body = dict[str, Any]

TABLE = {
    "type": "table",
    "rows": [
        [{"type": "raw_text", "text": "Host"}, {"type": "raw_text", "text": "Port"}],
        [{"type": "raw_text", "text": "ledger"}, {"type": "raw_text", "text": "5432"}],
    ],
}
FEEDBACK = {
    "type": "context_actions",
    "elements": [
        {
            "type": "feedback_buttons",
            "action_id": "feedback",
            "positive_button": {
                "text": {"type": "plain_text", "text": "👍"},
                "value": "good",
                "accessibility_label": "Good answer",
            },
            "negative_button": {
                "text": {"type": "plain_text", "text": "👎"},
                "value": "bad",
                "accessibility_label": "Bad answer",
            },
        }
    ],
}
REPLY = [
    {"type": "header", "text": {"type": "plain_text", "text": "Ledger"}},
    {"type": "markdown", "text": "Fail over **first** [1].\n\n```\nledgerctl failover\n```"},
    section("*[1]* <https://runbooks.example/ledger|Fail over the ledger>"),
    TABLE,
    actions(button("settings", text="Settings"), select("service", "payments", "search")),
    FEEDBACK,
    {"type": "video", "title": {"type": "plain_text", "text": "unknown"}},
]
CHOICES = {
    "type": "checkboxes",
    "action_id": "kinds",
    "options": [option("runbook"), option("faq")],
}
FORM = modal(
    field(text_input("name"), "Name"),
    field(select("where", "payments", "search"), "Service", optional=True),
    field(CHOICES, "Types", optional=True),
    callback_id="form",
)


def small_app(client: AsyncWebClient, secret: str, heard: list[str]) -> AsyncApp:
    """Make it; `heard` gets a word for each thing that reached it."""
    app = AsyncApp(client=client, signing_secret=secret)

    @app.event("app_mention")
    async def mentioned(event: Body) -> None:
        heard.append("mention")
        where = {"channel": event["channel"], "thread_ts": event["ts"]}
        await client.chat_postMessage(text="Ledger", blocks=REPLY, **where)

    @app.event("message")
    async def message(event: Body) -> None:
        heard.append(str(event.get("subtype") or "message"))

    @app.event("app_home_opened")
    async def home(event: Body) -> None:
        blocks = [section("*Documents*: 31"), actions(button("settings", text="Settings"))]
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})

    @app.action("settings")
    async def settings(ack: Any, body: Body) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @app.action("service")
    @app.action("feedback")
    async def act(ack: Any, body: Body) -> None:
        await ack()
        action = body["actions"][0]
        heard.append(action.get("value") or action["selected_option"]["value"])

    @app.view("form")
    async def submitted(ack: Any, view: Body) -> None:
        name = view["state"]["values"]["Name"]["name"]["value"]
        if name == "taken":
            await ack(response_action="errors", errors={"Name": "This name is taken."})
            return
        heard.append(f"submitted {name}")
        await ack()

    @app.shortcut("ask")
    async def ask(ack: Any, shortcut: Body) -> None:
        await ack()
        heard.append(f"about {shortcut['message']['text']}")

    @app.command("/ask")
    async def command(ack: Any, command: Body) -> None:
        heard.append(f"command {command['text']}")
        await ack("Looking …")

    return app


@asynccontextmanager
async def running(slack: Playground) -> AsyncGenerator[list[str]]:
    """Connect the app for as long as the block runs; gives what it hears."""
    heard: list[str] = []
    client = AsyncWebClient(slack.bot_token, slack.api_url)
    handler = AsyncSocketModeHandler(
        small_app(client, slack.signing_secret, heard), slack.app_token, ping_interval=1
    )
    await handler.connect_async()
    try:
        await slack.connected()
        yield heard
    finally:
        await handler.close_async()
