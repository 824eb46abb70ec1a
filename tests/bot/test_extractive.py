"""Quotations: whole, verbatim, and with the command that a sentence leads into."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from bot.citations import Sources, check
from bot.extractive import Extractive
from bot.pieces import pieces
from retrieval.documents import Passage
from retrieval.embedding import Embedder, bundled_embedder

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


def passage(text: str, number: int = 1) -> Passage:
    """Return a passage that holds a text."""
    return Passage(
        chunk_id=f"c{number}",
        document_id=f"d{number}",
        source=f"{number}.md",
        title="Node not ready",
        heading="Mitigation",
        context="",
        page=None,
        service="platform",
        doc_type="runbook",
        link=None,
        text=text,
    )


async def quoted(
    embedder: Embedder, question: str, passages: Sequence[Passage], focus: str = ""
) -> str:
    """Return what is quoted, its ids left in."""
    ids = Sources("salt").add_all(passages)
    return await Extractive(embedder).answer(question, passages, ids, focus)


@pytest.fixture
async def embedder() -> AsyncIterator[Embedder]:
    """The bundled model."""
    async with bundled_embedder() as opened:
        yield opened


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


@pytest.mark.parametrize("text", ["", "```", "```sh\nopen", "|", "- ", "# only a heading", "\n\n"])
def test_odd_texts_have_pieces_or_none(text: str) -> None:
    """No passage can break the answerer."""
    assert all(piece.text or piece.is_steps for piece in pieces(text))


async def test_an_answer_is_made_of_the_passages_words(embedder: Embedder) -> None:
    """Every quoted line stands in a passage, and every line is cited."""
    answer = await quoted(embedder, "how do I cordon a node?", [passage(RUNBOOK)])
    sources = Sources("salt")
    sources.add(passage(RUNBOOK))
    verdict = check(answer, sources)
    assert verdict.cited
    assert "kubectl cordon node-7   # nothing new lands here" in answer


async def test_a_named_row_is_quoted_without_its_neighbours(embedder: Embedder) -> None:
    """Who asks for one code of a table gets that row."""
    answer = await quoted(embedder, "what is ERR_2?", [passage(RUNBOOK)])
    assert "**ERR_2** · meaning: disk slow" in answer
    assert "ERR_1" not in answer


async def test_nothing_to_quote_is_an_empty_answer(embedder: Embedder) -> None:
    """The agent then shows the closest chunks instead."""
    assert await quoted(embedder, "anything?", [passage("## Title")]) == ""


async def test_who_asks_what_to_do_gets_the_command(embedder: Embedder) -> None:
    """The sentence that repeats the question isn't the whole answer."""
    intro = passage("Rolling back a deploy needs nobody's permission. Roll back a deploy first.")
    how = passage("## Roll back\n```sh\nkubectl rollout undo deployment/api\n```\n", 2)
    answer = await quoted(embedder, "how do I roll back a deploy?", [intro, how])
    assert "kubectl rollout undo deployment/api" in answer


async def test_a_follow_up_gets_no_command_for_something_else(embedder: Embedder) -> None:
    """A command for production is no answer to a question about staging."""
    staging = passage("Staging deploys itself every 15 minutes, so wait.")
    how = passage("## Roll back\n```sh\nkubectl --context prod rollout undo deploy/api\n```\n", 2)
    topic = "how do I roll back a deploy?\nand in staging?"
    answer = await quoted(embedder, topic, [staging, how], "and in staging?")
    assert "15 minutes" in answer
    assert "--context prod" not in answer


PAGE = """Covers **QueueTooLong**: a queue is too long.

## Impact

Mails are late when a queue is too long.

## Diagnosis

```sh
redis-cli LLEN q:emails
```

## Mitigation

**Too few consumers.** Scale them. Six is the most:

```sh
kubectl scale deploy/emails --replicas=6
```

### What not to do

Do not delete a queue that is too long.
"""


async def test_who_asks_what_to_do_gets_the_procedure(embedder: Embedder) -> None:
    """To find out and to mend it, a remedy's paragraph whole; not the page's first lines."""
    answer = await quoted(embedder, "a queue is too long, what now?", [passage(PAGE)])
    assert "redis-cli LLEN q:emails" in answer
    assert "**Too few consumers.** Scale them. Six is the most:" in answer
    assert "kubectl scale deploy/emails --replicas=6" in answer
    assert "Covers" not in answer


async def test_who_asks_whether_one_may_gets_the_warning(embedder: Embedder) -> None:
    """The section on what not to do answers it."""
    answer = await quoted(embedder, "can I delete a queue?", [passage(PAGE)])
    assert "Do not delete a queue that is too long." in answer


async def test_commands_come_from_one_page(embedder: Embedder) -> None:
    """A command of a neighbouring page is none for this matter."""
    other = passage("## Mitigation\n\nThe shop is too slow:\n\n```sh\nHSET flags slow 1\n```\n", 2)
    answer = await quoted(embedder, "a queue is too long, what now?", [passage(PAGE), other])
    assert "kubectl scale" in answer
    assert "HSET" not in answer


