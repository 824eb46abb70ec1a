"""HTML, reStructuredText, AsciiDoc, Office files and data: their words, headings, code, tables."""

import io
import zipfile
from typing import Any

import openpyxl
import pptx
import pytest
from pptx.util import Cm

from retrieval.chunking import chunk
from retrieval.documents import Document
from retrieval.errors import UnreadableDocument
from retrieval.readers.reading import read

CODE = "# not a heading\nkubectl  get pods -l 'a=*' | grep \"__x__\""


def headings(document: Document) -> list[tuple[int, str]]:
    """Levels and titles."""
    return [(heading.level, heading.title) for heading in document.headings]


def read_text(name: str, text: str) -> Document:
    """A text, read as from a file."""
    return read(name, text.encode(), source=name)


def docx(body: str) -> bytes:
    """The smallest file that Word opens, with this body."""
    space = "http://schemas.openxmlformats.org"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types"><Default '
        'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship '
        f'Id="r1" Type="{space}/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{space}/wordprocessingml/2006/main"><w:body>'
        f"{body}</w:body></w:document>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of a Word file."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_html_is_its_main_content() -> None:
    """Menus and footers go; headings, lists, code and tables stay what they were."""
    page = f"""<!doctype html><html><head><title>Site</title><style>x</style></head><body>
    <nav>menu</nav><header>banner</header><main><h1>Fail &amp; over <a href="#x">¶</a></h1>
    <p>Run <code>psql  -c "a_*"</code> with <b>care</b>,<br>see <a href="https://w.example/a">the
    wiki</a>.</p><ol><li>one<ul><li>a<li>b</ul><li>two<pre class="language-bash">\n{CODE}\n</pre>
    </ol><table><tr><th>Code<th>Means<tr><td>5032<td>a|b</table><p># no heading</p></main>
    <footer>imprint</footer><script>x()</script></body></html>"""
    doc = read_text("a.html", page)
    code = CODE.replace("\n", "\n   ")
    assert doc.title == "Fail & over"
    assert headings(doc) == [(1, "Fail & over")]
    assert doc.text == (
        '# Fail & over\n\nRun `psql  -c "a_*"` with care,\nsee [the wiki](https://w.example/a).\n\n'
        f"1. one\n   - a\n   - b\n2. two\n\n   ```bash\n   {code}\n   ```\n\n"
        "| Code | Means |\n| --- | --- |\n| 5032 | a\\|b |\n\n\\# no heading"
    )


@pytest.mark.parametrize(
    "page", ["", "<p></p>", "<html><body><script>x</script></body></html>", "<!-- x -->"]
)
def test_html_without_words_is_refused(page: str) -> None:
    """Nothing is indexed as empty."""
    with pytest.raises(UnreadableDocument, match=r"holds no text|is empty"):
        read_text("a.html", page)


def test_html_nested_without_end_is_read_or_refused() -> None:
    """Ten thousand levels are no crash."""
    try:
        read_text("a.html", "<div>" * 10_000 + "deep" + "<b>" * 10_000 + "x")
    except UnreadableDocument as error:
        assert "nested" in str(error) or "no text" in str(error)  # noqa: PT017 - either is right


RST = f"""\
=====
Queue
=====

.. contents::

Restart
~~~~~~~

See :ref:`the map <x>` and :file:`/etc/q` and ``a  b``.

.. code-block:: bash
   :caption: the command

   {CODE.replace(chr(10), chr(10) + "   ")}

.. seealso:: Elsewhere

   Read on.

.. unknown:box:: Title
   :option: 1

   Inside.

====  =====
Code  Means
====  =====
5032  late
====  =====

.. include:: /etc/passwd
.. raw:: html

   <script>alert(1)</script>
"""


def test_restructuredtext_keeps_code_and_what_sphinx_adds() -> None:
    """Headings of any underline, code byte for byte, unknown boxes with their text."""
    doc = read_text("a.rst", RST)
    assert doc.title == "Queue"
    assert headings(doc) == [(1, "Queue"), (2, "Restart")]
    assert f"```\n{CODE}\n```" in doc.text
    assert "See the map and `/etc/q` and `a  b`." in doc.text
    assert "| Code | Means |\n| --- | --- |\n| 5032 | late |" in doc.text
    for words in ("Elsewhere", "Read on.", "Title", "Inside."):
        assert words in doc.text
    assert "root:" not in doc.text
    assert "alert" not in doc.text


