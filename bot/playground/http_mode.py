"""HTTP mode: signed requests to the app's request URL."""

import json
import time
from typing import cast
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.playground.credentials import Credentials
from bot.playground.deliveries import COMMANDS, EVENTS, Delivery, NotAcknowledged
from bot.playground.wire import Json

HTTP_OK = 200


class HttpMode:
    """The transport for apps with a request URL. One session, opened and closed by the owner."""

    def __init__(self, url: str, credentials: Credentials, ack_timeout: float) -> None:
        self.url: str = url
        self.credentials: Credentials = credentials
        self.ack_timeout: float = ack_timeout
        self.session: ClientSession | None = None

    async def verify(self) -> bool:
        """Slack's `url_verification` handshake: whether the app answered the challenge."""
        challenge = "playground-challenge"
        body: Json = {"type": "url_verification", "token": "playground", "challenge": challenge}
        answer = await self.send(Delivery(EVENTS, body), 0, "")
        return answer is not None and challenge in {answer.get("challenge"), answer.get("text")}

    async def send(self, delivery: Delivery, attempt: int, reason: str) -> Json | None:
        """POST once; anything but 200 within the ack timeout is a refusal."""
        if self.session is None:
            raise NotAcknowledged("dispatch_failed")
        content_type, body = _encode(delivery)
        timestamp = str(int(time.time()))
        headers = {
            "Content-Type": content_type,
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": self.credentials.sign(timestamp, body),
        }
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason}
        timeout = ClientTimeout(total=self.ack_timeout)
        try:
            async with self.session.post(
                self.url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                text = await response.text()
                if response.status != HTTP_OK:
                    raise NotAcknowledged("http_error")
                return _decode(text)
        except TimeoutError as problem:
            raise NotAcknowledged("http_timeout") from problem
        except ClientError as problem:
            raise NotAcknowledged("connection_failed") from problem


def _encode(delivery: Delivery) -> tuple[str, bytes]:
    if delivery.kind == EVENTS:
        return "application/json", json.dumps(delivery.payload).encode()
    form = (
        delivery.payload if delivery.kind == COMMANDS else {"payload": json.dumps(delivery.payload)}
    )
    return "application/x-www-form-urlencoded", urlencode(form).encode()


def _decode(text: str) -> Json | None:
    if not text.strip():
        return None
    try:
        answer = json.loads(text)
    except ValueError:
        return {"text": text}
    return cast("Json", answer) if isinstance(answer, dict) else {"text": text}
