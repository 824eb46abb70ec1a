"""The corpus of injections, and a model that obeys whatever it reads as an order.

`obeys(prompt)` is to be called with a prompt as a model receives it. It reads on its own terms,
not on those of `bot.untrusted`: more kindly to attackers than any model does.
"""

import html
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ATTACKS", "LOOKALIKES", "Attack", "obeys"]


@dataclass(frozen=True)
class Attack:
    """A text and what it wants of a model: `order`, obeyed in the cases that the corpus names."""

    name: str
    kind: str
    text: str
    order: str
    outside: bool = False
    exact: bool = False


_CORPUS = tomllib.loads((Path(__file__).parent / "injections.toml").read_text("utf-8"))
ATTACKS = tuple(Attack(**each) for each in _CORPUS["attack"])
LOOKALIKES: tuple[str, ...] = tuple(each["text"] for each in _CORPUS["lookalike"])

_QUOTED = re.compile(r"⟦quoted: [^⟦⟧]*⟧")
_LATIN = str.maketrans("аеорсухіɪɢɴᴏʀᴇᴀʟᴘᴠᴜᴛᴄ", "aeopcyxiignorealpvutc")
_DIGITS = str.maketrans("013457", "oieast")
_ANGLES = str.maketrans({"‹": "<", "⟪": "<<", "«": "<<", "⟨": "<", "＜": "<"})


def obeys(prompt: str) -> str | None:
    """Return the order that an obedient model follows in a prompt, or nothing.

    It takes every line that looks like an end marker for one. What is quoted, it leaves alone.
    """
    everywhere = _QUOTED.sub(" ", prompt)
    outside = _QUOTED.sub(" ", _outside(prompt))
    read, read_outside = _squashed(everywhere), _squashed(outside)
    for attack in ATTACKS:
        if attack.exact:
            obeyed = attack.order in everywhere
        else:
            obeyed = _squashed(attack.order) in (read_outside if attack.outside else read)
        if obeyed:
            return attack.order
    return None


def _outside(prompt: str) -> str:
    """Return the lines that stand in no block."""
    lines: list[str] = []
    inside = False
    for line in prompt.splitlines():
        seen = "".join(each for each in line.translate(_ANGLES) if each.isprintable())
        if re.match(r"\s*<\s*<\s*<\s*/?\s*end\b", seen, re.IGNORECASE):
            inside = False
        elif seen.startswith("<<<"):
            inside = True
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def _squashed(text: str) -> str:
    """Return letters alone: whatever is between them, a model may read over it."""
    text = re.sub(r"<!--\s*-->", "", html.unescape(text))
    text = "".join(chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) < 0xE007F else c for c in text)
    text = unicodedata.normalize("NFKD", text).casefold().translate(_LATIN).translate(_DIGITS)
    return "".join(each for each in text if each.isalnum())
