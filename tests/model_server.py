"""A server of models on loopback, for tests: right by itself, wrong as it is told.

It speaks `/v1/embeddings`, `/v1/rerank` and text-embeddings-inference's `/rerank`. Vectors are
those of `BagOfWords`, scores the number of the query's words in a text. It remembers all it was
asked, and each `Fault` spoils one answer.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.on_loopback import served
from tests.retrieval.bag_of_words import SIZE, vector_of


@dataclass(frozen=True)
class Fault:
    """What is wrong with one answer: another status or body, a twist of the right one, none."""

    status: int = 200
    body: Any = None
    raw: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    twist: Callable[[Any], Any] | None = None
    drop: bool = False
    until: asyncio.Event | None = None
    arrived: asyncio.Event | None = None


@dataclass
class ModelServer:
    """Its limits and faults may be changed while it runs."""

    size: int = SIZE
    key: str | None = None
    most_texts: int | None = None
    longest: int | None = None
    too_long: Fault = field(default_factory=lambda: Fault(413, {"error": "inputs too long"}))
    faults: deque[Fault] = field(default_factory=deque)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    pause: float = 0
    at_once: int = 0
    most_at_once: int = 0
    url: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        body = await request.json()
        self.asked.append((request.path, body))
        self.headers.append(request.headers)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._answer(request, body, self._fault(body))
        finally:
            self.at_once -= 1

    def _fault(self, body: Any) -> Fault | None:
        if self.faults:
            return self.faults.popleft()
        texts = body.get("input") or body.get("documents") or body.get("texts") or []
        if self.most_texts is not None and len(texts) > self.most_texts:
            return self.too_long
        if self.longest is not None and max(map(len, texts), default=0) > self.longest:
            return self.too_long
        return None

    async def _answer(
        self, request: web.Request, body: Any, fault: Fault | None
    ) -> web.StreamResponse:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            wrong = request.headers.get("authorization", "")
            return web.json_response({"error": {"message": f"wrong key {wrong}"}}, status=401)
        await asyncio.sleep(self.pause)
        if fault is None:
            return web.json_response(self._right(request.path, body))
        if fault.arrived is not None:
            fault.arrived.set()
        if fault.until is not None:
            await fault.until.wait()
        if fault.drop:
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        text = fault.raw
        if text is None:
            right = self._right(request.path, body) if fault.body is None else fault.body
            text = json.dumps(fault.twist(right) if fault.twist else right)
        return web.Response(
            text=text,
            status=fault.status,
            headers=fault.headers,
            content_type="application/json",
        )

    def _right(self, path: str, body: Any) -> Any:
        if path.endswith("embeddings"):
            data = [
                {
                    "object": "embedding",
                    "index": index,
                    # Not of length 1: not all servers normalise.
                    "embedding": (vector_of(text)[: self.size] * 7).tolist(),
                }
                for index, text in enumerate(body["input"])
            ]
            return {"object": "list", "model": body["model"], "data": data}
        wanted = set(body["query"].lower().split())
        texts = body["texts"] if path == "/rerank" else body["documents"]
        scores = [float(len(wanted & set(text.lower().split()))) - 2.5 for text in texts]
        order = sorted(range(len(texts)), key=lambda place: -scores[place])
        if path == "/rerank":
            return [{"index": place, "score": scores[place]} for place in order]
        return {"results": [{"index": place, "relevance_score": scores[place]} for place in order]}


@asynccontextmanager
async def model_server() -> AsyncGenerator[ModelServer]:
    """Run a server on a free port."""
    server = ModelServer()
    paths = "/v1/embeddings", "/api/embeddings", "/rerank", "/v1/rerank"
    async with served(server.answer, *paths) as server.url:
        yield server
