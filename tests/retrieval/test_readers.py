"""Readers: bytes of any kind become a document, or one sentence that says why not."""

import time
import zlib

import pytest
from fpdf import FPDF
from hypothesis import given
from hypothesis import strategies as st

from retrieval.documents import Document
from retrieval.errors import UnreadableDocument
from retrieval.readers.kinds import MAX_BYTES, MAX_CHARACTERS
from retrieval.readers.pdf import read_pdf
from retrieval.readers.reading import read


def read_markdown(text: str, **labels: str) -> Document:
    """A Markdown text, read as from a file."""
    name = "docs/redis-failover.md"
    return read(
        name,
        text.encode(),
        source="redis",
        title=labels.get("title"),
        service=labels.get("service"),
        doc_type=labels.get("doc_type"),
    )


def refusal(name: str, data: bytes) -> str:
    """The sentence with which bytes are refused; it always names the source."""
    with pytest.raises(UnreadableDocument) as caught:
        read(name, data, source=f"docs/{name}")
    sentence = str(caught.value)
    assert sentence.startswith(f"docs/{name} ")
    assert sentence.endswith(".")
    return sentence


def pdf(*pages: str, title: str = "", password: str = "") -> bytes:
    """A PDF with a page for each text."""
    paper = FPDF()
    if title:
        paper.set_title(title)
    if password:
        paper.set_encryption("owner", password)
    for text in pages:
        paper.add_page()
        paper.set_font("Helvetica", size=12)
        if text:
            paper.multi_cell(0, 6, text)
    return bytes(paper.output())


def test_what_no_reader_foresaw_costs_one_document(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever a parser raises becomes a sentence with its class; the log has no text of it."""
    error = refusal("a.md", Unruly(b"# Secret words"))
    assert "stopped with ZeroDivisionError" in error
    assert [record.message for record in caplog.records] == ["reader_failed"]


class Unruly(bytes):
    """Bytes that a reader trips over in a way that nobody thought of."""

    def startswith(self, *_: object) -> bool:
        """Fail as no reader is known to."""
        raise ZeroDivisionError


def test_the_title_is_given_or_the_first_heading_or_the_name() -> None:
    """Without front matter: the caller's title, the first h1, the file's name."""
    assert read_markdown("# From `text`\n", title="Given").title == "Given"
    assert read_markdown("## Two\n\n# From `text`\n").title == "From text"
    assert read_markdown("words").title == "Redis failover"
    assert read("KubePodCrash.txt", b"words", source="s").title == "KubePodCrash"
    assert read(".md", b"words", source="s").title


def test_headings_are_found_outside_of_code() -> None:
    """ATX and setext headings count, `#` lines in fences of any kind and indented code don't."""
    text = """\
Setext *one*
============

Two
---

````bash
# not this
```
# nor this
````

   ~~~
# nor this one
   ~~~

    # indented code

- item

  ```
  # in a list's fence
  ```

### With [a link](http://x) and `code` {#anchor} ###

> # quoted

#hashtag

```
# never closed
"""
    found = [(heading.level, heading.title) for heading in read_markdown(text).headings]
    assert found == [(1, "Setext one"), (2, "Two"), (3, "With a link and code")]


def test_a_heading_starts_where_its_line_does() -> None:
    """Offsets count characters of the text, whatever the letters and line ends were."""
    doc = read("a.md", "# Über 障害\r\n\r\nx💥\r\n\r\n## Zwei\r\n".encode(), source="a")
    assert "\r" not in doc.text
    for heading in doc.headings:
        assert doc.text[heading.start :].lstrip("# ").startswith(heading.title)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"], ids=lambda name: name
)
def test_encodings_are_recognised(encoding: str) -> None:
    """A byte order mark, UTF-8 and Windows text are read without garbling."""
    doc = read("a.txt", "Störung “Zahlung”\nnächste Zeile".encode(encoding), source="a")
    assert doc.text == "Störung “Zahlung”\nnächste Zeile"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "Перезапустите очередь и проверьте журнал ошибок на сервере. " * 3),
        ("koi8_r", "Перезапустите очередь и проверьте журнал ошибок на сервере. " * 3),
        ("cp932", "データベースの複製が遅れています。再起動してください。" * 3),
        ("gb18030", "数据库复制延迟，请重启服务。" * 3),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Restartujte službu."),
        ("cp1252", "Größe"),
        ("cp1252", "café – résumé naïve"),
    ],
    ids=["cp1251", "koi8_r", "cp932", "gb18030", "cp1250", "word", "words"],
)
def test_other_encodings_are_guessed(encoding: str, text: str) -> None:
    """A text in another script or code page is read right; a few words are Western Europe's."""
    assert read("a.txt", text.encode(encoding), source="a").text == text


