"""What was asked and not answered: the runbooks worth writing.

Alike is what shares its words' stems. A question that was asked in a private channel or a direct
message is shown there and nowhere else.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.rows import args_row

from bot.inbox import Connection
from bot.places import Places
from bot.question import in_thread, parse
from retrieval.tokens import query_tokens
from schema.sql import load

__all__ = ["DAYS", "Asked", "Gap", "grouped", "read", "seen"]

_SQL = load("bot", "answers.sql")
_MOST = 500  # questions that are looked at, the newest
_MOST_CHANNELS = 40  # that are looked up, those of the newest questions
_ALIKE = 0.5  # of all stems of two questions, those that both have

DAYS = 30


@dataclass(frozen=True, slots=True)
class Asked:
    """A question without a good answer; `unhelpful` counts the people who said so.

    `earlier`: what was asked in its thread before, oldest first.
    """

    turn: str
    channel: str
    question: str
    stop_reason: str
    unhelpful: int
    earlier: Sequence[str] = ()

    @property
    def about(self) -> str:
        """What was searched for: `and in staging?` says nothing without its thread."""
        return in_thread(self._words, [parse(each).text for each in self.earlier])

    @property
    def shown(self) -> str:
        """The words, with what they go on from."""
        before = self.about.removesuffix(self._words).strip()
        return f"{self._words} (after “{before}”)" if before else self._words

    @property
    def _words(self) -> str:
        return parse(self.question).text or self.question


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions that are alike, the newest first."""

    asked: tuple[Asked, ...]

    @property
    def question(self) -> str:
        """The words of the newest."""
        return self.asked[0].shown

    @property
    def unhelpful(self) -> int:
        """How many people said that an answer didn't help."""
        return sum(each.unhelpful for each in self.asked)


async def read(connection: Connection, team: str) -> list[Asked]:
    """Return what was asked in the last days and not answered, or not well, wherever it was."""
    values = {"team": team, "days": DAYS, "most": _MOST}
    async with connection.cursor(row_factory=args_row(Asked)) as cursor:
        await cursor.execute(_SQL["gaps"], values)
        return await cursor.fetchall()


async def seen(
    found: Sequence[Asked], places: Places, channel: str | None = None, *, only_here: bool = False
) -> list[Gap]:
    """Return the gaps that may be shown in a channel, or (None) to every member anywhere.

    `only_here`: to somebody who may not see what other channels ask.
    """
    elsewhere = [] if only_here else list(dict.fromkeys(each.channel for each in found))
    async with asyncio.TaskGroup() as group:
        looks = {
            each: group.create_task(places.public(each)) for each in elsewhere[:_MOST_CHANNELS]
        }
    shown = {each for each, look in looks.items() if look.result()} | {channel}
    return grouped([each for each in found if each.channel in shown])


def grouped(asked: Sequence[Asked]) -> list[Gap]:
    """Put each question to the one before it that is most alike; the largest groups first."""
    groups: list[list[Asked]] = []
    stems: list[list[frozenset[str]]] = []
    for each in asked:
        own = frozenset(query_tokens(each.about))
        near = [max((_alike(own, other) for other in group), default=0.0) for group in stems]
        best = max(range(len(near)), key=near.__getitem__, default=None)
        if best is not None and near[best] >= _ALIKE:
            groups[best].append(each)
            stems[best].append(own)
        else:
            groups.append([each])
            stems.append([own])
    return sorted((Gap(tuple(group)) for group in groups), key=lambda gap: -len(gap.asked))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
