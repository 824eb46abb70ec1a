"""Bytes to documents: Markdown and its kin, HTML, PDF, Office files, plain text.

`reading.read` is the way in. It stands on a dozen parsers, so nothing is imported here: what is
told by a file's name alone is in `kinds`.
"""
