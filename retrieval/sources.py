"""What is to be ingested: bytes with a name, from a file or elsewhere; the walk of folders."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from retrieval.errors import UnreadableDocument
from retrieval.files import NotRegular, shown, unreadable
from retrieval.manifest import MANIFEST_NAME, Entry, read_manifest
from retrieval.readers.kinds import SUFFIXES
from retrieval.rules import Rule, said_by_rules

__all__ = ["Collected", "Labels", "Source", "collect"]


@dataclass(frozen=True, slots=True)
class Labels:
    """What is said of documents from outside; their own front matter wins. None: nothing said.

    Raises:
        ValueError: a team or an audience is empty; everybody's documents have None.
    """

    service: str | None = None
    doc_type: str | None = None
    title: str | None = None
    link: str | None = None
    team: str | None = None
    audience: str | None = None

    def __post_init__(self) -> None:
        if "" in {self.team, self.audience}:
            raise ValueError("A team or an audience needs a name: leave it out for everybody.")


_NOTHING_SAID: Final = Labels()
_NOT_ENTERED: Final = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Source:
    """One document to ingest. `name` identifies it, and its suffix says how to read it.

    `content` is what it holds, or the file that holds it. `collection` names the folder whose
    documents vanish with their files. `file_name` has the suffix where `name`, such as an address,
    has none that counts.
    """

    name: str
    content: bytes | Path = field(repr=False)
    labels: Labels = _NOTHING_SAID
    collection: str | None = None
    file_name: str | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """The sources under some paths, and how many files were left out (hidden, of other kinds)."""

    sources: tuple[Source, ...]
    skipped: int = 0


def collect(
    paths: Iterable[Path],
    labels: Labels = _NOTHING_SAID,
    *,
    rules: Sequence[Rule] = (),
    collection: str | None = None,
) -> Collected:
    """Find the documents under files and folders, in the order of their names.

    A file of a folder is named by its path in it, with slashes; a file given by itself by its
    file name. What the rules say of a name goes before what a folder's manifest says of it, and
    that before `labels`. Links to folders and out of a folder aren't followed, hidden folders not
    entered, and a file given twice is taken once. What can't be read in a folder fails by itself.
    The collection of a folder's files is the folder's absolute path unless another name is
    given; a file given by itself has none. It reads the file system, so it belongs in a thread.

    Raises:
        UnreadableDocument: a path is missing, no file, or can't be listed; a manifest is wrong.
    """
    sources: dict[tuple[str, Path], Source] = {}
    skipped = 0
    for path in paths:
        if _is_folder(path):
            manifest = read_manifest(path)
            home = path.resolve()
            where = collection or shown(home.as_posix())
            unlisted: list[Path] = []
            for file in _files(path, unlisted):
                relative = file.relative_to(path)
                if relative == Path(MANIFEST_NAME):
                    continue
                if _is_left_out(relative) or not _is_of(home, file):
                    skipped += 1
                    continue
                name = shown(relative.as_posix())
                found = _labels(labels, manifest.get(name), rules, name)
                sources.setdefault((name, file.resolve()), Source(name, file, found, where))
            for folder in unlisted:
                # Reading it like a file fails, with the reason.
                name = shown(folder.relative_to(path).as_posix())
                sources.setdefault((name, folder), Source(name, folder, labels, where))
        else:
            name = shown(path.name)
            source = Source(name, path, _labels(labels, None, rules, name))
            sources.setdefault((name, path.resolve()), source)
    return Collected(tuple(sources.values()), skipped)


def _is_folder(path: Path) -> bool:
    """Tell a folder from a file; what is neither is told at once."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise UnreadableDocument(
            f"There is no file or folder {shown(path)}: check the path."
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise unreadable(shown(path), error) from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise unreadable(shown(path), NotRegular())
    return stat.S_ISDIR(mode)


def _files(folder: Path, unlisted: list[Path]) -> Iterator[Path]:
    """Yield each file, and put the folders below that can't be listed into `unlisted`."""

    def note(error: OSError) -> None:
        where = Path(os.fsdecode(error.filename))
        if where == folder:
            raise unreadable(shown(folder), error) from error
        unlisted.append(where)

    for where, folders, files in os.walk(folder, onerror=note):
        folders[:] = sorted(name for name in folders if not _is_unentered(name))
        yield from (Path(where, file) for file in sorted(files))


def _is_unentered(folder: str) -> bool:
    return folder.startswith(".") or folder in _NOT_ENTERED


def _is_left_out(relative: Path) -> bool:
    return relative.name.startswith(".") or relative.suffix.lower() not in SUFFIXES


def _is_of(home: Path, file: Path) -> bool:
    """Tell whether this is a file in the folder, or one whose error is worth a sentence.

    A link may lead out of the folder, to what its owner never meant to show.
    """
    try:
        mode = file.stat().st_mode
    except OSError as error:
        return error.errno not in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
    return stat.S_ISREG(mode) and file.resolve().is_relative_to(home)


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
