"""The bot on models that others serve: dimensions, degradation, and what `doctor` says."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from bot.core import open_core
from bot.database import Database, ready
from bot.doctor import Finding, examine
from bot.model import User
from bot.model_servers import open_model, vector_size
from bot.settings import Settings
from retrieval.errors import EmbedderDown
from retrieval.ingest import ingest
from retrieval.sources import collect
from schema.errors import VectorSizeMismatch
from tests.bot.conftest import SAMPLES, Start
from tests.bot.test_cli import footnote
from tests.chat_server import chat_server
from tests.model_server import Fault, ModelServer, model_server


@pytest.fixture
async def models() -> AsyncGenerator[ModelServer]:
    """A server of an embedder and a reranker."""
    async with model_server() as running:
        yield running


@pytest.fixture
def nobody() -> str:
    """An address where nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def configured(url: str, **more: Any) -> Settings:
    """Settings with an embedder at this address."""
    return Settings.model_validate({"embedder_url": url, "embedder_model": "some-model", **more})


async def examined(settings: Settings, database_url: str) -> dict[str, Finding]:
    """What doctor finds, by name."""
    return {each.name: each async for each in examine(settings, Database(database_url, None))}


async def test_a_database_takes_the_dimensions_of_its_embedder(
    models: ModelServer, empty_database_url: str
) -> None:
    """From migrate through ingest to an answer, with prefixes, key and reranker, all by setting."""
    models.size, models.key = 96, "sesame"
    variables = {
        "FOOTNOTE_DATABASE_URL": empty_database_url,
        "FOOTNOTE_EMBEDDER_URL": models.url,
        "FOOTNOTE_EMBEDDER_MODEL": "some-model",
        "FOOTNOTE_EMBEDDER_API_KEY": "sesame",
        "FOOTNOTE_EMBEDDER_QUERY_PREFIX": "search_query: ",
        "FOOTNOTE_EMBEDDER_DOCUMENT_PREFIX": "search_document: ",
        "FOOTNOTE_EMBEDDER_BATCH": "4",
        "FOOTNOTE_RERANKER_URL": models.url,
        "FOOTNOTE_RERANKER_SHAPE": "tei",
        "FOOTNOTE_RERANKER_API_KEY": "sesame",
        "FOOTNOTE_MAX_DISTANCE": "0.9",
    }
    migrated = await asyncio.to_thread(footnote, "migrate", **variables)
    assert migrated.code == 0, migrated.err
    folder = SAMPLES / "payments"
    ingested = await asyncio.to_thread(footnote, "ingest", folder, "--json", **variables)
    assert ingested.json()["added"] > 3, ingested.err
    inputs = [body["input"] for path, body in models.asked if path == "/v1/embeddings"]
    assert max(map(len, inputs)) == 4
    assert all(text.startswith("search_") for texts in inputs for text in texts)
    question = "what does ERR_5032 mean?"
    report = (await asyncio.to_thread(footnote, "ask", question, "--json", **variables)).json()
    assert report["stop_reason"] == "cited"
    assert report["notes"] == []
    scores = [each["rerank_score"] for each in report["passages"]]
    assert scores == sorted(scores, reverse=True)


async def test_another_size_than_the_table_stops_with_both_numbers(
    models: ModelServer, database_url: str
) -> None:
    """And with the command that mends it; receiving and migrating go on, which need no vector."""
    models.size = 96
    settings, database = configured(models.url), Database(database_url, None)
    with pytest.raises(VectorSizeMismatch, match=r"384.* 96: .*`footnote reembed`"):
        async with open_core(settings, database):
            pass
    models.asked.clear()
    assert await ready(database, settings) == "pg_search"
    assert await vector_size(settings, database_url) == 384
    assert not models.asked


async def test_without_its_embedder_the_bot_answers_by_keywords(
    models: ModelServer, database_url: str, nobody: str
) -> None:
    """A start in the incident takes the dimensions from the table; the reply says what is down."""
    database = Database(database_url, None)
    found = await asyncio.to_thread(collect, [SAMPLES / "payments"])
    async with open_core(configured(models.url), database) as core:
        assert (await ingest(core.store, core.embedder, found)).added > 3
    models.faults.extend([Fault(404, {"error": "no reranker"})] * 2)
    asked = await asyncio.to_thread(
        footnote,
        "ask",
        "what does ERR_5032 mean?",
        "--json",
        FOOTNOTE_DATABASE_URL=database_url,
        FOOTNOTE_EMBEDDER_URL=nobody,
        FOOTNOTE_EMBEDDER_MODEL="some-model",
        FOOTNOTE_RERANKER_URL=models.url,
    )
    report = asked.json()
    assert report["stop_reason"] == "cited", report
    assert report["best_distance"] is None
    assert any("embedder is down" in note for note in report["notes"])
    assert any("reranker is down or slow" in note for note in report["notes"])
    assert "Traceback" not in asked.err


