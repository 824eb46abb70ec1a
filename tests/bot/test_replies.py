"""What Slack shows of each outcome, within Slack's limits, and without a ping or a broken block."""

from dataclasses import replace
from datetime import date

import pytest

from bot.outcome import Citation, Outcome, Searched, StopReason, dump, load
from bot.playground.elements import elements
from bot.playground.limits import check_message
from bot.replies import Around, Reply, forms, messages, render, render_question
from bot.replies.ids import ADD, CHUNK, CORRECT, EVERYWHERE, ONCALL, SHARE, VOTE, WHY
from bot.replies.parts import split_markdown
from bot.thread_buttons import EVERYTHING, MUTE
from retrieval.documents import Near, Passage

EVIL = "<!channel> <@U1> *bold* `code` | pipe\nnew line & <script>"
PASSAGE = Passage(
    chunk_id="c1",
    document_id="d1",
    source="payments/error-codes.md",
    title="Payment error codes",
    heading="Table of codes",
    context="",
    page=3,
    service="payments",
    doc_type="runbook",
    link="https://wiki.example/codes",
    text="| ERR_5032 | refund exceeds capture |\n|---|---|\n```sh\ncurl x\n```",
)
CITED = Outcome(
    stop_reason="cited",
    answer="- Compare with the ledger. [1]\n\n```sh\npsql <x >y && z\n```",
    citations=(Citation(1, PASSAGE),),
    passages=(PASSAGE,),
    searched=(Searched("ERR_5032", ("payments",), ("runbook",)),),
    best_distance=0.3,
    timings_ms={"total": 12.5},
)
NO_MATCH = Outcome(
    stop_reason="no_match",
    passages=(PASSAGE,),
    nearest=(Near("Payment error codes", "s.md", "payments", "https://wiki.example/codes", 0.7),),
    searched=(Searched("kafka", ("payments",)),),
    max_distance=0.58,
)


def section_texts(reply: Reply) -> list[str]:
    """Return the texts of the sections."""
    return [block["text"]["text"] for block in reply.blocks if block["type"] == "section"]


def test_a_cited_answer_shows_its_sources() -> None:
    """Title › heading, page, service, type, excerpt and link stand below the answer."""
    reply = render(CITED)
    assert reply.blocks[0]["type"] == "markdown"
    assert "psql <x >y && z" in reply.blocks[0]["text"]
    (source,) = section_texts(reply)
    assert source.startswith("*[1]* *<https://wiki.example/codes|Payment error codes › Table")
    for part in ("p. 3", "payments", "runbook", "> ERR_5032 · refund exceeds capture"):
        assert part in source
    assert "service payments and type runbook" in str(reply.blocks[-1])
    assert "[1] Payment error codes" in reply.text


def test_marks_are_shown_and_footnotes_stay() -> None:
    """A mark stands after its claim as it was written, and the excerpt is still the quoted one."""
    marked = "- refund exceeds capture [1] ⚠ not in the cited passage: `ERR_9`"
    reply = render(replace(CITED, answer=marked))
    linked = marked.replace("[1]", "[[1](https://wiki.example/codes)]")
    assert reply.blocks[0]["text"] == linked
    assert "refund exceeds capture" in section_texts(reply)[0]


def test_no_match_says_what_was_searched_and_what_is_near() -> None:
    """The reader learns the words, the filter, the nearest titles and what to do next."""
    reply = render(NO_MATCH)
    shown = str(reply.blocks)
    for part in ("No match", "“kafka” in service payments", "Payment error codes", "not close"):
        assert part in shown
    assert reply.text.startswith("No match")
    assert "Payment error codes" in reply.text


def test_an_empty_mention_gets_a_hint() -> None:
    """Nothing was searched, so nothing is said of a search."""
    assert "Ask me a question" in render(Outcome(stop_reason="no_match")).text


@pytest.mark.parametrize("stop_reason", ["uncited", "budget", "error", "cancelled", "superseded"])
def test_every_stop_reason_has_a_reply(stop_reason: StopReason) -> None:
    """Whatever a turn comes to, somebody can read it."""
    reply = render(Outcome(stop_reason=stop_reason, passages=(PASSAGE,), incident="ab12"))
    assert reply.text
    assert section_texts(reply)
    assert ("ab12" in reply.text) == (stop_reason == "error")


def test_nothing_pings() -> None:
    """Titles, headings, services, excerpts, notes and questions are all untrusted."""
    evil = replace(
        PASSAGE, title=EVIL, heading=EVIL, service=EVIL, doc_type=EVIL, text=EVIL, link=None
    )
    outcomes = [
        replace(
            CITED, answer=f"{EVIL} [1]", citations=(Citation(1, evil),), notes=(EVIL,),
            searched=(Searched(EVIL, (EVIL,), (EVIL,)),),
        ),
        replace(NO_MATCH, nearest=(Near(EVIL, EVIL, EVIL, None, None),), notes=(EVIL,),
            searched=(Searched(EVIL, (EVIL,)),)),
        replace(NO_MATCH, stop_reason="uncited", passages=(evil,)),
    ]  # fmt: skip
    for outcome in outcomes:
        reply = render(outcome)
        assert "<!" not in reply.text + str(reply.blocks)
        assert "<@" not in reply.text + str(reply.blocks)
    asked = render_question("U1", EVIL, [EVIL], [EVIL])
    assert asked.text.count("<@") == 1  # the one who asked
    assert "<!" not in asked.text + str(asked.blocks)


