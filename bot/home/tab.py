"""Home as Slack takes it: the sections one after the other, within its limits. Pure."""

from collections.abc import Sequence
from typing import Any, Final

__all__ = ["home_view"]

type Block = dict[str, Any]

_BLOCKS: Final = 100


def home_view(sections: Sequence[Sequence[Block]]) -> Block:
    """Return the view; a section that no longer fits whole is left out, and so are those after."""
    blocks: list[Block] = []
    for section in sections:
        more = [*([{"type": "divider"}] if blocks and section else []), *section]
        if len(blocks) + len(more) > _BLOCKS:
            break
        blocks += more
    return {"type": "home", "blocks": blocks}
