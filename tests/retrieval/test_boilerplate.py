"""Boilerplate: lists of links, contents and badges, and nothing that says something."""

import pytest

from retrieval.boilerplate import is_boilerplate

LINKS = "".join(f"- [Part {n}](https://docs.example/{n})\n" for n in range(5))

EXPLAINED = """\
- [ledger](https://x.example): fails over by itself, wait for two minutes first
- [cache](https://y.example): restart it by hand, it never comes back alone
- [queue](https://z.example): drain it before anything else is touched
"""


@pytest.mark.parametrize(
    "text",
    [
        f"## References\n\n{LINKS}",
        f"Further reading\n---\n{LINKS}",
        "- [Install](#install)\n  - [Linux](#linux)\n- [Use](#use)",
        "1. https://a.example/x\n2. <https://b.example/y>\n3. https://c.example/z",
        "[![build](https://ci.example/b.svg)](https://ci.example) ![cov](c.svg) ![pypi](p.svg)",
        "[a]: https://a.example\n[b]: https://b.example 'B'\n[c]: https://c.example",
        "Contents\n1 Overview ........ 3\n2 Restore . . . . . . 7\n3 Check ............ 12",
    ],
)
def test_lists_of_links_are_boilerplate(text: str) -> None:
    """With or without a heading, of any kind of link."""
    assert is_boilerplate(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Restart the queue.",
        "See [Node RAID degraded](./NodeRAIDDegraded.md).",
        f"{LINKS}\n```\nkubectl get pods\n```",
        EXPLAINED,
        "| Port | Use |\n|---|---|\n| 5432 | PostgreSQL |\n| 6379 | cache |",
        "1. Stop it.\n2. Start it.\n3. Look at the log.",
        "Version 1.2 .... 3 is the last one that works with the old gateway.",
    ],
)
def test_what_says_something_is_none(text: str) -> None:
    """A hint where to go, links with a sentence each, code, tables and steps."""
    assert not is_boilerplate(text)
