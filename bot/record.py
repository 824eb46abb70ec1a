"""What happens in one turn, noted as it happens: searches, steps, events, tokens."""

from dataclasses import dataclass, field, replace

from bot.citations import Sources
from bot.memory import Recalled
from bot.memory.veil import Veil
from bot.model import Completion
from bot.outcome import Outcome, Searched
from bot.steps import ModelFailure, Step, model_failure_step, model_step, search_step
from bot.widening import widened
from bot.window import Entry
from retrieval.documents import Filters, Passage, SearchResult
from retrieval.search import Search

__all__ = ["Record"]

_SHOWN = 4
_EMPTY = (
    "There are no documents to search here yet (or none of this service and type):"
    " `footnote ingest FOLDER` adds some."
)


@dataclass(slots=True)
class Record:
    """One turn so far. Only passages of a search that passed the gate go into `sources`.

    The `veil` takes memories out of what a step keeps of the model's words. `asked` are the asker's
    own: only of these it is told that one was taken for another.
    """

    search: Search
    sources: Sources
    steps: list[Step] = field(default_factory=list[Step])
    events: list[Entry] = field(default_factory=list[Entry])
    results: list[SearchResult] = field(default_factory=list[SearchResult])
    notes: list[str] = field(default_factory=list[str])
    tokens: int = 0
    model: str = ""
    veil: Veil = field(default_factory=Veil)
    asked: str = ""

    async def searched(self, query: str, filters: Filters, *, by: str) -> SearchResult:
        """Search, and note it."""
        result = await self.search.search(query, filters)
        self.results.append(result)
        self.steps.append(search_step(replace(result, query=self.veil.text(query)), by=by))
        return result

    def failed(self, failure: ModelFailure, milliseconds: float, *, tools: bool) -> None:
        """Note a model's call that gave nothing."""
        self.steps.append(model_failure_step(failure, milliseconds, tools=tools))

    async def widened(self, first: SearchResult, recalled: Recalled) -> SearchResult:
        """Search again with memories, and note it without their words; returns what both give."""
        told = [each.content for each in recalled.memories]
        wider = await self.search.search("\n".join([first.query, *told]), first.filters)
        self.steps.append(search_step(replace(wider, query=first.query), by="memories"))
        both = widened(first, wider)
        self.results[self.results.index(first)] = both
        return both

    def completed(self, completion: Completion, *, tools: bool) -> None:
        """Note a model's call."""
        self.tokens += completion.usage.prompt_tokens + completion.usage.completion_tokens
        self.model = completion.model
        self.steps.append(model_step(completion, tools=tools))

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of the searches that passed, each once, the first search's first."""
        found = [each for result in self.results if not result.no_match for each in result.passages]
        return tuple({each.chunk_id: each for each in found}.values())

    @property
    def candidates(self) -> tuple[Passage, ...]:
        """All that the searches that passed have found, each once."""
        found = [each for one in self.results if not one.no_match for each in one.candidates]
        return tuple({each.chunk_id: each for each in found}.values())

    def outcome(self) -> Outcome:
        """Return what the turn came to if nothing more is found: no match."""
        # Beside an answer, or instead of one, the chunks of the search that came nearest.
        nearest = min(self.results, key=_distance)
        degraded = [note for result in self.results for note in result.degraded]
        empty = not any(result.candidates for result in self.results)
        distances = [each.best_distance for each in self.results if each.best_distance is not None]
        return Outcome(
            stop_reason="no_match",
            passages=(self.passages or nearest.passages)[:_SHOWN],
            nearest=nearest.nearest,
            searched=tuple(
                dict.fromkeys(
                    Searched(each.query, each.filters.services, each.filters.doc_types)
                    for each in self.results
                )
            ),
            best_distance=min(distances, default=None),
            notes=tuple(
                dict.fromkeys([*degraded, *self._read_as(), *self.notes, *[_EMPTY] * empty])
            ),
            model=self.model,
            max_distance=nearest.max_distance,
        )

    def _read_as(self) -> list[str]:
        """Return a sentence on the words that were taken for others, if there are any.

        A model's words may be of a memory, and those of a thread's topic were told of before.
        """
        asked = self.asked.casefold()
        read = {word: meant for each in self.results for word, meant in each.mistyped.items()}
        words = (f"“{word}” as “{meant}”" for word, meant in read.items() if word in asked)
        told = ", ".join(words)
        return [f"Read {told}."] if told else []


def _distance(result: SearchResult) -> float:
    return result.best_distance if result.best_distance is not None else 3.0
