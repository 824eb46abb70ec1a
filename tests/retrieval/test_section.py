"""The section around a chunk: what belongs to it, whole or in part, and who may read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.chunking import chunk
from retrieval.documents import Document, Filters, Heading, Passage
from retrieval.section import Placed, page_of, section_of
from tests.retrieval.corpora import ENGINES, open_store, prepared, put

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)


def passage(name: str, text: str, context: str) -> Passage:
    """A chunk as it is stored."""
    return Passage(name, "d", "s.md", "T", "H", context, None, "payments", "runbook", None, text)


def cut(document: Document, *, size: int, overlap: int) -> list[Placed]:
    """A document's chunks as the store gives them."""
    return [
        Placed(each.position, each.start, each.end, passage(each.id, each.text, each.context))
        for each in chunk(document, size=size, overlap=overlap)
    ]


def page(*sections: str) -> Document:
    """A document with a heading before each of these texts."""
    text, headings = "", []
    for number, words in enumerate(sections):
        headings.append(Heading(2, f"Part {number}", len(text)))
        text += f"## Part {number}\n\n{words}\n\n"
    return Document(source="s.md", title="T", text=text, headings=tuple(headings))


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=4),
    st.integers(60, 200),
    st.integers(0, 50),
    st.data(),
)
def test_a_section_reads_as_the_document_does(
    lengths: list[int], size: int, overlap: int, data: st.DataObject
) -> None:
    """Without what chunks repeat, all of a section's words are there, once, in order."""
    document = page(
        *(
            " ".join(f"s{number}w{word}." for word in range(length))
            for number, length in enumerate(lengths)
        )
    )
    chunks = cut(document, size=size, overlap=overlap)
    here = data.draw(st.sampled_from(chunks))
    section = section_of(chunks, here.passage.chunk_id, longest=100_000)
    words = [word for each in section.passages for word in each.text.split()]
    first = next(each for each in chunks if each.passage.chunk_id == section.passages[0].chunk_id)
    last = next(each for each in chunks if each.passage.chunk_id == section.passages[-1].chunk_id)
    assert words == document.text[first.start : last.end].split()
    assert here.passage.chunk_id in {each.chunk_id for each in section.passages}
    crumbs = {each.context.partition("\n")[0] for each in section.passages}
    assert section.alone or crumbs == {here.passage.context.partition("\n")[0]}


@given(st.integers(60, 200), st.integers(0, 50))
def test_a_page_reads_as_the_document_does(size: int, overlap: int) -> None:
    """All of its words, each once, whatever its chunks repeat."""
    document = page(*(" ".join(f"s{part}w{word}." for word in range(40)) for part in range(3)))
    read = page_of(cut(document, size=size, overlap=overlap))
    assert [word for each in read for word in each.text.split()] == document.text.split()


def test_a_long_section_is_cut_around_its_chunk() -> None:
    """As much as fits, before and after; it is told on which side the section goes on."""
    document = page(" ".join(f"w{n}." for n in range(600)))
    chunks = cut(document, size=300, overlap=30)
    ids = [each.passage.chunk_id for each in chunks]
    assert len(ids) > 8
    told: list[tuple[bool, bool]] = []
    for place in (0, 4, len(ids) - 1):
        section = section_of(chunks, ids[place], longest=1000)
        given_ids = [each.chunk_id for each in section.passages]
        assert ids[place] in given_ids
        assert 3 <= len(given_ids) <= 4
        assert sum(len(each.text) for each in section.passages) <= 1000
        told.append((section.before, section.after))
    assert told == [(False, True), (True, True), (True, False)]
    assert len(section_of(chunks, ids[4], longest=1).passages) == 1


def test_a_section_of_one_chunk_comes_with_its_neighbours() -> None:
    """Else reading on would give what is known already."""
    words = " ".join(f"w{n}." for n in range(60))
    chunks = cut(page(words, words, words, words), size=400, overlap=0)
    assert len(chunks) == 4
    section = section_of(chunks, chunks[1].passage.chunk_id, longest=6000)
    assert section.alone
    assert [each.chunk_id for each in section.passages] == [
        each.passage.chunk_id for each in chunks[:3]
    ]


@both_engines
async def test_a_section_keeps_to_rights_and_filters(database_url: str, engine: str) -> None:
    """Who couldn't find a chunk can't read around it either, on every engine."""
    async with open_store(database_url, engine) as store:
        await put(store, prepared("open", ["alpha one", "beta two", "gamma three"]))
        await put(store, prepared("other", ["delta four"]))
        await put(store, prepared("theirs", ["alpha"], team="T2"))
        await put(store, prepared("secret", ["alpha", "beta"], team="T1", audience="C1"))

        async def read(chunk_id: str, filters: Filters) -> list[str] | None:
            section = await store.section(chunk_id, filters, longest=1000)
            return section and [each.text for each in section.passages]

        everyone = Filters()
        assert await read("open-0001", everyone) == ["alpha one", "beta two", "gamma three"]
        mine = Filters(services=("payments",), doc_types=("runbook",), team="T1", audience="C1")
        assert await read("open-0000", mine) == ["alpha one", "beta two", "gamma three"]
        assert await read("secret-0000", mine) == ["alpha", "beta"]
        assert await read("theirs-0000", mine) is None
        assert await read("secret-0000", Filters(team="T1", audience="C2")) is None
        assert await read("secret-0000", everyone) is None
        assert await read("open-0000", Filters(services=("search",))) is None
        assert await read("open-0000", Filters(doc_types=("postmortem",))) is None
        assert await read("no such chunk\0", everyone) is None
        assert len(await store.page("secret-0001", mine)) == 2
        assert await store.page("secret-0001", everyone) == ()
