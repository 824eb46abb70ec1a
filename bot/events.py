"""Which Slack events may be questions, told from the event alone (the gate before the database).

Pure. What isn't a mention, a direct message or a reply in a thread may be a question or an alert in
a channel that was set to have those answered; the intake asks, and else it isn't even stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot import alerts
from bot.voice import clips

__all__ = [
    "SUBTYPES",
    "Incoming",
    "Kind",
    "addressed",
    "incoming",
    "is_bot",
    "session_id",
    "strip_mention",
]

type Kind = Literal[
    "mention",
    "direct",
    "reply",
    "command",
    "deletion",
    "question",
    "alert",
    "click",
    "quiet",
    "share",
]
"""How a message reaches the bot.

`quiet` asks for an answer that nobody else sees, `share` gives one to its channel.
"""

# Characters of a message that are read. A pasted log says what it is about long before.
_LONGEST = 12_000

# Slack writes no subtype for a plain message; these two are what people write all the same.
SUBTYPES = {None, "file_share", "thread_broadcast"}


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that may want an answer. `text` is unescaped and without the bot's mention.

    An edit comes as a message of its own: with the ts of the post, and as its `revision` the ts
    of the edit. So does the post's being taken back, as a `deletion`. `clips` are the ids of audio
    files that belong to what is said.
    """

    event_id: str
    kind: Kind
    team: str
    channel: str
    ts: str
    root_ts: str
    author: str
    text: str
    services: Sequence[str] = ()
    doc_types: Sequence[str] = ()
    response_url: str | None = None
    revision: str = ""
    clips: Sequence[str] = ()

    @property
    def session(self) -> str:
        """The id of the session (one thread) that this message belongs to."""
        return session_id(self.team, self.channel, self.root_ts)


def session_id(team: str, channel: str, root_ts: str) -> str:
    """Return `team:channel:root_ts`."""
    return f"{team}:{channel}:{root_ts}"


def incoming(body: Mapping[str, Any], bot_user: str) -> Incoming | None:
    """Return the message held by an Events API body, or None when it can't be a question.

    A mention in a channel that the bot has joined arrives twice, as `message` and as
    `app_mention`, with two event ids; both are returned, and the turn's unique
    (team, channel, ts) lets one of them be answered.
    """
    event: Mapping[str, Any] = body.get("event") or {}
    if event.get("type") not in {"app_mention", "message"}:
        return None
    bot = event.get("bot_id")
    subtypes = SUBTYPES | {"bot_message"} if bot else SUBTYPES
    author, channel, ts = bot or event.get("user"), event.get("channel"), event.get("ts")
    team = body.get("team_id") or event.get("team")
    event_id = body.get("event_id")
    if event.get("subtype") not in subtypes or event.get("user") == bot_user:
        return None
    if not (author and channel and ts and team and event_id):
        return None
    text = str(event.get("text") or "")
    kind: Kind | None
    if bot:
        kind, text = _of_bot(event, text, bot_user)
    else:
        kind = addressed(event, bot_user) or "question"
    if kind is None:
        return None
    return Incoming(
        event_id=str(event_id),
        kind=kind,
        team=str(team),
        channel=str(channel),
        ts=str(ts),
        root_ts=str(event.get("thread_ts") or ts),
        author=str(author),
        text=strip_mention(text, bot_user),
        clips=() if bot else clips(event),
    )


def is_bot(author: str) -> bool:
    """Tell whether a message was written by a bot: its author is then the bot's id."""
    return author.startswith("B")


def _of_bot(event: Mapping[str, Any], text: str, bot_user: str) -> tuple[Kind | None, str]:
    """Return how another bot's post reaches us: a mention, or an alert and what it says."""
    if event["type"] == "app_mention" or f"<@{bot_user}" in text:
        return "mention", text
    if event.get("thread_ts") not in {None, event.get("ts")}:
        return None, ""
    words = alerts.read(event)
    return ("alert", words) if words else (None, "")


def addressed(event: Mapping[str, Any], bot_user: str) -> Kind | None:
    """Return how a message reaches the bot, or None when it can't be meant for it."""
    if event["type"] == "app_mention" or f"<@{bot_user}" in str(event.get("text") or ""):
        return "mention"
    if event.get("channel_type") == "im" or str(event.get("channel")).startswith("D"):
        return "direct"
    if event.get("thread_ts") and event.get("thread_ts") != event.get("ts"):
        return "reply"
    return None


def strip_mention(text: str, bot_user: str) -> str:
    """Return a message as a person reads it: without the bot's mention, `&lt;` as `<`.

    Slack's own markup for links (`<https://…|words>`) is reduced to its address or words;
    mentions of other people stay as `<@U…>`, which the gate looks at. NUL and lone surrogates,
    which PostgreSQL can't hold, are dropped.
    """
    text = text[:_LONGEST].replace("\x00", "").encode(errors="ignore").decode()
    text = re.sub(rf"<@{re.escape(bot_user)}(\|[^<>]*)?>", " ", text)
    text = re.sub(r"<(?:https?://|mailto:)[^<>|\s]+\|([^<>]*)>", r"\1", text)
    text = re.sub(r"<((?:https?://|mailto:)[^<>|\s]+)>", r"\1", text)
    text = re.sub(r"<#[A-Z0-9]+\|([^<>]+)>", r"#\1", text)
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return re.sub(r"[ \t]{2,}", " ", text).strip()
