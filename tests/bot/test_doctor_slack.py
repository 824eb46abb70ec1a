"""What `footnote doctor` says of the workspace."""

import pytest

from bot.database import Database
from bot.doctor import examine
from bot.finding import Finding
from bot.playground import Playground
from bot.settings import Settings


async def groups(slack: Playground, database_url: str, *may_ask: str) -> list[Finding]:
    """Return what it finds about the user groups that may ask."""
    told = {
        "FOOTNOTE_DATABASE_URL": database_url,
        "slack_bot_token": slack.bot_token,
        "slack_app_token": slack.app_token,
        "slack_api_url": slack.api_url,
        "may_ask": ",".join(may_ask),
    }
    settings = Settings.model_validate(told)
    found = [each async for each in examine(settings, Database(database_url, None))]
    assert [each.state for each in found if each.name in {"slack", "socket"}] == ["ok", "ok"]
    return [each for each in found if each.name == "user group"]


async def test_groups_that_have_rights_are_looked_for(slack: Playground, database_url: str) -> None:
    """One that isn't there would leave its members without the right, and nobody would be told."""
    group = slack.workspace.add_group("oncall", [slack.user_id("Ana")])
    assert await groups(slack, database_url, "members") == []
    known, gone = sorted(
        await groups(slack, database_url, "members", group, "S0GONE"), key=lambda each: each.state
    )
    assert (known.state, "members: 1" in known.detail) == ("ok", True)
    assert (gone.state, "S0GONE" in gone.detail) == ("warning", True)
    assert "FOOTNOTE_MAY_" in gone.advice


@pytest.mark.parametrize(
    ("error", "words"), [("missing_scope", "usergroups:read"), ("internal_error", "later")]
)
async def test_a_group_that_slack_does_not_tell_of(
    slack: Playground, database_url: str, error: str, words: str
) -> None:
    """The advice is the scope that is missing, or patience."""
    slack.faults.fail("usergroups.users.list", error)
    (found,) = await groups(slack, database_url, "S0ONCALL")
    assert (found.state, words in found.advice) == ("warning", True)
    assert error in found.detail
