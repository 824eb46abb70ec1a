-- name: session
-- Settings of every connection: the queries are short, so compiling and parallel workers cost more
-- than they bring, and filters that a query leaves out vanish when it is planned.
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET plan_cache_mode = force_custom_plan;

-- name: maintain
-- Refreshes the planner's counts and the maps that let counts read indexes only.
VACUUM (ANALYZE) corpus, term, posting;

-- name: insert_words
-- Adds the words not seen before, in one order for everyone, so that two ingests can't deadlock.
INSERT INTO term (token)
SELECT DISTINCT word
FROM unnest(%(tokens)s::text[]) AS t (joined), string_to_table(t.joined, ' ') AS word
WHERE word <> '' AND NOT EXISTS (SELECT FROM term WHERE term.token = word)
ORDER BY word
ON CONFLICT DO NOTHING;

-- name: insert_chunks
-- Adds the chunks that came in, and a posting for each word of each.
WITH counted AS MATERIALIZED (
    SELECT *, coalesce(array_length(string_to_array(nullif(tokens, ''), ' '), 1), 0) AS dl
    FROM pg_temp.incoming
), added AS (
    INSERT INTO corpus (id, team, audience, service, doc_type, emb, document, position, "start", "end",
                        source, page, heading, context, text, hash, bm25)
    SELECT id, team, audience, service, doc_type, emb, document, position, "start", "end",
           source, page, heading, context, text, hash, dl
    FROM counted
    RETURNING id, number
)
INSERT INTO posting (term, chunk, tf, dl)
SELECT term.id, added.number, count(*), c.dl
FROM counted AS c
JOIN added ON added.id = c.id,
     string_to_table(c.tokens, ' ') AS word
JOIN term ON term.token = word
GROUP BY term.id, added.number, c.dl;

-- name: search_keywords
-- The best chunks by BM25 as Lucene counts it (k1 = 1.2, b = 0.75), exactly.
WITH whole AS MATERIALIZED (
    SELECT count(*)::float8 AS chunks, avg(bm25)::float8 AS length FROM corpus
), asked AS MATERIALIZED (
    SELECT term.id, ln(1 + (whole.chunks - df.chunks + 0.5) / (df.chunks + 0.5)) AS idf
    FROM whole, term, LATERAL (
        SELECT count(*)::float8 AS chunks FROM posting WHERE posting.term = term.id
    ) AS df
    WHERE term.token = ANY(string_to_array(%(tokens)s::text, ' '))
)
SELECT corpus.id,
       sum(asked.idf * 2.2 * p.tf / (p.tf + 1.2 * (0.25 + 0.75 * p.dl / whole.length))) AS score
FROM whole, asked
JOIN posting p ON p.term = asked.id
JOIN corpus ON corpus.number = p.chunk
WHERE (%(services)s::text[] IS NULL OR corpus.service = ANY(%(services)s::text[]))
  AND (%(doc_types)s::text[] IS NULL OR corpus.doc_type = ANY(%(doc_types)s::text[]))
  AND (corpus.team IS NULL OR corpus.team = %(team)s::text)
  AND (corpus.audience IS NULL OR corpus.audience = %(audience)s::text)
GROUP BY corpus.id
ORDER BY score DESC, corpus.id
LIMIT %(limit)s;
