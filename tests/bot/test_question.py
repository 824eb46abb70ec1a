"""Filters in a message's words, and what a short message means in its thread."""

import pytest

from bot.question import Question, in_thread, is_complete, parse


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("why slow service:payments", Question("why slow", ("payments",))),
        (
            "service:payments,checkout type:runbook why",
            Question("why", ("payments", "checkout"), ("runbook",)),
        ),
        ('why type:"post mortem"', Question("why", (), ("post mortem",))),
        ("why SERVICE=Payments doc_type:x", Question("why", ("payments",), ("x",))),
        (
            "error in myservice:9100 and type: what",
            Question("error in myservice:9100 and type: what"),
        ),
        ("service:a service:a service:b", Question("", ("a", "b"))),
    ],
)
def test_filters_are_taken_out_of_the_words(text: str, question: Question) -> None:
    """Only whole words `service:…` and `type:…` are filters."""
    assert parse(text) == question


TOPIC = "how do I roll back a deploy of the checkout service?"


@pytest.mark.parametrize("text", ["and in staging?", "what about staging?", "why?", "is it safe?"])
def test_short_follow_ups_are_joined_with_the_topic(text: str) -> None:
    """They mean nothing alone."""
    assert in_thread(text, [TOPIC]) == f"{TOPIC}\n{text}"


def test_the_topic_is_the_last_question_that_stood_alone() -> None:
    """A chain of follow-ups doesn't pile up."""
    assert in_thread("and why?", [TOPIC, "and in staging?"]) == f"{TOPIC}\nand why?"


@pytest.mark.parametrize(
    "text",
    [
        "and ERR_5020?",
        "KubePodCrashLooping?",
        "how do I rotate the kafka broker certificates before they expire?",
    ],
)
def test_messages_that_speak_for_themselves_stay_alone(text: str) -> None:
    """A name, a code or a whole question changes the subject."""
    assert in_thread(text, [TOPIC]) == text


def test_the_first_message_of_a_thread_stays_alone() -> None:
    """There is nothing to join it with."""
    assert in_thread("why?", []) == "why?"


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("checkout is slow", True),
        ("can I deploy on friday", True),
        ("is it safe to delete WAL files", True),
        ("is there a dashboard for refunds", True),
        ("is it safe?", False),
        ("does it delete WAL files", False),
        ("and staging deploys", False),
        ("without any downtime", False),
        ("why?", False),
    ],
)
def test_complete_messages_are_told_from_parts(text: str, *, complete: bool) -> None:
    """Two telling words or more that point to nothing and go on from nothing."""
    assert is_complete(text) is complete
