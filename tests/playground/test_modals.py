"""Modals and the Home tab with a real Bolt app: forms, answers, stacks, closing."""

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground, PlaygroundError
from bot.playground.people.modals import TROUBLE
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

type Connect = Callable[[AsyncApp], AbstractAsyncContextManager[AsyncSocketModeHandler]]
type Body = dict[str, Any]

FORM = modal(
    field(text_input("name", min_length=2), "who"),
    field(select("service", "payments", "search"), "what", optional=True),
    callback_id="form",
    private_metadata="C1:2",
)


async def opened(slack: Playground, client: AsyncWebClient, view: Body, who: str = "Ana") -> Body:
    """Open a modal before somebody, as after a click of theirs; the view as the app got it."""
    trigger = slack.triggers.new(slack.user_id(who))
    return wire(await client.views_open(trigger_id=trigger, view=view))


def wire(answer: Any) -> Body:
    """The view in an answer."""
    return answer["view"]


def answering(app: AsyncApp, *answers: Body) -> list[Body]:
    """Let the app answer submissions of the form, one after the other; what it gets."""
    seen: list[Body] = []
    left = list(answers)

    @app.view("form")
    async def submitted(ack: Callable[..., Any], body: Body) -> None:
        seen.append(body)
        await ack(**(left.pop(0) if left else {}))

    return seen