def test_a_row_knows_its_columns_on_every_chunk_of_a_table() -> None:
    """The header that a chunk goes on with stands in its context."""
    context = "Codes › Table\n| code | meaning |"
    (row,) = pieces("| ERR_9 | disk gone |", context)
    assert row.text == "**ERR_9** · meaning: disk gone"
    assert row.columns == (("code", "ERR_9"), ("meaning", "disk gone"))
    assert row.path == ("Codes", "Table")


FAILOVER = """## When the primary is down

Only the captain may choose a replica that is behind.

1. Do nothing for 60 seconds. Patroni is faster than you are.
2. Wait.
3. No leader after two minutes, so the primary is down for good: call Stores.

   ```bash
   patronictl failover spoke --force
   ```
"""


async def test_a_step_comes_with_the_steps_before_it(embedder: Embedder) -> None:
    """In order, numbered as on the page, with the warning above them; also a step of few words."""
    answer = await quoted(embedder, "the primary is down for good", [passage(FAILOVER)])
    said = [line.rpartition(" [")[0] for line in answer.split("\n") if line.endswith("]")]
    assert said == [
        "- Only the captain may choose a replica that is behind.",
        "1. Do nothing for 60 seconds. Patroni is faster than you are.",
        "2. Wait.",
        "3. No leader after two minutes, so the primary is down for good: call Stores.",
    ]
    assert "patronictl failover spoke --force" in answer


async def test_a_procedure_goes_on_over_its_chunks(embedder: Embedder) -> None:
    """The first steps are those of the page's earlier passage."""
    first, last = FAILOVER.split("3. ")
    both = [
        passage(first),
        replace(passage(f"## When the primary is down\n\n3. {last}"), chunk_id="c2"),
    ]
    answer = await quoted(embedder, "the primary is down for good", both)
    assert answer.index("1. Do nothing") < answer.index("2. Wait.") < answer.index("3. No leader")


async def test_of_a_procedure_too_long_the_first_steps_are_quoted(embedder: Embedder) -> None:
    """Never a later step without the first."""
    steps = [f"{each}. Look at part {each}: {'it hums ' * 30}\n" for each in range(1, 20)]
    last = "20. The boiler explodes: leave.\n    ```\n    exit\n    ```\n"
    text = f"## Mitigation\n\n{''.join(steps)}{last}"
    answer = await quoted(embedder, "the boiler explodes", [passage(text)])
    assert "1. Look at part 1:" in answer
    assert "20. The boiler" not in answer
    assert "exit" not in answer


async def test_a_step_is_quoted_whole_and_in_its_order(embedder: Embedder) -> None:
    """With what stands below its commands, which is where a page says what to beware of."""
    answer = await quoted(embedder, "find the entry", [passage(LOOPED)])
    parts = (
        "1. Find the entry:",
        "LRANGE busy",
        "   - Take it out by hand.",
        "LREM busy",
        "   - Never take out two. Write its number down.",
    )
    places = [answer.index(each) for each in parts]
    assert places == sorted(places)


async def test_a_warning_right_below_a_command_comes_with_it(embedder: Embedder) -> None:
    """Other prose there does not."""
    command = "Drain the tank:\n\n```\ndrain\n```\n"
    page = f"## Mitigation\n\n{command}\nIt hums all day.\n\nIt must be said twice.\n"
    answer = await quoted(embedder, "drain the tank", [passage(page)])
    assert "It must be said twice." in answer
    assert "It hums all day." not in answer


async def test_what_to_do_is_quoted_by_the_paragraph(embedder: Embedder) -> None:
    """What to do about it stands behind the sentence that has the words; a fact needs no more."""
    page = "## Full disk\n\nAt 90 % the alarm rings. Wait. Then empty the bin; it holds 20 days.\n"
    whole = "- At 90 % the alarm rings. Wait. Then empty the bin; it holds 20 days. ["
    assert (await quoted(embedder, "the alarm rings", [passage(page)])).startswith(whole)
    fact = await quoted(embedder, "how many days does the bin hold?", [passage(page)])
    assert fact.startswith("- Wait. Then empty the bin; it holds 20 days. [")


async def test_a_fact_in_a_step_needs_no_other(embedder: Embedder) -> None:
    """Who asks how long is told that, not what to do."""
    first = "1. Stop the writers.\n   ```\n   stop\n   ```\n"
    text = f"## Restore\n\n{first}2. A rebuild takes 35 minutes.\n"
    answer = await quoted(embedder, "how long does a rebuild take?", [passage(text)])
    assert "35 minutes" in answer
    assert "Stop the writers" not in answer


@pytest.mark.parametrize(
    ("command", "marked"),
    [
        ("sudo find /var/log -mtime +7 -delete", True),
        ("sudo lvextend -L +200G /dev/vg0/pgdata", True),
        ("SELECT pg_drop_replication_slot('export');", True),
        ("sudo find /var/log -mtime +7", False),
        ("kubectl get pods", False),
    ],
)
async def test_a_quoted_command_that_destroys_is_marked(
    embedder: Embedder, command: str, *, marked: bool
) -> None:
    """Being in a runbook makes no command harmless."""
    page = passage(f"## Mitigation\n\nThe disk is full:\n\n```\n{command}\n```\n")
    answer = await quoted(embedder, "the disk is full", [page])
    sources = Sources("salt")
    sources.add(page)
    shown = check(answer, sources).answer
    assert command in shown
    assert ("⚠ destructive" in shown) is marked
