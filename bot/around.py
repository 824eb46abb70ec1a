"""What is looked up for a reply when it is shown: how old its sources are, who owns and answers."""

from collections.abc import Mapping, Sequence

from bot import service_settings
from bot.inbox import Connection
from bot.outcome import Outcome
from bot.replies import Around
from bot.service_settings import ServiceSettings
from bot.sessions import Post, Turn
from schema.sql import load

__all__ = ["oncall_of", "read", "services_of"]

_SQL = load("bot", "answers.sql")
_NEARLY = 1.3  # times the largest distance of a match


async def read(connection: Connection, post: Post, turn: Turn, outcome: Outcome) -> Around:
    """Return what goes with an outcome."""
    services = services_of(outcome)
    known = await service_settings.read_all(connection, post.team, services)
    found = [*(each.passage for each in outcome.citations), *outcome.passages]
    documents = list({each.document_id for each in found})
    cursor = await connection.execute(_SQL["document_dates"], {"documents": documents})
    return Around(
        turn=turn.id,
        dates=dict(await cursor.fetchall()),
        owners={name: each.owner_channel for name, each in known.items() if each.owner_channel},
        # Who is called sees what was asked, so it would have to be shared first.
        oncall=None if post.only_for else _oncall(known, services, post.channel),
        private=post.only_for is not None,
    )


async def oncall_of(
    connection: Connection, team: str, channel: str, outcome: Outcome
) -> str | None:
    """Return whom to ask about an outcome: a user group, a person, or a channel, if one is set."""
    services = services_of(outcome)
    known = await service_settings.read_all(connection, team, services)
    return _oncall(known, services, channel)


def _oncall(
    known: Mapping[str, ServiceSettings], services: Sequence[str], channel: str
) -> str | None:
    asked = (known[each].oncall for each in services if each in known)
    found = next((each for each in asked if each), None)
    # Nobody else is in a direct message to be called there.
    alone = channel.startswith("D") and found is not None and not found.startswith("C")
    return None if alone else found


def services_of(outcome: Outcome) -> tuple[str, ...]:
    """Return the services that a question is about: those it named, then those of what is near."""
    named = [service for search in outcome.searched for service in search.services]
    cited = [each.passage.service for each in outcome.citations]
    if outcome.stop_reason == "no_match":
        # What is far off tells nothing about whose question it is.
        most = _NEARLY * (outcome.max_distance or 0)
        near = [each.service for each in outcome.nearest if (each.distance or most) <= most]
    else:
        near = [each.service for each in outcome.passages]
    return tuple(dict.fromkeys([*named, *cited, *near]))
