"""The embedder's calls of an ingest: many documents' chunks in one, few at once, tried again.

An embedder that fails passingly costs a pause. One that fails for good may have choked on a
single text, so the documents then go one by one and only those that fail are given up.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING, Final

import numpy as np

from retrieval.errors import EmbedderDown

if TYPE_CHECKING:
    from retrieval.embedding import Embedder, Vector

__all__ = ["PAUSES", "Calls", "checked"]

# Texts a call; the HTTP embedder and the bundled one cut it into what they can take at once.
_TEXTS: Final = 64
_AT_ONCE: Final = 2

PAUSES: Final = (1.0,)
"""Seconds before each further attempt. The HTTP embedder has its own patience below this."""

# So many documents in a row: the embedder is down, and the rest needn't wait for its time-outs.
_IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True)
class Calls:
    """Asks an embedder for the vectors of texts, each under a key of the caller's."""

    embedder: "Embedder"
    pauses: Sequence[float] = PAUSES

    async def vectors(
        self, groups: Sequence[Mapping[str, str]]
    ) -> "list[dict[str, Vector] | EmbedderDown]":
        """Return the vectors of each group of texts by their keys, or why it has none.

        Raises:
            EmbedderDown: nothing works.
        """
        together = {key: text for group in groups for key, text in group.items()}
        try:
            found = await self._batches(together)
        except EmbedderDown as error:
            return [error] if len(groups) == 1 else await self._one_by_one(groups)
        return [_sorted_out(group, found) for group in groups]

    async def _one_by_one(
        self, groups: Sequence[Mapping[str, str]]
    ) -> "list[dict[str, Vector] | EmbedderDown]":
        impatient = Calls(self.embedder, ())
        results: list[dict[str, Vector] | EmbedderDown] = []
        in_a_row = 0
        for group in groups:
            try:
                results.append(_sorted_out(group, await impatient._batches(group)))
                in_a_row = 0
            except EmbedderDown as error:
                results.append(error)
                in_a_row += 1
                if in_a_row == _IN_A_ROW:
                    raise
        return results

    async def _batches(self, texts: Mapping[str, str]) -> "dict[str, Vector]":
        limit = asyncio.Semaphore(_AT_ONCE)

        async def call(keys: Sequence[str]) -> "list[Vector]":
            async with limit:
                return await self._persistently([texts[key] for key in keys])

        try:
            async with asyncio.TaskGroup() as group:
                calls = [(keys, group.create_task(call(keys))) for keys in batched(texts, _TEXTS)]
        except* EmbedderDown as errors:
            failure = errors.exceptions[0]
        else:
            return {
                key: vector
                for keys, task in calls
                for key, vector in zip(keys, task.result(), strict=True)
            }
        raise failure

    async def _persistently(self, texts: Sequence[str]) -> "list[Vector]":
        for pause in self.pauses:
            try:
                return await self.embedder.embed_documents(texts)
            except EmbedderDown:
                await asyncio.sleep(pause)
        return await self.embedder.embed_documents(texts)


def _sorted_out(
    group: Mapping[str, str], found: "Mapping[str, Vector]"
) -> "dict[str, Vector] | EmbedderDown":
    try:
        return {key: checked(found[key]) for key in group}
    except EmbedderDown as error:
        return error


def checked(vector: "Vector") -> "Vector":
    """Return a vector that a search can find.

    Raises:
        EmbedderDown: its distance to anything is no number.
    """
    if not np.isfinite(vector).all() or not vector.any():
        raise EmbedderDown("The embedder gave a vector of zeros or of no numbers.")
    return vector
