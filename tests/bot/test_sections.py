"""A footnote names the section that is quoted, not the one that its chunk begins with."""

from dataclasses import replace

from bot.citations import Sources, check
from bot.sections import at_its_section
from tests.bot.citations.passages import PODS

CHUNK = replace(
    PODS,
    heading="Impact",
    context="Checkout is slow › Impact",
    text="""Above 3 s a third of all buyers give up.

## Diagnosis

Let the log tell which part is slow:

```bash
kubectl logs deploy/checkout-api
```

## Escalation

Basket secondary after 20 minutes.
""",
)


def heading_for(says: str) -> str:
    """The heading that a footnote for an answer names."""
    sources = Sources("salt")
    name = sources.add(CHUNK)
    return at_its_section(CHUNK, check(says.replace("ID", name), sources).claims).heading


def test_the_quoted_section_is_named() -> None:
    """By its sentence or by its code alone; both, where two are quoted."""
    code = "```bash\nkubectl logs deploy/checkout-api\n```"
    escalation = "- Basket secondary after 20 minutes. [ID]"
    assert heading_for(escalation) == "Escalation"
    assert heading_for(f"- Look into it: [ID]\n\n{code}\n") == "Diagnosis"
    assert heading_for("- Above 3 s a third of all buyers give up. [ID]") == "Impact"
    both = f"- Let the log tell which part is slow: [ID]\n\n{code}\n\n{escalation}"
    assert heading_for(both) == "Diagnosis, Escalation"


def test_a_cell_that_stands_out_is_still_its_rows() -> None:
    """An answer shows in bold what was asked for, and the page doesn't."""
    table = "\n## Ports\n\n| what | port |\n|---|---|\n| Loki | 3100 |\n"
    chunk = replace(CHUNK, text=CHUNK.text + table)
    sources = Sources("salt")
    name = sources.add(chunk)
    claims = check(f"- **Loki** · **port: 3100** [{name}]", sources).claims
    assert at_its_section(chunk, claims).heading == "Ports"


def test_what_is_said_in_other_words_keeps_the_heading_of_its_chunk() -> None:
    """Nothing tells where a paraphrase comes from."""
    assert heading_for("Customers leave when it gets slow. [ID]") == "Impact"
