"""The tools that a model is told of, and the call of one by its name."""

import asyncio
import secrets
import traceback
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, Self

import structlog

from bot.model import ToolCall, ToolSpec
from bot.tools.arguments import canonical, read
from bot.tools.finding import Unusable, described, installed, own, usable
from bot.tools.tool import Context, Result, Tool, ToolFailed, TryAgain
from bot.untrusted import defused, one_line
from retrieval.documents import Passage
from retrieval.errors import RetrievalError

__all__ = ["Registry"]

_LOG = structlog.get_logger("footnote.tools")
_SECONDS: Final = 30.0  # for one call
_LONGEST_TEXT: Final = 4_000  # characters of words
_LONGEST_PASSAGES: Final = 8_000  # characters of passages, of which whole ones are kept
_LONGEST_SENTENCE: Final = 600
_CUT: Final = "\n… (the rest is left out)"


class Registry:
    """Tools by name; of two with one name the first is kept.

    `left_out` has a sentence for each tool that was found and can't be used.
    """

    def __init__(self, tools: Iterable[Tool], *, seconds: float = _SECONDS) -> None:
        self.left_out: tuple[str, ...] = ()
        self._seconds: float = seconds
        self._tools: dict[str, Tool] = {}
        self._specs: dict[str, ToolSpec] = {}
        for tool in tools:
            self._add(tool)

    @classmethod
    def found(cls) -> Self:
        """Return all tools: those of this package first, so that no other takes their names.

        It imports and reads files: not for the event loop.
        """
        registry = cls(own())
        for label, tool in installed():
            try:
                if isinstance(tool, Unusable):
                    raise tool
                registry._add(tool)
            except Unusable as error:
                registry.left_out += (described(label, error),)
                _LOG.warning("tool_left_out", tool=label, reason=str(error))
        return registry

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools as the model is told of them."""
        return tuple(self._specs.values())

    def key(self, call: ToolCall) -> str:
        """Return what two calls have in common when they ask for the same."""
        tool = self._tools.get(call.name)
        taken = tool.arguments if tool else None
        return f"{call.name} {canonical(taken, call.arguments)}"

    async def call(self, call: ToolCall, context: Context) -> Result:
        """Return what a call gives, of a length that a conversation can bear.

        Raises:
            TryAgain: no such tool, or arguments that it doesn't take.
            ToolFailed: the tool says so, takes too long, or is broken.
            RetrievalError: the database is down, which is no tool's fault.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            there = f"there are {', '.join(self._tools)}" if self._tools else "there is none"
            raise TryAgain(f"There is no tool {one_line(call.name)}: {there}.")
        given = read(call.name, tool.arguments, call.arguments)
        patience = asyncio.timeout(self._seconds)
        try:
            async with patience:
                result = await tool.run(given, context)
            return _bounded(result, citable=tool.citable)
        except TryAgain as error:
            raise TryAgain(_sentence(error)) from None
        except ToolFailed as error:
            raise ToolFailed(_sentence(error)) from None
        except RetrievalError:
            raise
        except TimeoutError as error:
            if patience.expired():
                raise ToolFailed(f"{call.name} took too long. Go on without it.") from None
            raise _broken(call.name, error) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a tool may be anybody's
            raise _broken(call.name, error) from None

    def _add(self, tool: Any) -> None:
        schema = usable(tool)
        if tool.name in self._tools:
            raise Unusable(f"another tool is called {tool.name}")
        self._tools[tool.name] = tool
        self._specs[tool.name] = ToolSpec(tool.name, tool.description, schema)


def _sentence(error: TryAgain | ToolFailed) -> str:
    """Return what a tool says of itself, on one line; a third party's may hold anybody's words."""
    return _cut(defused(" ".join(str(error).split())), _LONGEST_SENTENCE)


def _broken(name: str, error: BaseException) -> ToolFailed:
    """Note where a tool broke, not what the error says: that may hold somebody's words."""
    incident = secrets.token_hex(4)
    place = traceback.extract_tb(error.__traceback__)[-1]
    _LOG.error(
        "tool_broke",
        tool=name,
        incident=incident,
        error=type(error).__name__,
        place=f"{place.filename}:{place.lineno}",
    )
    return ToolFailed(f"{name} is broken (incident {incident}). Go on without it.")


def _bounded(result: Result, *, citable: bool) -> Result:
    """Return a result no longer than may be; what can't be cited is words."""
    if not citable:
        words = "\n\n".join([result.text, *(each.text for each in result.passages)])
        return Result(_cut(words.strip(), _LONGEST_TEXT))
    return Result(_cut(result.text, _LONGEST_TEXT), _fitting(result.passages))


def _fitting(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """Return the first passages, whole; the very first may be cut."""
    room = _LONGEST_PASSAGES
    for number, passage in enumerate(passages):
        room -= len(passage.text)
        if room < 0:
            cut = replace(passage, text=passage.text[:_LONGEST_PASSAGES])
            return passages[:number] or (cut,)
    return passages


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + _CUT
