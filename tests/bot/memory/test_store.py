"""Memories in the database: each said once, found by its owner alone, bounded in number."""

import asyncio

import psycopg
import pytest
from psycopg import AsyncConnection

from bot import forget
from bot.memory import Fact, Memories, Memory, Owner
from bot.memory.memories import Kept
from retrieval.reembed import reembed
from schema import Pool, check, engine_named
from schema.errors import VectorSizeMismatch
from tests.bot.memory.conftest import ANA, BEN, embedded, listed, told
from tests.retrieval.bag_of_words import BagOfWords

ABROAD = Owner("T2", "UANA")
LONG = "I am on the team that runs the payments ledger in the region of Ireland since last spring"


async def near(
    memories: Memories, words: BagOfWords, owner: Owner, text: str, at_least: float = 0.5
) -> list[Memory]:
    """What comes to somebody's mind at these words."""
    return await memories.nearest(owner, await words.embed_query(text), at_least=at_least)


async def test_a_memory_is_found_by_meaning(memories: Memories, words: BagOfWords) -> None:
    """The nearest comes first, what has nothing to do with the question not at all."""
    await told(memories, words, ANA, "I run the payments ledger")
    await told(memories, words, ANA, "I like green tea")
    found = await near(memories, words, ANA, "who runs the payments ledger")
    assert [each.content for each in found] == ["I run the payments ledger"]
    assert found[0].likeness == pytest.approx(
        float(
            (await words.embed_query("who runs the payments ledger"))
            @ (await words.embed_query("I run the payments ledger"))
        ),
        abs=1e-5,
    )


async def test_the_more_important_of_two_equally_near_comes_first(
    memories: Memories, words: BagOfWords, connection: AsyncConnection
) -> None:
    """And no more than five come at all."""
    for n in range(4):
        await told(memories, words, ANA, f"alpha beta gamma delta {n}", importance=0.1 * n)
    # The order of words is nothing to this embedder: these two have one and the same vector.
    one, two = "the ledger runs on Mondays", "on Mondays the ledger runs"
    await told(memories, words, ANA, one, importance=0.2)
    await memories.add(ANA, Fact(two, importance=0.9))
    await connection.execute(
        "UPDATE memories SET emb = (SELECT emb FROM memories WHERE content = %s)"
        " WHERE content = %s",
        [one, two],
    )
    found = await near(memories, words, ANA, one, at_least=-1)
    assert [each.content for each in found[:2]] == [two, one]
    assert len(found) == 5


async def test_a_hundred_at_once_leave_one(memories: Memories, words: BagOfWords) -> None:
    """The same fact told by a hundred turns at the same time is one row, however it is spelt."""
    forms = ["I run the ledger", "  i run the LEDGER "]
    async with asyncio.TaskGroup() as tasks:
        adding = [
            tasks.create_task(
                memories.add(ANA, Fact(forms[n % 2]), await embedded(words, forms[0]))
            )
            for n in range(100)
        ]
    assert len(await listed(memories, ANA)) == 1
    kept = [task.result() for task in adding]
    assert sum(each is not None and not each.known for each in kept) == 1


async def test_the_database_itself_refuses_a_second(
    memories: Memories, words: BagOfWords, connection: AsyncConnection
) -> None:
    """Whatever a program may do, the same words of the same owner stand there once."""
    await told(memories, words, ANA, "I run the ledger")
    with pytest.raises(psycopg.errors.UniqueViolation):
        await connection.execute(
            "INSERT INTO memories (team, owner, number, type, content, importance)"
            " VALUES ('T1', 'UANA', 99, 'FACT', ' I RUN the ledger', 0.5)"
        )


async def test_nearly_the_same_takes_the_older_ones_place(
    memories: Memories, words: BagOfWords
) -> None:
    """The newest wording stays, with the importance and the use that the older one had."""
    await told(memories, words, ANA, LONG, importance=0.9)
    (first,) = await near(memories, words, ANA, LONG)
    await memories.used(ANA, [first.id])
    newer = f"{LONG} really"
    kept = await memories.add(ANA, Fact(newer), await embedded(words, newer))
    assert kept == Kept(2, replaced=1)
    assert await listed(memories, ANA) == [newer]
    (row,) = await memories.export(ANA)
    assert (row["importance"], row["access_count"]) == (pytest.approx(0.9), 1)


async def test_a_memory_without_a_vector_gets_one_later(
    memories: Memories, words: BagOfWords
) -> None:
    """It is listed at once, found by meaning once the embedder has come by, and merged then."""
    await told(memories, words, ANA, LONG)
    await memories.add(ANA, Fact(f"{LONG} really"))
    assert len(await listed(memories, ANA)) == 2
    ((identity, content),) = await memories.unsettled(ANA)
    await memories.settle(ANA, identity, await embedded(words, content))
    assert await memories.unsettled(ANA) == []
    assert await listed(memories, ANA) == [f"{LONG} really"]


