"""Error codes asked for by themselves, with the bundled embedder, beside the sample runbooks.

Its vectors put a bare code far from the one line that explains it.
"""

import asyncio
from pathlib import Path

from bot.agent import Agent, Thread
from bot.core import open_core
from bot.database import Database
from bot.extractive import Extractive
from bot.question import parse
from bot.settings import Settings
from retrieval.ingest import ingest
from retrieval.search import Search
from retrieval.sources import collect

SAMPLES = Path(__file__).parents[2] / "bot" / "samples"
PAGE = """# Vault gateway

The vault gateway keeps the keys of the shop.

## Codes

| code | meaning | do |
|---|---|---|
| VLT-77 | the lease is over | renew it with `vaultctl lease renew` |
| VLT-78 | the seal is broken | page the security engineer |
| VLT-4711 | the backend is read-only | wait for the failover |

## Workers

The bridge reports WRB-31 when its queue is full; drain it with `wrbctl drain`. Exit code `E42`
means that the worker was told to stop while it held a key.
"""
ANSWERED = {
    "VLT-77": "lease",
    "what does VLT-77 mean?": "lease",
    "vlt-78": "seal",
    "how do I fix VLT-4711?": "failover",
    "is VLT-77 safe to retry?": "lease",
    "sorry, I meant VLT-78": "seal",
    "WRB-31": "wrbctl drain",
    "what is E42?": "told to stop",
}
REFUSED = ("VLT-79", "what does VLT-7 mean?", "VLT-471", "WRB-3", "what does error code E43 mean?")


async def test_a_code_is_answered_where_a_page_has_it(database_url: str, tmp_path: Path) -> None:
    """Its line is quoted; a code that no page has is NO_MATCH, whatever code it begins."""
    page = tmp_path / "vault.md"
    await asyncio.to_thread(page.write_text, PAGE, "utf-8")
    settings = Settings.model_validate({"FOOTNOTE_DATABASE_URL": database_url})
    async with open_core(settings, Database(database_url, None)) as core:
        found = await asyncio.to_thread(collect, [SAMPLES, page])
        await ingest(core.store, core.embedder, found)
        agent = Agent(Search(core.store, core.embedder), Extractive(core.embedder))
        said = {
            text: (await agent.answer(parse(text), Thread())).outcome
            for text in (*ANSWERED, *REFUSED)
        }
    assert [text for text, words in ANSWERED.items() if words not in said[text].answer] == []
    assert [text for text in REFUSED if said[text].stop_reason != "no_match"] == []