def test_long_outcomes_stay_within_the_limits() -> None:
    """50 blocks, 3,000 characters a section, 12,000 of Markdown, 4,000 of text."""
    long = replace(PASSAGE, title="t" * 500, heading="h" * 500, text="word " * 5_000)
    code = "```sh\n" + "echo <x>\n" * 3_000 + "```"
    outcome = replace(
        CITED,
        answer=f"First. [1]\n{code}\n",
        citations=tuple(Citation(number, long) for number in range(1, 60)),
        notes=("n" * 1_000,) * 3,
    )
    shown = messages(render(outcome, Around(turn="t1", oncall="S1")))
    assert len(shown) > 1
    for reply in shown:
        check_message(reply.text, reply.blocks, [], update=True)
    answer = [each["text"] for reply in shown for each in reply.blocks if "markdown" in str(each)]
    assert all(each.count("```") in {0, 2} for each in answer)
    assert str(shown).count("echo <x>") == 3_000


@pytest.mark.parametrize("link", ["https://wiki.example/a (b)[c]", "ftp://x", None])
def test_markers_lead_to_their_source(link: str | None) -> None:
    """Outside code a marker is a link to a web address, and `[1]` is read in any case."""
    passage = replace(PASSAGE, link=link)
    answer = "Roll back. [1] `arr[1]`\n\n```sh\necho $a[1]\n```"
    reply = render(replace(CITED, answer=answer, citations=(Citation(1, passage),)))
    address = "https://wiki.example/a%20%28b%29%5Bc%5D"
    marker = f"[[1]({address})]" if link and link.startswith("https") else "[1]"
    assert reply.blocks[0]["text"] == answer.replace("back. [1]", f"back. {marker}")


def test_links_that_take_too_much_are_left_out() -> None:
    """An answer stays within what Slack takes, however long the addresses are."""
    passage = replace(PASSAGE, link="https://wiki.example/" + "x" * 900)
    outcome = replace(CITED, answer="Yes. [1]\n" * 100, citations=(Citation(1, passage),))
    for reply in messages(render(outcome)):
        check_message(reply.text, reply.blocks, [], update=True)


def test_age_and_owner_stand_beside_a_source() -> None:
    """Whoever reads an old page at night knows it, and whom to ask about it."""
    around = Around("t1", {"d1": date(2024, 5, 1)}, {"payments": "C7"})
    (source,) = section_texts(render(CITED, around))
    assert "payments · runbook · as of 2024-05-01 · owner <#C7>" in source


TABLE = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | x |" for n in range(200))
PARTS = f"First.\n\n```sh\n{'echo one' + chr(10)}```\n\n{TABLE}\n\n- last"


@pytest.mark.parametrize("most", [60, 200, 1_000])
def test_long_markdown_is_cut_between_its_parts(most: int) -> None:
    """No part is too long; code is whole or closed, and every part of a table has its header."""
    parts = split_markdown(PARTS, most)
    assert all(len(part) <= most for part in parts)
    for part in parts:
        assert part.count("```") % 2 == 0
        if "| x |" in part:
            assert part[part.index("|") :].startswith("| a | b |\n|---|---|\n|")
    rows = [line for part in parts for line in part.split("\n") if line.endswith("| x |")]
    assert rows == TABLE.split("\n")[2:]


def test_what_fits_is_not_cut() -> None:
    """Markdown stays as it was written."""
    assert split_markdown(PARTS, 100_000) == [PARTS]


def test_each_form_is_plainer_than_the_last() -> None:
    """Slack's own blocks go first, then everything but paragraphs, then all blocks."""
    shown = list(forms(render(CITED, Around(turn="t1"))))
    kinds = [{each["type"] for each in form.get("blocks", [])} for form in shown]
    assert "context_actions" in kinds[0]
    assert kinds[1] == kinds[0] - {"context_actions"}
    assert kinds[2] == {"section"}
    assert "psql &lt;x &gt;y &amp;&amp; z" in str(shown[2])
    assert kinds[3:] == [set(), set()]
    for form in shown:
        check_message(form["text"], form.get("blocks", []), [], update=True)


def test_buttons_come_with_a_turn() -> None:
    """Without one there is nothing to click; wider search and on-call only where they help."""
    assert "footnote:" not in str(render(NO_MATCH))
    everywhere = replace(NO_MATCH, searched=(Searched("kafka"),))
    for outcome, around, there in [
        (NO_MATCH, Around("t1"), {EVERYWHERE, ADD, WHY}),
        (NO_MATCH, Around("t1", oncall="S1"), {EVERYWHERE, ONCALL, ADD, WHY}),
        (everywhere, Around("t1"), {ADD, WHY}),
        (CITED, Around("t1"), {CHUNK, CORRECT, VOTE, WHY, EVERYTHING, MUTE}),
        (replace(NO_MATCH, stop_reason="uncited"), Around("t1"), {VOTE, WHY}),
        (CITED, Around("t1", private=True), {CHUNK, CORRECT, SHARE, VOTE, WHY}),
        (NO_MATCH, Around("t1", private=True), {EVERYWHERE, ADD, SHARE, WHY}),
        (replace(NO_MATCH, stop_reason="error"), Around("t1", private=True), {VOTE, WHY}),
    ]:
        reply = render(outcome, around)
        assert {each.action_id for each in elements(reply.blocks)} == there


def test_an_outcome_survives_its_storage() -> None:
    """A retry renders exactly what was committed."""
    for outcome in (CITED, NO_MATCH):
        assert load(dump(outcome)) == outcome