def test_asciidoc_keeps_headings_code_and_tables() -> None:
    """Attributes are put in, listings are fences, tables are tables, comments go."""
    doc = read_text(
        "a.adoc",
        f"""\
= Ledger
:svc: ledger

About {{svc}}, https://x.example/y[the wiki^] and <<steps,below>>.

[#steps]
== Steps

. First
** nested

[source,bash]
----
{CODE}
== {{svc}} is no heading
----

[WARNING]
====
Never twice.
====

[cols="1,1"]
|===
|Port |Use

|5432
|PostgreSQL

|6379 |Cache
|===

////
hidden
////
""",
    )
    assert headings(doc) == [(1, "Ledger"), (2, "Steps")]
    assert "About ledger, [the wiki](https://x.example/y) and below." in doc.text
    assert f"```bash\n{CODE}\n== {{svc}} is no heading\n```" in doc.text
    assert "**Warning:**\n\nNever twice." in doc.text
    assert "| Port | Use |\n| --- | --- |\n| 5432 | PostgreSQL |\n| 6379 | Cache |" in doc.text
    assert "hidden" not in doc.text


def test_word_files_have_headings_tables_and_exact_words() -> None:
    """What would be markup in Markdown gets no backslash."""
    cell = "<w:tc>{}</w:tc>"
    row = "<w:tr>" + cell.format(paragraph("a")) + cell.format(paragraph("b_c")) + "</w:tr>"
    body = paragraph("Restore", "Heading1") + paragraph('psql -c "select * from __x__"')
    doc = read("a.docx", docx(f"{body}<w:tbl>{row}</w:tbl>"), source="a")
    assert headings(doc) == [(1, "Restore")]
    assert doc.title == "Restore"
    assert doc.text == '# Restore\n\npsql -c "select * from __x__"\n\n- a | b_c'


def fill(slide: Any, number: int, text: str) -> None:
    """Write into a place of a slide's layout."""
    slide.placeholders[number].text_frame.text = text


def test_slides_are_pages() -> None:
    """A slide's title is a heading, its notes are read, an empty slide is reported."""
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    fill(first, 0, "Failover")
    fill(first, 1, "one\ntwo")
    notes = first.notes_slide.notes_text_frame
    assert notes is not None
    notes.text = "Say it."
    deck.slides.add_slide(deck.slide_layouts[6])
    third = deck.slides.add_slide(deck.slide_layouts[5])
    fill(third, 0, "Ports")
    table = third.shapes.add_table(2, 2, Cm(1), Cm(1), Cm(9), Cm(9)).table
    table.cell(0, 0).text, table.cell(1, 1).text = "a", "5432"
    buffer = io.BytesIO()
    deck.save(buffer)
    doc = read("a.pptx", buffer.getvalue(), source="a")
    assert headings(doc) == [(2, "Failover"), (2, "Ports")]
    assert "one\ntwo\n\n**Notes:** Say it." in doc.text
    assert "| a |  |\n| --- | --- |\n|  | 5432 |" in doc.text
    assert [page.page for page in doc.pages] == [1, 3]
    assert doc.text[doc.pages[1].start :].startswith("## Ports")
    assert doc.pages_without_text == (2,)


def test_sheets_are_tables_with_numbers_as_seen() -> None:
    """A port beside an empty cell is no fraction; empty rows, columns and sheets go."""
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Hosts")
    for row in (["host", None, "port"], ["db-01", None, 5432.0], [], ["a|b", None, 1.5]):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    doc = read("a.xlsx", buffer.getvalue(), source="a")
    assert headings(doc) == [(2, "Hosts")]
    assert doc.text == (
        "## Hosts\n\n| host | port |\n| --- | --- |\n| db-01 | 5432 |\n| a\\|b | 1.5 |"
    )


def test_an_office_file_that_unpacks_without_end_is_refused() -> None:
    """A file of a few kilobytes may say that it holds gigabytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(21):
            archive.writestr(f"{number}", b"\0" * 10_000_000)
    with pytest.raises(UnreadableDocument, match="unpacks to 210 MB"):
        read("a.docx", buffer.getvalue(), source="a")


def test_data_and_logs_are_text_as_they_stand() -> None:
    """YAML's comments are no headings; the colours of a log go."""
    text = "# alerts\n- alert: QueueLagHigh\n  expr: lag > 5\n"
    doc = read_text("a.yaml", text)
    assert (doc.text, doc.headings) == (text, ())
    assert read_text("a.json", '{"a": [1]}').text == '{"a": [1]}'
    assert read_text("a.log", "\x1b[31mERROR\x1b[0m x").text == "ERROR x"
    assert [piece.text for piece in chunk(doc)] == [text.strip()]
