"""What comes to mind, with everything up and with something down."""

from bot.memory import Memories
from bot.memory.keeper import OFF, Keeper
from bot.memory.recall import Recall
from bot.memory.sayings import Saying
from schema import Pool
from tests.bot.memory.conftest import ANA, BEN, listed, told
from tests.retrieval.bag_of_words import BagOfWords

ASKED = "who runs the payments ledger"


async def test_the_nearest_else_the_most_important(memories: Memories, words: BagOfWords) -> None:
    """What is near; with nothing near, or without the embedder, what matters most."""
    recall = Recall(memories, words)
    assert (await recall(ANA, ASKED)).memories == ()
    await told(memories, words, ANA, "I run the payments ledger", importance=0.1)
    await told(memories, words, ANA, "tea is good", importance=0.9)
    near = await recall(ANA, ASKED)
    assert (near.how, [each.number for each in near.memories]) == ("meaning", [1])
    far = await recall(ANA, "zebra crossing")
    assert (far.how, [each.number for each in far.memories]) == ("foremost", [2, 1])
    words.down = True
    blind = await recall(ANA, ASKED)
    assert (blind.how, [each.number for each in blind.memories]) == ("blind", [2, 1])
    assert blind.milliseconds > 0
    assert (await recall(BEN, ASKED)).memories == ()


async def test_a_database_that_fails_recalls_nothing(
    memories: Memories, words: BagOfWords, bare_pool: Pool
) -> None:
    """The turn goes on without memories."""
    await told(memories, words, ANA, "I run the payments ledger")
    async with bare_pool.connection() as connection:
        await connection.execute("DROP TABLE memories")
    recalled = await Recall(memories, words)(ANA, ASKED)
    assert (recalled.memories, recalled.how) == ((), "failed")


async def test_memories_leave_the_prompt_its_room(memories: Memories, words: BagOfWords) -> None:
    """Of long ones fewer come to mind: no more than 1,500 characters."""
    for n in range(5):
        await told(memories, words, ANA, f"{n} {n * 7} " + f"word{n} " * 75)
    recalled = await Recall(memories, words)(ANA, "nothing of it")
    assert len(recalled.memories) == 3


async def test_remembering_and_forgetting_by_words(memories: Memories, words: BagOfWords) -> None:
    """Each in one line that doesn't repeat what was said; other words for the same are enough."""
    keeper = Keeper(memories, words)
    vault = "the vault of our team is in Lisbon"
    first = await keeper.do(ANA, Saying("remember", vault))
    assert first == "Noted, as your memory 1; only you can see it."
    assert "memory 1" in await keeper.do(ANA, Saying("remember", vault.upper()))
    assert await keeper.do(BEN, Saying("forget", vault)) == (
        "I have no memory that says that. `/memory list` shows what I have."
    )
    assert await keeper.do(ANA, Saying("forget", "vault of our team is in Lisbon")) == (
        "Forgotten: 1 memory."
    )
    assert await listed(memories, ANA) == []
    assert "secrets" in await keeper.do(ANA, Saying("remember", "my password is hunter2"))
    await memories.turn(ANA, on=False)
    assert await keeper.do(ANA, Saying("remember", vault)) == OFF
    assert await listed(memories, ANA) == []


async def test_without_the_embedder_words_are_kept_all_the_same(
    memories: Memories, words: BagOfWords
) -> None:
    """To be found by meaning later, and forgotten by their very words now."""
    keeper = Keeper(memories, words)
    words.down = True
    await keeper.do(ANA, Saying("remember", "I run the ledger"))
    assert [content for _, content in await memories.unsettled(ANA)] == ["I run the ledger"]
    assert "no memory" in await keeper.do(ANA, Saying("forget", "I run a ledger"))
    assert "1 memory" in await keeper.do(ANA, Saying("forget", "i run the ledger"))
