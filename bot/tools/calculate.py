"""Arithmetic, exact: models get sums wrong, and a wrong threshold is worse than none."""

from typing import Annotated

from pydantic import Field

from bot.arithmetic import NotComputable, evaluate, written
from bot.tools.tool import Arguments, Context, Result, TryAgain

__all__ = ["Calculate"]


class CalculateArguments(Arguments):
    """What to work out."""

    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=300,
            description="Numbers with + - * / // % **, parentheses, abs, min, max, round, floor,"
            " ceil; no units, no thousands separators.",
        ),
    ]


class Calculate:
    """Works out an expression exactly, with fractions inside."""

    name: str = "calculate"
    description: str = "Work out arithmetic exactly: durations, sizes, rates, percentages."
    citable: bool = False
    arguments: type[CalculateArguments] = CalculateArguments

    async def run(self, arguments: CalculateArguments, context: Context) -> Result:
        """Return the value.

        Raises:
            TryAgain: it is no expression, or its value is too large.
        """
        del context
        try:
            return Result(written(evaluate(arguments.expression)))
        except NotComputable as error:
            raise TryAgain(str(error)) from None
