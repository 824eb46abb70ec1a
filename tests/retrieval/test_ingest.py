"""Ingest: what is written, what is left alone, what is reported."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psycopg
import pytest

from retrieval.documents import Filters
from retrieval.embedding import Vector
from retrieval.errors import EmbedderDown, OtherEmbedder, UnreadableDocument
from retrieval.ingest import ingest
from retrieval.report import IngestReport, Progress
from retrieval.sources import Labels, Source, collect
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import ENGINES, open_store

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)

PAYMENTS = """# Card payments fail

## Symptoms

The error ERR_5032 comes from the gateway and customers see an empty basket.

## Mitigation

Restart the payments-gateway deployment and watch the queue drain.
"""


def markdown(name: str, text: str, **labels: str) -> Source:
    """A source of bytes."""
    return Source(name, text.encode(), Labels(**labels))


@both_engines
async def test_a_second_ingest_changes_nothing(database_url: str, engine: str) -> None:
    """The same sources are recognised: nothing is embedded, nothing is written."""
    sources = [markdown(f"doc{n}.md", f"{PAYMENTS}\nThis is number {n}.") for n in range(5)]
    embedder = BagOfWords()
    async with open_store(database_url, engine) as store:
        first = await ingest(store, embedder, sources)
        assert (first.added, first.changed, first.unchanged, first.failed) == (5, 0, 0, ())
        assert first.chunks_written == (await store.counts())[1] > 0
        embedder.embedded.clear()
        second = await ingest(store, embedder, sources)
        assert (second.added, second.changed, second.unchanged) == (0, 0, 5)
        assert second.chunks_written == 0
        assert embedder.embedded == []


@both_engines
async def test_only_changed_chunks_are_embedded_again(database_url: str, engine: str) -> None:
    """An edit of one paragraph of a long document costs the chunks that hold it."""
    sections = [f"## Part {n}\n\n" + f"Sentence about topic{n}. " * 40 for n in range(12)]
    embedder = BagOfWords()
    async with open_store(database_url, engine) as store:
        await ingest(store, embedder, [markdown("long.md", "# Long\n\n" + "\n\n".join(sections))])
        everything = len(embedder.embedded)
        embedder.embedded.clear()
        sections[5] = "## Part 5\n\n" + "Sentence about zebras. " * 40
        report = await ingest(
            store, embedder, [markdown("long.md", "# Long\n\n" + "\n\n".join(sections))]
        )
        assert report.changed == 1
        assert 0 < len(embedder.embedded) < everything / 3
        assert await store.search_keywords(["zebras"], Filters()) or await store.search_keywords(
            ["zebra"], Filters()
        )
        assert await store.search_keywords(["topic5"], Filters()) == []


async def test_new_labels_change_a_document_without_embedding_it(database_url: str) -> None:
    """Service and doc_type are no part of what is embedded."""
    embedder = BagOfWords()
    async with open_store(database_url, "pg_search") as store:
        await ingest(store, embedder, [markdown("a.md", PAYMENTS, service="search")])
        embedder.embedded.clear()
        report = await ingest(store, embedder, [markdown("a.md", PAYMENTS, service="payments")])
        assert (report.changed, report.chunks_written) == (1, 0)
        assert embedder.embedded == []
        assert [kind.service for kind in await store.kinds()] == ["payments"]


async def test_another_embedder_is_refused(database_url: str) -> None:
    """Vectors of two models are never mixed, also not when they have the same size."""
    async with open_store(database_url, "pg_search") as store:
        await ingest(store, BagOfWords("one"), [markdown("a.md", PAYMENTS)])
        other = BagOfWords("two")
        with pytest.raises(OtherEmbedder, match="vectors of one, and the embedder is two"):
            await ingest(store, other, [markdown("b.md", PAYMENTS)])
        assert other.embedded == []
        assert (await store.counts())[0] == 1


class Usurped(BagOfWords):
    """An embedder during whose work another becomes the corpus's own."""

    def __init__(self, database_url: str) -> None:
        super().__init__()
        self.database_url: str = database_url

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors, after the change."""
        async with await psycopg.AsyncConnection.connect(self.database_url) as connection:
            await connection.execute(
                "UPDATE footnote_setting SET value = 'other' WHERE name = 'embedder'"
            )
        return await super().embed_documents(texts)


async def test_an_embedder_changed_meanwhile_is_noticed(database_url: str) -> None:
    """An ingest under way doesn't write an old model's vectors among the new ones."""
    async with open_store(database_url, "pg_search") as store:
        with pytest.raises(OtherEmbedder):
            await ingest(store, Usurped(database_url), [markdown("a.md", PAYMENTS)])
        assert await store.counts() == (0, 0)


async def test_a_source_that_fails_stops_no_other(database_url: str) -> None:
    """Each failure is reported with its reason, by name."""
    sources = [
        markdown("good.md", PAYMENTS),
        Source("binary.md", bytes(range(256)) * 10),
        Source("empty.md", b""),
        Source("gone.md", Path("/nowhere/gone.md")),
        markdown("good.md", "# The same name again\n\nText."),
        markdown("last.md", PAYMENTS),
    ]
    seen: list[Progress] = []
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, BagOfWords(), sources, progress=seen.append)
        assert report.added == 2
        assert [each.source for each in report.failed] == [
            "binary.md", "empty.md", "gone.md", "good.md",
        ]  # fmt: skip
        assert all(each.reason.endswith(".") for each in report.failed)
        assert all(each.reason.startswith(f"{each.source} ") for each in report.failed)
        assert (await store.counts())[0] == 2
    assert [each.done for each in seen] == [1, 2, 3, 4, 5, 6]
    assert {each.total for each in seen} == {6}


async def test_documents_of_two_channels_may_share_a_name(database_url: str) -> None:
    """The identity is team, audience and source together."""
    sources = [
        markdown("a.md", PAYMENTS),
        markdown("a.md", PAYMENTS, team="T1", audience="C1"),
        markdown("a.md", PAYMENTS, team="T1", audience="C2"),
    ]
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, BagOfWords(), sources)
        assert report.added == 3
        seen = await store.search_keywords(["basket"], Filters(team="T1", audience="C1"))
        assert len(seen) == 2


async def test_an_embedder_that_is_down_ends_the_ingest(database_url: str) -> None:
    """After three failures in a row the rest isn't tried, and what was stored stays."""
    embedder = BagOfWords()
    async with open_store(database_url, "pg_search") as store:
        await ingest(store, embedder, [markdown("before.md", PAYMENTS)])
        embedder.down = True
        seen: list[Progress] = []
        with pytest.raises(EmbedderDown):
            await ingest(
                store,
                embedder,
                [markdown(f"{n}.md", PAYMENTS) for n in range(50)],
                progress=seen.append,
            )
        assert len(seen) < 5
        assert (await store.counts())[0] == 1


