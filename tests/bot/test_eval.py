"""`footnote eval` as a person runs it: measured, calibrated, told by doctor, begun from the log."""

import asyncio
import json
from pathlib import Path

import psycopg
import yaml

from bot.threshold import threshold
from retrieval.confidence import CONFIDENCE_VERSION
from retrieval.evaluation import read_cases
from schema import Pool
from tests.bot.conftest import settings
from tests.bot.test_cli import footnote

CASES = """
- ask: what does ERR_5032 mean?
  files: [error-codes.md]
- ask: how do I roll back a deploy?
  files: [roll-back-a-deploy.md]
- ask: how do I restart the kafka brokers?
  files: []
"""


def many(folder: Path) -> Path:
    """Cases enough for two halves."""
    known = yaml.safe_load(CASES)
    cases = [
        {"ask": f"{each['ask']} {word}", "files": each["files"]}
        for each in known
        for word in ("please", "now", "today", "again", "thanks", "anyone", "help", "quick")
    ]
    cases += [
        {"ask": f"{word} holiday menu for the whale museum", "files": []} for word in "abcdefgh"
    ]
    path = folder / "many.jsonl"
    path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    return path


def test_run_prints_one_object_and_writes_a_page(corpus_url: str, tmp_path: Path) -> None:
    """Measures of each search, times by stage, and a page that needs nothing else."""
    cases = tmp_path / "cases.yaml"
    cases.write_text(CASES, encoding="utf-8")
    page = tmp_path / "report.html"
    ended = footnote(
        "eval", "run", cases, "--json", "--html", page, FOOTNOTE_DATABASE_URL=corpus_url
    )
    assert ended.code == 0, ended.err
    report = ended.json()
    assert [row["name"] for row in report["searches"]] == ["vector", "keyword", "fused"]
    assert report["searches"][-1]["hit@4"]["value"] == 1.0
    assert report["cases"] == {"answerable": 2, "others": 1, "follow_ups": 0}
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


async def test_a_calibration_is_kept_and_doctor_says_how_old_it_is(
    corpus_url: str, pool: Pool, tmp_path: Path
) -> None:
    """It is told with its age, warned of when documents move, and overridden by a set distance."""
    cases = many(tmp_path)
    ended = await asyncio.to_thread(
        footnote, "eval", "calibrate", cases, FOOTNOTE_DATABASE_URL=corpus_url
    )
    assert ended.code == 0, ended.err
    assert "kept; every search goes by it from now on" in ended.err
    told = await threshold(settings(corpus_url), pool)
    assert (told.state, told.advice) == ("ok", "")
    assert told.detail.startswith("calibrated just now with all-MiniLM-L6-v2-int8")

    async with pool.connection() as connection:
        await connection.execute("UPDATE calibration SET made_at = now() - interval '40 days'")
        await connection.execute("UPDATE document SET hash = '' WHERE source = 'error-codes.md'")
    told = await threshold(settings(corpus_url), pool)
    assert told.state == "warning"
    assert "calibrated 40 days ago" in told.detail
    assert told.advice.startswith("The documents have changed since.")
    told = await threshold(settings(corpus_url).model_copy(update={"max_distance": 0.5}), pool)
    assert told.detail == "NO_MATCH above distance 0.5, as FOOTNOTE_MAX_DISTANCE says"


def test_a_dry_run_keeps_nothing(corpus_url: str, tmp_path: Path) -> None:
    """It shows what would be kept, and doctor goes on telling of the default."""
    database = {"FOOTNOTE_DATABASE_URL": corpus_url}
    ended = footnote("eval", "calibrate", many(tmp_path), "--dry-run", "--json", **database)
    assert ended.code == 0, ended.err
    assert ended.json()["calibrated"]["kept"] is False
    assert "the default" in of_doctor(**database)["detail"]


def of_doctor(**variables: str) -> dict[str, str]:
    """What doctor says of the threshold."""
    found = footnote("doctor", "--json", **variables).json()["findings"]
    return next(each for each in found if each["name"] == "threshold")


