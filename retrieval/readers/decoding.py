"""Bytes to text: byte order mark, then UTF-8, then a guess; binary files are refused."""

import codecs
import re

from charset_normalizer import from_bytes

from retrieval.errors import UnreadableDocument

__all__ = ["decode", "normalised"]

# The longer marks first: UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    (b"%PDF-", "a PDF", "name it .pdf"),
    (b"PK\x03\x04", "a zip or Office file", "name it .docx, .pptx or .xlsx, or unpack it"),
    (b"\xd0\xcf\x11\xe0", "an old Office file", "export it as PDF, Markdown or text"),
    (b"\x1f\x8b", "compressed (gzip)", "unpack it first"),
    (b"\x89PNG", "an image", "describe in text what it shows"),
    (b"\xff\xd8\xff", "an image", "describe in text what it shows"),
    (b"GIF8", "an image", "describe in text what it shows"),
    (b"\x7fELF", "a program", "leave it out"),
    (b"SQLite format 3\0", "a database", "export it as text"),
)
# No text has these, but for a stray NUL; tab, newline, form feed, backspace and escape it may.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b")) + b"\x7f"
_SAMPLE = 65_536
_MOST_CONTROLS = 0.05

# What files of our time are written in. Left to itself the guess prefers code pages of DOS.
_GUESSED = [
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "utf_16_le", "utf_16_be"),
]
_LEAST_COHERENCE = 0.2
_META = re.compile(rb"<meta[^>]{0,200}?charset=[\"']?([\w-]{2,20})", re.IGNORECASE)


def decode(data: bytes, source: str) -> str:
    """The text of a file, normalised; bytes that mean nothing become U+FFFD.

    Raises:
        UnreadableDocument: the bytes are no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return normalised(data.decode(encoding, "replace"))
    for magic, kind, advice in _MAGIC:
        if data.startswith(magic):
            raise UnreadableDocument(f"{source} is {kind}, not text: {advice}.")
    sample = data[:_SAMPLE]
    if len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) * _MOST_CONTROLS:
        raise UnreadableDocument(
            f"{source} is a binary file, not text: export it as PDF, Markdown or UTF-8 text."
        )
    try:
        return normalised(data.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    lenient = data.decode("utf-8", "replace")
    broken = lenient.count("\ufffd")
    foreign = sum(1 for char in lenient if not char.isascii()) - broken
    # One damaged letter in a UTF-8 file must not garble all the others.
    return normalised(lenient if foreign > broken else _guessed(data))


def _guessed(data: bytes) -> str:
    """Decode what is no UTF-8: as the page itself says, as its letters suggest, as Windows-1252.

    A few words suggest nothing: without a language that fits, Western Europe's letters win.
    """
    if said := _META.search(data[:2048]):
        try:
            return data.decode(said.group(1).decode("ascii"), "replace")
        except LookupError:
            pass
    matches = from_bytes(data, cp_isolation=_GUESSED)
    best = matches.best()
    if best is None:
        return data.decode("cp1252", "replace")
    western = any("cp1252" in match.could_be_from_charset for match in matches)
    if western and best.coherence < _LEAST_COHERENCE:
        return data.decode("cp1252", "replace")
    return str(best)


def normalised(text: str) -> str:
    """Newlines as one character, no NUL (PostgreSQL's text can't hold it), no lone surrogate."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return plain.encode("utf-8", "replace").decode("utf-8")
