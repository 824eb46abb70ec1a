"""A passage that has a pasted text word for word, and one that only shares a phrase with it."""

import pytest

from retrieval.quoting import quotes

PAGE = (
    'It logs: "remaining connection slots are reserved", and the CPU utilization is too high. E42.'
)


@pytest.mark.parametrize(
    "question",
    [
        "FATAL: remaining connection slots are reserved for superusers",
        "remaining connection slots are reserved",
        "what does E42 mean?",
    ],
)
def test_a_pasted_text_is_recognised(question: str) -> None:
    """Most of its words in a row, or its code."""
    assert quotes(question, PAGE)


@pytest.mark.parametrize(
    "question",
    [
        "graylog journal utilization is too high",
        "the CPU utilization is",
        "remaining slots of the connection are reserved",
        "what does E43 mean?",
        "",
    ],
)
def test_a_phrase_is_no_quotation(question: str) -> None:
    """What others say of other things in the same words proves nothing."""
    assert not quotes(question, PAGE)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["a " * 4_000, "the " * 2_000, "E1 " * 2_600, "ab cd " * 1_300])
def test_a_pasted_log_costs_no_time(text: str) -> None:
    """Thousands of words that tell nothing, or codes: looked for in about linear time."""
    assert not quotes(text, PAGE * 20)
