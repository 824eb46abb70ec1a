"""What Slack shows of each outcome, within Slack's limits, and without a ping or a broken block."""

from dataclasses import replace

import pytest

from bot.outcome import Citation, Outcome, Searched, StopReason, dump, load
from bot.replies import Reply, render, render_question
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
    assert reply.blocks[0]["text"] == marked
    assert "refund exceeds capture" in section_texts(reply)[0]


def test_no_match_says_what_was_searched_and_what_is_near() -> None:
    """The reader learns the words, the filter, the nearest titles and what to do next."""
    reply = render(NO_MATCH)
    shown = str(reply.blocks)
    for part in ("No match", "“kafka” in service payments", "Payment error codes", "without the"):
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
    reply = render(outcome)
    assert len(reply.blocks) <= 50
    assert len(reply.text) <= 4_000
    assert len(reply.blocks[0]["text"]) <= 12_000
    assert reply.blocks[0]["text"].count("```") == 2
    assert all(len(text) <= 3_000 for text in section_texts(reply))


def test_an_outcome_survives_its_storage() -> None:
    """A retry renders exactly what was committed."""
    for outcome in (CITED, NO_MATCH):
        assert load(dump(outcome)) == outcome
