"""What the corpus holds, document by document: to list, to show and to delete."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from retrieval.connection import connected, storable
from retrieval.errors import NotInTheCorpus
from retrieval.store import Store
from schema.sql import load

if TYPE_CHECKING:
    from schema.database import Pool
    from schema.engines import Engine

__all__ = ["Catalogue", "Entry", "Piece"]

_QUERIES: Final = load("retrieval", "catalogue.sql")
_NAMED: Final = 5  # documents named in a sentence


@dataclass(frozen=True, slots=True)
class Entry:
    """A document as it is stored. `collection` is the folder it came from."""

    id: str
    source: str
    title: str
    service: str
    doc_type: str
    link: str | None
    team: str | None
    audience: str | None
    collection: str | None
    chunks: int
    characters: int
    pages_without_text: Sequence[int]
    updated_at: datetime

    def to_json(self) -> dict[str, Any]:
        """Return plain values under the names of the fields."""
        return {**asdict(self), "updated_at": self.updated_at.isoformat()}


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of a document as it is stored; `start` and `end` count the source's characters."""

    id: str
    position: int
    start: int
    end: int
    page: int | None
    heading: str
    context: str
    text: str


class Catalogue:
    """The documents in the corpus, for whoever runs it: no audience is hidden by rights."""

    def __init__(self, pool: "Pool", engine: "Engine") -> None:
        self._pool: Pool = pool
        self._engine: Engine = engine

    async def entries(
        self,
        *,
        services: Collection[str] = (),
        doc_types: Collection[str] = (),
        everyone: bool = False,
    ) -> list[Entry]:
        """Return the documents by service and source; with `everyone`, also those of one team."""
        return await self._entries("entries", services, doc_types, (), everyone=everyone)

    async def named(self, names: Collection[str], *, everyone: bool = False) -> list[Entry]:
        """Return the documents of these ids or sources, in the order of the names, each once.

        An id is found whoever may see its document; a source only with `everyone`.

        Raises:
            NotInTheCorpus: there is none, or more than one, of a name.
        """
        found = await self._entries("named", (), (), names, everyone=everyone)
        chosen: dict[str, Entry] = {}
        for name in map(storable, names):
            entries = [each for each in found if name in {each.id, each.source}]
            if not entries:
                raise NotInTheCorpus(
                    f"There is no document {name}: `footnote documents list --all` names them."
                )
            if len(entries) > 1:
                ids = ", ".join(each.id for each in entries[:_NAMED])
                raise NotInTheCorpus(
                    f"{len(entries)} documents are called {name}: say which, {ids}."
                )
            chosen[entries[0].id] = entries[0]
        return list(chosen.values())

    async def pieces(self, document_id: str) -> list[Piece]:
        """Return the chunks of a document in their order."""
        async with connected(self._pool) as connection:
            cursor = await connection.execute(_QUERIES["pieces"], {"document": document_id})
            return [Piece(*row) for row in await cursor.fetchall()]

    async def delete(self, document_ids: Collection[str]) -> int:
        """Remove documents, all or none; return how many there were."""
        async with connected(self._pool) as connection:
            cursor = await connection.execute(_QUERIES["delete"], {"ids": list(document_ids)})
        if cursor.rowcount:
            await Store(self._pool, self._engine).maintain()
        return cursor.rowcount

    async def _entries(
        self,
        query: str,
        services: Collection[str],
        doc_types: Collection[str],
        names: Collection[str],
        *,
        everyone: bool,
    ) -> list[Entry]:
        parameters = {
            "services": [storable(name) for name in services] or None,
            "doc_types": [storable(name) for name in doc_types] or None,
            "names": [storable(name) for name in names],
            "everyone": everyone,
        }
        async with connected(self._pool) as connection:
            cursor = await connection.execute(_QUERIES[query], parameters)
            entries = [Entry(*row) for row in await cursor.fetchall()]
        return [
            replace(each, pages_without_text=tuple(each.pages_without_text)) for each in entries
        ]
