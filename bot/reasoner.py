"""A model at work on one question: it reads, calls tools, answers, and is corrected once at most.

Whatever it does, this ends in a draft: a verdict on an answer, or the reason why there is none.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Protocol

import structlog

from bot.asker import Asker, working_memory
from bot.citations import Verdict, check, correction
from bot.limits import Budget
from bot.memory import Memory
from bot.model import (
    Assistant,
    Completion,
    ContextOverflow,
    Model,
    ModelDown,
    ModelError,
    ModelRefused,
    ToolSpec,
    User,
)
from bot.prompts import prompt
from bot.record import Record
from bot.rounds import Rounds
from bot.steps import ModelFailure, Step, verdict_step
from bot.talk import Talk
from bot.tools import Registry
from bot.untrusted import block
from bot.window import Entry, Window
from retrieval.documents import Filters, Passage

__all__ = ["Asked", "Draft", "Progress", "Reasoner", "silent"]

_LOG = structlog.get_logger("footnote.reasoner")


class Progress(Protocol):
    """Is told, in a few words, what is being done; nothing depends on it."""

    async def __call__(self, what: str, found: Sequence[Passage] | None = None) -> None:
        """Take note; `found` is what the first search has found and is read now."""
        ...


type Failure = Literal["down", "refused", "overflow", "filtered", "budget"]


async def silent(what: str, found: Sequence[Passage] | None = None) -> None:
    """Tell nobody."""
    del what, found


@dataclass(frozen=True, slots=True)
class Draft:
    """What a model came to: the verdict on its last answer, unless it failed before one."""

    verdict: Verdict | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in its own words, what was said before, and what the first search found.

    `found` is empty when that was no match. `filters` bound whatever is searched. `asker` is who
    asks, when that is known, and `memories` what they told before.
    """

    question: str
    window: Window
    found: tuple[Passage, ...]
    filters: Filters
    asker: Asker | None = None
    memories: tuple[Memory, ...] = ()


class Reasoner:
    """A model with tools and a budget; holds no state between questions.

    `name` is how the model is called.
    """

    def __init__(self, model: Model, tools: Registry, budget: Budget, name: str = "") -> None:
        self._name: str = name
        self._model: Model = model
        self._tools: Registry = tools
        self._budget: Budget = budget

    async def answer(self, asked: Asked, record: Record, progress: Progress) -> Draft:
        """Return the draft of an answer.

        Args:
            asked: the question and what goes with it.
            record: the turn; it holds the first search already.
            progress: is told what is being done.
        """
        about = await self._about(asked)
        work = _Work(self._model, self._tools, self._budget, asked, about, record, progress)
        try:
            async with asyncio.timeout(self._budget.seconds):
                draft = await work.draft()
        except TimeoutError:
            draft = Draft(work.verdict, "budget")
        if note := work.talk.note():
            record.notes.append(note)
        return draft

    async def _about(self, asked: Asked) -> list[str]:
        """Return the blocks that tell who asks, and what they told before."""
        if asked.asker is None:
            return []
        # Elsewhere, since the first look at a time zone reads a file.
        working = await asyncio.to_thread(
            working_memory, asked.asker, asked.filters, self._name, datetime.now(UTC)
        )
        memories = [block("memory", each.content, type=each.type) for each in asked.memories]
        return [working, *([prompt("memories")] if memories else []), *memories]


class _Work:
    """One question being worked on."""

    def __init__(  # noqa: PLR0913, PLR0917  # what a turn brings together
        self,
        model: Model,
        tools: Registry,
        budget: Budget,
        asked: Asked,
        about: list[str],
        record: Record,
        progress: Progress,
    ) -> None:
        self._model: Model = model
        self._specs: tuple[ToolSpec, ...] = tools.specs()
        self._budget: Budget = budget
        self._record: Record = record
        zone = asked.asker.zone if asked.asker else "UTC"
        self._rounds: Rounds = Rounds(tools, record, asked.filters, zone)
        self._progress: Progress = progress
        self.talk: Talk = Talk(
            asked.question,
            asked.window,
            asked.found,
            record.sources,
            about=about,
            tools=bool(self._specs),
        )
        self.verdict: Verdict | None = None

    async def draft(self) -> Draft:
        try:
            completion = await self._rounds_done()
            if completion.finish == "filtered":
                return Draft(None, "filtered")
            if completion.calls and not completion.text.strip():
                return Draft(None, "budget")
            self.verdict = await self._checked(completion)
            if self._wants_correction(self.verdict):
                await self._correct(completion, self.verdict)
        except ContextOverflow:
            return Draft(self.verdict, "overflow")
        except ModelRefused as error:
            _LOG.warning("model_refused", statuses=error.statuses)
            return Draft(self.verdict, "refused")
        except ModelDown as error:
            _LOG.warning("model_down", statuses=error.statuses)
            return Draft(self.verdict, "down")
        return Draft(self.verdict)

    async def _rounds_done(self) -> Completion:
        """Return the first completion that answers, or the one that had no tools left."""
        for number in range(self._budget.rounds + 1):
            last = number == self._budget.rounds or self._record.tokens >= self._budget.tokens
            if last and number:
                self.talk.add(User(prompt("last_round")))
            completion = await self._complete(tools=not last)
            if last or not completion.calls:
                return completion
            self.talk.add(Assistant(completion.text, completion.calls))
            await self._progress("Searching runbooks…")
            await self._rounds.run(completion.calls, self.talk)
        raise AssertionError

    def _wants_correction(self, verdict: Verdict) -> bool:
        """Nothing to cite means nothing to correct: that is no match, whatever was said."""
        return bool(self._record.sources.ids) and not (verdict.cited or verdict.says_no_match)

    async def _correct(self, said: Completion, verdict: Verdict) -> None:
        words = correction(verdict)
        self._record.steps.append(Step("correction", None, {"problems": list(verdict.problems)}))
        self._record.events.append(Entry("correction", words))
        self.talk.add(Assistant(said.text), User(words))
        again = await self._complete(tools=False)
        self.verdict = await self._checked(again)

    async def _checked(self, completion: Completion) -> Verdict:
        await self._progress("Checking citations…")
        began = time.perf_counter()
        verdict = check(completion.text, self._record.sources)
        self._record.steps.append(verdict_step(verdict, (time.perf_counter() - began) * 1000))
        return verdict

    async def _complete(self, *, tools: bool) -> Completion:
        """Ask the model; what is too long for it is shortened first, or when it says so."""
        specs = self._specs if tools else ()
        room = self._budget.context * 3 // 4  # the rest is for the answer
        while self.talk.tokens() > room and self.talk.shrink():
            pass
        while True:
            began = time.perf_counter()
            try:
                completion = await self._model.complete(self.talk.messages(), specs)
            except (ModelError, asyncio.CancelledError) as error:
                milliseconds = (time.perf_counter() - began) * 1000
                self._record.failed(_failure(error), milliseconds, tools=bool(specs))
                if not (isinstance(error, ContextOverflow) and self.talk.shrink()):
                    raise
            else:
                self._record.completed(completion, tools=bool(specs))
                return completion


def _failure(error: BaseException) -> ModelFailure:
    """Return the step log's word for why a call gave nothing."""
    match error:
        case ContextOverflow():
            return "overflow"
        case ModelRefused():
            return "refused"
        case ModelError():
            return "down"
        case _:
            return "cut off"
