"""The sample runbooks keep what the demo, the smoke test and the search tests rely on."""

import json
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pypdfium2
import pytest
import yaml

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "bot" / "samples"
DOC_TYPES = {"runbook", "postmortem", "architecture", "process"}
MARKDOWN = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.md"))
PDFS = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.pdf"))

# What the unanswerable questions are about; a page on one of them would make it answerable.
ABSENT = (
    *("kafka", "mongo", "datacenter", "vacation", "parental", "jenkins", "juniper", "bgp"),
    *("pizza", "terraform", "wifi", "cassandra", "expenses", "bitcoin", "wallet"),
)


@cache
def parts(name: str) -> tuple[dict[str, Any], str]:
    """Return the front matter and the body of a Markdown sample."""
    text = (SAMPLES / name).read_text(encoding="utf-8")
    opening, front, body = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
    assert not opening, f"{name} does not begin with its front matter"
    return yaml.safe_load(front), body


def lines(path: Path) -> list[dict[str, Any]]:
    """Read a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def manifest() -> list[dict[str, Any]]:
    """Return what is said about the files that have no front matter."""
    return lines(SAMPLES / "manifest.jsonl")


def questions() -> list[dict[str, Any]]:
    """Return the questions that people ask of the samples."""
    return lines(HERE / "questions.jsonl")


def longest_table(body: str) -> int:
    """Return the number of rows, header and rule not counted, of the longest table."""
    tables = re.findall(r"(?:^\|.*\|\n)+", body, flags=re.MULTILINE)
    return max((table.count("\n") - 2 for table in tables), default=0)


def fenced(body: str) -> list[str]:
    """Return the fenced code of a Markdown text, dedented fences included."""
    return re.findall(r"^ *```\w*\n(.*?)^ *```$", body, flags=re.MULTILINE | re.DOTALL)


def pages(path: Path) -> list[str]:
    """Return the text of each page of a PDF."""
    pdf = pypdfium2.PdfDocument(path)
    try:
        return [page.get_textpage().get_text_bounded() for page in pdf]
    finally:
        pdf.close()


def test_there_are_enough_documents() -> None:
    """The corpus has twenty documents or more, and every kind and at least one PDF among them."""
    assert len(MARKDOWN) + len(PDFS) >= 20
    assert PDFS
    assert {parts(name)[0]["doc_type"] for name in MARKDOWN} == DOC_TYPES


@pytest.mark.parametrize("name", MARKDOWN)
def test_front_matter_is_complete(name: str) -> None:
    """Every page says its title, service, kind, owner and link, and nothing else."""
    front, _ = parts(name)
    assert set(front) == {"title", "service", "doc_type", "owner", "link"}
    assert all(isinstance(value, str) and value.strip() == value for value in front.values())
    assert front["service"] == name.split("/", maxsplit=1)[0]
    assert front["doc_type"] in DOC_TYPES


def test_every_pdf_is_described() -> None:
    """A PDF has no front matter, so the manifest describes each of them and nothing else."""
    described = manifest()
    assert [entry["path"] for entry in described] == PDFS
    for entry in described:
        assert set(entry) == {"path", "service", "doc_type", "title", "link"}
        assert entry["doc_type"] in DOC_TYPES


def test_links_lead_to_the_shops_wiki() -> None:
    """Links are https, unique, and stay in a domain that is reserved for examples."""
    links = [parts(name)[0]["link"] for name in MARKDOWN] + [e["link"] for e in manifest()]
    assert len(set(links)) == len(links)
    for link in links:
        url = urlsplit(link)
        assert url.scheme == "https"
        assert url.hostname == "wiki.secondspoke.example"
        assert re.fullmatch(r"(/[a-z0-9-]+){2}", url.path)


def test_addresses_in_the_text_are_reserved_or_internal() -> None:
    """No page names a host that could belong to somebody: only .example, .svc and loopback."""
    for name in MARKDOWN:
        for host in re.findall(r"https?://([a-z0-9.-]*[a-z0-9])", parts(name)[1]):
            assert host.endswith((".example", ".svc")) or host == "127.0.0.1", (name, host)


def test_titles_are_unique() -> None:
    """No two documents share a title: a reply names documents by it."""
    titles = [parts(name)[0]["title"] for name in MARKDOWN] + [e["title"] for e in manifest()]
    assert len({title.casefold() for title in titles}) == len(titles)


@pytest.mark.parametrize("name", MARKDOWN)
def test_a_page_is_well_formed(name: str) -> None:
    """Fences are closed, headings step down one level at a time, and the length is a page's."""
    body = parts(name)[1]
    assert len(re.findall(r"^ *```", body, flags=re.MULTILINE)) == 2 * len(fenced(body))
    prose = re.sub(r"^ *```\w*\n.*?^ *```$", "", body, flags=re.MULTILINE | re.DOTALL)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose, flags=re.MULTILINE)]
    assert levels[0] == 2
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert 300 <= len(body.split()) <= 900


