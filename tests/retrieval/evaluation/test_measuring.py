"""A measurement on a real corpus, the threshold it gives, and the searches that go by it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from retrieval.calibration import Calibration, corpus_now, in_force, keep, newest
from retrieval.documents import Passage
from retrieval.evaluation import BadCases, Bench, Case, Rule, choose, halves, measure, report_of
from retrieval.evaluation.html import page
from retrieval.gate import DEFAULT_GATES, Gates
from retrieval.prepared import PreparedDocument
from retrieval.rerank import KeepOrder, Reranker
from retrieval.search import Search
from retrieval.store import Store
from retrieval.tokens import index_tokens
from schema import engine_named, open_pool
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import ENGINES, prepared, put

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)

TOPICS = ("certificate", "replica", "queue", "snapshot", "refund", "cache", "gateway", "courier")
CASES = [
    *(Case(t, f"{t} fails with err{t}", (f"{t}.md",), kind="error") for t in TOPICS),
    *(Case(f"no-{t}", f"un{t} holiday menu nobody wrote", ()) for t in TOPICS),
]


class Scripted:
    """Puts the passage first that has most of the question's words: a stand-in, not a model."""

    name: str = "scripted"

    async def rerank(self, query: str, passages: Sequence[Passage]) -> list[Passage]:
        """Score by words in common."""
        asked = set(query.split())
        scored = [
            replace(each, rerank_score=float(len(asked & set(each.text.split()))))
            for each in passages
        ]
        return sorted(scored, key=lambda each: -(each.rerank_score or 0))


@asynccontextmanager
async def open_bench(
    database_url: str, engine: str, reranker: Reranker | None = None
) -> AsyncGenerator[Bench]:
    """Eight pages, and a copy of one of them under another folder."""
    async with open_pool(database_url, engine=engine, max_size=6) as pool:
        store = Store(pool, engine_named(engine))
        for topic in TOPICS:
            text = f"{topic} fails with err{topic} restart the {topic} service and wait"
            await put(store, indexed(f"{topic}.md", text, topic))
        text = "cache fails with errcache restart the cache service and wait"
        await put(store, indexed("copy/of-cache.md", text, "cache"))
        yield Bench(pool, engine_named(engine), BagOfWords(), reranker or KeepOrder())


def indexed(source: str, text: str, service: str) -> PreparedDocument:
    """A document of one chunk, with the tokens that an ingest gives it."""
    document = prepared(source, [text], service=service)
    chunks = tuple(
        replace(each, tokens=" ".join(index_tokens(each.chunk.text))) for each in document.chunks
    )
    return replace(document, chunks=chunks)


def silent(_done: int, _of: int) -> None:
    """Tell nobody."""


@both_engines
async def test_a_measurement_knows_every_search(database_url: str, engine: str) -> None:
    """Each question finds its page first by every search, and is timed by stage."""
    async with open_bench(database_url, engine) as bench:
        measured = await measure(bench, CASES, left_out=True, progress=silent)
    for each in measured[: len(TOPICS)]:
        assert set(each.rankings) == {"vector", "keyword", "fused"}
        first = {ranked[0] for ranked in each.rankings.values()}
        assert first <= {*each.case.files, "copy/of-cache.md"}
        assert each.service == each.case.id
        assert each.timings_ms["total"] > 0
        assert "rerank" not in each.timings_ms


@both_engines
async def test_a_missing_page_is_less_near_than_a_present_one(
    database_url: str, engine: str
) -> None:
    """Without its page and the page's copy, a question finds only others: farther and weaker."""
    async with open_bench(database_url, engine) as bench:
        measured = await measure(bench, CASES, left_out=True, progress=silent)
    for each in measured[: len(TOPICS)]:
        assert each.signals is not None
        assert each.left_out is not None
        assert each.left_out.distance > each.signals.distance
        assert each.left_out.strength < each.signals.strength
        assert each.left_out.coverage < 1 == each.signals.coverage
    assert all(each.left_out is None for each in measured[len(TOPICS) :])


@both_engines
async def test_a_reranker_is_measured_beside_the_others(database_url: str, engine: str) -> None:
    """It has a ranking, a time and a score of its own, and a script's gain isn't called one."""
    async with open_bench(database_url, engine, Scripted()) as bench:
        measured = await measure(bench, CASES, left_out=True, progress=silent)
        report = report_of(bench, measured, DEFAULT_GATES, follow_ups=0, documents=9)
    assert [row["name"] for row in report["searches"]][-1] == "reranked"
    assert any(row["stage"] == "rerank" for row in report["timings_ms"])
    assert measured[0].signals is not None
    assert measured[0].signals.reranker == 4.0
    assert "proves the plumbing, and no gain" in " ".join(report["notes"])
    assert {each["signal"] for each in report["gate"]["curves"]} >= {"confidence", "reranker"}


async def test_without_a_reranker_the_report_says_so(database_url: str) -> None:
    """No gain is claimed that wasn't measured."""
    async with open_bench(database_url, "pg_search") as bench:
        measured = await measure(bench, CASES, left_out=True, progress=silent)
        report = report_of(bench, measured, DEFAULT_GATES, follow_ups=2, documents=9)
    assert "No reranker is set, so its gain was not measured here." in report["notes"]
    assert "2 follow-ups were left out: single questions are measured." in report["notes"]


async def test_a_document_that_is_not_stored_is_named(database_url: str) -> None:
    """With the nearest name that is."""
    async with open_bench(database_url, "pg_search") as bench:
        with pytest.raises(BadCases, match=r"cahce\.md, which isn't stored.*Is it cache\.md\?"):
            await measure(bench, [Case("x", "why?", ("cahce.md",))], left_out=True, progress=silent)


