"""A chat model on one or several servers that speak OpenAI's `/v1/chat/completions`.

The servers are asked in their order; one that fails rests for a while, longer each time, and is
asked before its rest is over only when no other is left. No part of an answer is used before all
of it is there, so that an answer that breaks off is simply asked for again.
"""

import asyncio
import heapq
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from bot.model import (
    Assistant,
    ChatMessage,
    Completion,
    ContextOverflow,
    ModelDown,
    ModelRefused,
    ToolSpec,
)
from bot.model_dialect import Dialect, overflows
from bot.model_reading import Limits, Reading
from bot.model_request import request
from retrieval.endpoint import Endpoint, EndpointFailed, open_endpoint

__all__ = ["ChatServers", "HttpModel", "http_model"]

_LOG = structlog.get_logger("footnote.model")

_VARIABLES: Final = "FOOTNOTE_MODEL"
_ATTEMPTS: Final = 3  # at one server, in one completion
_FIRST_PAUSE: Final = 0.2  # seconds, doubling
_FIRST_REST: Final = 5.0  # seconds, doubling
_LONGEST_REST: Final = 300.0
_SLACK: Final = 64  # pieces above the tokens asked for

_PAID_OUT: Final = "insufficient_quota"  # with the status of a rate limit, and no end


@dataclass(frozen=True, slots=True)
class ChatServers:
    """Where the model is, in order of preference, and how it is asked. Times are in seconds.

    `timeout` bounds a whole completion, repeats included; `first_token` (by default the whole
    time at a single server, else half of it) and `between_tokens` a server's silence.
    """

    urls: tuple[str, ...]
    model: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    first_token: float | None = None
    between_tokens: float = 20.0
    max_tokens: int = 2048
    temperature: float = 0.0


class _Server:
    """One of the servers, with what is known of it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint: Endpoint = endpoint
        self.dialect: Dialect = Dialect()
        self.rests_until: float = 0.0
        self._failures: int = 0

    def failed(self, now: float, retry_after: float | None) -> None:
        rest = min(_FIRST_REST * 2.0**self._failures, _LONGEST_REST)
        self._failures = min(self._failures + 1, 16)
        self.rests_until = now + max(rest, min(retry_after or 0.0, _LONGEST_REST))

    def works(self) -> None:
        self.rests_until, self._failures = 0.0, 0


@dataclass(order=True)
class _Turn:
    """When a server may be asked, for the how-manieth time; those in good health first."""

    at: float
    resting: bool
    place: int
    attempt: int = field(default=1, compare=False)


class HttpModel:
    """A `Model` over HTTP, made by `http_model`. `clock` is the time that rests are counted in."""

    def __init__(
        self, servers: ChatServers, endpoints: Sequence[Endpoint], clock: Callable[[], float]
    ) -> None:
        self._config: ChatServers = servers
        self._servers: list[_Server] = [_Server(endpoint) for endpoint in endpoints]
        self._clock: Callable[[], float] = clock
        share = servers.timeout / 2 if len(endpoints) > 1 else servers.timeout
        self._limits: Limits = Limits(
            servers.timeout, servers.first_token or share, servers.between_tokens
        )

    @property
    def name(self) -> str:
        """The model's name, as it is set."""
        return self._config.model

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] = (),
        *,
        max_tokens: int | None = None,
    ) -> Completion:
        """Return what the model says next; `Model` says what is raised.

        The text may be empty: some models end so after their reasoning.
        """
        asked = _Asked(messages, tools, max_tokens or self._config.max_tokens)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._config.timeout
        turns = self._turns(loop.time())
        failures: dict[int, EndpointFailed] = {}
        while turns and (turn := heapq.heappop(turns)).at < deadline:
            await asyncio.sleep(max(0.0, turn.at - loop.time()))
            server = self._servers[turn.place]
            try:
                completion = await self._ask(server, asked, deadline)
            except EndpointFailed as failure:
                failures[turn.place] = failure
                self._note(server, failure)
                if failure.passing and turn.attempt < _ATTEMPTS:
                    heapq.heappush(turns, _again(turn, failure, loop.time()))
                continue
            server.works()
            return completion
        raise _outcome(failures)

    def _turns(self, now: float) -> list[_Turn]:
        resting = [server.rests_until > self._clock() for server in self._servers]
        return sorted(_Turn(now, rests, place) for place, rests in enumerate(resting))

    def _note(self, server: _Server, failure: EndpointFailed) -> None:
        status = failure.complaint.status
        _LOG.warning("model_failed", server=server.endpoint.place, status=status)
        # A request that is refused as it is says nothing against the server.
        if failure.passing or status not in {400, 413, 422}:
            server.failed(self._clock(), failure.retry_after)

    async def _ask(self, server: _Server, asked: "_Asked", deadline: float) -> Completion:
        """Ask one server; what it refuses by name is left out, once each, and remembered."""
        while True:
            dialect = server.dialect
            body = request(
                dialect,
                self._config.model,
                asked.messages,
                asked.tools,
                max_tokens=asked.max_tokens,
                temperature=self._config.temperature,
            )
            try:
                return await self._once(server, asked, body, deadline)
            except EndpointFailed as failure:
                complaint = failure.complaint
                if overflows(complaint):
                    raise ContextOverflow(
                        f"{server.endpoint.who} can't read as much: load it with a longer context, "
                        f"or lower {_VARIABLES}_CONTEXT."
                    ) from failure
                if _PAID_OUT in complaint.names:
                    failure.passing = False
                less = None
                if complaint.status not in {401, 403, 404, 429}:
                    less = dialect.without(body, " ".join((*complaint.names, complaint.words)))
                if less is None:
                    raise
                _LOG.info("model_asked_for_less", server=server.endpoint.place, dialect=str(less))
                server.dialect = less

    async def _once(
        self, server: _Server, asked: "_Asked", body: dict[str, Any], deadline: float
    ) -> Completion:
        reading = Reading(server.endpoint, 2 * asked.max_tokens + _SLACK)
        began = time.perf_counter()
        await reading.read(body, self._limits, deadline)
        ended = time.perf_counter()
        answer = reading.answer
        first = reading.first_at
        return Completion(
            text=answer.text(),
            calls=answer.calls(asked.known_ids),
            finish=answer.finish(cut=reading.cut),
            usage=answer.usage([body["messages"], body.get("tools")]),
            server=server.endpoint.place,
            model=answer.model or self._config.model,
            milliseconds=(ended - began) * 1000,
            first_token_ms=None if first is None else (first - began) * 1000,
        )


