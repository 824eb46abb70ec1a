"""Taking a memory's words out of what others get to see: an answer, a log, a trace. Pure.

A model that was told a memory may repeat it: in an answer that a whole channel reads, in the
words of a search. What stands in the question or in a passage too is no secret and stays.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bot.memory.memories import Memory
from bot.outcome import Outcome, Searched
from bot.window import Entry

__all__ = ["Veil"]

_WORD = re.compile(r"\w+(?:[.'’@:/_-]+\w+)*")
_RUN = 3  # words in a row that are taken from a memory, and from nowhere else
_NAME = re.compile(r"(?=.*[\d_@:/-]).{3,}|[A-Z]{3,}")  # tells who said it, all by itself


class Veil:
    """Knows some memories, and what is known without them."""

    def __init__(self, memories: Iterable[Memory] = (), known: Iterable[str] = ()) -> None:
        told = [_words(each.content) for each in memories]
        open_words = [_words(each) for each in known]
        self._runs: dict[int, set[tuple[str, ...]]] = {}
        for words in told:
            size = min(_RUN, len(words))
            runs = set(_runs(words, size))
            for others in open_words:
                runs.difference_update(_runs(others, size))
            self._runs.setdefault(size, set()).update(runs)
        names = {word.lower() for words in told for word in words if _NAME.fullmatch(word)}
        self._names: set[str] = names - {each.lower() for words in open_words for each in words}

    def text(self, text: str) -> str:
        """Return a text with an ellipsis where it repeats a memory."""
        found = list(_WORD.finditer(text))
        words = [each[0] for each in found]
        hidden = [word.lower() in self._names for word in words]
        for size, runs in self._runs.items():
            for at, run in enumerate(_runs(words, size)):
                if run in runs:
                    hidden[at : at + size] = [True] * size
        pieces: list[str] = []
        done = 0
        for at, match in enumerate(found):
            if hidden[at]:
                goes_on = at > 0 and hidden[at - 1]
                pieces += [] if goes_on else [text[done : match.start()], "…"]
                done = match.end()
        return "".join([*pieces, text[done:]])

    def outcome(self, outcome: Outcome) -> Outcome:
        """Return what is shown, and kept for the thread's next answers."""
        searched = tuple(
            Searched(self.text(each.query), each.services, each.doc_types)
            for each in outcome.searched
        )
        return replace(outcome, answer=self.text(outcome.answer), searched=searched)

    def events(self, events: Sequence[Entry]) -> tuple[Entry, ...]:
        """Return what was said in between as the log keeps it."""
        return tuple(replace(each, text=self.text(each.text)) for each in events)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _runs(words: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    small = [word.lower() for word in words]
    return (tuple(small[at : at + size]) for at in range(len(small) - size + 1))