async def test_above_the_cap_the_least_important_and_least_used_leave(
    memories: Memories, words: BagOfWords
) -> None:
    """What was just said stays, whatever it is worth; what was of use outlives what was not."""
    await told(memories, words, ANA, "useful once", importance=0.2)
    await told(memories, words, ANA, "useful never", importance=0.2)
    (first,) = await near(memories, words, ANA, "useful once", at_least=0.9)
    await memories.used(ANA, [first.id])
    for n in range(28):
        await told(memories, words, ANA, f"number {n} {n * 7} stands", importance=0.5)
    await told(memories, words, ANA, "of no importance", importance=0.0)
    left = await listed(memories, ANA)
    assert len(left) == 30
    assert left[0] == "of no importance"
    assert "useful once" in left
    assert "useful never" not in left


async def test_nobody_else_is_served(memories: Memories, words: BagOfWords) -> None:
    """Neither by meaning nor by importance, list, number or words; nor the same id elsewhere."""
    number = await told(memories, words, ANA, "I run the ledger")
    (mine,) = await near(memories, words, ANA, "I run the ledger")
    for other in (BEN, ABROAD):
        assert await near(memories, words, other, "I run the ledger", at_least=-1) == []
        assert await memories.foremost(other) == []
        assert await memories.page(other, 100) == ((), 0)
        assert await memories.export(other) == []
        assert not await memories.forget(other, number)
        assert not await memories.forget_words(other, "I run the ledger")
        assert await memories.clear(other) == 0
        await memories.used(other, [mine.id])
        await memories.settle(other, mine.id, await embedded(words, "something else"))
        # The same words of another are another's memory.
        assert await told(memories, words, other, "I run the ledger") == 1
    (row,) = await memories.export(ANA)
    assert row["access_count"] == 0
    (again,) = await near(memories, words, ANA, "I run the ledger")
    assert again == mine


async def test_off_means_nothing_is_learned_or_recalled(
    memories: Memories, words: BagOfWords
) -> None:
    """What is there stays, can be seen and removed, and counts again once memory is on."""
    await told(memories, words, ANA, "I run the ledger")
    await memories.turn(ANA, on=False)
    assert not await memories.enabled(ANA)
    assert await memories.enabled(BEN)
    assert await memories.add(ANA, Fact("I like tea")) is None
    assert await near(memories, words, ANA, "I run the ledger") == []
    assert await memories.foremost(ANA) == []
    assert await listed(memories, ANA) == ["I run the ledger"]
    await memories.turn(ANA, on=True)
    assert len(await near(memories, words, ANA, "I run the ledger")) == 1


async def test_a_number_is_never_given_twice(memories: Memories, words: BagOfWords) -> None:
    """Who forgets "2" from an old list doesn't lose what came later."""
    for content in ("one", "two"):
        await told(memories, words, ANA, content)
    assert await memories.forget(ANA, 2)
    assert not await memories.forget(ANA, 2)
    assert await told(memories, words, ANA, "three") == 3
    assert await memories.forget_words(ANA, " ONE ") == 1
    assert await listed(memories, ANA) == ["three"]


async def test_a_user_that_is_forgotten_has_no_memories(
    memories: Memories, words: BagOfWords, connection: AsyncConnection
) -> None:
    """In no team; others keep theirs, and who wanted none isn't learned from again."""
    for owner in (ANA, ABROAD, BEN):
        await told(memories, words, owner, "I run the ledger")
    await memories.turn(ABROAD, on=False)
    assert (await forget.of_user(connection, "UANA")).memories == 2
    assert await listed(memories, ANA) == await listed(memories, ABROAD) == []
    assert await listed(memories, BEN) == ["I run the ledger"]
    assert not await memories.enabled(ABROAD)
    cursor = await connection.execute("SELECT team FROM memory_owner WHERE owner = 'UANA'")
    assert await cursor.fetchall() == [{"team": "T2"}]


async def test_nothing_is_learned_from_a_turn_that_was_forgotten(memories: Memories) -> None:
    """An extraction that was under way when its user was forgotten leaves nothing."""
    assert await memories.add(ANA, Fact("I run the ledger"), turn="t0") is None
    assert await listed(memories, ANA) == []


async def test_another_embedder_takes_memories_along(
    memories: Memories, words: BagOfWords, bare_pool: Pool, database_url: str
) -> None:
    """`reembed` makes their vectors anew, the check holds both tables to one size and name."""
    await told(memories, words, ANA, "I run the ledger")
    await memories.add(BEN, Fact("I like tea"))
    new = BagOfWords("new", 96)
    report = await reembed(bare_pool, engine_named("pg_search"), new)
    assert (report.before, report.embedded) == ("bag-of-words", 2)
    assert len(await near(memories, new, ANA, "I run the ledger")) == 1
    assert len(await near(memories, new, BEN, "I like tea")) == 1
    await check(database_url, vector_size=96, embedder="new")
    # A process that still has the old embedder keeps the words, and spoils nothing.
    await told(memories, words, ANA, "I like coffee")
    assert [content for _, content in await memories.unsettled(ANA)] == ["I like coffee"]
    async with bare_pool.connection() as connection:
        await connection.execute("ALTER TABLE memories ALTER emb TYPE vector(8) USING NULL")
    with pytest.raises(VectorSizeMismatch, match="memories have 8 dimensions"):
        await check(database_url, vector_size=96, embedder="new")
