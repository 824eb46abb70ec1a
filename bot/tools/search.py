"""The search, in the model's words."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from bot.tools.tool import Arguments, Context, Result, TryAgain
from retrieval.documents import Near

__all__ = ["SearchTool"]


class SearchArguments(Arguments):
    """What to search for, and where."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=500, description="Words that the document may use."),
    ]
    service: Annotated[str, Field(max_length=80, description="Only documents of this service.")] = (
        ""
    )
    doc_type: Annotated[
        str, Field(max_length=80, description="Only documents of this type, such as runbook.")
    ] = ""


class SearchTool:
    """Searches the documents. The question's own filters are narrowed and never left."""

    name: str = "search"
    description: str = (
        "Search the runbooks in other words than the question's: an alert's name, an error text,"
        " a component, a synonym. Give service and doc_type only as the question or a passage names"
        " them."
    )
    citable: bool = True
    arguments: type[SearchArguments] = SearchArguments

    async def run(self, arguments: SearchArguments, context: Context) -> Result:
        """Return the passages of one search, or that nothing is near enough."""
        given = context.filters
        filters = replace(
            given,
            services=_narrowed("service", arguments.service, given.services),
            doc_types=_narrowed("doc_type", arguments.doc_type, given.doc_types),
        )
        found = await context.search(arguments.query, filters)
        if not found.candidates and filters != given:
            return Result(
                "NO_MATCH: no document has this service and type. Search without them, or reply"
                " NO_MATCH."
            )
        if found.no_match or not found.passages:
            return Result(_nothing(found.nearest))
        return Result("", found.passages)


def _narrowed(key: str, wanted: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is searched of a filter: the model's name, within the question's if it has any.

    Raises:
        TryAgain: the question leaves the name out.
    """
    name = wanted.lower()  # names are kept in small letters
    if not name:
        return given
    if given and name not in given:
        raise TryAgain(
            f"The question is limited to the {key} {', '.join(given)}: leave `{key}` out."
        )
    return (name,)


def _nothing(nearest: tuple[Near, ...]) -> str:
    titles = "; ".join(f"{near.title} ({near.service})" for near in nearest)
    named = f" The nearest titles: {titles}." if titles else ""
    return f"NO_MATCH: nothing near enough.{named} Try other words, or reply NO_MATCH."
