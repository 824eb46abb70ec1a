"""The Web API through the SDK's own client: what it stores and what it refuses, and how."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}


async def refused(call: Any) -> str:
    """The Slack error a call ends with."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


async def data(call: Any) -> dict[str, Any]:
    """The answer of a call that succeeds."""
    return dict((await call).data)


async def test_auth_test_names_the_bot(slack: Playground, client: AsyncWebClient) -> None:
    """auth.test gives the ids that Bolt's authorization needs."""
    answer = await data(client.auth_test())
    assert answer["user_id"] == slack.bot_user_id
    assert answer["bot_id"] == slack.workspace.bot.bot_id
    assert answer["team_id"] == slack.team_id


async def test_tokens_are_checked(
    slack: Playground, client: AsyncWebClient, session: aiohttp.ClientSession
) -> None:
    """A missing, wrong or app-level token is refused with Slack's errors."""
    for given, error in [
        (None, "not_authed"),
        ("xoxb-wrong", "invalid_auth"),
        (slack.app_token, "not_allowed_token_type"),
    ]:
        other = AsyncWebClient(given, slack.api_url, session=session)
        assert await refused(other.auth_test()) == error
    assert await refused(client.api_call("chat.teleport")) == "unknown_method"


async def test_thread_can_be_paged_with_metadata(slack: Playground, client: AsyncWebClient) -> None:
    """conversations.replies pages oldest first to the end and gives metadata only when asked."""
    channel = slack.channel_id("checkout")
    root = await slack.post("Ana", "checkout", "root")
    metadata = {"event_type": "turn", "event_payload": {"turn": "7"}}
    for number in range(5):
        await client.chat_postMessage(
            channel=channel, thread_ts=root, text=f"{number}", metadata=metadata
        )
    pages: list[list[str]] = []
    cursor = None
    while cursor != "":
        page = await data(
            client.conversations_replies(
                channel=channel, ts=root, limit=2, cursor=cursor, include_all_metadata=True
            )
        )
        pages.append([message["text"] for message in page["messages"]])
        assert all(m["metadata"] == metadata for m in page["messages"] if m["ts"] != root)
        cursor = (page.get("response_metadata") or {}).get("next_cursor", "")
    assert pages == [["root", "0"], ["1", "2"], ["3", "4"]]
    bare = await data(client.conversations_replies(channel=channel, ts=root))
    assert not any("metadata" in message for message in bare["messages"])
    assert bare["messages"][0]["reply_count"] == 5


