"""The catalogue: what is listed to whom runs it, and what is deleted."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from retrieval.catalogue import Catalogue
from retrieval.errors import NotInTheCorpus
from retrieval.store import Store
from schema.database import open_pool
from schema.engines import engine_named
from tests.retrieval.corpora import ENGINES, prepared, put


@asynccontextmanager
async def opened(database_url: str, engine: str) -> AsyncGenerator[tuple[Store, Catalogue]]:
    """A store and a catalogue on the test's database."""
    async with open_pool(database_url, engine=engine, max_size=4) as pool:
        yield Store(pool, engine_named(engine)), Catalogue(pool, engine_named(engine))


async def test_entries_are_those_of_the_installation_unless_all_are_asked_for(
    database_url: str,
) -> None:
    """Filters narrow them; the chunks are counted."""
    async with opened(database_url, "pg_search") as (store, catalogue):
        await put(store, prepared("b", ["one", "two"], service="search"))
        await put(store, prepared("a", ["one"], doc_type="postmortem"))
        await put(store, prepared("a", [], team="T1", audience="C1"))
        mine = await catalogue.entries()
        assert [(each.source, each.chunks) for each in mine] == [("a", 1), ("b", 2)]
        everything = await catalogue.entries(everyone=True)
        assert [(each.source, each.team) for each in everything] == [
            ("a", None), ("a", "T1"), ("b", None),
        ]  # fmt: skip
        assert [each.source for each in await catalogue.entries(services=["search"])] == ["b"]
        assert [each.source for each in await catalogue.entries(doc_types=["postmortem"])] == ["a"]
        assert await catalogue.entries(services=["\0'", "\ud83d"]) == []


async def test_a_name_is_a_source_or_an_id(database_url: str) -> None:
    """A source that two audiences share has to be told apart by its id."""
    async with opened(database_url, "pg_search") as (store, catalogue):
        shared, private = prepared("a", ["one"]), prepared("a", [], team="T1")
        await put(store, shared)
        await put(store, private)
        assert [each.id for each in await catalogue.named(["a", shared.id])] == [shared.id]
        assert [each.id for each in await catalogue.named([private.id])] == [private.id]
        with pytest.raises(NotInTheCorpus, match=private.id):
            await catalogue.named(["a"], everyone=True)
        with pytest.raises(NotInTheCorpus, match="no document nowhere"):
            await catalogue.named(["a", "nowhere"])


@pytest.mark.parametrize("engine", ENGINES, indirect=True)
async def test_pieces_come_in_order_and_leave_with_their_document(
    database_url: str, engine: str
) -> None:
    """What was deleted is neither listed nor found."""
    async with opened(database_url, engine) as (store, catalogue):
        document = prepared("a", [f"w{n}" for n in range(12)])
        await put(store, document)
        pieces = await catalogue.pieces(document.id)
        assert [piece.text for piece in pieces] == [f"w{n}" for n in range(12)]
        assert await catalogue.delete([document.id, "gone"]) == 1
        assert await catalogue.entries() == []
        assert await catalogue.pieces(document.id) == []
