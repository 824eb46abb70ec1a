-- name: entries
-- The documents of the whole installation, or with "everyone" all of them.
SELECT d.id, d.source, d.title, d.service, d.doc_type, d.link, d.team, d.audience, d.collection,
       (SELECT count(*) FROM corpus c WHERE c.document = d.id), d.characters,
       d.pages_without_text, d.updated_at
FROM document d
WHERE (%(services)s::text[] IS NULL OR d.service = ANY(%(services)s::text[]))
  AND (%(doc_types)s::text[] IS NULL OR d.doc_type = ANY(%(doc_types)s::text[]))
  AND (%(everyone)s::bool OR (d.team IS NULL AND d.audience IS NULL))
ORDER BY d.service, d.source, d.team NULLS FIRST, d.audience NULLS FIRST;

-- name: named
-- The documents of these ids, and those of these sources.
SELECT d.id, d.source, d.title, d.service, d.doc_type, d.link, d.team, d.audience, d.collection,
       (SELECT count(*) FROM corpus c WHERE c.document = d.id), d.characters,
       d.pages_without_text, d.updated_at
FROM document d
WHERE d.id = ANY(%(names)s::text[])
   OR (d.source = ANY(%(names)s::text[])
       AND (%(everyone)s::bool OR (d.team IS NULL AND d.audience IS NULL)))
ORDER BY d.source, d.team NULLS FIRST, d.audience NULLS FIRST;

-- name: pieces
-- The chunks of one document in their order.
SELECT id, position, "start", "end", page, heading, context, text
FROM corpus
WHERE document = %(document)s
ORDER BY position;

-- name: delete
-- Removes documents and, by the foreign key, their chunks: one statement, all or none.
DELETE FROM document WHERE id = ANY(%(ids)s::text[]);
