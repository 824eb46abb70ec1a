"""Mistyped words are read as words that were found; what is only unknown is let stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.spelling import misspelt, respelled

PAGE = "Ceph › Near full\nReload the config of Alertmanager; kubemacpool is down, see logs, a link."


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cehp", "ceph"),  # swapped
        ("alertmanger", "alertmanager"),  # left out
        ("kubmacpool", "kubemacpool"),
        ("confg", "config"),
        ("relaod", "reload"),
        ("alerttmanager", "alertmanager"),  # put in
        ("Cofnig", "config"),
    ],
)
def test_a_slip_is_read_as_the_word_found(typed: str, meant: str) -> None:
    """A letter left out, put in, or swapped with the next, whatever the case."""
    question = f"is {typed} ok? ({typed})"
    read = misspelt(question, [PAGE])
    assert read == {typed.casefold(): meant}
    assert respelled(question, read) == f"is {meant} ok? ({meant})"


@pytest.mark.parametrize(
    "question",
    [
        "lots",  # logs: another letter in the place of one
        "flink",  # link: the first letter
        "fullx",  # full: the last one
        "dow",  # too short to tell
        "form",  # a swapped `from` is a word that says nothing, on the page as well
        "reload",  # it is there
        "cehp_osd",  # no plain word
        "https://cehp.io/confg",
        "cehp-osd",  # one letter tells it from another service
        "db-confg",
        "--confg",
        "confg=relaod",
        "KubMacPool alertManger",
        "kafka",
        "",
    ],
)
def test_what_is_only_unknown_is_let_stand(question: str) -> None:
    """Nothing is read into a word that is no slip, nor into an identifier or an address."""
    page = PAGE.replace("from ", "")
    assert misspelt(question, [page]) == {}


def test_of_several_the_one_said_most_often() -> None:
    """Two words are one slip away: the page says one of them twice."""
    assert misspelt("retrn", ["retorn", "return the lease, return it"]) == {"retrn": "return"}


def test_a_pasted_log_is_let_stand() -> None:
    """What has dozens of unknown words has no slips, and no sentence could tell of them."""
    slips = "cehp alertmanger kubmacpool confg relaod"
    others = " ".join(f"unknown{letter}" for letter in "abcdefghijklm")
    assert len(misspelt(slips, [PAGE])) == 5
    assert misspelt(f"{slips} {others}", [PAGE]) == {}


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=4))
def test_any_text_can_be_read(question: str, texts: list[str]) -> None:
    """Whatever is typed and found: every reading is a word found, and nothing else changes."""
    read = misspelt(question, texts)
    found = "\n".join(texts).casefold()
    assert all(meant in found and word not in found for word, meant in read.items())
    if not read:
        assert respelled(question, read) == question
