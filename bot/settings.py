"""The settings: the environment (and a `.env` file) is read here, once, and nowhere else."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AliasChoices, AnyHttpUrl, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot.errors import BadSetting
from bot.policy import DEFAULTS, Rules

__all__ = ["Settings", "load_settings"]


def _either(*names: str) -> AliasChoices:
    return AliasChoices(*names)


def _separate(value: object) -> object:
    """Return what stands between commas."""
    if not isinstance(value, str):
        return value
    return [part for each in value.split(",") if (part := each.strip())]


type _Allowed = frozenset[
    Annotated[str, Field(pattern=r"^(?:members|admins|guests|strangers|[SUW][A-Z0-9]{2,20})$")]
]


class Settings(BaseSettings):
    """Everything that can be set. README's table is generated from nothing: keep it in step.

    A variable set to the empty string counts as not set.
    """

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        env_prefix="FOOTNOTE_",
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        populate_by_name=True,
        frozen=True,
        hide_input_in_errors=True,  # a wrong value may be a secret
    )

    database_url: Annotated[
        SecretStr | None,
        Field(None, validation_alias=_either("FOOTNOTE_DATABASE_URL", "DATABASE_URL")),
    ]
    data_dir: Path | None = None
    engine: Literal["vchord", "pg_search", "sql"] | None = None

    slack_bot_token: Annotated[
        SecretStr | None,
        Field(None, validation_alias=_either("FOOTNOTE_SLACK_BOT_TOKEN", "SLACK_BOT_TOKEN")),
    ]
    slack_app_token: Annotated[
        SecretStr | None,
        Field(None, validation_alias=_either("FOOTNOTE_SLACK_APP_TOKEN", "SLACK_APP_TOKEN")),
    ]
    slack_signing_secret: Annotated[
        SecretStr | None,
        Field(
            None, validation_alias=_either("FOOTNOTE_SLACK_SIGNING_SECRET", "SLACK_SIGNING_SECRET")
        ),
    ]
    slack_mode: Literal["socket", "http"] = "socket"
    slack_api_url: str = "https://slack.com/api/"

    host: str = "127.0.0.1"
    port: Annotated[
        int, Field(3000, ge=0, le=65535, validation_alias=_either("FOOTNOTE_PORT", "PORT"))
    ]

    metrics_host: str = "127.0.0.1"
    metrics_port: Annotated[int | None, Field(None, ge=0, le=65535)]

    embedder_url: AnyHttpUrl | None = None
    embedder_model: str | None = None
    embedder_api_key: SecretStr | None = None
    embedder_query_prefix: str = ""
    embedder_document_prefix: str = ""
    embedder_batch: Annotated[int, Field(16, ge=1, le=512)]
    embedder_timeout: Annotated[float, Field(5.0, gt=0, le=600)]

    reranker_url: AnyHttpUrl | None = None
    reranker_shape: Literal["jina", "tei"] = "jina"
    reranker_model: str | None = None
    reranker_api_key: SecretStr | None = None
    reranker_timeout: Annotated[float, Field(2.0, gt=0, le=600)]

    model_url: Annotated[tuple[AnyHttpUrl, ...], NoDecode, BeforeValidator(_separate)] = ()
    model: str | None = None
    model_api_key: SecretStr | None = None
    model_timeout: Annotated[float, Field(60.0, gt=0, le=3600)]
    model_context: Annotated[int, Field(8192, ge=1024)]
    model_temperature: Annotated[float, Field(0.0, ge=0, le=2)]
    transcriber_url: AnyHttpUrl | None = None
    transcriber_model: str | None = None
    transcriber_api_key: SecretStr | None = None
    transcriber_timeout: Annotated[float, Field(60.0, gt=0, le=600)]

    turn_seconds: Annotated[float, Field(120.0, gt=0, le=3600)]
    pointer_seconds: Annotated[float, Field(0.6, ge=0, le=600)]
    prompt_price: Annotated[float, Field(0.0, ge=0)]
    completion_price: Annotated[float, Field(0.0, ge=0)]

    may_ask: Annotated[_Allowed, NoDecode, BeforeValidator(_separate)] = DEFAULTS.ask
    may_ingest: Annotated[_Allowed, NoDecode, BeforeValidator(_separate)] = DEFAULTS.ingest
    may_change_settings: Annotated[_Allowed, NoDecode, BeforeValidator(_separate)] = (
        DEFAULTS.settings
    )
    may_delete: Annotated[_Allowed, NoDecode, BeforeValidator(_separate)] = DEFAULTS.delete

    fetch_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_separate)] = ()
    fetch_inside: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_separate)] = ()

    max_distance: Annotated[float | None, Field(None, gt=0, le=2)]
    concurrency: Annotated[int, Field(4, ge=1, le=32)]
    attempts: Annotated[int, Field(5, ge=1, le=100)]
    posts_per_second: Annotated[float, Field(1.0, gt=0, le=1000)]
    sweep_seconds: Annotated[float, Field(5.0, gt=0, le=3600)]
    session_days: Annotated[float, Field(60.0, gt=0, le=36500)]
    grace_seconds: Annotated[float, Field(20.0, ge=0, le=600)]
    memory_limit: Annotated[int, Field(1_000, ge=1, le=10_000)]
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def rules(self) -> Rules:
        """Who may do what."""
        return Rules(
            ask=self.may_ask,
            ingest=self.may_ingest,
            settings=self.may_change_settings,
            delete=self.may_delete,
        )


def load_settings() -> Settings:
    """Read the settings.

    Raises:
        BadSetting: a value can't be used; the message names each variable, not its value.
    """
    try:
        return Settings()  # pyright: ignore[reportCallIssue]  # the environment fills it
    except ValidationError as error:
        problems = "; ".join(
            f"{_variable(problem['loc'])}: {problem['msg'].lower()}"
            for problem in error.errors(include_input=False, include_url=False)
        )
        raise BadSetting(
            f"Some settings can't be used: {problems}. Correct them and start again."
        ) from None


def _variable(location: tuple[int | str, ...]) -> str:
    """Return the name of a variable as it is set: a field's, or the alias that was used."""
    name = str(location[0]) if location else "the environment"
    return f"FOOTNOTE_{name.upper()}" if name in Settings.model_fields else name
