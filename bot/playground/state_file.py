"""The workspace on disk, so that a restart keeps the conversations.

Payloads still on their way to the app are not kept.
"""

import asyncio
import contextlib
import json
import os
import threading
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from bot.playground.changes import Changes
from bot.playground.channels import Channel
from bot.playground.clock import Clock
from bot.playground.errors import PlaygroundError
from bot.playground.files import File, Files
from bot.playground.log import MessageLog
from bot.playground.messages import Message
from bot.playground.users import User
from bot.playground.wire import Json
from bot.playground.workspace import Workspace

FORMAT = 1
PAUSE_SECONDS = 0.3


class StateFile:
    """One JSON file, replaced as a whole a moment after changes and at the end.

    The bytes of files lie in a folder beside it, each written once.
    """

    def __init__(
        self, path: Path, workspace: Workspace, log: MessageLog, clock: Clock, files: Files
    ) -> None:
        self._files: Files = files
        self._folder: Path = path.with_name(f"{path.stem}-files")
        self._path: Path = path
        self._workspace: Workspace = workspace
        self._log: MessageLog = log
        self._clock: Clock = clock
        self._saved: int = -1
        self._saving: asyncio.Lock = asyncio.Lock()
        self._writing: threading.Lock = threading.Lock()

    async def load(self) -> None:
        """Take up what the file holds; a missing file is an empty workspace.

        Raises:
            PlaygroundError: the file cannot be understood.
        """
        try:
            text, contents = await asyncio.to_thread(_read, self._path, self._folder)
        except FileNotFoundError:
            text, contents = None, {}
        except OSError as problem:
            raise PlaygroundError(f"{self._path} cannot be read: {problem.strerror}.") from problem
        self._log.changes.keep = self._keep
        if text is None:
            return
        try:
            self._restore(json.loads(text), contents)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise PlaygroundError(
                f"{self._path} is not a workspace file of this version;"
                " move it away to start with an empty workspace."
            ) from problem

    async def keep_saving(self, changes: Changes) -> None:
        """Save after each burst of changes, until cancelled."""
        while True:
            await changes.after(self._saved)
            await asyncio.sleep(PAUSE_SECONDS)
            with contextlib.suppress(OSError):  # a full disk must not end the conversation
                await self.save()

    async def _keep(self) -> None:
        with contextlib.suppress(OSError):  # as above
            await self.save()

    async def save(self) -> None:
        """Write the present state: a new file beside the old one, then the exchange.

        Callers at the same time share one writing.
        """
        wanted = self._log.changes.revision
        async with self._saving:
            if self._saved < wanted:
                await self._write()

    async def _write(self) -> None:
        revision = self._log.changes.revision
        files = self._files.everything()
        state: Json = {
            "format": FORMAT,
            "files": [asdict(file) for file, _ in files],
            "users": [asdict(user) for user in self._workspace.users.values()],
            "channels": [asdict(channel) for channel in self._workspace.channels.values()],
            "messages": [
                asdict(message)
                for message in self._log.everything()
                if message.ephemeral_to is None
            ],
        }
        contents = {file.id: content for file, content in files}
        await asyncio.to_thread(self._exchange, revision, state, contents)

    def _exchange(self, revision: int, state: Json, contents: dict[str, bytes]) -> None:
        """Bring a revision to disk, unless a later one is there.

        A thread goes on writing when whoever waited for it is cancelled; the next waits here.
        """
        with self._writing:
            if revision > self._saved:
                _write_new(self._folder, contents)
                _replace_file(self._path, state)
                self._saved = revision

    def _restore(self, state: Json, contents: dict[str, bytes]) -> None:
        if state["format"] != FORMAT:
            raise ValueError(state["format"])
        users = [User(**_known(User, each)) for each in state["users"]]
        channels = [Channel(**_known(Channel, each)) for each in state["channels"]]
        messages = [Message(**_known(Message, each)) for each in state["messages"]]
        for user in users:
            if user.id != self._workspace.bot.id:
                self._workspace.users[user.id] = user
        for channel in channels:
            self._workspace.put_channel(channel)
        for values in state.get("files", []):
            file = File(**_known(File, values))
            self._files.restore(file, contents.get(file.id, b""))
        for message in messages:
            self._log.put(message)
            self._clock.not_before(message.ts)


def _known(kind: type[Any], values: Json) -> Json:
    names = {each.name for each in fields(kind)}
    return {key: value for key, value in values.items() if key in names}


def _read(path: Path, folder: Path) -> tuple[str, dict[str, bytes]]:
    text = path.read_text("utf-8")
    found = folder.iterdir() if folder.is_dir() else ()
    return text, {each.name: each.read_bytes() for each in found}


def _write_new(folder: Path, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        target = folder / name
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _replace_file(path: Path, state: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(state, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
