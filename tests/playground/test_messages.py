"""What the app hears of messages that change: edits, deletions, previews, reactions, webhooks."""

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground, PlaygroundError
from tests.playground.blocks import section


def told(slack: Playground) -> list[dict[str, Any]]:
    """The events sent so far."""
    return [record.payload["event"] for record in slack.events]


async def test_a_preview_is_no_edit(slack: Playground) -> None:
    """An unfurled link is message_changed with an attachment and without a mark of editing."""
    ts = await slack.post("Ana", "checkout", "see https://runbooks.example/x")
    slack.people.writing.unfurl("checkout", ts, "A runbook")
    change = told(slack)[-1]
    assert change["subtype"] == "message_changed"
    assert change["message"]["attachments"][0]["title"] == "A runbook"
    assert change["message"]["text"] == change["previous_message"]["text"]
    assert "edited" not in change["message"]


async def test_no_preview_where_the_app_forbade_it(
    slack: Playground, client: AsyncWebClient
) -> None:
    """A message posted without unfurling gets no preview."""
    channel = slack.channel_id("checkout")
    posted = await client.chat_postMessage(
        channel=channel, text="https://runbooks.example/x", unfurl_links=False
    )
    slack.people.writing.unfurl("checkout", str(posted["ts"]), "A runbook")
    assert [event.get("subtype") for event in told(slack)] == [None]


async def test_own_updates_and_deletions_echo(slack: Playground, client: AsyncWebClient) -> None:
    """What the bot changes and takes back comes to it as events, marked as its own."""
    channel = slack.channel_id("checkout")
    ts = str((await client.chat_postMessage(channel=channel, text="one"))["ts"])
    await client.chat_update(channel=channel, ts=ts, text="two")
    await client.chat_delete(channel=channel, ts=ts)
    posted, change, deletion = told(slack)
    bot = slack.workspace.bot.bot_id
    assert posted["bot_id"] == change["message"]["bot_id"] == bot
    assert deletion["previous_message"]["bot_id"] == bot


async def test_a_deleted_root_leaves_a_stone(slack: Playground, client: AsyncWebClient) -> None:
    """A root with replies becomes a tombstone, told as message_changed; a reply just goes."""
    ana = slack.person("Ana")
    root = await ana.post("checkout", "root")
    reply = await ana.post("checkout", "reply", root)
    await ana.delete("checkout", root)
    change = told(slack)[-1]
    assert change["subtype"] == "message_changed"
    assert change["message"]["subtype"] == "tombstone"
    assert change["previous_message"]["text"] == "root"
    stone = await client.conversations_replies(channel=slack.channel_id("checkout"), ts=root)
    assert (stone.get("messages") or [{}])[0]["text"] == "This message was deleted."
    await ana.delete("checkout", reply)
    assert told(slack)[-1]["subtype"] == "message_deleted"


async def test_only_ones_own_messages_are_changed(slack: Playground) -> None:
    """A person edits and deletes what is theirs."""
    ts = await slack.post("Ana", "checkout", "mine")
    ben = slack.person("Ben")
    for action in (ben.edit("checkout", ts, "yours"), ben.delete("checkout", ts)):
        with pytest.raises(PlaygroundError, match="is not Ben's"):
            await action


async def test_reactions_of_people_are_told(slack: Playground, client: AsyncWebClient) -> None:
    """The app hears who put which emoji below whose message, and who took it back."""
    channel = slack.channel_id("checkout")
    ts = str((await client.chat_postMessage(channel=channel, text="answer"))["ts"])
    ana = slack.person("Ana")
    await ana.react("checkout", ts, "+1")
    await ana.unreact("checkout", ts, "+1")
    added, removed = told(slack)[1:]
    assert (added["type"], removed["type"]) == ("reaction_added", "reaction_removed")
    assert (added["user"], added["reaction"], added["item_user"]) == (
        ana.id,
        "+1",
        slack.bot_user_id,
    )
    assert added["item"] == {"type": "message", "channel": channel, "ts": ts}


async def test_alerts_say_it_in_blocks_and_attachments(slack: Playground) -> None:
    """A webhook's post has a bot_id and no user; its text is empty, its attachments are not."""
    attachment = {"color": "#f00", "title": "[FIRING:1] QueueDepth", "text": "payments 5032"}
    await slack.alert("checkout", attachments=[attachment], webhook=True)
    await slack.alert("checkout", blocks=[section("Queue depth is high")])
    by_webhook, by_bot = told(slack)
    assert (by_webhook["text"], by_webhook["subtype"]) == ("", "bot_message")
    assert by_webhook["attachments"] == [attachment]
    assert "user" not in by_webhook
    assert by_webhook["bot_id"] == by_bot["bot_id"]
    assert by_bot["user"]
    assert "subtype" not in by_bot


async def test_a_reply_can_be_broadcast(slack: Playground, client: AsyncWebClient) -> None:
    """A reply also shown in the channel has its subtype, and stands in the channel's history."""
    root = await slack.post("Ana", "checkout", "root")
    ts = await slack.person("Ben").post("checkout", "look", root, broadcast=True)
    event = told(slack)[-1]
    assert (event["subtype"], event["thread_ts"], event["ts"]) == ("thread_broadcast", root, ts)
    history = await client.conversations_history(channel=slack.channel_id("checkout"))
    assert [each["ts"] for each in history.get("messages") or []] == [ts, root]


async def test_other_apps_bots_are_known(slack: Playground, client: AsyncWebClient) -> None:
    """bots.info names the bot behind an alert."""
    await slack.alert("checkout", "high", name="Alertmanager")
    info = await client.bots_info(bot=told(slack)[0]["bot_id"])
    assert (info["bot"] or {})["name"] == "Alertmanager"
