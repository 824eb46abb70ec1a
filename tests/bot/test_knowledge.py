"""The pure parts of what comes in from Slack: versions, receipts, threads, dropped files."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.knowledge.receipts import receipt
from bot.knowledge.results import Result
from bot.knowledge.threads import as_markdown, pieces, title_of
from bot.knowledge.versions import Changes, as_json, compare, of_json, version
from bot.listeners.drops import dropped
from retrieval.catalogue import Piece
from retrieval.chunking import chunk
from retrieval.readers.reading import read

BOT = "U0BOT"


def stored(markdown: str) -> list[Piece]:
    """Return a document's chunks as the catalogue gives them."""
    document = read("a.md", markdown.encode(), source="a.md")
    return [
        Piece(each.id, each.position, each.start, each.end, each.page, each.heading, "", each.text)
        for each in chunk(document)
    ]


def test_versions_are_compared_by_section() -> None:
    """New, gone and changed headings are told apart; moving a section changes nothing."""
    before = version(stored("intro\n\n# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n"))
    after = version(stored("intro\n\n# C\n\nthree\n\n# B\n\ntwo!\n\n# D\n\nfour\n"))
    assert compare(before, after) == Changes(added=("D",), removed=("A",), changed=("B",))
    assert compare(before, before) == Changes()
    assert of_json(as_json(before)) == before
    assert version([]) == {}


def test_a_long_section_is_one_section_however_it_is_cut() -> None:
    """Chunks overlap and part sections; the version doesn't see where."""
    long = "\n\n".join(f"Sentence number {n} of a long section." for n in range(200))
    found = version(stored(f"# Only\n\n{long}\n\n# Last\n\nend\n"))
    assert list(found) == ["Only", "Last"]
    changed = version(stored(f"# Only\n\n{long}\n\n# Last\n\nend.\n"))
    assert compare(found, changed) == Changes(changed=("Last",))


def test_a_receipt_pings_nobody_and_keeps_to_slacks_limits() -> None:
    """Titles, headings and reasons come from documents: none of them calls anybody."""
    evil = "<!channel> <@U123> `x` " * 40
    results = [
        Result(
            "changed",
            evil,
            document="d" * 32,
            title=evil,
            service=evil,
            doc_type=evil,
            link="https://docs.example/" + "a" * 900,
            sections=1,
            chunks=2,
            pages_without_text=tuple(range(1, 40)),
            duplicates=(evil,) * 5,
            suspicious=(evil,) * 9,
            changes=Changes((evil,) * 9, (evil,) * 9, (evil,) * 9),
        ),
        *[Result("failed", evil, evil)] * 9,
    ]
    text, blocks = receipt("U0ANA", results)
    assert "<!" not in text + str(blocks)
    assert "<@" not in (text + str(blocks)).replace("<@U0ANA>", "")
    assert len(blocks) <= 50
    assert all(len(each["text"]["text"]) <= 3_000 for each in blocks if "text" in each)
    again = Result.of_json(results[0].to_json())
    assert again.changes == results[0].changes


def said(user: str, text: str, **more: Any) -> dict[str, Any]:
    """A message of a thread."""
    return {"user": user, "text": text, "ts": "1.0", **more}


def test_a_thread_has_roles_for_names() -> None:
    """Who asked and who responded, in order; the bot is left out, mentions name roles."""
    thread = [
        said("U0ANA", f"<@{BOT}> Ledger is down, <@U0BEN>? See <https://wiki.example/a|the wiki>"),
        said("U0BEN", "restart it: `ledgerctl restart` &amp; wait"),
        said("U0BEN", "then check"),
        said(BOT, "From a runbook [1]", bot_id="B1"),
        said("U0PAGER", "", bot_id="B2", attachments=[{"text": "resolved"}]),
        said("U0CAT", "<!here> it worked, thanks <@U0ANA> and <@U0DOG>"),
    ]
    text = as_markdown(thread, BOT)
    assert text == (
        "**Asker:**\n\nLedger is down, @Responder 1? See the wiki\n\n"
        "**Responder 1:**\n\nrestart it: `ledgerctl restart` & wait\n\nthen check\n\n"
        "**Alert bot 1:**\n\nresolved\n\n"
        "**Responder 2:**\n\nit worked, thanks @Asker and @somebody"
    )
    assert title_of(thread, BOT) == "Ledger is down, @Responder 1? See the wiki"
    assert title_of([], BOT) == "A thread"


@given(st.text(alphabet="ab\n", max_size=200), st.integers(1, 20))
def test_pieces_of_a_text_are_the_text(text: str, longest: int) -> None:
    """No field of the form is too long, and together they hold every character."""
    found = pieces(text, longest)
    assert all(len(each) <= longest for each in found)
    assert "".join(found).replace("\n", "") == text.replace("\n", "")


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("ingest", True),
        ("please ingest this service:payments", True),
        ("Ingest!", True),
        ("why does ingest fail?", False),
        ("", False),
    ],
)
def test_which_messages_with_files_are_ingested(text: str, *, taken: bool) -> None:
    """Only the word itself; a question with a file stays a question."""
    event = {
        "type": "message",
        "channel": "D1",
        "channel_type": "im",
        "user": "U0ANA",
        "ts": "1.0",
        "text": text,
        "files": [{"id": "F1"}],
    }
    body = {"type": "event_callback", "team_id": "T1", "event": event}
    assert (dropped(body, BOT) is not None) == taken
    assert dropped({**body, "event": {**event, "files": []}}, BOT) is None
    assert dropped({**body, "event": {**event, "bot_id": "B1"}}, BOT) is None
    assert (
        dropped({**body, "event": {**event, "channel": "C1", "channel_type": "channel"}}, BOT)
        is None
    )
