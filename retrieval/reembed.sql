-- {table} is a table with an id, its vectors in "emb", and while they are made anew "emb_new".

-- name: lock
-- One at a time; it ends with the connection, also of a process that was killed.
SELECT pg_try_advisory_lock(7208114302);

-- name: exists
-- Not every installation has every table.
SELECT to_regclass(%(table)s) IS NOT NULL;

-- name: settings
-- Whose vectors there are, and whose are being made.
SELECT name, value FROM footnote_setting WHERE name IN ('embedder', 'vector_size', 'reembedding');

-- name: begin
-- Notes whose vectors are being made, so that a later run knows what it finds half done.
INSERT INTO footnote_setting (name, value) VALUES ('reembedding', %(goal)s)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, set_at = now();

-- name: start_over
-- Takes away what was made for another goal.
ALTER TABLE {table} DROP COLUMN IF EXISTS emb_new;

-- name: add_column
-- The new vectors' place. MAIN keeps them beside the row while both fit into a page.
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS emb_new vector({size});
ALTER TABLE {table} ALTER COLUMN emb_new SET STORAGE MAIN;

-- name: remaining
-- How many rows have no new vector yet.
SELECT count(*) FROM {table} WHERE emb_new IS NULL;

-- name: next_corpus
-- Chunks without a new vector, and what an ingest would show the embedder of them.
SELECT id, CASE context WHEN '' THEN text ELSE context || E'\n' || text END
FROM corpus
WHERE emb_new IS NULL AND id > %(after)s
ORDER BY id
LIMIT %(limit)s;

-- name: next_memories
-- Memories without a new vector: the embedder sees their words.
SELECT id, content FROM memories
WHERE emb_new IS NULL AND id > %(after)s
ORDER BY id
LIMIT %(limit)s;

-- name: fill
-- The new vectors of some rows, those that are still there.
UPDATE {table} SET emb_new = v.emb
FROM unnest(%(ids)s::text[], %(vectors)b::vector[]) AS v (id, emb)
WHERE {table}.id = v.id;

-- name: index
-- For each index of the old vectors one of the new, built while searches go on.
DO $$
DECLARE
    old record;
BEGIN
    FOR old IN
        SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = {name}::regclass AND a.attname = 'emb' AND i.indnatts = 1
    LOOP
        EXECUTE replace(
            replace(old.definition, 'INDEX ' || quote_ident(old.name),
                    'INDEX IF NOT EXISTS ' || quote_ident(old.name || '_new')),
            '(emb ', '(emb_new ');
    END LOOP;
END $$;

-- name: lock_table
-- The swap waits for running searches, and for no longer than it may keep others waiting.
SET LOCAL lock_timeout = '2s';
LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;

-- name: swap
-- The new vectors take the place of the old, and their indexes the old ones' names.
ALTER TABLE {table} DROP COLUMN emb;
ALTER TABLE {table} RENAME COLUMN emb_new TO emb;
DO $$
DECLARE
    fresh record;
BEGIN
    FOR fresh IN
        SELECT c.relname AS name
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = {name}::regclass AND a.attname = 'emb' AND c.relname LIKE '%\_new'
    LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', fresh.name, left(fresh.name, -4));
    END LOOP;
END $$;

-- name: finish
-- The corpus has another embedder now.
INSERT INTO footnote_setting (name, value)
VALUES ('embedder', %(embedder)s), ('vector_size', %(size)s)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, set_at = now();

-- name: forget
-- Nothing is half done any more.
DELETE FROM footnote_setting WHERE name = 'reembedding';