async def test_a_form_is_submitted_with_its_values(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """The submission carries every field under its two ids, and an empty ack closes the modal."""
    seen = answering(app)
    view = await opened(slack, client, FORM)
    ana = slack.person("Ana")
    async with connect(app):
        receipt = await ana.submit({"name": "Ada", "service": "search"})
    assert receipt.acknowledged
    assert ana.modal is None
    values = seen[0]["view"]["state"]["values"]
    assert values["who"]["name"] == {"type": "plain_text_input", "value": "Ada"}
    assert values["what"]["service"]["selected_option"] == option("search")
    assert seen[0]["view"]["private_metadata"] == "C1:2"
    assert (seen[0]["view"]["id"], seen[0]["user"]["id"]) == (view["id"], ana.id)
    assert "response_url" not in seen[0]


async def test_slack_refuses_a_form_before_the_app_hears_of_it(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """Required and too short fields are complained of in the modal, and nothing is sent."""
    seen = answering(app)
    await opened(slack, client, FORM)
    ana = slack.person("Ana")
    async with connect(app):
        assert (await ana.submit()).problems == {"who": "Please complete this required field."}
        assert "at least 2" in (await ana.submit({"name": "x"})).problems["who"]
    assert seen == []
    assert ana.modal is not None
    assert ana.modal.errors.keys() == {"who"}


async def test_the_app_answers_with_errors_update_push_and_clear(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """Each response_action does to the stack of modals what Slack does."""
    second = modal(field(text_input("name"), "who"), title="Second", callback_id="form")
    third = modal(section("x"), title="Third", callback_id="form")
    answering(
        app,
        {"response_action": "errors", "errors": {"who": "Nobody of that name."}},
        {"response_action": "update", "view": second},
        {"response_action": "push", "view": third},
        {"response_action": "clear"},
    )
    first = await opened(slack, client, FORM)
    ana = slack.person("Ana")
    async with connect(app):
        assert (await ana.submit({"name": "Ada"})).problems == {"who": "Nobody of that name."}
        await ana.submit()
        assert [(each.id, each.title) for each in slack.open_views("Ana")] == [
            (first["id"], "Second")
        ]
        await ana.submit({"name": "Bob"})
        assert [each.title for each in slack.open_views("Ana")] == ["Second", "Third"]
        assert slack.open_views("Ana")[1].previous_id == first["id"]
        await ana.submit()
    assert ana.modal is None


@pytest.mark.parametrize(
    "answer",
    [
        {"response_action": "errors", "errors": {"nowhere": "x"}},
        {"response_action": "errors", "errors": {}},
        {"response_action": "update", "view": modal(section("x"), title="x" * 25)},
        {"response_action": "dance"},
    ],
)
async def test_a_wrong_answer_leaves_the_modal_open(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect, answer: Body
) -> None:
    """An answer that Slack can't use shows its sentence of trouble, as does none at all."""

    @app.view("form")
    async def submitted(ack: Callable[..., Any]) -> None:
        await ack(answer)

    await opened(slack, client, FORM)
    ana = slack.person("Ana")
    async with connect(app):
        assert not (await ana.submit({"name": "Ada"})).acknowledged
    assert ana.modal is not None
    assert ana.modal.errors == {"": TROUBLE}


async def test_an_unanswered_form_stays_open(slack: Playground, client: AsyncWebClient) -> None:
    """With no app there to take it, what was entered is still in the modal."""
    await opened(slack, client, FORM)
    ana = slack.person("Ana")
    assert (await ana.submit({"name": "Ada"})).error == "dispatch_failed"
    assert ana.modal is not None
    assert ana.modal.errors == {"": TROUBLE}
    assert (await ana.submit()).problems == {"": TROUBLE}


async def test_clicks_in_views_have_no_response_url(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """A click in a modal brings the view with what was entered, a trigger, and no response_url."""
    bodies: list[Body] = []

    @app.action("press")
    async def pressed(ack: Callable[..., Any], body: Body, client: AsyncWebClient) -> None:
        await ack()
        bodies.append(body)
        pushed = modal(section("More"), title="More")
        await client.views_push(trigger_id=body["trigger_id"], view=pushed)

    view = modal(field(text_input("name"), "who"), actions(button("press")))
    await opened(slack, client, view)
    ana = slack.person("Ana")
    async with connect(app):
        await ana.click_modal("name", "Ada")
        await ana.click_modal("press")
        await slack.wait_until(lambda: len(slack.open_views("Ana")) == 2)
    (body,) = bodies
    assert body["view"]["state"]["values"]["who"]["name"]["value"] == "Ada"
    assert body["container"]["type"] == "view"
    assert not body.keys() & {"response_url", "channel", "message"}
    await ana.close_modal()
    assert ana.modal is not None
    assert ana.modal.title == "Settings"


async def test_a_field_is_told_at_once_only_when_it_asks_for_that(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """Filling in a field goes with the form, unless its block has dispatch_action."""
    heard: list[str] = []

    @app.action(re.compile("quiet|loud"))
    async def filled(ack: Callable[..., Any], body: Body) -> None:
        await ack()
        heard.append(body["actions"][0]["action_id"])

    loud = field(text_input("loud"), "two", dispatch_action=True)
    await opened(slack, client, modal(field(text_input("quiet"), "one"), loud))
    ana = slack.person("Ana")
    async with connect(app):
        await ana.click_modal("quiet", "x")
        await ana.click_modal("loud", "y")
    assert heard == ["loud"]


async def test_values_outlive_an_update_by_their_ids(
    slack: Playground, client: AsyncWebClient
) -> None:
    """What was entered stays through views.update where block_id and action_id stay, else not."""
    view = await opened(slack, client, FORM)
    ana = slack.person("Ana")
    await ana.click_modal("name", "Ada")
    same = wire(await client.views_update(view_id=view["id"], view=FORM))
    assert same["state"]["values"]["who"]["name"]["value"] == "Ada"
    other = modal(field(text_input("name"), "whom"))
    fresh = wire(await client.views_update(view_id=view["id"], view=other))
    assert fresh["state"]["values"]["whom"]["name"]["value"] is None


async def test_hash_stack_and_ids_are_checked(slack: Playground, client: AsyncWebClient) -> None:
    """A stale hash, a fourth modal and an external_id in use are refused; so is a closed view."""
    view = await opened(slack, client, FORM | {"external_id": "one"})
    await client.views_update(external_id="one", view=FORM | {"external_id": "one"})
    for call, error in [
        (client.views_update(view_id=view["id"], hash=view["hash"], view=FORM), "hash_conflict"),
        (client.views_update(view_id="V0NOTHING", view=FORM), "not_found"),
    ]:
        with pytest.raises(SlackApiError, match=error):
            await call

    async def push(**further: str) -> None:
        trigger = slack.triggers.new(slack.user_id("Ana"))
        await client.views_push(trigger_id=trigger, view=FORM | further)

    with pytest.raises(SlackApiError, match="duplicate_external_id"):
        await push(external_id="one")
    await push()
    await push()
    with pytest.raises(SlackApiError, match="push_limit_reached"):
        await push()
    await slack.person("Ana").close_modal(everything=True)
    with pytest.raises(SlackApiError, match="not_found"):
        await client.views_update(view_id=view["id"], view=FORM)


async def test_closing_is_told_where_the_app_asked(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """view_closed comes for views with notify_on_close, and says whether the stack was cleared."""
    closed: list[Body] = []

    @app.view_closed("form")
    async def listen(ack: Callable[..., Any], body: Body) -> None:
        await ack()
        closed.append(body)

    ana = slack.person("Ana")
    async with connect(app):
        await opened(slack, client, FORM)
        await ana.close_modal()
        assert closed == []
        await opened(slack, client, FORM | {"notify_on_close": True})
        await ana.close_modal(everything=True)
    assert [(body["type"], body["is_cleared"]) for body in closed] == [("view_closed", True)]
    assert ana.modal is None
    with pytest.raises(PlaygroundError, match="no modal open"):
        await ana.submit()


async def test_a_conversation_chosen_in_a_form_can_be_answered(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """A select with response_url_enabled gives the app an address for the channel chosen."""
    seen = answering(app)
    where = {
        "type": "conversations_select",
        "action_id": "where",
        "response_url_enabled": True,
    }
    await opened(slack, client, modal(field(where, "place"), callback_id="form"))
    channel = slack.channel_id("general")
    async with connect(app):
        await slack.person("Ana").submit({"where": channel})
    (url,) = seen[0]["response_urls"]
    assert (url["channel_id"], url["block_id"], url["action_id"]) == (channel, "place", "where")


async def test_home_is_published_opened_and_clicked(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """app_home_opened lets the app publish a Home for that person, whose buttons work."""
    pressed: list[Body] = []

    @app.event("app_home_opened")
    async def home(event: Body, client: AsyncWebClient) -> None:
        view = {"type": "home", "blocks": [actions(button("press", event["tab"]))]}
        await client.views_publish(user_id=event["user"], view=view)

    @app.action("press")
    async def press(ack: Callable[..., Any], body: Body) -> None:
        await ack()
        pressed.append(body)

    ana = slack.person("Ana")
    async with connect(app):
        await ana.open_home()
        await slack.wait_until(lambda: ana.home is not None)
        await ana.click_home("press")
        await ana.open_home()
        await slack.wait_until(lambda: slack.events[-1].acknowledged)
    assert slack.person("Ben").home is None
    assert pressed[0]["view"]["type"] == "home"
    assert pressed[0]["actions"][0]["value"] == "home"
    first, again = [each.payload["event"] for each in slack.events]
    assert "view" not in first
    assert ana.home is not None
    assert again["view"]["id"] == ana.home.id
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await client.views_publish(user_id=ana.id, view={"type": "home", "blocks": []}, hash="x")


@pytest.mark.parametrize(
    "view",
    [
        modal(section("x"), title="x" * 25),
        modal(section("x"), private_metadata="x" * 3_001),
        modal(section("x"), callback_id="x" * 256),
        modal(*[section("x")] * 101),
        {**modal(field(text_input("a"), "b")), "submit": None},
        {"type": "home", "blocks": []},
        {"type": "modal", "title": {"type": "plain_text", "text": "x"}},
        {**modal(), "blocks": ["x"]},
    ],
)
async def test_views_have_limits(slack: Playground, client: AsyncWebClient, view: Body) -> None:
    """A view beyond a limit is refused, and its trigger_id is still good."""
    trigger = slack.triggers.new(slack.user_id("Ana"))
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await client.api_call("views.open", json={"trigger_id": trigger, "view": view})
    blocks = [section("x")] * 100
    await client.views_open(trigger_id=trigger, view=modal(*blocks, private_metadata="x" * 3_000))
