"""The ids of what can be clicked in replies, `footnote:FEATURE:WHAT`; values begin with a turn."""

from typing import Final

__all__ = [
    "ADD",
    "CHUNK",
    "CORRECT",
    "EVERYWHERE",
    "MEANT",
    "ONCALL",
    "SHARE",
    "STOP",
    "VOTE",
    "WHY",
]

STOP: Final = "footnote:answer:stop"
SHARE: Final = "footnote:answer:share"
WHY: Final = "footnote:answer:why"
CHUNK: Final = "footnote:answer:chunk"  # its value is `TURN:MARKER`
CORRECT: Final = "footnote:feedback:correct"
VOTE: Final = "footnote:feedback:vote"  # its values are `TURN:up` and `TURN:down`
EVERYWHERE: Final = "footnote:no_match:everywhere"
MEANT: Final = "footnote:no_match:meant"  # …:NUMBER, its value is `TURN:FILTER`
ONCALL: Final = "footnote:no_match:oncall"
ADD: Final = "footnote:no_match:add"
