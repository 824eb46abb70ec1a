"""Slack's limits: what just fits is taken, one more is refused with Slack's error."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.playground.blocks import actions, button, field, modal, option, plain, section, select

type Block = dict[str, Any]

FEEDBACK = {
    "type": "feedback_buttons",
    "positive_button": {"text": plain("Good"), "value": "good"},
    "negative_button": {"text": plain("Bad"), "value": "bad"},
}


def texts(count: int) -> list[Block]:
    """As many mrkdwn texts."""
    return [{"type": "mrkdwn", "text": "x"}] * count


def table(rows: int, cells: int) -> Block:
    """A table of this size."""
    return {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * cells] * rows}


def buttons(count: int) -> list[Block]:
    """As many buttons, each with its own id."""
    return [button(f"b{number}") for number in range(count)]


def options(kind: str, count: int) -> Block:
    """An element of this kind with as many options."""
    listed = [option(str(number)) for number in range(count)]
    return actions({"type": kind, "action_id": "x", "options": listed})


# Each makes a message from a size; the size beside it is the largest that Slack takes.
SIZES: dict[str, tuple[Callable[[int], list[Block]], int]] = {
    "blocks of a message": (lambda n: [{"type": "divider"}] * n, 50),
    "text of a section": (lambda n: [section("x" * n)], 3_000),
    "fields of a section": (lambda n: [{"type": "section", "fields": texts(n)}], 10),
    "text of a field": (
        lambda n: [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x" * n}]}],
        2_000,
    ),
    "markdown, cumulative": (
        lambda n: [
            {"type": "markdown", "text": "x" * 6_000},
            {"type": "markdown", "text": "x" * (n - 6_000)},
        ],
        12_000,
    ),
    "header": (lambda n: [{"type": "header", "text": plain("x" * n)}], 150),
    "elements of a context": (lambda n: [{"type": "context", "elements": texts(n)}], 10),
    "elements of actions": (lambda n: [actions(*buttons(n))], 25),
    "elements of context_actions": (
        lambda n: [
            {
                "type": "context_actions",
                "elements": [{**FEEDBACK, "action_id": f"{i}"} for i in range(n)],
            }
        ],
        5,
    ),
    "text of a button": (lambda n: [actions(button("b", text="x" * n))], 75),
    "value of a button": (lambda n: [actions(button("b", "x" * n))], 2_000),
    "address of a button": (lambda n: [actions({**button("b"), "url": "x" * n})], 3_000),
    "action_id": (lambda n: [actions(button("x" * n))], 255),
    "block_id": (lambda n: [section("x", block_id="x" * n)], 255),
    "options of a select": (lambda n: [options("static_select", n)], 100),
    "options of an overflow": (lambda n: [options("overflow", n)], 5),
    "options of checkboxes": (lambda n: [options("checkboxes", n)], 10),
    "text of an option": (
        lambda n: [actions({**select("s"), "options": [{"text": plain("x" * n), "value": "v"}]})],
        75,
    ),
    "value of an option": (
        lambda n: [actions({**select("s"), "options": [{"text": plain("x"), "value": "v" * n}]})],
        150,
    ),
    "placeholder": (lambda n: [actions({**select("s", "a"), "placeholder": plain("x" * n)})], 150),
    "rows of a table": (lambda n: [table(n, 1)], 100),
    "cells of a table's row": (lambda n: [table(1, n)], 20),
    "tables of a message": (lambda n: [table(1, 1)] * n, 1),
    "alternative text of an image": (
        lambda n: [{"type": "image", "image_url": "http://x", "alt_text": "x" * n}],
        2_000,
    ),
    "label of an input": (
        lambda n: [{**field({"type": "plain_text_input"}, "f"), "label": plain("x" * n)}],
        2_000,
    ),
}


async def refusal(client: AsyncWebClient, **message: Any) -> dict[str, Any]:
    """Slack's answer to a message that it refuses."""
    with pytest.raises(SlackApiError) as caught:
        await client.api_call("chat.postMessage", json=message)
    return caught.value.response.data


@pytest.mark.parametrize("what", SIZES)
async def test_what_just_fits_is_taken_and_one_more_is_not(
    slack: Playground, client: AsyncWebClient, what: str
) -> None:
    """Blocks of exactly the largest size are stored; one more is `invalid_blocks`, at a place."""
    make, largest = SIZES[what]
    channel = slack.channel_id("general")
    await client.chat_postMessage(channel=channel, text="x", blocks=make(largest))
    answer = await refusal(client, channel=channel, text="x", blocks=make(largest + 1))
    assert answer["error"] == "invalid_blocks"
    assert "[json-pointer:/blocks" in answer["response_metadata"]["messages"][0]
    assert len(slack.log.history(channel)) == 1


