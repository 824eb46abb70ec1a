-- name: search_vectors
-- The nearest chunks by cosine distance, exactly: "+ 0" keeps an approximate index out of it.
SELECT id, (emb <=> %(vector)s::vector) + 0 AS distance
FROM corpus
WHERE emb IS NOT NULL
  AND (%(services)s::text[] IS NULL OR service = ANY(%(services)s::text[]))
  AND (%(doc_types)s::text[] IS NULL OR doc_type = ANY(%(doc_types)s::text[]))
  AND (team IS NULL OR team = %(team)s::text)
  AND (audience IS NULL OR audience = %(audience)s::text)
ORDER BY distance, id
LIMIT %(limit)s;

-- name: many_match
-- Whether there is an index on the vectors, and more chunks match than are read one by one.
SELECT coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('corpus_emb')), false)
   AND EXISTS (
    SELECT FROM corpus
    WHERE (%(services)s::text[] IS NULL OR service = ANY(%(services)s::text[]))
      AND (%(doc_types)s::text[] IS NULL OR doc_type = ANY(%(doc_types)s::text[]))
      AND (team IS NULL OR team = %(team)s::text)
      AND (audience IS NULL OR audience = %(audience)s::text)
    OFFSET %(exact_up_to)s::int
);

-- name: search_vectors_nearly
-- The nearest chunks by cosine distance as the index finds them: four times as many, because it
-- gives them nearly in order and may miss one, then in order.
SELECT id, distance
FROM (
    SELECT id, emb <=> %(vector)s::vector AS distance
    FROM corpus
    WHERE (%(services)s::text[] IS NULL OR service = ANY(%(services)s::text[]))
      AND (%(doc_types)s::text[] IS NULL OR doc_type = ANY(%(doc_types)s::text[]))
      AND (team IS NULL OR team = %(team)s::text)
      AND (audience IS NULL OR audience = %(audience)s::text)
    ORDER BY emb <=> %(vector)s::vector
    LIMIT 4 * %(limit)s::int
) AS near
ORDER BY distance, id
LIMIT %(limit)s;

-- name: passages
-- What a person sees of the chunks that a search found, and how far each is from the question.
SELECT c.id, c.document, c.source, d.title, c.heading, c.context, c.page, c.service, c.doc_type,
       d.link, c.text, c.emb <=> %(vector)s::vector AS distance
FROM corpus c
JOIN document d ON d.id = c.document
WHERE c.id = ANY(%(ids)s::text[]);

-- name: around
-- The chunks before and after one, itself included, for whoever may find that one.
SELECT c.position, c."start", c."end", c.id, c.document, c.source, d.title, c.heading, c.context, c.page,
       c.service, c.doc_type, d.link, c.text
FROM corpus here
JOIN corpus c ON c.document = here.document
             AND c.position BETWEEN here.position - %(reach)s::int AND here.position + %(reach)s::int
JOIN document d ON d.id = c.document
WHERE here.id = %(id)s::text
  AND (%(services)s::text[] IS NULL OR here.service = ANY(%(services)s::text[]))
  AND (%(doc_types)s::text[] IS NULL OR here.doc_type = ANY(%(doc_types)s::text[]))
  AND (here.team IS NULL OR here.team = %(team)s::text)
  AND (here.audience IS NULL OR here.audience = %(audience)s::text)
ORDER BY c.position;

-- name: stored_documents
-- What is stored already, of the documents named.
SELECT id, hash, collection FROM document WHERE id = ANY(%(ids)s::text[]);

-- name: collected
-- Every document of one team and audience that came from one folder, with its source.
SELECT id, source FROM document
WHERE team IS NOT DISTINCT FROM %(team)s::text AND audience IS NOT DISTINCT FROM %(audience)s::text
  AND collection = %(collection)s::text;

-- name: take_over
-- Documents that didn't change but come from elsewhere now.
UPDATE document SET collection = %(collection)s::text WHERE id = ANY(%(ids)s::text[]);

-- name: claim_embedder
-- Whose vectors the corpus has; the first ingest's embedder, until they are made anew by another.
INSERT INTO footnote_setting (name, value) VALUES ('embedder', %(embedder)s::text)
ON CONFLICT (name) DO UPDATE SET value = footnote_setting.value
RETURNING value;

