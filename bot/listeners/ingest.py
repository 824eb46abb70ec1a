"""`/ingest URL`, and `/ingest` alone: a form for links and files."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.events import strip_mention
from bot.jobs import DATABASE_ERRORS
from bot.knowledge import requests
from bot.knowledge.addresses import Forbidden, Hosts
from bot.knowledge.fetch import NotFetched, address_of
from bot.knowledge.requests import Asked, SeenBy, Wanted
from bot.knowledge.task import INGEST
from bot.listeners.clicks import Click
from bot.listeners.forms import Block, choice, entered, field, form, option, section
from bot.listeners.modals import open_view
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.rights import refused
from bot.listeners.telling import DATABASE_DOWN, tell
from bot.mrkdwn import escape
from bot.question import Question, parse
from bot.replies.ids import ADD

__all__ = ["asked_for", "register"]

_LOG = structlog.get_logger("footnote.knowledge")
_FORM: Final = "footnote:knowledge:form"
_MOST: Final = 10
_USAGE: Final = (
    "Write it like `/ingest https://wiki.example/runbook service:payments type:runbook`, or"
    " `/ingest` alone for a form. A file: send it to me with the word “ingest”."
)
_TAKEN: Final = "I'm on it: what comes of it will stand in this channel."


@dataclass(frozen=True, slots=True)
class _Unusable(Exception):
    """What was written can't be used; `sentence` says why."""

    sentence: str


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the command and its form."""
    hosts = Hosts(parts.settings.fetch_hosts, parts.settings.fetch_inside)

    @app.command("/ingest")
    async def command(
        ack: AsyncAck,
        command: Mapping[str, Any],
        client: AsyncWebClient,
        respond: AsyncRespond,
    ) -> None:
        text = strip_mention(str(command.get("text") or ""), parts.identity.bot_user)
        asked = Asked(
            id=f"command:{command['trigger_id']}",
            team=str(command["team_id"]),
            channel=str(command["channel_id"]),
            author=str(command["user_id"]),
            response_url=command.get("response_url"),
        )
        sentence = await _accepted(
            parts, _labelled(asked, parse(text)), lambda: _links(text, hosts) if text else []
        )
        if sentence or text:
            await ack(sentence or _TAKEN)
            return
        await ack()
        await open_view(client, str(command["trigger_id"]), respond, _form(asked.channel))

    @app.action(ADD)
    async def add(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await ack()
        click = Click.of(body, action)
        asked = Asked(id="", team=click.team, channel=click.channel, author=click.user)
        if sentence := await _accepted(parts, asked, list):
            await tell(respond, sentence)
            return
        await open_view(parts.client, click.trigger, respond, _form(click.channel))

    @app.view(_FORM)
    async def submitted(ack: AsyncAck, view: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        said = Question("", tuple(entered(view, "service")), tuple(entered(view, "type")))
        seen_by = cast("list[SeenBy]", entered(view, "seen_by"))
        asked = Asked(
            id=f"form:{view['id']}",
            team=str(body["team"]["id"]),
            channel=str(view["private_metadata"]),
            author=str(body["user"]["id"]),
            seen_by=seen_by[0] if seen_by else "default",
        )
        sentence = await _accepted(parts, _labelled(asked, said), lambda: _put_in(view, hosts))
        if sentence is not None:
            await ack(response_action="errors", errors={"link": sentence})
            return
        await ack()

    del command, add, submitted  # Bolt has them


async def asked_for(parts: Parts, asked: Asked, wanted: Sequence[Wanted]) -> bool:
    """Commit a request together with the job that does it; False when it was here before."""
    async with (
        parts.pool.connection(timeout=POOL_SECONDS) as connection,
        connection.transaction(),
    ):
        new = await requests.accept(connection, asked, wanted)
        if new:
            await parts.queue.later(connection, INGEST, request=asked.id)
    _LOG.info("ingest_accepted", request=asked.id, items=len(wanted), new=new)
    return new


async def _accepted(
    parts: Parts, asked: Asked, wanted: Callable[[], Sequence[Wanted]]
) -> str | None:
    """Accept a request, if there is anything in it; returns the sentence that refuses it."""
    try:
        async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
            sentence = await refused(
                parts,
                connection,
                "ingest",
                team=asked.team,
                channel=asked.channel,
                user=asked.author,
            )
        if sentence is None and (things := wanted()):
            await asked_for(parts, asked, things)
    except _Unusable as error:
        return error.sentence
    except DATABASE_ERRORS as error:
        _LOG.warning("ingest_not_accepted", error=type(error).__name__)
        return DATABASE_DOWN
    return sentence


def _labelled(asked: Asked, said: Question) -> Asked:
    """Return the request with the service and type that were named."""
    return replace(
        asked,
        service=next(iter(said.services), None),
        doc_type=next(iter(said.doc_types), None),
    )


def _links(text: str, hosts: Hosts) -> list[Wanted]:
    """Return the addresses written in a text, which has nothing else but labels.

    Raises:
        _Unusable: it has, or one of them can't be fetched.
    """
    words = parse(text).text.split()
    if not words or not all(re.match(r"<?https?://", each, re.IGNORECASE) for each in words):
        raise _Unusable(_USAGE)
    if len(words) > _MOST:
        raise _Unusable(f"That is too much at once: {_MOST} links at most.")
    try:
        addresses = [address_of(each) for each in words]
        for each in addresses:
            hosts.check(URL(each))
    except (NotFetched, Forbidden) as error:
        raise _Unusable(escape(str(error))) from error
    return [Wanted("url", each) for each in dict.fromkeys(addresses)]


def _put_in(view: Mapping[str, Any], hosts: Hosts) -> list[Wanted]:
    """Return what was put into the form.

    Raises:
        _Unusable: nothing, or something that can't be used.
    """
    links = [each for text in entered(view, "link") for each in _links(text, hosts)]
    wanted = [*links, *(Wanted("file", each) for each in _files(view))]
    if not wanted:
        raise _Unusable("Give me a link, or a file.")
    return wanted


def _files(view: Mapping[str, Any]) -> list[str]:
    """Return the ids of the files that were put into the form."""
    fields: Mapping[str, Any] = view["state"]["values"].get("files") or {}
    entry: Mapping[str, Any] = next(iter(fields.values()), {})
    return [str(each["id"]) for each in entry.get("files") or []]


def _form(channel: str) -> Block:
    wide = [
        option("default", "As this channel is seen"),
        option("channel", "Only this channel"),
        option("workspace", "Everyone in the workspace"),
    ]
    files: Block = {
        "type": "file_input",
        "action_id": "files",
        "max_files": _MOST,
    }
    fields = [
        section("Documents that I may cite from then on. Whoever sees them sees what I quote."),
        field("link", "Link", _line("link", "https://…")),
        field("files", "Files", files, "Markdown, HTML, PDF, DOCX, PPTX, XLSX, text."),
        field("service", "Service", _line("service", "payments"), "If they don't say it."),
        field("type", "Type", _line("type", "runbook"), "If they don't say it."),
        field(
            "seen_by",
            "Who sees it",
            choice("seen_by", wide, "default"),
            "In private channels and direct messages: only there, unless you share it.",
        ),
    ]
    return form(_FORM, "Ingest documents", fields, about=channel, submit="Ingest")


def _line(action: str, example: str) -> Block:
    return {
        "type": "plain_text_input",
        "action_id": action,
        "max_length": 2_000 if action == "link" else 60,
        "placeholder": {"type": "plain_text", "text": example},
    }