def test_init_begins_with_what_was_asked(corpus_url: str, tmp_path: Path) -> None:
    """Answered, unhelpful and unanswered questions, then titles; and eval reads the file."""
    database = {"FOOTNOTE_DATABASE_URL": corpus_url}
    helped, failed = "what does ERR_5032 mean?", "how do I roll back a deploy?"
    nothing = "how many whales are in the museum?"
    for question in (helped, failed, nothing):
        assert footnote("ask", question, **database).code == 0
    with psycopg.connect(corpus_url, autocommit=True) as connection:
        for person, question, helpful in (
            ("U1", helped, True),
            ("U1", failed, True),
            ("U2", failed, False),
            ("U2", nothing, False),
        ):
            connection.execute(
                "INSERT INTO feedback (turn, person, helpful)"
                " SELECT id, %s, %s FROM turn WHERE question = %s",
                (person, helpful, question),
            )
    target = tmp_path / "cases.yaml"
    ended = footnote("eval", "init", target, **database)
    assert ended.code == 0, ended.err
    text = target.read_text(encoding="utf-8")
    cases = {each["ask"]: each["files"] for each in yaml.safe_load(text)}
    assert "error-codes.md" in cases[helped]
    assert "roll-back-a-deploy.md" in cases[failed]
    assert cases[nothing] == []
    order = ["Asked and answered. Are", helped, "found unhelpful", failed, "nothing was found"]
    places = [text.index(each) for each in [*order, nothing, "Not asked yet."]]
    assert places == sorted(places)
    again = footnote("eval", "init", target, **database)
    assert "is there already" in again.sentence()
    assert read_cases(target).cases


def test_pages_of_one_title_are_one_case(corpus_url: str, tmp_path: Path) -> None:
    """The file that is begun can be read: a title that two pages share is there once, with both."""
    database = {"FOOTNOTE_DATABASE_URL": corpus_url}
    for name, words in (("east.md", "Restart it in the east."), ("west.md", "Leave it alone.")):
        (tmp_path / name).write_text(f"# Restart the tandem\n\n{words}\n", encoding="utf-8")
    assert footnote("ingest", tmp_path, "--service", "tandem", **database).code == 0
    target = tmp_path / "cases.yaml"
    assert footnote("eval", "init", target, **database).code == 0
    (case,) = [each for each in read_cases(target).cases if each.question == "Restart the tandem"]
    assert {Path(each).name for each in case.files} == {"east.md", "west.md"}


def test_a_calibration_can_be_forgotten(corpus_url: str) -> None:
    """The defaults decide again; twice is told, and harmless."""
    database = {"FOOTNOTE_DATABASE_URL": corpus_url}
    with psycopg.connect(corpus_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO calibration (embedder, formula, corpus, documents, max_distance, judge,"
            " minimum, report)"
            " VALUES ('all-MiniLM-L6-v2-int8', %s, '', 0, 0.01, 'confidence', 1, '{}')",
            [CONFIDENCE_VERSION],
        )
    asked = ("ask", "how do I roll back a deploy?", "--json")
    assert json.loads(footnote(*asked, **database).out)["stop_reason"] == "no_match"
    assert "the defaults decide" in footnote("eval", "forget", **database).err
    assert json.loads(footnote(*asked, **database).out)["stop_reason"] == "cited"
    assert "There is none" in footnote("eval", "forget", **database).err


def test_what_is_wrong_with_the_questions_is_one_sentence(corpus_url: str, tmp_path: Path) -> None:
    """A document that isn't there, and too few cases for a threshold."""
    database = {"FOOTNOTE_DATABASE_URL": corpus_url}
    cases = tmp_path / "cases.yaml"
    cases.write_text("- ask: why?\n  files: [error-code.md]\n", encoding="utf-8")
    said = footnote("eval", "run", cases, **database).sentence()
    assert "Is it error-codes.md?" in said
    cases.write_text(CASES, encoding="utf-8")
    said = footnote("eval", "calibrate", cases, **database).err.splitlines()
    assert said[-1].startswith("footnote: A threshold needs at least 5 answerable questions")


def test_a_benchmark_leaves_nothing_behind(corpus_url: str, tmp_path: Path) -> None:
    """It is measured in a database of its own, which is dropped."""
    rows = [("1", "Zinc", "Zinc shortens a cold."), ("2", "Iron", "Iron carries oxygen.")]
    corpus = [{"_id": each, "title": title, "text": text} for each, title, text in rows]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)), "utf-8")
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q", "text": "does zinc help a cold?"}', "utf-8"
    )
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\t1\t1\n", "utf-8")
    ended = footnote("eval", "run", tmp_path, "--json", FOOTNOTE_DATABASE_URL=corpus_url)
    assert ended.code == 0, ended.err
    report = ended.json()
    assert report["documents"] == 2
    assert report["searches"][-1]["nDCG@10"]["value"] == 1.0
    assert report["gate"] is None
    with psycopg.connect(corpus_url) as connection:
        left = connection.execute("SELECT count(*) FROM pg_database WHERE datname ~ 'scratch'")
        assert left.fetchone() == (0,)
