"""The message shortcut “Save thread as document”: a preview to edit, then a document."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.jobs import DATABASE_ERRORS
from bot.knowledge.requests import Asked, Wanted
from bot.knowledge.threads import as_markdown, pieces, title_of
from bot.listeners.forms import Block, entered, field, form, section
from bot.listeners.ingest import asked_for
from bot.listeners.modals import open_view, update_view
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.rights import refused
from bot.listeners.telling import DATABASE_DOWN, notice_view
from retrieval.readers.secrets import find_secret

__all__ = ["SAVE", "register"]

_LOG = structlog.get_logger("footnote.knowledge")
SAVE: Final = "footnote:knowledge:save_thread"
_FORM: Final = "footnote:knowledge:thread"
_TITLE: Final = "Save thread"
_LONGEST: Final = 3_000  # characters that Slack takes in one field
_MOST_FIELDS: Final = 20
_PAGE: Final = 200
_MOST_PAGES: Final = 5
_INTRO: Final = (
    "Names are replaced by roles. Read it through, and take out what nobody should find; the"
    " document is seen where this channel is seen."
)
_NOT_READ: Final = (
    "I can't read this thread. Invite me to the channel with `/invite @Footnote`, then try again."
)


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the shortcut and its form."""

    @app.shortcut(SAVE)
    async def used(
        ack: AsyncAck,
        shortcut: Mapping[str, Any],
        client: AsyncWebClient,
        respond: AsyncRespond,
    ) -> None:
        await ack()
        # A trigger lives for three seconds: something is opened before anything is read.
        waiting = notice_view(_TITLE, "Reading the thread …")
        opened = await open_view(client, str(shortcut["trigger_id"]), respond, waiting)
        if opened is not None:
            await update_view(client, opened, await _preview(parts, shortcut))

    @app.view(_FORM)
    async def submitted(ack: AsyncAck, view: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        wrong = await _saved(parts, view, body)
        if wrong is None:
            done = "It is being ingested: the receipt will stand in the thread."
            await ack(response_action="update", view=notice_view(_TITLE, done))
        else:
            await ack(response_action="errors", errors=wrong)

    del used, submitted  # Bolt has them


async def _preview(parts: Parts, shortcut: Mapping[str, Any]) -> Block:
    """Return the form with the thread in it, or a sentence."""
    message: Mapping[str, Any] = shortcut["message"]
    channel, root = str(shortcut["channel"]["id"]), message.get("thread_ts") or message["ts"]
    team, user = str(shortcut["team"]["id"]), str(shortcut["user"]["id"])
    try:
        async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
            sentence = await refused(
                parts, connection, "ingest", team=team, channel=channel, user=user
            )
    except DATABASE_ERRORS as error:
        _LOG.warning("thread_not_offered", error=type(error).__name__)
        sentence = DATABASE_DOWN
    if sentence is not None:
        return notice_view(_TITLE, sentence)
    try:
        messages = await _thread(parts.client, channel, str(root))
    except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
        _LOG.warning("thread_not_read", error=type(error).__name__)
        return notice_view(_TITLE, _NOT_READ)
    text = as_markdown(messages, parts.identity.bot_user)
    if not text:
        return notice_view(_TITLE, "Nobody has written anything in this thread.")
    place = json.dumps({"channel": channel, "root": root})
    return _form(title_of(messages, parts.identity.bot_user), text, place)


async def _thread(client: AsyncWebClient, channel: str, root: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        response = await client.conversations_replies(
            channel=channel, ts=root, cursor=cursor, limit=_PAGE
        )
        found += response.get("messages") or []
        cursor = (response.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            break
    return found


def _form(title: str, text: str, place: str) -> Block:
    parts = pieces(text, _LONGEST)
    cut = " It is long: only the beginning is here." if len(parts) > _MOST_FIELDS else ""
    fields = [
        section(_INTRO + cut),
        field("title", "Title", _input("title", title, 150)),
        field("service", "Service", _input("service", "", 60)),
        field("type", "Type", _input("type", "", 60), "Such as runbook or postmortem."),
    ]
    fields += [
        field(
            f"text{number}",
            "Text" if number == 0 else f"Text, part {number + 1}",
            {**_input(f"text{number}", part, _LONGEST), "multiline": True},
        )
        for number, part in enumerate(parts[:_MOST_FIELDS])
    ]
    return form(_FORM, _TITLE, fields, about=place)


def _input(action: str, value: str, most: int) -> Block:
    return {
        "type": "plain_text_input",
        "action_id": action,
        "max_length": most,
        **({"initial_value": value} if value else {}),
    }


async def _saved(
    parts: Parts, view: Mapping[str, Any], body: Mapping[str, Any]
) -> dict[str, str] | None:
    """Accept a thread as it was approved; returns what is wrong with which field."""
    names = sorted(
        (each["block_id"] for each in view["blocks"] if each["block_id"].startswith("text")),
        key=lambda name: int(name.removeprefix("text")),
    )
    written = {name: "".join(entered(view, name)) for name in names}
    text = "\n".join(written.values()).strip()
    title = " ".join("".join(entered(view, "title")).split())
    if not text or not title:
        return {"title" if text else names[0]: "A document needs a title and a text."}
    if wrong := await asyncio.to_thread(_secrets, written):
        return wrong
    place = json.loads(view["private_metadata"])
    team, user = str(body["team"]["id"]), str(body["user"]["id"])
    asked = Asked(
        id=f"form:{view['id']}",
        team=team,
        channel=place["channel"],
        thread_ts=place["root"],
        author=user,
        service=next(iter(entered(view, "service")), None),
        doc_type=next(iter(entered(view, "type")), None),
    )
    wanted = Wanted("thread", place["root"], title, f"# {title}\n\n{text}\n")
    try:
        async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
            sentence = await refused(
                parts, connection, "ingest", team=team, channel=asked.channel, user=user
            )
        if sentence is None:
            await asked_for(parts, asked, [wanted])
    except DATABASE_ERRORS as error:
        _LOG.warning("thread_not_accepted", error=type(error).__name__)
        sentence = DATABASE_DOWN
    return {"title": sentence} if sentence else None


def _secrets(written: Mapping[str, str]) -> dict[str, str]:
    """Return the sentence for each field that seems to hold a secret."""
    return {
        name: f"Line {found.line} looks like {found.kind}: take it out (and change it, if real)."
        for name, text in written.items()
        if (found := find_secret(text))
    }
