"""`manifest.jsonl`: what the files of a folder are about, for files that don't say so themselves.

One JSON object a line: `path` (relative to the folder, with slashes) and any of `service`,
`doc_type`, `title` and `link`. Other keys are ignored, and so is a line for a file that
isn't there.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from retrieval.errors import UnreadableDocument
from retrieval.files import read_regular, shown, unreadable
from retrieval.readers.labels import web_link

__all__ = ["MANIFEST_NAME", "Entry", "read_manifest"]

MANIFEST_NAME: Final = "manifest.jsonl"

_MOST_BYTES: Final = 20_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """What the manifest says of one file; None where it says nothing."""

    service: str | None
    doc_type: str | None
    title: str | None
    link: str | None


def read_manifest(folder: Path) -> dict[str, Entry]:
    """Return the entries of a folder's manifest by path; none when it has no manifest.

    Raises:
        UnreadableDocument: it can't be read or is too large, a line is no JSON object with a
            path, a value is no text, or a link none for the web.
    """
    path = folder / MANIFEST_NAME
    try:
        data = read_regular(path, _MOST_BYTES)
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise unreadable(shown(path), error) from error
    except UnicodeDecodeError as error:
        raise UnreadableDocument(
            f"{shown(path)} can't be read as UTF-8 text: correct it or take it away."
        ) from error
    if len(data) >= _MOST_BYTES:
        raise UnreadableDocument(
            f"{shown(path)} has {_MOST_BYTES // 1_000_000} MB or more: split the folder."
        )
    entries: dict[str, Entry] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            name, entry = _entry(json.loads(line))
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else error
            raise UnreadableDocument(
                f"{shown(path)}, line {number}: {reason}. A line looks like "
                '{"path": "a/b.md", "service": "payments", "doc_type": "runbook"}.'
            ) from error
        entries[name] = entry
    return entries


def _entry(value: Any) -> tuple[str, Entry]:
    if not isinstance(value, dict) or not isinstance(value.get("path"), str):
        raise ValueError("no JSON object with a path")  # noqa: TRY004 - told like bad JSON
    texts: dict[str, str | None] = {}
    for key in ("service", "doc_type", "title", "link"):
        text = value.get(key)
        if text is not None and not isinstance(text, str):
            raise ValueError(f"{key} is no text")
        texts[key] = text.strip() or None if text else None
    if texts["link"] and not web_link(texts["link"]):
        raise ValueError("link is no address that begins with https:// or http://")
    return value["path"], Entry(**texts)
