"""The bundled embedder: the right vectors, off the event loop, for any text."""

import asyncio
import hashlib
import time
from pathlib import Path

import numpy as np
import pytest
from blockbuster import blockbuster_ctx

from retrieval.embedding import BUNDLED_NAME, BUNDLED_SIZE, Embedder, bundled_embedder
from retrieval.errors import EmbedderDown, WeightsDamaged
from retrieval.weights import MINILM_MODEL, MINILM_TOKENIZER, WeightFile, read_weights

LONG = "The queue consumer is lagging behind its producers. " * 60


async def test_vectors_are_unit_length_and_tell_meanings_apart() -> None:
    """A question is nearer to the text that answers it than to one about something else."""
    async with bundled_embedder() as embedder:
        assert (embedder.name, embedder.size) == (BUNDLED_NAME, BUNDLED_SIZE)
        query = await embedder.embed_query("why is the disk full?")
        near, far = await embedder.embed_documents(
            ["The volume has run out of free space.", "Invoices are mailed on Mondays."]
        )
    assert query.shape == (384,)
    assert query.dtype == np.float32
    assert np.linalg.norm(query) == pytest.approx(1.0, abs=1e-5)
    assert query @ near > query @ far + 0.2


async def test_similarities_are_those_of_the_published_model() -> None:
    """The model, its tokenizer and the pooling belong together: known cosines come out."""
    async with bundled_embedder() as embedder:
        weather, sunny, stadium = await embedder.embed_documents(
            ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
        )
    # The fp32 model's numbers, from the quickstart of sentence-transformers.
    assert float(weather @ sunny) == pytest.approx(0.6660, abs=0.03)
    assert float(weather @ stadium) == pytest.approx(0.1046, abs=0.03)
    assert float(sunny @ stadium) == pytest.approx(0.1411, abs=0.03)


@pytest.mark.parametrize(
    "text",
    ["", "  \n\t ", "\0", "a\0b", "\ud800", "\udfff x \ud83d", "x" * 100_000, "日本語の障害" * 5000,
     " " * 100_000, "💥" * 3000],
    ids=["empty", "blank", "nul", "nul-inside", "surrogate", "surrogates", "long-word", "cjk",
         "long-blank", "emoji"],
)  # fmt: skip
async def test_any_text_has_a_vector(text: str) -> None:
    """Whatever was pasted gets a finite vector of length 1, as query and as document."""
    async with bundled_embedder() as embedder:
        vectors = [await embedder.embed_query(text), *await embedder.embed_documents([text])]
    for vector in vectors:
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


async def test_order_is_kept_and_a_text_has_one_vector() -> None:
    """Vectors come in the order of the texts and don't depend on what is beside them."""
    texts = [f"service number {number} is down" for number in range(12)]
    async with bundled_embedder() as embedder:
        together = await embedder.embed_documents(texts)
        alone = [await embedder.embed_query(text) for text in texts]
        assert await embedder.embed_documents([]) == []
    for a, b in zip(together, alone, strict=True):
        assert np.allclose(a, b, atol=1e-6)


async def test_nothing_blocks_the_event_loop() -> None:
    """Loading, embedding and closing leave the loop free."""
    with blockbuster_ctx():
        async with bundled_embedder() as embedder:
            longest = 0.0

            async def watch() -> None:
                nonlocal longest
                while True:
                    before = time.perf_counter()
                    await asyncio.sleep(0.005)
                    longest = max(longest, time.perf_counter() - before)

            async with asyncio.TaskGroup() as group:
                watcher = group.create_task(watch())
                await embedder.embed_documents([LONG] * 6)
                watcher.cancel()
    assert 0 < longest < 0.15


async def test_a_query_does_not_wait_behind_an_ingest() -> None:
    """A question is embedded while a long batch is still running."""
    async with bundled_embedder() as embedder:
        done: list[str] = []

        async def ingest(embedder: Embedder) -> None:
            await embedder.embed_documents([LONG] * 20)
            done.append("batch")

        async with asyncio.TaskGroup() as group:
            group.create_task(ingest(embedder))
            await asyncio.sleep(0.05)
            await embedder.embed_query("who is on call?")
            done.append("query")
    assert done == ["query", "batch"]


async def test_cancelling_a_batch_drops_what_waits() -> None:
    """A cancelled batch frees the embedder at once: the next one isn't behind it."""
    async with bundled_embedder() as embedder:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await embedder.embed_documents([LONG] * 200)
        before = time.perf_counter()
        await embedder.embed_documents(["short"])
        assert time.perf_counter() - before < 2


async def test_closing_drops_the_queue_with_a_clear_error() -> None:
    """Closing under load ends quickly; whoever waited is told that the embedder is down."""
    async with asyncio.TaskGroup() as group:
        async with bundled_embedder() as embedder:
            waiting = group.create_task(_failure(embedder, [LONG] * 200))
            await asyncio.sleep(0.05)
            before = time.perf_counter()
        assert time.perf_counter() - before < 2
        assert "stopped" in await waiting
        assert "failed" in await _failure(embedder, ["after the end"])


async def _failure(embedder: Embedder, texts: list[str]) -> str:
    with pytest.raises(EmbedderDown) as caught:
        await embedder.embed_documents(texts)
    return str(caught.value)


def _package(folder: Path, content: bytes) -> None:
    (folder / "weights_of_a_test").mkdir()
    (folder / "weights_of_a_test/__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "weights_of_a_test/model.bin").write_bytes(content)


def test_weights_are_checked_and_their_package_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right bytes are handed out; a changed file is refused with what to reinstall."""
    monkeypatch.syspath_prepend(tmp_path)
    _package(tmp_path, b"weights")
    digest = hashlib.sha256(b"weights").hexdigest()
    good = WeightFile("weights_of_a_test", "model.bin", "weights==1.0", digest)
    assert read_weights(good) == b"weights"
    (tmp_path / "weights_of_a_test/model.bin").write_bytes(b"weighty")
    with pytest.raises(WeightsDamaged, match=r"is damaged .* reinstall weights==1\.0"):
        read_weights(good)
    (tmp_path / "weights_of_a_test/model.bin").unlink()
    with pytest.raises(WeightsDamaged, match=r"can't be read: reinstall weights==1\.0"):
        read_weights(good)


def test_a_missing_package_is_named() -> None:
    """Without the weights' package the sentence says what to install."""
    with pytest.raises(WeightsDamaged, match=r"install weights==1\.0"):
        read_weights(WeightFile("no_such_package_here", "model.bin", "weights==1.0", "00"))


def test_the_bundled_files_are_the_ones_tried() -> None:
    """Both files of the model are installed and have the recorded hashes."""
    assert len(read_weights(MINILM_MODEL)) > 20_000_000
    assert len(read_weights(MINILM_TOKENIZER)) > 400_000
