-- name: public_chunks
-- All chunks that everybody may see.
SELECT source, id, service, context || E'\n' || text
FROM corpus WHERE team IS NULL AND audience IS NULL
ORDER BY document, position;
