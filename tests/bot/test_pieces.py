"""What a passage is cut into: pieces that can be quoted, in the order of the page."""

import pytest

from bot.pieces import pieces

RUNBOOK = """## Mitigation

Drain the node first. It takes about two minutes, e.g. for 30 pods.

1. Cordon it:
   ```sh
   kubectl cordon node-7   # nothing new lands here
   ```
2. Restart the kubelet.

| code | meaning |
|------|---------|
| ERR_1 | disk full |
| ERR_2 | disk slow |
"""


def test_pieces_are_sentences_items_rows_and_code() -> None:
    """A code block belongs to the item before it; a row carries the names of its columns."""
    found = pieces(RUNBOOK)
    assert [piece.text for piece in found] == [
        "Drain the node first.",
        "It takes about two minutes, e.g. for 30 pods.",
        "Cordon it:",
        "Restart the kubelet.",
        "**ERR_1** · meaning: disk full",
        "**ERR_2** · meaning: disk slow",
    ]
    assert found[2].block == "```sh\nkubectl cordon node-7   # nothing new lands here\n```"
    assert {piece.heading for piece in found} == {"Mitigation"}


def test_steps_belong_to_the_line_that_leads_into_them() -> None:
    """A numbered list, and one behind a colon, is quoted whole, in its order."""
    text = "## Fail over\n1. Stop the writer.\n2. Promote\n   the standby.\n\nTell:\n- Ana\n- Ben\n"
    first, second = pieces(text)
    assert (first.text, first.steps) == ("", ("1. Stop the writer.", "2. Promote the standby."))
    assert (second.text, second.steps) == ("Tell:", ("- Ana", "- Ben"))


LOOPED = """## Mitigation

1. Find the entry:

   ```
   LRANGE busy 0 -1
   ```

   Take it out by hand.

   ```
   LREM busy 1 entry
   ```

   Never take out two. Write its number down.
2. Tell the seller.

A row must stay in the ticket. The lamp is green.
"""


def test_what_stands_below_code_in_an_item_comes_below_it() -> None:
    """Each block goes with the words before it, and what comes last leads into nothing."""
    found = [
        (each.text, each.block.count("\n"), each.number, each.goes_on) for each in pieces(LOOPED)
    ]
    assert found == [
        ("Find the entry:", 2, 1, False),
        ("Take it out by hand.", 2, 1, True),
        ("Never take out two. Write its number down.", 0, 1, True),
        ("Tell the seller.", 0, 2, False),
        ("A row must stay in the ticket.", 0, 0, False),
        ("The lamp is green.", 0, 0, True),
    ]


def test_code_that_stands_apart_from_a_list_is_not_of_its_last_item() -> None:
    """Many lists have their code beside them; a blank line and no indentation set it apart."""
    text = "Look at these:\n\n- an old order\n- a lost order\n\n```\nlist\n```\n"
    first, second = pieces(text)
    assert (first.text, first.steps) == ("Look at these:", ("- an old order", "- a lost order"))
    assert (second.text, second.block) == ("", "```\nlist\n```")
    beside = pieces("1. Look.\n2. List them:\n\n```\nlist\n```\n\n3. Leave.\n")
    assert [each.block for each in beside] == ["", "```\nlist\n```", ""]


def test_code_does_not_reach_over_a_heading() -> None:
    """A block under another heading isn't the command of the sentence before that heading."""
    found = pieces("Nobody.\n\n## Which deploys\n```\nlist\n```\n")
    assert [(piece.text, piece.heading) for piece in found] == [("", "Which deploys")]


def test_code_that_only_shows_an_example_is_nothing_to_type() -> None:
    """What an alert or its output looks like; a command after such words is one all the same."""
    alert = "The message has the node:\n\n```\n - alertname = NodeDown\n - node = n1\n```\n"
    output = "The output is similar to:\n\n```\nSystem clock wrong by 16 seconds\n```\n"
    command = "Run the following example:\n\n```\nkubectl get nodes\n```\n"
    found = pieces(f"{alert}\n{output}\n{command}")
    assert [each.is_steps for each in found] == [False, False, True]
    assert all(each.block for each in found)


def test_what_shows_nowhere_is_no_piece() -> None:
    """Definitions of links, and pictures; a sentence with a picture in it stays as it is."""
    picture = "![a graph of the load](img/load.png)"
    hidden = f"{picture}\n\n[docs]: https://docs.example/a\n[1]: https://docs.example/b\n"
    assert pieces(hidden) == []
    assert [each.text for each in pieces(f"See {picture} for the load.\n\n{hidden}")] == [
        f"See {picture} for the load."
    ]


@pytest.mark.parametrize("text", ["", "```", "```sh\nopen", "|", "- ", "# only a heading", "\n\n"])
def test_odd_texts_have_pieces_or_none(text: str) -> None:
    """No passage can break the answerer."""
    assert all(piece.text or piece.is_steps for piece in pieces(text))


def test_a_row_knows_its_columns_on_every_chunk_of_a_table() -> None:
    """The header that a chunk goes on with stands in its context."""
    context = "Codes › Table\n| code | meaning |"
    (row,) = pieces("| ERR_9 | disk gone |", context)
    assert row.text == "**ERR_9** · meaning: disk gone"
    assert row.columns == (("code", "ERR_9"), ("meaning", "disk gone"))
    assert row.path == ("Codes", "Table")


def test_a_tab_within_code_is_no_indentation() -> None:
    """A fence stands further in than a line that begins with a tab: the tab stays."""
    (found,) = pieces("Write the file like this:\n\n   ```\n  \tmake all\n\techo\n   ```")
    assert found.block == "```\n\tmake all\n\techo\n```"
