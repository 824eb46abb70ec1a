"""What a person gets to know after asking the app for something."""

from dataclasses import dataclass, field

from bot.playground.wire import Json


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of a command, a click, a choice or a modal.

    `error` is Slack's name of what went wrong, or empty. `problems` are the sentences that a modal
    now shows below its blocks, by block_id.
    """

    error: str = ""
    answer: Json | None = None
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def acknowledged(self) -> bool:
        """Whether the app acknowledged in time."""
        return not self.error
