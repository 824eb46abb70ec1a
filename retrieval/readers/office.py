"""DOCX, PPTX and XLSX to Markdown, without a network and without running anything in them."""

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mammoth
import openpyxl
import pptx

from retrieval.documents import PageStart
from retrieval.errors import UnreadableDocument
from retrieval.readers.decoding import normalised
from retrieval.readers.html import one_row, page_to_markdown
from retrieval.readers.labels import one_line

__all__ = ["OfficeText", "read_office"]

_MOST_UNPACKED = 200_000_000
_MOST_CELLS = 500_000
_OLD = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class OfficeText:
    """A file's text as Markdown, its own title when it has one; the slides are its pages."""

    text: str
    title: str | None
    pages: tuple[PageStart, ...] = ()
    pages_without_text: tuple[int, ...] = ()


def read_office(data: bytes, suffix: str, source: str) -> OfficeText:
    """Read an Office file by its suffix, `.docx`, `.pptx` or `.xlsx`.

    Raises:
        UnreadableDocument: it is protected, damaged, or no such file.
    """
    if data.startswith(_OLD):
        raise UnreadableDocument(
            f"{source} is protected by a password or of the old Office format: "
            f"save a copy as {suffix} without a password."
        )
    try:
        _refuse_bomb(data, source)
        return _READERS[suffix](data, source)
    except UnreadableDocument:
        raise
    # Each library raises what its XML and zip readers happen to: there is no common class.
    except Exception as error:
        raise UnreadableDocument(
            f"{source} is damaged or no {suffix[1:].upper()} file: save it again, or as text."
        ) from error


def _refuse_bomb(data: bytes, source: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > _MOST_UNPACKED:
        raise UnreadableDocument(
            f"{source} unpacks to {unpacked // 1_000_000} MB: split it into smaller documents."
        )


def _docx(data: bytes, source: str) -> OfficeText:
    # Pictures are left out: encoded in the text they would be its largest part.
    page = mammoth.convert_to_html(
        io.BytesIO(data),
        convert_image=mammoth.images.img_element(_no_picture),
        style_map="p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh\n"
        "p[style-name='Code'] => pre:separator('\\n')\nr[style-name='Code'] => code",
        external_file_access=False,
    )
    return OfficeText(normalised(page_to_markdown(page.value, source).text), None)


def _no_picture(_: object) -> dict[str, str]:
    return {"src": ""}


def _pptx(data: bytes, _: str) -> OfficeText:
    presentation = pptx.Presentation(io.BytesIO(data))
    parts: list[str] = []
    pages: list[PageStart] = []
    blank: list[int] = []
    at = 0
    for number, slide in enumerate(presentation.slides, 1):
        text = normalised("\n\n".join(_slide(slide))).strip()
        if not text:
            blank.append(number)
            continue
        pages.append(PageStart(number, at))
        parts.append(text)
        at += len(text) + 2
    title = one_line(presentation.core_properties.title)
    title = None if title == "PowerPoint Presentation" else title  # nobody chose it
    return OfficeText("\n\n".join(parts), title, tuple(pages), tuple(blank))


def _slide(slide: Any) -> Iterator[str]:
    """Yield a slide's title, then its shapes in their order, then the speaker's notes."""
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        yield f"## {' '.join(title.text_frame.text.split())}"
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if getattr(shape, "has_table", False):
            yield _table([[" ".join(cell.text.split()) for cell in row.cells]
                          for row in shape.table.rows])  # fmt: skip
        elif shape.has_text_frame and shape.text_frame.text.strip():
            yield shape.text_frame.text.replace("\v", "\n").strip("\n")
    if slide.has_notes_slide:
        notes = slide.notes_slide.notes_text_frame
        if notes is not None and notes.text.strip():
            yield f"**Notes:** {notes.text.strip()}"


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _xlsx(data: bytes, source: str) -> OfficeText:
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    parts: list[str] = []
    cells = 0
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what the file says of its size may be a lie
            rows: list[list[str]] = []
            for row in sheet.iter_rows(values_only=True):
                cells += len(row)
                if cells > _MOST_CELLS:
                    raise UnreadableDocument(
                        f"{source} has more than {_MOST_CELLS:,} cells: split it into smaller ones."
                    )
                shown = [_shown(value) for value in row]
                if any(shown):
                    rows.append(shown)
            if rows:
                parts.append(f"## {' '.join(sheet.title.split())}\n\n{_table(rows)}")
        title = one_line(book.properties.title)
    finally:
        book.close()
    return OfficeText(normalised("\n\n".join(parts)), title)


def _shown(value: object) -> str:
    """Return a cell as a person sees it: no `.0` behind whole numbers, no midnight behind days."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value).removesuffix(" 00:00:00").split())


def _table(rows: list[list[str]]) -> str:
    """Return a Markdown table without its empty columns; the first row is the header."""
    width = max(map(len, rows))
    padded = [row + [""] * (width - len(row)) for row in rows]
    kept = [column for column in zip(*padded, strict=True) if any(column)]
    header, *body = zip(*kept, strict=True) if kept else [("",)]
    return "\n".join([one_row(header), "|" + " --- |" * len(header), *map(one_row, body)])


_READERS: dict[str, Callable[[bytes, str], OfficeText]] = {
    ".docx": _docx,
    ".pptx": _pptx,
    ".xlsx": _xlsx,
}