@pytest.mark.parametrize(
    "block",
    [
        {"type": "paragraph"},
        {"type": "section"},
        {"type": "section", "text": {"type": "markdown", "text": "x"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": ""}},
        {"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
        {"type": "markdown", "text": ""},
        {"type": "actions", "elements": []},
        {"type": "actions", "elements": [FEEDBACK]},
        {"type": "actions", "elements": [button("same"), button("same")]},
        {"type": "context_actions", "elements": [button("b")]},
        {"type": "context_actions", "elements": [{"type": "feedback_buttons"}]},
        {"type": "input", "label": plain("x"), "element": button("b")},
        {"type": "image", "image_url": "http://x"},
        {"type": "table", "rows": []},
        {"type": "table", "rows": [[{"type": "mrkdwn", "text": "x"}]]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": ""}]]},
        actions({**select("s", "a"), "initial_option": option("b")}),
    ],
)
async def test_malformed_blocks_are_refused(
    slack: Playground, client: AsyncWebClient, block: Block
) -> None:
    """What Slack's schema doesn't allow is invalid, however small."""
    channel = slack.channel_id("general")
    answer = await refusal(client, channel=channel, text="x", blocks=[block])
    assert answer["error"] == "invalid_blocks"


async def test_two_blocks_of_one_id_are_refused(slack: Playground, client: AsyncWebClient) -> None:
    """A block_id names one block of a message."""
    blocks = [section("x", block_id="same"), section("y", block_id="same")]
    answer = await refusal(client, channel=slack.channel_id("general"), text="x", blocks=blocks)
    assert answer["error"] == "invalid_blocks"


async def test_all_text_of_a_message_has_a_limit(slack: Playground, client: AsyncWebClient) -> None:
    """Blocks that are each fine are too long together beyond about 13,200 characters."""
    channel = slack.channel_id("general")
    blocks = [section("x" * 3_000)] * 4
    await client.chat_postMessage(channel=channel, text="x", blocks=[*blocks, section("x" * 1_200)])
    answer = await refusal(client, channel=channel, blocks=[*blocks, section("x" * 1_201)])
    assert answer["error"] == "msg_blocks_too_long"


async def test_a_long_text_is_split_and_not_updated(
    slack: Playground, client: AsyncWebClient
) -> None:
    """Over 4,000 characters a text is posted in pieces, and refused by chat.update."""
    channel = slack.channel_id("general")
    ts = str((await client.chat_postMessage(channel=channel, text="x" * 4_000))["ts"])
    assert len(slack.log.history(channel)) == 1
    await client.chat_postMessage(channel=channel, text="y" * 8_001)
    lengths = [len(message.text) for message in slack.log.history(channel)]
    assert lengths == [4_000, 4_000, 4_000, 1]
    await client.chat_update(channel=channel, ts=ts, text="z" * 4_000)
    with pytest.raises(SlackApiError, match="msg_too_long"):
        await client.chat_update(channel=channel, ts=ts, text="z" * 4_001)
    with_blocks = await client.chat_postMessage(
        channel=channel, text="x" * 5_000, blocks=[section("short")]
    )
    stored = slack.log.get(channel, str(with_blocks["ts"]))
    assert stored is not None
    assert len(stored.text) == 5_000


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"event_type": "turn"}, "invalid_metadata_format"),
        ({"event_type": "turn", "event_payload": {"x": "y" * 16_000}}, "metadata_too_large"),
        ("{", "invalid_metadata_format"),
    ],
)
async def test_metadata_is_checked(
    slack: Playground, client: AsyncWebClient, metadata: Any, error: str
) -> None:
    """Metadata needs its two members and a bounded size."""
    channel = slack.channel_id("general")
    answer = await refusal(client, channel=channel, text="x", metadata=metadata)
    assert answer["error"] == error


async def test_the_longest_form_fits(slack: Playground, client: AsyncWebClient) -> None:
    """A modal may have a hundred blocks; the limit of all text is one of messages only."""
    trigger = slack.triggers.new(slack.user_id("Ana"))
    view = modal(*[section("x" * 1_000)] * 100, title="x" * 24)
    await client.views_open(trigger_id=trigger, view=view)
    assert len(slack.open_views("Ana")[0].blocks) == 100
