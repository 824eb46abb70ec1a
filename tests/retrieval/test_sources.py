"""The walk of folders and what their manifests say."""

import asyncio
import json
from pathlib import Path

import pytest

import bot
from retrieval.documents import Filters
from retrieval.errors import UnreadableDocument
from retrieval.ingest import ingest
from retrieval.sources import Labels, collect
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import open_store


def test_a_folder_is_walked_in_order(tmp_path: Path) -> None:
    """Hidden files, other kinds of files and what is no file are left out and counted.

    Hidden folders aren't entered, and a file given twice is taken once.
    """
    for name in (
        "b.md",
        "a/z.md",
        "a/b.txt",
        ".git/x.md",
        "a/.hidden.md",
        "a/photo.png",
        "node_modules/README.md",
        "a/__pycache__/notes.md",
        "LICENSE",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "broken.md").symlink_to("nowhere")
    collected = collect([tmp_path, tmp_path / "b.md"])
    assert [source.name for source in collected.sources] == ["b.md", "a/b.txt", "a/z.md"]
    assert {source.collection for source in collected.sources} == {str(tmp_path.resolve())}
    assert collected.skipped == 4


def test_a_file_name_need_not_be_utf8(tmp_path: Path) -> None:
    """The name is made storable, and the file is still found."""
    name = b"caf\xe9.md"
    (tmp_path / name.decode("utf-8", "surrogateescape")).write_text("text")
    (source,) = collect([tmp_path]).sources
    assert source.name == "caf\ufffd.md"
    assert isinstance(source.content, Path)
    assert source.content.read_text() == "text"


async def test_a_manifest_says_what_files_are_about(database_url: str, tmp_path: Path) -> None:
    """Front matter goes before the manifest, and the manifest before the options."""
    lines = [
        {"path": "one.md", "service": "queue", "doc_type": "postmortem", "title": "The title"},
        {"path": "two.md", "service": "queue"},
        {"path": "not-here.md", "service": "queue"},
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    (tmp_path / "one.md").write_text("# A heading\n\nText of one.")
    (tmp_path / "two.md").write_text("---\nservice: own\n---\n# Two\n\nText of two.")
    (tmp_path / "three.md").write_text("# Three\n\nText of three.")
    labels = Labels(service="option", doc_type="runbook")
    collected = await asyncio.to_thread(collect, [tmp_path], labels)
    assert collected.skipped == 0
    async with open_store(database_url, "pg_search") as store:
        await ingest(store, BagOfWords(), collected)
        kinds = {(kind.service, kind.doc_type) for kind in await store.kinds()}
        assert kinds == {("queue", "postmortem"), ("own", "runbook"), ("option", "runbook")}
        (hit,) = await store.search_keywords(["one"], Filters(doc_types=("postmortem",)))
        assert (await store.passages([hit.chunk_id]))[hit.chunk_id].title == "The title"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"not json", "line 1"),
        (b'{"path": "a.md"}\n[1]', "line 2: no JSON object with a path"),
        (b'{"service": "x"}', "no JSON object with a path"),
        (b'{"path": "a.md", "service": 5}', "service is no text"),
        (b'{"path": "a.md", "link": "wiki/a"}', "link is no address that begins with https"),
        (b"\xff\xfe{}", "UTF-8"),
        (b"[" * 100_000, "line 1: nested too deeply"),
        (b" " * 20_000_000, "20 MB or more"),
    ],
)
def test_a_wrong_manifest_is_told(tmp_path: Path, content: bytes, complaint: str) -> None:
    """The sentence names the file and what is wrong with it; nothing is guessed."""
    (tmp_path / "manifest.jsonl").write_bytes(content)
    with pytest.raises(UnreadableDocument, match=complaint) as caught:
        collect([tmp_path])
    assert str(tmp_path) in str(caught.value)


def test_a_manifest_gives_links(tmp_path: Path) -> None:
    """A PDF can't say where people read it, so the manifest does, before the options."""
    lines = [{"path": "a.md", "link": " https://wiki.example/a "}, {"path": "b.md", "link": ""}]
    (tmp_path / "manifest.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("text")
    found = collect([tmp_path], Labels(link="https://wiki.example/all")).sources
    assert [source.labels.link for source in found] == [
        "https://wiki.example/a",
        "https://wiki.example/all",
    ]


def test_the_samples_name_the_link_of_their_pdf() -> None:
    """The only sample without front matter is cited with its address like the others."""
    found = collect([Path(bot.__file__).parent / "samples"]).sources
    (handbook,) = (source for source in found if source.name.endswith(".pdf"))
    assert handbook.labels.link == "https://wiki.secondspoke.example/database/restore-handbook"