async def test_posts_to_the_wrong_place_are_refused(
    slack: Playground, client: AsyncWebClient
) -> None:
    """Unknown, foreign and private channels, unknown threads and replies to replies are errors."""
    ana = slack.user_id("Ana")
    private = slack.workspace.add_channel("secret", [ana], private=True, with_bot=False)
    public = slack.workspace.add_channel("lobby", [ana], with_bot=False)
    home = slack.channel_id("general")
    root = await slack.post("Ana", "general", "root")
    reply = await slack.post("Ana", "general", "reply", root)
    send = client.chat_postMessage
    assert await refused(send(channel="C0NOWHERE", text="x")) == "channel_not_found"
    assert await refused(send(channel=private.id, text="x")) == "channel_not_found"
    assert await refused(send(channel=public.id, text="x")) == "not_in_channel"
    assert await refused(send(channel=home, text="x", thread_ts="1.000001")) == "thread_not_found"
    assert await refused(send(channel=home, text="x", thread_ts=reply)) == "cannot_reply_to_message"
    await client.conversations_join(channel=public.id)
    assert (await send(channel=public.id, text="x"))["ok"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ({"text": ""}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": "x", "blocks": [SECTION] * 51}, "invalid_blocks"),
        ({"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}]}, "i"),
        ({"blocks": [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}]}, "i"),
        ({"blocks": [{"type": "section"}]}, "i"),
        ({"blocks": [{"type": "paragraph"}]}, "i"),
        ({"blocks": [{"type": "section", "fields": 7}]}, "i"),
        ({"blocks": [{"type": "actions", "elements": ["x"]}]}, "i"),
        ({"blocks": [{"type": "context", "elements": []}]}, "i"),
        ({"blocks": [{"type": "markdown", "text": "x" * 6_001}] * 2}, "i"),
        ({"blocks": [SECTION | {"text": {"type": "mrkdwn", "text": "x" * 3_000}}] * 5}, "long"),
        ({"blocks": "[{", "text": "x"}, "invalid_blocks_format"),
    ],
)
async def test_limits_are_slacks(
    slack: Playground, client: AsyncWebClient, content: dict[str, Any], error: str
) -> None:
    """A message beyond a limit is refused with Slack's error and is not stored."""
    channel = slack.channel_id("general")
    names = {"i": "invalid_blocks", "long": "msg_blocks_too_long"}
    call = client.api_call("chat.postMessage", json={"channel": channel, **content})
    assert await refused(call) == names.get(error, error)
    assert slack.log.history(channel) == []


async def test_update_and_delete_only_own_messages(
    slack: Playground, client: AsyncWebClient
) -> None:
    """chat.update keeps what is not given, sends message_changed; others' messages are refused."""
    channel = slack.channel_id("general")
    theirs = await slack.post("Ana", "general", "mine")
    assert await refused(client.chat_update(channel=channel, ts=theirs, text="yours")) == (
        "cant_update_message"
    )
    assert await refused(client.chat_delete(channel=channel, ts=theirs)) == "cant_delete_message"
    ts = (await data(client.chat_postMessage(channel=channel, text="one", blocks=[SECTION])))["ts"]
    await client.chat_update(channel=channel, ts=ts, text="two")
    stored = slack.log.get(channel, ts)
    assert stored is not None
    assert (stored.text, len(stored.blocks)) == ("two", 1)
    change = slack.events[-1].payload["event"]
    assert (change["subtype"], change["message"]["text"]) == ("message_changed", "two")
    await client.chat_delete(channel=channel, ts=ts)
    assert slack.log.get(channel, ts) is None
    assert slack.events[-1].payload["event"]["deleted_ts"] == ts


async def test_posting_to_a_user_opens_direct_messages(
    slack: Playground, client: AsyncWebClient
) -> None:
    """A user id as channel, and conversations.open, lead to the same direct messages."""
    ana = slack.user_id("Ana")
    opened = await data(client.conversations_open(users=ana))
    posted = await data(client.chat_postMessage(channel=ana, text="hello"))
    assert posted["channel"] == opened["channel"]["id"] == slack.dm("Ana")


async def test_lists_and_lookups(slack: Playground, client: AsyncWebClient) -> None:
    """Channels, members and people can be listed and looked up; strangers and guests are marked."""
    slack.workspace.add_user("Gail Guest", guest=True)
    slack.workspace.add_user("Sam Stranger", team="T0OTHER000")
    channels = (await data(client.conversations_list(types="public_channel,im")))["channels"]
    assert [channel["name"] for channel in channels] == ["payments-oncall", "checkout", "general"]
    members = await data(client.conversations_members(channel=channels[0]["id"]))
    assert slack.bot_user_id in members["members"]
    guest = (await data(client.users_info(user=slack.user_id("Gail Guest"))))["user"]
    stranger = (await data(client.users_info(user=slack.user_id("Sam Stranger"))))["user"]
    assert guest["is_restricted"]
    assert stranger["team_id"] == "T0OTHER000"
    assert await refused(client.users_info(user="U0NOBODY")) == "user_not_found"
    assert (await data(client.team_info()))["team"]["id"] == slack.team_id
    assert (await data(client.bots_info(bot=slack.workspace.bot.bot_id)))["bot"]["user_id"] == (
        slack.bot_user_id
    )


async def test_reactions_and_status(slack: Playground, client: AsyncWebClient) -> None:
    """Reactions are added once; a thread's status shows until the bot replies."""
    channel = slack.channel_id("general")
    ts = await slack.post("Ana", "general", "look")
    await client.reactions_add(channel=channel, timestamp=ts, name="eyes")
    assert await refused(client.reactions_add(channel=channel, timestamp=ts, name="eyes")) == (
        "already_reacted"
    )
    shown = await data(client.reactions_get(channel=channel, timestamp=ts))
    assert shown["message"]["reactions"][0]["count"] == 1
    await client.reactions_remove(channel=channel, timestamp=ts, name="eyes")
    await client.assistant_threads_setStatus(channel_id=channel, thread_ts=ts, status="thinks")
    assert slack.status("general", ts) == "thinks"
    await client.chat_postMessage(channel=channel, thread_ts=ts, text="done")
    assert slack.status("general", ts) == ""


async def test_permalink_leads_to_the_thread(
    slack: Playground, client: AsyncWebClient, session: aiohttp.ClientSession
) -> None:
    """chat.getPermalink gives an address that opens the page at the message's thread."""
    channel = slack.channel_id("general")
    ts = await slack.post("Ana", "general", "look")
    answer = await client.chat_getPermalink(channel=channel, message_ts=ts)
    async with session.get(str(answer["permalink"]), allow_redirects=False) as response:
        assert response.status == 302
        assert response.headers["Location"] == f"/#{channel}/{ts}"


async def test_pings_are_told_from_plain_text(slack: Playground, client: AsyncWebClient) -> None:
    """Message.pings finds what would notify somebody in text and mrkdwn, not in plain text."""
    blocks = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "<!here> &lt;!channel&gt;"}},
        {"type": "header", "text": {"type": "plain_text", "text": "<!channel>"}},
    ]
    channel = slack.channel_id("general")
    ts = (await data(client.chat_postMessage(channel=channel, text="<@U0ABC> hi", blocks=blocks)))[
        "ts"
    ]
    stored = slack.log.get(channel, ts)
    assert stored is not None
    assert stored.pings() == ["<@U0ABC>", "<!here>"]
