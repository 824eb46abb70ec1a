"""The pages that the found passages are of: the procedure may stand below what was found."""

from collections.abc import Sequence

from retrieval.documents import Filters, Passage
from retrieval.search import Search

__all__ = ["PAGES", "read_on"]

PAGES = 2
"""How many documents are read whole."""


async def read_on(
    search: Search, passages: Sequence[Passage], filters: Filters, also: Sequence[Passage] = ()
) -> tuple[Passage, ...]:
    """Return the pages of the first documents in their order, then the other passages, and `also`.

    Raises:
        QueryFailed: the database is down.
    """
    first: dict[str, str] = {}
    for each in passages:
        first.setdefault(each.document_id, each.chunk_id)
    found: dict[str, Passage] = {}
    known = {each.chunk_id: each for each in (*passages, *also)}
    for chunk_id in list(first.values())[:PAGES]:
        for each in await search.page(chunk_id, filters):
            found[each.chunk_id] = known.get(each.chunk_id, each)
    return tuple({**found, **{each: known[each] for each in known if each not in found}}.values())
