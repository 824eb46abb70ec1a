"""What the corpus holds, as far as somebody may see it."""

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import tuple_row

from retrieval.shelf import Kind, kinds, latest

_ADD = """
    INSERT INTO document (id, team, audience, source, title, service, doc_type, hash, characters,
                          updated_at)
    VALUES (%(title)s, %(team)s, %(audience)s, %(title)s, %(title)s, 'ledger', 'runbook', '', 0,
            now() + make_interval(secs => %(age)s))
"""


async def test_rights_hold_for_lists(connection: AsyncConnection[Any]) -> None:
    """Documents of other teams and of channels that aren't named are neither counted nor shown."""
    connection.row_factory = tuple_row
    rows = [
        ("all", None, None),
        ("ours", "T1", None),
        ("here", "T1", "C1"),
        ("there", "T1", "C2"),
        ("theirs", "T2", None),
        ("their own", "T2", "C1"),
    ]
    for age, (title, team, audience) in enumerate(rows):
        values = {"title": title, "team": team, "audience": audience, "age": age}
        await connection.execute(_ADD, values)

    async def shown(team: str | None, *audiences: str) -> list[str]:
        return [each.title for each in await latest(connection, team, audiences, 10)]

    assert await shown(None) == ["all"]
    assert await shown("T1") == ["ours", "all"]
    assert await shown("T1", "C1") == ["here", "ours", "all"]
    assert await shown("T1", "C1", "C2") == ["there", "here", "ours", "all"]
    assert await kinds(connection, "T1", ["C1"]) == [Kind("ledger", "runbook", 3)]
    assert len(await latest(connection, "T1", ["C1"], 2)) == 2
