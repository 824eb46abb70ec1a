"""Who sees what: every combination of team, audience, service and doc_type, on both engines."""

from itertools import product

import pytest

from retrieval.documents import Filters
from retrieval.embedding import Vector
from retrieval.errors import EmbedderDown, QueryFailed
from retrieval.search import Search
from retrieval.sources import Labels
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import ENGINES, open_store, prepared, put

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)

TEAMS = (None, "T1", "T2")
AUDIENCES = (None, "C1", "C2")
SERVICES = ("payments", "search")
TYPES = ("runbook", "postmortem")


class Down(BagOfWords):
    """An embedder that answers no question."""

    async def embed_query(self, text: str) -> Vector:
        """Fail."""
        raise EmbedderDown(text)


@both_engines
@pytest.mark.parametrize("embedder", [BagOfWords(), Down()], ids=["vectors", "keywords"])
async def test_one_sees_ones_own_and_what_is_for_all(
    database_url: str, engine: str, embedder: BagOfWords
) -> None:
    """A search finds exactly what its filters allow, whichever of them differs."""
    documents = {
        f"d{number}": labels
        for number, labels in enumerate(product(TEAMS, AUDIENCES, SERVICES, TYPES))
    }
    async with open_store(database_url, engine) as store:
        for name, (team, audience, service, doc_type) in documents.items():
            document = prepared(
                name,
                [f"alarm {name}"],
                team=team,
                audience=audience,
                service=service,
                doc_type=doc_type,
            )
            await put(store, document)
        search = Search(store, embedder, max_distance=2.0)
        for team, audience, service, doc_type in product(
            (*TEAMS, ""), (*AUDIENCES, ""), (*SERVICES, None), (*TYPES, None)
        ):
            found = await search.search(
                "alarm",
                Filters(
                    team=team,
                    audience=audience,
                    services=(service,) if service else (),
                    doc_types=(doc_type,) if doc_type else (),
                ),
            )
            allowed = {
                name
                for name, labels in documents.items()
                if labels[0] in {None, team}
                and labels[1] in {None, audience}
                and service in {None, labels[2]}
                and doc_type in {None, labels[3]}
            }
            seen = {each.source for each in found.candidates}
            assert seen <= allowed
            assert len(seen) == min(len(allowed), 20)


@both_engines
async def test_a_nameless_audience_is_stored_nowhere(database_url: str, engine: str) -> None:
    """An empty team or audience, public to one engine and hidden to another, is refused."""
    async with open_store(database_url, engine) as store:
        for owner in ({"team": ""}, {"audience": ""}):
            with pytest.raises(QueryFailed):
                await put(store, prepared("doc", ["alarm"], **owner))
            with pytest.raises(ValueError, match="needs a name"):
                Labels(**owner)
        assert await store.counts() == (0, 0)
