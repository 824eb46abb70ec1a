"""Which messages get an answer, and which get silence."""

import pytest

from bot.gate import is_question, silence

COURTESIES = [
    "thanks!",
    "Thank you so much :pray:",
    "thx that worked!! :tada:",
    "ok got it, thanks",
    "hi",
    "Hello team 👋",
    ":+1:",
    "👍",
    "lgtm",
    "that did the trick, cheers",
    "Good bot.",
    "nvm, fixed",
    "...",
]
QUESTIONS = [
    "how do I restart it?",
    "ERR_5032",
    "ok but how do I roll it back?",
    "thanks, and in staging?",
    "done?",
    "and ERR_5020?",
    "the disk is at 95% now",
    "thanks for nothing, checkout is still down",
    "restart the search cluster",
]
TALK = [
    "<@U0BEN> can you take this one?",
    "I'll restart it now",
    "I’m looking",
    "let me check the dashboard",
    "we're joining the call",
    "on it, will restart checkout",
]


@pytest.mark.parametrize("text", COURTESIES)
@pytest.mark.parametrize("kind", ["mention", "direct", "reply"])
def test_courtesies_get_silence(kind: str, text: str) -> None:
    """A courtesy is never answered, however it reached the bot."""
    assert silence(kind, text, ours=True) == "courtesy"  # pyright: ignore[reportArgumentType]  # parametrised


@pytest.mark.parametrize("text", QUESTIONS)
def test_further_messages_of_our_threads_are_answered(text: str) -> None:
    """Everything that may want an answer gets one, also without a question mark."""
    assert silence("reply", text, ours=True) is None


@pytest.mark.parametrize("text", QUESTIONS)
def test_other_peoples_threads_are_left_alone(text: str) -> None:
    """A reply in a thread where nobody asked the bot is not the bot's."""
    assert silence("reply", text, ours=False) == "not_ours"


@pytest.mark.parametrize("text", TALK)
def test_two_people_talking_get_silence(text: str) -> None:
    """Messages to another person, and what people say they are doing, are left alone."""
    assert silence("reply", text, ours=True) == "two_people"


@pytest.mark.parametrize("text", [*QUESTIONS, *TALK, ""])
def test_mentions_are_answered(text: str) -> None:
    """Who mentions the bot gets an answer; an empty mention gets a hint."""
    assert silence("mention", text, ours=False) is None


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("how do I restart it", True),
        ("and in staging", True),
        ("ERR_5032?", True),
        ("the disk is at 95% now", False),
        ("restarted it", False),
    ],
)
def test_statements_are_told_from_questions(text: str, *, asks: bool) -> None:
    """A statement that finds nothing gets silence instead of NO_MATCH."""
    assert is_question(text) is asks


def test_a_long_message_is_judged_quickly() -> None:
    """A pasted log is no courtesy, and costs no time to tell."""
    assert silence("reply", "thanks ok " * 20_000, ours=True) is None
