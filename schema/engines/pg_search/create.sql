-- The keyword column of the pg_search engine: our tokens, joined by spaces, in ParadeDB's index.

-- Filters on indexed columns must be "= ANY" joined by AND: those add the same to every score,
-- while an OR would change the order. So "NULL or mine" is asked of a column without NULLs.
ALTER TABLE corpus
    ADD COLUMN bm25 text NOT NULL,
    ADD COLUMN team_or_all text NOT NULL GENERATED ALWAYS AS (coalesce(team, '')) STORED,
    ADD COLUMN audience_or_all text NOT NULL GENERATED ALWAYS AS (coalesce(audience, '')) STORED;

CREATE INDEX corpus_bm25 ON corpus USING bm25 (
    id,
    (bm25::pdb.whitespace),
    (service::pdb.literal),
    (doc_type::pdb.literal),
    (team_or_all::pdb.literal),
    (audience_or_all::pdb.literal)
) WITH (key_field = 'id', mutable_segment_rows = 100, target_segment_count = 1);

-- The index isn't crash safe. An unlogged table is emptied by every crash recovery, so its one
-- row says that no crash has come since the index was last built.
CREATE UNLOGGED TABLE bm25_canary (ok integer PRIMARY KEY);
INSERT INTO bm25_canary VALUES (1);
