"""BM25 written out in Python, and the random corpora that engines are held against it with."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.documents import Filters
from retrieval.prepared import PreparedDocument
from retrieval.store import Hit, Store
from tests.retrieval.corpora import prepared, put

__all__ = [
    "TOLERANCE",
    "Row",
    "bm25",
    "fill",
    "random_document",
    "random_filters",
    "rows_of",
    "same",
]


@dataclass(frozen=True)
class Row:
    """A chunk of the oracle."""

    id: str
    words: tuple[str, ...]
    service: str
    doc_type: str
    team: str | None
    audience: str | None


def bm25(rows: Sequence[Row], query: Sequence[str], filters: Filters, limit: int = 20) -> list[Hit]:
    """BM25 as Lucene counts it, over all rows; the filters only choose what is shown."""
    mean = sum(len(row.words) for row in rows) / max(1, len(rows))
    holding = Counter(word for row in rows for word in set(row.words))
    hits: list[Hit] = []
    for row in rows:
        if (
            (filters.services and row.service not in filters.services)
            or (filters.doc_types and row.doc_type not in filters.doc_types)
            or row.team not in {None, filters.team}
            or row.audience not in {None, filters.audience}
        ):
            continue
        score = 0.0
        for word in query:
            frequency = row.words.count(word)
            idf = math.log(1 + (len(rows) - holding[word] + 0.5) / (holding[word] + 0.5))
            length = 1.2 * (0.25 + 0.75 * len(row.words) / mean)
            score += idf * 2.2 * frequency / (frequency + length)
        if score > 0:
            hits.append(Hit(row.id, score))
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]


def random_document(dice: random.Random, number: int) -> PreparedDocument:
    """Random words, of chunks of up to 40 of them: so far an index keeps lengths exactly.

    Its team and audience depend on its number, so that it can be drawn again as a new version.
    """
    owner = random.Random(number)  # noqa: S311 - repeatable, not secret
    return prepared(
        f"doc{number:03}",
        [
            " ".join(f"w{min(59, int(dice.expovariate(0.08)))}" for _ in range(dice.randint(1, 40)))
            for _ in range(dice.randint(1, 8))
        ],
        service="rare" if number < 2 else dice.choice(["a", "b"]),
        doc_type=dice.choice(["runbook", "postmortem"]),
        team=owner.choice([None, None, "T1", "T2"]),
        audience=owner.choice([None, "C1", "C2"]),
    )


def rows_of(stored: PreparedDocument) -> list[Row]:
    """The chunks of a document."""
    document = stored.document
    return [
        Row(
            each.chunk.id,
            tuple(each.tokens.split()),
            document.service,
            document.doc_type,
            document.team,
            document.audience,
        )
        for each in stored.chunks
    ]


def random_filters(dice: random.Random) -> Filters:
    """Some filters, or none."""
    return Filters(
        services=dice.choice([(), ("a",), ("a", "rare"), ("rare",), ("none",)]),
        doc_types=dice.choice([(), (), ("runbook",), ("runbook", "postmortem")]),
        team=dice.choice([None, "T1", "T9"]),
        audience=dice.choice([None, "C1"]),
    )


async def fill(store: Store, seed: int, documents: int = 60) -> list[Row]:
    """Store a random corpus."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    rows: list[Row] = []
    for number in range(documents):
        document = random_document(dice, number)
        await put(store, document)
        rows.extend(rows_of(document))
    return rows


TOLERANCE = 0.002
"""What scores may differ by: an index counts in single precision."""


def same(found: Sequence[Hit], expected: Sequence[Hit]) -> bool:
    """Whether the scores agree place by place, and the ids wherever a score stands alone."""
    if len(found) != len(expected):
        return False
    if any(abs(a.score - b.score) > TOLERANCE for a, b in zip(found, expected, strict=True)):
        return False
    by_id = {hit.chunk_id: hit.score for hit in expected}
    last = expected[-1].score if expected else 0.0
    # Only chunks as good as the last one may be exchanged for others.
    return all(abs(by_id.get(hit.chunk_id, last) - hit.score) <= TOLERANCE for hit in found)
