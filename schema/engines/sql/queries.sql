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
-- Adds chunks of one document, and a posting for each word of each; arrays of equal length,
-- tokens joined by spaces.
WITH incoming AS MATERIALIZED (
    SELECT *, coalesce(array_length(string_to_array(nullif(tokens, ''), ' '), 1), 0) AS dl
    FROM unnest(%(ids)s::text[], %(positions)s::int[], %(starts)s::int[], %(ends)s::int[],
                %(pages)s::int[], %(headings)s::text[], %(contexts)s::text[], %(texts)s::text[],
                %(hashes)s::text[], %(vectors)b::vector[], %(tokens)s::text[])
         AS c (id, position, "start", "end", page, heading, context, text, hash, emb, tokens)
), added AS (
    INSERT INTO corpus (id, document, position, "start", "end", source, service, doc_type, team,
                        audience, page, heading, context, text, hash, emb, bm25)
    SELECT c.id, d.id, c.position, c."start", c."end", d.source, d.service, d.doc_type, d.team,
           d.audience, c.page, c.heading, c.context, c.text, c.hash, c.emb, c.dl
    FROM incoming AS c
    JOIN document d ON d.id = %(document)s
    RETURNING id, number
)
INSERT INTO posting (term, chunk, tf, dl)
SELECT term.id, added.number, count(*), c.dl
FROM incoming AS c
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
