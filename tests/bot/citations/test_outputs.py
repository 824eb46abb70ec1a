"""A corpus of what models write, and the right verdict on each: `outputs.yaml`."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.citations import Sources, check, without_uncited
from tests.bot.citations.passages import KASSA, PODS, STAGING

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "outputs.yaml").read_text(encoding="utf-8")
)


def filled(says: str, sources: Sources) -> str:
    """Return an output with this turn's ids in it."""
    a, b, c = sources.add_all((PODS, KASSA, STAGING))
    again = sources.add(replace(PODS, rerank_score=0.9))
    ids = {"a": a, "b": b, "c": c, "again": again, "a_upper": a.upper(), "a_lower": a.lower()}
    for name, value in ids.items():
        says = says.replace("{" + name + "}", value)
    return says


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_verdict_is_right(case: dict[str, Any]) -> None:
    """Cited or not, the claims left open, ids made up, marks, and what would be shown."""
    sources = Sources("salt")
    verdict = check(filled(case["says"], sources), sources)
    assert verdict.cited == case.get("cited", True), verdict
    assert verdict.says_no_match == case.get("no_match", False)
    assert list(verdict.unknown) == case.get("unknown", [])
    uncited = [claim.text for claim in verdict.uncited]
    for text, begins in zip(uncited, case.get("uncited", []), strict=True):
        assert text.startswith(begins)
    kinds = {mark.kind for claim in verdict.claims for mark in claim.marks}
    assert kinds == set(case.get("marks", []))
    if "shown" in case:
        assert verdict.answer == case["shown"]
    assert case.get("hidden", "\0") not in verdict.answer


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_remains_is_cited(case: dict[str, Any]) -> None:
    """Without its uncited claims an answer is cited, or there is none; the count is true."""
    sources = Sources("salt")
    verdict = check(filled(case["says"], sources), sources)
    rest, removed = without_uncited(verdict)
    assert removed == len(verdict.uncited)
    assert not rest.uncited
    assert len(rest.claims) == len(verdict.claims) - removed
    if "after" in case:
        assert rest.answer.strip() == case["after"]


def test_the_corpus_is_large_enough() -> None:
    """Sixty outputs at least, each with a name of its own."""
    assert len({case["name"] for case in CASES}) == len(CASES) >= 60
