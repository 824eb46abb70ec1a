"""What a command acts on: a neighbour's command is never quoted as if it were the named one's."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.citations import Sources, check
from bot.extractive import Extractive
from bot.pieces import pieces
from bot.targets import as_if, elsewhere, forbidden, names_of
from retrieval.documents import Passage
from retrieval.embedding import Embedder, bundled_embedder
from tests.bot.citations.passages import PODS

PAGE = """## Scale

Scale within the table:

```
kubectl --context spoke-prod -n queue scale deploy/bellhop-emails --replicas=6
kubectl -n queue delete pod -l app=bellhop-photos
```

## Drain

Take it out of service: `kubectl drain node-b2 --timeout=10m`, and mind node-a1.

```
ssh node-b2.int.example 'sudo systemctl stop kubelet'
patronictl failover spoke --candidate db-prod-2 \\
  --force
```

### What not to do

Do not scale `bellhop-refunds`. One is the number.
"""
SCALE, DRAIN, CAUTION = (
    next(each for each in pieces(PAGE, "Queue") if text in each.text)
    for text in ("Scale within", "Take it out", "Do not scale")
)


@pytest.fixture
async def embedder() -> AsyncIterator[Embedder]:
    """The bundled model."""
    async with bundled_embedder() as opened:
        yield opened


async def said(embedder: Embedder, question: str, page: Passage) -> str:
    """Return an answer as it is shown, when all of it is cited."""
    sources = Sources("salt")
    ids = [sources.add(page)]
    verdict = check(await Extractive(embedder).answer(question, [page], ids), sources)
    assert verdict.cited
    return verdict.answer


def test_names_of_services_and_hosts_in_a_question() -> None:
    """Without a host's domain."""
    found = names_of("restart payments-api on db-prod-1.int.example, `www-tls`, or nothing?")
    assert found == ("payments-api", "db-prod-1", "www-tls")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("bellhop-refunds", "bellhop-emails, bellhop-photos"),
        ("node-c2", "node-b2"),
        ("bellhop-photos", ""),  # one of the commands is for it
        ("node-a1", ""),  # it is spoken of beside them
        ("db-prod-1", ""),  # what an option takes, the page has chosen
        ("read-only", ""),
    ],
)
def test_commands_for_its_like_are_told_of(name: str, target: str) -> None:
    """By what they act on: a resource, a label, a host; not by what stands in their options."""
    told = elsewhere(name, [name], [SCALE, DRAIN], [])
    assert target in told
    assert bool(told) is bool(target)
    assert f" for {name};" in told or not target


@pytest.mark.parametrize(
    ("question", "command", "told"),
    [
        ("drain a node on staging", "kubectl --context spoke-prod drain node-b2", "for production"),
        ("drain a node in stg", "kubectl --context spoke-prod drain node-b2", "for production"),
        ("fill db-prod-1 up", "kubectl --context spoke-staging create job fill", "for staging"),
        ("drain a node on staging", "kubectl --context spoke-stg drain node-b2", ""),
        ("drain a node on staging", "kubectl drain node-b2", ""),
        ("drain a node", "kubectl --context spoke-prod drain node-b2", ""),
        ("at which stage is a product", "kubectl --context spoke-prod drain node-b2", ""),
        ("is prod like staging", "kubectl --context spoke-prod drain node-b2", ""),
    ],
)
def test_commands_for_another_environment_are_told_of(
    question: str, command: str, told: str
) -> None:
    """What is for production is never handed out for staging without a word, nor the other way."""
    (piece,) = pieces(f"Do it:\n\n```\n{command}\n```\n")
    line = elsewhere(question, names_of(question), [piece], [])
    assert line.startswith("⚠ Some commands below are ") if told else line == ""
    assert told in line


async def test_commands_for_production_are_announced_above_them(embedder: Embedder) -> None:
    """And cited like any other."""
    page = replace(PODS, context="Queue", text=PAGE)
    answer = await said(embedder, "how do I scale bellhop-emails on staging?", page)
    assert answer.startswith(
        "⚠ Some commands below are for production, and staging was asked about:\n\n- "
    )


