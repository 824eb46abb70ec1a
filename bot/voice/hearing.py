"""Listening to the clips of a message: fetched from Slack, written down once, and kept.

Whatever goes wrong with a clip becomes one sentence to whoever sent it. Only what Slack itself
fails at is raised, and so tried again with the message.
"""

import time
from dataclasses import replace
from typing import Final

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.inbox import Connection, Message
from bot.knowledge.download import Downloads, Most
from bot.knowledge.fetch import NotFetched
from bot.running import Running, Unwanted
from bot.sessions import Post
from bot.status import Status
from bot.voice import transcripts
from bot.voice.clips import Heard, tidy
from bot.voice.transcriber import (
    MOST_SECONDS,
    Clip,
    NotAudio,
    TooLong,
    Transcriber,
    TranscriberDown,
)

__all__ = ["Hearing"]

_LOG = structlog.get_logger("footnote.voice")
_ADVICE: Final = "say it in less, or type your question"
_MOST: Final = Most(size=25_000_000, seconds=MOST_SECONDS, advice=_ADVICE)
_NOBODY: Final = (
    "I can't listen to audio clips: type your question, or have whoever runs me set"
    " FOOTNOTE_TRANSCRIBER_URL or run `make voice`."
)
_DOWN: Final = (
    "I couldn't listen to your audio clip just now: type your question, or send the clip again"
    " in a few minutes."
)
_UNREADABLE: Final = "I can't read your audio clip: record it again, or type your question."
_TOO_LONG: Final = f"Your audio clip is longer than {MOST_SECONDS:g} seconds: {_ADVICE}."
_SILENT: Final = "I heard nothing in your audio clip: record it again, or type your question."


class Hearing:
    """Listens. Without a `transcriber` it says that it can't.

    `attempts`: tries at a message, after which it isn't listened to again.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        running: Running,
        status: Status,
        transcriber: Transcriber | None,
        attempts: int,
    ) -> None:
        self._downloads: Downloads = Downloads(client)
        self._running: Running = running
        self._status: Status = status
        self._transcriber: Transcriber | None = transcriber
        self._attempts: int = attempts

    async def heard(self, connection: Connection, message: Message, post: Post) -> Message:
        """Return a message with what its clips say added to its words.

        One that was edited, taken back or stopped meanwhile is returned as it is, and so is one
        that has been tried too often.

        Raises:
            SlackClientError: Slack doesn't tell of a clip just now.
        """
        if message.attempts > self._attempts:
            return message
        awaited = message.kind in {"mention", "direct"}
        if awaited:
            await self._status.show(post, "Listening to your clip…")
        began = time.perf_counter()
        try:
            heard = await self._running.run(
                connection, message, lambda: self._listened(connection, message)
            )
        except Unwanted:
            return message
        finally:
            if awaited:
                await self._status.show(post, "")
        milliseconds = (time.perf_counter() - began) * 1000 if heard.by else 0.0
        said = [each for each in (message.text, heard.words) if each]
        heard = replace(heard, milliseconds=milliseconds)
        return replace(message, text="\n".join(said), heard=heard)

    async def _listened(self, connection: Connection, message: Message) -> Heard:
        said: list[str] = []
        problem = by = ""
        for file in message.clips:
            words = await transcripts.known(connection, message, file)
            if words is None:
                if self._transcriber is None:
                    problem = _NOBODY
                    break
                by = self._transcriber.name
                try:
                    words = await self._transcribed(self._transcriber, file)
                except NotFetched as error:
                    problem = str(error)
                    break
                except (NotAudio, TranscriberDown) as error:
                    # What the error says names servers and settings: it isn't for who spoke.
                    _LOG.warning("clip_not_heard", file=file, by=by, error=type(error).__name__)
                    problem = _problem(error)
                    break
                await transcripts.keep(connection, message, file, words)
            said.append(words)
        words = "\n".join(each for each in said if each)
        return Heard(words, problem or ("" if words else _SILENT), by)

    async def _transcribed(self, transcriber: Transcriber, file: str) -> str:
        got = await self._downloads.get(file, _MOST)
        began = time.perf_counter()
        words = tidy(await transcriber.transcribe(Clip(got.name, got.content)))
        _LOG.info(
            "clip_heard",
            file=file,
            by=transcriber.name,
            seconds=round(time.perf_counter() - began, 3),
            characters=len(words),
        )
        return words


def _problem(error: NotAudio | TranscriberDown) -> str:
    match error:
        case TooLong():
            return _TOO_LONG
        case NotAudio():
            return _UNREADABLE
        case TranscriberDown():
            return _DOWN
