"""Commands, clicks and response URLs with a real Bolt app."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.playground import Playground, PlaygroundError

type Connect = Callable[[AsyncApp], AbstractAsyncContextManager[AsyncSocketModeHandler]]

BUTTON = {"type": "button", "action_id": "why", "text": {"type": "plain_text", "text": "Why?"}}
FEEDBACK = {
    "type": "feedback_buttons",
    "action_id": "feedback",
    "positive_button": {"text": {"type": "plain_text", "text": "Good"}, "value": "good"},
    "negative_button": {"text": {"type": "plain_text", "text": "Bad"}, "value": "bad"},
}


async def test_command_is_acknowledged_with_a_remark(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """What a command is acknowledged with is shown to its user and to nobody else."""
    commands: list[dict[str, Any]] = []

    @app.command("/ask")
    async def asked(ack: Callable[..., Any], command: dict[str, Any]) -> None:
        commands.append(command)
        await ack(f"looking for {command['text']}")

    async with connect(app):
        receipt = await slack.command("Ana", "#checkout", "/ask", "a < b")
    assert receipt.acknowledged
    assert commands[0]["channel_id"] == slack.channel_id("checkout")
    assert commands[0]["user_id"] == slack.user_id("Ana")
    shown = [message.text for message in slack.ephemeral("checkout", "Ana")]
    assert shown == ["looking for a &lt; b"]
    assert slack.ephemeral("checkout", "Ben") == []


async def test_command_without_an_app_fails_visibly(slack: Playground) -> None:
    """A command nobody takes leaves Slack's error in front of the person."""
    receipt = await slack.command("Ana", "#checkout", "/ask", "x")
    assert receipt.error == "dispatch_failed"
    assert slack.ephemeral("checkout", "Ana")[0].text == (
        '/ask failed with the error "dispatch_failed"'
    )


