"""The buttons below an answer that belong to its thread: what it searches, and quiet. Pure."""

from typing import Any, Final

from bot.mrkdwn import cut
from bot.outcome import Outcome

__all__ = ["EVERYTHING", "MUTE", "ONLY", "thread_buttons"]

ONLY: Final = "footnote:thread:only"
EVERYTHING: Final = "footnote:thread:everything"
MUTE: Final = "footnote:thread:mute"

_MOST: Final = 2
_LABEL: Final = 40
_VALUE: Final = 150

type Block = dict[str, Any]


def thread_buttons(outcome: Outcome) -> Block:
    """Return the buttons below an outcome.

    *Only NAME* for the services of its sources, when more than one was searched; *All services*
    when a filter held; *Mute here*. Which thread is meant, the click itself tells.
    """
    searched = outcome.searched[-1] if outcome.searched else None
    buttons: list[Block] = []
    if searched is None or len(searched.services) != 1:
        passages = [each.passage for each in outcome.citations] or list(outcome.passages)
        services = list(dict.fromkeys(each.service for each in passages))
        buttons += [
            _button(f"{ONLY}:{number}", f"Only {cut(service, _LABEL)}", service)
            for number, service in enumerate(services[:_MOST])
            if len(service) <= _VALUE
        ]
    if searched is not None and (searched.services or searched.doc_types):
        buttons.append(_button(EVERYTHING, "All services", "all"))
    return {"type": "actions", "elements": [*buttons, _button(MUTE, "Mute here", "mute")]}


def _button(action: str, label: str, value: str) -> Block:
    text = {"type": "plain_text", "text": label, "emoji": False}
    return {"type": "button", "action_id": action, "text": text, "value": value}
