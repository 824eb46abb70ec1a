"""A chat model's server on loopback, for tests: it says what it is told to, well or badly.

    async with chat_server() as server:
        server.calls("search", {"query": "rollback"})
        server.says("Roll back with `deployctl`. [S1a]")

Answers are used up in order; without one left, `server.by` makes it of the request's messages. A
`Reply` may be wrong in each way that servers are. Everything asked is in `server.asked`, with
`gone` set once the client has left before the end, and the `port` of its connection.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from aiohttp import web

from tests.on_loopback import served

__all__ = ["Asked", "ChatServer", "Reply", "chat_server"]

USAGE: Mapping[str, int] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True)
class Reply:
    """One answer. What isn't set is right.

    `events` are the stream's chunks instead of those of text and calls; `raw` the bytes instead
    of everything. The bytes go out in pieces of `cut`; after `dies_after` bytes the connection
    breaks, after `holds_after` bytes (0: before the status) it waits until `until` is set. An
    `endless` one says all again and again, with a `pause` in between.
    """

    text: str | None = None
    calls: tuple[Mapping[str, Any], ...] = ()
    reasoning: str | None = None
    finish: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: USAGE)
    done: bool = True
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    events: Sequence[Any] | None = None
    raw: bytes | None = None
    content_type: str | None = None
    stream: bool | None = None
    cut: int | None = None
    dies_after: int | None = None
    holds_after: int = 0
    until: asyncio.Event | None = None
    endless: bool = False
    pause: float = 0

    def _finish(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")

    def whole(self, model: str) -> Any:
        """The answer to a request without a stream."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.calls:
            message["tool_calls"] = list(self.calls)
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        choice = {"index": 0, "message": message, "finish_reason": self._finish()}
        usage = {} if self.usage is None else {"usage": self.usage}
        return {"id": "chatcmpl-1", "object": "chat.completion", "model": model} | {
            "choices": [choice],
            **usage,
        }

    def chunks(self, model: str, *, with_usage: bool) -> list[Any]:
        """The chunks of a stream, as OpenAI sends them: text word by word."""
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"reasoning_content": word} for word in pieces(self.reasoning or "")]
        deltas += [{"content": word} for word in pieces(self.text or "")]
        for index, call in enumerate(self.calls):
            function = call["function"]
            head = {**call, "function": {**function, "arguments": ""}}
            deltas.append({"tool_calls": [{"index": index, **head}]})
            deltas += [
                {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
                for piece in pieces(function["arguments"])
            ]
        choices: list[Any] = [
            {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
        ]
        choices.append({"index": 0, "delta": {}, "finish_reason": self._finish()})
        common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model}
        chunks: list[Any] = [{**common, "choices": [choice]} for choice in choices]
        if with_usage and self.usage is not None:
            chunks.append({**common, "choices": [], "usage": self.usage})
        return chunks


@dataclass
class Asked:
    """One request. `gone` is set when the client left before it had the whole answer."""

    path: str
    body: Any
    headers: Mapping[str, str]
    port: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def messages(self) -> list[Any]:
        """The conversation."""
        return self.body["messages"]

    @property
    def said(self) -> str:
        """The text of the last message."""
        return self.messages[-1]["content"]


type Script = Callable[[list[Any]], Reply | str]


@dataclass
class ChatServer:
    """What it shall answer may be changed while it runs."""

    url: str = ""
    key: str | None = None
    by: Script | None = None
    script: deque[Reply] = field(default_factory=deque)
    asked: list[Asked] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    refuses: Callable[[Any], Reply | None] = field(default=lambda _body: None)

    def says(self, text: str, **more: Any) -> None:
        """Answer the next request with a text."""
        self.script.append(Reply(text, **more))

    def calls(self, name: str, arguments: Mapping[str, Any] | str, **more: Any) -> None:
        """Answer the next request with a tool call; a string is sent as it is."""
        self.script.append(Reply(calls=(tool_call(name, arguments),), **more))

    def fails(self, status: int, body: Any = None, **headers: str) -> None:
        """Answer the next request with an error; `retry_after="1"` is a header."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.script.append(Reply(status=status, body=body or {"error": "no"}, headers=named))

    def replies(self, *replies: Reply) -> None:
        """Answer the next requests with these."""
        self.script.extend(replies)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        assert request.transport is not None
        _, port = request.transport.get_extra_info("peername")
        asked = Asked(request.path, await request.json(), request.headers, port)
        self.asked.append(asked)
        self.arrived.set()
        try:
            return await self._answer(request, asked.body)
        except (asyncio.CancelledError, ConnectionError):
            asked.gone.set()
            raise

    def _reply(self, request: web.Request, body: Any) -> Reply:
        given = request.headers.get("authorization")
        if self.key and given != f"Bearer {self.key}":
            return Reply(status=401, body={"error": {"message": f"wrong key {given}"}})
        refused = self.refuses(body)
        if refused is not None:
            return refused
        if self.script:
            return self.script.popleft()
        if self.by is not None:
            made = self.by(body["messages"])
            return Reply(made) if isinstance(made, str) else made
        return Reply(status=400, body={"error": "the test's script has no answer left"})

    async def _answer(self, request: web.Request, body: Any) -> web.StreamResponse:
        reply = self._reply(request, body)
        if reply.until is not None and reply.holds_after == 0:
            await reply.until.wait()
        content, content_type = _content(reply, body)
        response = web.StreamResponse(status=reply.status, headers=reply.headers)
        response.content_type = reply.content_type or content_type
        await response.prepare(request)
        sent = 0
        while True:
            for piece in _cut(content, reply):
                await response.write(piece)
                sent += len(piece)
                if sent == reply.dies_after:
                    assert request.transport is not None
                    request.transport.abort()
                    return response
                if reply.until is not None and sent == reply.holds_after:
                    await reply.until.wait()
            if not reply.endless:
                break
            await asyncio.sleep(reply.pause)
        await response.write_eof()
        return response


def tool_call(
    name: str, arguments: Mapping[str, Any] | str, identifier: str | None = "call_1"
) -> Mapping[str, Any]:
    """A call in OpenAI's form; with None it has no id."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    named = {} if identifier is None else {"id": identifier}
    return {**named, "type": "function", "function": {"name": name, "arguments": text}}


def pieces(text: str) -> list[str]:
    """A text in pieces that end within its words, as tokens do."""
    return [text[start : start + 4] for start in range(0, len(text), 4)]


def event(data: Any) -> bytes:
    """One event of a stream; a string is sent as it is."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def delta(finish: str | None = None, **fields: Any) -> Any:
    """A chunk of a stream with this delta."""
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def _content(reply: Reply, body: Any) -> tuple[bytes, str]:
    if reply.raw is not None:
        return reply.raw, "text/event-stream"
    if reply.body is not None:
        return json.dumps(reply.body).encode(), "application/json"
    streams = reply.stream if reply.stream is not None else bool(body.get("stream"))
    if not streams:
        return json.dumps(reply.whole(body.get("model", ""))).encode(), "application/json"
    with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
    chunks = reply.events
    if chunks is None:
        chunks = reply.chunks(body.get("model", ""), with_usage=with_usage)
    content = b"".join(map(event, chunks)) + (event("[DONE]") if reply.done else b"")
    return content, "text/event-stream"


def _cut(content: bytes, reply: Reply) -> list[bytes]:
    """Cut at every `cut` bytes, and where something happens."""
    step = reply.cut or len(content) or 1
    places = {*range(0, len(content), step), len(content)}
    places |= {at for at in (reply.dies_after, reply.holds_after) if at and at <= len(content)}
    edges = sorted(places)
    return [content[a:b] for a, b in pairwise(edges)]


@asynccontextmanager
async def chat_server() -> AsyncGenerator[ChatServer]:
    """Run a server on a free port."""
    server = ChatServer()
    paths = "/v1/chat/completions", "/api/chat/completions"
    async with served(server.answer, *paths) as server.url:
        yield server