async def test_command_that_is_not_acknowledged_times_out(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """A command not acknowledged in time ends in operation_timeout and is not sent again."""
    calls: list[str] = []

    @app.command("/ask")
    async def asked(command: dict[str, Any]) -> None:
        calls.append(command["text"])
        await asyncio.sleep(1)

    async with connect(app):
        receipt = await slack.command("Ana", "#checkout", "/ask", "x")
    assert (receipt.error, calls) == ("operation_timeout", ["x"])


async def test_commands_are_refused_in_threads(slack: Playground) -> None:
    """In a thread a slash command yields Slack's sentence and never reaches the app."""
    ts = await slack.post("Ana", "checkout", "root")
    receipt = await slack.command("Ana", "checkout", "/ask", "x", thread_ts=ts)
    assert not receipt.acknowledged
    assert slack.ephemeral("checkout", "Ana")[0].text == "/ask is not supported in threads. Sorry!"


async def test_response_url_works_five_times(
    slack: Playground, app: AsyncApp, connect: Connect, session: aiohttp.ClientSession
) -> None:
    """A response URL posts for one person or the channel, five times, then no more."""
    urls: list[str] = []

    @app.command("/ask")
    async def asked(ack: Callable[..., Any], command: dict[str, Any]) -> None:
        urls.append(command["response_url"])
        await ack()

    async with connect(app):
        await slack.command("Ana", "#checkout", "/ask", "x")
    hook = AsyncWebhookClient(urls[0], session=session)
    assert (await hook.send(text="for you")).body == "ok"
    assert (await hook.send(text="for all", response_type="in_channel")).status_code == 200
    statuses = [(await hook.send(text="again")).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 404]
    assert [message.text for message in slack.log.history(slack.channel_id("checkout"))] == [
        "for all"
    ]
    assert len(slack.ephemeral("checkout", "Ana")) == 4


async def test_click_carries_message_and_value(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """A click on one of two feedback buttons names its value and the message it stands in."""
    bodies: list[dict[str, Any]] = []

    @app.action("feedback")
    async def clicked(ack: Callable[..., Any], body: dict[str, Any]) -> None:
        bodies.append(body)
        await ack()

    channel = slack.channel_id("checkout")
    root = await slack.post("Ana", "checkout", "root")
    block = {"type": "context_actions", "elements": [FEEDBACK]}
    posted = await client.chat_postMessage(
        channel=channel, thread_ts=root, text="answer", blocks=[block]
    )
    async with connect(app):
        receipt = await slack.click("Ben", "checkout", str(posted["ts"]), "feedback", "bad")
    assert receipt.acknowledged
    assert bodies[0]["actions"][0]["value"] == "bad"
    assert bodies[0]["user"]["id"] == slack.user_id("Ben")
    assert bodies[0]["message"]["thread_ts"] == bodies[0]["container"]["thread_ts"] == root
    with pytest.raises(PlaygroundError):
        await slack.click("Ben", "checkout", str(posted["ts"]), "nothing")


async def test_ephemeral_is_replaced_only_by_a_click(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """An ephemeral message cannot be updated; a click's response URL replaces and deletes it."""

    @app.action("why")
    async def clicked(ack: Callable[..., Any], respond: Callable[..., Any]) -> None:
        await ack()
        await respond("replaced", replace_original=True)

    channel, ana = slack.channel_id("checkout"), slack.user_id("Ana")
    posted = await client.chat_postEphemeral(
        channel=channel,
        user=ana,
        text="hidden",
        blocks=[{"type": "actions", "elements": [BUTTON]}],
    )
    ts = str(posted["message_ts"])
    with pytest.raises(SlackApiError, match="message_not_found"):
        await client.chat_update(channel=channel, ts=ts, text="x")
    async with connect(app):
        await slack.click("Ana", "checkout", ts, "why")
        await slack.wait_until(lambda: slack.ephemeral("checkout", "Ana")[0].text == "replaced")
    assert slack.ephemeral("checkout", "Ben") == []


async def test_trigger_opens_one_view(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """A trigger id opens a view once; the second use and an unknown one are refused."""
    triggers: list[str] = []

    @app.command("/ask")
    async def asked(ack: Callable[..., Any], command: dict[str, Any]) -> None:
        triggers.append(command["trigger_id"])
        await ack()

    async with connect(app):
        await slack.command("Ana", "#checkout", "/ask", "x")
    view = {"type": "modal", "title": {"type": "plain_text", "text": "Why"}, "blocks": []}
    await client.views_open(trigger_id=triggers[0], view=view)
    opened = slack.open_views("Ana")[0]
    await client.views_update(view_id=opened.id, view=view | {"callback_id": "second"})
    assert slack.open_views("Ana")[0].content["callback_id"] == "second"
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await client.views_open(trigger_id=triggers[0], view=view)
    with pytest.raises(SlackApiError, match="invalid_trigger_id"):
        await client.views_open(trigger_id="1.2.3", view=view)


async def test_alerts_come_from_another_bot(slack: Playground) -> None:
    """An alert may have no text; its event carries the other app's bot_id and the blocks."""
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "Queue depth is high"}}
    await slack.alert("payments-oncall", blocks=[block], name="Alertmanager")
    event = slack.events[0].payload["event"]
    assert (event["text"], event["blocks"]) == ("", [block])
    assert event["bot_id"] != slack.workspace.bot.bot_id
    assert event["bot_profile"]["name"] == "Alertmanager"


async def test_edits_and_deletions_are_told(slack: Playground) -> None:
    """Changing and taking back a message sends message_changed and message_deleted."""
    ts = await slack.post("Ana", "checkout", "first")
    await slack.edit("checkout", ts, "second")
    await slack.delete("checkout", ts)
    subtypes = [record.payload["event"].get("subtype") for record in slack.events]
    assert subtypes == [None, "message_changed", "message_deleted"]
    change = slack.events[1].payload["event"]
    assert change["message"]["text"] == "second"
    assert change["previous_message"]["text"] == "first"


async def test_channels_without_the_bot_are_not_told(slack: Playground) -> None:
    """The app hears nothing of a channel the bot is not in."""
    slack.workspace.add_channel("lobby", [slack.user_id("Ana")], with_bot=False)
    await slack.post("Ana", "lobby", "@Footnote are you there?")
    assert slack.events == []


async def test_typed_text_arrives_as_slack_writes_it(slack: Playground) -> None:
    """Names, channels and addresses become markup; code and unknown names stay as typed."""
    ts = await slack.post(
        "Ana",
        "general",
        "@footnote #checkout @here https://x.test/a?b=1&c=2. `@Ben <x>` me@footnote.test"
        " <@U0NOBODY>",
    )
    message = slack.log.get(slack.channel_id("general"), ts)
    assert message is not None
    assert message.text == (
        f"<@{slack.bot_user_id}> <#{slack.channel_id('checkout')}|checkout> <!here>"
        " <https://x.test/a?b=1&amp;c=2>. `@Ben &lt;x&gt;` me@footnote.test &lt;@U0NOBODY&gt;"
    )


async def test_a_command_where_the_bot_is_not(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """In a private channel without the bot, a command is answered by its response URL alone."""

    @app.command("/ask")
    async def asked(
        ack: Callable[..., Any], respond: Callable[..., Any], command: dict[str, Any]
    ) -> None:
        await ack()
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await client.chat_postMessage(channel=command["channel_id"], text="x")
        assert command["channel_name"] == "privategroup"
        await respond("only here")

    slack.workspace.add_channel("secret", [slack.user_id("Ana")], private=True, with_bot=False)
    ana = slack.person("Ana")
    async with connect(app):
        assert (await ana.command("secret", "/ask", "x")).acknowledged
        await slack.wait_until(lambda: [m.text for m in ana.sees("secret")] == ["only here"])
    assert slack.events == []
    with pytest.raises(PlaygroundError, match="Ben is not in secret"):
        slack.person("Ben").sees("secret")


async def test_an_answer_that_cannot_be_shown_is_an_error(
    slack: Playground, app: AsyncApp, connect: Connect
) -> None:
    """Blocks beyond the limits in an acknowledgement leave Slack's error before the person."""

    @app.command("/ask")
    async def asked(ack: Callable[..., Any]) -> None:
        await ack(blocks=[{"type": "section"}])

    async with connect(app):
        receipt = await slack.person("Ana").command("checkout", "/ask", "x")
    assert receipt.error == "invalid_blocks"
    assert "invalid_blocks" in slack.ephemeral("checkout", "Ana")[0].text
