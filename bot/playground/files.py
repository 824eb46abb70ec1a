"""Files: announced, uploaded, shared, downloaded."""

import mimetypes
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from urllib.parse import quote

from bot.playground.changes import Changes
from bot.playground.clock import Clock
from bot.playground.errors import ApiError
from bot.playground.links import Links
from bot.playground.wire import Json

UNKNOWN_TYPE = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class File:
    """A file somebody uploaded; an external one is only a link to elsewhere.

    `channels` are the conversations it was shared in. A `clip` was recorded in Slack.
    """

    id: str
    name: str
    title: str
    user: str
    size: int
    created: int
    external_url: str = ""
    channels: list[str] = field(default_factory=list)
    clip: bool = False

    @property
    def mimetype(self) -> str:
        """What its name says it is."""
        return mimetypes.guess_type(self.name)[0] or UNKNOWN_TYPE


class Files:
    """The files of the workspace, with their bytes in memory.

    `announced` is what an upload address was given out for, by the key of the address.
    """

    def __init__(self, changes: Changes, clock: Clock, links: Links, team_id: str) -> None:
        self._changes: Changes = changes
        self._clock: Clock = clock
        self._links: Links = links
        self._team_id: str = team_id
        self._announced: dict[str, File] = {}
        self._contents: dict[str, bytes] = {}
        self._files: dict[str, File] = {}
        self._given: set[str] = set()

    def announce(self, name: str, size: int, user: str) -> tuple[File, str]:
        """A file to come, and the address to upload it to."""
        file = self._new(name, size, user)
        key = secrets.token_urlsafe(18)
        self._announced[key] = file
        return file, self._links.upload_url(key)

    def receive(self, key: str, content: bytes) -> None:
        """Take the bytes sent to an upload address; they may be sent again until complete.

        Raises:
            KeyError: no such address was given out.
        """
        self._contents[self._announced[key].id] = content

    def complete(self, file_id: str, title: str) -> File:
        """Make an uploaded file one of the workspace's.

        Raises:
            ApiError: `file_not_found` when it was never announced or uploaded.
        """
        for key, file in self._announced.items():
            if file.id == file_id and file_id in self._contents:
                del self._announced[key]
                size = len(self._contents[file_id])
                return self._keep(replace(file, title=title or file.name, size=size))
        raise ApiError("file_not_found")

    def add(self, name: str, content: bytes, user: str) -> File:
        """A file as people upload it, in one step."""
        file = self._new(name, len(content), user)
        self._contents[file.id] = content
        return self._keep(file)

    def link(self, name: str, url: str, user: str) -> File:
        """A file that lies elsewhere: what a connected drive shares."""
        return self._keep(replace(self._new(name, 0, user), external_url=url))

    def share(self, file: File, channel: str) -> File:
        """The file, shared in one more conversation."""
        return self._keep(replace(file, channels=[*file.channels, channel]))

    def give(self, file_id: str) -> None:
        """Let the app see a file that somebody put into one of its forms."""
        self._given.add(file_id)

    def is_given(self, file_id: str) -> bool:
        """Whether the app sees a file by a form."""
        return file_id in self._given

    def get(self, file_id: str) -> File | None:
        """The file of this id."""
        return self._files.get(file_id)

    def content(self, file_id: str) -> bytes | None:
        """The bytes of a file that lies here."""
        return self._contents.get(file_id) if file_id in self._files else None

    def everything(self) -> list[tuple[File, bytes]]:
        """Every file with its bytes; none for an external one."""
        return [(file, self._contents.get(file.id, b"")) for file in self._files.values()]

    def restore(self, file: File, content: bytes) -> None:
        """Take up a file of an earlier run."""
        self._files[file.id] = file
        self._contents[file.id] = content

    def to_wire(self, file: File) -> Json:
        """The file object of `files.info`, of messages and of forms."""
        external = bool(file.external_url)
        name = quote(file.name, safe="")
        private = self._links.file(self._team_id, file.id)
        wire: Json = {
            "id": file.id,
            "created": file.created,
            "timestamp": file.created,
            "name": file.name,
            "title": file.title,
            "mimetype": file.mimetype,
            "filetype": PurePath(file.name).suffix.lstrip(".").lower() or "binary",
            "user": file.user,
            "user_team": self._team_id,
            "size": file.size,
            "mode": "external" if external else "hosted",
            "is_external": external,
            "external_type": "unknown" if external else "",
            "is_public": any(each.startswith("C") for each in file.channels),
            "file_access": "visible",
            "channels": [each for each in file.channels if each.startswith("C")],
            "groups": [each for each in file.channels if each.startswith("G")],
            "ims": [each for each in file.channels if each.startswith("D")],
            "url_private": file.external_url or f"{private}/{name}",
        }
        if file.clip:
            # Slack's clips are audio in a container that a name would call a video.
            kind = file.mimetype.replace("video/", "audio/")
            clip = {"subtype": "slack_audio", "media_display_type": "audio", "mimetype": kind}
            wire |= clip
        if not external:
            wire["url_private_download"] = f"{private}/download/{name}"
        return wire

    def wires(self, files: Sequence[File]) -> list[Json]:
        """The `files` of a message."""
        return [self.to_wire(each) for each in files]

    def _new(self, name: str, size: int, user: str) -> File:
        file_id = f"F{secrets.token_hex(5).upper()}"
        return File(file_id, name, name, user, size, int(self._clock.now()))

    def _keep(self, file: File) -> File:
        self._files[file.id] = file
        self._changes.touch()
        return file
