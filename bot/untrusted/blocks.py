"""Blocks of data in a prompt: markers, labels, and names on one line. Pure but for a secret.

    <<<passage id="S1fk" title="Roll back a deploy" 5e0c>>>
    …
    <<<end passage 5e0c>>>

The last word of both markers depends on the text and on a secret of this process: nobody who
writes a document can close its block. The same text has the same markers, for servers that keep
what they have read.
"""

import re
import secrets
import unicodedata
from hashlib import blake2b
from typing import Final

from bot.untrusted.quoting import defused

__all__ = ["block", "one_line"]

_SECRET: Final = secrets.token_bytes(16)
_LONGEST_NAME: Final = 120
_NO_NAME: Final = re.compile(r'[<>"\s]+')


def block(kind: str, text: str, **labels: str) -> str:
    """Return a text between markers, known injections in it quoted; empty labels are left out.

    Args:
        kind: what it is, in our words.
        text: anything.
        labels: names that go with it, from anywhere; each is brought to one line.
    """
    mark = blake2b(f"{kind}\0{text}".encode("utf-8", "replace"), key=_SECRET, digest_size=2)
    named = "".join(
        f' {key}="{name}"' for key, value in labels.items() if (name := one_line(defused(value)))
    )
    end = mark.hexdigest()
    return f"<<<{kind}{named} {end}>>>\n{defused(text)}\n<<<end {kind} {end}>>>"


def one_line(name: str) -> str:
    """Return a name without line breaks, quotes, markers and invisible characters, cut short."""
    visible = "".join(
        each if each.isprintable() else " " * (unicodedata.category(each) != "Cf") for each in name
    )
    return _NO_NAME.sub(" ", visible).strip()[:_LONGEST_NAME].rstrip()
