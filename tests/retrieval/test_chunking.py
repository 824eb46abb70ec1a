"""Chunks: nothing lost, sizes kept, offsets exact, fences whole, ids that stay."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.chunking import chunk
from retrieval.documents import Chunk, Document, PageStart
from retrieval.readers.reading import read

SENTENCE = "The consumer of queue number {} waits for the lock until its timeout has passed. "


def document(text: str) -> Document:
    """A Markdown document, read as from a file."""
    return read("runbook.md", text.encode(), source="runbook.md", title="Queue runbook")


def sentences(count: int, first: int = 0) -> str:
    """Sentences of some 80 characters each, all different."""
    return "".join(SENTENCE.format(number) for number in range(first, first + count)).strip()


def assert_sound(doc: Document, chunks: list[Chunk], largest: int) -> None:
    """What holds for the chunks of every document."""
    covered = bytearray(len(doc.text))
    for piece in chunks:
        assert doc.text[piece.start : piece.end] == piece.text
        assert piece.text == piece.text.strip() != ""
        assert len(piece.text) <= largest
        covered[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
    assert all(covered[at] or char.isspace() for at, char in enumerate(doc.text)), "text was lost"
    assert [piece.position for piece in chunks] == list(range(len(chunks)))
    assert [piece.start for piece in chunks] == sorted(piece.start for piece in chunks)
    assert len({piece.id for piece in chunks}) == len(chunks)


def test_sections_are_chunks_with_their_breadcrumb() -> None:
    """A chunk ends with its section; context and heading say where it stands."""
    body = f"\n\n{sentences(4)}\n\n"
    text = f"# Queue runbook\n\n## Impact{body}### Lag{body}## Fix{body}"
    chunks = chunk(document(text))
    assert [piece.context for piece in chunks] == [
        "Queue runbook › Impact",
        "Queue runbook › Impact › Lag",
        "Queue runbook › Fix",
    ]
    assert [piece.heading for piece in chunks] == ["Impact", "Lag", "Fix"]
    assert chunks[0].text.startswith("# Queue runbook")
    assert chunks[1].text.startswith("### Lag")


def test_a_first_heading_unlike_the_title_stays_in_the_context() -> None:
    """An alert's exact name in the first heading is found in every chunk of its document."""
    text = f"# QueueLagHigh\n\n{sentences(4)}\n\n## Fix\n\n{sentences(4)}"
    contexts = [piece.context for piece in chunk(document(text))]
    assert contexts == ["Queue runbook › QueueLagHigh", "Queue runbook › QueueLagHigh › Fix"]


def test_a_breadcrumb_leaves_the_text_its_room() -> None:
    """Of headings too long together the inner one stays: it says most about the text."""
    marks = [f"{'#' * level} H{level} {'word ' * 30}" for level in range(1, 7)]
    *_, piece = chunk(document("\n\n".join([*marks, sentences(4)])))
    assert piece.context.startswith("Queue runbook › H5 word")
    assert " › H6 word" in piece.context
    assert len(piece.context) <= 400


def test_small_sections_join_their_neighbours() -> None:
    """Sections of a line are no chunks: they join the next, the last one joins the one before."""
    text = (
        f"# T\n\n## A\n\nshort\n\n## B\n\nalso short\n\n## C\n\n{sentences(4)}\n\n## D\n\nthe end"
    )
    (only,) = chunk(document(text))
    assert only.text == text
    assert only.heading == "A"


def test_a_long_section_is_cut_between_sentences_and_overlaps() -> None:
    """Every sentence is whole in a chunk, and the next chunk repeats the end of the last."""
    doc = document("# T\n\n" + sentences(60))
    chunks = chunk(doc)
    assert_sound(doc, chunks, 1200)
    assert len(chunks) > 3
    for number in range(60):
        assert any(SENTENCE.format(number).strip() in piece.text for piece in chunks)
    for before, after in pairwise(chunks):
        assert 60 <= before.end - after.start <= 150
        assert after.text.startswith("The consumer")


