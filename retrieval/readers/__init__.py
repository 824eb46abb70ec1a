"""Bytes to documents: Markdown, plain text and PDF."""

from retrieval.readers.reading import MAX_BYTES, MAX_CHARACTERS, SUFFIXES, read

__all__ = ["MAX_BYTES", "MAX_CHARACTERS", "SUFFIXES", "read"]
