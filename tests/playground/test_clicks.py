"""Clicks and choices in messages, and shortcuts, with a real Bolt app."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground, PlaygroundError
from tests.playground.blocks import actions, button, modal, option, plain, section, select

type Connect = Callable[[AsyncApp], AbstractAsyncContextManager[AsyncSocketModeHandler]]
type Body = dict[str, Any]


@pytest.fixture
def bodies(app: AsyncApp) -> list[Body]:
    """What the app's listeners get; they listen to every action and shortcut used here."""
    seen: list[Body] = []

    async def listen(ack: Callable[..., Any], body: Body) -> None:
        seen.append(body)
        await ack()

    for name in ("press", "choose", "more", "several", "search"):
        app.action(name)(listen)
    app.shortcut("ask")(listen)
    return seen


async def post(client: AsyncWebClient, channel: str, *blocks: Body) -> str:
    """Post blocks as the bot; the message's ts."""
    posted = await client.chat_postMessage(channel=channel, text="x", blocks=list(blocks))
    return str(posted["ts"])


async def test_choices_are_told_and_kept(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect, bodies: list[Body]
) -> None:
    """A choice comes with its option; later clicks of that person carry it in `state`."""
    several = {**select("several", "a", "b", "c"), "type": "multi_static_select"}
    row = actions(select("choose", "payments", "search"), several, button("press", "v"))
    ts = await post(client, slack.channel_id("checkout"), row)
    ana, ben = slack.person("Ana"), slack.person("Ben")
    async with connect(app):
        await ana.click("checkout", ts, "choose", "search")
        await ana.click("checkout", ts, "several", ["a", "c"])
        await ana.click("checkout", ts, "press")
        await ben.click("checkout", ts, "press")
    chosen, many, pressed, elsewhere = bodies
    assert chosen["actions"][0]["selected_option"]["value"] == "search"
    assert chosen["actions"][0]["block_id"] == "row"
    assert [each["value"] for each in many["actions"][0]["selected_options"]] == ["a", "c"]
    assert pressed["actions"][0]["value"] == "v"
    assert pressed["state"]["values"]["row"]["choose"]["selected_option"]["value"] == "search"
    assert elsewhere["state"]["values"]["row"]["choose"]["selected_option"] is None


async def test_overflow_and_accessories(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect, bodies: list[Body]
) -> None:
    """An overflow menu beside a section names the option chosen."""
    menu = {"type": "overflow", "action_id": "more", "options": [option("mute"), option("why")]}
    ts = await post(client, slack.channel_id("checkout"), section("x", accessory=menu))
    async with connect(app):
        await slack.person("Ana").click("checkout", ts, "more", "why")
    assert bodies[0]["actions"][0]["selected_option"]["value"] == "why"
    assert bodies[0]["container"]["message_ts"] == ts


async def test_what_is_not_offered_cannot_be_chosen(
    slack: Playground, client: AsyncWebClient
) -> None:
    """A test that chooses an option or clicks a button that isn't there fails with a sentence."""
    row = actions(select("choose", "payments"))
    ts = await post(client, slack.channel_id("checkout"), row)
    ana = slack.person("Ana")
    with pytest.raises(PlaygroundError, match="no option with the value 'lunch'"):
        await ana.click("checkout", ts, "choose", "lunch")
    with pytest.raises(PlaygroundError, match="nothing to click here"):
        await ana.click("checkout", ts, "press")
    with pytest.raises(PlaygroundError, match="wants to know"):
        await ana.click("checkout", ts, "choose")
    pressed = await post(client, slack.channel_id("checkout"), actions(button("press", "v")))
    with pytest.raises(PlaygroundError, match="no button with the value"):
        await ana.click("checkout", pressed, "press", ["v", "w"])


async def test_external_options_come_from_the_app(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect, bodies: list[Body]
) -> None:
    """An external select asks the app from three letters on, and takes one of its options."""
    asked: list[Body] = []

    @app.options("search")
    async def offer(ack: Callable[..., Any], body: Body) -> None:
        asked.append(body)
        names = ("payments", "pay-gateway", "search")
        await ack(options=[option(name) for name in names if body["value"] in name])

    external = {"type": "external_select", "action_id": "search", "placeholder": plain("Service")}
    ts = await post(client, slack.channel_id("checkout"), actions(external))
    ana = slack.person("Ana")
    async with connect(app):
        await ana.click("checkout", ts, "search", "payments")
        short = await ana.people.clicks.options_in_message(ana.id, "checkout", ts, "search", "pa")
        found = await ana.people.clicks.options_in_message(ana.id, "checkout", ts, "search", "pay")
    assert short == []
    assert [each["value"] for each in found] == ["payments", "pay-gateway"]
    assert [body["value"] for body in asked] == ["payments", "pay"]
    assert "trigger_id" not in asked[0]
    assert bodies[0]["actions"][0]["selected_option"]["value"] == "payments"


