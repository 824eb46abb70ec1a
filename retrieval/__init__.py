"""Finding the passages of a team's documents that answer a question, or finding that none does.

A library: no environment, no Slack, no chat model. Documents come in by `ingest`, questions are
answered by `Search`, and both stand on a `Store` and an embedder.
"""

from retrieval.documents import Filters, Passage, SearchResult
from retrieval.ingest import ingest
from retrieval.report import IngestReport
from retrieval.search import Search
from retrieval.sources import Labels, Source, collect
from retrieval.store import Store

__all__ = [
    "Filters",
    "IngestReport",
    "Labels",
    "Passage",
    "Search",
    "SearchResult",
    "Source",
    "Store",
    "collect",
    "ingest",
]
