"""What comes together before an answer: the thread's window ∥ memories ∥ the first search.

The search needs the thread only when the message means nothing without it (`and in staging?`);
else all three run side by side, and the turn waits for the slowest. What finds nothing with its
thread, which may have found nothing before, is searched for alone when it is a question by itself.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from bot.asker import Asker
from bot.memory import NOTHING, Recalled
from bot.question import in_thread, is_complete, stands_alone
from bot.window import EMPTY, Window
from retrieval.documents import SearchResult

__all__ = ["Gathered", "Load", "Recalling", "Thread", "gather"]


@dataclass(frozen=True, slots=True)
class Thread:
    """What the agent knows of the thread and of who asks in it.

    `earlier` are the questions of the window without their filters, oldest first. Team and
    channel decide who may see what; `asker` is None where nobody in particular asks.
    """

    team: str | None = None
    channel: str | None = None
    earlier: tuple[str, ...] = ()
    window: Window = EMPTY
    asker: Asker | None = None
    memories: Recalled = NOTHING


type Load = Callable[[], Awaitable[Thread]]
"""Gives the thread whole, its window read."""

type Recalling = Callable[[str], Awaitable[Recalled]]
"""Gives what comes to the asker's mind at some words."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The thread with memories, the words that were searched for, and what they found.

    `timings_ms`: of each part from its own beginning, and `total` of all together.
    """

    thread: Thread
    words: str
    first: SearchResult
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])


async def gather(
    question: str,
    load: Load,
    recall: Recalling,
    search: Callable[[str], Awaitable[SearchResult]],
) -> Gathered:
    """Gather everything, side by side.

    Raises:
        RetrievalError: the search failed; recalling never does.
    """
    timings: dict[str, float] = {}

    async def timed[T](name: str, work: Awaitable[T]) -> T:
        began = time.perf_counter()
        try:
            return await work
        finally:
            timings[name] = _ms_since(began)

    async def words(loading: Awaitable[Thread]) -> str:
        return question if stands_alone(question) else in_thread(question, (await loading).earlier)

    async def found(searched: str) -> tuple[str, SearchResult]:
        first = await search(searched)
        if first.no_match and searched != question and is_complete(question):
            alone = await search(question)
            if not alone.no_match:
                return question, alone
        return searched, first

    async def with_words[T](
        name: str, asked: Awaitable[str], work: Callable[[str], Awaitable[T]]
    ) -> T:
        text = await asked
        return await timed(name, work(text))

    began = time.perf_counter()
    try:
        async with asyncio.TaskGroup() as group:
            loading = group.create_task(timed("window", load()))
            asked = group.create_task(words(loading))
            recalling = group.create_task(with_words("memories", asked, recall))
            searching = group.create_task(with_words("search", asked, found))
    except* Exception as errors:  # noqa: BLE001  # whichever failed first: the caller knows it
        failure = errors.exceptions[0]
    else:
        timings["total"] = _ms_since(began)
        thread = replace(loading.result(), memories=recalling.result())
        searched, first = searching.result()
        return Gathered(thread, searched, first, timings)
    raise failure


def _ms_since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)
