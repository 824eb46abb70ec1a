"""The buttons of a thread: its own filter, which asks its question again, and quiet."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import thread_settings
from bot.events import Incoming, session_id
from bot.jobs import DATABASE_ERRORS
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.telling import DATABASE_DOWN, tell
from bot.listening import TOLD
from bot.mrkdwn import one_line
from bot.question import parse
from bot.thread_buttons import EVERYTHING, MUTE, ONLY
from schema.sql import load

__all__ = ["register"]

_SQL = load("bot", "channel_settings.sql")
_LOG = structlog.get_logger("footnote.listeners")
_FILTER: Final = re.compile(f"^(?:{ONLY}:[0-9]+|{EVERYTHING})$")
_GONE: Final = (
    "I don't know this thread any more: threads are forgotten when nothing is said there."
)


@dataclass(frozen=True, slots=True)
class _Click:
    """Who clicked on which of the bot's messages, in which thread, and when."""

    team: str
    channel: str
    root_ts: str
    reply_ts: str
    user: str
    at: str
    value: str

    @property
    def session(self) -> str:
        return session_id(self.team, self.channel, self.root_ts)


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the buttons."""

    @app.action(_FILTER)
    async def filtered(ack: AsyncAck, body: Mapping[str, Any], respond: AsyncRespond) -> None:
        click = _click(body)
        try:
            said = await _narrow(parts, click)
        except DATABASE_ERRORS as error:
            _LOG.warning("filter_failed", error=type(error).__name__)
            said = DATABASE_DOWN
        await ack()
        await tell(respond, said)

    @app.action(MUTE)
    async def muted(ack: AsyncAck, body: Mapping[str, Any], respond: AsyncRespond) -> None:
        click = _click(body)
        said = TOLD["mute"]
        try:
            async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
                await thread_settings.mute(connection, click.session)
        except DATABASE_ERRORS as error:
            _LOG.warning("mute_failed", error=type(error).__name__)
            said = DATABASE_DOWN
        await ack()
        await tell(respond, said)

    del filtered, muted  # Bolt has them


async def _narrow(parts: Parts, click: _Click) -> str:
    """Set a thread's filter and ask what the answer above the button answered once more."""
    services = () if click.value == "all" else (click.value,)
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        known = await thread_settings.set_filter(connection, click.session, services, ())
        which = {"session": click.session, "reply_ts": click.reply_ts}
        cursor = await connection.execute(_SQL["question_of_reply"], which)
        row = await cursor.fetchone()
    if not known:
        return _GONE
    _LOG.info("thread_filtered", session=click.session)
    now = f"only {one_line(click.value, 60)}" if services else "everything"
    if row is None:
        return f"This thread searches {now} from now on."
    new = await parts.intake.accept(
        Incoming(
            event_id=f"click:{click.channel}:{click.reply_ts}:{click.value}",  # once, however often
            kind="click",
            team=click.team,
            channel=click.channel,
            ts=click.at,
            root_ts=click.root_ts,
            author=click.user,
            text=parse(row[0]).text,
            services=services or ("all",),
            doc_types=("all",),
        )
    )
    again = "I'm asking again." if new else "The answer is here already."
    return f"This thread searches {now} from now on. {again}"


def _click(body: Mapping[str, Any]) -> _Click:
    container: Mapping[str, Any] = body.get("container") or {}
    action: Mapping[str, Any] = body["actions"][0]
    ts = str(container["message_ts"])
    return _Click(
        team=str(body["team"]["id"]),
        channel=str(body["channel"]["id"]),
        root_ts=str(container.get("thread_ts") or ts),
        reply_ts=ts,
        user=str(body["user"]["id"]),
        at=str(action["action_ts"]),
        value=str(action["value"]),
    )