@pytest.mark.parametrize("fence", ["```", "~~~~", "`````"])
def test_a_fence_stays_whole_while_it_fits(fence: str) -> None:
    """A fence of up to 1.5 times the size is in one chunk; its `#` lines are no headings."""
    code = "\n".join(f"# step {n}\nkubectl get pods -n shop-{n:03}" for n in range(38))
    block = f"{fence}bash\n{code}\n{fence}"
    assert 1200 < len(block) <= 1800
    doc = document(f"# T\n\n## Fix\n\n{sentences(9)}\n\n{block}\n\n{sentences(9)}")
    chunks = chunk(doc)
    assert_sound(doc, chunks, 1800)
    assert [piece for piece in chunks if block in piece.text]
    assert {piece.heading for piece in chunks} == {"Fix"}
    assert all(piece.text.count(fence) % 2 == 0 for piece in chunks), "a fence was cut"


def test_a_fence_in_a_long_list_stays_whole() -> None:
    """A list that has to be cut is cut between its items and blocks, not in their code."""
    code = "   ```bash\n   # restart\n   systemctl restart queue\n   ```\n"
    items = "\n".join(f"{n}. {sentences(3, n)}\n\n{code}" for n in range(1, 15))
    doc = document(f"# T\n\n{items}")
    chunks = chunk(doc)
    assert_sound(doc, chunks, 1200)
    assert all(piece.text.count("```") % 2 == 0 for piece in chunks)


def test_a_table_too_long_is_cut_between_its_rows() -> None:
    """No row of a long table is torn, and none is lost or repeated."""
    rows = [f"| {n} | shop-{n:04}.example.com | owner of the row {n} |" for n in range(120)]
    doc = document("# T\n\n| a | b | c |\n|---|---|---|\n" + "\n".join(rows))
    chunks = chunk(doc)
    assert_sound(doc, chunks, 1200)
    lines = [line for piece in chunks for line in piece.text.split("\n")]
    assert [line for line in lines if line.startswith("| ") and "shop" in line] == rows


def test_each_piece_of_a_long_table_knows_its_header() -> None:
    """The header is in the context of every chunk that goes on with it, and of no other."""
    rows = "\n".join(f"| {n} | shop-{n:04}.example.com | owner {n} |" for n in range(120))
    table = f"| No. | Host | Owner |\n|---|---|---|\n{rows}"
    chunks = chunk(document(f"# T\n\n{sentences(3)}\n\n{table}\n\n{sentences(9)}"))
    with_header = [piece for piece in chunks if piece.context.endswith("\n| No. | Host | Owner |")]
    going_on = [
        piece for piece in chunks if piece.text.startswith("| ") and "No." not in piece.text
    ]
    assert len(with_header) > 3
    assert with_header == going_on
    assert {piece.context.split("\n")[0] for piece in chunks} == {"Queue runbook › T"}
    wide = "| " + "x" * 400 + " | b |\n|---|---|\n" + rows
    assert all("\n" not in piece.context for piece in chunk(document(wide)))


def test_an_abbreviation_ends_no_sentence() -> None:
    """Nor does a line; a full stop at the end of a line does."""
    long = (
        "Wait for the consumer, e.g. Ledger or approx. the\nwhole queue number {}, i.e. All of it."
    )
    doc = document("\n".join(long.format(number) for number in range(60)))
    chunks = chunk(doc)
    assert len(chunks) > 3
    for number in range(60):
        assert any(long.format(number) in piece.text for piece in chunks)


def test_no_chunk_at_the_end_is_a_mere_line() -> None:
    """What is left over at the end of a long section takes something from before with it."""
    paragraphs = "\n\n".join(f"```\n{'x' * 340} {n}\n```" for n in range(3))
    chunks = chunk(document(f"# T\n\n{paragraphs}\n\nThen restart it."))
    assert chunks[-1].text.endswith("Then restart it.")
    assert all(len(piece.text) >= 200 for piece in chunks)


def test_an_id_depends_on_identity_and_content_alone() -> None:
    """A chunk keeps its id when others change; another source or channel has other ids."""
    before = document(f"# T\n\n## A\n\n{sentences(4)}\n\n## B\n\n{sentences(4, 9)}")
    after = document(f"# T\n\n## A\n\n{sentences(5)}\n\n## B\n\n{sentences(4, 9)}")
    old, new = chunk(before), chunk(after)
    assert old[0].id != new[0].id
    assert old[1].id == new[1].id
    for other in (
        replace(before, source="other.md"),
        replace(before, audience="C1"),
        replace(before, team="T1"),
    ):
        assert not {piece.id for piece in old} & {piece.id for piece in chunk(other)}
    assert all(len(piece.id) == 24 for piece in old)