@dataclass(frozen=True)
class _Asked:
    messages: Sequence[ChatMessage]
    tools: Sequence[ToolSpec]
    max_tokens: int

    @property
    def known_ids(self) -> frozenset[str]:
        said = (message for message in self.messages if isinstance(message, Assistant))
        return frozenset(call.id for message in said for call in message.calls)


@asynccontextmanager
async def http_model(
    servers: ChatServers, *, clock: Callable[[], float] = time.monotonic
) -> AsyncGenerator[HttpModel]:
    """Open a model; its servers are asked nothing before the first completion."""
    async with AsyncExitStack() as stack:
        endpoints = [
            await stack.enter_async_context(
                open_endpoint(
                    url,
                    "/v1/chat/completions",
                    api_key=servers.api_key,
                    who="The chat model",
                    variables=_VARIABLES,
                    naming=_VARIABLES,
                )
            )
            for url in servers.urls
        ]
        yield HttpModel(servers, endpoints, clock)


def _again(turn: _Turn, failure: EndpointFailed, now: float) -> _Turn:
    pause = failure.retry_after
    if pause is None:
        pause = _FIRST_PAUSE * 2.0 ** (turn.attempt - 1)
    return _Turn(now + pause, turn.resting, turn.place, turn.attempt + 1)


def _outcome(failures: dict[int, EndpointFailed]) -> ModelDown | ModelRefused:
    """Return what all servers' failures come to; the sentences are in the servers' order."""
    sentence = " ".join(str(failures[place]) for place in sorted(failures))
    passing = any(failure.passing for failure in failures.values())
    told = (failures[place].complaint.status for place in sorted(failures))
    statuses = tuple(status for status in told if status is not None)
    return ModelDown(sentence, statuses) if passing else ModelRefused(sentence, statuses)
