"""Words that are looked for, and what is written in one word there and in two here."""

import pytest

from retrieval.tokens import index_tokens
from retrieval.words import Words


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("fail over", "failover"),
        ("failing over", "Failover"),
        ("failover", "fails over"),
        ("roll back", "rollback"),
        ("rollbacks", "rolled back"),
        ("time-out", "timeouts"),
        ("timeout", "time-outs"),
        ("timeout", "it timed out"),
        ("log in", "login"),
        ("shutdown", "shutting down"),
        ("set up", "setup"),
    ],
)
def test_compounds_match_in_either_form(asked: str, text: str) -> None:
    """A question in two words finds a page in one, and the other way round, in any form."""
    assert Words.of(asked).share(index_tokens(text)) == 1.0


@pytest.mark.parametrize("text", ["the disk. Over there", "in/out", "what is up"])
def test_no_compound_where_there_is_none(text: str) -> None:
    """Not across a full stop, not in a path, not with a word that says nothing by itself."""
    assert not Words.of(text).parts


def test_the_share_is_of_words_not_of_forms() -> None:
    """What is wanted counts once, however it is written, and a half is a half."""
    asked = Words.of("fail over the whale")
    assert asked.share(index_tokens("failover")) == pytest.approx(2 / 3)
    assert asked.share(index_tokens("fail over")) == pytest.approx(2 / 3)
    assert asked.share(index_tokens("whale")) == pytest.approx(1 / 3)
    assert Words.of("").share(["whale"]) == 0.0
