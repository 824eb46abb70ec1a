"""`footnote smoke`: what a person does in the demo, without a browser; one JSON line of result."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from bot.cli.smoke_checks import (
    COMMAND,
    TITLE,
    SmokeFailed,
    check_cited,
    check_filtered,
    check_ingested,
    check_no_match,
    check_not_used,
    check_noted,
    check_used,
    stop_reason,
)
from bot.cli.terminal import fail, print_json, say
from bot.replies.ids import EVERYWHERE

__all__ = ["smoke"]

_START_SECONDS = 240.0
_REPLY_SECONDS = 60.0
_STOP_SECONDS = 40.0
_QUESTIONS = {
    "answer": "how do I roll back a deploy?",
    "follow_up": "and in staging?",
    "no_match": "how do I rotate the kafka broker certificates?",
    "filtered": "search results are stale, what do I do?",
    "remember": "remember that ERR_5032 on a refund is mine to look after",
    "memory": "what do I do about ERR_5032 on a refund?",
    "ingested": "how do I restart the heron gauge?",
}
_DOCUMENT = f"# {TITLE}\n\nWhen the heron gauge stands still, run `{COMMAND}` on its host.\n"
_OTHER_SERVICE = "catalog"  # it has no page about this


def smoke(
    *,
    verbose: Annotated[bool, typer.Option(help="Show what the demo prints.")] = False,
) -> None:
    """Start the demo on a free port and a fresh folder, ask and set things, check, stop."""
    # Two folders side by side: as root, PostgreSQL's own account gets the first one for itself.
    with (
        tempfile.TemporaryDirectory(prefix="footnote-smoke-") as data_dir,
        tempfile.NamedTemporaryFile(prefix="footnote-smoke-", suffix=".log") as demo_log,
    ):
        log = Path(demo_log.name)
        try:
            result = _run(Path(data_dir), log)
        except (SmokeFailed, httpx.HTTPError) as error:
            say(log.read_text(errors="replace")[-4000:])
            fail(f"the smoke test failed: {error}")
        if verbose:
            say(log.read_text(errors="replace"))
    print_json(result)


def _run(data_dir: Path, log: Path) -> dict[str, Any]:
    port = _free_port()
    began = time.monotonic()
    with log.open("wb") as output:
        command = [sys.executable, "-m", "bot", "demo", "--port", str(port)]
        process = subprocess.Popen(  # noqa: S603  # our own program, fixed arguments
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=_environment(data_dir),
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http:
            person = _Person(http, process)
            started = _ms(began)
            outcomes = _converse(person)
    finally:
        stopping = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
    if code != 0:
        raise SmokeFailed(f"the demo ended with exit code {code} after Ctrl-C")
    if left := _left_behind(data_dir):
        raise SmokeFailed(f"processes were left behind: {left}")
    return {
        "ok": True,
        "start_ms": started,
        "outcomes": outcomes,
        "stop_ms": _ms(stopping),
    }


def _converse(person: "_Person") -> dict[str, Any]:
    outcomes: dict[str, Any] = {}
    root = person.mention(_QUESTIONS["answer"])
    outcomes["answer"] = person.reply("answer", root, 1, check_cited)
    person.post(_QUESTIONS["follow_up"], root)
    outcomes["follow_up"] = person.reply("follow_up", root, 2, check_cited)
    root = person.mention(_QUESTIONS["no_match"])
    outcomes["no_match"] = person.reply("no_match", root, 1, check_no_match)
    root = person.mention(f"{_QUESTIONS['answer']} service:{_OTHER_SERVICE}")
    person.reply("narrowed", root, 1, check_no_match)
    person.click(root, EVERYWHERE)
    outcomes["everywhere"] = person.reply("everywhere", root, 2, check_cited)
    root = person.mention(_QUESTIONS["remember"])
    outcomes["remember"] = person.reply("remember", root, 1, check_noted)
    root = person.mention(_QUESTIONS["memory"])
    outcomes["memory"] = person.reply("memory", root, 1, check_used)
    person.becomes(1)
    root = person.mention(_QUESTIONS["memory"])
    outcomes["others"] = person.reply("others", root, 1, check_not_used)
    person.command("/filter", "service:search")
    root = person.mention(_QUESTIONS["filtered"])
    outcomes["filtered"] = person.reply("filtered", root, 1, check_filtered)
    person.command("/filter", "clear")
    outcomes["receipt"] = person.ingest("heron.md", _DOCUMENT, service="birds", type="runbook")
    root = person.mention(_QUESTIONS["ingested"])
    outcomes["ingested"] = person.reply("ingested", root, 1, check_ingested)
    return outcomes


class _Person:
    """Ana, who uses the demo's page, until she becomes another."""

    def __init__(self, http: httpx.Client, process: subprocess.Popen[bytes]) -> None:
        self._http = http
        self._process = process
        self._asked = time.monotonic()
        self._token = self._open_page()
        state = self._until(lambda state: state if state["connected"] else None, _START_SECONDS)
        self._people = [each["id"] for each in state["people"]]
        self._user = self._people[0]
        self._bot = state["bot"]["id"]
        self._channel = state["channels"][0]["id"]

    def becomes(self, number: int) -> None:
        """Go on as another of the people."""
        self._user = self._people[number]

    def mention(self, question: str) -> str:
        """Ask the bot in the channel; returns the message's ts."""
        return self.post(f"@Footnote {question}", None)

    def post(self, text: str, thread_ts: str | None) -> str:
        """Write a message; returns its ts."""
        self._asked = time.monotonic()
        where = {"channel": self._channel, "thread_ts": thread_ts}
        return str(self._act("post", text=text, **where)["ts"])

    def click(self, root: str, action_id: str) -> None:
        """Press a button of the bot's first reply in a thread."""
        self._asked = time.monotonic()
        ts = self._replies(self._state(), root)[0]["ts"]
        self._act("click", channel=self._channel, ts=ts, action_id=action_id)

    def command(self, command: str, text: str) -> None:
        """Use a slash command."""
        self._act("command", channel=self._channel, command=command, text=text)

    def ingest(self, name: str, content: str, **labels: str) -> dict[str, Any]:
        """Put a file into the form of `/ingest`, and wait for its receipt."""
        about = {"user": self._user, "name": name}
        uploaded = self._http.post(
            "/playground/file", params=about, content=content.encode(), headers=self._headers()
        )
        file = uploaded.raise_for_status().json()["file"]
        self.command("/ingest", "")
        self._until(lambda state: state["views"] or None, _REPLY_SECONDS)
        self._asked = time.monotonic()
        self._act("submit", values={"files": [file], **labels})

        def receipt(state: Mapping[str, Any]) -> Mapping[str, Any] | None:
            said = (each for each in state["messages"] if each["user"] == self._bot)
            return next((each for each in said if "Asked for by" in str(each["blocks"])), None)

        message = self._until(receipt, _REPLY_SECONDS)
        milliseconds = _ms(self._asked)
        if TITLE not in message["text"]:
            raise SmokeFailed(f"{name} was not ingested; the receipt was: {message['text'][:300]}")
        return {"ms": milliseconds}

    def reply(
        self, name: str, root: str, count: int, check: Callable[[Mapping[str, Any]], None]
    ) -> dict[str, Any]:
        """Wait for the bot's `count`-th reply in a thread and check it."""

        def found(state: Mapping[str, Any]) -> Mapping[str, Any] | None:
            replies = self._replies(state, root)
            return replies[count - 1] if len(replies) >= count else None

        message = self._until(found, _REPLY_SECONDS)
        milliseconds = _ms(self._asked)
        try:
            check(message)
        except SmokeFailed as error:
            raise SmokeFailed(f"{name}: {error}; the reply was: {message['text'][:300]}") from error
        return {"stop_reason": stop_reason(message), "ms": milliseconds}

    def _act(self, action: str, **body: Any) -> Mapping[str, Any]:
        """Do something on the page; returns what it answers."""
        response = self._http.post(
            f"/playground/{action}", json={"user": self._user, **body}, headers=self._headers()
        )
        answer: Mapping[str, Any] = response.json()
        if not answer.get("ok"):
            raise SmokeFailed(f"the page refused this: {action} ({answer.get('error')})")
        return answer

    def _replies(self, state: Mapping[str, Any], root: str) -> list[Mapping[str, Any]]:
        return [
            message
            for message in state["messages"]
            if message["user"] == self._bot
            and message["thread_ts"] == root
            and stop_reason(message)  # else it is a pointer
        ]

    def _state(self) -> Mapping[str, Any]:
        response = self._http.get("/playground/state", headers=self._headers())
        return response.raise_for_status().json()

    def _open_page(self) -> str:
        """Wait for the page; returns the token that it acts with."""
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise SmokeFailed(f"the demo ended early, exit code {self._process.returncode}")
            try:
                page = self._http.get("/")
            except httpx.TransportError:
                time.sleep(0.2)
                continue
            token = re.search(r'name="page-token" content="([^"]+)"', page.text)
            if token is None:
                raise SmokeFailed("the page carries no token")
            return token[1]
        raise SmokeFailed(f"the page didn't come up within {_START_SECONDS:.0f} seconds")

    def _until[T](self, find: Callable[[Mapping[str, Any]], T | None], seconds: float) -> T:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = find(self._state())
            if found is not None:
                return found
            time.sleep(0.05)
        raise SmokeFailed(f"nothing came within {seconds:.0f} seconds")

    def _headers(self) -> dict[str, str]:
        return {"X-Playground-Token": self._token}


def _environment(data_dir: Path) -> dict[str, str]:
    """Take everything from this process but what would lead to another database or Slack."""
    kept = {
        name: value
        for name, value in os.environ.items()  # noqa: TID251  # passed on to the demo, not read
        if not name.startswith(("FOOTNOTE_", "SLACK_")) and name not in {"DATABASE_URL", "PORT"}
    }
    return {**kept, "FOOTNOTE_DATA_DIR": str(data_dir)}


def _left_behind(data_dir: Path) -> list[str]:
    """Return the command lines of processes that still work on the data folder."""
    found: list[str] = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = each.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(data_dir) in command:
            found.append(command.strip()[:200])
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _ms(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