class Fails(BagOfWords):
    """An embedder that refuses some texts, or so many calls."""

    def __init__(self, *, word: str = "", calls: int = 0) -> None:
        super().__init__()
        self.word: str = word
        self.calls: int = calls

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors, unless it is time to fail."""
        if self.calls > 0:
            self.calls -= 1
            raise EmbedderDown("Not now.")
        if self.word and any(self.word in text for text in texts):
            raise EmbedderDown("Not this text.")
        return await super().embed_documents(texts)


async def test_a_passing_failure_costs_a_pause(database_url: str) -> None:
    """The call is made again, and nothing fails."""
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, Fails(calls=1), [markdown("a.md", PAYMENTS)])
        assert (report.added, report.failed) == (1, ())


async def test_a_text_the_embedder_refuses_fails_its_document_alone(database_url: str) -> None:
    """Documents share calls, and still only the one with the text is given up."""
    sources = [markdown(f"{n}.md", PAYMENTS) for n in range(5)]
    sources[2] = markdown("2.md", PAYMENTS + "\nA forbidden word.")
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, Fails(word="forbidden"), sources)
        assert [(each.source, each.reason) for each in report.failed] == [
            ("2.md", "2.md: Not this text.")
        ]
        assert report.added == 4


class Counting(BagOfWords):
    """An embedder that notes the sizes of its calls, and how many ran at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []
        self.running: int = 0
        self.most: int = 0

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors, after a moment in which others may come."""
        self.sizes.append(len(texts))
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.01)
        self.running -= 1
        return await super().embed_documents(texts)


async def test_calls_hold_chunks_of_many_documents(database_url: str) -> None:
    """A hundred small documents take a few calls, two at once at most."""
    embedder = Counting()
    sources = [markdown(f"{n}.md", f"# Number {n}\n\nText {n}.") for n in range(200)]
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, embedder, sources)
    assert report.added == sum(embedder.sizes) == 200
    assert len(embedder.sizes) <= 5
    assert embedder.most == 2


async def test_the_indexes_are_put_in_order_after_an_ingest_that_breaks_off(
    database_url: str,
) -> None:
    """What was stored before the embedder went down is searched at full speed."""
    embedder = Fails(word="down")
    sources = [markdown(f"{n}.md", f"# Number {n}\n\nText {n}.") for n in range(300)]
    sources += [markdown(f"x{n}.md", f"# Number {n}\n\nIt is down {n}.") for n in range(300)]
    async with open_store(database_url, "pg_search") as store:
        with pytest.raises(EmbedderDown):
            await ingest(store, embedder, sources)
        assert (await store.counts())[0] >= 200
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        cursor = await connection.execute(
            "SELECT reltuples FROM pg_class WHERE oid = 'corpus'::regclass"
        )
        row = await cursor.fetchone()
    assert row is not None
    assert row[0] >= 200


class Zeros(BagOfWords):
    """An embedder that gives vectors whose distance to anything is no number."""

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of zeros."""
        return [np.zeros(self.size, dtype=np.float32) for _ in texts]


