"""Which filter holds for a question, and what is said of names that nobody knows."""

import pytest

from bot.channel_settings import ChannelSettings
from bot.filters import Known, effective, known, named, problems, written
from bot.question import Question, parse
from bot.thread_settings import ThreadSettings
from retrieval.shelf import Kind

THERE = Known(("checkout", "payments", "platform", "search"), ("postmortem", "runbook"))
STICKY = ChannelSettings(services=("payments",), doc_types=("runbook",))


def said(text: str, there: Known = THERE) -> str:
    """Return all that is said of a message's filters."""
    return " ".join(problems(text, parse(text), there))


@pytest.mark.parametrize(
    ("text", "thread", "services", "doc_types"),
    [
        ("why?", ThreadSettings(), ("payments",), ("runbook",)),
        ("why? service:search", ThreadSettings(), ("search",), ("runbook",)),
        ("why? service:all", ThreadSettings(), (), ("runbook",)),
        ("why? service:all type:any", ThreadSettings(), (), ()),
        ("why?", ThreadSettings(services=("search",)), ("payments",), ("runbook",)),
        ("why?", ThreadSettings(filtered=True, services=("search",)), ("search",), ()),
        ("why?", ThreadSettings(filtered=True), (), ()),
        ("why? type:postmortem", ThreadSettings(filtered=True), (), ("postmortem",)),
    ],
)
def test_the_nearest_filter_holds(
    text: str, thread: ThreadSettings, services: tuple[str, ...], doc_types: tuple[str, ...]
) -> None:
    """The question's words, else the thread's own filter, else the channel's, key by key."""
    held = effective(parse(text), thread, STICKY)
    assert (held.services, held.doc_types) == (services, doc_types)
    assert held.text == "why?"


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("x service:paymnts", "“paymnts”: did you mean `service:payments`?"),
        ("x service:pay", "`service:payments`"),
        ("x type:runbok", "No document here has the type “runbok”: did you mean `type:runbook`?"),
        ("x service:qqq", "; there are checkout, payments, platform, search."),
        ("x typ:runbook", "no filter “typ:”: did you mean `type:runbook`?"),
        ("x tpye:postmortem", "`type:postmortem`"),
        ("x services:payments", "`service:payments`"),
        ("x servce=payment", "`service:payments`"),
        ("x doctype:runbook?", "`type:runbook`"),
    ],
)
def test_the_nearest_known_names_are_offered(text: str, offered: str) -> None:
    """A name or key that is nearly right gets the right one; one that isn't, what there is."""
    assert offered in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "x service:payments type:runbook",
        "x service:all type:*",
        "restart at time:12:00 on host:payments-1",
        "level=error device:sda typ:oe",
        "see https://runbooks.example/type:x",
        "what is the runbook for payments?",
    ],
)
def test_other_words_are_left_alone(text: str) -> None:
    """What is right, or only looks a little like a filter, is nobody's mistake."""
    assert said(text) == ""


def test_an_empty_corpus_knows_no_wrong_names() -> None:
    """Before the first document there is nothing to offer, so nothing is complained of."""
    assert said("x service:payments", Known()) == ""


def test_a_long_list_is_cut() -> None:
    """Of many services some are named."""
    many = Known(tuple(f"service-{number:02}" for number in range(30)), ("runbook",))
    assert said("x service:q", many).endswith("service-07, ….")


def test_names_of_kinds() -> None:
    """Each service and type once, in order."""
    kinds = [Kind("search", "runbook", 1), Kind("payments", "runbook", 2)]
    assert known(kinds) == Known(("payments", "search"), ("runbook",))


def test_a_filter_is_written_as_it_is_read() -> None:
    """What is shown of a filter can be typed."""
    text = written(("payments", "card desk"), ("runbook",))
    assert text == 'service:payments service:"card desk" type:runbook'
    assert parse(text) == Question("", ("payments", "card desk"), ("runbook",))
    assert named(text)
    assert not named("nothing here")
