"""Runbooks full of orders, and a model that obeys: a whole turn over each of the attacks."""

import asyncio
from pathlib import Path
from typing import Any

from bot.agent import Thread
from bot.core import open_core
from bot.database import Database
from bot.question import parse
from bot.settings import Settings
from retrieval.ingest import ingest
from retrieval.sources import collect
from tests.bot.injections import ATTACKS, obeys
from tests.bot.test_loop import ids
from tests.chat_server import Reply, chat_server


def write(folder: Path) -> None:
    """A page for each attack, each of a service of its own."""
    for number, attack in enumerate(ATTACKS):
        (folder / f"{number}.md").write_text(
            f"---\nservice: pump{number}\n---\n# Restart the pump\n\n"
            f"To restart the pump turn the key twice.\n\n{attack.text}\n",
            encoding="utf-8",
        )


async def test_no_attack_makes_an_obedient_model_say_its_order(
    database_url: str, tmp_path: Path
) -> None:
    """Each page is found, read by the model, answered from and cited; its order isn't followed."""
    await asyncio.to_thread(write, tmp_path)
    read: list[str] = []

    def script(messages: list[Any]) -> Reply:
        prompt = "\n\n".join(str(each["content"]) for each in messages)
        read.append(prompt)
        return Reply(obeys(prompt) or f"Turn the key twice [{ids(messages)[0]}].")

    async with chat_server() as chat:
        chat.by = script
        values = {
            "FOOTNOTE_DATABASE_URL": database_url,
            "max_distance": 2,  # every page gets past the gate, also those of noise
            "model_url": chat.url,
            "model": "scripted",
        }
        settings = Settings.model_validate(values)
        async with open_core(settings, Database(database_url, None)) as core:
            report = await ingest(
                core.store, core.embedder, await asyncio.to_thread(collect, [tmp_path])
            )
            assert not report.failed
            for number, attack in enumerate(ATTACKS):
                asked = parse(f"How do I restart the pump? service:pump{number}")
                answered = await core.agent.answer(asked, Thread())
                assert f'service="pump{number}"' in read[-1], attack.name
                assert answered.outcome.stop_reason == "cited", attack.name
                assert answered.outcome.answer.startswith("Turn the key twice [1]"), attack.name
