"""The search, in the model's words."""

from typing import Annotated

from pydantic import BaseModel, Field

from bot.tools.tool import Context, Result
from retrieval.documents import Filters

__all__ = ["SearchTool"]


class SearchArguments(BaseModel):
    """What to search for, and where."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    service: str | None = None
    doc_type: str | None = None


class SearchTool:
    """Searches the documents; the question's own filters can be narrowed and not left."""

    name: str = "search"
    description: str = "Search the runbooks in other words, within a service or type if it helps."
    arguments: type[BaseModel] = SearchArguments

    async def run(self, arguments: SearchArguments, context: Context) -> Result:
        """Return the passages of one search, or that nothing is near enough."""
        given = context.filters
        filters = Filters(
            services=given.services or ((arguments.service,) if arguments.service else ()),
            doc_types=given.doc_types or ((arguments.doc_type,) if arguments.doc_type else ()),
            team=given.team,
            audience=given.audience,
        )
        found = await context.search(arguments.query, filters)
        if found.no_match or not found.passages:
            return Result("NO_MATCH: nothing near enough. Try other words, or reply NO_MATCH.")
        return Result("", found.passages)
