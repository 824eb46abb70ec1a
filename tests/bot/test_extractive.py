"""Quotations: whole, verbatim, and with the command that a sentence leads into."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from bot.citations import Sources, check
from bot.extractive import Extractive
from retrieval.documents import Passage
from retrieval.embedding import Embedder, bundled_embedder
from tests.bot.test_pieces import LOOPED, RUNBOOK


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


async def test_a_chunk_goes_on_under_the_heading_of_the_one_before(embedder: Embedder) -> None:
    """Short sections share a chunk's name; code over its border keeps what leads into it."""
    first = "## Restart it\n\nAfter an upgrade.\n\n## Find the source\n\nAsk who sends most:\n"
    page = replace(passage(first), context="Node not ready › Restart it")
    rest = replace(page, chunk_id="c2", text="```\naudit --by user\n```\n")
    answer = await quoted(embedder, "who sends most requests, how do I audit?", [page, rest])
    assert "- Find the source:" in answer
    assert "Restart it:" not in answer
    assert answer.index("- Ask who sends most:") < answer.index("audit --by user")


DRAIN = """## Mitigation

Take the node out of service:

```
drain n1
```

Free its disk:

```
prune n1
```

### Before you drain

Look where the queue is:

```
whereis queue
```

### What not to do

Never drain two nodes at once.
"""


async def test_what_comes_first_is_quoted_first(embedder: Embedder) -> None:
    """Wherever the page has it, with what is not to be done, and without what is less about it."""
    answer = await quoted(embedder, "how do I drain a node?", [passage(DRAIN)])
    assert answer.index("whereis queue") < answer.index("drain n1")
    assert "Never drain two nodes at once." in answer
    other = await quoted(embedder, "how do I free the disk?", [passage(DRAIN)])
    assert "whereis queue" not in other


async def test_who_asks_what_it_is_gets_the_sentence_that_says_so(embedder: Embedder) -> None:
    """Rather than those that only have its name."""
    text = (
        "## Ways to pay\n\nKassa takes cards. Kassa costs more. Ringpay is fast; Kassa is slow.\n"
    )
    answer = await quoted(embedder, "what is Kassa?", [passage(text)])
    assert "Kassa is slow." in answer


@pytest.mark.parametrize("question", ["what is E42?", "a worker died with E42 last night"])
async def test_a_sentence_about_another_code_is_left_out(embedder: Embedder, question: str) -> None:
    """Where there is one about the code that is asked for; else nothing tells them apart."""
    text = "The bridge says WRB-31 when it is full. E42 means that a worker was told to stop.\n"
    answer = await quoted(embedder, question, [passage(text)])
    assert "E42 means" in answer
    assert "WRB-31" not in answer


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
