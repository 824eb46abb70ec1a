"""What people say of answers: votes, reasons, corrections. The last vote of a person counts.

Everything said also stands in the session's log, which keeps what was said before.
"""

from typing import Any

from bot import notices, service_settings, session_log
from bot.answers import Answer
from bot.around import services_of
from bot.inbox import Connection
from bot.jobs import Queue
from bot.outcome import Outcome
from bot.window import Entry
from schema.sql import load

__all__ = ["correct", "tell_owners", "vote"]

_SQL = load("bot", "answers.sql")
_LONGEST = 3_000  # characters of a correction


async def vote(
    connection: Connection, queue: Queue, answer: Answer, person: str, *, helpful: bool
) -> None:
    """Keep a vote, in a transaction; owners hear what didn't help, if others see it."""
    values: dict[str, Any] = {"turn": answer.id, "person": person, "helpful": helpful}
    await connection.execute(_SQL["vote"], values)
    await _log(connection, answer, person, "", {"helpful": helpful})
    if not helpful and answer.only_for is None:
        await tell_owners(
            connection, queue, "unhelpful", answer.id, answer.team, answer.read(), person
        )


async def correct(
    connection: Connection, answer: Answer, person: str, reason: str | None, correction: str
) -> None:
    """Keep why an answer didn't help, and how it should be, in a transaction."""
    words = correction.strip()[:_LONGEST].replace("\0", "")
    values = {"turn": answer.id, "person": person, "reason": reason, "correction": words}
    await connection.execute(_SQL["correct"], values)
    await _log(connection, answer, person, words, {"reason": reason})


async def tell_owners(  # noqa: PLR0913, PLR0917  # what there is to tell
    connection: Connection,
    queue: Queue,
    kind: notices.Kind,
    turn: str,
    team: str,
    outcome: Outcome,
    person: str | None = None,
) -> None:
    """Let the owners of the service that a turn is about hear of it, in a transaction."""
    services = services_of(outcome)
    known = await service_settings.read_all(connection, team, services)
    channels = (known[each].owner_channel for each in services if each in known)
    if channel := next((each for each in channels if each), None):
        await notices.add(connection, queue, kind, turn, channel, person)


async def _log(
    connection: Connection, answer: Answer, person: str, text: str, data: dict[str, Any]
) -> None:
    entry = Entry("feedback", text, person, data)
    await session_log.append(connection, answer.session, [entry], answer.id)
