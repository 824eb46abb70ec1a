"""Who may do what: the rules, and who somebody is as Slack tells it."""

import itertools
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.asking import Asking
from bot.errors import BadSetting
from bot.people import People, Person
from bot.playground import Playground
from bot.policy import DEFAULTS, Right, Rules, refusal
from bot.settings import Settings, load_settings

RIGHTS: tuple[Right, ...] = ("ask", "ingest", "settings", "delete")
MEMBER = Person("U0MEMBER")
ADMIN = Person("U0ADMIN", admin=True)
GUEST = Person("U0GUEST", guest=True)
STRANGER = Person("U0STRANGE", stranger=True)
OUTSIDERS = (GUEST, STRANGER)
NOBODY = (Person("U0GONE", deactivated=True), Person("U0WHO", unknown=True))


@pytest.fixture
async def client(slack: Playground) -> AsyncIterator[AsyncWebClient]:
    """The SDK's client with the bot's token, without retries."""
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(slack.bot_token, slack.api_url, session=session, retry_handlers=[])


def test_by_default_members_do_everything_but_delete_what_others_brought() -> None:
    """Everybody of the workspace may ask, ingest and set; deleting is for owners and admins."""
    for right in RIGHTS:
        assert refusal(ADMIN, right, DEFAULTS) is None
        assert (refusal(MEMBER, right, DEFAULTS) is None) == (right != "delete")
    assert refusal(MEMBER, "delete", DEFAULTS, owner=MEMBER.id) is None
    assert refusal(MEMBER, "delete", DEFAULTS, owner=ADMIN.id) is not None


@pytest.mark.parametrize("person", [*OUTSIDERS, *NOBODY], ids=lambda person: person.id)
def test_outsiders_may_do_nothing_unless_told_otherwise(person: Person) -> None:
    """Guests, strangers, the deactivated and the unknown get one sentence, owners or not."""
    for right in RIGHTS:
        said = refusal(person, right, DEFAULTS, owner=person.id)
        assert said is not None
        assert said.endswith(".")


def test_a_right_can_be_given_to_outsiders_and_to_single_people() -> None:
    """Groups and user ids in a rule are all that counts; nothing else comes with them."""
    rules = Rules(ask=frozenset({"members", "guests"}), ingest=frozenset({MEMBER.id, "admins"}))
    assert refusal(GUEST, "ask", rules) is None
    assert refusal(STRANGER, "ask", rules) is not None
    assert refusal(MEMBER, "ingest", rules) is None
    assert refusal(Person("U0OTHER"), "ingest", rules) is not None
    assert refusal(Person("U0OTHER", admin=True), "ingest", rules) is None


def test_nobody_unknown_is_let_in_by_any_rule() -> None:
    """When Slack doesn't say who somebody is, every right is refused, whatever the rules."""
    everyone = frozenset({"members", "admins", "guests", "strangers", *(p.id for p in NOBODY)})
    rules = Rules(everyone, everyone, everyone, everyone)
    for person, right in itertools.product(NOBODY, RIGHTS):
        assert refusal(person, right, rules) is not None