-- name: embedder
-- Whose vectors the corpus has.
SELECT value FROM footnote_setting WHERE name = 'embedder';

-- name: chunk_hashes
-- The chunks that documents have now.
SELECT id, hash FROM corpus WHERE document = ANY(%(documents)s::text[]);

-- name: lock_corpus
-- Taken before the embedder is asked for: who changes it holds the table alone.
LOCK TABLE corpus IN ROW EXCLUSIVE MODE;

-- name: lock_documents
-- Makes writers of one document wait for each other, to the end of the transaction. In one order
-- for everyone, so that two writers of several can't wait for each other.
SELECT pg_advisory_xact_lock(hashtextextended(d, 7208114301))
FROM unnest(%(documents)s::text[]) AS d;

-- name: upsert_documents
-- Adds documents, or replaces what is known of them; arrays of equal length, pages written {1,2}.
INSERT INTO document (id, team, audience, source, collection, title, service, doc_type, link, hash,
                      characters, pages_without_text)
SELECT d.id, d.team, d.audience, d.source, d.collection, d.title, d.service, d.doc_type, d.link,
       d.hash, d.characters, d.pages::int[]
FROM unnest(%(documents)s::text[], %(teams)s::text[], %(audiences)s::text[], %(sources)s::text[],
            %(collections)s::text[], %(titles)s::text[], %(services)s::text[],
            %(doc_types)s::text[], %(links)s::text[], %(hashes)s::text[], %(characters)s::int[],
            %(pages)s::text[])
     AS d (id, team, audience, source, collection, title, service, doc_type, link, hash, characters,
           pages)
ON CONFLICT (id) DO UPDATE
SET collection = excluded.collection, title = excluded.title, service = excluded.service, doc_type = excluded.doc_type,
    link = excluded.link, hash = excluded.hash, characters = excluded.characters,
    pages_without_text = excluded.pages_without_text, updated_at = now();

-- name: delete_other_chunks
-- Removes the chunks of documents that they have no longer, or have in another form.
DELETE FROM corpus
WHERE document = ANY(%(documents)s::text[]) AND NOT id = ANY(%(kept)s::text[]);

-- name: update_chunks
-- Moves chunks that kept their text to where they are now; touches only those that moved.
UPDATE corpus
SET position = c.position, "start" = c."start", "end" = c."end", page = c.page,
    heading = c.heading, service = d.service, doc_type = d.doc_type
FROM unnest(%(ids)s::text[], %(positions)s::int[], %(starts)s::int[], %(ends)s::int[],
            %(pages)s::int[], %(headings)s::text[])
     AS c (id, position, "start", "end", page, heading), document d
WHERE corpus.id = c.id AND d.id = corpus.document
  AND (corpus.position, corpus."start", corpus."end", corpus.page, corpus.heading,
       corpus.service, corpus.doc_type)
      IS DISTINCT FROM
      (c.position, c."start", c."end", c.page, c.heading, d.service, d.doc_type);

-- name: make_incoming
-- Where new chunks wait for the value that the engine makes of their tokens; a connection has its
-- own, emptied at the end of each transaction.
CREATE TEMPORARY TABLE IF NOT EXISTS incoming (
    id text, team text, audience text, service text, doc_type text, emb vector, document text,
    position integer, "start" integer, "end" integer, source text, page integer, heading text,
    context text, text text, hash text, tokens text
) ON COMMIT DELETE ROWS;

-- name: copy_incoming
-- Takes chunks in, in PostgreSQL's binary form.
COPY pg_temp.incoming (id, team, audience, service, doc_type, emb, document, position, "start", "end",
                       source, page, heading, context, text, hash, tokens)
FROM STDIN (FORMAT BINARY);

-- name: delete_documents
-- Removes documents and, by the foreign key, their chunks.
DELETE FROM document WHERE id = ANY(%(ids)s::text[]);

-- name: counts
-- How much there is.
SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM corpus);

-- name: maintain_lock
-- Lets one at a time bring the indexes in order; never waits.
SELECT pg_try_advisory_lock(7208114304);

-- name: maintain_unlock
-- Lets the next one.
SELECT pg_advisory_unlock(7208114304);
