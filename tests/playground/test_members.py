"""Who is in which channel: guests, strangers, leavers, and what the app hears and may do."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground, PlaygroundError


def told(slack: Playground) -> list[dict[str, Any]]:
    """The events sent so far."""
    return [record.payload["event"] for record in slack.events]


async def test_a_removed_bot_can_neither_post_nor_read(
    slack: Playground, client: AsyncWebClient
) -> None:
    """Taken out of a channel, the bot gets `not_in_channel`, and `channel_not_found` in private."""
    public = slack.workspace.channel("checkout")
    private = slack.workspace.add_channel("secret", [slack.user_id("Ana")], private=True)
    for channel in (public, private):
        slack.leave(channel.name, slack.bot_user_id)
    assert [event["type"] for event in told(slack)] == ["channel_left", "group_left"]
    for channel, error in [(public, "not_in_channel"), (private, "channel_not_found")]:
        for call in (
            client.chat_postMessage(channel=channel.id, text="x"),
            client.conversations_history(channel=channel.id),
        ):
            with pytest.raises(SlackApiError, match=error):
                await call
    await slack.post("Ana", "checkout", "@Footnote are you there?")
    assert len(slack.events) == 2
    slack.join("checkout", slack.bot_user_id)
    await client.chat_postMessage(channel=public.id, text="back")
    assert told(slack)[2]["type"] == "member_joined_channel"


async def test_members_come_and_go(slack: Playground, client: AsyncWebClient) -> None:
    """The app hears of others who join and leave, and of being taken in by its own call."""
    dora = slack.workspace.add_user("Dora")
    lobby = slack.workspace.add_channel("lobby", [slack.user_id("Ana")], with_bot=False)
    slack.join("lobby", dora.id)
    await client.conversations_join(channel=lobby.id)
    slack.leave("lobby", dora.id)
    changes = [(event["type"], event["user"]) for event in told(slack)]
    assert changes == [
        ("member_joined_channel", slack.bot_user_id),
        ("member_left_channel", dora.id),
    ]


async def test_an_archived_channel_is_only_read(slack: Playground, client: AsyncWebClient) -> None:
    """Neither the bot nor people can write into an archived channel."""
    ts = await slack.post("Ana", "checkout", "before")
    slack.archive("checkout")
    channel = slack.channel_id("checkout")
    for call in (
        client.chat_postMessage(channel=channel, text="x"),
        client.chat_postEphemeral(channel=channel, user=slack.user_id("Ana"), text="x"),
        client.conversations_join(channel=channel),
    ):
        with pytest.raises(SlackApiError, match="is_archived"):
            await call
    assert told(slack)[-1]["type"] == "channel_archive"
    history = await client.conversations_history(channel=channel)
    assert [message["ts"] for message in history.get("messages") or []] == [ts]
    with pytest.raises(PlaygroundError, match="is archived"):
        await slack.post("Ana", "checkout", "after")
    listed = await client.conversations_list(exclude_archived=True)
    assert channel not in {each["id"] for each in listed.get("channels") or []}


async def test_guests_see_only_where_they_were_asked_in(
    slack: Playground, client: AsyncWebClient
) -> None:
    """Guests of both kinds are marked as such, and don't walk into public channels."""
    gail = slack.workspace.add_user("Gail", guest=True)
    gus = slack.workspace.add_user("Gus", single_channel=True)
    with pytest.raises(PlaygroundError, match="Gail is not in checkout"):
        await slack.post("Gail", "checkout", "hello")
    slack.join("checkout", gail.id)
    await slack.post("Gail", "checkout", "hello")
    marks = [
        (user["is_restricted"], user["is_ultra_restricted"])
        for user in [(await client.users_info(user=each.id))["user"] or {} for each in (gail, gus)]
    ]
    assert marks == [(True, False), (True, True)]


