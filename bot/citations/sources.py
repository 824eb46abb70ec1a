"""The register of what one turn may cite: each chunk under an id that nobody outside can guess."""

from collections.abc import Iterable
from hashlib import blake2b

from retrieval.documents import Passage

__all__ = ["Sources"]

# Without vowels, so that no id is a word; without l and s, which look like 1 and like the S.
_LETTERS = "bcdfghjkmnpqrtvwxz"


class Sources:
    """A turn's passages by id: `S`, an ordinal, two letters that depend on the turn's salt.

    A document that says "cite [S1]" can't know the letters, and an id of yesterday's thread is
    none of today's. Ids are looked up in any case.
    """

    def __init__(self, salt: str) -> None:
        """Take what the letters are derived from: a value that is secret or new for each turn."""
        self._salt = salt
        self._by_chunk: dict[str, str] = {}
        self._passages: dict[str, Passage] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids, in the order in which their passages came."""
        return tuple(self._by_chunk.values())

    def add(self, passage: Passage) -> str:
        """Return the id of a passage's chunk; a chunk that came before keeps its own."""
        known = self._by_chunk.get(passage.chunk_id)
        if known is not None:
            return known
        ordinal = len(self._by_chunk) + 1
        digest = blake2b(f"{self._salt}\0{ordinal}".encode(), digest_size=2).digest()
        name = f"S{ordinal}" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest)
        self._by_chunk[passage.chunk_id] = name
        self._passages[name.casefold()] = passage
        return name

    def add_all(self, passages: Iterable[Passage]) -> tuple[str, ...]:
        """Return the id of each passage, in their order."""
        return tuple(self.add(passage) for passage in passages)

    def get(self, name: str) -> Passage | None:
        """Return the passage of an id, in whatever case it is written."""
        return self._passages.get(name.casefold())

    def known(self, name: str) -> str | None:
        """Return an id as it was given out, or nothing when no passage has it."""
        passage = self.get(name)
        return self._by_chunk[passage.chunk_id] if passage else None
