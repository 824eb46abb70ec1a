"""Our clients on llama.cpp's own server: `make wire` installs it apart and runs this.

Left out of `make test`, whose locks would grow by 127 MB for one server's form of an answer; what
was seen here is in the faults of `tests/model_server.py`.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from bot.model import ContextOverflow, System, ToolSpec, User
from bot.model_http import ChatServers, http_model
from retrieval.documents import Passage
from retrieval.embedding_http import EmbeddingServer, http_embedder
from retrieval.errors import EmbedderDown, RerankerDown
from retrieval.rerank_http import RerankingServer, RerankShape, http_reranker

PYTHON = Path(__file__).parents[2] / ".tools/wire/bin/python"
LONG = "the disk of the node is full, remove old images. " * 120

pytestmark = [
    pytest.mark.skipif(not PYTHON.exists(), reason="only with `make wire`, which installs it"),
    pytest.mark.timeout(300),
]


@asynccontextmanager
async def llama_cpp(kind: str) -> AsyncGenerator[str]:
    """The address of a server, once it listens."""
    process = await asyncio.create_subprocess_exec(
        PYTHON,
        Path(__file__).parent / "serve.py",
        kind,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(120):
            told = [line.split()[1] async for line in _until_told(process.stdout)]
        assert told, "the server ended at its start"
        yield told[-1].decode()
    finally:
        process.stdin.close()
        await process.wait()


async def _until_told(lines: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    async for line in lines:
        if line.startswith(b"address "):
            yield line
            return


def passage(text: str) -> Passage:
    """A passage that says no more than this."""
    return Passage(text, text, text, text, "", "", None, "", "", None, text)


async def test_embeddings() -> None:
    """576 dimensions, order kept, empty and long texts embedded; no reranker there."""
    async with llama_cpp("embed") as url:
        async with http_embedder(EmbeddingServer(url, "smollm2", batch=4, timeout=60)) as embedder:
            assert embedder.size == 576
            texts = ["the disk is full", "", LONG, "invoices go out on mondays", "x" * 5_000]
            together = await embedder.embed_documents(texts)
            alone = [await embedder.embed_query(text) for text in texts]
            for a, b in zip(together, alone, strict=True):
                assert a.shape == (576,)
                assert np.linalg.norm(a) == pytest.approx(1.0, abs=1e-5)
                assert a @ b > 0.99
        async with http_reranker(RerankingServer(url, timeout=60)) as reranker:
            with pytest.raises(RerankerDown, match=r"HTTP 501.*--reranking"):
                await reranker.rerank("disk", [passage("disk")])


@pytest.mark.parametrize("shape", ["jina", "tei"])
async def test_rerank(shape: RerankShape) -> None:
    """Both shapes score every passage, as logits; its vectors of zeros are refused."""
    async with llama_cpp("rerank") as url:
        found = [passage("the disk is full"), passage("invoices go out"), passage("disk")]
        async with http_reranker(RerankingServer(url, shape, timeout=60)) as reranker:
            ordered = await reranker.rerank("disk full", found)
            scores = [each.rerank_score for each in ordered if each.rerank_score is not None]
            assert len(scores) == 3
            assert scores == sorted(scores, reverse=True)
            assert min(scores) < 0
            assert len(await reranker.rerank("disk full", [*found, passage(LONG)])) == 4
        with pytest.raises(EmbedderDown, match="zeros"):
            async with http_embedder(EmbeddingServer(url, "smollm2", timeout=60)):
                pass


async def test_chat() -> None:
    """A stream with its usage, with tools offered, cut short; too long a conversation is told."""
    look = ToolSpec(
        "search",
        "Search the runbooks.",
        {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    )
    asked = [System("You answer in one sentence."), User("What does a reverse proxy do?")]
    async with (
        llama_cpp("chat") as url,
        http_model(ChatServers((url,), "smollm2", timeout=120)) as model,
    ):
        said = await model.complete(asked, max_tokens=40)
        assert len(said.text) > 10
        assert not said.usage.estimated
        assert said.usage.prompt_tokens > 10
        assert 0 < said.usage.completion_tokens <= 40
        assert said.first_token_ms is not None
        assert said.first_token_ms < said.milliseconds
        cut = await model.complete(asked, max_tokens=3)
        assert (cut.finish, cut.usage.completion_tokens) == ("length", 3)
        offered = await model.complete(asked, [look], max_tokens=40)
        assert offered.text or offered.calls
        with pytest.raises(ContextOverflow):
            await model.complete([User(LONG * 4)], max_tokens=10)
