"""What is to be ingested: bytes with a name, from a file or elsewhere; the walk of folders."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from retrieval.errors import UnreadableDocument
from retrieval.manifest import MANIFEST_NAME, Entry, read_manifest
from retrieval.readers import SUFFIXES
from retrieval.rules import Rule, said_by_rules

__all__ = ["Collected", "Labels", "Source", "collect"]


@dataclass(frozen=True, slots=True)
class Labels:
    """What is said of documents from outside; their own front matter wins. None: nothing said."""

    service: str | None = None
    doc_type: str | None = None
    title: str | None = None
    link: str | None = None
    team: str | None = None
    audience: str | None = None


_NOTHING_SAID: Final = Labels()


@dataclass(frozen=True, slots=True)
class Source:
    """One document to ingest. `name` identifies it, and its suffix says how to read it.

    `content` is what it holds, or the file that holds it.
    """

    name: str
    content: bytes | Path = field(repr=False)
    labels: Labels = _NOTHING_SAID


@dataclass(frozen=True, slots=True)
class Collected:
    """The sources under some paths, and how many files were left out (hidden, of other kinds)."""

    sources: tuple[Source, ...]
    skipped: int = 0


def collect(
    paths: Iterable[Path], labels: Labels = _NOTHING_SAID, *, rules: Sequence[Rule] = ()
) -> Collected:
    """Find the documents under files and folders, in the order of their names.

    A file of a folder is named by its path in it, with slashes; a file given by itself by its
    file name. What the rules say of a name goes before what a folder's manifest says of it, and
    that before `labels`. Links to folders aren't followed, and a file given twice is taken once.
    It reads the file system, so it belongs in a thread.

    Raises:
        UnreadableDocument: a path is missing or can't be listed, or a manifest is wrong.
    """
    sources: dict[tuple[str, Path], Source] = {}
    skipped = 0
    for path in paths:
        if path.is_dir():
            manifest = read_manifest(path)
            for file in _files(path):
                relative = file.relative_to(path)
                if _is_left_out(relative) or not file.is_file():
                    skipped += 1
                    continue
                name = _name(relative)
                source = Source(name, file, _labels(labels, manifest.get(name), rules, name))
                sources.setdefault((name, file.resolve()), source)
        elif path.is_file():
            name = _name(Path(path.name))
            source = Source(name, path, _labels(labels, None, rules, name))
            sources.setdefault((name, path.resolve()), source)
        else:
            raise UnreadableDocument(f"There is no file or folder {path}: check the path.")
    return Collected(tuple(sources.values()), skipped)


def _files(folder: Path) -> Iterator[Path]:
    def give_up(error: OSError) -> None:
        raise UnreadableDocument(
            f"The folder {error.filename} can't be read ({error.strerror}): check its permissions."
        ) from error

    for where, folders, files in os.walk(folder, onerror=give_up):
        folders.sort()
        yield from (Path(where, file) for file in sorted(files))


def _is_left_out(relative: Path) -> bool:
    return (
        any(part.startswith(".") for part in relative.parts)
        or relative.suffix.lower() not in SUFFIXES
        or relative == Path(MANIFEST_NAME)
    )


def _name(relative: Path) -> str:
    """Return a path as text: names of files are bytes, which need not be UTF-8."""
    return os.fsencode(relative.as_posix()).decode("utf-8", "replace")


def _labels(given: Labels, entry: Entry | None, rules: Sequence[Rule], name: str) -> Labels:
    service, doc_type = said_by_rules(rules, name)
    return Labels(
        service=service or (entry and entry.service) or given.service,
        doc_type=doc_type or (entry and entry.doc_type) or given.doc_type,
        title=(entry and entry.title) or given.title,
        link=(entry and entry.link) or given.link,
        team=given.team,
        audience=given.audience,
    )
