"""One address of a model server: JSON or a file over HTTP, asked with bounded patience.

The one file that knows httpx. What fails passingly (no connection, a busy or
failing server) is tried again with growing pauses, or after the pause the server asks for;
whatever remains is a sentence. Servers differ: some report errors with status 200. What comes
in pieces is asked for once, by `stream`: only who reads the pieces knows what is worth a repeat.
"""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential_jitter,
)

__all__ = [
    "Complaint",
    "Endpoint",
    "EndpointFailed",
    "Patience",
    "TooMuch",
    "open_endpoint",
    "read_json",
]

_CONNECT_SECONDS: Final = 3.0
_WRITE_SECONDS: Final = 30.0
_LARGE: Final = 64_000  # bytes of JSON from which on parsing leaves the event loop
_DETAIL: Final = 200  # characters of a server's own words that a sentence quotes
_WORDS: Final = 2_000  # characters of them that are looked at
_LONGEST_COMPLAINT: Final = 200_000  # bytes of an answer to a stream that is an error

_PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_TOO_MUCH: Final = frozenset({400, 413, 422})
# llama.cpp says only so, with status 500, that a text is longer than its batch.
_TOO_LARGE: Final = "too large to process"
_KEY_REFUSED: Final = frozenset({401, 403})
_NOT_THERE: Final = frozenset({404, 405})

_backoff: Final = wait_exponential_jitter(multiplier=0.1, max=8, jitter=0.1)


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error in a server's own terms: HTTP status, names such as its code and type, words."""

    status: int | None = None
    names: tuple[str, ...] = ()
    words: str = ""


class EndpointFailed(Exception):
    """The server doesn't give what it was asked for; the message is the sentence."""

    def __init__(
        self,
        sentence: str,
        *,
        passing: bool = False,
        retry_after: float | None = None,
        complaint: Complaint | None = None,
    ) -> None:
        super().__init__(sentence)
        self.passing: bool = passing
        self.retry_after: float | None = retry_after
        self.complaint: Complaint = complaint or Complaint()


class TooMuch(EndpointFailed):
    """The server answers, and doesn't take this request: perhaps a smaller one."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an answer: seconds for everything, and at most how many attempts."""

    seconds: float
    attempts: int


class Endpoint:
    """Posts to one address, and reads JSON. `who` and `variables` are for the sentences.

    `variables` is how the names of its settings begin, such as FOOTNOTE_EMBEDDER; `naming` is
    the setting that names the model.
    """

    def __init__(  # noqa: PLR0913  # what its sentences name
        self,
        client: httpx.AsyncClient,
        url: httpx.URL,
        *,
        who: str,
        variables: str,
        naming: str,
        secret: str,
    ) -> None:
        self._client: httpx.AsyncClient = client
        self._url: httpx.URL = url
        self._variables: str = variables
        self._naming: str = naming
        self._secret: str = secret
        # Without what may be secret in an address: user, password, query.
        self.place: str = f"{url.host}:{url.port}" if url.port else url.host
        self.who: str = f"{who} at {self.place}"

    async def post(self, body: Mapping[str, Any], patience: Patience) -> Any:
        """Return the answer's JSON.

        Raises:
            TooMuch: the server refuses the request as it is.
            EndpointFailed: it doesn't answer in time, or not what can be used.
        """
        return await self._patiently({"json": body}, patience)

    async def post_file(
        self, file: tuple[str, bytes], fields: Mapping[str, str], patience: Patience
    ) -> Any:
        """Post a form with a file, given by name and content; returns the answer's JSON.

        Raises:
            TooMuch, EndpointFailed: as `post`.
        """
        return await self._patiently({"files": {"file": file}, "data": fields}, patience)

    async def _patiently(self, content: Mapping[str, Any], patience: Patience) -> Any:
        retrying = AsyncRetrying(
            stop=stop_after_attempt(patience.attempts) | stop_before_delay(patience.seconds),
            wait=_pause,
            retry=retry_if_exception(_is_passing),
            reraise=True,
        )
        try:
            async with asyncio.timeout(patience.seconds):
                return await retrying(self._once, content)
        except TimeoutError as error:
            raise EndpointFailed(
                f"{self.who} didn't answer within {patience.seconds:g} s: see what keeps it, or "
                f"raise {self._variables}_TIMEOUT.",
                passing=True,
            ) from error

    @asynccontextmanager
    async def stream(self, body: Mapping[str, Any]) -> AsyncGenerator[AsyncIterator[bytes]]:
        """Post once, and give the answer's bytes as they come; leaving ends the request.

        It waits as long as it is let: the caller's timeouts bound it.

        Raises:
            TooMuch, EndpointFailed: as `post`, also while the bytes are read.
        """
        try:
            async with self._client.stream(
                "POST", self._url, json=body, headers={"Accept-Encoding": "identity"}
            ) as response:
                if not response.is_success:
                    answer = await read_json(await _beginning(response))
                    raise self.failed(answer, response.status_code, _retry_after(response))
                yield response.aiter_bytes()
        except httpx.HTTPError as error:
            raise self._unread(error) from error

    async def _once(self, content: Mapping[str, Any]) -> Any:
        try:
            response = await self._client.post(self._url, **content)
        except httpx.HTTPError as error:
            raise self._unread(error) from error
        answer = await read_json(response.content)
        error = answer.get("error") if isinstance(answer, dict) else None
        if response.is_success and not error:
            if answer is None:
                raise self.no_json()
            return answer
        raise self.failed(answer, response.status_code, _retry_after(response))

    def _unread(self, error: httpx.HTTPError) -> EndpointFailed:
        if isinstance(error, httpx.TransportError):
            return EndpointFailed(
                f"{self.who} doesn't answer ({_reason(error)}): start it, or correct "
                f"{self._variables}_URL.",
                passing=True,
            )
        return EndpointFailed(f"{self.who} answers what can't be read: see its log.")

    def no_json(self) -> EndpointFailed:
        """Return what an answer means that is something else, such as a page."""
        return EndpointFailed(
            f"{self.who} answers no JSON: correct {self._variables}_URL.", passing=True
        )

    def failed(
        self, answer: Any, status: int = 200, retry_after: float | None = None
    ) -> EndpointFailed:
        """Return what an answer that is an error means."""
        code, names, words = _complaint(answer)
        if httpx.codes.is_success(status):
            # Some servers put the true status into the body; without one, it may pass.
            status = code if code is not None else 500
        words = words.replace(self._secret, "…") if self._secret else words
        complaint = Complaint(status, names, words)
        failure = self._meaning(status, _tidy(words), retry_after)
        failure.complaint = complaint
        return failure

    def _meaning(self, status: int, words: str, retry_after: float | None) -> EndpointFailed:
        said = f"HTTP {status}" + (f", {words}" if words else "")
        if status in _KEY_REFUSED:
            return EndpointFailed(
                f"{self.who} lets nobody in without the right key ({said}): correct "
                f"{self._variables}_API_KEY."
            )
        if status in _NOT_THERE:
            return EndpointFailed(
                f"{self.who} has no such address or model ({said}): correct "
                f"{self._variables}_URL or {self._naming}."
            )
        if httpx.codes.is_redirect(status):
            return EndpointFailed(
                f"{self.who} points to another address ({said}): put that into "
                f"{self._variables}_URL."
            )
        if status in _TOO_MUCH or _TOO_LARGE in words:
            return TooMuch(f"{self.who} refuses the request ({said}): see its log.")
        return EndpointFailed(
            f"{self.who} fails ({said}): see its log, or try again later.",
            passing=status in _PASSING,
            retry_after=retry_after,
        )


