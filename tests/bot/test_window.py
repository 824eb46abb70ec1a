"""The view of a log: whole turns, newest first, within the budget, none torn apart."""

from datetime import UTC, datetime
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bot.window import Event, EventKind, choose, estimate, outgrown, questions

AT = datetime(2026, 1, 1, tzinfo=UTC)


def event(
    number: int,
    kind: EventKind,
    turn: str | None = None,
    *,
    text: str = "words",
    tokens: int = 10,
    **data: object,
) -> Event:
    """Return an event of a log."""
    return Event(number, kind, turn, None, text, data, tokens, AT)


def log_of(count: int, tokens: int = 10) -> list[Event]:
    """Return a log of turns that each ask and answer, `tokens` for each event."""
    return [
        event(2 * turn + place, kind, f"t{turn}", text=f"{kind} {turn}", tokens=tokens)
        for turn in range(1, count + 1)
        for place, kind in enumerate(_ASKED)
    ]


_ASKED: tuple[EventKind, EventKind] = ("user", "assistant")

_KINDS: st.SearchStrategy[EventKind] = st.sampled_from(
    ["user", "assistant", "tool_call", "tool_result", "correction", "context", "feedback"]
)
_CHANGES: st.SearchStrategy[EventKind] = st.sampled_from(["edit", "deletion", "summary"])


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Logs in which anything may have been lost, torn or interleaved."""
    made: list[Event] = []
    for number in range(1, draw(st.integers(0, 40)) + 1):
        turn = f"t{draw(st.integers(0, 6))}"
        tokens = draw(st.integers(1, 40))
        kind = draw(st.one_of(_KINDS, _KINDS, _KINDS, _CHANGES))
        call = draw(st.integers(0, 2))
        turns = draw(st.lists(st.sampled_from([f"t{n}" for n in range(7)]), max_size=3))
        again = draw(st.booleans())
        made.append(event(number, kind, turn, tokens=tokens, call=call, turns=turns, again=again))
    return made


@given(logs(), st.integers(0, 400))
def test_a_window_keeps_its_promises_for_any_log(log: list[Event], budget: int) -> None:
    """Within the budget; every answer with its question, every result with its call before it."""
    window = choose(log, budget)
    seen = [each for turn in window.turns for each in turn]
    told = [each.tokens for each in log if each.kind == "summary" and each.text == window.summary]
    spent = sum(each.tokens for each in [*seen, *window.context])
    assert spent + (min(told) if window.summary else 0) <= budget
    for turn in window.turns:
        assert turn[0].kind == "user"
        assert len({each.turn for each in turn}) == 1
        open_calls: list[object] = []
        for each in turn:
            if each.kind == "tool_call":
                open_calls.append(each.data["call"])
            elif each.kind == "tool_result":
                open_calls.remove(each.data["call"])
        assert not open_calls
    firsts = [turn[0].number for turn in window.turns]
    assert firsts == sorted(firsts)
    gone = {e.turn for e in log if e.kind == "deletion" or (e.kind == "edit" and e.data["again"])}
    assert not gone & {each.turn for each in seen}


@given(logs(), st.integers(0, 400), st.integers(0, 400))
def test_more_budget_never_shows_fewer_turns(log: list[Event], budget: int, more: int) -> None:
    """Without a summary in the log, the turns shown are always the newest ones."""
    log = [each for each in log if each.kind != "summary"]
    few, many = choose(log, budget).turns, choose(log, budget + 4 * more).turns
    assert many[len(many) - len(few) :] == few or len(few) > len(many)
    everything = choose(log, 1_000_000).turns
    assert everything[len(everything) - len(few) :] == few


@given(logs(), st.randoms(use_true_random=False))
def test_the_order_of_reading_does_not_matter(log: list[Event], random: Random) -> None:
    """Events are ordered by their number, however they were read."""
    shuffled = list(log)
    random.shuffle(shuffled)
    assert choose(shuffled, 200) == choose(log, 200)


def test_newest_turns_are_kept_whole() -> None:
    """A budget for two turns and a half shows two, oldest first."""
    window = choose(log_of(5), 50)
    assert questions(window) == ("user 4", "user 5")


def test_a_summary_is_given_only_when_turns_fall_out() -> None:
    """A log that fits needs no summary; one that doesn't has it, within the budget."""
    log = [*log_of(5), event(50, "summary", text="before", turns=["t1", "t2", "t3"])]
    assert choose(log, 1000).summary is None
    assert choose(log[4:], 1000).summary == "before"  # the rest of the log was not read
    window = choose(log, 50)
    assert window.summary == "before"
    assert questions(window) == ("user 4", "user 5")


def test_a_summary_of_what_was_taken_back_is_not_given() -> None:
    """Once a question is deleted, a summary that tells of it is no longer shown."""
    log = [
        *log_of(5),
        event(50, "summary", text="before", turns=["t1", "t2"]),
        event(51, "deletion", "t1"),
    ]
    assert choose(log, 50).summary is None
    _, turns = outgrown(log, 50)
    assert [turn[0].turn for turn in turns] == ["t2", "t3", "t4"]


def test_an_edit_that_was_only_noted_leaves_the_turn_as_it_was() -> None:
    """A late edit isn't answered again, so the question stays beside the answer it got."""
    log = [*log_of(1), event(50, "edit", "t1", again=False)]
    assert questions(choose(log, 1000)) == ("user 1",)


def test_a_log_is_summarised_only_when_it_has_outgrown_the_window() -> None:
    """Nothing is due while all fits, nor again until half a window has come in since."""
    assert outgrown(log_of(5), 100) == (None, ())
    log = log_of(6)
    _, turns = outgrown(log, 100)
    assert [turn[0].turn for turn in turns] == ["t1", "t2", "t3", "t4"]
    told = event(50, "summary", text="s", turns=["t1", "t2", "t3", "t4"], tokens=5)
    assert outgrown([*log_of(8), told], 100) == (told, ())


def test_context_gets_a_share_of_the_budget() -> None:
    """What stood in the thread before can't push the turns out."""
    log = [event(n, "context", tokens=10) for n in range(-20, 0)] + log_of(3)
    window = choose(log, 80)
    assert [each.number for each in window.context] == [-2, -1]
    assert questions(window) == ("user 1", "user 2", "user 3")


def test_tokens_grow_with_the_bytes() -> None:
    """An estimate is four bytes a token, so that other scripts than Latin aren't underrated."""
    assert estimate("") == 4
    assert estimate("four") == 5
    assert estimate("日本") == 4 + 2
