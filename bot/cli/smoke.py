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

from bot.cli.terminal import fail, print_json, say
from bot.errors import BotError
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
}
_USED = "Used 1 memory"


_OTHER_SERVICE = "catalog"  # it has no page about this


class SmokeFailed(BotError):
    """The demo didn't do what a person would expect."""


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
    outcomes["answer"] = person.reply("answer", root, 1, _check_cited)
    person.post(_QUESTIONS["follow_up"], root)
    outcomes["follow_up"] = person.reply("follow_up", root, 2, _check_cited)
    root = person.mention(_QUESTIONS["no_match"])
    outcomes["no_match"] = person.reply("no_match", root, 1, _check_no_match)
    root = person.mention(f"{_QUESTIONS['answer']} service:{_OTHER_SERVICE}")
    person.reply("narrowed", root, 1, _check_no_match)
    person.click(root, EVERYWHERE)
    outcomes["everywhere"] = person.reply("everywhere", root, 2, _check_cited)
    root = person.mention(_QUESTIONS["remember"])
    outcomes["remember"] = person.reply("remember", root, 1, _check_noted)
    root = person.mention(_QUESTIONS["memory"])
    outcomes["memory"] = person.reply("memory", root, 1, _check_used)
    person.becomes(1)
    root = person.mention(_QUESTIONS["memory"])
    outcomes["others"] = person.reply("others", root, 1, _check_not_used)
    person.command("/filter", "service:search")
    root = person.mention(_QUESTIONS["filtered"])
    outcomes["filtered"] = person.reply("filtered", root, 1, _check_filtered)
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
        body = {"user": self._user, "channel": self._channel, "text": text, "thread_ts": thread_ts}
        response = self._http.post("/playground/post", json=body, headers=self._headers())
        answer = response.json()
        if not answer.get("ok"):
            raise SmokeFailed(f"the page refused a message: {answer.get('error')}")
        return str(answer["ts"])

    def click(self, root: str, action_id: str) -> None:
        """Press a button of the bot's first reply in a thread."""
        self._asked = time.monotonic()
        ts = self._replies(self._state(), root)[0]["ts"]
        body = {"user": self._user, "channel": self._channel, "ts": ts, "action_id": action_id}
        response = self._http.post("/playground/click", json=body, headers=self._headers())
        if not (answer := response.json()).get("ok"):
            raise SmokeFailed(f"the page refused a click: {answer.get('error')}")

    def command(self, command: str, text: str) -> None:
        """Use a slash command."""
        body = {"user": self._user, "channel": self._channel, "command": command, "text": text}
        answer = self._http.post("/playground/command", json=body, headers=self._headers()).json()
        if not answer.get("ok"):
            raise SmokeFailed(f"{command} failed: {answer.get('error')}")

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
        return {"stop_reason": _stop_reason(message), "ms": milliseconds}

    def _replies(self, state: Mapping[str, Any], root: str) -> list[Mapping[str, Any]]:
        return [
            message
            for message in state["messages"]
            if message["user"] == self._bot
            and message["thread_ts"] == root
            and _stop_reason(message)  # else it is a pointer
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


def _check_cited(message: Mapping[str, Any]) -> None:
    blocks: list[Mapping[str, Any]] = message["blocks"]
    answer = next((each["text"] for each in blocks if each["type"] == "markdown"), "")
    sources = [each["text"]["text"] for each in blocks if each["type"] == "section"]
    prose = re.sub(r"^(`{3,}|~{3,}).*?^\1\s*?$", "", answer, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`\n]*`", "", prose)  # `containers[0]` is no footnote
    markers = {int(number) for number in re.findall(r"\[(\d+)\]", prose)}
    if not markers or _stop_reason(message) != "cited":
        raise SmokeFailed("the answer carries no citation")
    for marker in markers:
        if not any(source.startswith(f"*[{marker}]*") for source in sources):
            raise SmokeFailed(f"footnote [{marker}] has no source below")


def _check_filtered(message: Mapping[str, Any]) -> None:
    _check_cited(message)
    if "service search" not in str(message["blocks"]):
        raise SmokeFailed("the channel's filter was set, but not used")


def _check_no_match(message: Mapping[str, Any]) -> None:
    if _stop_reason(message) != "no_match" or not message["text"].startswith("No match"):
        raise SmokeFailed("the corpus doesn't hold this, but the reply is no NO_MATCH")


def _check_noted(message: Mapping[str, Any]) -> None:
    if _stop_reason(message) != "noted" or "memory 1" not in message["text"]:
        raise SmokeFailed("what was told wasn't noted")


def _check_used(message: Mapping[str, Any]) -> None:
    _check_cited(message)
    if _USED not in str(message["blocks"]):
        raise SmokeFailed("what was told in another thread isn't at work in this one")


def _check_not_used(message: Mapping[str, Any]) -> None:
    _check_cited(message)
    if "memory" in str(message["blocks"]):
        raise SmokeFailed("somebody else's memory is at work")


def _stop_reason(message: Mapping[str, Any]) -> str:
    metadata: Mapping[str, Any] = message.get("metadata") or {}
    return str((metadata.get("event_payload") or {}).get("stop_reason") or "")


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