def test_equal_chunks_have_different_ids() -> None:
    """Two sections with the same words are two chunks."""
    section = f"## Same\n\n{sentences(4)}\n\n"
    first, second = chunk(document("# T\n\n" + section * 2))[-2:]
    assert first.text.endswith(second.text)
    twins = chunk(document(section * 3))
    assert len({piece.id for piece in twins}) == 3


def test_a_page_is_where_the_chunk_begins() -> None:
    """Chunks of a PDF name the page; those of other documents none."""
    text = f"{sentences(12)}\n\n{sentences(12, 20)}"
    pages = (PageStart(1, 0), PageStart(4, text.index(SENTENCE.format(20)[:40])))
    doc = Document("a.pdf", "A", text, pages=pages)
    chunks = chunk(doc)
    assert [piece.page for piece in chunks] == [1, 4]
    assert chunks[1].start < pages[1].start, "what is repeated doesn't count"
    assert {piece.page for piece in chunk(document(text))} == {None}


def test_text_without_any_border_is_cut_to_size() -> None:
    """One endless word, or a log without an empty line, gives chunks of the right size."""
    for text in (
        "x" * 5000,
        "\n".join(f"level=warn msg=retry n={n}" for n in range(500)),
        "字" * 4000,
    ):
        doc = document(text)
        assert_sound(doc, chunk(doc), 1200)


def test_an_empty_document_has_no_chunks() -> None:
    """Front matter alone gives nothing to index."""
    assert chunk(document("---\ntitle: Etcd\n---\n")) == []


def test_an_overlap_as_large_as_the_size_is_refused() -> None:
    """Sizes that could never advance are an error of the caller."""
    with pytest.raises(ValueError, match="smaller than the size"):
        chunk(document("text"), size=100, overlap=100)


def _list_of(items: int) -> str:
    return "\n".join(f"- item {number}\n  - {SENTENCE}" for number in range(items))


def _table_of(rows: int) -> str:
    return "|a|b|\n|-|-|\n" + "|cell|cell|\n" * rows


_words = st.text("abcdefg .!?é字#`|*->:_\n\t", min_size=1, max_size=400)
_code = st.builds(
    "{0}\n{1}\n{0}".format,
    st.sampled_from(["```", "~~~", "````"]),
    st.text("xyz #\n", max_size=500),
)
_blocks = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["#", "##", "###"]), st.text("abc", max_size=12)),
    _words,
    _code,
    st.builds(sentences, st.integers(1, 30)),
    st.builds(_list_of, st.integers(1, 20)),
    st.builds(_table_of, st.integers(1, 90)),
    st.just("[ref]: http://example.com 'title'\n" * 5),
)


_sentence = st.lists(st.text("abcdefghijk", min_size=1, max_size=9), min_size=1, max_size=30).map(
    lambda words: " ".join(words).capitalize()
)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.lists(_sentence, min_size=1, max_size=15), min_size=1, max_size=8),
    st.sampled_from([" ", "\n"]),
    st.sampled_from(["", "- ", "> ", "1. "]),
)
def test_every_sentence_is_whole_somewhere(
    paragraphs: list[list[str]], between: str, mark: str
) -> None:
    """Whatever border it crosses: in paragraphs, lists and quotations, wrapped or not."""
    numbered = [
        [f"N{row}x{column} {sentence}." for column, sentence in enumerate(paragraph)]
        for row, paragraph in enumerate(paragraphs)
    ]
    joint = between + " " * len(mark) if mark != "> " else between.replace("\n", "\n> ")
    text = "\n\n".join(mark + joint.join(paragraph) for paragraph in numbered)
    chunks = chunk(document(text), size=600, overlap=100)
    for sentence in (sentence for paragraph in numbered for sentence in paragraph):
        assert any(sentence in piece.text for piece in chunks), "a sentence was torn"


@settings(deadline=None, max_examples=150)
@given(st.lists(_blocks, min_size=1, max_size=12).map("\n\n".join), st.integers(100, 1300))
def test_nothing_is_lost_and_sizes_are_kept(text: str, size: int) -> None:
    """For any Markdown and size: all text covered, offsets exact, sizes kept, the same twice."""
    doc = read("a.md", b"x\n\n" + text.encode(), source="a.md")
    chunks = chunk(doc, size=size, overlap=size // 8)
    assert_sound(doc, chunks, size * 3 // 2)
    assert chunks == chunk(doc, size=size, overlap=size // 8)
    for piece in chunks:
        if len(piece.text) > size:
            assert any(mark in piece.text for mark in ("```", "~~~", "|", "\t", "    ")), "not code"
