"""The limits of modals and Home tabs."""

import json
from collections.abc import Sequence

from bot.playground.errors import ApiError
from bot.playground.limits.blocks import check_blocks
from bot.playground.limits.elements import options
from bot.playground.limits.problems import ids, refuse, text_object, too_long
from bot.playground.wire import Json

MOST_BLOCKS = 100
TITLE = 24
METADATA = 3_000
LARGEST_BYTES = 250_000
MOST_OPTIONS = 100


def check_view(view: Json, kind: str) -> None:
    """Refuse a view that isn't of this kind or goes beyond the limits.

    Raises:
        ApiError: `invalid_arguments`, `view_too_large`.
    """
    if view.get("type") != kind:
        refuse("invalid_arguments", [("/view/type", f"must be {kind}")])
    blocks = view.get("blocks")
    if not isinstance(blocks, list):
        refuse("invalid_arguments", [("/view", "missing required field: blocks")])
    found = ids("/view", view, "callback_id", "external_id")
    found += too_long("/view/private_metadata", view.get("private_metadata") or "", METADATA)
    if kind == "modal":
        found += text_object("/view/title", view.get("title"), TITLE, plain=True)
        for name in ("submit", "close"):
            found += text_object(f"/view/{name}", view.get(name), TITLE, plain=True, required=False)
        has_input = any(isinstance(b, dict) and b.get("type") == "input" for b in blocks or [])
        if has_input and view.get("submit") is None:
            found.append(("/view", "missing required field: submit"))
    refuse("invalid_arguments", found)
    if len(json.dumps(view)) > LARGEST_BYTES:
        raise ApiError("view_too_large")
    check_blocks(blocks or [], MOST_BLOCKS, code="invalid_arguments", pointer="/view/blocks")


def check_options(found: Sequence[Json]) -> None:
    """Refuse what an app offers for an external select beyond the limits; nothing is fine.

    Raises:
        ApiError: `invalid_options`.
    """
    if found:
        refuse("invalid_options", options("/options", list(found), MOST_OPTIONS))
