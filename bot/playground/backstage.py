"""What the page shows and does beyond the workspace: given by whoever runs the app beside it.

The stand-in knows nothing of the app's insides, so all of this comes as plain data and callables.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.playground.courier import Courier
from bot.playground.faults import Faults
from bot.playground.messages import Message
from bot.playground.wire import Json

type Trace = Callable[[Sequence[Message]], Awaitable[Sequence[Json]]]
"""Given a thread, its root first: what the app did for each of its turns, oldest first."""

POST = "chat.postMessage"
PAUSE_SECONDS = 2
REFUSALS = 2


@dataclass(frozen=True, slots=True)
class Switch:
    """Something that can be made to go wrong while one watches."""

    name: str
    label: str
    about: str
    is_on: Callable[[], bool]
    turn: Callable[[bool], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Tour:
    """What to try first: a question with an answer, one to ask on, one that has none.

    `alert` is what another app posts (`name`, `text`, `blocks`, `attachments`); `document` is a
    file's name and content, `share` the words it is posted with, `about` a question it answers.
    """

    question: str
    follow_up: str
    unknown: str
    alert: Json | None = None
    document: tuple[str, bytes] | None = None
    share: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Backstage:
    """All of it; each part may be missing."""

    tour: Tour | None = None
    trace: Trace | None = None
    switches: Sequence[Switch] = ()


def own_switches(courier: Courier, faults: Faults) -> list[Switch]:
    """The faults of Slack itself, which need nothing of the app."""

    async def twice(on: bool) -> None:  # noqa: FBT001 - the one thing a switch is told
        courier.deliver_twice = on

    async def limit(on: bool) -> None:  # noqa: FBT001 - as above
        if on:
            faults.rate_limit(POST, PAUSE_SECONDS, times=REFUSALS)
        else:
            faults.forget(POST)

    return [
        Switch(
            "twice",
            "Deliver everything twice",
            "Each event comes two times under one id, as Slack does after a slow answer.",
            lambda: courier.deliver_twice,
            twice,
        ),
        Switch(
            "limit",
            "Rate limit",
            f"The next {REFUSALS} posts are refused: 429, again after {PAUSE_SECONDS} seconds.",
            lambda: faults.planned(POST),
            limit,
        ),
    ]
