"""What can be wrong with the database, each a sentence that says what to do."""

__all__ = [
    "DatabaseDown",
    "DatabaseTooOld",
    "EmbeddedServerError",
    "EmbedderMismatch",
    "ExtensionMissing",
    "MigrationChanged",
    "MigrationsPending",
    "SchemaError",
    "VectorSizeMismatch",
]


class SchemaError(Exception):
    """The database can't be used as it is; the message says what to do about it."""


class DatabaseDown(SchemaError):
    """The database doesn't answer."""


class DatabaseTooOld(SchemaError):
    """The server is older than PostgreSQL 15."""


class ExtensionMissing(SchemaError):
    """The server lacks an extension that the chosen engine needs."""


class MigrationChanged(SchemaError):
    """A migration that was applied here reads differently now, or is unknown to this version."""


class MigrationsPending(SchemaError):
    """The database is older than the program: `footnote migrate` brings it up to date."""


class VectorSizeMismatch(SchemaError):
    """The table's vectors have another size than the embedder's."""


class EmbedderMismatch(SchemaError):
    """The table's vectors are of the right size, and another embedder's all the same."""


class EmbeddedServerError(SchemaError):
    """The embedded PostgreSQL can't be set up, started or stopped."""
