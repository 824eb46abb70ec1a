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
            -- What a rebuild cut short has left would be written to with every chunk.
            DROP INDEX IF EXISTS corpus_bm25_ccnew, corpus_bm25_ccold;
            REINDEX INDEX corpus_bm25;
            INSERT INTO bm25_canary VALUES (1);
        END IF;
    END IF;
END $$;

-- name: maintain
-- Merges fresh index segments and refreshes the planner's counts; after an ingest, outside a transaction.
VACUUM (ANALYZE) corpus;

-- name: rebuild_due
-- Whether a search has to visit many segments, or large ones beside the largest (each costs about as
-- much as a thousand chunks), or whether dead chunks, which stay in the statistics that scores come
-- from, are more than a few: none in a small corpus, where a rebuild takes no time. True takes a
-- lock, so that one connection at a time rebuilds.
SELECT (
    SELECT count(*) > 8
        OR sum(num_docs) - max(num_docs) > greatest(1000, sum(num_docs) / 4)
        OR sum(num_deleted) > CASE WHEN sum(num_docs) < 5000 THEN 0 ELSE sum(num_docs) / 20 END
    FROM paradedb.index_info('corpus_bm25')
) AND pg_try_advisory_lock(7208114303);

-- name: rebuild_clear
-- Removes what a rebuild cut short has left.
DROP INDEX IF EXISTS corpus_bm25_ccnew, corpus_bm25_ccold;

-- name: rebuild
-- Makes few large segments of many small ones, while searches and writers go on.
REINDEX INDEX CONCURRENTLY corpus_bm25;

-- name: rebuild_done
-- Lets the next one rebuild.
SELECT pg_advisory_unlock(7208114303);

-- name: copy_chunks
-- Takes chunks in, in PostgreSQL's binary form.
COPY corpus (id, team, audience, service, doc_type, emb, document, position, "start", "end", source,
             page, heading, context, text, hash, bm25)
FROM STDIN (FORMAT BINARY);

-- name: search_keywords
-- The best chunks by BM25. The filters that are given add one each to every score; that is taken off
-- again. Ordered by nothing but the score, or the index would have to score every match.
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
    ORDER BY score DESC
    LIMIT %(limit)s
) AS best;