def test_a_silence_for_another_alert_is_told_of() -> None:
    """An alert's name is what a label says, and no kind of resource."""
    command = "amtool silence add alertname=SearchRed --duration=2h"
    (silence,) = pieces(f"Silence it:\n\n```\n{command}\noc get KubeDescheduler\n```\n")
    told = elsewhere("silence PaymentsFailing", (), [silence], [])
    assert "for PaymentsFailing; what follows is for SearchRed:" in told
    assert not elsewhere("silence SearchRed", (), [silence], [])


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("the photos queue is too long", "bellhop-photos"),
        ("the emails are late", ""),  # it is what the command is for
        ("the letters are late", ""),
    ],
)
def test_a_word_of_a_name_is_enough(question: str, name: str) -> None:
    """As long as it isn't also one of what the commands are for."""
    scale, delete = (
        replace(SCALE, block=f"```\n{line}\n```") for line in SCALE.block.split("\n")[1:3]
    )
    told = elsewhere(question, (), [scale], [scale, delete])
    assert bool(told) is bool(name)
    assert f" for {name}; what follows is for bellhop-emails:" in told or not name


def test_a_question_is_asked_as_of_what_there_are_commands_for() -> None:
    """Unless the page says that it isn't to be done, or has nothing to do with the question."""
    asked = "how do I drain node-c2?"
    found = [SCALE, DRAIN, CAUTION]
    assert as_if(asked, names_of(asked), found) == "how do I drain node-b2?"
    for same in ("how do I scale bellhop-refunds?", "how do I paint node-c2?", "node-c2", "drain"):
        assert as_if(same, names_of(same), found) == same


def test_a_warning_of_all_that_is_asked_forbids_it() -> None:
    """It must be of the same name; a word alone is no question about it."""
    assert forbidden(CAUTION, "how do I scale bellhop-refunds?", "bellhop-refunds")
    assert not forbidden(CAUTION, "how do I scale bellhop-emails?", "bellhop-emails")
    assert not forbidden(CAUTION, "scale")
    (other,) = pieces("### What not to do\n\nDo not delete the secret to force a renewal.\n", "A")
    assert not forbidden(other, "how do I renew the secret?")
    assert forbidden(other, "how do I delete the secret?")
    assert not forbidden(SCALE, "scale within the table")


async def test_a_neighbours_command_is_announced_as_one(embedder: Embedder) -> None:
    """Above it, and cited like any other."""
    page = replace(PODS, context="Queue", text=PAGE)
    answer = await said(embedder, "how do I drain node-c2?", page)
    assert answer.startswith(
        "⚠ No command quoted from the runbooks is for node-c2; what follows is for node-b2:\n\n- "
    )
    assert "No command" not in await said(embedder, "how do I drain node-b2?", page)
    # A name with any word in it leaves the line what it is.
    assert "for node-and-so;" in await said(embedder, "how do I drain node-and-so?", page)


async def test_what_is_forbidden_is_said_and_nothing_else(embedder: Embedder) -> None:
    """Not beside another service's command."""
    page = replace(PODS, context="Queue", text=PAGE)
    answer = await said(embedder, "how do I scale bellhop-refunds?", page)
    assert "Do not scale `bellhop-refunds`. One is the number." in answer
    assert "kubectl" not in answer


@pytest.mark.timeout(20)
def test_a_pasted_log_costs_no_time() -> None:
    """Of thousands of names the first are looked for; what is too long for a host's is no name."""
    log = "how do I restart " + " ".join(f"payments-{number}" for number in range(600))
    found = [SCALE, DRAIN, CAUTION] * 10
    assert names_of(log) == tuple(f"payments-{number}" for number in range(8))
    assert names_of("a-" * 4_000 + "a") == ()
    assert as_if(log, names_of(log), found) == log
    assert not any(forbidden(each, log) for each in found)
    assert not elsewhere("AbCd" * 10_000, names_of(log), found, found)
