"""PDF to text, page by page. A page without text (a scan) is reported, never indexed as empty."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from retrieval.documents import PageStart
from retrieval.errors import UnreadableDocument
from retrieval.readers.decoding import normalised
from retrieval.readers.labels import one_line

__all__ = ["PdfText", "read_pdf"]

_CHILD: Final = Path(__file__).with_name("pdf_child.py")
_SECONDS: Final = 60
_HYPHEN_AT_LINE_END = "\ufffe"


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text of a PDF's pages, an empty line between two; its own title when it has one."""

    text: str
    title: str | None
    pages: tuple[PageStart, ...]
    pages_without_text: tuple[int, ...]


def read_pdf(data: bytes, source: str, limit: int) -> PdfText:
    """Read all pages, as long as they have no more characters than the limit.

    Raises:
        UnreadableDocument: it is encrypted or damaged, takes too much memory or time, or no page
            holds text, or all together too much of it.
    """
    found = _extract(data, source, limit)
    error = found.get("error")
    if error == "password":
        raise UnreadableDocument(f"{source} is protected by a password: save a copy without one.")
    if error:
        raise UnreadableDocument(f"{source} is damaged or no PDF: export it again, or as text.")
    if "characters" in found:
        raise UnreadableDocument(
            f"{source} holds {found['characters']:,} characters or more and the limit is "
            f"{limit:,}: split it into smaller documents."
        )
    title = one_line(_clean(found["title"]))
    texts = [_clean(text) for text in found["texts"]]
    pages: list[PageStart] = []
    at = 0
    for number, text in enumerate(texts, 1):
        if text:
            pages.append(PageStart(number, at))
            at += len(text) + 2
    if not pages:
        raise UnreadableDocument(
            f"{source} holds no text on any of its pages ({len(texts)}), it may be a scan: "
            "run text recognition (OCR) on it first."
        )
    return PdfText(
        text="\n\n".join(text for text in texts if text),
        title=title,
        pages=tuple(pages),
        pages_without_text=tuple(number for number, text in enumerate(texts, 1) if not text),
    )


def _extract(data: bytes, source: str, limit: int) -> dict[str, Any]:
    """Let a process of its own read it: see there."""
    command = [sys.executable, "-I", str(_CHILD), str(limit)]
    try:
        done = subprocess.run(  # noqa: S603 - the script is ours
            command, input=data, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocument(
            f"{source} takes more than {_SECONDS} s to read: export it again, or as text."
        ) from error
    if done.returncode:
        raise UnreadableDocument(
            f"{source} takes too much memory to read, or is damaged: export it again, or as text."
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _clean(text: str) -> str:
    return normalised(text).replace(_HYPHEN_AT_LINE_END, "").strip()
