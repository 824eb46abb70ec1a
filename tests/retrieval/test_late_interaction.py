"""How much of a question a passage says, token by token."""

import asyncio

import numpy as np
import pytest

from retrieval.embedding import bundled_embedder
from retrieval.late_interaction import TokenVectors, maxsim

UP, RIGHT = (0.0, 1.0), (1.0, 0.0)


def vectors(**tokens: tuple[float, float]) -> TokenVectors:
    """Tokens with vectors on a plane."""
    return TokenVectors(tuple(tokens), np.array(list(tokens.values()), dtype=np.float32))


def test_each_token_is_held_against_its_nearest() -> None:
    """The mean of the largest cosines: one token is said, the other stands at a right angle."""
    question = vectors(disk=UP, full=RIGHT)
    assert maxsim(question, vectors(disk=UP)) == pytest.approx(0.5)
    assert maxsim(question, vectors(volume=UP, full=RIGHT)) == pytest.approx(1.0)


def test_what_says_nothing_counts_only_when_there_is_nothing_else() -> None:
    """Stop words and signs are left aside."""
    question = TokenVectors(
        ("[CLS]", "the", "disk", "?"), np.array([RIGHT, RIGHT, UP, RIGHT], dtype=np.float32)
    )
    assert maxsim(question, vectors(disk=UP)) == pytest.approx(1.0)
    assert maxsim(vectors(the=UP), vectors(disk=RIGHT)) == pytest.approx(0.0)


async def test_a_passage_says_what_it_answers_and_not_what_its_neighbour_does() -> None:
    """The bundled model: the same words of another thing say less of the question."""
    question = "the conntrack table of a node is nearly full"
    passages = [
        "Node runs out of conntrack entries: raise nf_conntrack_max, the table is full.",
        "Node runs out of disk: free some space, the volume is nearly full.",
    ]
    async with bundled_embedder() as embedder:
        found = await embedder.maxsim(question, passages)
        nothing = await embedder.maxsim(question, [])
        odd = await embedder.maxsim("\ud800", ["", "?"])
    assert found is not None
    answer, neighbour = found
    assert answer > neighbour + 0.1
    assert nothing == []
    assert odd is not None
    assert all(-1.001 <= each <= 1.001 for each in odd)


async def test_a_question_waits_for_no_readings_of_others() -> None:
    """Its vector is there before the passages of those that asked first are read."""
    read: list[int] = []

    async def reading(number: int) -> None:
        await embedder.maxsim(f"question {number}", ["The disk is full, free some. " * 40] * 2)
        read.append(number)

    async with bundled_embedder() as embedder, asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(reading(number))
        await asyncio.sleep(0)
        await embedder.embed_query("is the disk full?")
        assert len(read) <= 1
    assert read == [0, 1, 2, 3, 4]
