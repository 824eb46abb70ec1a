"""Every kind of reply, as Slack would take it and as the playground's page draws it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from bot.outcome import Citation, Outcome, Searched
from bot.playground import Playground
from bot.playground.elements import elements, with_ids
from bot.playground.limits import check_message, check_view
from bot.playground.messages import Message
from bot.playground.render.blocks import render_block, render_message
from bot.playground.render.nodes import Node, text_of
from bot.playground.render.scene import Scene
from bot.replies import (
    Around,
    Reply,
    forms,
    messages,
    render,
    render_interrupted,
    render_pointer,
    render_question,
)
from bot.replies.chunk import chunk_view
from bot.replies.correction import correction_form
from bot.replies.gaps import render_gaps
from bot.replies.notices import render_notice, render_same_alert
from bot.replies.why import why_view
from bot.steps import Step
from bot.why import Chunk, Why
from retrieval.documents import Near
from tests.bot.test_replies import CITED, EVIL, NO_MATCH, PASSAGE

AROUND = Around("t1", {"d1": date(2024, 5, 1)}, {"payments": "C7"}, "S1")
TABLE = "| code | meaning |\n|---|---|\n" + "| ERR_5032 | too much |\n" * 400
LONG = replace(
    CITED,
    answer=f"First this. [1]\n\n```sh\n{'kubectl get pods' + chr(10)}```\n\n{TABLE}\nDone. [1]",
)
BARE = replace(PASSAGE, link=None)
FOLLOW_UP = replace(CITED, citations=(Citation(1, BARE),), notes=("The reranker is down.",))
ALERT = replace(CITED, notes=("I looked this up because alert watch is on in this channel.",))
HEARD = replace(CITED, heard="how do I compare with the ledger?")
UNCITED = replace(NO_MATCH, stop_reason="uncited", incident="ab12")
KINDS = {
    "answer": (render(CITED, AROUND), ("[1]", "psql <x >y && z", "as of 2024-05-01", "Why this")),
    "long answer": (render(LONG, AROUND), ("kubectl get pods", "ERR_5032", "Done.")),
    "follow-up": (render(FOLLOW_UP, AROUND), ("[1]", "Show", "reranker is down")),
    "alert": (render(ALERT, AROUND), ("[1]", "alert watch is on")),
    "same alert": (render_same_alert("https://x.example", 600), ("10 minutes", "runbook")),
    "heard": (render(HEARD, AROUND), ("Heard: “how do I compare", "[1]")),
    "no match": (render(NO_MATCH, AROUND), ("not close", "Search all services", "Ask the on-")),
    "hint": (render(Outcome(stop_reason="no_match"), AROUND), ("Ask me a question",)),
    "uncited": (render(UNCITED, AROUND), ("closest chunks", "ab12", "Payment error codes")),
    "budget": (render(replace(UNCITED, stop_reason="budget"), AROUND), ("ran out of time", "ab12")),
    "error": (render(replace(UNCITED, stop_reason="error"), AROUND), ("failed", "ab12")),
    "stopped": (render(Outcome(stop_reason="cancelled"), AROUND), ("Stopped",)),
    "pointer": (render_pointer("t1", [PASSAGE]), ("Reading these", "Table of codes", "Stop")),
    "interrupted": (render_interrupted("t1"), ("being restarted", "Stop")),
    "no pointer": (render_pointer("t1", []), ("in other words", "Stop")),
    "question": (render_question("U1", "why?", ["payments"], []), ("why?", "payments")),
    "notice": (
        render_notice("unhelpful", "C1", None, "C2", "why?", "https://x.example", [("wrong", "y")]),
        ("why?", "It is wrong: y", "Go to the question"),
    ),
    "on-call": (render_notice("oncall", "S1", "U1", "C1", "why?", None), ("why?",)),
    "gaps": (Reply("Gaps", render_gaps([])), ("Nothing was left",)),
}


def kinds_of(nodes: list[Node]) -> Iterator[str]:
    """Give the kind of each node of a tree."""
    for node in nodes:
        if not isinstance(node, str):
            yield str(node.get("kind", ""))
            yield from kinds_of(node["children"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_of_every_kind(kind: str) -> None:
    """Slack takes it in each of its forms, and the page draws all of it, nothing as raw JSON."""
    slack = Playground()
    reply, said = KINDS[kind]
    drawn = ""
    for part in messages(reply):
        for form in forms(part):
            check_message(form["text"], form.get("blocks", []), [], update=True)
        bot = slack.workspace.bot
        message = Message(
            "1.0", "C1", bot.id, part.text, blocks=with_ids(part.blocks), bot_id=bot.bot_id
        )
        nodes = render_message(message, Scene(slack.workspace))
        assert "unknown" not in set(kinds_of(nodes))
        drawn += text_of(nodes)
    for words in said:
        assert words in drawn


STEP = Step(
    "search",
    12.0,
    {
        "by": "question",
        "query": EVIL,
        "services": ["payments"],
        "doc_types": [],
        "no_match": False,
        "best_distance": 0.31,
        "passages": 4,
        "candidates": [
            {"chunk_id": "c1", "vector_rank": 1, "distance": 0.31, "keyword_rank": None}
            | {"rrf_score": 0.0164, "rerank_score": 2.5},
            {"chunk_id": "gone", "vector_rank": None, "distance": None, "keyword_rank": 1}
            | {"rrf_score": 0.016, "rerank_score": None},
        ],
    },
)
STEPS = (
    STEP,
    Step("memory", 1.0, {"memories": ["m1", "m2", "m3"]}),  # recalled; two of them used
    Step("model", 1500.0, {"prompt_tokens": 100, "completion_tokens": 20}),
    Step("correction", None, {}),
)
CHUNKS = {"c1": Chunk("c1", "Codes", "Table", "payments", datetime(2024, 5, 1, tzinfo=UTC), "abcd")}
EVERYTHING = Why("t1", replace(CITED, model="qwen", max_distance=0.58, memories=2), STEPS, CHUNKS)
SECRET = replace(
    PASSAGE, title=EVIL, text=f"{EVIL}\n```sh\nkubectl <x> && y\n```\nafter", link=None
)
VIEWS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "why": (
        why_view(EVERYTHING),
        (
            *(
                "Codes › Table",
                "no. 1 by meaning",
                "not found by words",
                "fused score 0.0164",
                "score 2.50",
                "is gone",
            ),
            *("qwen", "1.5 s", "120 tokens", "corrected once", "2 used", "2024-05-01", "abcd"),
        ),
    ),
    "why, without a model": (why_view(Why("t1", NO_MATCH, (), {})), ("none", "near enough")),
    "chunk": (chunk_view(1, SECRET), ("kubectl <x> && y", "after", "<!channel> <@U1> bold")),
    "correction": (correction_form("t1", "C1"), ("What is wrong?", "It is out of date")),
}


@pytest.mark.parametrize("kind", VIEWS)
def test_a_modal_of_every_kind(kind: str) -> None:
    """Slack takes it, the page draws it, and nothing of a document in it can call anybody."""
    view, said = VIEWS[kind]
    check_view(view, "modal")
    scene = Scene(Playground().workspace)
    nodes = [render_block(each, scene) for each in with_ids(view["blocks"])]
    assert "unknown" not in set(kinds_of(nodes))
    drawn = text_of(nodes) + str([each.block for each in elements(view["blocks"])])
    for words in said:
        assert words in drawn
    mrkdwn = [each["text"]["text"] for each in view["blocks"] if each["type"] == "section"]
    assert "<!" not in str(mrkdwn)
    assert "<@" not in str(mrkdwn)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            {"best_distance": 0.31, "confidence": 0.84},
            "sure enough (score 0.84, 0.46 is needed), 4",
        ),
        (
            {"best_distance": 0.31, "confidence": 0.2, "no_match": True},
            "not sure enough (score 0.20, 0.46 is needed), so no match",
        ),
        (
            {"best_distance": 0.72, "confidence": 0.84, "no_match": True},
            "over 0.58 is too far), so no match",
        ),
        ({"best_distance": 0.72, "confidence": 1.0}, "but one has the very words or code, 4 read"),
    ],
)
def test_why_names_the_gate_that_decided(found: dict[str, Any], words: str) -> None:
    """Each verdict follows from what stands before it, and no score reads like a probability."""
    step = replace(STEP, data={**STEP.data, "min_confidence": 0.46, **found})
    shown = str(why_view(replace(EVERYTHING, steps=(step,))))
    assert words in shown
    assert "%" not in shown


def test_a_notice_calls_only_the_oncall() -> None:
    """What was asked can't call anybody; the group or person who is to come is called once."""
    for target, call in [("S1", "<!subteam^S1>"), ("U7", "<@U7>")]:
        reply = render_notice("oncall", target, "U2", "C1", EVIL, None)
        shown = reply.text + str(reply.blocks)
        assert reply.text.startswith(call)
        assert shown.replace(call, "").replace("<@U2>", "").count("<@") == 0
        assert shown.replace(call, "").count("<!") == 0
    owners = render_notice("no_match", "C9", None, "C1", EVIL, None, [(None, EVIL)])
    assert "<@" not in owners.text + str(owners.blocks)
    assert "<!" not in owners.text + str(owners.blocks)


def test_far_and_near_have_words() -> None:
    """Three distances, three ways to say it; without an embedder none is said."""

    def near(distance: float | None) -> str:
        found = Near("T", "s.md", "payments", None, distance)
        return str(render(replace(NO_MATCH, nearest=(found,), max_distance=0.5)).blocks)

    assert "close, but" in near(0.45)
    assert "not close" in near(0.5)
    assert "far off" in near(0.7)
    assert "off" not in near(None).partition("T · payments")[2][:20]


@pytest.mark.parametrize(
    ("question", "hints"),
    [("ERR_9999", 0), ("what is KubePodCrashLooping?", 0), ("refunds are late", 1)],
)
def test_who_gave_the_code_is_not_told_to(question: str, hints: int) -> None:
    """The hint to try an alert's name or an error text is for questions that have neither."""
    shown = str(render(replace(NO_MATCH, searched=(Searched(question),))).blocks)
    assert shown.count("exact error text") == hints
    assert "worth writing" in shown


def test_a_search_without_a_filter_says_so() -> None:
    """Nobody has to guess where it was searched."""
    everywhere = replace(CITED, searched=(Searched("x"),))
    assert "all services and types" in str(render(everywhere).blocks)
