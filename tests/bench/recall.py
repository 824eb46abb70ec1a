"""How long it takes to recall among many memories of one person, and how well it finds."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from psycopg import AsyncConnection

from bot.memory import Memories, Owner
from retrieval.embedding import Vector
from schema import Pool

__all__ = ["memory_recall"]

_SIZE = 384
_TOP = 5
_NEAR = 0.5
_GROUPS = 50  # of memories that are near each other, so that there are five to find
_COPY = (
    "COPY memories (team, owner, emb, number, type, content, importance) FROM STDIN (FORMAT BINARY)"
)


async def memory_recall(
    pool: Pool, count: int, questions: int = 200
) -> tuple[Sequence[str], float, float]:
    """Return a row (memories, p50 and p95 in ms, recall of the top five), p50 and the recall.

    Recall is against the cosine of all in numpy; the embedding isn't in the times.
    """
    owner = Owner("T", f"U{count}")
    centres = _directions(_GROUPS, 1)
    vectors = _scaled(centres[np.arange(count) % _GROUPS] + 0.9 * _directions(count, 2))
    async with pool.connection() as connection:
        await _fill(connection, owner, vectors)
    memories = Memories(pool)
    spent: list[float] = []
    hits = wanted = 0
    for n, noise in enumerate(_directions(questions, 3)):
        (asked,) = _scaled(centres[n % _GROUPS] + 0.3 * noise[None])
        began = time.perf_counter()
        found = await memories.nearest(owner, asked)
        spent.append((time.perf_counter() - began) * 1000)
        likeness = vectors @ asked
        best = {int(each) for each in np.argsort(-likeness)[:_TOP] if likeness[each] >= _NEAR}
        wanted += len(best)
        hits += len(best & {each.number for each in found})
    p50, p95 = np.percentile(spent, [50, 95])
    row = [f"{count:,}", f"{p50:.2f}", f"{p95:.2f}", f"{hits / wanted:.4f}"]
    return row, float(p50), hits / wanted


async def _fill(connection: AsyncConnection[Any], owner: Owner, vectors: Vector) -> None:
    who = (owner.team, owner.user)
    await connection.execute("INSERT INTO memory_owner (team, owner) VALUES (%s, %s)", who)
    async with connection.cursor() as rows, rows.copy(_COPY) as copy:
        copy.set_types(["text", "text", "vector", "int4", "text", "text", "float4"])
        for number, vector in enumerate(vectors):
            await copy.write_row((*who, vector, number, "FACT", f"memory {number}", 0.5))
    await connection.execute("VACUUM (ANALYZE) memories")


def _directions(count: int, seed: int) -> Vector:
    return _scaled(np.random.default_rng(seed).standard_normal((count, _SIZE)))


def _scaled(vectors: npt.NDArray[Any]) -> Vector:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
