"""Files: uploaded by the bot and by people, looked up, and downloaded with the token."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.playground.blocks import field, modal

type Connect = Callable[[AsyncApp], AbstractAsyncContextManager[AsyncSocketModeHandler]]
type Body = dict[str, Any]

NOTES = b"# Notes\n\nRestart it.\n"


async def info(client: AsyncWebClient, file_id: str) -> Body:
    """The file object of files.info."""
    return (await client.files_info(file=file_id))["file"] or {}


def events(slack: Playground) -> list[Body]:
    """The events sent so far."""
    return [record.payload["event"] for record in slack.events]


async def test_the_bot_uploads_in_three_steps(slack: Playground, client: AsyncWebClient) -> None:
    """The SDK's files_upload_v2 leaves one message with the file, in the thread asked for."""
    root = await slack.post("Ana", "checkout", "notes?")
    answer = await client.files_upload_v2(
        channel=slack.channel_id("checkout"),
        thread_ts=root,
        filename="notes.md",
        title="My notes",
        content=NOTES.decode(),
        initial_comment="here",
    )
    (reply,) = slack.bot_replies("checkout", root)
    assert (reply.text, reply.subtype) == ("here", "file_share")
    (file,) = reply.files
    assert (file["title"], file["size"], file["filetype"]) == ("My notes", len(NOTES), "md")
    assert file["id"] == (answer["files"] or [{}])[0]["id"]
    echo, sharing = events(slack)[-2:]
    assert echo["files"][0]["id"] == file["id"]
    assert (sharing["type"], sharing["file_id"]) == ("file_shared", file["id"])


async def test_the_upload_address_answers_as_slack_does(
    slack: Playground, client: AsyncWebClient, session: aiohttp.ClientSession
) -> None:
    """Bytes, bare or as a form, are answered `OK - n`; unknown addresses are not found."""
    for data in (NOTES, {"file": BytesIO(NOTES)}):
        step = await client.files_getUploadURLExternal(filename="a.md", length=len(NOTES))
        async with session.post(str(step["upload_url"]), data=data) as response:
            assert response.content_type == "text/plain"
            assert await response.text() == f"OK - {len(NOTES)}"
        done = await client.files_completeUploadExternal(files=[{"id": str(step["file_id"])}])
        assert (done["files"] or [{}])[0]["size"] == len(NOTES)
    async with session.post(f"{slack.base_url}/upload/v1/nothing", data=NOTES) as response:
        assert response.status == 404


async def test_uploads_are_checked(slack: Playground, client: AsyncWebClient) -> None:
    """An empty file, one never sent, one completed twice and a foreign channel are refused."""
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await client.files_getUploadURLExternal(filename="a.md", length=0)
    step = await client.files_getUploadURLExternal(filename="a.md", length=5)
    file: list[dict[str, str | None]] = [{"id": str(step["file_id"])}]
    with pytest.raises(SlackApiError, match="file_not_found"):
        await client.files_completeUploadExternal(files=file)
    slack.leave("checkout", slack.bot_user_id)
    with pytest.raises(SlackApiError, match="not_in_channel"):
        await client.files_completeUploadExternal(
            files=file, channel_id=slack.channel_id("checkout")
        )
    assert slack.log.everything() == []


async def test_a_download_needs_the_token(
    slack: Playground, client: AsyncWebClient, session: aiohttp.ClientSession
) -> None:
    """With the bot's token come the bytes, without it a login page with status 200."""
    await slack.person("Ana").upload("checkout", "notes.md", NOTES, "have a look")
    event = events(slack)[0]
    assert (event["subtype"], event["text"]) == ("file_share", "have a look")
    file = await info(client, event["files"][0]["id"])
    token = {"Authorization": f"Bearer {slack.bot_token}"}
    for url in (file["url_private_download"], file["url_private"]):
        async with session.get(url, headers=token) as response:
            assert (response.content_type, await response.read()) == ("text/markdown", NOTES)
    for headers in ({}, {"Authorization": "Bearer xoxb-wrong"}):
        async with session.get(file["url_private_download"], headers=headers) as response:
            assert (response.status, response.content_type) == (200, "text/html")
            assert NOTES not in await response.read()
    slack.faults.fail("files.download", "missing_scope")
    async with session.get(file["url_private"], headers=token) as response:
        assert (response.status, response.content_type) == (200, "text/html")