def test_a_page_may_say_its_encoding() -> None:
    """What no letter tells, the page's own word does."""
    page = '<meta charset="iso-8859-2"><p>Łódź i Gdańsk'
    assert read("a.html", page.encode("iso-8859-2"), source="a").text == "Łódź i Gdańsk"


def test_one_damaged_letter_does_not_garble_the_others() -> None:
    """A UTF-8 file with a broken byte stays UTF-8."""
    doc = read("a.txt", "Störung für Käufer ".encode() + b"\xff!", source="a")
    assert doc.text == "Störung für Käufer \ufffd!"


def test_nul_and_line_ends_are_normalised() -> None:
    """PostgreSQL's text can hold no NUL, and offsets count one character a line end."""
    doc = read("a.log", b"a\0b\r\nsecond line\rthird line of the log\n" * 3, source="a")
    assert doc.text == "ab\nsecond line\nthird line of the log\n" * 3


@pytest.mark.parametrize("name", ["notes", "a.txt", "A.TXT", "a.log", "a.text", "x.MARKDOWN"])
def test_text_is_read_by_its_suffix_or_without_one(name: str) -> None:
    """Plain text may have no suffix, and suffixes may be in capitals."""
    assert read(name, b"# words", source=name).text == "# words"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.md", b"", "is empty"),
        ("a.md", b" \n\t\r\n", "is empty"),
        ("a.txt", b"\xef\xbb\xbf\n", "holds no text"),
        ("a.txt", b"\0\0\0", "binary"),
        ("a.txt", bytes(range(256)) * 20, "binary"),
        ("a.md", b"\x89PNG\r\n\x1a\n" + b"x" * 500, "an image"),
        ("a.md", b"PK\x03\x04" + b"word" * 99, "zip or Office"),
        ("notes.txt", pdf("text"), "name it .pdf"),
        ("a.docx", b"PK\x03\x04", "damaged or no DOCX"),
        ("a.pptx", b"no zip", "damaged or no PPTX"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0" + b"x" * 99, "protected by a password"),
        ("a.exe", b"MZ", r"can't be read \(\.exe\)"),
        ("a.pdf", b"no pdf at all", "damaged"),
        ("a.pdf", pdf("text")[:400], "damaged"),
        ("a.pdf", pdf("text", password="secret"), "password"),
        ("a.pdf", pdf("", ""), r"no text on any of its pages \(2\)"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else str(value),
)
def test_what_cannot_be_read_is_refused_with_a_sentence(name: str, data: bytes, said: str) -> None:
    """Each refusal names the source and says what is wrong."""
    with pytest.raises(UnreadableDocument, match=said):
        read(name, data, source="s")
    assert len(refusal(name, data)) < 200


def test_huge_files_are_refused_at_once() -> None:
    """A file of 50 MB, or of too much text, costs no time."""
    before = time.perf_counter()
    assert "50 MB" in refusal("a.md", b"# word\n" * (MAX_BYTES // 7 + 1))
    assert "characters" in refusal("a.md", b"# word\n" * (MAX_CHARACTERS // 7 + 1))
    assert time.perf_counter() - before < 2


def test_pdf_pages_are_kept_and_empty_ones_reported() -> None:
    """Each page of a PDF is found again by its offset; a page without text is named."""
    doc = read("a.pdf", pdf("First page.", "", "Third page.", title="Shop atlas"), source="a")
    assert doc.title == "Shop atlas"
    assert doc.pages_without_text == (2,)
    assert [page.page for page in doc.pages] == [1, 3]
    assert [doc.text[page.start :].split(".")[0] for page in doc.pages] == [
        "First page",
        "Third page",
    ]
    assert read("ingress-map.pdf", pdf("x"), source="a").title == "Ingress map"


def test_a_pdf_of_too_much_text_is_refused_while_it_is_read() -> None:
    """Pages are counted before their text is taken out; the rest isn't opened."""
    data = pdf("First page.", "Second page.", "Third page.")
    with pytest.raises(UnreadableDocument, match=r"^s holds 23 characters or more .* is 20:"):
        read_pdf(data, "s", 20)
    assert len(read_pdf(data, "s", 40).pages) == 3


def test_a_pdf_that_unpacks_to_gigabytes_costs_one_document() -> None:
    """90 KB are 24 million characters: they end the process that reads them, not ours."""
    shown = (b"(" + b"a" * 60 + b") Tj ") * 400_000
    content = zlib.compress(b"BT /F1 1 Tf " + shown + b"ET", 9)
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    numbered = b"".join(b"%d 0 obj%sendobj\n" % each for each in enumerate(objects, 1))
    assert "too much memory" in refusal(
        "a.pdf", b"%PDF-1.4\n" + numbered + b"trailer<</Root 1 0 R>>\n"
    )


def test_identity_and_link_are_taken_over() -> None:
    """Team and audience belong to a document's identity; a link has to be one for the web."""
    doc = read("a.md", b"x", source="s", team="T1", audience="C1", link="https://example.com/a")
    assert (doc.source, doc.team, doc.audience) == ("s", "T1", "C1")
    assert doc.link == "https://example.com/a"
    assert read("a.md", b"x", source="s", link="file:///etc/passwd").link is None


@given(st.sampled_from(["a.md", "a.txt", "a.pdf", "a", "a.html", "a.adoc", "a.json", "a.docx",
                        "a.pptx", "a.xlsx"]), st.binary(max_size=2000))  # fmt: skip
def test_any_bytes_are_read_or_refused(name: str, data: bytes) -> None:
    """No bytes cause another error; what is read has no NUL and no lone surrogate."""
    try:
        doc = read(name, data, source="s")
    except UnreadableDocument:
        return
    assert "\0" not in doc.text
    assert "\r" not in doc.text
    assert doc.text.encode("utf-8").decode() == doc.text
    assert doc.title


@pytest.mark.parametrize("above", ["one line\nand another", "a" * 201])
def test_a_paragraph_above_a_rule_is_no_heading(above: str) -> None:
    """Markdown takes a paragraph of any length for a heading when a rule follows at once."""
    doc = read_markdown(f"# Title\n\n{above}\n---\n\nA real one\n---\n")
    assert [heading.title for heading in doc.headings] == ["Title", "A real one"]
    assert above in doc.text


def test_a_title_is_cut_before_it_is_parsed() -> None:
    """Markup nested thousands deep takes minutes to parse; the words stay in the text."""
    long = "*[`<" * 2_000
    doc = read_markdown(f"# {'word ' * 100}\n\n## {long}\n\ntext")
    assert [len(heading.title) for heading in doc.headings] == [199, 126]
    assert long in doc.text


@given(st.text(alphabet="#-=`~ abc\n\t>*:{}[]", max_size=300))
def test_any_markdown_has_headings_in_order(text: str) -> None:
    """Whatever the markup, headings lie in the text, in order, at the beginnings of lines."""
    doc = read_markdown("x\n\n" + text)
    starts = [heading.start for heading in doc.headings]
    assert starts == sorted(set(starts))
    assert all(start == 0 or doc.text[start - 1] == "\n" for start in starts)
    assert all(1 <= heading.level <= 6 for heading in doc.headings)
