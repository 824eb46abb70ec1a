"""Cases as people write them, and benchmarks as they are shipped."""

import json
from pathlib import Path

import pytest

from retrieval.evaluation.beir import is_beir, read_beir
from retrieval.evaluation.cases import BadCases, Case, read_cases

YAML = """
- ask: how do I roll back a deploy?
  files: [platform/roll-back.md, platform/roll-back.md]
  service: platform
- ask: "kafka: how do I restart it?"
  files: []
- ask: one page is enough
  files: a.md
"""


def written(folder: Path, name: str, text: str) -> Path:
    """A file with a text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_yaml_of_a_runbook_owner(tmp_path: Path) -> None:
    """Question, documents and service come as written; one page needs no list."""
    first, second, third = read_cases(written(tmp_path, "cases.yaml", YAML)).cases
    assert first == Case(
        "case-1", "how do I roll back a deploy?", ("platform/roll-back.md",), "platform"
    )
    assert second.files == ()
    assert third.files == ("a.md",)


def test_jsonl_with_the_other_names(tmp_path: Path) -> None:
    """`question` and `expected_files` say the same, and follow-ups are counted and left out."""
    rows = [
        {"id": "q1", "question": "what now?", "expected_files": ["a.md"], "kind": "typo"},
        {"id": "q2", "question": "and then?", "expected_files": ["a.md"], "after": "q1"},
    ]
    text = "\n".join(map(json.dumps, rows))
    found = read_cases(written(tmp_path, "cases.jsonl", text))
    assert found.cases == (Case("q1", "what now?", ("a.md",), None, "typo"),)
    assert found.follow_ups == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- ask: how?", "case 1: “files” has to be a list"),
        ("- files: []", "case 1: there is no question"),
        ("- ask: [a]\n  files: []", "case 1: there is no question"),
        ("- just text", "case 1: this is no case"),
        ("ask: how?\nfiles: []", "is no list of cases"),
        ("- ask: FATAL: too many\n  files: []", "is no YAML at line 1"),
        ("- ask: a\n  files: []\n- ask: a\n  files: []", "case 2: this question is there twice"),
        ("", "is no list of cases"),
        ("[]", "has no cases"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    """A person who has never written YAML learns where to look."""
    with pytest.raises(BadCases, match=said):
        read_cases(written(tmp_path, "cases.yaml", text))


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    """A wrong path is told as one."""
    with pytest.raises(BadCases, match="There is no file"):
        read_cases(tmp_path / "nothing.yaml")


def test_a_benchmark_is_read_as_it_is_shipped(tmp_path: Path) -> None:
    """Documents get their id for a name; queries without a judgement above 0 are left out."""
    written(tmp_path, "corpus.jsonl", '{"_id": "7", "title": "Zinc", "text": "It helps."}\n')
    queries = '{"_id": "1", "text": "does zinc help?"}\n{"_id": "2", "text": "unjudged"}\n'
    written(tmp_path, "queries.jsonl", queries)
    written(tmp_path, "qrels.tsv", "query-id\tcorpus-id\tscore\n1\t7\t1\n2\t7\t0\n")
    assert is_beir(tmp_path)
    found = read_beir(tmp_path)
    assert [(each.name, each.labels.title) for each in found.sources] == [("7.md", "Zinc")]
    assert found.cases == (Case("1", "does zinc help?", ("7.md",)),)


def test_a_benchmark_without_judgements_is_a_sentence(tmp_path: Path) -> None:
    """What is missing is named."""
    written(tmp_path, "corpus.jsonl", "")
    with pytest.raises(BadCases, match=r"no qrels\.tsv"):
        read_beir(tmp_path)
