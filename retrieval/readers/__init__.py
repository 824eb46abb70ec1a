"""Bytes to documents: Markdown and its kin, HTML, PDF, Office files, plain text."""

from retrieval.readers.reading import MAX_BYTES, MAX_CHARACTERS, SUFFIXES, read

__all__ = ["MAX_BYTES", "MAX_CHARACTERS", "SUFFIXES", "read"]
