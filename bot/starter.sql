-- name: asked
-- What was asked lately and ended in an answer or in NO_MATCH, the newest first, with the public
-- documents that the answer cited and that are still stored. Twice the same question: the newest.
SELECT question, stop_reason, cited, id
FROM (
    SELECT DISTINCT ON (lower(t.question)) t.id, t.question, t.stop_reason, t.started_at,
           coalesce((SELECT array_agg(DISTINCT c.source ORDER BY c.source)
                     FROM citation c
                     JOIN document d ON d.source = c.source AND d.team IS NULL AND d.audience IS NULL
                     WHERE c.turn = t.id), '{}') AS cited
    FROM turn t
    WHERE t.stop_reason IN ('cited', 'no_match', 'uncited')
    ORDER BY lower(t.question), t.started_at DESC
) AS newest
ORDER BY started_at DESC
LIMIT %(limit)s;

-- name: unhelpful
-- Those of some turns that somebody found unhelpful.
SELECT DISTINCT turn FROM feedback WHERE turn = ANY(%(turns)s) AND NOT helpful;

-- name: titles
-- A few public documents of each service, the longest first: a page of a few lines answers little.
SELECT title, source
FROM (
    SELECT title, source, service, row_number() OVER (PARTITION BY service ORDER BY characters DESC, source) AS place
    FROM document WHERE team IS NULL AND audience IS NULL
) AS placed
WHERE place <= %(each)s
ORDER BY service, place
LIMIT %(limit)s;
