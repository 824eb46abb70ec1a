"""Which files are read, told by their names, and how large they may be."""

from typing import Final

__all__ = [
    "ASCIIDOC",
    "HTML",
    "MARKDOWN",
    "MAX_BYTES",
    "MAX_CHARACTERS",
    "OFFICE",
    "PDF",
    "RST",
    "SUFFIXES",
]

MAX_BYTES: Final = 50_000_000
"""A file has to be smaller than this."""

MAX_CHARACTERS: Final = 2_000_000
"""More text than this in one document is a dump or an archive of logs, not a runbook."""

MARKDOWN: Final = frozenset({".md", ".markdown", ".mdx"})
HTML: Final = frozenset({".html", ".htm", ".xhtml"})
RST: Final = frozenset({".rst", ".rest"})
ASCIIDOC: Final = frozenset({".adoc", ".asciidoc"})
PDF: Final = frozenset({".pdf"})
OFFICE: Final = frozenset({".docx", ".pptx", ".xlsx"})
_PLAIN: Final = frozenset({".txt", ".text", ".log", ".yaml", ".yml", ".json"})

SUFFIXES: Final = MARKDOWN | HTML | RST | ASCIIDOC | _PLAIN | PDF | OFFICE
"""The kinds of file that are read, in small letters. A name without a suffix is read as text."""
