"""Addresses of this run; known once the server listens."""


class Links:
    """Builds absolute addresses. `base_url` is empty until the port is bound."""

    def __init__(self) -> None:
        self.base_url: str = ""

    def response_url(self, key: str) -> str:
        """Where an app answers a command or a click."""
        return f"{self.base_url}/respond/{key}"

    def upload_url(self, key: str) -> str:
        """Where a file announced is sent."""
        return f"{self.base_url}/upload/v1/{key}"

    def file(self, team_id: str, file_id: str) -> str:
        """The beginning of the addresses of a file's bytes."""
        return f"{self.base_url}/files-pri/{team_id}-{file_id}"

    def permalink(self, channel: str, ts: str, thread_ts: str | None) -> str:
        """A link to a message, in Slack's form."""
        link = f"{self.base_url}/archives/{channel}/p{ts.replace('.', '')}"
        return link if thread_ts is None else f"{link}?thread_ts={thread_ts}&cid={channel}"