def test_rules_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who may do what is set as a list between commas; a misspelt group is refused at the start."""
    assert Settings.model_validate({}).rules == DEFAULTS
    monkeypatch.setenv("FOOTNOTE_MAY_INGEST", "admins, U0123456,S0123456")
    assert load_settings().rules.ingest == {"admins", "U0123456", "S0123456"}
    monkeypatch.setenv("FOOTNOTE_MAY_INGEST", "Admins")
    with pytest.raises(BadSetting, match="FOOTNOTE_MAY_INGEST"):
        load_settings()


async def test_people_are_who_slack_says(slack: Playground, client: AsyncWebClient) -> None:
    """Name, zone, and what rights depend on, for members, guests, strangers and leavers."""
    admin = slack.workspace.add_user("Ada", admin=True)
    guest = slack.workspace.add_user("Gail", guest=True)
    stranger = slack.workspace.add_user("Sam", team="T0OTHER000")
    gone = slack.workspace.deactivate(slack.workspace.add_user("Lea").id)
    people = People(client, slack.team_id)
    ana = await people.person(slack.user_id("Ana"))
    assert ana == Person(slack.user_id("Ana"), "Ana", "Etc/UTC")
    assert (await people.person(admin.id)).admin
    assert (await people.person(guest.id)).guest
    assert (await people.person(stranger.id)).stranger
    assert (await people.person(gone.id)).deactivated
    assert (await people.person("U0NOBODY")).unknown


async def test_a_right_of_a_user_group(slack: Playground, client: AsyncWebClient) -> None:
    """Who is in it has the right, guests too, for ten minutes; a group that is gone is empty."""
    ana, ben = slack.user_id("Ana"), slack.user_id("Ben")
    group = slack.workspace.add_group("oncall", [ana])
    rules = Rules(ingest=frozenset({group, "S0GONE"}))
    assert rules.user_groups == {group, "S0GONE"}
    now = 0.0
    people = People(client, slack.team_id, lambda: now, groups=rules.user_groups)
    assert refusal(await people.person(ana), "ingest", rules) is None
    said = refusal(await people.person(ben), "ingest", rules)
    assert said == "Only the people named in my settings can add documents: ask one of them."
    assert refusal(await people.person(ana), "settings", rules) is None
    slack.workspace.groups[group] = [slack.workspace.add_user("Gail", guest=True).id]
    now = 601.0
    assert refusal(await people.person(ana), "ingest", rules) is not None
    assert refusal(await people.person(slack.user_id("Gail")), "ingest", rules) is None


async def test_a_group_that_slack_does_not_tell_of(
    slack: Playground, client: AsyncWebClient
) -> None:
    """Whoever might be in it is unknown for the moment, and isn't told to ask somebody else."""
    ana = slack.user_id("Ana")
    group = slack.workspace.add_group("oncall", [ana])
    people = People(client, slack.team_id, groups=frozenset({group}))
    slack.faults.fail("usergroups.users.list", "internal_error")
    assert (await people.person(ana)).unknown
    assert (await people.person(ana)).groups == {group}


async def test_outsiders_stay_out_while_slack_tells_of_no_group(
    slack: Playground, client: AsyncWebClient
) -> None:
    """Members may ask all the same; a guest, a stranger and whoever has left only by a rule."""
    guest = slack.workspace.add_user("Gail", guest=True).id
    stranger = slack.workspace.add_user("Sam", team="T0OTHER000").id
    gone = slack.workspace.deactivate(slack.workspace.add_user("Lea").id).id
    people = People(client, slack.team_id, groups=frozenset({"S0ONCALL"}))
    slack.faults.fail("usergroups.users.list", "internal_error", times=100)
    asking = Asking(people.person, DEFAULTS)
    assert await asking.refusal(slack.user_id("Ana")) is None
    said = [await asking.refusal(user) for user in (guest, stranger, gone)]
    assert ["Guests" in str(said[0]), "other workspaces" in str(said[1])] == [True, True]
    assert "deactivated" in str(said[2])
    assert await Asking(people.person, Rules(ask=frozenset({"guests"}))).refusal(guest) is None
    assert refusal(await people.person(slack.user_id("Ana")), "ingest", DEFAULTS) is not None


async def test_people_are_kept_for_ten_minutes(slack: Playground, client: AsyncWebClient) -> None:
    """A click costs no call each time; a failure isn't kept, and changes are seen in the end."""
    now = 0.0
    people = People(client, slack.team_id, lambda: now)
    ana = slack.user_id("Ana")
    slack.faults.fail("users.info")
    assert (await people.person(ana)).unknown
    assert not (await people.person(ana)).unknown
    slack.workspace.deactivate(ana)
    assert not (await people.person(ana)).deactivated
    now = 601.0
    assert (await people.person(ana)).deactivated
