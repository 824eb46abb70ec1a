"""PDF to text, page by page. A page without text (a scan) is reported, never indexed as empty."""

from dataclasses import dataclass
from threading import Lock

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from retrieval.documents import PageStart
from retrieval.errors import UnreadableDocument
from retrieval.readers.decoding import normalised
from retrieval.readers.labels import one_line

__all__ = ["PdfText", "read_pdf"]

# PDFium may run in one thread of a process at a time (pypdfium2's README, "Thread safety").
_PDFIUM = Lock()
_HYPHEN_AT_LINE_END = "\ufffe"


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text of a PDF's pages, an empty line between two; its own title when it has one."""

    text: str
    title: str | None
    pages: tuple[PageStart, ...]
    pages_without_text: tuple[int, ...]


def read_pdf(data: bytes, source: str) -> PdfText:
    """Read all pages.

    Raises:
        UnreadableDocument: it is encrypted or damaged, or no page holds text.
    """
    try:
        with _PDFIUM:
            title, texts = _extract(data)
    except pypdfium2.PdfiumError as exc:
        if exc.err_code == FPDF_ERR_PASSWORD:
            raise UnreadableDocument(
                f"{source} is protected by a password: save a copy without one."
            ) from exc
        raise UnreadableDocument(
            f"{source} is damaged or no PDF: export it again, or as text."
        ) from exc
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


def _extract(data: bytes) -> tuple[str | None, list[str]]:
    document = pypdfium2.PdfDocument(data)
    try:
        texts: list[str] = []
        for number in range(len(document)):
            page = document[number]
            layer = page.get_textpage()
            texts.append(_clean(layer.get_text_bounded()))
            layer.close()
            page.close()
        return one_line(_clean(document.get_metadata_value("Title"))), texts
    finally:
        document.close()


def _clean(text: str) -> str:
    return normalised(text).replace(_HYPHEN_AT_LINE_END, "").strip()
