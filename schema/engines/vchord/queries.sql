-- name: session
-- Settings of every connection: those of the other engines, and fresh chunks sealed early, because
-- filters act inside the index on sealed ones only.
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET plan_cache_mode = force_custom_plan;
SET bm25_catalog.segment_growing_max_page_size = 128;

-- name: near_settings
-- Settings of one search through the vector index, to the end of its transaction. Filtering before
-- distances are counted pays when a filter leaves little. `vchordrq.probes` is never set: it must
-- match the lists of the index, which has none.
SELECT set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_sort', 'off', true),
       set_config('vchordrq.prefilter', CASE
           WHEN %(services)s::text[] IS NULL AND %(doc_types)s::text[] IS NULL THEN 'off'
           ELSE 'on'
       END, true);

-- name: maintain
-- Takes dead chunks off the counts that the scores come from, and refreshes the planner's.
VACUUM (ANALYZE) corpus, term;

-- name: rebuild_due
-- Whether there are twice the chunks that there were when the index was last built. True takes a
-- lock, so that one connection at a time rebuilds.
SELECT (SELECT count(*) FROM corpus) > greatest(5000, 2 * (SELECT chunks FROM bm25_built))
   AND pg_try_advisory_lock(7208114303);

-- name: rebuild_clear
-- Removes what a rebuild cut short has left.
DROP INDEX IF EXISTS corpus_bm25_ccnew, corpus_bm25_ccold;

-- name: rebuild
-- Makes one sealed segment of what a bulk load has left, while searches and writers go on.
REINDEX INDEX CONCURRENTLY corpus_bm25;

-- name: rebuild_note
-- Notes how many chunks the index was built of.
UPDATE bm25_built SET chunks = (SELECT count(*) FROM corpus);

-- name: rebuild_done
-- Lets the next one rebuild.
SELECT pg_advisory_unlock(7208114303);

-- name: insert_words
-- Adds the words not seen before, in one order for everyone, so that two ingests can't deadlock.
INSERT INTO term (token)
SELECT DISTINCT word
FROM unnest(%(tokens)s::text[]) AS t (joined), string_to_table(t.joined, ' ') AS word
WHERE word <> '' AND NOT EXISTS (SELECT FROM term WHERE term.token = word)
ORDER BY word
ON CONFLICT DO NOTHING;

-- name: insert_chunks
-- Adds the chunks that came in. A chunk's words are written as bm25vector reads them,
-- {number:times, …}, in ascending order.
INSERT INTO corpus (id, team, audience, service, doc_type, emb, document, position, "start", "end",
                    source, page, heading, context, text, hash, bm25)
SELECT c.id, c.team, c.audience, c.service, c.doc_type, c.emb, c.document, c.position, c."start",
       c."end", c.source, c.page, c.heading, c.context, c.text, c.hash, (
           SELECT '{' || string_agg(w.id || ':' || w.times, ', ' ORDER BY w.id) || '}'
           FROM (
               SELECT term.id, count(*) AS times
               FROM string_to_table(c.tokens, ' ') AS word
               JOIN term ON term.token = word
               GROUP BY term.id
           ) AS w
       )::bm25_catalog.bm25vector
FROM pg_temp.incoming AS c;

-- name: search_keywords
-- The best chunks by BM25; create.sql has the function and how it goes about it.
SELECT chunk, points
FROM search_keywords(%(tokens)s::text, %(services)s::text[], %(doc_types)s::text[],
                     %(team)s::text, %(audience)s::text, %(limit)s::int);
