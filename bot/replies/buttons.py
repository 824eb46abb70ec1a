"""The rows of buttons below replies. Pure."""

from bot.outcome import Outcome
from bot.replies.around import Around
from bot.replies.blocks import Block, actions, button, plain_text
from bot.replies.ids import ADD, CHUNK, CORRECT, EVERYWHERE, MEANT, ONCALL, SHARE, VOTE, WHY

__all__ = ["below_answer", "below_closest", "below_no_match", "below_unknown", "show_chunk"]

_OFFERED = 5


def below_answer(around: Around) -> list[Block]:
    """Return what can be clicked below an answer."""
    if not around.turn:
        return []
    row = actions(*_share(around), _why(around), button("Correct this", CORRECT, around.turn))
    return [row, _feedback(around)]


def below_closest(around: Around) -> list[Block]:
    """Return what can be clicked below the closest chunks, where no answer is."""
    if not around.turn:
        return []
    return [actions(*_share(around), *_oncall(around), _why(around)), _feedback(around)]


def below_no_match(outcome: Outcome, around: Around) -> list[Block]:
    """Return what can be clicked below a NO_MATCH."""
    if not around.turn:
        return []
    narrowed = any(each.services or each.doc_types for each in outcome.searched)
    wider = [button("Search all services", EVERYWHERE, around.turn)] if narrowed else []
    add = button("Add a document", ADD, around.turn)
    return [actions(*_share(around), *wider, *_oncall(around), add, _why(around))]


def below_unknown(outcome: Outcome, around: Around) -> list[Block]:
    """Return a button for each filter that may have been meant."""
    buttons = [
        button(each, f"{MEANT}:{number}", f"{around.turn}:{each}")
        for number, each in enumerate(outcome.offers[:_OFFERED])
    ]
    return [actions(*buttons)] if around.turn and buttons else []


def show_chunk(around: Around, marker: int) -> Block | None:
    """Return the button that shows the whole of a cited chunk."""
    return button("Show", CHUNK, f"{around.turn}:{marker}") if around.turn else None


def _why(around: Around) -> Block:
    return button("Why this answer?", WHY, around.turn)


def _share(around: Around) -> list[Block]:
    if not around.private:
        return []
    return [button("Share with channel", SHARE, around.turn, style="primary")]


def _oncall(around: Around) -> list[Block]:
    if around.oncall is None:
        return []
    confirm = {
        "title": plain_text("Ask the on-call?"),
        "text": plain_text("They are told of this question, and where it was asked."),
        "confirm": plain_text("Ask"),
        "deny": plain_text("Not now"),
    }
    return [button("Ask the on-call", ONCALL, around.turn, confirm=confirm)]


def _feedback(around: Around) -> Block:
    def vote(words: str, label: str, value: str) -> Block:
        text = plain_text(words)
        return {"text": text, "value": f"{around.turn}:{value}", "accessibility_label": label}

    buttons = {
        "type": "feedback_buttons",
        "action_id": VOTE,
        "positive_button": vote("Helpful", "This answer helped", "up"),
        "negative_button": vote("Not helpful", "This answer didn't help", "down"),
    }
    return {"type": "context_actions", "elements": [buttons]}
