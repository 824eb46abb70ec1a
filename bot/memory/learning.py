"""What is learned of a turn, after its reply: which memories were of use, and what was said anew.

A background task: it holds no reply up and fails none. It looks everything up in the turn, and
once that was forgotten there is nothing to learn from.
"""

import asyncio
import re
from datetime import UTC, datetime
from typing import Any, Final

import structlog

from bot.gate import is_question, silence
from bot.memory.facts import facts
from bot.memory.keeper import embedded
from bot.memory.memories import Owner
from bot.memory.sayings import saying
from bot.memory.store import Memories
from bot.model import Model, ModelError, System, User
from bot.outcome import Outcome
from bot.prompts import prompt
from bot.question import parse
from bot.untrusted import block
from retrieval.connection import reading
from retrieval.embedding import Embedder
from retrieval.errors import EmbedderDown
from schema import Pool
from schema.sql import load

__all__ = ["SETTLE", "TASK", "Learner", "is_due", "tells_something"]

TASK: Final = "learn_from_turn"
SETTLE: Final = "settle_memories"
_SQL: Final = load("bot.memory", "queries.sql")
_LOG = structlog.get_logger("footnote.memory")
_SECONDS: Final = 15.0
_SHORTEST: Final = 10  # characters
_LONGEST: Final = (
    4_000  # characters of a message that are read: below a log nobody tells of himself
)
_TOKENS: Final = 400
_ANSWERED: Final = frozenset({"cited", "no_match", "uncited", "budget"})
_CLAUSE: Final = re.compile(r"[.,;:!?\n]+|\s+(?:and|but|so|because)\s+", re.IGNORECASE)
_STATES: Final = re.compile(
    r"^\W*(?:i|i'm|i’m|i've|i’ve|we|we're|we’re|we've|we’ve|my|our|call me|please)\b",
    re.IGNORECASE,
)


def is_due(outcome: Outcome, text: str) -> bool:
    """Tell whether a turn is worth looking at once it is committed."""
    if saying(parse(text).text):
        return outcome.stop_reason == "noted"
    answered = outcome.stop_reason in _ANSWERED
    return answered and (outcome.memories > 0 or tells_something(text))


def tells_something(text: str) -> bool:
    """Tell whether a message may say something of its author: no greeting, no mere question."""
    if len(text.strip()) < _SHORTEST or silence("direct", text, ours=True):
        return False
    return not is_question(text) or any(map(_STATES.match, _CLAUSE.split(text)))


class Learner:
    """Learns from turns; without a `model` only what was used is counted.

    An extraction is abandoned after so many `seconds`.
    """

    def __init__(
        self,
        pool: Pool,
        memories: Memories,
        embedder: Embedder,
        model: Model | None,
        *,
        seconds: float = _SECONDS,
    ) -> None:
        self._pool: Pool = pool
        self._memories: Memories = memories
        self._embedder: Embedder = embedder
        self._model: Model | None = model
        self._seconds: float = seconds

    async def __call__(self, turn: str) -> None:
        """Learn from one turn."""

        async def ask(connection: Any) -> Any:
            cursor = await connection.execute(_SQL["turn_to_learn"], {"turn": turn})
            return await cursor.fetchone()

        row = await reading(self._pool, ask)
        if row is None:
            return
        team, author, session, question, stop_reason, used = row
        owner = Owner(team, author)
        if used:
            await self._memories.used(owner, used)
        if stop_reason == "noted":
            await self.settle(team, author)
        elif (
            self._model is not None
            and tells_something(question)
            and await self._memories.enabled(owner)
        ):
            await self._extract(self._model, owner, parse(question).text, session, turn)

    async def settle(self, team: str, user: str) -> None:
        """Give vectors to memories that were taken without the embedder.

        Raises:
            EmbedderDown: it is down still.
        """
        owner = Owner(team, user)
        for identity, content in await self._memories.unsettled(owner):
            vector = await embedded(self._embedder, content)
            await self._memories.settle(owner, identity, vector)

    async def _extract(
        self, model: Model, owner: Owner, message: str, session: str, turn: str
    ) -> None:
        message = message[:_LONGEST]
        today = f"Today is {datetime.now(UTC):%A, %d %B %Y}."
        asked = [System(f"{prompt('extract')}\n\n{today}"), User(block("message", message))]
        try:
            async with asyncio.timeout(self._seconds):
                completion = await model.complete(asked, max_tokens=_TOKENS)
        except (ModelError, TimeoutError) as error:
            _LOG.info("extraction_abandoned", turn=turn, error=type(error).__name__)
            return
        found = facts(completion.text, message, owner.user)
        for fact in found:
            try:
                vector = await embedded(self._embedder, fact.content)
            except EmbedderDown:
                vector = None
            await self._memories.add(owner, fact, vector, thread=session, turn=turn)
        _LOG.info("extracted", turn=turn, facts=len(found))