async def test_a_database_without_a_table_needs_the_embedder(
    empty_database_url: str, nobody: str
) -> None:
    """Nobody else knows the dimensions; the sentence says what to start or correct."""
    settings = configured(nobody)
    with pytest.raises(EmbedderDown, match="FOOTNOTE_EMBEDDER_URL"):
        await vector_size(settings, empty_database_url)
    found = await examined(settings, empty_database_url)
    assert "footnote migrate" in found["schema"].advice


async def test_doctor_names_models_dimensions_and_times(
    models: ModelServer, database_url: str
) -> None:
    """Both answer, and nothing has to be done."""
    settings = configured(
        models.url, reranker_url=models.url, reranker_model="bge", max_distance=0.5
    )
    found = await examined(settings, database_url)
    assert all(each.state != "failure" for each in found.values())
    assert found["embedder"].detail.startswith("some-model, 384 dimensions")
    assert found["embedder"].detail.endswith(" ms")
    assert found["reranker"].detail.startswith("bge, shape jina, two texts in ")
    assert found["threshold"].state == "ok"


async def test_doctor_says_what_to_do_about_models_that_are_down(
    database_url: str, nobody: str
) -> None:
    """Each failure names its setting, and the rest is examined all the same."""
    found = await examined(configured(nobody, reranker_url=nobody), database_url)
    for name in ("embedder", "reranker"):
        assert found[name].state == "failure"
        assert f"FOOTNOTE_{name.upper()}_URL" in found[name].advice
    assert found["schema"].state == "ok"


async def test_doctor_asks_the_chat_model(database_url: str, nobody: str) -> None:
    """It names who answers, of several servers the one that does; else the setting to correct."""
    async with chat_server() as chat:
        chat.says("Yes.")
        urls = f"{nobody}, {chat.url}/v1"
        settings = Settings.model_validate({"model_url": urls, "model": "some-model"})
        found = await examined(settings, database_url)
        assert found["chat model"].state == "ok"
        assert found["chat model"].detail.startswith(f"some-model at {chat.url[7:]}, a few words")
        assert "chat model some-model" in found["configuration"].detail
        assert chat.asked[0].body["max_tokens"] == 16
    settings = Settings.model_validate({"model_url": nobody, "model": "m"})
    down = (await examined(settings, database_url))["chat model"]
    assert down.state == "failure"
    assert "FOOTNOTE_MODEL_URL" in down.advice
    none = (await examined(Settings.model_validate({}), database_url))["chat model"]
    assert (none.state, none.advice) == ("ok", "")


async def test_the_chat_model_takes_its_settings() -> None:
    """Key, temperature, and answers that leave three quarters of the context to be read."""
    async with chat_server() as chat:
        chat.key = "sesame"
        chat.says("Yes.")
        settings = {
            "model_url": chat.url,
            "model": "some-model",
            "model_api_key": "sesame",
            "model_context": 4096,
            "model_temperature": 0.5,
        }
        async with open_model(Settings.model_validate(settings)) as model:
            assert model is not None
            assert (await model.complete([User("how?")])).text == "Yes."
        body = chat.asked[0].body
        assert (body["model"], body["max_tokens"], body["temperature"]) == ("some-model", 1024, 0.5)
    async with open_model(Settings.model_validate({})) as model:
        assert model is None


async def test_doctor_warns_of_a_threshold_of_another_model(
    models: ModelServer, database_url: str
) -> None:
    """The default was measured for the bundled embedder, and is no warning with that one."""
    warned = await examined(configured(models.url), database_url)
    assert warned["threshold"].state == "warning"
    assert "footnote eval calibrate" in warned["threshold"].advice
    bundled = await examined(Settings.model_validate({}), database_url)
    assert bundled["threshold"].state == "ok"


async def test_the_web_process_needs_no_embedder(start: Start, nobody: str) -> None:
    """Questions are taken in while the model server is down."""
    bot = await start("web", FOOTNOTE_EMBEDDER_URL=nobody, FOOTNOTE_EMBEDDER_MODEL="some-model")
    assert bot.events("started")


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"FOOTNOTE_EMBEDDER_MODEL": ""}, "FOOTNOTE_EMBEDDER_MODEL is not set"),
        ({"FOOTNOTE_EMBEDDER_URL": "localhost:1234"}, "FOOTNOTE_EMBEDDER_URL"),
        ({"FOOTNOTE_RERANKER_SHAPE": "round"}, "FOOTNOTE_RERANKER_SHAPE"),
        ({"FOOTNOTE_MODEL_URL": "http://127.0.0.1:1,localhost:2"}, "FOOTNOTE_MODEL_URL"),
        ({"FOOTNOTE_MODEL_CONTEXT": "80"}, "FOOTNOTE_MODEL_CONTEXT"),
    ],
)
def test_bad_settings(database_url: str, variables: dict[str, str], words: str) -> None:
    """The variable is named, before anything is asked."""
    usual = {"FOOTNOTE_DATABASE_URL": database_url, "FOOTNOTE_EMBEDDER_URL": "http://127.0.0.1:1"}
    assert words in footnote("ask", "why?", **{**usual, **variables}).sentence()
