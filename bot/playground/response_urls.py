"""Response URLs of commands and clicks: five answers within thirty minutes."""

import secrets
from dataclasses import dataclass, replace

from bot.playground.elements import with_ids
from bot.playground.errors import ApiError
from bot.playground.limits import check_message
from bot.playground.links import Links
from bot.playground.messages import Message
from bot.playground.postings import Postings
from bot.playground.wire import Json

USES = 5
LIFETIME_SECONDS = 30 * 60.0


@dataclass(slots=True)
class _Grant:
    """What one response URL may do, and how often still."""

    user: str
    channel: str
    source_ts: str | None
    thread_ts: str | None
    born: float
    left: int = USES


class ResponseUrls:
    """The response URLs given out; each knows who acted, where, and the message clicked."""

    def __init__(self, postings: Postings, links: Links) -> None:
        self._postings: Postings = postings
        self._links: Links = links
        self._grants: dict[str, _Grant] = {}

    def new(
        self, user: str, channel: str, source_ts: str | None = None, thread_ts: str | None = None
    ) -> str:
        """A fresh URL; `source_ts` names the message clicked, which may be replaced."""
        key = secrets.token_urlsafe(18)
        self._grants[key] = _Grant(user, channel, source_ts, thread_ts, self._postings.clock.now())
        return self._links.response_url(key)

    def answer(self, key: str, content: Json) -> None:
        """Post what the app sent to a URL.

        Raises:
            ApiError: `used_url`, `expired_url`, or what is wrong with the message.
        """
        grant = self._grants.get(key)
        if grant is None or grant.left <= 0:
            raise ApiError("used_url")
        if self._postings.clock.now() - grant.born > LIFETIME_SECONDS:
            raise ApiError("expired_url")
        source = self._postings.log.get(grant.channel, grant.source_ts) if grant.source_ts else None
        if content.get("delete_original"):
            grant.left -= 1
            if source is not None:
                self._postings.remove(source)
            return
        text = str(content.get("text") or "")
        blocks: list[Json] = content.get("blocks") or []
        attachments: list[Json] = content.get("attachments") or []
        check_message(text, blocks, attachments, update=False)
        grant.left -= 1
        if content.get("replace_original") and source is not None:
            new = replace(source, text=text, blocks=with_ids(blocks), attachments=attachments)
            self._postings.change(source, new)
            return
        bot = self._postings.workspace.bot
        in_channel = content.get("response_type") == "in_channel"
        message = Message(
            ts=self._postings.clock.next_ts(),
            channel=grant.channel,
            user=bot.id,
            text=text,
            blocks=with_ids(blocks),
            attachments=attachments,
            thread_ts=content.get("thread_ts") or (None if in_channel else grant.thread_ts),
            bot_id=bot.bot_id,
            app_id=bot.app_id,
            subtype="bot_message" if in_channel else None,
            ephemeral_to=None if in_channel else grant.user,
        )
        self._postings.publish(message)
