"""The connection to Slack: a client, a check of the tokens, Bolt's app.

Both tokens are tried before anything connects, because the SDK repeats a refused one for ever.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import aiohttp
from pydantic import SecretStr
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BadSetting, SlackRefused, SlackUnreachable
from bot.settings import Settings

__all__ = [
    "Identity",
    "check_app_token",
    "identify",
    "is_local",
    "is_loopback",
    "new_app",
    "open_client",
    "required",
]

_TIMEOUT_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is in its workspace."""

    team: str
    team_name: str
    bot_user: str
    bot_id: str


def is_loopback(address: str) -> bool:
    """Tell whether a URL's host is this machine."""
    return is_local(urlsplit(address).hostname or "")


def is_local(host: str) -> bool:
    """Tell whether a host is this machine, and reached from nowhere else."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def required(secret: SecretStr | None, variable: str, what: str) -> str:
    """Return a secret's value.

    Raises:
        BadSetting: it isn't set; the message says where to find it.
    """
    if secret is None or not secret.get_secret_value().strip():
        raise BadSetting(f"{variable} is not set: it is {what}. `make demo` needs no workspace.")
    return secret.get_secret_value().strip()


@asynccontextmanager
async def open_client(
    settings: Settings, watchers: Sequence[AsyncRetryHandler] = ()
) -> AsyncGenerator[AsyncWebClient]:
    """Open the Web API client, with one HTTP session for all calls; `watchers` see the answers.

    It repeats nothing by itself: a post whose answer was lost may have been made, and a wait for
    a rate limit would end when somebody else has taken the turn over.
    """
    token = required(
        settings.slack_bot_token,
        "FOOTNOTE_SLACK_BOT_TOKEN",
        "the Bot User OAuth Token (xoxb-…) under OAuth & Permissions",
    )
    if not token.startswith("xoxb-"):
        raise BadSetting(
            "FOOTNOTE_SLACK_BOT_TOKEN is no bot token: it begins with xoxb- and stands under"
            " OAuth & Permissions."
        )
    url = settings.slack_api_url.rstrip("/") + "/"
    # The SDK's own timeout doesn't hold for a session that it is given.
    limit = aiohttp.ClientTimeout(total=_TIMEOUT_SECONDS)
    async with aiohttp.ClientSession(timeout=limit) as session:
        client = AsyncWebClient(
            token=token,
            base_url=url,
            timeout=_TIMEOUT_SECONDS,
            session=session,
            retry_handlers=list(watchers),
        )
        if is_loopback(url):
            client.proxy = None  # the SDK takes HTTPS_PROXY but knows no NO_PROXY
        yield client


async def identify(client: AsyncWebClient) -> Identity:
    """Ask Slack who the bot token belongs to.

    Raises:
        SlackRefused: the token isn't valid.
        SlackUnreachable: there is no answer, or none that Slack would give.
    """
    try:
        response = await client.auth_test()
    except SlackApiError as error:
        if (reason := _refused(error)) is None:
            raise _unreachable(client) from error
        raise SlackRefused(
            f"Slack refuses the bot token ({reason}): copy the Bot User OAuth Token under"
            " OAuth & Permissions into FOOTNOTE_SLACK_BOT_TOKEN."
        ) from error
    except (aiohttp.ClientError, TimeoutError, OSError, SlackClientError) as error:
        raise _unreachable(client) from error
    return Identity(
        team=str(response.get("team_id")),
        team_name=str(response.get("team")),
        bot_user=str(response.get("user_id")),
        bot_id=str(response.get("bot_id")),
    )


async def check_app_token(client: AsyncWebClient, settings: Settings) -> str:
    """Return the app-level token after trying it once.

    Raises:
        BadSetting, SlackRefused, SlackUnreachable: as for the bot token.
    """
    token = required(
        settings.slack_app_token,
        "FOOTNOTE_SLACK_APP_TOKEN",
        "the app-level token (xapp-…, scope connections:write) under Basic Information",
    )
    if not token.startswith("xapp-"):
        raise BadSetting(
            "FOOTNOTE_SLACK_APP_TOKEN is no app-level token: it begins with xapp- and is made"
            " under Basic Information."
        )
    try:
        await client.apps_connections_open(app_token=token)
    except SlackApiError as error:
        if (reason := _refused(error)) is None:
            raise _unreachable(client) from error
        raise SlackRefused(
            f"Slack refuses the app-level token ({reason}): make one with the scope"
            " connections:write under Basic Information, put it into FOOTNOTE_SLACK_APP_TOKEN,"
            " and see that Socket Mode is on."
        ) from error
    except (aiohttp.ClientError, TimeoutError, OSError, SlackClientError) as error:
        raise _unreachable(client) from error
    return token


def new_app(client: AsyncWebClient, identity: Identity, signing_secret: str | None) -> AsyncApp:
    """Return Bolt's app, which asks Slack nothing about a token that was checked already."""

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=None,
            team_id=identity.team,
            bot_token=client.token,
            bot_id=identity.bot_id,
            bot_user_id=identity.bot_user,
        )

    # A client without a token: Bolt makes one for each request from what `authorize` gives.
    tokenless = AsyncWebClient(
        base_url=client.base_url,
        timeout=client.timeout,
        session=client.session,
        retry_handlers=client.retry_handlers,
    )
    tokenless.proxy = client.proxy
    return AsyncApp(
        # Of its logger, not one of ours. Without a name, callers' source files are looked at.
        name="slack_bolt.app",
        client=tokenless,
        authorize=authorize,
        signing_secret=signing_secret,
        request_verification_enabled=signing_secret is not None,
        ignoring_self_events_enabled=True,
    )


def _refused(error: SlackApiError) -> str | None:
    """Return Slack's reason for a refusal; None when Slack itself has failed."""
    data = getattr(error.response, "data", None)
    reason = str(data.get("error")) if isinstance(data, dict) else None
    return None if reason in {"internal_error", "fatal_error", "ratelimited"} else reason


def _unreachable(client: AsyncWebClient) -> SlackUnreachable:
    host = urlsplit(client.base_url).netloc
    return SlackUnreachable(
        f"Slack ({host}) doesn't answer: check this machine's network, proxy and"
        " FOOTNOTE_SLACK_API_URL, then start again."
    )
