-- name: kinds
-- Every pair of service and doc_type that a search with these rights could find, and how many
-- documents have it.
SELECT service, doc_type, count(*)
FROM document
WHERE (team IS NULL OR team = %(team)s::text)
  AND (audience IS NULL OR audience = ANY(%(audiences)s::text[]))
GROUP BY service, doc_type
ORDER BY service, doc_type;

-- name: latest
-- The documents that were stored or changed last, of those that these rights let see.
SELECT title, service, doc_type, link, audience, updated_at
FROM document
WHERE (team IS NULL OR team = %(team)s::text)
  AND (audience IS NULL OR audience = ANY(%(audiences)s::text[]))
ORDER BY updated_at DESC, id
LIMIT %(most)s;
