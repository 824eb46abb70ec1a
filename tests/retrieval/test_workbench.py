"""The processes that read for an ingest of many sources run our code and nobody else's."""

from pathlib import Path

import pytest

from retrieval.documents import Document
from retrieval.sources import Source
from retrieval.workbench import open_workbench

MANY = 201
"""So many sources are read in processes."""


async def test_what_lies_in_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file named like a module of Python's is read when its folder is ingested, never run."""
    run = tmp_path / "run"
    (tmp_path / "pickle.py").write_text(f"open({str(run)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    async with open_workbench(MANY) as workbench:
        source = Source("a.md", b"# Ledger\n\nRestart it.\n")
        (found,) = await workbench.read([source], allow_secrets=False)
    assert isinstance(found, tuple)
    assert isinstance(found[0], Document)
    assert not run.exists()
