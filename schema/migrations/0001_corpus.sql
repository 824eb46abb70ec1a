-- The corpus: documents and their chunks. The keyword column and its index differ between
-- engines and are made by schema/engines/<engine>/create.sql.
-- :vector_size is the one parameter, the number of dimensions of the embedder.

CREATE TABLE document (
    id          text PRIMARY KEY,             -- hash of (team, audience, source)
    team        text,                         -- NULL: every team of this installation
    audience    text,                         -- NULL: the workspace; else the one channel that sees it
    source      text NOT NULL,
    collection  text,                         -- the folder it came from: its scope when pruning
    title       text NOT NULL,
    service     text NOT NULL,
    doc_type    text NOT NULL,
    link        text,
    hash        text NOT NULL,                -- sha256 of all that was read and of how it was cut
    characters  integer NOT NULL,
    pages_without_text integer[] NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (team, audience, source)
);

-- What a search through all vectors reads comes first in the row: a third faster than last.
CREATE TABLE corpus (
    id          text PRIMARY KEY,
    team        text,
    audience    text,
    service     text NOT NULL,
    doc_type    text NOT NULL,
    emb         vector(:vector_size),         -- NULL only while `reembed` has not come by
    document    text NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    position    integer NOT NULL,
    "start"     integer NOT NULL,             -- characters into the extracted source
    "end"       integer NOT NULL,
    source      text NOT NULL,
    page        integer,
    heading     text NOT NULL,
    context     text NOT NULL,                -- put before the text for embedding and keywords
    text        text NOT NULL,
    hash        text NOT NULL
);

ALTER TABLE corpus ALTER COLUMN emb SET STORAGE PLAIN;  -- never toasted: exact search reads it whole
CREATE INDEX corpus_document ON corpus (document, position);
-- With all that filters ask for, so that matching chunks are counted without reading them.
CREATE INDEX corpus_filter ON corpus (service, doc_type) INCLUDE (team, audience);

-- One row a fact about the whole installation: engine, tokens_version, embedder, vector_size.
CREATE TABLE footnote_setting (
    name        text PRIMARY KEY,
    value       text NOT NULL,
    set_at      timestamptz NOT NULL DEFAULT now()
);
