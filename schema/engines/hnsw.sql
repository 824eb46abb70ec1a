-- name: near_settings
-- Settings of one approximate search with pgvector, to the end of its transaction: which index to
-- take, and to go on looking until enough rows pass the filters.
SELECT set_config('hnsw.ef_search', '200', true),
       set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', '40000', true),
       set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_sort', 'off', true);

-- name: index_vectors_due
-- Whether the table has become too large to be searched without an index on the vectors.
SELECT to_regclass('corpus_emb') IS NULL AND EXISTS (SELECT FROM corpus OFFSET 15000);

-- name: index_vectors
-- Builds the index in one transaction, during which searches go on and writers wait. No parallel
-- workers: theirs would be shared memory, of which a container has little.
SELECT pg_advisory_xact_lock(7208114302);
SET LOCAL maintenance_work_mem = '512MB';
SET LOCAL max_parallel_maintenance_workers = 0;
CREATE INDEX IF NOT EXISTS corpus_emb ON corpus USING hnsw (emb vector_cosine_ops)
    WITH (m = 16, ef_construction = 64);
