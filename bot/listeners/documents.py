"""Deleting a document from its receipt, by whoever brought it or an admin."""

from collections.abc import Mapping
from typing import Any

import aiohttp
import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.inbox import Connection
from bot.jobs import DATABASE_ERRORS
from bot.knowledge import requests
from bot.knowledge.receipts import DELETE, deleted
from bot.knowledge.task import TIDY
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.rights import refused
from bot.listeners.telling import DATABASE_DOWN, tell

__all__ = ["GONE", "register", "remove"]

_LOG = structlog.get_logger("footnote.knowledge")
GONE = "This document isn't there any more."


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the button of receipts."""

    @app.action(DELETE)
    async def delete(
        ack: AsyncAck,
        action: Mapping[str, Any],
        body: Mapping[str, Any],
        respond: AsyncRespond,
        client: AsyncWebClient,
    ) -> None:
        channel, user = str(body["channel"]["id"]), str(body["user"]["id"])
        document = str(action["value"])
        try:
            async with (
                parts.pool.connection(timeout=POOL_SECONDS) as connection,
                connection.transaction(),
            ):
                sentence = await remove(
                    parts, connection, str(body["team"]["id"]), channel, user, document
                )
        except DATABASE_ERRORS as error:
            _LOG.warning("document_not_deleted", error=type(error).__name__)
            sentence = DATABASE_DOWN
        await ack()
        message: Mapping[str, Any] = body.get("message") or {}
        if sentence is not None:
            await tell(respond, sentence)
        if sentence in {None, GONE} and message:
            blocks = deleted(document, message.get("blocks") or [], user)
            try:
                await client.chat_update(
                    channel=channel, ts=message["ts"], text="A document was deleted.", blocks=blocks
                )
            except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
                _LOG.warning("receipt_not_changed", error=type(error).__name__)

    del delete  # Bolt has it


async def remove(  # noqa: PLR0913, PLR0917  # who, where, which
    parts: Parts, connection: Connection, team: str, channel: str, user: str, document: str
) -> str | None:
    """Delete a document in a transaction; returns the sentence that says why not."""
    found = await requests.visible(connection, team, channel, document=document, most=1)
    if not found:
        return GONE
    sentence = await refused(
        parts,
        connection,
        "delete",
        team=team,
        channel=channel,
        user=user,
        owner=found[0].author,
    )
    if sentence is not None:
        return sentence
    await requests.delete(connection, team, channel, document)
    await parts.queue.later(connection, TIDY)
    _LOG.info("document_deleted", document=document, user=user)
    return None
