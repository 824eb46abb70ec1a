"""What can go wrong in retrieval, in one screen. Messages are sentences for a person."""

__all__ = [
    "ConnectionLost",
    "EmbedderDown",
    "NotInTheCorpus",
    "OtherEmbedder",
    "QueryFailed",
    "ReadingStopped",
    "RerankerDown",
    "RetrievalError",
    "UnreadableDocument",
    "WeightsDamaged",
]


class RetrievalError(Exception):
    """Something in retrieval failed; the message says what, and what to do."""


class UnreadableDocument(RetrievalError):
    """A document can't be read as text: binary, empty, too large, of an unknown kind."""


class ReadingStopped(RetrievalError):
    """The process that reads an ingest's documents was ended."""


class WeightsDamaged(RetrievalError):
    """The bundled model's files are missing or differ from what was shipped."""


class EmbedderDown(RetrievalError):
    """The embedder doesn't answer; searches go on with keywords alone."""


class NotInTheCorpus(RetrievalError):
    """A document that was named isn't there, or the name fits several."""


class OtherEmbedder(RetrievalError):
    """The corpus has the vectors of another embedder; two models' vectors don't compare."""


class RerankerDown(RetrievalError):
    """The reranker doesn't answer, or not in time; searches keep the fused order."""


class QueryFailed(RetrievalError):
    """The database refused or lost a query; it may work when tried again."""


class ConnectionLost(QueryFailed):
    """The connection broke under a query, as it does when the database is restarted."""
