-- The keyword and vector indexes of the vchord engine: VectorChord-BM25 0.3 over our own tokens, and
-- VectorChord 1.1. Their schema need not be on the search path, so all of it is qualified; the
-- operator <&> is in pg_catalog.

-- A vector of our words' numbers and how often the chunk has each; NULL where it has none.
ALTER TABLE corpus ADD COLUMN bm25 bm25_catalog.bm25vector;

-- The index has arrays as long as the largest number, so these are counted, never hashed. Words
-- are only ever added.
CREATE TABLE term (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token       text NOT NULL UNIQUE
);

CREATE INDEX corpus_bm25 ON corpus USING bm25 (bm25 bm25_catalog.bm25_ops);
CREATE INDEX corpus_emb ON corpus USING vchordrq (emb vector_cosine_ops);

-- How many chunks there were when the keyword index was last built.
CREATE TABLE bm25_built (chunks bigint NOT NULL);
INSERT INTO bm25_built VALUES (0);

-- The best chunks by BM25, as search_keywords of every engine has them. Its parameters are those
-- of the filters; `exact_below` is how many matching chunks are scored one by one.
--
-- Two things the index does that a search has to know: it returns its best `bm25_limit` rows and
-- filters afterwards those not yet sealed in a segment, so a short answer is asked for again with a
-- larger limit; and it fills up with rows that have none of the words, whose score is 0. One of
-- those in the answer says that every row with a word is in it.
CREATE FUNCTION search_keywords(
    asked text, asked_services text[], asked_doc_types text[], asked_team text,
    asked_audience text, wanted integer, exact_below integer DEFAULT 5000
) RETURNS TABLE (chunk text, points float8)
LANGUAGE plpgsql AS $$
DECLARE
    words text;         -- as bm25vector reads it: {3:1, 17:1}, in ascending order
    top integer := 200;
    chunks text[];
    scores float8[];
BEGIN
    SELECT '{' || string_agg(t.id || ':1', ', ' ORDER BY t.id) || '}' INTO words
    FROM term t WHERE t.token = ANY(string_to_array(asked, ' '));
    IF words IS NULL THEN
        RETURN;
    END IF;

    IF NOT EXISTS (
        SELECT FROM corpus c
        WHERE (asked_services IS NULL OR c.service = ANY(asked_services))
          AND (asked_doc_types IS NULL OR c.doc_type = ANY(asked_doc_types))
          AND (c.team IS NULL OR c.team = asked_team)
          AND (c.audience IS NULL OR c.audience = asked_audience)
        OFFSET exact_below
    ) THEN
        RETURN QUERY
        WITH scope AS MATERIALIZED (
            SELECT c.id, c.bm25 FROM corpus c
            WHERE c.bm25 IS NOT NULL
              AND (asked_services IS NULL OR c.service = ANY(asked_services))
              AND (asked_doc_types IS NULL OR c.doc_type = ANY(asked_doc_types))
              AND (c.team IS NULL OR c.team = asked_team)
              AND (c.audience IS NULL OR c.audience = asked_audience)
        ), scored AS MATERIALIZED (
            SELECT s.id, s.bm25 <&> bm25_catalog.to_bm25query(
                'corpus_bm25'::regclass, words::bm25_catalog.bm25vector) AS score
            FROM scope s
        )
        SELECT s.id, -s.score::float8 FROM scored s
        WHERE s.score < 0
        ORDER BY s.score, s.id
        LIMIT wanted;
        RETURN;
    END IF;

    PERFORM set_config('bm25_catalog.enable_prefilter', 'on', true);
    LOOP
        PERFORM set_config('bm25_catalog.bm25_limit', top::text, true);
        SELECT array_agg(best.id), array_agg(best.score) INTO chunks, scores
        FROM (
            SELECT c.id, c.bm25 <&> bm25_catalog.to_bm25query(
                'corpus_bm25'::regclass, words::bm25_catalog.bm25vector) AS score
            FROM corpus c
            WHERE (asked_services IS NULL OR c.service = ANY(asked_services))
              AND (asked_doc_types IS NULL OR c.doc_type = ANY(asked_doc_types))
              AND (c.team IS NULL OR c.team = asked_team)
              AND (c.audience IS NULL OR c.audience = asked_audience)
            ORDER BY score
            LIMIT wanted
        ) AS best;
        EXIT WHEN cardinality(chunks) >= wanted OR 0 <= ANY(scores) OR top = 65535;
        top := least(4 * top, 65535);
    END LOOP;
    RETURN QUERY
    SELECT best.id, -best.score FROM unnest(chunks, scores) AS best (id, score)
    WHERE best.score < 0
    ORDER BY best.score, best.id;
END $$;