async def test_options_beyond_the_limit_are_no_options(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """More than a hundred options, or a text over 75 characters, can't be shown."""

    @app.options("search")
    async def offer(ack: Callable[..., Any], body: Body) -> None:
        await ack(
            options=[option(str(n)) for n in range(101)]
            if body["value"] == "many"
            else [option("x" * 76)]
        )

    external = {"type": "external_select", "action_id": "search", "placeholder": plain("Service")}
    ts = await post(client, slack.channel_id("checkout"), actions(external))
    ana = slack.person("Ana")
    async with connect(app):
        for query in ("many", "long"):
            with pytest.raises(PlaygroundError, match="invalid_options"):
                await ana.click("checkout", ts, "search", query)


async def test_shortcuts(
    slack: Playground, app: AsyncApp, connect: Connect, bodies: list[Body]
) -> None:
    """A message shortcut brings the message, anybody's; a global one brings no channel."""
    block = section("Queue depth is high")
    ts = await slack.alert("checkout", blocks=[block], webhook=True)
    async with connect(app):
        await slack.person("Ben").message_shortcut("checkout", ts, "ask")
        await slack.person("Ben").shortcut("ask")
    on_message, anywhere = bodies
    assert on_message["message"]["blocks"] == [block]
    assert (on_message["message"]["text"], on_message["message"].get("user")) == ("", None)
    assert on_message["response_url"]
    assert anywhere["type"] == "shortcut"
    assert "channel" not in anywhere


async def test_a_click_opens_a_modal_in_time_and_once(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """A trigger_id opens one view, and none after three seconds."""
    triggers: list[str] = []

    @app.action("press")
    async def pressed(ack: Callable[..., Any], body: Body) -> None:
        await ack()
        triggers.append(body["trigger_id"])

    ts = await post(client, slack.channel_id("checkout"), actions(button("press")))
    ana = slack.person("Ana")
    async with connect(app):
        for _ in range(2):
            await ana.click("checkout", ts, "press")
        await slack.wait_until(lambda: len(triggers) == 2)
    await client.views_open(trigger_id=triggers[0], view=modal(section("x")))
    assert ana.modal is not None
    assert ana.modal.title == "Settings"
    assert slack.person("Ben").modal is None
    slack.clock.advance(3.1)
    with pytest.raises(Exception, match="expired_trigger_id"):
        await client.views_open(trigger_id=triggers[1], view=modal(section("x")))


async def test_unanswered_clicks_are_told_to_the_person(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """A click that no app takes, or that isn't acknowledged in time, ends in Slack's error."""
    ts = await post(client, slack.channel_id("checkout"), actions(button("nobody")))
    ana = slack.person("Ana")
    assert (await ana.click("checkout", ts, "nobody")).error == "dispatch_failed"
    async with connect(app):
        assert (await ana.click("checkout", ts, "nobody")).error == "operation_timeout"


async def test_ephemerals_are_for_one_person(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect, bodies: list[Body]
) -> None:
    """Only its reader sees and clicks an ephemeral message; its payload holds no message."""
    channel, ana, ben = slack.channel_id("checkout"), slack.person("Ana"), slack.person("Ben")
    root = await ana.post("checkout", "root")
    await client.chat_postEphemeral(
        channel=channel, user=ana.id, thread_ts=root, text="h", blocks=[actions(button("press"))]
    )
    (hidden,) = [each for each in ana.sees("checkout", root) if each.ephemeral_to]
    assert not any(each.ephemeral_to for each in ben.sees("checkout", root))
    assert [each.ts for each in ana.sees("checkout")] == [root]
    with pytest.raises(PlaygroundError, match="does not see"):
        await ben.click("checkout", hidden.ts, "press")
    async with connect(app):
        await ana.click("checkout", hidden.ts, "press")
    assert "message" not in bodies[0]
    assert bodies[0]["container"]["is_ephemeral"]
    outsider = slack.workspace.add_user("Olga")
    with pytest.raises(Exception, match="user_not_in_channel"):
        await client.chat_postEphemeral(channel=channel, user=outsider.id, text="x")