@pytest.mark.parametrize("name", MARKDOWN)
def test_pages_that_a_page_mentions_exist(name: str) -> None:
    """A reference such as: see "Roll back a deploy", names the title of a page."""
    titles = {parts(other)[0]["title"] for other in MARKDOWN}
    body = " ".join(parts(name)[1].split())
    for title in re.findall(r'(?:see|go to|See|in|follow|Follow) "([A-Z][^"]+?)[,.;]?"', body):
        sections = set(re.findall(r"^#+ (.+)$", parts(name)[1], flags=re.MULTILINE))
        assert title in titles | sections, title


def test_the_shapes_that_readers_find_hard_are_there() -> None:
    """A table of twenty rows, `#` comments inside fences, and admonitions each occur."""
    bodies = {name: parts(name)[1] for name in MARKDOWN}
    assert longest_table(bodies["payments/error-codes.md"]) >= 20
    assert longest_table(bodies["platform/ports-and-hosts.md"]) >= 20
    scripts = fenced(bodies["queue/dead-letters.md"])
    assert sum(bool(re.search(r"^# ", script, flags=re.MULTILINE)) for script in scripts) >= 2
    assert "> [!WARNING]" in bodies["ingress/5xx.md"]


def test_questions_are_well_formed() -> None:
    """Ids are unique, expected files exist, and a follow-up names an earlier question."""
    seen: set[str] = set()
    for question in questions():
        assert {"id", "question", "expected_files", "answerable", "kind"} <= set(question)
        assert question["id"] not in seen
        assert question["answerable"] == bool(question["expected_files"])
        assert set(question["expected_files"]) <= {*MARKDOWN, *PDFS}
        assert (question["kind"] == "follow-up") == ("after" in question)
        assert question.get("after") in {*seen, None}
        seen.add(question["id"])


def test_there_are_enough_questions() -> None:
    """Two dozen answerable questions, ten unanswerable ones, and no page that nobody asks for."""
    asked = questions()
    assert sum(question["answerable"] for question in asked) >= 24
    assert sum(not question["answerable"] for question in asked) >= 10
    wanted = {name for question in asked for name in question["expected_files"]}
    assert len(wanted) >= 0.8 * (len(MARKDOWN) + len(PDFS))


def test_unanswerable_topics_are_absent() -> None:
    """No document touches what the unanswerable questions about other products are about."""
    texts = [(SAMPLES / name).read_text(encoding="utf-8") for name in MARKDOWN]
    texts += [page for name in PDFS for page in pages(SAMPLES / name)]
    corpus = "\n".join(texts).casefold()
    assert [word for word in ABSENT if re.search(rf"\b{word}", corpus)] == []


def test_the_pdf_is_what_its_source_says(tmp_path: Path) -> None:
    """The committed PDF has the pages and the text that make_pdf.py writes today."""
    fresh, again = tmp_path / "fresh.pdf", tmp_path / "again.pdf"
    for target in (fresh, again):
        command = [sys.executable, str(HERE / "make_pdf.py"), str(target)]
        subprocess.run(command, check=True, timeout=60)
    committed = pages(SAMPLES / "database" / "restore-handbook.pdf")
    assert len(committed) >= 3
    assert committed == pages(fresh)
    assert fresh.read_bytes() == again.read_bytes()
