"""A memory's words don't get out through what a model makes of them."""

from bot.memory.memories import Memory
from bot.memory.veil import Veil

TOLD = Memory("m1", 1, "FACT", "our staging cluster is called ORCHID and runs on ledger-7", 0.5)
ASKED = "how do I roll back a deploy of the staging cluster?"


def test_what_repeats_a_memory_is_taken_out() -> None:
    """Three words in a row, and names, whatever case and marks they are written with."""
    veil = Veil([TOLD], [ASKED])
    said = "As *your staging cluster is called* Orchid, stop it [1]."
    assert veil.text(said) == "As *your …, stop it [1]."
    assert veil.text("Log in to `ledger-7` first [1].") == "Log in to `…` first [1]."
    assert "orchid" not in veil.text("It runs on ORCHID.").lower()


def test_what_is_known_anyway_stays() -> None:
    """What stands in the question or in a passage may be said, and single plain words too."""
    veil = Veil([TOLD], [ASKED, "The cluster is called ORCHID; log in to ledger-7."])
    for fine in ("ORCHID needs a login on ledger-7 [1].", "The cluster runs on diesel [1].", ""):
        assert veil.text(fine) == fine
    assert Veil([], [ASKED]).text("anything at all") == "anything at all"


def test_a_memory_of_two_words_counts_whole() -> None:
    """However short it is."""
    veil = Veil([Memory("m1", 1, "FACT", "hates cucumber", 0.5)], [])
    assert veil.text("He hates cucumber, you see.") == "He …, you see."
