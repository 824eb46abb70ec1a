"""The conversation of one turn with the model: what it reads, and what is left out if need be.

The thread, the first passages and the question are one message, so that roles alternate, as many
models' templates demand. Everything but the question is data between markers. The question
stands last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.citations import Sources
from bot.model import Assistant, ChatMessage, System, ToolResult, User
from bot.prompts import prompt
from bot.untrusted import block
from bot.window import Event, Window, estimate
from retrieval.documents import Passage

__all__ = ["Given", "Talk"]


@dataclass(slots=True)
class Given:
    """The answer to one call: passages with their ids, nearest first, after some words."""

    call_id: str
    name: str
    text: str
    passages: list[str] = field(default_factory=list[str])

    def message(self) -> ToolResult:
        """Return it as the model reads it."""
        whole = "\n\n".join([*([self.text] if self.text else []), *self.passages])
        return ToolResult(self.call_id, self.name, whole or prompt("left_out"))


class Talk:
    """Grows by what the model and its tools say; shrinks when it is too long."""

    def __init__(  # noqa: PLR0913  # all that the opening message holds
        self,
        question: str,
        window: Window,
        found: Sequence[Passage],
        sources: Sources,
        *,
        about: Sequence[str] = (),
        tools: bool,
    ) -> None:
        self._question: str = question
        self._about: Sequence[str] = about
        self._sources: Sources = sources
        self._system: str = "\n\n".join([prompt("system"), *([prompt("tools")] if tools else [])])
        self._context: list[str] = [_said(event) for event in window.context]
        if window.summary:
            self._context.append(block("summary of earlier turns", window.summary))
        self._turns: list[str] = [_turn(turn) for turn in window.turns]
        self._first: list[str] = self.shown(found)
        self._later: list[ChatMessage | Given] = []
        self.passages_left_out: int = 0
        self.turns_left_out: int = 0

    def shown(self, passages: Sequence[Passage]) -> list[str]:
        """Return passages as the model reads them, each under its id; they may be cited now."""
        return [_passage(self._sources.add(each), each) for each in passages]

    def add(self, *said: ChatMessage | Given) -> None:
        """Go on with what was said."""
        self._later += said

    def messages(self) -> list[ChatMessage]:
        """Return the conversation as it stands."""
        later = [each.message() if isinstance(each, Given) else each for each in self._later]
        return [System(self._system), User(self._opening()), *later]

    def tokens(self) -> int:
        """Return about how many tokens the conversation has."""
        return sum(map(_tokens, self.messages()))

    def shrink(self) -> bool:
        """Leave out a piece: the oldest passages first, then the oldest turns.

        Of the newest passages one stays. False when there is nothing left to leave out.
        """
        groups = [self._first, *(each.passages for each in self._later if isinstance(each, Given))]
        groups = [each for each in groups if each]
        if len(groups) > 1 or (groups and len(groups[0]) > 1):
            groups[0].pop()
            self.passages_left_out += 1
            return True
        for turns in (self._turns, self._context):
            if turns:
                del turns[0]
                self.turns_left_out += 1
                return True
        return False

    def note(self) -> str | None:
        """Return the sentence that says what was left out."""
        left = [
            _counted(self.passages_left_out, "passage"),
            _counted(self.turns_left_out, "earlier message"),
        ]
        said = " and ".join(each for each in left if each)
        return f"This was too long for the chat model: {said} had to be left out." if said else None

    def _opening(self) -> str:
        parts: list[str] = []
        if self._context or self._turns:
            parts += [prompt("thread"), *self._context, *self._turns]
        if self._first or self.passages_left_out:
            parts += [prompt("found"), *self._first]
        else:
            parts.append(prompt("nothing_found"))
        if self._about:
            parts += [prompt("about"), *self._about]
        parts += [prompt("question"), self._question]
        return "\n\n".join(parts)


def _passage(name: str, passage: Passage) -> str:
    return block(
        "passage",
        passage.text,
        id=name,
        title=passage.title,
        heading=passage.heading if passage.heading != passage.title else "",
        service=passage.service,
        type=passage.doc_type,
    )


def _turn(turn: Sequence[Event]) -> str:
    """Return what was asked and answered; what its tools gave is none of today's passages."""
    return "\n".join(_said(each) for each in turn if each.kind in {"user", "assistant"})


def _said(event: Event) -> str:
    if event.kind == "assistant":
        return block("earlier answer", event.text or "NO_MATCH")
    kind = "earlier question" if event.kind == "user" else "earlier message"
    return block(kind, event.text, by=event.author or "")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count > 1)}" if count else ""


def _tokens(message: ChatMessage) -> int:
    calls = message.calls if isinstance(message, Assistant) else ()
    return estimate(message.text) + sum(estimate(each.name + each.arguments) for each in calls)