async def test_files_are_looked_up_where_the_bot_is(
    slack: Playground, client: AsyncWebClient
) -> None:
    """files.info knows what was shared where the bot is a member, and nothing else."""
    slack.workspace.add_channel("lobby", [slack.user_id("Ana")], with_bot=False)
    ana = slack.person("Ana")
    await ana.upload("lobby", "secret.md", NOTES)
    await ana.upload("dm", "mine.md", NOTES)
    hidden, seen = (file.id for file, _ in slack.files.everything())
    assert (await info(client, seen))["ims"] == [slack.dm("Ana")]
    with pytest.raises(SlackApiError, match="file_not_found"):
        await client.files_info(file=hidden)
    with pytest.raises(SlackApiError, match="file_not_found"):
        await client.files_info(file="F0NOTHING")


async def test_external_files_lie_elsewhere(slack: Playground) -> None:
    """A file of a connected drive has another's address, and nothing to download."""
    await slack.person("Ana").share_link("checkout", "plan", "https://drive.example/plan")
    (file,) = events(slack)[0]["files"]
    assert (file["mode"], file["is_external"]) == ("external", True)
    assert file["url_private"] == "https://drive.example/plan"
    assert "url_private_download" not in file


async def test_a_file_in_a_form(
    slack: Playground, app: AsyncApp, client: AsyncWebClient, connect: Connect
) -> None:
    """A file put into a form comes as a file object in its values."""
    seen: list[Body] = []

    @app.view("form")
    async def submitted(ack: Callable[..., Any], body: Body) -> None:
        seen.append(body)
        await ack()

    form = modal(field({"type": "file_input", "action_id": "doc"}, "file"), callback_id="form")
    ana = slack.person("Ana")
    await client.views_open(trigger_id=slack.triggers.new(ana.id), view=form)
    async with connect(app):
        assert (await ana.submit()).problems.keys() == {"file"}
        await ana.submit({"doc": [await ana.file("notes.md", NOTES)]})
    (file,) = seen[0]["view"]["state"]["values"]["file"]["doc"]["files"]
    assert file["name"] == "notes.md"


async def test_files_survive_a_restart(tmp_path: Path, session: aiohttp.ClientSession) -> None:
    """With a state file, what was uploaded can be downloaded in the next run."""
    path = tmp_path / "state.json"
    async with Playground(state_path=path) as slack:
        await slack.person("Ana").upload("checkout", "notes.md", NOTES)
    async with Playground(state_path=path) as slack:
        client = AsyncWebClient(slack.bot_token, slack.api_url, session=session)
        ((known, _),) = slack.files.everything()
        file = await info(client, known.id)
        headers = {"Authorization": f"Bearer {slack.bot_token}"}
        async with session.get(file["url_private_download"], headers=headers) as response:
            assert await response.read() == NOTES


async def test_an_audio_clip_says_what_it_is(slack: Playground, tmp_path: Path) -> None:
    """A clip is marked as Slack marks what was recorded in it, also after a restart; a file not."""
    await slack.person("Ana").upload("checkout", "song.mp3", b"x")
    await slack.person("Ana").upload("checkout", "clip.webm", b"x", clip=True)
    song, clip = (each.files[0] for each in slack.person("Ana").sees("checkout"))
    assert "subtype" not in song
    assert (clip["subtype"], clip["mimetype"]) == ("slack_audio", "audio/webm")
    path = tmp_path / "state.json"
    async with Playground(state_path=path) as first:
        await first.person("Ana").upload("checkout", "clip.webm", b"x", clip=True)
    async with Playground(state_path=path) as second:
        ((file, _),) = second.files.everything()
        assert second.files.to_wire(file)["subtype"] == "slack_audio"
