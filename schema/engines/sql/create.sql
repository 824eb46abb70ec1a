-- The keyword columns of the sql engine: BM25 over a table of postings, in plain SQL.
ALTER TABLE corpus
    ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    ADD COLUMN bm25 integer NOT NULL;         -- number of tokens in the chunk

CREATE INDEX corpus_length ON corpus (bm25);  -- counts and averages without reading the table

-- Words are only ever added: one that no chunk holds costs nothing.
CREATE TABLE term (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token       text NOT NULL UNIQUE
);

CREATE TABLE posting (
    term        bigint NOT NULL REFERENCES term (id),
    chunk       bigint NOT NULL REFERENCES corpus (number) ON DELETE CASCADE,
    tf          integer NOT NULL,             -- how often the chunk has the word
    dl          integer NOT NULL,             -- how many tokens the chunk has
    PRIMARY KEY (term, chunk) INCLUDE (tf, dl)
);

CREATE INDEX posting_chunk ON posting (chunk);
