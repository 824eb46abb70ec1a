"""SciFact through the whole pipeline: nDCG@10 and R@20, as trec_eval counts them."""

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.documents import Filters
from retrieval.embedding import Embedder
from retrieval.ingest import ingest
from retrieval.search import Search
from retrieval.sources import Labels, Source
from retrieval.store import Hit, Store
from retrieval.tokens import query_tokens


@dataclass
class Quality:
    """Means over all queries; one that finds nothing counts as 0."""

    ndcg_at_10: float = 0.0
    recall_at_20: float = 0.0

    def add(self, ranked: Sequence[str], relevant: set[str], queries: int) -> None:
        """Count one query of so many. A document ranks as its best chunk does."""
        documents = list(dict.fromkeys(ranked))
        self.ndcg_at_10 += _ndcg(documents[:10], relevant) / queries
        self.recall_at_20 += len(set(documents[:20]) & relevant) / len(relevant) / queries


async def scifact(store: Store, embedder: Embedder, folder: Path) -> Mapping[str, Quality]:
    """Ingest the abstracts, ask the test claims; return how good each search is, and both."""
    sources, asked, relevant = await asyncio.to_thread(_read, folder)
    await ingest(store, embedder, sources)
    search = Search(store, embedder, max_distance=2.0)
    found = {"vector 20": Quality(), "BM25 20": Quality(), "fused 20": Quality()}
    for name, text in asked.items():
        vector = await embedder.embed_query(text)
        legs = (
            await store.search_vectors(vector, Filters()),
            await store.search_keywords(query_tokens(text), Filters()),
        )
        of = {key: each.source for key, each in (await store.passages(_ids(legs))).items()}
        fused = [each.source for each in (await search.search(text)).candidates]
        rankings = (*([of[hit.chunk_id] for hit in leg] for leg in legs), fused)
        for quality, ranked in zip(found.values(), rankings, strict=True):
            bare = [source.removesuffix(".md") for source in ranked]
            quality.add(bare, relevant[name], len(asked))
    return found


def _ids(rankings: Iterable[Sequence[Hit]]) -> set[str]:
    return {hit.chunk_id for ranking in rankings for hit in ranking}


def _read(folder: Path) -> tuple[list[Source], Mapping[str, str], Mapping[str, set[str]]]:
    sources = []
    for line in (folder / "corpus.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        text = f"{row['text']}\n".encode()
        sources.append(Source(f"{row['_id']}.md", text, Labels(title=row["title"])))
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text().splitlines():
        query, document, grade = line.split("\t")
        if grade.isdigit() and int(grade) > 0:
            relevant[query].add(document)
    rows = map(json.loads, (folder / "queries.jsonl").open(encoding="utf-8"))
    asked = {row["_id"]: row["text"] for row in rows if row["_id"] in relevant}
    return sources, asked, relevant


def _ndcg(ranked: Sequence[str], relevant: set[str]) -> float:
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(ranked) if name in relevant)
    best = sum(1 / math.log2(place + 2) for place in range(min(len(relevant), 10)))
    return gain / best
