"""*Share with channel*, below an answer that only whoever asked for it sees."""

from collections.abc import Mapping
from typing import Any, Final

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import answers, inbox, sharing
from bot.asking import Asking
from bot.inbox import Connection
from bot.listeners.clicks import Click, keep
from bot.listeners.modals import GONE
from bot.listeners.parts import Parts
from bot.listeners.telling import tell
from bot.replies.ids import SHARE

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.listeners")
_ON_ITS_WAY: Final = "I'm posting your question and this answer in the channel."
_THERE: Final = "It is in the channel already."
_NOT_CITABLE: Final = (
    "A document that this answer shows isn't here any more, so I don't share it. Ask again to get"
    " an answer from what is here now."
)


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the button."""

    @app.action(SHARE)
    async def share(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        click = Click.of(body, action)
        asking = Asking(parts.people.person, parts.settings.rules)
        sorry = await asking.refusal(click.user)

        async def work(connection: Connection) -> str:
            return sorry or await _share(parts, connection, click)

        if said := await keep(parts, ack, respond, work):
            await tell(respond, said)

    del share  # Bolt has it


async def _share(parts: Parts, connection: Connection, click: Click) -> str:
    """Accept a share in a transaction; returns what to tell whoever clicked."""
    answer = await answers.seen(connection, click.value, click.team, click.channel, click.user)
    if answer is None or answer.only_for is None:
        return GONE
    if not await sharing.citable(connection, answer):
        return _NOT_CITABLE
    message = await sharing.asked(connection, answer, click.user, click.response_url)
    session: str | None = message.session
    if not await inbox.accept(connection, message):
        session = await sharing.again(connection, message)
    _LOG.info("answer_shared", turn=answer.id, new=session is not None)
    if session is None:
        return _THERE
    await parts.queue.wake(connection, session)
    return _ON_ITS_WAY