async def test_strangers_make_a_channel_shared(slack: Playground, client: AsyncWebClient) -> None:
    """A person of another team brings their team's id in events, and the channel is shared."""
    sam = slack.workspace.add_user("Sam", team="T0OTHER000")
    slack.join("checkout", sam.id)
    await slack.post("Sam", "checkout", "@Footnote hello")
    event = told(slack)[-1]
    assert (event["team"], event["user_team"], event["source_team"]) == ("T0OTHER000",) * 3
    payload = slack.events[-1].payload
    assert payload["is_ext_shared_channel"]
    assert payload["team_id"] == slack.team_id
    channel = (await client.conversations_info(channel=slack.channel_id("checkout")))["channel"]
    assert channel is not None
    assert channel["is_ext_shared"]
    await slack.post("Ana", "general", "home")
    assert not slack.events[-1].payload["is_ext_shared_channel"]


async def test_deactivated_people_do_nothing_more(
    slack: Playground, client: AsyncWebClient
) -> None:
    """Who was deactivated is marked, can't be written to, and acts no more."""
    ben = slack.user_id("Ben")
    slack.workspace.deactivate(ben)
    assert ((await client.users_info(user=ben))["user"] or {})["deleted"]
    with pytest.raises(SlackApiError, match="user_disabled"):
        await client.conversations_open(users=ben)
    with pytest.raises(PlaygroundError, match="deactivated"):
        await slack.post("Ben", "checkout", "hello")


async def test_group_messages(slack: Playground, client: AsyncWebClient) -> None:
    """Direct messages with several people are an mpim, where a mention is a mention."""
    users = [slack.user_id("Ana"), slack.user_id("Ben")]
    opened = await client.conversations_open(users=users)
    again = await client.conversations_open(users=users[::-1])
    channel = (opened["channel"] or {})["id"]
    assert channel == (again["channel"] or {})["id"]
    await slack.post("Ana", channel, "@Footnote hello")
    assert [(event["type"], event.get("channel_type")) for event in told(slack)] == [
        ("message", "mpim"),
        ("app_mention", None),
    ]
    listed = await client.users_conversations(types="mpim")
    assert [each["is_mpim"] for each in listed.get("channels") or []] == [True]


async def test_only_subscribed_events_are_sent(client: AsyncWebClient) -> None:
    """With the manifest's events given, the app hears of nothing else."""
    async with Playground(subscriptions=["app_mention", "message.im"]) as slack:
        ts = await slack.post("Ana", "checkout", "@Footnote hello")
        await slack.person("Ana").react("checkout", ts, "eyes")
        await slack.post("Ana", "dm", "hello")
        await slack.person("Ana").open_home()
        assert [event["type"] for event in told(slack)] == ["app_mention", "message"]
    del client


async def test_long_lists_come_in_pages(slack: Playground, client: AsyncWebClient) -> None:
    """Lists are cut at the limit asked for, and the cursor leads through to the end."""
    for number in range(5):
        slack.workspace.add_user(f"Person {number}")
    found: list[str] = []
    cursor = ""
    while True:
        page = await client.users_list(limit=2, cursor=cursor)
        members = page.get("members") or []
        assert len(members) <= 2
        found += [member["id"] for member in members]
        cursor = (page.get("response_metadata") or {}).get("next_cursor", "")
        if not cursor:
            break
    assert found == list(slack.workspace.users)
    for call in (client.users_list(limit=1_001), client.users_list(limit=-1)):
        with pytest.raises(SlackApiError, match="invalid_limit"):
            await call
    with pytest.raises(SlackApiError, match="invalid_cursor"):
        await client.users_list(cursor="!")


async def test_admins_are_told_apart(slack: Playground, client: AsyncWebClient) -> None:
    """users.info says of an admin that they are one, and of others that they aren't."""
    ada = slack.workspace.add_user("Ada", admin=True)
    for user, admin in [(ada.id, True), (slack.user_id("Ana"), False)]:
        found = await client.users_info(user=user)
        assert (found["user"] or {})["is_admin"] is admin
