"""What of a session's log a model gets to see, chosen within a budget of tokens. Pure.

Turns are whole or left out: an answer never stands without its question, a tool's result never
without its call. The newest turns come first; what no longer fits is told by a summary, an event
of the log itself. A question that was edited or taken back takes its turn out of the view.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

__all__ = [
    "EMPTY",
    "Entry",
    "Event",
    "EventKind",
    "Turn",
    "Window",
    "choose",
    "estimate",
    "outgrown",
    "questions",
    "topics",
]

type EventKind = Literal[
    "user",
    "assistant",
    "tool_call",
    "tool_result",
    "correction",
    "summary",
    "feedback",
    "context",
    "edit",
    "deletion",
]

_OF_A_TURN = frozenset({"user", "assistant", "tool_call", "tool_result", "correction"})
_BYTES_A_TOKEN = 4
_OVERHEAD = 4  # tokens of a message beside its text: role, separators
_TOPIC = 300  # characters of a root that tell what a thread is about
_CONTEXT_SHARE = 4  # what stood in the thread before gets a fourth of the budget at most


@dataclass(frozen=True, slots=True)
class Entry:
    """An event to be appended to a log.

    `data` of a tool_call and of its tool_result hold the call's id under `call`; a summary's
    holds the ids of the turns that it tells of under `turns`.
    """

    kind: EventKind
    text: str
    author: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a log. `number` counts from 1 within the session."""

    number: int
    kind: EventKind
    turn: str | None
    author: str | None
    text: str
    data: Mapping[str, Any]
    tokens: int
    at: datetime


type Turn = tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The view: a summary of older turns, quoted context, whole turns; all oldest first."""

    summary: str | None = None
    context: tuple[Event, ...] = ()
    turns: tuple[Turn, ...] = ()


EMPTY = Window()


def estimate(text: str) -> int:
    """Return about how many tokens a message has: a token is taken for four bytes of UTF-8."""
    return _OVERHEAD + -(-len(text.encode(errors="ignore")) // _BYTES_A_TOKEN)


def choose(events: Iterable[Event], budget_tokens: int) -> Window:
    """Return the view of a log that fits into a budget.

    When all turns fit, no summary is given. When some fall out, or weren't even read, the newest
    summary is, as long as none of the turns it tells of was edited or taken back since.
    """
    log = sorted(events, key=lambda event: event.number)
    context = _context(log, budget_tokens // _CONTEXT_SHARE)
    rest = budget_tokens - sum(event.tokens for event in context)
    turns = _turns(log)
    kept = _newest(turns, rest)
    told = _summary(log)
    if told is not None and len(kept) == len(turns) and _told(told) <= {_id(t) for t in kept}:
        told = None
    if told is not None and told.tokens > rest:
        told = None
    if told is not None:
        kept = _newest(turns, rest - told.tokens)
    return Window(
        summary=told.text if told else None,
        context=context,
        turns=tuple(kept),
    )


def outgrown(events: Iterable[Event], budget_tokens: int) -> tuple[Event | None, tuple[Turn, ...]]:
    """Return the summary that stands, and the turns that a new one should add to it.

    No turns: everything that falls out of the budget is told already. Else they are those beyond
    half of it, so that the next summary is due only when the log has grown by the other half.
    """
    log = sorted(events, key=lambda event: event.number)
    turns = _turns(log)
    told = _summary(log)
    known = _told(told)
    fallen = turns[: len(turns) - len(choose(log, budget_tokens).turns)]
    if all(_id(turn) in known for turn in fallen):
        return told, ()
    old = turns[: len(turns) - len(_newest(turns, budget_tokens // 2))]
    return told, tuple(turn for turn in old if _id(turn) not in known)


def questions(window: Window) -> tuple[str, ...]:
    """Return what was asked in the window's turns, oldest first."""
    return tuple(event.text for turn in window.turns for event in turn if event.kind == "user")


def topics(window: Window) -> tuple[str, ...]:
    """Return what a thread is about: its root, when others began it, and questions."""
    roots = (event.text[:_TOPIC] for event in window.context if event.data.get("root"))
    return (*roots, *questions(window))


def _turns(log: Sequence[Event]) -> list[Turn]:
    """Return the turns that stand, in the order of their questions."""
    gone = _gone(log)
    grouped: dict[str, list[Event]] = {}
    for event in log:
        if event.kind in _OF_A_TURN and event.turn is not None and event.turn not in gone:
            grouped.setdefault(event.turn, []).append(event)
    paired = (_paired(turn) for turn in grouped.values())
    asked = (turn for turn in paired if turn and turn[0].kind == "user")
    return sorted(asked, key=lambda turn: turn[0].number)


def _paired(turn: Sequence[Event]) -> Turn:
    """Return a turn without calls that have no result, and results that have no call before."""
    called: dict[str, int] = {}
    pairs: set[int] = set()
    for event in turn:
        call = str(event.data.get("call"))
        if event.kind == "tool_call":
            called[call] = event.number
        elif event.kind == "tool_result" and call in called:
            pairs |= {called.pop(call), event.number}
    tools = {"tool_call", "tool_result"}
    return tuple(event for event in turn if event.kind not in tools or event.number in pairs)


def _gone(log: Sequence[Event]) -> set[str]:
    """Return the turns whose question was edited, and answered again, or taken back."""
    return {
        event.turn
        for event in log
        if event.turn is not None
        and (event.kind == "deletion" or (event.kind == "edit" and event.data.get("again")))
    }


def _summary(log: Sequence[Event]) -> Event | None:
    gone = _gone(log)
    summaries = (event for event in reversed(log) if event.kind == "summary")
    return next((each for each in summaries if not _told(each) & gone), None)


def _told(summary: Event | None) -> set[str]:
    return set(summary.data.get("turns", ())) if summary else set()


def _newest(turns: Sequence[Turn], budget_tokens: int) -> list[Turn]:
    """Return as many of the newest as fit, oldest first; the first that doesn't fit ends it."""
    kept: list[Turn] = []
    left = budget_tokens
    for turn in reversed(turns):
        left -= sum(event.tokens for event in turn)
        if left < 0:
            break
        kept.append(turn)
    return kept[::-1]


def _context(log: Sequence[Event], budget_tokens: int) -> tuple[Event, ...]:
    """Return what stood in the thread before: its root first of all, then the newest."""
    found = [event for event in log if event.kind == "context"]
    roots = _newest([(event,) for event in found if event.data.get("root")], budget_tokens)
    left = budget_tokens - sum(event.tokens for (event,) in roots)
    others = _newest([(event,) for event in found if not event.data.get("root")], left)
    return tuple(event for (event,) in (*roots, *others))


def _id(turn: Turn) -> str:
    return turn[0].turn or ""
