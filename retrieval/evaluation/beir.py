"""BEIR folders: `corpus.jsonl`, `queries.jsonl` and judgements, as the benchmark ships them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from retrieval.evaluation.cases import BadCases, Case
from retrieval.files import shown
from retrieval.sources import Labels, Source

__all__ = ["Beir", "is_beir", "read_beir"]

_JUDGEMENTS: Final = ("qrels.tsv", "qrels/test.tsv")


@dataclass(frozen=True, slots=True)
class Beir:
    """The documents, each as Markdown named by its id, and a case for each judged query."""

    sources: tuple[Source, ...]
    cases: tuple[Case, ...]


def is_beir(path: Path) -> bool:
    """Say whether this is such a folder. It looks at the disk."""
    return path.is_dir() and (path / "corpus.jsonl").is_file()


def read_beir(folder: Path) -> Beir:
    """Read a folder whole. It blocks, so it belongs in a thread.

    Raises:
        BadCases: a file is missing, or a line isn't what the format wants.
    """
    judged: dict[str, list[str]] = {}
    judgements = next((folder / name for name in _JUDGEMENTS if (folder / name).is_file()), None)
    if judgements is None:
        raise BadCases(f"{shown(folder)} has no qrels.tsv, which says what answers what.")
    for number, line in enumerate(judgements.read_text("utf-8").splitlines(), start=1):
        fields = line.split("\t")
        if len(fields) != 3:  # noqa: PLR2004 - query, document, grade
            raise BadCases(f"{shown(judgements)}, line {number}: no query, document and grade.")
        if fields[2].strip().isdigit() and int(fields[2]) > 0:
            judged.setdefault(fields[0], []).append(_name(fields[1]))
    sources = [
        Source(
            _name(str(row["_id"])),
            f"{row.get('text') or ''}\n".encode(),
            Labels(title=str(row.get("title") or row["_id"])),
        )
        for row in _rows(folder / "corpus.jsonl")
    ]
    cases = [
        Case(str(row["_id"]), str(row["text"]), tuple(judged[str(row["_id"])]))
        for row in _rows(folder / "queries.jsonl")
        if str(row["_id"]) in judged
    ]
    return Beir(tuple(sources), tuple(cases))


def _name(document: str) -> str:
    return f"{document}.md"


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                row = json.loads(line)
                if not isinstance(row, dict) or "_id" not in row:
                    raise BadCases(f"{shown(path)}, line {number}: no object with an _id.")
                yield row
    except FileNotFoundError as error:
        raise BadCases(f"{shown(path)} is missing: a BEIR folder has it.") from error
    except ValueError as error:
        raise BadCases(f"{shown(path)} isn't lines of JSON.") from error
