"""An answer that one person got, given to the channel it was asked in: as if asked there.

The share is a message of the inbox like any other, known by the turn it shares: however often it
is clicked it is accepted once, and posted once, whatever process dies in between.
"""

from typing import Final

from bot import trace
from bot.agent import Answered
from bot.answers import Answer, seen
from bot.events import Incoming
from bot.inbox import Connection, Message
from schema.sql import load

__all__ = ["again", "asked", "citable", "shared"]

_SQL = load("bot", "answers.sql")
_MARK: Final = "share:"


async def citable(connection: Connection, answer: Answer) -> bool:
    """Tell whether all that an answer shows is still there, and may be seen where it was asked."""
    outcome = answer.read()
    shown = [*(each.passage for each in outcome.citations), *outcome.passages]
    documents = {each.document_id for each in shown}
    values = {"documents": list(documents), "team": answer.team, "channel": answer.channel}
    cursor = await connection.execute(_SQL["documents_seen"], values)
    row = await cursor.fetchone()
    return bool(row and row[0] == len(documents))


async def asked(
    connection: Connection, answer: Answer, person: str, response_url: str | None
) -> Incoming:
    """Return the message that shares an answer."""
    cursor = await connection.execute(_SQL["asked_with"], {"turn": answer.id})
    services, doc_types = await cursor.fetchone() or ((), ())
    return Incoming(
        event_id=f"{_MARK}{answer.id}",
        kind="share",
        team=answer.team,
        channel=answer.channel,
        ts="",
        root_ts=f"{_MARK}{answer.id}",
        author=person,
        text=answer.question,
        services=services,
        doc_types=doc_types,
        response_url=response_url,
    )


async def again(connection: Connection, message: Incoming) -> str | None:
    """Let a share that could not be posted be tried again; returns the session to wake, if so."""
    values = {"event_id": message.event_id, "response_url": message.response_url}
    cursor = await connection.execute(_SQL["share_again"], values)
    row = await cursor.fetchone()
    return str(row[0]) if row else None


async def shared(connection: Connection, message: Message) -> Answered | None:
    """Return the answer that a message shares, as it was given.

    The calls of a model stay with the turn that made them, or they would be counted twice.

    Returns:
        None when it may not be shown by now: forgotten, or a document of it is gone or private.
    """
    turn = message.event_id.removeprefix(_MARK)
    answer = await seen(connection, turn, message.team, message.channel, message.author)
    if answer is None or not await citable(connection, answer):
        return None
    (traced,) = await trace.read(connection, turn)
    return Answered(answer.read(), tuple(each for each in traced.steps if each.kind != "model"))
