"""Files that nobody vouches for: pipes, links, names and folders that mean harm or are broken."""

import asyncio
import os
from pathlib import Path

import pytest

from retrieval.errors import UnreadableDocument
from retrieval.files import NotRegular, read_regular
from retrieval.ingest import ingest
from retrieval.sources import Source, collect
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import open_store


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    """Nobody ever writes to it: opening it in the usual way would wait for ever."""
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(NotRegular):
        read_regular(tmp_path / "pipe.md", 10)
    with pytest.raises(NotRegular):
        read_regular(Path("/dev/zero"), 10)
    (tmp_path / "file.md").write_text("some text")
    assert read_regular(tmp_path / "file.md", 4) == b"some"


def test_a_manifest_that_is_a_pipe_is_told(tmp_path: Path) -> None:
    """The ingest neither waits for it nor goes on without it."""
    os.mkfifo(tmp_path / "manifest.jsonl")
    with pytest.raises(UnreadableDocument, match=r"manifest\.jsonl is a folder, pipe"):
        collect([tmp_path])


def test_a_link_out_of_the_folder_is_left_out(tmp_path: Path) -> None:
    """A checkout must not bring in what lies beside it; a link within it may."""
    (tmp_path / "secret.md").write_text("what nobody meant to show")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("text")
    (docs / "within.md").symlink_to("a.md")
    (docs / "out.md").symlink_to("../secret.md")
    (docs / "loop.md").symlink_to("loop.md")
    collected = collect([docs])
    assert [source.name for source in collected.sources] == ["a.md", "within.md"]
    assert collected.skipped == 2


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("x" * 300, r"can't be read \(File name too long\): shorten its path\."),
        ("a\0b", "no path that can be opened"),
        ("/dev/null", "is a folder, pipe, socket or device"),
        ("no\x1b[31m\nwhere", "There is no file or folder no\ufffd\\[31m\ufffdwhere: check"),
    ],
)
def test_a_path_that_is_none_is_told(path: str, said: str) -> None:
    """In one sentence, in which nothing steers the terminal."""
    with pytest.raises(UnreadableDocument, match=said):
        collect([Path(path)])


def test_a_name_does_not_steer_the_terminal(tmp_path: Path) -> None:
    """Control characters in a file's name are replaced; the file is still found."""
    (tmp_path / "red\x1b[31m\n\u202egnp.md").write_text("text")
    (source,) = collect([tmp_path]).sources
    assert source.name == "red\ufffd[31m\ufffd\ufffdgnp.md"
    assert isinstance(source.content, Path)
    assert source.content.read_text() == "text"


def deep_folder(top: Path) -> None:
    """Folders in folders, until a path is longer than the system takes."""
    (top / "deep").mkdir()
    at = os.open(top / "deep", os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=at)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


async def test_a_folder_that_cannot_be_listed_fails_alone(
    database_url: str, tmp_path: Path
) -> None:
    """It is one failure with its reason, and all others are ingested."""
    deep_folder(tmp_path)
    for name in ("a.md", "z.md"):
        (tmp_path / name).write_text(f"# Text of {name}\n\nWords.")
    collected = await asyncio.to_thread(collect, [tmp_path])
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, BagOfWords(), collected)
    assert report.added == 2
    (failure,) = report.failed
    assert failure.reason.startswith("deep/ddd")
    assert failure.reason.endswith("can't be read (File name too long): shorten its path.")


async def test_a_pipe_fails_alone(database_url: str, tmp_path: Path) -> None:
    """What became a pipe between listing and reading holds up nobody."""
    os.mkfifo(tmp_path / "pipe.md")
    sources = [Source("pipe.md", tmp_path / "pipe.md"), Source("a.md", b"# Text\n\nWords.")]
    async with open_store(database_url, "pg_search") as store:
        report = await ingest(store, BagOfWords(), sources)
    assert report.added == 1
    assert report.failed[0].reason.startswith("pipe.md is a folder, pipe")
