"""The tools of the project, as a model calls them."""

from typing import Any

import pytest

from bot.tools import TryAgain
from retrieval.documents import Filters, Near, Section
from tests.bot.tools.calls import Library, passage, run

MINE = Filters(services=("payments", "ledger"), team="T1", audience="C1")


async def test_a_search_keeps_the_rights_of_whoever_asks() -> None:
    """Team and channel always apply; a service is narrowed to, in small letters."""
    library = Library((passage(),), filters=Filters(team="T1", audience="C1"))
    result = await run("search", {"query": "lag", "service": "Payments"}, library)
    assert result.passages == library.found
    await run("search", {"query": "lag", "doc_type": " runbook ", "service": ""}, library)
    await run("search", {"query": "lag"}, library)
    assert [each for _, each in library.asked] == [
        Filters(("payments",), (), "T1", "C1"),
        Filters((), ("runbook",), "T1", "C1"),
        Filters((), (), "T1", "C1"),
    ]


async def test_a_search_never_leaves_the_questions_filters() -> None:
    """Narrower is fine, elsewhere is refused with the reason, and nothing was searched there."""
    library = Library((passage(),), filters=MINE)
    await run("search", {"query": "lag"}, library)
    await run("search", {"query": "lag", "service": "ledger"}, library)
    with pytest.raises(
        TryAgain, match="limited to the service payments, ledger: leave `service` out"
    ):
        await run("search", {"query": "lag", "service": "search"}, library)
    assert [each.services for _, each in library.asked] == [("payments", "ledger"), ("ledger",)]


async def test_a_search_that_finds_nothing_says_so() -> None:
    """No match names the nearest titles; a service that nothing has is told as such."""
    near = (Near("Card errors", "s.md", "payments", None, 0.7),)
    result = await run("search", {"query": "wine"}, Library((passage(),), near, no_match=True))
    assert not result.passages
    assert result.text == (
        "NO_MATCH: nothing near enough. The nearest titles: Card errors (payments)."
        " Try other words, or reply NO_MATCH."
    )
    result = await run("search", {"query": "wine", "service": "cellar"}, Library(no_match=True))
    assert result.text.startswith("NO_MATCH: no document has this service and type.")


@pytest.mark.parametrize("name", ["S1fk", "s1FK", "[S1fk]", " S1fk ", "【S1fk】"])
async def test_a_section_is_read_by_the_id_that_the_model_knows(name: str) -> None:
    """In whatever form it is written; the question's filters go along."""
    section = Section((passage("c0"), passage("c1")), after=True)
    library = Library(known={"s1fk": passage("c1")}, sections={"c1": section}, filters=MINE)
    result = await run("read_document", {"id": name}, library)
    assert result.passages == section.passages
    assert result.text == "A part of the section; it goes on after these passages."
    assert library.asked == [("c1", MINE)]


@pytest.mark.parametrize(
    ("section", "told"),
    [
        (Section((passage(), passage("c2"))), "The whole section, in its order:"),
        (Section((passage(),), before=True, after=True), "goes on before and after these"),
        (Section((passage(),), alone=True), "has nothing more than this passage"),
        (Section((passage(), passage("c2")), alone=True), "a section of its own"),
    ],
)
async def test_it_is_told_how_much_of_the_section_this_is(section: Section, told: str) -> None:
    """Whole, in part, or a section of one chunk."""
    library = Library(known={"s1": passage("c1")}, sections={"c1": section})
    assert told in (await run("read_document", {"id": "S1"}, library)).text


async def test_only_what_was_shown_can_be_read_on() -> None:
    """A chunk's own id, somebody's guess, or a chunk that is gone: the model is told what to do."""
    library = Library(known={"s1fk": passage("gone")}, sections={"c1": Section((passage(),))})
    for name in ("c1", "S2xx"):
        with pytest.raises(TryAgain, match="no passage of that id"):
            await run("read_document", {"id": name}, library)
    with pytest.raises(TryAgain, match="search again"):
        await run("read_document", {"id": "S1fk"}, library)


@pytest.mark.parametrize(
    ("arguments", "zone", "expected"),
    [
        ({}, "UTC", "Tuesday, 2026-07-14 12:00:00+00:00 in UTC (UTC); 2026-07-14 12:00:00 UTC"),
        ({}, "Asia/Kolkata", "Tuesday, 2026-07-14 17:30:00+05:30 in Asia/Kolkata (IST);"),
        ({"zone": "America/New_York"}, "UTC", "08:00:00-04:00 in America/New_York (EDT);"),
        ({"zone": "pacific/auckland"}, "UTC", "Wednesday, 2026-07-15 00:00:00+12:00 in Pacific/"),
        ({"zone": "america/new york"}, "UTC", "in America/New_York"),
    ],
)
async def test_the_time_is_told_where_it_is_asked_for(
    arguments: Any, zone: str, expected: str
) -> None:
    """In the asker's zone unless another is named, and always in UTC and Unix time."""
    text = (await run("current_time", arguments, Library(zone=zone))).text
    assert expected in text
    assert text.endswith("2026-07-14 12:00:00 UTC; Unix time 1784030400")


@pytest.mark.parametrize(
    ("zone", "hint"),
    [
        ("Berlin", "did you mean Europe/Berlin?"),
        ("Europe/Munich", "did you mean "),
        ("PST", "did you mean America/Los_Angeles?"),
        ("Asia/Calcuta", "did you mean Asia/Calcutta"),
        ("new_york", "did you mean America/New_York"),
        ("../../etc/passwd", "give one such as Europe/Berlin or UTC."),
        ("America", "did you mean "),
        ("x" * 60, "give one such as Europe/Berlin or UTC."),
        ("\x00", "give one such as Europe/Berlin or UTC."),
    ],
)
async def test_an_unknown_zone_is_answered_with_near_ones(zone: str, hint: str) -> None:
    """A city alone, a wrong letter, a folder, a path: the model gets names to choose from."""
    with pytest.raises(TryAgain) as refused:
        await run("current_time", {"zone": zone})
    assert hint in str(refused.value)


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (0, "0: success."),
        (127, "127: the program wasn't found."),
        ("137", "137 = 128 + 9: ended by signal 9, SIGKILL, which can't be caught: the kernel"),
        (191, "191 = 128 + 63: ended by signal 63, see `kill -l`."),
        (42, "42: the program's own; its documentation says what it means."),
    ],
)
async def test_an_exit_status_is_explained(code: Any, meaning: str) -> None:
    """Signals, a shell's own, a program's own."""
    assert (await run("exit_code", {"code": code})).text.startswith(meaning)


async def test_sums_are_the_calculators() -> None:
    """A value, or what to do about there being none."""
    assert (await run("calculate", {"expression": "0.1 + 0.2"})).text == "0.3"
    with pytest.raises(TryAgain, match="more than about 1228 digits"):
        await run("calculate", {"expression": "2**10**10"})
    with pytest.raises(TryAgain, match="may have 300 characters at most"):
        await run("calculate", {"expression": "1+" * 200 + "1"})
