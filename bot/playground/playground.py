"""The stand-in as a whole: its parts put together, started and stopped, and a person's hands."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import ClientSession, TCPConnector, web

from bot.playground.api.dispatch import WebApi
from bot.playground.backstage import Backstage, own_switches
from bot.playground.changes import Changes
from bot.playground.clock import Clock
from bot.playground.courier import Courier
from bot.playground.credentials import Credentials
from bot.playground.deliveries import EventRecord
from bot.playground.downloads import Downloads
from bot.playground.errors import PlaygroundError
from bot.playground.faults import Faults
from bot.playground.files import Files
from bot.playground.http_mode import HttpMode
from bot.playground.links import Links
from bot.playground.log import MessageLog
from bot.playground.messages import Message
from bot.playground.page import Page
from bot.playground.people import People, Person, Receipt
from bot.playground.postings import Postings
from bot.playground.rates import Rates
from bot.playground.response_urls import ResponseUrls
from bot.playground.server import Server
from bot.playground.services import Services
from bot.playground.snapshot import Offers
from bot.playground.socket_mode import SocketMode
from bot.playground.state_file import StateFile
from bot.playground.streams import Streams
from bot.playground.traffic import Traffic
from bot.playground.triggers import Triggers
from bot.playground.views import View, Views
from bot.playground.wire import Json
from bot.playground.workspace import Workspace

PEOPLE = ("Ana", "Ben", "Chloe")
CHANNELS = ("payments-oncall", "checkout", "general")
RETRY_SECONDS = (0.0, 60.0, 300.0)
ACK_SECONDS = 3.0


class Playground:
    """A workspace on 127.0.0.1 for one unmodified Slack app.

    The app uses `bot_token`, `app_token` and `api_url` as its base_url over Socket Mode, or gets
    requests signed with `signing_secret` at `request_url`. Port 0 takes a free one. With a
    `state_path` the conversations survive a restart.

    Args:
        port: the TCP port, 0 for a free one.
        state_path: the JSON file of the workspace, None for nothing on disk.
        bot_name: the real name of the bot user.
        people: real names of the members.
        channels: names of the public channels; everybody and the bot are members.
        commands: slash commands of the app, with what to type behind each if they are a mapping;
            empty accepts every command.
        shortcuts: shortcuts of the app as in its manifest, which the page offers.
        credentials: tokens and secrets; random by default.
        request_url: where the app listens in HTTP mode; None means Socket Mode.
        ack_timeout: seconds the app has to acknowledge.
        retry_delays: seconds before each further try of an event that was not acknowledged.
        rate_limit: whether posting more than about one message a second per channel is refused.
        subscriptions: the events the app gets, as in its manifest; None for all.
        home: whether the app has a Home tab.
    """

    def __init__(  # noqa: PLR0913 - the front door: every option is a keyword with a default
        self,
        *,
        port: int = 0,
        state_path: Path | None = None,
        bot_name: str = "Footnote",
        people: Sequence[str] = PEOPLE,
        channels: Sequence[str] = CHANNELS,
        commands: Mapping[str, str] | Sequence[str] = (),
        shortcuts: Sequence[Json] = (),
        credentials: Credentials | None = None,
        request_url: str | None = None,
        ack_timeout: float = ACK_SECONDS,
        retry_delays: Sequence[float] = RETRY_SECONDS,
        rate_limit: bool = False,
        subscriptions: Collection[str] | None = None,
        home: bool = True,
    ) -> None:
        self._port: int = port
        self.credentials: Credentials = credentials or Credentials()
        self.faults: Faults = Faults()
        self._links: Links = Links()
        self._changes: Changes = Changes()
        self.clock: Clock = Clock()
        self.workspace: Workspace = Workspace(self._changes, bot_name)
        self.log: MessageLog = MessageLog(self._changes)
        members = [self.workspace.add_user(name).id for name in people]
        for name in channels:
            self.workspace.add_channel(name, members)
        self.socket: SocketMode = SocketMode(
            self.workspace.bot.app_id or "", ack_timeout, self._changes
        )
        self.http: HttpMode = HttpMode(request_url or "", self.credentials, ack_timeout)
        self.traffic: Traffic = Traffic()
        transport = self.socket if request_url is None else self.http
        self.courier: Courier = Courier(transport, retry_delays, self._changes, self.traffic)
        if subscriptions is not None:
            self.courier.subscriptions = frozenset(subscriptions)
        self._postings: Postings = Postings(self.workspace, self.log, self.clock, self.courier)
        self.triggers: Triggers = Triggers(self.clock)
        self.files: Files = Files(self._changes, self.clock, self._links, self.workspace.team.id)
        self._services: Services = Services(
            postings=self._postings,
            socket=self.socket,
            triggers=self.triggers,
            views=Views(self._changes, self.clock),
            files=self.files,
            streams=Streams(self.clock),
            links=self._links,
            rates=Rates(self.clock, enabled=rate_limit),
            faults=self.faults,
            credentials=self.credentials,
        )
        response_urls = ResponseUrls(self._postings, self._links)
        self.people: People = People.of(self._services, response_urls, frozenset(commands))
        self.api: WebApi = WebApi(self._services)
        hints = dict(commands) if isinstance(commands, Mapping) else dict.fromkeys(commands, "")
        self._offers: Offers = Offers(
            hints, tuple(shortcuts), home, own_switches(self.courier, self.faults)
        )
        page = Page(self._services, self.people, self._offers)
        downloads = Downloads(self.files, self.faults, self.credentials)
        self._server: Server = Server(
            self.api, self.socket, response_urls, downloads, page, self.traffic
        )
        self._state: StateFile | None = None
        if state_path is not None:
            self._state = StateFile(state_path, self.workspace, self.log, self.clock, self.files)
        self._stack: AsyncExitStack = AsyncExitStack()

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:PORT`, without a slash at the end."""
        return self._links.base_url

    @property
    def api_url(self) -> str:
        """The base_url for AsyncWebClient."""
        return f"{self.base_url}/api/"

    @property
    def bot_token(self) -> str:
        """The xoxb- token."""
        return self.credentials.bot_token

    @property
    def app_token(self) -> str:
        """The xapp- token."""
        return self.credentials.app_token

    @property
    def signing_secret(self) -> str:
        """The secret of HTTP mode's signatures."""
        return self.credentials.signing_secret

    @property
    def page_token(self) -> str:
        """The token of /playground/…, in the header X-Playground-Token."""
        return self.credentials.page_token

    @property
    def bot_user_id(self) -> str:
        """The bot user's id."""
        return self.workspace.bot.id

    @property
    def team_id(self) -> str:
        """The workspace's id."""
        return self.workspace.team.id

    @property
    def events(self) -> list[EventRecord]:
        """The events sent to the app so far, oldest first, and what became of each."""
        return list(self.courier.events)

    @property
    def deliver_twice(self) -> bool:
        """Whether every event arrives two times under one event_id."""
        return self.courier.deliver_twice

    @deliver_twice.setter
    def deliver_twice(self, value: bool) -> None:
        self.courier.deliver_twice = value

    async def __aenter__(self) -> Self:
        """Load the state, listen, start delivering.

        Raises:
            PlaygroundError: the port is taken or the state file is not ours.
        """
        async with AsyncExitStack() as stack:
            if self._state is not None:
                await self._state.load()
                stack.push_async_callback(self._state.save)
            # Slack doesn't let events wait for each other, and so runs into the ack's time limit.
            connector = TCPConnector(limit=0)
            self.http.session = await stack.enter_async_context(ClientSession(connector=connector))
            # Before the task group, which would wrap the sentence about a taken port.
            await self._listen(stack)
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            if self._state is not None:
                saving = tasks.create_task(self._state.keep_saving(self._changes))
                stack.callback(saving.cancel)
            self.courier.start(tasks)
            stack.callback(self.courier.stop)
            stack.callback(self.faults.clear)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop delivering, close the connections, write the state."""
        await self._stack.aclose()

    async def _listen(self, stack: AsyncExitStack) -> None:
        runner = web.AppRunner(self._server.build(), access_log=None, shutdown_timeout=2.0)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        try:
            await web.TCPSite(runner, "127.0.0.1", self._port).start()
        except OSError as problem:
            raise PlaygroundError(
                f"Port {self._port} on 127.0.0.1 is not free; choose another, or 0 for any."
            ) from problem
        host, port = runner.addresses[0][:2]
        self._links.base_url = f"http://{host}:{port}"

    def offer(self, stage: Backstage) -> None:
        """Let the page offer more than the workspace itself: to try, to look at and to break."""
        self._offers.stage = stage
        self._changes.touch()

    async def connected(self, count: int = 1, limit: float = 10.0) -> None:
        """Wait until the app has `count` Socket Mode connections; TimeoutError after `limit` s."""
        async with asyncio.timeout(limit):
            await self.socket.wait_connected(count)

    def deliver_to(self, request_url: str | None) -> None:
        """Switch to HTTP mode with this request URL, or with None back to Socket Mode."""
        self.http.url = request_url or ""
        self.courier.transport = self.socket if request_url is None else self.http

    def dm(self, user: str) -> str:
        """The id of a person's direct messages with the bot."""
        return self.workspace.direct_messages(self.workspace.user(user).id).id

    def channel_id(self, name: str) -> str:
        """The id of a channel."""
        return self.workspace.channel(name).id

    def user_id(self, name: str) -> str:
        """The id of a member."""
        return self.workspace.user(name).id

    def person(self, name: str) -> Person:
        """A member of the workspace, who acts and sees."""
        return Person(self.workspace.user(name), self.people)

    async def post(self, user: str, channel: str, text: str, thread_ts: str | None = None) -> str:
        """Write as a person; `channel` is a name, an id or `dm`. Returns the message's ts."""
        return self.people.writing.post(user, channel, text, thread_ts).ts

    async def alert(  # noqa: PLR0913 - all that an alert may consist of
        self,
        channel: str,
        text: str = "",
        blocks: Sequence[Json] = (),
        name: str = "Alerts",
        *,
        attachments: Sequence[Json] = (),
        webhook: bool = False,
    ) -> str:
        """Post as another app, by its bot or by a webhook. Returns the message's ts."""
        return self.people.writing.integration(
            name, channel, text, blocks, attachments, webhook=webhook
        ).ts

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """Change a person's message."""
        self.people.writing.edit(channel, ts, text)

    async def delete(self, channel: str, ts: str) -> None:
        """Take a person's message back."""
        self.people.writing.delete(channel, ts)

    async def command(
        self, user: str, channel: str, command: str, text: str = "", thread_ts: str | None = None
    ) -> Receipt:
        """Use a slash command and wait for the app's acknowledgement."""
        return await self.people.commands.run(user, channel, command, text, thread_ts)

    async def click(
        self, user: str, channel: str, ts: str, action_id: str, value: str | None = None
    ) -> Receipt:
        """Click a button and wait for the app's acknowledgement."""
        return await self.people.clicks.in_message(user, channel, ts, action_id, value)

    def join(self, channel: str, user: str) -> None:
        """Take a member, or the bot, into a channel."""
        self._postings.join(self.workspace.channel(channel), self.workspace.user(user).id)

    def leave(self, channel: str, user: str) -> None:
        """Take a member, or the bot, out of a channel."""
        self._postings.leave(self.workspace.channel(channel), self.workspace.user(user).id)

    def archive(self, channel: str) -> None:
        """Archive a channel."""
        self._postings.archive(self.workspace.channel(channel))

    async def redeliver(self, event_id: str) -> None:
        """Send a past event again under its event_id and wait for the acknowledgement."""
        await self.courier.redeliver(event_id)

    def replies(self, channel: str, ts: str) -> list[Message]:
        """All messages below a root, oldest first; `channel` is a name or an id."""
        return self.log.replies(self.workspace.channel(channel).id, ts)

    def bot_replies(self, channel: str, ts: str) -> list[Message]:
        """The bot's messages below a root, oldest first."""
        bot = self.bot_user_id
        return [message for message in self.replies(channel, ts) if message.user == bot]

    def ephemeral(self, channel: str, user: str) -> list[Message]:
        """The messages only this person sees in a channel, oldest first."""
        person = self.workspace.user(user)
        return self.log.ephemeral(self.people.places.channel(person, channel).id, person.id)

    def open_views(self, user: str) -> list[View]:
        """The modals a person sees, the one on top last."""
        return self._services.views.stack(self.workspace.user(user).id)

    def status(self, channel: str, ts: str) -> str:
        """The status the app set in a thread, empty when none."""
        return self._postings.statuses.get(self.workspace.channel(channel).id, ts)

    async def wait_until(self, condition: Callable[[], bool], limit: float = 10.0) -> None:
        """Wait until the condition holds; it is looked at again after every change.

        Raises:
            TimeoutError: it did not hold within `limit` seconds.
        """
        async with asyncio.timeout(limit):
            while not condition():
                await self._changes.after(self._changes.revision)

    async def wait_for_reply(
        self,
        channel: str,
        ts: str,
        count: int = 1,
        *,
        timeout: float = 10.0,  # noqa: ASYNC109 - part of the sentence the failure says
        until: Callable[[Message], bool] | None = None,
    ) -> list[Message]:
        """The bot's messages below a root once there are `count` (that satisfy `until`).

        Raises:
            TimeoutError: with what was there instead.
        """

        def found() -> list[Message]:
            messages = self.bot_replies(channel, ts)
            return messages if until is None else [each for each in messages if until(each)]

        try:
            await self.wait_until(lambda: len(found()) >= count, timeout)
        except TimeoutError as problem:
            seen = [message.text for message in self.bot_replies(channel, ts)]
            raise TimeoutError(
                f"{len(found())} of {count} replies below {ts} after {timeout} s; seen: {seen}"
            ) from problem
        return found()
