"""One way in: a name and bytes to a Document. The name's suffix says how to read them."""

from pathlib import PurePosixPath

from retrieval.documents import Document, Heading, PageStart
from retrieval.errors import UnreadableDocument
from retrieval.readers.decoding import decode
from retrieval.readers.labels import Said, one_line, title_from_name, web_link
from retrieval.readers.markdown import find_headings, split_front_matter
from retrieval.readers.pdf import read_pdf

__all__ = ["MAX_BYTES", "MAX_CHARACTERS", "SUFFIXES", "read"]

MAX_BYTES = 50_000_000
"""A file has to be smaller than this."""

MAX_CHARACTERS = 2_000_000
"""More text than this in one document is a dump or an archive of logs, not a runbook."""

_MARKDOWN = frozenset({".md", ".markdown"})
_TEXT = frozenset({".txt", ".text", ".log"})
_PDF = frozenset({".pdf"})

SUFFIXES = _MARKDOWN | _TEXT | _PDF
"""The kinds of file that are read, in small letters. A name without a suffix is read as text."""


def read(  # noqa: PLR0913 - labels, each of which has its own meaning; all but three by name
    name: str,
    data: bytes,
    *,
    source: str,
    service: str | None = None,
    doc_type: str | None = None,
    title: str | None = None,
    link: str | None = None,
    team: str | None = None,
    audience: str | None = None,
) -> Document:
    """Read one document. A document's own front matter goes before the labels given.

    `name` is a path or file name, `source` what identifies the document. It computes without
    awaiting (a large PDF takes seconds), so it belongs in a thread. The text of a Markdown file
    that is nothing but front matter is empty; it has no chunks.

    Raises:
        UnreadableDocument: it is empty, binary, too large, damaged or of an unknown kind.
    """
    if not data.strip():
        raise UnreadableDocument(f"{source} is empty: nothing was read from it.")
    if len(data) >= MAX_BYTES:
        raise UnreadableDocument(
            f"{source} has {MAX_BYTES // 1_000_000} MB or more: split it into smaller documents."
        )
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    given = Said(one_line(title), one_line(service), one_line(doc_type), web_link(link))
    headings: tuple[Heading, ...] = ()
    pages: tuple[PageStart, ...] = ()
    pages_without_text: tuple[int, ...] = ()
    if suffix in _MARKDOWN:
        own, text = split_front_matter(_checked(decode(data, source), source))
        headings = find_headings(text)
        said = own.over(given).over(Said(title=_first_title(headings)))
    elif suffix in _PDF:
        pdf = read_pdf(data, source)
        text, pages, pages_without_text = pdf.text, pdf.pages, pdf.pages_without_text
        said = given.over(Said(title=pdf.title))
    elif suffix in _TEXT or not suffix:
        text, said = decode(data, source), given
    else:
        raise UnreadableDocument(
            f"{source} is of a kind that can't be read ({suffix}): "
            f"convert it to one of {', '.join(sorted(SUFFIXES))}."
        )
    # A page of nothing but front matter is in order: many sites have one to a folder.
    if not _checked(text, source).strip() and suffix not in _MARKDOWN:
        raise UnreadableDocument(f"{source} holds no text: nothing was read from it.")
    return Document(
        source=source,
        title=said.title or title_from_name(name),
        text=text,
        service=said.service or "general",
        doc_type=said.doc_type or "document",
        link=said.link,
        team=team,
        audience=audience,
        headings=headings,
        pages=pages,
        pages_without_text=pages_without_text,
    )


def _checked(text: str, source: str) -> str:
    """Refuse a huge text before anything looks at its structure."""
    if len(text) > MAX_CHARACTERS:
        raise UnreadableDocument(
            f"{source} holds {len(text):,} characters and the limit is {MAX_CHARACTERS:,}: "
            "split it into smaller documents."
        )
    return text


def _first_title(headings: tuple[Heading, ...]) -> str | None:
    return next((one_line(heading.title) for heading in headings if heading.level == 1), None)
