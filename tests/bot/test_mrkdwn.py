"""Nothing that a document says can ping anyone or break a message; commands stay exact."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.mrkdwn import cut, cut_lines, escape, excerpt, link, markdown, one_line

PINGS = ["<!channel>", "<!here>", "<@U123>", "<!subteam^S1|x>"]


@pytest.mark.parametrize("ping", PINGS)
def test_pings_are_escaped(ping: str) -> None:
    """Outside code nothing is left that Slack would expand."""
    for shown in (escape(ping), one_line(f"a\n{ping}"), markdown(f"a {ping} b")):
        assert "<" not in shown


def test_code_is_exact() -> None:
    """A command pastes as it was written, in a block and in a line."""
    text = "Run `a && b <x>` & then\n```sh\ncat <in >out && x\n```\n> a <quote>"
    assert markdown(text) == (
        "Run `a && b <x>` &amp; then\n```sh\ncat <in >out && x\n```\n> a &lt;quote&gt;"
    )


@pytest.mark.parametrize(
    "text",
    [
        "```cmd``` and <!channel>",
        "``<!channel>`",
        r"\`<!channel>\`",
        "```\n<!channel>\n```",
        "`<@U123>` and `<!subteam^S1>`",
        "~~~\n<!here>\n    ~~~\n<!everyone>",
    ],
)
def test_nothing_that_may_be_taken_for_code_pings(text: str) -> None:
    """Renderers differ in what is code; what calls people is escaped in each of them."""
    assert not re.search(r"<[!@#]", markdown(text))


def test_long_answers_are_cut_after_escaping() -> None:
    """An ampersand takes five characters: the limit is on what Slack gets."""
    shown = cut_lines(markdown("a & b\n" * 4_000), 11_000)
    assert len(shown) <= 11_000
    assert "the rest is in the sources" in shown
    code = cut_lines(markdown("x\n```sh\n" + "echo <x>\n" * 4_000 + "```"), 11_000)
    assert len(code) <= 11_000
    assert code.count("```") == 2


def test_an_open_fence_ends_with_the_text() -> None:
    """Everything after a fence that is never closed counts as code."""
    assert markdown("```\n<a>") == "```\n<a>"


@given(st.text(max_size=300), st.integers(min_value=5, max_value=100))
def test_cut_keeps_its_limit(text: str, most: int) -> None:
    """No text is longer than asked, and a short one stays whole."""
    assert len(cut(text, most)) <= most
    assert len(text) > most or cut(text, most) == text


@given(st.text(max_size=400))
def test_names_stay_on_one_line(text: str) -> None:
    """A title can't add lines, formatting or markup to a message."""
    shown = one_line(text)
    assert "\n" not in shown
    assert not set("<>*`~|") & set(shown)


def test_identifiers_keep_their_underscores() -> None:
    """ERR_5032 must stay ERR_5032."""
    assert one_line("ERR_5032 *and* more") == "ERR_5032 and more"
    assert excerpt("| ERR_5032 | refund |", "", 90) == "ERR_5032 · refund"


def test_excerpts_tell_the_rows_of_a_table_apart() -> None:
    """Names of columns, then row by row; the row that is quoted comes first."""
    table = "| code | retry |\n|---|---|\n| E_1 | no |\n| E_2 | yes |\n"
    assert excerpt(table, "", 90) == "code · retry: E_1 · no; E_2 · yes"
    assert excerpt(table, "E_2 · yes", 90) == "…E_2 · yes"
    assert excerpt(table, "**E_2** · retry: yes", 90) == "…E_2 · yes"


def test_excerpts_hold_no_altered_command() -> None:
    """Code spans are exact and whole, or absent; of code blocks only an ellipsis is left."""
    text = "# Clean up\nRun `rm *.log.*` **now**.\n```sh\nrm -rf *.tmp\n```\nThen `a | b`."
    assert excerpt(text, "", 200) == "Clean up: Run `rm *.log.*` now. … Then `a | b`."
    assert excerpt(text, "", 24) == "Clean up: Run…"


def test_excerpts_show_what_is_quoted() -> None:
    """A quotation from the end of a long passage is in the excerpt."""
    text = "filler words " * 100 + "Restart the pump now."
    shown = excerpt(text, "Restart the pump now.", 120)
    assert shown.startswith("…")
    assert shown.endswith("Restart the pump now.")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://wiki.example/a b?x=1&y=<z>", "<https://wiki.example/a%20b?x=1&amp;y=%3Cz%3E|t>"),
        ("https://wiki.example/a|b", "<https://wiki.example/a%7Cb|t>"),
        ("javascript:alert(1)", "t"),
        ("", "t"),
        (None, "t"),
    ],
)
def test_links_are_web_addresses_or_nothing(address: str | None, shown: str) -> None:
    """An address can't end its link early, and only http and https are linked."""
    assert link(address, "t") == shown
