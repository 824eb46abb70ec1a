-- name: session
-- Settings of every connection: measured to make the difference between 2 ms and 50 ms a query,
-- and to let the filters that a query leaves out vanish when it is planned.
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET plan_cache_mode = force_custom_plan;

-- name: heal
-- Rebuilds the keyword index when a crash has emptied the canary; asked of each new connection.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM bm25_canary) THEN
        PERFORM pg_advisory_xact_lock(7208114300);
        IF NOT EXISTS (SELECT FROM bm25_canary) THEN
            REINDEX INDEX corpus_bm25;
            INSERT INTO bm25_canary VALUES (1);
        END IF;
    END IF;
END $$;

-- name: maintain
-- Merges fresh index segments and refreshes the planner's counts; after an ingest, outside a transaction.
VACUUM (ANALYZE) corpus;

-- name: insert_chunks
-- Adds chunks of one document; arrays of equal length, tokens joined by spaces.
INSERT INTO corpus (id, document, position, "start", "end", source, service, doc_type, team,
                    audience, page, heading, context, text, hash, emb, bm25)
SELECT c.id, d.id, c.position, c."start", c."end", d.source, d.service, d.doc_type, d.team,
       d.audience, c.page, c.heading, c.context, c.text, c.hash, c.emb, c.tokens
FROM unnest(%(ids)s::text[], %(positions)s::int[], %(starts)s::int[], %(ends)s::int[],
            %(pages)s::int[], %(headings)s::text[], %(contexts)s::text[], %(texts)s::text[],
            %(hashes)s::text[], %(vectors)s::vector[], %(tokens)s::text[])
     AS c (id, position, "start", "end", page, heading, context, text, hash, emb, tokens)
JOIN document d ON d.id = %(document)s;

-- name: search_keywords
-- The best chunks by BM25. The filters that are given add one each to every score; that is taken off again.
SELECT id, (score - 2 - (%(services)s::text[] IS NOT NULL)::int
                      - (%(doc_types)s::text[] IS NOT NULL)::int)::float8 AS score
FROM (
    SELECT id, pdb.score(id) AS score
    FROM corpus
    WHERE bm25 ||| %(tokens)s
      AND (%(services)s::text[] IS NULL OR service = ANY(%(services)s::text[]))
      AND (%(doc_types)s::text[] IS NULL OR doc_type = ANY(%(doc_types)s::text[]))
      AND team_or_all = ANY(ARRAY['', coalesce(%(team)s::text, '')])
      AND audience_or_all = ANY(ARRAY['', coalesce(%(audience)s::text, '')])
    ORDER BY score DESC, id
    LIMIT %(limit)s
) AS best;
