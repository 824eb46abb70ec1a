"""The command line: what programs read from it, and one clear sentence for whatever is wrong."""

import asyncio
import json
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import psycopg
import pytest

from bot.playground import Playground
from tests.bot.conftest import SAMPLES
from tests.bot.nursery import fork


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        """The one object on standard output."""
        return json.loads(self.out)

    def sentence(self) -> str:
        """The one line on standard error, checked to be a sentence and no traceback."""
        assert self.code != 0
        lines = [line for line in self.err.splitlines() if line.strip()]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("footnote: ")
        assert lines[0].rstrip().endswith((".", ")", "`"))
        return lines[0]


def footnote(*arguments: str | Path, **variables: str) -> Ended:
    """Run a command, with nothing set but what is given."""
    kept = {
        name: value
        for name, value in os.environ.items()  # noqa: TID251  # a child inherits it
        if not name.startswith(("FOOTNOTE_", "SLACK_"))
    }
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        environment = {**kept, **variables}
        child = fork([*map(str, arguments)], environment, out=out.fileno(), err=err.fileno())
        code = child.await_end(100)
        out.seek(0)
        err.seek(0)
        return Ended(code, out.read(), err.read())


def test_ask_prints_one_object(corpus_url: str) -> None:
    """Citations and the four passages carry what the documentation promises."""
    ended = footnote(
        "ask", "what does ERR_5032 mean?", "--json", "--service", "payments",
        FOOTNOTE_DATABASE_URL=corpus_url,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    report = ended.json()
    assert report["stop_reason"] == "cited"
    assert "[1]" in report["answer"]
    assert {"marker", "chunk_id", "source", "heading", "page"} <= report["citations"][0].keys()
    assert len(report["passages"]) == 4
    wanted = {"text", "service", "doc_type", "vector_rank", "keyword_rank", "rrf_score", "distance"}
    assert wanted <= report["passages"][0].keys()
    assert {each["service"] for each in report["passages"]} == {"payments"}
    assert 0 < report["best_distance"] < 2
    assert report["timings_ms"]["total"] > 0


def test_no_match_fills_the_passages(corpus_url: str) -> None:
    """NO_MATCH has no answer, but the nearest passages."""
    ended = footnote(
        "ask", "how do I rotate the kafka broker certificates?", "--json",
        FOOTNOTE_DATABASE_URL=corpus_url,
    )  # fmt: skip
    report = ended.json()
    assert (ended.code, report["stop_reason"], report["answer"]) == (0, "no_match", "")
    assert report["citations"] == []
    assert len(report["passages"]) == 4


def test_a_named_thread_goes_on(corpus_url: str) -> None:
    """Questions of one thread follow each other, as in Slack."""
    first = footnote(
        "ask", "how do I roll back a deploy?", "--thread", "mine", FOOTNOTE_DATABASE_URL=corpus_url
    )
    second = footnote(
        "ask", "and in staging?", "--thread", "mine", FOOTNOTE_DATABASE_URL=corpus_url
    )
    assert first.code == second.code == 0
    assert "taging" in second.out


def test_ingest_twice_changes_nothing(database_url: str) -> None:
    """The second report says so; both are one object."""
    folder = SAMPLES / "platform"
    first = footnote("ingest", folder, "--json", FOOTNOTE_DATABASE_URL=database_url)
    assert first.code == 0, first.err
    assert first.json()["added"] == len(list(folder.glob("*.md")))
    second = footnote("ingest", folder, "--json", FOOTNOTE_DATABASE_URL=database_url)
    assert second.json()["unchanged"] == first.json()["added"]
    assert second.json()["chunks_written"] == 0


def test_paths_say_what_documents_are_about(database_url: str, tmp_path: Path) -> None:
    """`--map` labels by path, and a rule without sense is refused before anything is read."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "evictions.md").write_text("# Evictions\n\nRaise the limit of xyzzy.")
    url = {"FOOTNOTE_DATABASE_URL": database_url}
    refused = footnote("ingest", tmp_path, "--map", "cache", **url)
    assert (refused.code, "GLOB=SERVICE:DOC_TYPE" in refused.err) == (1, True)
    rules = ("--map", "*.txt=other", "--map", "cache/**=cache:runbook")
    assert footnote("ingest", tmp_path, *rules, "--json", **url).json()["added"] == 1
    with psycopg.connect(database_url) as connection:
        labels = connection.execute("SELECT service, doc_type FROM document").fetchall()
    assert labels == [("cache", "runbook")]


def test_a_file_with_a_token_needs_permission(database_url: str, tmp_path: Path) -> None:
    """It is refused with its line, the others are taken; `--allow-secrets` takes it too."""
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS" * 2
    (tmp_path / "bad.md").write_text(f"# Deploy\n\nUse {token} to push.")
    (tmp_path / "good.md").write_text("# Deploy\n\nAsk for a token.")
    url = {"FOOTNOTE_DATABASE_URL": database_url}
    first = footnote("ingest", tmp_path, "--json", **url)
    (failure,) = first.json()["failed"]
    assert (first.code, first.json()["added"]) == (1, 1)
    assert "bad.md, line 3, looks like a GitHub token" in failure["reason"]
    assert token not in first.out + first.err
    second = footnote("ingest", tmp_path, "--allow-secrets", "--json", **url)
    assert (second.code, second.json()["added"], second.json()["unchanged"]) == (0, 1, 1)


def test_prune_and_a_named_collection(database_url: str, tmp_path: Path) -> None:
    """What vanished from the folder leaves the corpus when that is asked for."""
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"# {name}\n\nRestart the pump.")
    options = ("ingest", tmp_path, "--collection", "pumps", "--json")
    assert footnote(*options, FOOTNOTE_DATABASE_URL=database_url).json()["added"] == 2
    (tmp_path / "b.md").unlink()
    assert footnote(*options, FOOTNOTE_DATABASE_URL=database_url).json()["removed"] == 0
    pruned = footnote(*options, "--prune", FOOTNOTE_DATABASE_URL=database_url).json()
    assert (pruned["removed"], pruned["unchanged"]) == (1, 1)


def test_documents_are_listed_shown_and_deleted(corpus_url: str) -> None:
    """A name that doesn't fit deletes nothing of what was named beside it."""
    url = {"FOOTNOTE_DATABASE_URL": corpus_url}
    listed = footnote("documents", "list", "--service", "payments", "--json", **url).json()
    first, second, *_ = listed["documents"]
    assert {each["service"] for each in listed["documents"]} == {"payments"}
    tabbed = footnote("documents", "list", "--doc-type", "postmortem", **url)
    plain = tabbed.out.splitlines()
    assert plain
    assert tabbed.err.split() == ["id", "service", "type", "chunks", "source"]
    assert all("\tpostmortem\t" in line for line in plain)

    shown = footnote("documents", "show", first["source"], "--json", **url).json()
    assert shown["id"] == first["id"]
    assert len(shown["pieces"]) == first["chunks"] > 0
    assert all(piece["heading"] and piece["text"] for piece in shown["pieces"])
    read = footnote("documents", "show", first["id"], **url).out
    assert shown["pieces"][-1]["text"].strip() in read

    both = ("documents", "delete", first["source"], second["id"])
    assert "--yes" in footnote(*both, **url).sentence()
    assert "no document nonsense" in footnote(*both, "nonsense", "--yes", **url).sentence()
    gone = footnote(*both, "--yes", "--json", **url).json()
    assert [each["id"] for each in gone["deleted"]] == [first["id"], second["id"]]
    left = footnote("documents", "list", "--service", "payments", "--json", **url).json()
    assert len(left["documents"]) == len(listed["documents"]) - 2


def test_documents_of_a_channel_are_not_passed_over_in_silence(corpus_url: str) -> None:
    """What was ingested in Slack isn't listed with the rest, but is counted, whoever reads it."""
    url = {"FOOTNOTE_DATABASE_URL": corpus_url}
    payments = ("documents", "list", "--service", "payments")
    before = footnote(*payments, "--json", **url).json()
    assert before["not_listed"] == 0
    with psycopg.connect(corpus_url, autocommit=True) as connection:
        moved = before["documents"][0]["source"]
        connection.execute("UPDATE document SET team = 'T1' WHERE source = %s", [moved])
    after = footnote(*payments, "--json", **url).json()
    assert (len(after["documents"]), after["not_listed"]) == (len(before["documents"]) - 1, 1)
    tabbed = footnote(*payments, **url)
    assert (moved in tabbed.out, "1 of teams and channels" in tabbed.err) == (False, True)
    everything = footnote(*payments, "--all", **url)
    assert (moved in everything.out, "--all" in everything.err) == (True, False)


def test_odd_files_are_read_or_refused_one_by_one(database_url: str, tmp_path: Path) -> None:
    """A bad document is reported with its reason, the good ones are stored, the exit is 1."""
    good = {
        "bom.md": "\ufeff# Bom\n\nRestart the pump.".encode(),
        "utf16.md": "# Wide\n\nRestart the valve.".encode("utf-16"),
        "crlf.md": b"# Lines\r\n\r\nRestart the boiler.\r\n",
        "latin.txt": "Der Kühler läuft heiß und muss neu starten.".encode("latin-1"),
        "nul.md": b"# Nul\n\nRestart\x00 the fan.",
    }
    bad = {
        "empty.md": b"",
        "binary.md": bytes(range(256)) * 40,
        "broken.pdf": b"%PDF-1.7 but no more",
        "large.md": b"large words " * (50_000_000 // 12 + 1),
    }
    for name, content in {**good, **bad}.items():
        (tmp_path / name).write_bytes(content)
    ended = footnote("ingest", tmp_path, "--json", FOOTNOTE_DATABASE_URL=database_url)
    report = ended.json()
    assert ended.code == 1
    assert report["added"] == len(good)
    assert {each["source"] for each in report["failed"]} == set(bad)
    for failure in report["failed"]:
        assert failure["reason"].endswith(".")
        assert "Traceback" not in failure["reason"]
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT count(*) FROM document").fetchone()
    assert row == (len(good),)


def test_doctor_names_what_works_and_what_to_do(corpus_url: str) -> None:
    """A healthy installation exits with 0; what is missing comes with advice."""
    ended = footnote("doctor", "--json", FOOTNOTE_DATABASE_URL=corpus_url)
    findings = {each["name"]: each for each in ended.json()["findings"]}
    assert ended.code == 0
    assert findings["corpus"]["state"] == "ok"
    assert findings["slack"]["state"] == "warning"
    assert "README" in findings["slack"]["advice"]


def test_jobs_shows_the_inbox(corpus_url: str) -> None:
    """What waits and what failed is one object, too."""
    ended = footnote("jobs", "--json", FOOTNOTE_DATABASE_URL=corpus_url)
    assert ended.json() == {"messages": {}, "jobs": [], "open": [], "retried": 0}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), "No such command"),
        (("ask", "why?", "--colour", "red"), "No such option"),
        (("ask",), "Missing argument"),
        (("ask", "  "), "empty"),
        (("ask", "service:payments"), "empty"),
        (("ask", "why?", "--thread", "a b"), "thread's name"),
        (("ingest", "/no/such/folder"), "check the path"),
        (("ingest", SAMPLES.parent / "cli"), "none is of a kind that is read"),
        (("documents",), "footnote documents --help"),
        (("demo", "--port", "70000"), "65535"),
    ],
)
def test_bad_arguments(arguments: tuple[str | Path, ...], words: str) -> None:
    """Each gets one sentence, before anything is started."""
    assert words in footnote(*arguments).sentence()


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"FOOTNOTE_PORT": "http"}, "PORT"),
        ({"FOOTNOTE_MAX_DISTANCE": "3"}, "FOOTNOTE_MAX_DISTANCE"),
        ({"FOOTNOTE_ENGINE": "oracle"}, "FOOTNOTE_ENGINE"),
        ({"FOOTNOTE_DATABASE_URL": "mysql://me:secret@there"}, "postgresql://"),
        ({"FOOTNOTE_DATABASE_URL": "postgresql://me:secret@127.0.0.1:1/x"}, "doesn't answer"),
    ],
)
def test_bad_settings(variables: dict[str, str], words: str) -> None:
    """The variable is named; a secret in it is not shown."""
    sentence = footnote("ask", "why?", **variables).sentence()
    assert words in sentence
    assert "secret" not in sentence


