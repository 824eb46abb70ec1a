"""One way in: a name and bytes to a Document. The name's suffix says how to read them."""

import logging
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from retrieval.documents import Document, Heading, PageStart
from retrieval.errors import UnreadableDocument
from retrieval.readers.asciidoc import asciidoc_to_markdown
from retrieval.readers.decoding import decode
from retrieval.readers.dialects import to_plain_markdown
from retrieval.readers.front_matter import split_front_matter
from retrieval.readers.html import HtmlText, page_to_markdown
from retrieval.readers.kinds import (
    ASCIIDOC,
    HTML,
    MARKDOWN,
    MAX_BYTES,
    MAX_CHARACTERS,
    OFFICE,
    PDF,
    RST,
    SUFFIXES,
)
from retrieval.readers.labels import Said, one_line, title_from_name, web_link
from retrieval.readers.markdown import find_headings
from retrieval.readers.pdf import read_pdf
from retrieval.readers.secrets import find_secret

__all__ = ["read"]

_LOG = logging.getLogger(__name__)

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


_NOTHING_SAID = Said()


@dataclass(frozen=True, slots=True)
class _Read:
    """What a reader found: the text, what it says before and after what the caller says."""

    text: str
    own: Said = _NOTHING_SAID
    fallback: Said = _NOTHING_SAID
    headings: tuple[Heading, ...] = ()
    pages: tuple[PageStart, ...] = ()
    pages_without_text: tuple[int, ...] = ()


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
    allow_secrets: bool = False,
) -> Document:
    """Read one document. A document's own front matter goes before the labels given.

    Service and doc_type are kept in small letters, as they are filtered by.

    `name` is a path or file name, `source` what identifies the document. It computes without
    awaiting (a large PDF takes seconds), so it belongs in a thread. The text of a Markdown file
    that is nothing but front matter is empty; it has no chunks.

    Raises:
        UnreadableDocument: it is empty, binary, too large, damaged or of an unknown kind, or
            holds what looks like a private key or a token, unless `allow_secrets`.
    """
    if not data.strip():
        raise UnreadableDocument(f"{source} is empty: nothing was read from it.")
    if len(data) >= MAX_BYTES:
        raise UnreadableDocument(
            f"{source} has {MAX_BYTES // 1_000_000} MB or more: split it into smaller documents."
        )
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    given = Said(one_line(title), one_line(service), one_line(doc_type), web_link(link))
    if suffix and suffix not in SUFFIXES:
        raise UnreadableDocument(
            f"{source} is of a kind that can't be read ({suffix}): convert it to Markdown, text, "
            "HTML, PDF, DOCX, PPTX or XLSX."
        )
    try:
        found = _found(data, suffix, source, allow_secrets=allow_secrets)
    except UnreadableDocument:
        raise
    # Readers stand on a dozen parsers: whatever one trips over must cost this document only.
    except Exception as error:
        kind = type(error).__name__
        _LOG.warning("reader_failed", extra={"suffix": suffix, "error": kind})
        raise UnreadableDocument(
            f"{source} can't be read, its reader stopped with {kind}: save it again, or as text."
        ) from error
    said = found.own.over(given).over(found.fallback)
    return Document(
        source=source,
        title=said.title or title_from_name(name),
        text=found.text,
        service=(said.service or "general").lower(),
        doc_type=(said.doc_type or "document").lower(),
        link=said.link,
        team=team,
        audience=audience,
        headings=found.headings,
        pages=found.pages,
        pages_without_text=found.pages_without_text,
    )


def _found(data: bytes, suffix: str, source: str, *, allow_secrets: bool) -> _Read:
    if suffix in PDF or suffix in OFFICE:
        found = _binary(data, suffix, source)
        raw = _checked(found.text, source)
    else:
        raw = _checked(decode(data, source), source)
        found = None
    if not allow_secrets and (secret := find_secret(raw)):
        raise UnreadableDocument(
            f"{source}, line {secret.line}, looks like {secret.kind}, so nothing of it was taken: "
            "remove it (and change it, if it is real), or allow secrets for this ingest."
        )
    found = found or _text(raw, suffix, source)
    # A page of nothing but front matter is in order: many sites have one to a folder.
    if not _checked(found.text, source).strip() and suffix not in MARKDOWN:
        raise UnreadableDocument(f"{source} holds no text: nothing was read from it.")
    return found


def _binary(data: bytes, suffix: str, source: str) -> _Read:
    if suffix in PDF:
        pdf = read_pdf(data, source, MAX_CHARACTERS)
        said = Said(title=pdf.title)
        return _Read(pdf.text, _NOTHING_SAID, said, (), pdf.pages, pdf.pages_without_text)
    # A third of the time it takes to start, for files that most teams have none of.
    from retrieval.readers.office import read_office  # noqa: PLC0415  # above

    office = read_office(data, suffix, source)
    headings = find_headings(_checked(office.text, source))
    said = Said(title=office.title or _first_title(headings))
    return _Read(
        office.text, _NOTHING_SAID, said, headings, office.pages, office.pages_without_text
    )


def _text(raw: str, suffix: str, source: str) -> _Read:
    own, title, text = _NOTHING_SAID, None, raw
    if suffix in MARKDOWN:
        own, text = split_front_matter(raw, source)
        text = to_plain_markdown(text)
    elif suffix in ASCIIDOC:
        own, text = split_front_matter(raw, source)
        text = asciidoc_to_markdown(text)
    elif suffix in HTML or suffix in RST:
        page = page_to_markdown(raw, source) if suffix in HTML else _rst(raw, source)
        title, text = page.title, page.text
    else:
        return _Read(_COLOURS.sub("", raw))
    headings = find_headings(text)
    return _Read(text, own, Said(title=_first_title(headings) or one_line(title)), headings)


def _rst(raw: str, source: str) -> HtmlText:
    from retrieval.readers.rst import read_rst  # noqa: PLC0415 - as above

    return read_rst(raw, source)


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
