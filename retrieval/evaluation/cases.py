"""Cases: questions with the documents that answer them, as a runbook owner writes them.

YAML is a list of items, JSONL an object a line, with the same keys:

    - ask: how do I roll back a deploy?
      files: [platform/roll-back-a-deploy.md]
    - ask: how do I restart kafka?
      files: []          # nothing here answers it: NO_MATCH is right

`service` and `kind` may be given, to see figures apart. `question` and `expected_files` are other
words for `ask` and `files`. What follows on another question (`after`) is left out: the measure
asks single questions.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from retrieval.errors import RetrievalError
from retrieval.files import read_regular, shown, unreadable

__all__ = ["BadCases", "Case", "CaseFile", "read_cases"]

_MOST_BYTES: Final = 20_000_000
_LOOKS: Final = "A case looks like: - ask: how do I …?, and below it files: [folder/page.md]."


class BadCases(RetrievalError):
    """A file of questions can't be used; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and the sources of the documents that answer it: none means NO_MATCH is right."""

    id: str
    question: str
    files: tuple[str, ...] = ()
    service: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of one file, and how many follow-ups were left out."""

    cases: tuple[Case, ...]
    follow_ups: int = 0


def read_cases(path: Path) -> CaseFile:
    """Read a YAML or JSONL file of cases. It blocks, so it belongs in a thread.

    Raises:
        BadCases: it is no list of cases, a case has no question, a question is there twice.
        UnreadableDocument: the file can't be read.
    """
    try:
        text = read_regular(path, _MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise BadCases(f"There is no file {shown(path)}: check the path.") from error
    except OSError as error:
        raise unreadable(shown(path), error) from error
    except UnicodeDecodeError as error:
        raise BadCases(f"{shown(path)} isn't UTF-8 text: save it as such.") from error
    jsonl = path.suffix.lower() in {".jsonl", ".ndjson"}
    found = _lines(text, path) if jsonl else _items(text, path)
    cases: dict[str, Case] = {}
    follow_ups = 0
    for where, value in found:
        if isinstance(value, dict) and value.get("after"):
            follow_ups += 1
            continue
        try:
            case = _case(value, len(cases))
        except ValueError as error:
            raise BadCases(f"{shown(path)}, {where}: {error}. {_LOOKS}") from error
        if case.question in cases:
            raise BadCases(f"{shown(path)}, {where}: this question is there twice; keep one.")
        cases[case.question] = case
    if not cases:
        raise BadCases(f"{shown(path)} has no cases. {_LOOKS}")
    return CaseFile(tuple(cases.values()), follow_ups)


def _items(text: str, path: Path) -> Sequence[tuple[str, Any]]:
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise BadCases(
            f"{shown(path)} is no YAML{where}: put text with “: ” or “#” into quotes."
        ) from error
    if not isinstance(value, list):
        raise BadCases(f"{shown(path)} is no list of cases. {_LOOKS}")
    return [(f"case {number}", item) for number, item in enumerate(value, start=1)]


def _lines(text: str, path: Path) -> Sequence[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append((f"line {number}", json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise BadCases(f"{shown(path)}, line {number}: no JSON object.") from error
    return found


def _case(value: Any, place: int) -> Case:
    if not isinstance(value, dict):
        raise ValueError("this is no case")  # noqa: TRY004 - told like any other mistake
    question = value.get("ask", value.get("question"))
    if not isinstance(question, str) or not question.strip():
        raise ValueError("there is no question under “ask”")
    files = value.get("files", value.get("expected_files"))
    if isinstance(files, str):
        files = [files]
    if not isinstance(files, list) or not all(isinstance(each, str) and each for each in files):
        raise ValueError("“files” has to be a list of documents, [] when none answers")
    named = value.get("service")
    # Where a runbook set says which services are meant, that is what is grouped by.
    meant = value.get("expected_services")
    if isinstance(meant, list) and meant:
        named = meant[0]
    return Case(
        id=str(value.get("id", f"case-{place + 1}")),
        question=question.strip(),
        files=tuple(dict.fromkeys(files)),
        service=str(named) if named and files else None,
        kind=str(value["kind"]) if value.get("kind") else None,
    )
