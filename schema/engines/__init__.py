"""The keyword engines: everything that differs between them, as named statements.

Each engine has a folder with `create.sql` (its column, index and tables; plain statements, run
once by the migration) and `queries.sql`. The statements take the same parameters in each.
"""

from dataclasses import dataclass
from typing import Final, LiteralString

from schema.sql import load, read

__all__ = ["ENGINES", "Engine", "engine_named"]

ENGINES: Final = ("pg_search", "sql")


@dataclass(frozen=True, slots=True)
class Engine:
    """One keyword engine.

    `session` is run on each new connection, then `heal`, which makes the index right again
    after a crash of the server. `insert_words` comes before the transaction in which
    `insert_chunks` adds chunks. `search_keywords` takes tokens joined by spaces and returns
    (chunk id, BM25 score), best first, equal scores by id. `maintain` follows an ingest and
    can't run in a transaction. None: this engine needs no such statement.
    """

    name: str
    create: LiteralString
    session: LiteralString
    heal: LiteralString | None
    insert_words: LiteralString | None
    insert_chunks: LiteralString
    search_keywords: LiteralString
    maintain: LiteralString


def _loaded(name: str) -> Engine:
    queries = load("schema", f"engines/{name}/queries.sql")
    return Engine(
        name=name,
        create=read("schema", f"engines/{name}/create.sql"),
        session=queries["session"],
        heal=queries.get("heal"),
        insert_words=queries.get("insert_words"),
        insert_chunks=queries["insert_chunks"],
        search_keywords=queries["search_keywords"],
        maintain=queries["maintain"],
    )


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