@asynccontextmanager
async def open_endpoint(  # noqa: PLR0913  # the parts of an address, and what sentences name
    url: str,
    path: str,
    *,
    api_key: str | None,
    who: str,
    variables: str,
    naming: str | None = None,
) -> AsyncGenerator[Endpoint]:
    """Open an endpoint, closed at the end; nothing is asked yet.

    Args:
        url: the server's address; `path` is completed as far as it is missing, so that
            `http://host:1`, `http://host:1/v1` and the whole address all do.
        path: where the endpoint is on a server of its kind, such as `/v1/embeddings`.
        api_key: sent as a bearer token.
        who: the subject of the sentences.
        variables: how the names of its settings begin.
        naming: the setting that names the model, when it isn't `variables` and `_MODEL`.
    """
    # The machine's own certificates: a company's server may have one of the company's.
    trusted = await asyncio.to_thread(ssl.create_default_context)
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    async with httpx.AsyncClient(
        headers=headers,
        timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS, write=_WRITE_SECONDS),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=8),
        verify=trusted,
        trust_env=False,  # the environment is read in one place, and no proxy serves loopback
        follow_redirects=False,  # the key is for this server
    ) as client:
        yield Endpoint(
            client,
            _completed(url, path),
            who=who,
            variables=variables,
            naming=naming or f"{variables}_MODEL",
            secret=api_key or "",
        )


def _completed(url: str, path: str) -> httpx.URL:
    whole = httpx.URL(url)
    given = whole.path.rstrip("/")
    last = path.removeprefix("/v1")
    if given.endswith(last):
        return whole.copy_with(path=given)
    return whole.copy_with(path=given + last if given else path)


async def _beginning(response: httpx.Response) -> bytes:
    """Return what a page of errors begins with; it may have no end."""
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > _LONGEST_COMPLAINT:
            break
    return bytes(content)


async def read_json(content: bytes) -> Any:
    """Return the value of some JSON, or None."""
    try:
        if len(content) < _LARGE:
            return json.loads(content)
        return await asyncio.to_thread(json.loads, content)
    except (ValueError, RecursionError):
        return None


def _complaint(answer: Any) -> tuple[int | None, tuple[str, ...], str]:
    """Return the status an error names in its body, if any, its other names, and its words."""
    if not isinstance(answer, dict):
        return None, (), ""
    error = answer.get("error") or answer.get("detail") or answer.get("message")
    if isinstance(error, list):  # FastAPI's list of what is wrong, which quotes the input too
        error = error[0] if error else None
    fields = error if isinstance(error, dict) else answer
    code = fields.get("code") or fields.get("status")
    names = tuple(
        name for key in ("code", "type", "param") if isinstance(name := fields.get(key), str)
    )
    if isinstance(place := fields.get("loc"), list):  # FastAPI's name of the field
        names = (*names, *(part for part in place if isinstance(part, str)))
    words = error if isinstance(error, str) else fields.get("message") or fields.get("msg")
    usable = isinstance(code, int) and httpx.codes.is_error(code)
    return (
        code if usable else None,
        names,
        words[:_WORDS] if isinstance(words, str) else "",
    )


def _tidy(words: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in words).split())
    return line if len(line) <= _DETAIL else line[:_DETAIL].rstrip() + "…"


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds that the server asks to wait; it may give a number or a date."""
    given = response.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, EndpointFailed) and error.passing


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, EndpointFailed) and error.retry_after is not None:
        return error.retry_after
    return _backoff(state)


def _reason(error: httpx.TransportError) -> str:
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection within {_CONNECT_SECONDS:g} s"
    return _tidy(str(error)) or "the connection broke"
