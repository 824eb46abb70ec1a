"""The secrets of one run: tokens of the app, signing secret, token of the page."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from bot.playground.errors import ApiError


def _token(prefix: str) -> str:
    return f"{prefix}-{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the app needs to talk to the stand-in; random unless given."""

    bot_token: str = field(default_factory=lambda: _token("xoxb-playground"))
    app_token: str = field(default_factory=lambda: _token("xapp-playground"))
    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16))
    page_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def check(self, token: str, *, app_level: bool) -> None:
        """Refuse a token that does not belong to this kind of method, with Slack's errors."""
        if not token:
            raise ApiError("not_authed")
        expected, other = self.bot_token, self.app_token
        if app_level:
            expected, other = other, expected
        if hmac.compare_digest(token.encode(), expected.encode()):
            return
        if hmac.compare_digest(token.encode(), other.encode()):
            raise ApiError("not_allowed_token_type")
        raise ApiError("invalid_auth")

    def sign(self, timestamp: str, body: bytes) -> str:
        """The `v0=` signature of a request: HMAC-SHA256 over `v0:timestamp:body`."""
        base = b"v0:" + timestamp.encode() + b":" + body
        return "v0=" + hmac.new(self.signing_secret.encode(), base, hashlib.sha256).hexdigest()
