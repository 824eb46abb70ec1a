"""Finding the passages of a team's documents that answer a question, or finding that none does.

A library: no environment, no Slack, no chat model. Documents come in by `ingest.ingest`, questions
are answered by `search.Search`, and both stand on a `store.Store` and an embedder. Who searches
doesn't load what reads documents, so nothing is imported here.
"""