@both_engines
async def test_a_calibration_is_what_searches_go_by(database_url: str, engine: str) -> None:
    """From the moment it is kept, for its embedder only; a given distance goes before it."""
    async with open_bench(database_url, engine) as bench:
        store = Store(bench.pool, bench.engine)
        search = Search(store, bench.embedder)
        question = "errcertificate certificate"
        assert not (await search.search(question)).no_match
        now = await corpus_now(bench.pool)
        strict = Gates(max_distance=2.0, minimum=0.9999)
        kept = Calibration(bench.embedder.name, now.hash, now.documents, strict, None, {})
        await keep(bench.pool, kept)
        assert (await search.search(question)).no_match
        assert not (await Search(store, bench.embedder, max_distance=1.0).search(question)).no_match
        other = await in_force(bench.pool, "another-model", "keep-order")
        assert other.gates == DEFAULT_GATES


async def test_a_threshold_on_scores_counts_for_its_reranker_only(database_url: str) -> None:
    """Another reranker's scores have another unit, so the defaults come back."""
    async with open_bench(database_url, "pg_search", Scripted()) as bench:
        gates = Gates(2.0, 99.0, "reranker")
        now = await corpus_now(bench.pool)
        await keep(
            bench.pool,
            Calibration(bench.embedder.name, now.hash, now.documents, gates, "scripted", {}),
        )
        store = Store(bench.pool, bench.engine)
        scored = Search(store, bench.embedder, reranker=bench.reranker)
        assert (await scored.search(CASES[0].question)).no_match
        assert not (await Search(store, bench.embedder).search(CASES[0].question)).no_match


async def test_a_calibration_knows_when_the_corpus_has_moved(database_url: str) -> None:
    """One more document, and it says so; before that it has nothing to say."""
    async with open_bench(database_url, "pg_search") as bench:
        now = await corpus_now(bench.pool)
        gates = Gates(0.7, 0.5)
        await keep(
            bench.pool,
            Calibration(bench.embedder.name, now.hash, now.documents, gates, None, {"limit": 0.05}),
        )
        kept = await newest(bench.pool)
        assert kept is not None
        assert (kept.gates, kept.documents, kept.report) == (gates, 9, {"limit": 0.05})
        assert kept.made_at is not None
        assert kept.moved(now) == []
        await put(Store(bench.pool, bench.engine), prepared("new.md", ["a new page"]))
        assert kept.moved(await corpus_now(bench.pool)) == ["The documents have changed since."]


async def test_a_threshold_is_chosen_on_one_half(database_url: str) -> None:
    """What is answered is answered, what isn't is refused, and both halves are told apart."""
    async with open_bench(database_url, "pg_search") as bench:
        cases = [replace(each, id=f"{n}-{each.id}", question=f"{each.question} {word}")
                 for n, word in enumerate(("please", "now", "again", "help"))
                 for each in CASES]  # fmt: skip
        measured = await measure(bench, cases, left_out=True, progress=silent)
        both = halves(measured)
        gates = choose(both["calibration"], Rule())
        report = report_of(bench, measured, gates, follow_ups=0, documents=9)
    assert sum(len(half.answerable) for half in both.values()) == 32
    for half in ("calibration", "test"):
        written = report["gate"]["outcome"][half]["written"]
        assert (written["coverage"], written["false_answers"]) == (1.0, 0.0)
    with pytest.raises(BadCases, match="No reranker gave a score"):
        choose(both["calibration"], Rule(judge="reranker"))
    few = halves(measured[:3])["calibration"]
    with pytest.raises(BadCases, match="at least 5 answerable"):
        choose(few, Rule())


async def test_the_page_stands_alone_and_quotes_what_it_shows(database_url: str) -> None:
    """No script, no address, nothing loaded; a question is never markup."""
    odd = Case("odd", "zebra <script>alert(1)</script> & co", ("cache.md",))
    async with open_bench(database_url, "pg_search") as bench:
        measured = await measure(bench, [*CASES, odd], left_out=True, progress=silent)
        report = report_of(bench, measured, DEFAULT_GATES, follow_ups=0, documents=9)
    html = page({**report, "missed": [{"question": odd.question, "files": [], "found": []}]})
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "http" not in html
    assert "url(" not in html
    assert html.count("<svg") >= 5
    assert 'name="viewport"' in html


async def test_a_pasted_error_text_passes_however_far_it_is(database_url: str) -> None:
    """Four words in a row that are most of the question stand in a page of many others."""
    page_of_many = "many words of other things " * 30 + "fatal sorry too many clients already " * 2
    async with open_bench(database_url, "pg_search") as bench:
        store = Store(bench.pool, bench.engine)
        await put(store, indexed("connections.md", page_of_many, "database"))
        search = Search(store, bench.embedder)
        found = await search.search("FATAL: sorry, too many clients already")
        scattered = await search.search("clients sorry already fatal whales")
        far = Gates(max_distance=0.01, minimum=0.99)
        now = await corpus_now(bench.pool)
        kept = Calibration(bench.embedder.name, now.hash, now.documents, far, None, {})
        await keep(bench.pool, kept)
        strict = await search.search("FATAL: sorry, too many clients already")
        given = await Search(store, bench.embedder, max_distance=0.01).search(
            "too many clients already"
        )
    assert found.signals is not None
    assert found.signals.quoted
    assert scattered.signals is not None
    assert not scattered.signals.quoted
    assert (strict.no_match, strict.confidence) == (False, 1.0)
    assert given.no_match
