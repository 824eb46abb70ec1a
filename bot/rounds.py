"""One round of tool calls: made together, each ending in words for the model."""

import asyncio
import time
from collections.abc import Sequence

from bot.model import ToolCall
from bot.prompts import prompt
from bot.record import Record
from bot.steps import tool_step
from bot.talk import Given, Talk
from bot.tools import Context, Registry, Result, ToolFailed, TryAgain
from bot.untrusted import block
from bot.window import Entry
from retrieval.documents import Filters, SearchResult
from retrieval.errors import RetrievalError

__all__ = ["Rounds"]

_MOST_CALLS = 8  # in one round


class Rounds:
    """The rounds of one turn: they know which calls were made before."""

    def __init__(
        self, tools: Registry, record: Record, filters: Filters, zone: str = "UTC"
    ) -> None:
        self._tools: Registry = tools
        self._record: Record = record
        self._filters: Filters = filters
        self._zone: str = zone
        self._made: set[str] = set()

    async def run(self, calls: Sequence[ToolCall], talk: Talk) -> None:
        """Make the calls of a round together, and add what each gives in their order."""
        refusals = [self._refusal(call, place) for place, call in enumerate(calls)]
        try:
            async with asyncio.TaskGroup() as group:
                running = [
                    group.create_task(self._one(call, refused))
                    for call, refused in zip(calls, refusals, strict=True)
                ]
        except* RetrievalError as errors:
            failure = errors.exceptions[0]
        else:
            self._note(calls, [task.result() for task in running], talk)
            return
        raise failure

    def _note(self, calls: Sequence[ToolCall], results: Sequence[Result], talk: Talk) -> None:
        for call, result in zip(calls, results, strict=True):
            given = Given(call.id, call.name, result.text, talk.shown(result.passages))
            talk.add(given)
            named = {"call": call.id, "tool": call.name}
            self._record.events += [
                Entry("tool_call", call.arguments, None, named),
                Entry("tool_result", given.message().text, None, named),
            ]

    def _refusal(self, call: ToolCall, place: int) -> str | None:
        """Return why a call isn't made; None when it is."""
        key = self._tools.key(call)
        if key in self._made:
            return prompt("repeated")
        if place >= _MOST_CALLS:
            return "Too many calls at once: make the most telling ones."
        self._made.add(key)
        return None

    async def _one(self, call: ToolCall, refused: str | None) -> Result:
        began = time.perf_counter()
        result, word = Result(refused or ""), "refused"
        if refused is None:
            result, word = await self._made_now(call)
        milliseconds = (time.perf_counter() - began) * 1000
        self._record.steps.append(
            tool_step(call.name, milliseconds, word, passages=len(result.passages))
        )
        return result

    async def _made_now(self, call: ToolCall) -> tuple[Result, str]:
        async def search(query: str, filters: Filters) -> SearchResult:
            return await self._record.searched(query, filters, by=call.name)

        record = self._record
        context = Context(
            search, record.search.section, record.sources.get, self._filters, self._zone
        )
        try:
            result = await self._tools.call(call, context)
        except TryAgain as error:
            return Result(str(error)), "try_again"
        except ToolFailed as error:
            return Result(str(error)), "failed"
        text = block("result", result.text) if result.text else ""
        return Result(text, result.passages), "ok"
