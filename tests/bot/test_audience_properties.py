"""Nothing crosses an audience: searches, sections, lists, deletions, for any teams and channels."""

import asyncio
from collections.abc import Generator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.citations import Sources
from bot.knowledge import requests
from bot.record import Record
from retrieval.documents import Filters
from retrieval.search import Search
from retrieval.shelf import kinds, latest
from retrieval.store import Store
from schema import Server
from schema.database import open_pool
from schema.engines import engine_named
from schema.migrate import migrate
from tests.conftest import VECTOR_SIZE, cloned, made_once
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import prepared, put

TEAMS = ("T1", "T2")
CHANNELS = ("C1", "C2", "D1", "G1")


@dataclass(frozen=True)
class Doc:
    """Where a document is seen."""

    team: str | None
    audience: str | None
    service: str


@dataclass(frozen=True)
class Place:
    """Where somebody stands."""

    team: str
    channel: str

    def sees(self, doc: Doc) -> bool:
        """Tell whether a document may be seen here."""
        return doc.team in {None, self.team} and doc.audience in {None, self.channel}


docs = st.builds(
    Doc,
    st.sampled_from([None, *TEAMS]),
    st.sampled_from([None, *CHANNELS]),
    st.sampled_from(["payments", "search", "birds"]),
)
places = st.builds(Place, st.sampled_from(TEAMS), st.sampled_from(CHANNELS))


@pytest.fixture
def url(server: Server) -> Generator[str]:
    """The address of an empty database that is emptied again for each example."""
    template = made_once(
        server,
        "template_sql",
        lambda url: migrate(url, vector_size=VECTOR_SIZE, engine="sql"),
    )
    yield from cloned(server, template)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(docs, min_size=1, max_size=12), places)
def test_nothing_crosses_an_audience(url: str, documents: list[Doc], place: Place) -> None:
    """What a place finds, reads, lists or deletes is all that it may see, and nothing else."""
    asyncio.run(_holds(url, documents, place))


async def _holds(url: str, documents: list[Doc], place: Place) -> None:
    allowed = {f"d{n}" for n, doc in enumerate(documents) if place.sees(doc)}
    async with open_pool(url, engine="sql", max_size=4) as pool:
        async with pool.connection() as connection:
            await connection.execute("TRUNCATE document, posting, term CASCADE")
        store = Store(pool, engine_named("sql"))
        ids: dict[str, str] = {}
        for number, doc in enumerate(documents):
            name = f"d{number}"
            made = prepared(
                name,
                [f"alarm {name}"],
                team=doc.team,
                audience=doc.audience,
                service=doc.service,
            )
            await put(store, made)
            ids[made.id] = name
        filters = Filters(team=place.team, audience=place.channel)
        search = Search(store, BagOfWords(), max_distance=2.0)
        record = Record(search, Sources("seed"))
        found = await record.searched("alarm", filters, by="question")
        assert {each.source for each in found.candidates} == allowed
        assert {each.source for each in found.nearest} <= allowed
        assert {each.source for each in record.passages} <= allowed
        for name in ids.values():
            section = await store.section(f"{name}-0000", filters, longest=1_000)
            assert (section is not None) == (name in allowed)
        async with pool.connection() as connection:
            services = {d.service for d in documents if place.sees(d)}
            shelf = await kinds(connection, place.team, (place.channel,))
            assert {each.service for each in shelf} == services
            newest = await latest(connection, place.team, (place.channel,), 100)
            assert {each.title for each in newest} == allowed
            listed = await requests.visible(connection, place.team, place.channel, most=100)
            assert {each.title for each in listed} == allowed
            for document, name in ids.items():
                twins = await requests.duplicates(connection, document, place.team, place.channel)
                assert set(twins) <= allowed
                gone = await requests.delete(connection, place.team, place.channel, document)
                assert (gone is not None) == (name in allowed)
