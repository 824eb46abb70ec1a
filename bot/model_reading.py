"""One answer of a chat server while it comes: a stream, or JSON in spite of what was asked.

Bounded in time by phases, in pieces and in bytes. Only a whole answer counts.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.model_answer import Gathered
from bot.sse import Events
from retrieval.endpoint import Endpoint, EndpointFailed, read_json

__all__ = ["Limits", "Reading"]

_AFTER_THE_END: Final = 0.2  # seconds for a connection to end well and be used again
_MOST_BYTES: Final = 8_000_000  # of one answer
_DONE: Final = object()


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for a completion with its repeats, until something is said, and until more is."""

    whole: float
    first_token: float
    between_tokens: float


class Reading:
    """One answer while it comes. `cut` when more came than was asked for."""

    def __init__(self, endpoint: Endpoint, most_pieces: int) -> None:
        self.answer: Gathered = Gathered()
        self.first_at: float | None = None
        self.cut: bool = False
        self._endpoint: Endpoint = endpoint
        self._most_pieces: int = most_pieces
        self._done: bool = False
        self._others: bytearray = bytearray()  # bytes before any event: perhaps plain JSON

    async def read(self, body: Mapping[str, Any], limits: Limits, deadline: float) -> None:
        """Post the request and read the answer to its end.

        Raises:
            EndpointFailed: nothing whole came in time.
        """
        now = asyncio.get_running_loop().time
        # What doesn't stream says nothing until it has said all.
        first = limits.first_token if "stream" in body else limits.whole
        try:
            async with (
                asyncio.timeout_at(min(now() + first, deadline)) as limit,
                self._endpoint.stream(body) as pieces,
            ):
                events, size = Events(), 0
                async for piece in pieces:
                    size += len(piece)
                    if not self.answer.pieces:
                        self._others += piece
                    if await self._take(events.feed(piece)):
                        limit.reschedule(min(now() + limits.between_tokens, deadline))
                    if self._done:
                        limit.reschedule(now() + _AFTER_THE_END)
                    self.cut = size > _MOST_BYTES or self.answer.pieces > self._most_pieces
                    if self.cut:
                        break
                await self._take(events.end())
        except TimeoutError as error:
            if not self._done:
                raise self._late(limits, first, over=now() >= deadline) from error
        await self._judge()

    async def _take(self, events: Sequence[bytes]) -> bool:
        """Take events; tells whether one of them held something said."""
        said = False
        for chunk in [chunk for data in events for chunk in await _chunks(data)]:
            if chunk is _DONE:
                self._done = True
                continue
            if not isinstance(chunk, dict):
                raise self._broken("answers what can't be read")
            if chunk.get("error"):
                raise self._endpoint.failed(chunk)
            said = self.answer.add(chunk) or said
        if said and self.first_at is None:
            self.first_at = time.perf_counter()
        return said

    async def _judge(self) -> None:
        """See that the answer is whole."""
        if self.cut and self.answer.pieces:
            return
        if self.answer.is_empty and not self._done:
            whole = await read_json(bytes(self._others))
            if not isinstance(whole, dict):
                raise self._endpoint.no_json()
            if whole.get("error") or "choices" not in whole:
                raise self._endpoint.failed(whole)
            self.answer.add(whole)
            return
        # An answer that breaks off may hold half a command.
        if not self._done and not self.answer.is_whole:
            raise self._broken("broke off its answer")

    def _broken(self, what: str) -> EndpointFailed:
        return EndpointFailed(f"{self._endpoint.who} {what}: see its log.", passing=True)

    def _late(self, limits: Limits, first: float, *, over: bool) -> EndpointFailed:
        if over:
            waited = f"didn't finish within {limits.whole:g} s"
        elif self.first_at is None:
            waited = f"said nothing within {first:g} s"
        else:
            waited = f"fell silent for {limits.between_tokens:g} s"
        return EndpointFailed(
            f"{self._endpoint.who} {waited}: see what keeps it, or raise FOOTNOTE_MODEL_TIMEOUT.",
            passing=True,
        )


async def _chunks(data: bytes) -> list[Any]:
    """Return the values of an event; some servers forget the empty line between two."""
    value = await _value(data)
    if value is not None or b"\n" not in data:
        return [value]
    return [await _value(line) for line in data.split(b"\n")]


async def _value(data: bytes) -> Any:
    return _DONE if data.strip() == b"[DONE]" else await read_json(data)
