"""The tools that a model is told of, and the call of one by its name."""

from collections.abc import Sequence

from pydantic import ValidationError

from bot.model import ToolCall, ToolSpec
from bot.tools.tool import Context, Result, Tool, TryAgain

__all__ = ["Registry"]


class Registry:
    """Tools by name."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools: dict[str, Tool] = {tool.name: tool for tool in tools}

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools as the model is told of them."""
        return tuple(
            ToolSpec(tool.name, tool.description, tool.arguments.model_json_schema())
            for tool in self._tools.values()
        )

    async def call(self, call: ToolCall, context: Context) -> Result:
        """Return what a call gives.

        Raises:
            TryAgain: no such tool, or arguments that it doesn't take.
            ToolFailed: as the tool says.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            raise TryAgain(f"There is no such tool; there are: {', '.join(self._tools)}.")
        try:
            arguments = tool.arguments.model_validate_json(call.arguments or "{}")
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, each['loc']))}: {each['msg']}"
                for each in error.errors(include_input=False, include_url=False)
            )
            raise TryAgain(f"The arguments can't be used: {wrong}.") from None
        return await tool.run(arguments, context)