async def test_a_document_the_database_refuses_fails_alone(database_url: str) -> None:
    """Documents are written together, and yet a bad one takes no other with it."""

    class Odd(BagOfWords):
        async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
            vectors = await super().embed_documents(texts)
            return [v[:3] if "Odd" in text else v for v, text in zip(vectors, texts, strict=True)]

    sources = [markdown(f"{name}.md", f"# {name}\n\nWords.") for name in ("A", "Odd", "B")]
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, Odd(), sources)
        assert (report.added, [each.source for each in report.failed]) == (2, ["Odd.md"])
        assert await store.counts() == (2, 2)


async def test_a_vector_of_zeros_is_not_stored(database_url: str) -> None:
    """Such a chunk could never be found by meaning, so the source fails."""
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, Zeros(), [markdown("a.md", PAYMENTS)])
        assert [each.source for each in report.failed] == ["a.md"]
        assert report.failed[0].reason.startswith("a.md: ")
        assert await store.counts() == (0, 0)


@both_engines
async def test_two_ingests_of_the_same_sources_at_once(database_url: str, engine: str) -> None:
    """Neither raises, and the corpus is as after one."""
    texts = [f"{PAYMENTS}\nNumber {n} with words {n * 7} and {n * 11}." for n in range(8)]
    async with open_store(database_url, engine) as store:
        async with asyncio.TaskGroup() as group:
            for version in ("one", "two", "three"):
                sources = [
                    markdown(f"doc{n}.md", f"{text}\n\nIn version {version}.")
                    for n, text in enumerate(texts)
                ]
                group.create_task(ingest(store, BagOfWords(), sources))
        last = [markdown(f"doc{n}.md", text) for n, text in enumerate(texts)]
        await ingest(store, BagOfWords(), last)
        alone = await store.counts()
        assert alone[0] == 8
        assert await store.search_keywords(["version"], Filters()) == []


async def test_prune_removes_what_vanished_from_a_folder(database_url: str, tmp_path: Path) -> None:
    """Not what merely failed, and nothing of another folder, channel, or given by itself."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for path in (ours / "kept.md", ours / "gone.md", ours / "broken.md", theirs / "other.md"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {path.stem}\n\nText.")
    (tmp_path / "alone.md").write_text("# Alone\n\nText.")
    private = await asyncio.to_thread(collect, [ours], Labels(team="T1", audience="C1"))
    everything = await asyncio.to_thread(collect, [ours, theirs, tmp_path / "alone.md"])
    async with open_store(database_url, "pg_search") as store:
        await ingest(store, BagOfWords(), private)
        await ingest(store, BagOfWords(), everything)
        assert (await store.counts())[0] == 8
        (ours / "gone.md").unlink()
        (ours / "broken.md").write_text("")
        again = await asyncio.to_thread(collect, [ours])
        untouched = await ingest(store, BagOfWords(), again)
        assert (untouched.removed, (await store.counts())[0]) == (0, 8)
        report = await ingest(store, BagOfWords(), again, prune=True)
        assert (report.removed, report.unchanged, len(report.failed)) == (1, 1, 1)
        assert (await store.counts())[0] == 7


async def test_a_document_belongs_to_the_folder_that_last_named_it(
    database_url: str, tmp_path: Path
) -> None:
    """A folder that moved takes its documents along, unchanged; the old path prunes nothing."""
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "a.md").write_text(PAYMENTS)
    (old / "b.md").write_text(PAYMENTS)
    embedder = BagOfWords()
    async with open_store(database_url, "pg_search") as store:
        await ingest(store, embedder, await asyncio.to_thread(collect, [old]))
        embedder.embedded.clear()
        moved = await ingest(store, embedder, await asyncio.to_thread(collect, [new]), prune=True)
        assert (moved.unchanged, moved.taken_over, moved.removed) == (1, 1, 0)
        assert embedder.embedded == []
        (old / "a.md").unlink()
        report = await ingest(store, embedder, await asyncio.to_thread(collect, [old]), prune=True)
        assert (report.unchanged, report.removed) == (1, 0)
        assert (await store.counts())[0] == 2


async def test_a_named_collection_survives_a_change_of_path(
    database_url: str, tmp_path: Path
) -> None:
    """A checkout somewhere else prunes what it lacks, under the same name."""
    first, second = tmp_path / "1", tmp_path / "2"
    for folder, names in ((first, ("a.md", "b.md")), (second, ("a.md",))):
        folder.mkdir()
        for name in names:
            (folder / name).write_text(f"# {name}\n\nText.")
    async with open_store(database_url, "pg_search") as store:
        for folder in (first, second):
            found = await asyncio.to_thread(collect, [folder], collection="runbooks")
            report = await ingest(store, BagOfWords(), found, prune=True)
        assert (report.unchanged, report.taken_over, report.removed) == (1, 0, 1)


def test_the_report_is_plain_json() -> None:
    """What the CLI prints holds every field."""
    value = json.loads(json.dumps(IngestReport(added=1, seconds=0.12345).to_json()))
    assert value["added"] == 1
    assert value["seconds"] == 0.123
    assert value["failed"] == []


def test_a_missing_path_is_told(tmp_path: Path) -> None:
    """Before anything is ingested."""
    with pytest.raises(UnreadableDocument, match=r"no file or folder .*nowhere: check the path"):
        collect([tmp_path, tmp_path / "nowhere"])
