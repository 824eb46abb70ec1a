"""Rules by path: what `--map` understands, and what goes before what."""

import json
from pathlib import Path

import pytest

from retrieval.rules import BadRule, parse_rule, said_by_rules
from retrieval.sources import Labels, collect


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("payments/**", "payments/a.md", True),
        ("payments/**", "payments/deep/er/a.md", True),
        ("payments/", "payments/deep/a.md", True),
        ("payments/**", "other/payments/a.md", False),
        ("**/payments/*", "other/payments/a.md", True),
        ("**/payments/*", "payments/a.md", True),
        ("payments/*", "payments/deep/a.md", False),
        ("*.md", "any/where/a.md", True),
        ("./a?.md", "a1.md", True),
        ("a.md", "axmd", False),
        ("[a].md", "a.md", False),
        ("**", "a/b", True),
    ],
)
def test_a_glob_fits_whole_paths(glob: str, path: str, *, fits: bool) -> None:
    """Stars stay within a folder, double stars don't; without a slash any folder will do."""
    said = said_by_rules([parse_rule(f"{glob}=cache:runbook")], path)
    assert said == (("cache", "runbook") if fits else (None, None))


def test_the_first_rule_that_says_something_counts() -> None:
    """Service and type may come from two rules."""
    rules = [parse_rule(text) for text in ("*.md=:postmortem", "a/**=x:runbook", "**=y")]
    assert said_by_rules(rules, "a/b.md") == ("x", "postmortem")
    assert said_by_rules(rules, "c/b.txt") == ("y", None)


@pytest.mark.parametrize("text", ["", "payments", "=payments", "a/**=", "a/**=:", " = "])
def test_a_rule_without_sense_is_refused(text: str) -> None:
    """The sentence shows how one is written."""
    with pytest.raises(BadRule, match=r"GLOB=SERVICE:DOC_TYPE.*payments:runbook"):
        parse_rule(text)


def test_rules_go_before_the_manifest_and_that_before_the_options(tmp_path: Path) -> None:
    """Each label by itself, and for a file given by its own path too."""
    entry = {"path": "a/one.md", "service": "manifest", "doc_type": "manifest", "title": "One"}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(entry))
    (tmp_path / "a").mkdir()
    for name in ("a/one.md", "two.md"):
        (tmp_path / name).write_text("text")
    rules = [parse_rule("a/**=rule"), parse_rule("two.md=:rule")]
    given = Labels(service="option", doc_type="option")
    found = collect([tmp_path, tmp_path / "two.md"], given, rules=rules)
    labels = {
        source.name: (source.labels.service, source.labels.doc_type, source.labels.title)
        for source in found.sources
    }
    assert labels == {
        "a/one.md": ("rule", "manifest", "One"),
        "two.md": ("option", "rule", None),
    }
    assert len(found.sources) == 2
