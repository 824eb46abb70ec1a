"""`footnote memory`: the same as `/memory`, for whoever runs the bot."""

import pytest

from tests.bot.test_cli import Ended, footnote


@pytest.mark.timeout(300)  # eight starts of the program, on a machine that may be busy
def test_what_is_remembered_of_a_person(database_url: str) -> None:
    """Added, listed, exported, forgotten, turned off; a mistake gets one sentence."""

    def memory(*arguments: str) -> Ended:
        return footnote("memory", *arguments, FOOTNOTE_DATABASE_URL=database_url)

    of = ("--user", "UANA")
    assert "name the workspace with --team" in memory("list", *of).sentence()
    added = memory("add", "I run the ledger.", *of, "--team", "T1", "--json")
    assert added.json() == {"number": 1, "known": False}
    assert "secrets" in memory("add", "my password is hunter2", *of).sentence()
    assert memory("list", *of).out == "1  fact  I run the ledger\n"
    assert memory("off", *of, "--json").json() == {"enabled": False}
    exported = memory("export", *of).json()
    assert (exported["team"], exported["user"], exported["enabled"]) == ("T1", "UANA", False)
    assert [each["content"] for each in exported["memories"]] == ["I run the ledger"]
    assert memory("forget", "1", *of, "--json").json() == {"forgotten": 1}
