"""How far a long command is, told where nobody watches."""

import pytest

from bot.cli.bar import bar


def test_without_a_terminal_few_lines_tell_how_far_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """However large the steps are, each hundred is told at most once, and the end is."""
    with bar("documents", told_each=100) as advance:
        for done in (40, 80, 120, 160, 300, 310, 330):
            advance(done, 330)
    told = capsys.readouterr().err.splitlines()
    assert told == ["120 of 330 documents", "300 of 330 documents", "330 of 330 documents"]
