"""Run by itself, apart from us: a PDF on stdin to its pages' texts as JSON on stdout.

A few kilobytes of a PDF can unpack to gigabytes, and PDFium is written in C++: what it takes,
and what becomes of it, stays in this process. It imports nothing else of ours, so it starts fast.
"""

import contextlib
import json
import resource
import sys
from typing import Any

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

_MOST_MEMORY = 1_500_000_000


def extract(data: bytes, limit: int) -> dict[str, Any]:
    """Return title and texts; or `characters`, when the pages read so far pass the limit."""
    document = pypdfium2.PdfDocument(data)
    texts: list[str] = []
    characters = 0
    for number in range(len(document)):
        page = document[number]
        layer = page.get_textpage()
        characters += layer.count_chars()
        if characters > limit:
            return {"characters": characters}
        texts.append(layer.get_text_bounded())
        layer.close()
        page.close()
    return {"title": document.get_metadata_value("Title"), "texts": texts}


def main() -> None:
    """Read stdin with bounded memory; the limit of characters is the only argument."""
    with contextlib.suppress(ValueError, OSError):  # not every system bounds it
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    try:
        found = extract(sys.stdin.buffer.read(), int(sys.argv[1]))
    except pypdfium2.PdfiumError as error:
        found = {"error": "password" if error.err_code == FPDF_ERR_PASSWORD else "damaged"}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
