"""Nothing crosses an audience on its way to a screen: lists, modals, gaps, the Home tab.

Random documents and turns of two teams in public and private channels and direct messages. Each
surface is made by what the listeners call, for a person in a place, and read as Slack shows it.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bot import answers, sessions, sharing
from bot import why as whys
from bot.events import session_id
from bot.intake import Intake
from bot.jobs import Pool, Queue
from bot.knowledge.listing import Spot
from bot.listeners.command import Command
from bot.listeners.documents import GONE, remove
from bot.listeners.gaps import gaps_for
from bot.listeners.home import publish
from bot.listeners.parts import Parts
from bot.listeners.shelf import documents
from bot.outcome import Citation, Outcome, Searched
from bot.people import People
from bot.places import Places
from bot.playground import Playground
from bot.replies.chunk import chunk_view
from bot.replies.why import why_view
from bot.sessions import Post
from bot.settings import Settings
from bot.slack import identify, open_client
from bot.steps import Step
from retrieval.documents import Passage
from retrieval.store import Store
from schema.database import open_pool
from schema.engines import engine_named
from tests.bot.test_audience_properties import url as url  # noqa: PLC0414  # a fixture
from tests.retrieval.corpora import prepared, put

PEOPLE = ("Ana", "Ben")
QUESTIONS = ("aardvark", "badger", "civet", "dingo", "ermine", "ferret", "gopher", "hedgehog")
PLACES = ("public", "red", "blue", "dm-Ana", "dm-Ben")
SEEN = {"Ana": ("public", "public", "red", "dm-Ana"), "Ben": ("public", "public", "blue", "dm-Ben")}
"""Where each of them is, mostly where both are: red is Ana's private channel, blue is Ben's."""


@dataclass(frozen=True)
class Doc:
    """Where a document is seen; `ours`: whether it is our team's, or (None) everybody's."""

    ours: bool | None
    place: str | None

    def seen_in(self, place: str) -> bool:
        """Tell whether it may be seen in a place of our team."""
        return self.ours is not False and self.place in {None, place}


@dataclass(frozen=True)
class Asked:
    """Somebody's question in a place; `quiet`: for nobody else. `found`: it was answered."""

    place: str
    who: str
    quiet: bool
    found: bool
    ours: bool

    def seen_by(self, who: str, place: str) -> bool:
        """Tell whether a person may open it in a place."""
        return self.ours and self.place == place and (not self.quiet or self.who == who)

    def is_gap(self, place: str | None) -> bool:
        """Tell whether it is a gap that is shown in a place, or (None) to every member."""
        return self.ours and not self.quiet and not self.found and self.place in {"public", place}


docs = st.builds(Doc, st.sampled_from([True, False, None]), st.sampled_from([None, *PLACES]))
turns = st.sampled_from(PEOPLE).flatmap(
    lambda who: st.builds(
        Asked,
        st.sampled_from(SEEN[who]),
        st.just(who),
        st.booleans(),
        st.booleans(),
        st.sampled_from([True, True, False]),
    )
)
viewers = st.sampled_from([(who, place) for who in PEOPLE for place in SEEN[who]])


@dataclass(frozen=True)
class World:
    """The stand-in, what a listener works with, and the ids of the places."""

    slack: Playground
    parts: Parts
    pool: Pool
    channels: dict[str, str]

    def team(self, *, ours: bool | None) -> str | None:
        """Return a team's id; None is every team."""
        return None if ours is None else self.slack.team_id if ours else "T0OTHER000"


@asynccontextmanager
async def opened(url: str) -> AsyncGenerator[World]:
    """Open an empty database and a workspace with the places in it."""
    async with Playground() as slack, open_pool(url, engine="sql", max_size=4) as pool:
        async with pool.connection() as connection:
            await connection.execute("TRUNCATE document, posting, term, session, inbox CASCADE")
        channels = {"public": slack.channel_id("payments-oncall")}
        for name, who in [("red", "Ana"), ("blue", "Ben")]:
            channels[name] = slack.workspace.add_channel(
                name, [slack.user_id(who)], private=True
            ).id
        channels |= {f"dm-{who}": slack.dm(who) for who in PEOPLE}
        chosen = Settings.model_construct(
            slack_bot_token=SecretStr(slack.bot_token), slack_api_url=slack.api_url
        )
        async with open_client(chosen) as client:
            identity = await identify(client)
            queue = Queue(pool)
            await queue.open()
            parts = Parts(
                pool=pool,
                queue=queue,
                client=client,
                identity=identity,
                intake=Intake(pool, queue, identity.bot_user),
                settings=chosen,
                people=People(client, identity.team),
                places=Places(client),
            )
            yield World(slack, parts, pool, channels)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(docs, min_size=1, max_size=9),
    st.lists(turns, min_size=1, max_size=len(QUESTIONS)),
    viewers,
)
def test_no_surface_crosses_an_audience(
    url: str, found: list[Doc], asked: list[Asked], viewer: tuple[str, str]
) -> None:
    """Each surface shows all that its reader may see where they look, and nothing else."""
    asyncio.run(_holds(url, found, asked, *viewer))


