"""The keyword engines: everything that differs between them, as named statements.

Each engine has a folder with `create.sql` (its column, index and tables; plain statements, run
once by the migration) and `queries.sql`. The statements take the same parameters in each.
`hnsw.sql` is what the engines without a vector index of their own have in common.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, LiteralString

from schema.sql import load, read

__all__ = ["ENGINES", "Engine", "Repair", "engine_named"]

ENGINES: Final = ("vchord", "pg_search", "sql")


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that an index needs now and then, each statement outside a transaction.

    `due` returns one boolean: whether to go through `steps`. `done` follows them in any case.
    """

    due: LiteralString
    steps: tuple[LiteralString, ...]
    done: LiteralString | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """One keyword engine.

    `session` is run on each new connection, then `heal`, which makes the index right again
    after a crash of the server. Chunks come in by `copy_chunks` where their tokens are stored as
    they are; else `insert_chunks` takes them from the table `incoming`, and `insert_words` comes
    before that transaction. `search_keywords` takes tokens joined by spaces and returns
    (chunk id, BM25 score), best first; which of several with the last score come is left open.
    `near_settings` begins the transaction of a search through the vector index. `maintain`
    follows an ingest and can't run in a transaction; then come `repairs`. None: this engine
    needs no such statement.
    """

    name: str
    create: LiteralString
    session: LiteralString
    heal: LiteralString | None
    insert_words: LiteralString | None
    copy_chunks: LiteralString | None
    insert_chunks: LiteralString | None
    search_keywords: LiteralString
    near_settings: LiteralString
    maintain: LiteralString
    repairs: tuple[Repair, ...]


_HNSW: Final = load("schema", "engines/hnsw.sql")


def _loaded(name: str) -> Engine:
    queries = load("schema", f"engines/{name}/queries.sql")
    vectors = queries if "near_settings" in queries else _HNSW
    return Engine(
        name=name,
        create=read("schema", f"engines/{name}/create.sql"),
        session=queries["session"],
        heal=queries.get("heal"),
        insert_words=queries.get("insert_words"),
        copy_chunks=queries.get("copy_chunks"),
        insert_chunks=queries.get("insert_chunks"),
        search_keywords=queries["search_keywords"],
        near_settings=vectors["near_settings"],
        maintain=queries["maintain"],
        repairs=tuple(_repairs(queries if vectors is queries else {**queries, **_HNSW})),
    )


def _repairs(queries: Mapping[str, LiteralString]) -> list[Repair]:
    repairs: list[Repair] = []
    if "rebuild_due" in queries:
        names = ("rebuild_clear", "rebuild", "rebuild_note")
        steps: tuple[LiteralString, ...] = tuple(queries[name] for name in names if name in queries)
        repairs.append(Repair(queries["rebuild_due"], steps, queries["rebuild_done"]))
    if "index_vectors_due" in queries:
        repairs.append(Repair(queries["index_vectors_due"], (queries["index_vectors"],)))
    return repairs


# Read with the module, like code, so that nothing is read while a loop runs.
_ENGINES: Final = {name: _loaded(name) for name in ENGINES}


def engine_named(name: str) -> Engine:
    """Return an engine's statements.

    Raises:
        ValueError: there is no such engine.
    """
    if name not in _ENGINES:
        raise ValueError(f"There is no engine {name!r}: choose one of {', '.join(ENGINES)}.")
    return _ENGINES[name]
