"""SciFact through the whole pipeline: nDCG@10 and R@20, as trec_eval counts them."""

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.embedding import Embedder
from retrieval.ingest import ingest
from retrieval.search import Search
from retrieval.sources import Labels, Source
from retrieval.store import Store


@dataclass(frozen=True)
class Quality:
    """Means over all queries; one that finds nothing counts as 0."""

    ndcg_at_10: float
    recall_at_20: float
    queries: int


async def scifact(store: Store, embedder: Embedder, folder: Path) -> Quality:
    """Ingest the abstracts and ask the test claims."""
    sources, asked, relevant = await asyncio.to_thread(_read, folder)
    await ingest(store, embedder, sources)
    search = Search(store, embedder, max_distance=2.0)
    ndcg = recall = 0.0
    for name, text in asked.items():
        found = await search.search(text)
        ranked = list(dict.fromkeys(each.source.removesuffix(".md") for each in found.candidates))
        ndcg += _ndcg(ranked[:10], relevant[name])
        recall += len(set(ranked[:20]) & relevant[name]) / len(relevant[name])
    return Quality(ndcg / len(asked), recall / len(asked), len(asked))


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
