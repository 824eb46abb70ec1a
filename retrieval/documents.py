"""The nouns of retrieval: what is read, what is stored, what is found, what may be searched.

All are frozen values. Offsets count characters of `Document.text`, and
`document.text[chunk.start:chunk.end] == chunk.text` always holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "STAGES",
    "Chunk",
    "Document",
    "Filters",
    "Heading",
    "Near",
    "PageStart",
    "Passage",
    "SearchResult",
    "Section",
    "Signals",
]


STAGES = ("embed", "vector", "keyword", "hydrate", "fuse", "maxsim", "rerank")
"""What a search does, in this order; a vector is sought beside the keywords."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the extracted text: its level (1 to 6), its words, where its line begins."""

    level: int
    title: str
    start: int


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page (counted from 1) begins in the extracted text."""

    page: int
    start: int


@dataclass(frozen=True, slots=True)
class Document:
    """One source, read to text.

    Its identity is (team, audience, source). `team` and `audience` are None for documents of
    the whole installation; an audience is the id of the only channel that may see it. The
    `collection` names the folder it came from, and is no part of what it is.
    """

    source: str
    title: str
    text: str
    service: str = "general"
    doc_type: str = "document"
    link: str | None = None
    team: str | None = None
    audience: str | None = None
    collection: str | None = None
    headings: tuple[Heading, ...] = ()
    pages: tuple[PageStart, ...] = ()
    pages_without_text: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, as embedded and indexed.

    `context` (the breadcrumb `title › h1 › h2`) goes before the text for embedding and
    keywords but is no part of it. `id` depends only on the document's identity and the
    chunk's content, so that an unchanged chunk keeps its id through a re-ingest.
    """

    id: str
    position: int
    start: int
    end: int
    text: str
    context: str
    heading: str
    page: int | None


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search may see. An empty tuple means "any"; the audience always applies.

    A search sees the documents without a team or audience, those of its `team`, and those of
    the channel named by `audience`.
    """

    services: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    team: str | None = None
    audience: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that a search found, with its place in each ranking (ranks count from 1).

    A ranking is of what either search found; a chunk that one doesn't know has no place in it.
    `distance` is the cosine distance to the query (0 to 2), None when there was no embedder.
    `keyword_score` is the engine's BM25 score, comparable within one search only.
    """

    chunk_id: str
    document_id: str
    source: str
    title: str
    heading: str
    context: str
    page: int | None
    service: str
    doc_type: str
    link: str | None
    text: str
    vector_rank: int | None = None
    distance: float | None = None
    keyword_rank: int | None = None
    keyword_score: float | None = None
    rrf_score: float = 0.0
    rerank_score: float | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """A document close to a question that nothing answered: named in a NO_MATCH reply."""

    title: str
    source: str
    service: str
    link: str | None
    distance: float | None


@dataclass(frozen=True, slots=True)
class Section:
    """What stands around a chunk, in the order of the document, nothing twice.

    The first passage begins as its chunk does; what a later chunk repeats of the one before is
    left out. `before` and `after` tell whether the document goes on there under the same heading,
    `alone` that the chunk is all of its section, so that its neighbours are given.
    """

    passages: tuple[Passage, ...]
    before: bool = False
    after: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Signals:
    """What a search found, in numbers that tell an answer from a near miss; more is better.

    Except `distance`, the cosine distance of the nearest telling chunk, and `unnamed`, the share
    (0 to 1) of the names and codes in the question that none of the first passages has. `strength`
    is the best BM25 score by the question's length and the corpus' size; `coverage` the most of the
    question's words (0 to 1) that one chunk holds; `title` the most of a title's (0 to 1) that the
    question has, `distance_lead` how far the nearest document is ahead of the fourth. `words` are
    the question's telling ones, twelve at most: few are easily found together. `quoted` says
    that one of the first passages has the question word for word, `coded` that one has all codes
    which the question names. `maxsim` is how much of the question one of the first passages says,
    token by token (-1 to 1); None where that wasn't asked, or the embedder can't tell. `reranker`
    is its best score, in its own unit; None without one.
    """

    distance: float
    strength: float
    coverage: float
    distance_lead: float
    title: float
    unnamed: float
    words: int
    quoted: bool = False
    coded: bool = False
    maxsim: float | None = None
    reranker: float | None = None

    @property
    def is_near(self) -> bool:
        """Whether the words are such that the distance needn't be asked."""
        return self.quoted or self.coded


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search found, and how.

    `no_match` says that a gate refused: `passages` are filled all the same, as the nearest
    chunks. `signals` is what the gates look at, and `confidence` (0 to 1) what they make of it;
    None without an embedder or without a chunk. `mistyped` has the words of the query that were
    taken for others, in small letters, each with the one it was read as. `max_distance` is how far
    the nearest chunk might have been, `min_confidence` the least confidence; None where something
    else decides. `degraded` holds sentences for the reply ("The embedder is down: …"). `timings_ms`
    has milliseconds by stage, and their `total`.
    """

    query: str
    filters: Filters
    passages: tuple[Passage, ...]
    candidates: tuple[Passage, ...]
    nearest: tuple[Near, ...]
    best_distance: float | None
    no_match: bool
    mistyped: Mapping[str, str] = field(default_factory=dict[str, str])
    degraded: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    signals: Signals | None = None
    confidence: float | None = None
    max_distance: float | None = None
    min_confidence: float | None = None