def test_a_failure_is_an_object_too() -> None:
    """With --json a program reads the sentence from standard output."""
    ended = footnote("ask", "why?", "--json", FOOTNOTE_DATABASE_URL="postgresql://u@127.0.0.1:1/x")
    assert ended.code == 1
    assert "doesn't answer" in ended.json()["error"]


def test_a_database_that_is_not_migrated(empty_database_url: str) -> None:
    """It is told how to bring it up to date, and the telling works."""
    url = empty_database_url
    assert "footnote migrate" in footnote("ask", "why?", FOOTNOTE_DATABASE_URL=url).sentence()
    migrated = footnote("migrate", "--engine", "sql", FOOTNOTE_DATABASE_URL=url)
    assert migrated.code == 0, migrated.err
    assert "sql" in migrated.err
    asked = footnote("ask", "why?", "--json", FOOTNOTE_DATABASE_URL=url)
    assert asked.json()["stop_reason"] == "no_match"
    assert "footnote ingest" in asked.json()["notes"][0]


def test_another_embedder_is_told_and_mended(database_url: str, tmp_path: Path) -> None:
    """Both sizes or both names are in the sentence, and what it advises helps."""
    (tmp_path / "pump.md").write_text("# Pump\n\nTo restart the pump, press the red button twice.")
    url = {"FOOTNOTE_DATABASE_URL": database_url}
    assert footnote("ingest", tmp_path, **url).code == 0
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("UPDATE footnote_setting SET value = 'x' WHERE name = 'embedder'")
        named = footnote("ask", "why?", **url).sentence()
        assert "vectors of x" in named
        assert "all-MiniLM" in named
        for table in ("corpus", "memories"):
            connection.execute(f"ALTER TABLE {table} ALTER COLUMN emb TYPE vector(8) USING NULL")
    sized = footnote("ask", "why?", **url).sentence()
    assert "384" in sized
    assert "8" in sized
    assert "`footnote reembed`" in sized
    mended = footnote("reembed", "--json", **url)
    assert mended.code == 0, mended.err
    assert (mended.json()["before"], mended.json()["embedded"]) == ("x", 1)
    asked = footnote("ask", "how do I restart the pump?", "--json", **url).json()
    assert asked["passages"][0]["vector_rank"] == 1
    assert "Nothing to do" in footnote("reembed", **url).err


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "FOOTNOTE_SLACK_BOT_TOKEN is not set"),
        ({"FOOTNOTE_SLACK_BOT_TOKEN": "xapp-1-abc"}, "no bot token"),
        ({"FOOTNOTE_SLACK_BOT_TOKEN": "xoxb-wrong"}, "refuses the bot token"),
        ({"FOOTNOTE_SLACK_BOT_TOKEN": "{bot}"}, "FOOTNOTE_SLACK_APP_TOKEN is not set"),
        (
            {"FOOTNOTE_SLACK_BOT_TOKEN": "{bot}", "FOOTNOTE_SLACK_APP_TOKEN": "xapp-wrong"},
            "refuses the app-level token",
        ),
        (
            {"FOOTNOTE_SLACK_BOT_TOKEN": "{bot}", "FOOTNOTE_SLACK_MODE": "http"},
            "FOOTNOTE_SLACK_SIGNING_SECRET is not set",
        ),
        (
            {"FOOTNOTE_SLACK_BOT_TOKEN": "xoxb-1", "FOOTNOTE_SLACK_API_URL": "http://127.0.0.1:1/"},
            "doesn't answer",
        ),
    ],
)
async def test_bad_tokens(
    slack: Playground, corpus_url: str, variables: dict[str, str], words: str
) -> None:
    """Tokens are checked before anything connects; none is ever shown."""
    filled = {name: value.format(bot=slack.bot_token) for name, value in variables.items()}
    ended = await asyncio.to_thread(
        footnote,
        "run",
        **{
            "FOOTNOTE_DATABASE_URL": corpus_url,
            "FOOTNOTE_SLACK_API_URL": slack.api_url,
            "FOOTNOTE_PORT": "0",
            **filled,
        },
    )
    lines = [line for line in ended.err.splitlines() if line.startswith("footnote: ")]
    assert ended.code == 1
    assert len(lines) == 1
    assert words in lines[0]
    for value in filled.values():
        assert not value.startswith("x") or value not in ended.err


async def test_a_port_in_use(slack: Playground, corpus_url: str) -> None:
    """The port is named, and the variable that changes it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = await asyncio.to_thread(
            footnote,
            "run",
            FOOTNOTE_DATABASE_URL=corpus_url,
            FOOTNOTE_SLACK_API_URL=slack.api_url,
            FOOTNOTE_SLACK_BOT_TOKEN=slack.bot_token,
            FOOTNOTE_SLACK_APP_TOKEN=slack.app_token,
            FOOTNOTE_PORT=port,
        )
    assert ended.code == 1
    assert f"Port {port}" in ended.err
    assert "FOOTNOTE_PORT" in ended.err
    assert "Traceback" not in ended.err
