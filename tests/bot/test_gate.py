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
    "thanks <@U0BEN>!",
    "unmute",
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
    "shall I page <@U0BEN>?",
    "how do I reach <@U0BEN> at night",
    "Kafka: is the consumer lag a problem?",
    "Postgres, how do I fail it over?",
    "ok, where is that documented",
    "mail ops@shop.example about it?",
]
TALK = [
    "<@U0BEN> can you take this one?",
    "I'll restart it now",
    "I’m looking",
    "let me check the dashboard",
    "we're joining the call",
    "on it, will restart checkout",
    "<@U0BEN|ben> did that work?",
    "hey <@U0BEN>, is this yours?",
    "ok <@U0BEN> how do I roll it back?",
    "*<@U0BEN>* how do I roll it back?",
    "cc <@U0BEN> <@U0ANA>",
    "@ben how do I roll it back?",
    "<!subteam^S0OPS> who is on call?",
    "<!subteam^S0OPS|@payments> who is on call?",
    "<!here> is anybody on this?",
    "Ben, can you restart it?",
    "hey Ben, could you have a look?",
    "Ben: please restart it",
    "can you take this one, <@U0BEN>?",
    "restarted it with <@U0BEN>",
]
MUTES = [
    "mute",
    "Mute here!",
    "be quiet here",
    "please be quiet",
    "Shut up.",
    "stop answering here",
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


@pytest.mark.parametrize("text", MUTES)
def test_words_that_mute(text: str) -> None:
    """Who wants quiet in a thread of ours gets it, mentioned or not; elsewhere it means others."""
    assert silence("mention", text, ours=False) == "mute"
    assert silence("reply", text, ours=True) == "mute"
    assert silence("reply", text, ours=False) == "not_ours"


@pytest.mark.parametrize(
    "text", ["how do I mute the alert?", "mute the pager for an hour", "be quiet?", "why so quiet"]
)
def test_other_words_about_quiet(text: str) -> None:
    """Asking how to silence something is a question."""
    assert silence("reply", text, ours=True) is None


@pytest.mark.parametrize("text", [*QUESTIONS, *MUTES])
def test_a_muted_thread(text: str) -> None:
    """Nothing gets through but a mention."""
    assert silence("reply", text, ours=True, muted=True) == "muted"
    assert silence("mention", "and ERR_5020?", ours=True, muted=True) is None


@pytest.mark.parametrize("text", QUESTIONS)
def test_where_only_mentions_count(text: str) -> None:
    """A further message of a thread needs a mention there; direct messages don't."""
    assert silence("reply", text, ours=True, mentions_only=True) == "mentions_only"
    assert silence("mention", text, ours=True, mentions_only=True) is None
    assert silence("direct", text, ours=True, mentions_only=True) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("how do I restart it?", None),
        ("anybody know where the ledger runs", None),
        ("deploy of checkout is out", "not_a_question"),
        ("see https://graphs.example/?panel=2", "not_a_question"),
        ("morning all!", "courtesy"),
        ("<@U0BEN> can you restart it?", "two_people"),
        ("Ben, can you restart it?", "two_people"),
    ],
)
def test_where_all_questions_are_answered(text: str, why: str | None) -> None:
    """A question to nobody in particular is answered there; statements and talk aren't."""
    assert silence("question", text, ours=False) == why


@pytest.mark.parametrize("text", [*COURTESIES, *TALK, "stop", ""])
def test_clicks_and_alerts_are_no_talk(text: str) -> None:
    """Who clicks wants an answer whatever the words; what an alert says isn't small talk."""
    assert silence("click", text, ours=False) is None
    assert silence("alert", text, ours=False) is None


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
