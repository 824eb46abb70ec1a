"""The JSON that travels between the stand-in and its clients."""

import hashlib
from typing import Any

type Json = dict[str, Any]
"""A JSON object, as Slack sends and receives it."""


def identifier(prefix: str, name: str) -> str:
    """An id in Slack's shape (one letter and ten characters), always the same for the same name.

    Stable ids let a bot's database outlive the workspace file of a demo.
    """
    digest = hashlib.sha256(f"{prefix}:{name}".encode()).hexdigest().upper()
    return f"{prefix}0{digest[:9]}"
