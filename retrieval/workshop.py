"""The slow, pure part of an ingest: bytes → documents → chunks and tokens.

`serve` does this for another process: requests on standard input, answers on
standard output, each pickled by ourselves for ourselves. When the other process ends, however
it ends, the input does, and this one too.
"""

import gc
import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from retrieval.documents import Document
from retrieval.errors import UnreadableDocument
from retrieval.files import read_regular, unreadable
from retrieval.prepared import PreparedDocument, document_hash, prepare
from retrieval.readers.kinds import MAX_BYTES
from retrieval.readers.reading import read
from retrieval.sources import Source

__all__ = ["BATCH", "LENGTH", "Read", "prepare_all", "read_batch", "serve"]

LENGTH: Final = 8
"""Bytes of the number, most telling first, that says how long the pickle behind it is."""

BATCH: Final = 200
"""Sources read at once, and looked up with one query."""

_BATCH_CHARACTERS: Final = 8_000_000

type Read = tuple[Document, str] | UnreadableDocument
"""A document with its hash, or why there is none."""


def read_batch(sources: Sequence[Source], allow_secrets: bool) -> list[Read]:  # noqa: FBT001 - it is called by position, from afar
    """Read sources, or the first of them that hold eight million characters together."""
    batch: list[Read] = []
    characters = 0
    for source in sources:
        try:
            document = _read(source, allow_secrets=allow_secrets)
        except UnreadableDocument as error:
            batch.append(error)
            continue
        batch.append((document, document_hash(document)))
        characters += len(document.text)
        if characters >= _BATCH_CHARACTERS:
            break
    return batch


def prepare_all(documents: Sequence[Document]) -> list[PreparedDocument]:
    """Cut documents into chunks, and those into tokens."""
    return [prepare(document) for document in documents]


def _read(source: Source, *, allow_secrets: bool) -> Document:
    labels = source.labels
    if isinstance(source.content, Path):
        try:
            data = read_regular(
                source.content, MAX_BYTES
            )  # a full measure is refused by the reader
        except (OSError, ValueError) as error:
            raise unreadable(source.name, error) from error
    else:
        data = source.content
    document = read(
        source.file_name or source.name,
        data,
        source=source.name,
        service=labels.service,
        doc_type=labels.doc_type,
        title=labels.title,
        link=labels.link,
        team=labels.team,
        audience=labels.audience,
        allow_secrets=allow_secrets,
    )
    return replace(document, collection=source.collection)


_WORK: Final[dict[str, Callable[..., Any]]] = {
    each.__name__: each for each in (read_batch, prepare_all)
}


def serve() -> None:
    """Do what standard input asks for, until it ends."""
    gc.set_threshold(100_000)  # trees of a document's blocks come and go: a tenth of the time
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := requests.read(LENGTH):
        name, arguments = pickle.loads(requests.read(int.from_bytes(head)))  # noqa: S301 - ours
        try:
            answer = True, _WORK[name](*arguments)
        except Exception as error:  # noqa: BLE001 - it is raised where the work was asked for
            answer = False, error
        body = pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
        answers.write(len(body).to_bytes(LENGTH))
        answers.write(body)
        answers.flush()
