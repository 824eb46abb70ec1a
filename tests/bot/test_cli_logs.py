"""The commands that read and remove what was asked: `trace`, `stats`, `forget`."""

from tests.bot.test_cli import footnote

ASKED = "what does ERR_5032 mean?"


def test_what_was_asked_is_told_and_forgotten(corpus_url: str) -> None:
    """Results stand on standard output; nothing is removed without --yes, and then for real."""
    url = {"FOOTNOTE_DATABASE_URL": corpus_url}
    assert footnote("ask", ASKED, "--json", **url).code == 0
    traced = footnote("trace", **url)
    assert (traced.code, traced.err) == (0, "")
    assert ASKED in traced.out
    assert "search" in traced.out
    stats = footnote("stats", **url)
    assert (stats.code, stats.err) == (0, "")
    assert "1 cited" in stats.out
    (turn,) = footnote("trace", "--json", **url).json()["turns"]
    thread = turn["session"]
    kept = footnote("forget", "--thread", thread, **url)
    assert kept.code == 2
    assert kept.sentence() == "footnote: Nothing was forgotten: add --yes."
    gone = footnote("forget", "--thread", thread, "--yes", "--json", **url).json()
    assert (gone["sessions"], gone["turns"], gone["events"]) == (1, 1, 2)
    assert footnote("forget", "--thread", thread, "--yes", "--json", **url).json()["turns"] == 0
    assert footnote("stats", "--json", **url).json()["groups"] == []


def test_forget_wants_to_know_what(corpus_url: str) -> None:
    """One thing, named rightly."""
    url = {"FOOTNOTE_DATABASE_URL": corpus_url}
    for wrong in ((), ("--user", "U1", "--channel", "C1"), ("--thread", "12.3")):
        ended = footnote("forget", *wrong, "--yes", **url)
        assert ended.code == 2
        ended.sentence()
