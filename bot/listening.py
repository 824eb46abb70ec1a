"""Whether a message is answered where it stands: as its channel is set, its thread, and the gate.

What isn't gets a reason. Some reasons are told to whoever wrote, and to nobody else.
"""

from collections.abc import Mapping
from typing import Final

from bot import alerts, channel_settings, inbox, thread_settings
from bot.events import is_bot
from bot.gate import silence
from bot.inbox import Connection, Message
from bot.knowledge.words import asks_to_ingest
from schema.sql import load

__all__ = ["TOLD", "answered_alert", "earlier_thread", "unanswered"]

_SQL = load("bot", "channel_settings.sql")
_FLAPPING_SECONDS: Final = 1800.0

TOLD: Final[Mapping[str, str]] = {
    "mute": "I'm quiet in this thread from now on. Mention me with a question and I'm back.",
    "nothing_to_ingest": (
        "There is no file with this. Send one together with the word “ingest”, or use"
        " `/ingest` with a link, or alone for a form."
    ),
    "mute_nowhere": (
        "To make me quiet in a thread, say so in the thread. To have me answer mentions only in"
        " this channel, use `/footnote settings`."
    ),
}
"""What is said of a message that gets no answer, by reason."""


async def unanswered(connection: Connection, message: Message) -> str | None:
    """Return why a message gets no answer here, or None; mutes the thread that shall be."""
    there = await channel_settings.read(connection, message.team, message.channel)
    thread = await thread_settings.read(connection, message.session)
    if message.kind == "alert":
        return "same_alert" if await earlier_thread(connection, message) else None
    if is_bot(message.author) and await _bot_answered(connection, message):
        return "bot_again"
    if message.kind in {"mention", "direct"} and asks_to_ingest(message.text):
        return "nothing_to_ingest"  # with a file it would not have come here
    known = message.kind not in {"reply", "question"}
    known = known or await inbox.session_known(connection, message)
    # What was answered before its edit is a message of our thread, whatever it says now.
    kind = "reply" if message.kind == "question" and known else message.kind
    why = silence(
        kind,
        message.text,
        ours=known,
        mentions_only=there.mode == "mention",
        muted=thread.muted,
    )
    if why == "mute":
        if message.ts == message.root_ts:
            return "mute_nowhere"
        await thread_settings.mute(connection, message.session)
    elif thread.muted and message.kind in {"mention", "click"}:
        await thread_settings.mute(connection, message.session, muted=False)
    return why


async def answered_alert(connection: Connection, message: Message) -> None:
    """Remember, in the transaction that commits its turn, where an alert was answered."""
    await connection.execute(_SQL["alert_answered"], _alert(message))


async def earlier_thread(connection: Connection, message: Message) -> str | None:
    """Return the root of the thread in which the same alert was answered a short while ago."""
    which = {**_alert(message), "seconds": _FLAPPING_SECONDS}
    cursor = await connection.execute(_SQL["alert_before"], which)
    row = await cursor.fetchone()
    return str(row[0]) if row else None


def _alert(message: Message) -> dict[str, str]:
    return {
        "team": message.team,
        "channel": message.channel,
        "session": message.session,
        "fingerprint": alerts.fingerprint(message.text),
    }


async def _bot_answered(connection: Connection, message: Message) -> bool:
    which = {"session": message.session, "ts": message.ts}
    cursor = await connection.execute(_SQL["bot_answered"], which)
    row = await cursor.fetchone()
    return bool(row and row[0])