async def _holds(url: str, found: list[Doc], asked: list[Asked], who: str, place: str) -> None:
    async with opened(url) as world:
        ids = await _write(world, found)
        for number, each in enumerate(asked):
            await _ask(world, number, each, ids)
        names = dict(_named(found))
        here = {name for name, doc in names.items() if doc.seen_in(place)}
        user, channel = world.slack.user_id(who), world.channels[place]
        said = await documents(
            world.parts, Command(world.slack.team_id, channel, user, "", "documents", "")
        )
        assert _of(names, str(said.blocks)) == here
        await _clicks(world, asked, names, (who, place), here)
        await _lists(world, asked, names, who, place)
        for name, document in ids.items():
            async with world.pool.connection() as connection, connection.transaction():
                told = await remove(
                    world.parts, connection, world.slack.team_id, channel, user, document
                )
            assert (told != GONE) == (name in here)
        assert Spot.of("forged") == Spot()


async def _clicks(
    world: World,
    asked: list[Asked],
    names: dict[str, Doc],
    viewer: tuple[str, str],
    here: set[str],
) -> None:
    """What the buttons of any turn open, forged ones too: Show, Why, Share."""
    who, place = viewer
    team, channel = world.slack.team_id, world.channels[place]
    async with world.pool.connection() as connection:
        for number, each in enumerate(asked):
            turn = await _turn_of(world, number)
            answer = await answers.seen(connection, turn, team, channel, world.slack.user_id(who))
            assert (answer is not None) == each.seen_by(who, place)
            if answer is None:
                continue
            why = why_view(await whys.read(connection, answer))
            assert _of(names, str(why["blocks"])) <= here
            cited = answer.cited(1)
            assert (cited is not None) == each.found
            if cited is not None:
                assert f"of turn {number}!" in str(chunk_view(1, cited))
            shown = {passage.title for passage in answer.read().passages}
            assert await sharing.citable(connection, answer) == (shown <= here)


async def _lists(
    world: World, asked: list[Asked], names: dict[str, Doc], who: str, place: str
) -> None:
    """The gaps where somebody is, and their Home tab."""
    user = world.slack.user_id(who)
    questions = dict(zip(QUESTIONS, asked, strict=False))
    gaps = str(await gaps_for(world.parts, user, world.channels[place]))
    assert {name for name in questions if name in gaps} == {
        name for name, each in questions.items() if each.is_gap(place)
    }
    await publish(world.parts, user, world.channels[f"dm-{who}"])
    home = world.slack.person(who).home
    assert home is not None
    assert {name for name in questions if name in str(home.blocks)} == {
        name for name, each in questions.items() if each.is_gap(None)
    }
    theirs = {name for name, doc in names.items() if any(map(doc.seen_in, SEEN[who]))}
    assert _of(names, str(home.blocks)) == theirs


def _named(found: list[Doc]) -> Iterator[tuple[str, Doc]]:
    for number, doc in enumerate(found):
        yield f"doc{number}end", doc


def _of(names: dict[str, Doc], text: str) -> set[str]:
    return {name for name in names if name in text}


async def _write(world: World, found: list[Doc]) -> dict[str, str]:
    """Store the documents; returns their ids by name."""
    store = Store(world.pool, engine_named("sql"))
    ids: dict[str, str] = {}
    for name, doc in _named(found):
        audience = world.channels[doc.place] if doc.place else None
        made = prepared(name, ["alarm"], team=world.team(ours=doc.ours), audience=audience)
        await put(store, made)
        ids[name] = made.id
    return ids


async def _turn_of(world: World, number: int) -> str:
    async with world.pool.connection() as connection:
        cursor = await connection.execute("SELECT id FROM turn WHERE ts = %s", [f"{number + 1}.0"])
        (turn,) = await cursor.fetchone() or ("",)
    return str(turn)


async def _ask(world: World, number: int, asked: Asked, ids: dict[str, str]) -> None:
    """Store a turn whose search has found every document there is, as if all had been seen once."""
    team, channel = str(world.team(ours=asked.ours)), world.channels[asked.place]
    post = Post(
        session=session_id(team, channel, f"{number + 1}.0"),
        team=team,
        channel=channel,
        ts=f"{number + 1}.0",
        root_ts=f"{number + 1}.0",
        author=world.slack.user_id(asked.who),
        question=QUESTIONS[number],
        only_for=world.slack.user_id(asked.who) if asked.quiet else None,
    )
    passages = tuple(
        Passage(f"{name}-0000", document, name, name, "", "", None, "s", "t", None, "alarm")
        for name, document in ids.items()
    )
    cited = Passage(
        "c",
        next(iter(ids.values())),
        "s",
        f"of turn {number}!",
        "",
        "",
        None,
        "s",
        "t",
        None,
        "alarm",
    )
    outcome = Outcome(
        "cited" if asked.found else "no_match",
        passages=passages,
        searched=(Searched("alarm"),),
        answer="It rings [1]." if asked.found else "",
        citations=(Citation(1, cited),) if asked.found else (),
    )
    data = {
        "by": "question",
        "query": "alarm",
        "services": [],
        "doc_types": [],
        "passages": len(ids),
        "candidates": [{"chunk_id": each.chunk_id} for each in passages],
    }
    async with world.pool.connection() as connection:
        turn = await sessions.begin(connection, post)
        assert turn is not None
        async with connection.transaction():
            assert await sessions.commit(
                connection, post, turn, outcome, [Step("search", 1.0, data)]
            )
