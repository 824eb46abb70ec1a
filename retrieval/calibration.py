"""The calibration in the database: which gates are in force, and what they were measured on."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from psycopg.types.json import Jsonb

from retrieval.confidence import CONFIDENCE_VERSION
from retrieval.connection import connected, reading
from retrieval.gate import DEFAULT_GATES, Gates, Judge
from schema.sql import load

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from schema.database import Pool

__all__ = [
    "Calibration",
    "CorpusNow",
    "InForce",
    "corpus_now",
    "forget",
    "in_force",
    "keep",
    "newest",
]

_QUERIES: Final = load("retrieval", "calibration.sql")


@dataclass(frozen=True, slots=True)
class InForce:
    """The gates of now, and about how many chunks the corpus has."""

    gates: Gates
    chunks: int


@dataclass(frozen=True, slots=True)
class CorpusNow:
    """A hash of all documents, how many there are, and whose vectors they have (None: none yet)."""

    hash: str
    documents: int
    embedder: str | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured, on what, and the gates that came out."""

    embedder: str
    corpus: str
    documents: int
    gates: Gates
    reranker: str | None
    report: dict[str, Any]
    formula: int = CONFIDENCE_VERSION
    made_at: datetime | None = None

    def moved(self, now: CorpusNow) -> list[str]:
        """Return a sentence for each thing that is no longer as it was measured."""
        told: list[str] = []
        if now.embedder is not None and now.embedder != self.embedder:
            told.append(f"The embedder is {now.embedder}, and was {self.embedder}.")
        if self.formula != CONFIDENCE_VERSION:
            told.append("This version of Footnote weighs its signals otherwise.")
        if now.hash != self.corpus:
            told.append("The documents have changed since.")
        return told


async def in_force(pool: "Pool", embedder: str, reranker: str) -> InForce:
    """Return the newest calibration of this embedder, else the defaults.

    One whose judge is a reranker counts only for that reranker: another's scores are others.
    """

    async def ask(connection: "AsyncConnection[Any]") -> Any:
        parameters = {"embedder": embedder, "formula": CONFIDENCE_VERSION}
        cursor = await connection.execute(_QUERIES["in_force"], parameters)
        return await cursor.fetchone()

    chunks, max_distance, minimum, judge, judged_by = await reading(pool, ask)
    if max_distance is None or (judge == "reranker" and judged_by != reranker):
        return InForce(DEFAULT_GATES, chunks)
    return InForce(Gates(max_distance, minimum, judge), chunks)


async def newest(pool: "Pool") -> Calibration | None:
    """Return the calibration made last, of whatever embedder."""

    async def ask(connection: "AsyncConnection[Any]") -> Any:
        return await (await connection.execute(_QUERIES["newest"])).fetchone()

    row = await reading(pool, ask)
    if row is None:
        return None
    made_at, embedder, formula, corpus, documents, max_distance, judge, minimum, reranker, told = (
        row
    )
    kind: Judge = judge
    return Calibration(
        embedder=embedder,
        corpus=corpus,
        documents=documents,
        gates=Gates(max_distance, minimum, kind),
        reranker=reranker,
        report=told,
        formula=formula,
        made_at=made_at,
    )


async def keep(pool: "Pool", calibration: Calibration) -> None:
    """Put a calibration in force; every search from now on goes by it."""
    parameters = {
        "embedder": calibration.embedder,
        "formula": calibration.formula,
        "corpus": calibration.corpus,
        "documents": calibration.documents,
        "max_distance": calibration.gates.max_distance,
        "judge": calibration.gates.judge,
        "minimum": calibration.gates.minimum,
        "reranker": calibration.reranker,
        "report": Jsonb(calibration.report),
    }
    async with connected(pool) as connection:
        await connection.execute(_QUERIES["keep"], parameters)


async def forget(pool: "Pool") -> int:
    """Take every calibration away, so that the defaults decide; return how many there were."""
    async with connected(pool) as connection:
        return (await connection.execute(_QUERIES["forget"])).rowcount


async def corpus_now(pool: "Pool") -> CorpusNow:
    """Return how the corpus stands."""

    async def ask(connection: "AsyncConnection[Any]") -> Any:
        return await (await connection.execute(_QUERIES["corpus_now"])).fetchone()

    return CorpusNow(*await reading(pool, ask))
