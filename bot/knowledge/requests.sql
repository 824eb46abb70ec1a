-- name: accept
-- Store what somebody wants to have ingested, once. No row: it was here already.
INSERT INTO ingest_request (id, team, channel, thread_ts, author, seen_by, service, doc_type, response_url, refreshes)
VALUES (%(id)s, %(team)s, %(channel)s, %(thread_ts)s, %(author)s, %(seen_by)s, %(service)s, %(doc_type)s,
        %(response_url)s, %(refreshes)s)
ON CONFLICT (id) DO NOTHING
RETURNING id

-- name: accept_item
-- Store one thing to ingest.
INSERT INTO ingest_item (request, position, kind, location, title, text)
VALUES (%(request)s, %(position)s, %(kind)s, %(location)s, %(title)s, %(text)s)

-- name: lock
-- One worker at a time is at a request; the lock dies with its connection.
SELECT pg_try_advisory_lock(hashtextextended('footnote.ingest:' || %(id)s, 0))

-- name: unlock
-- Give it back.
SELECT pg_advisory_unlock(hashtextextended('footnote.ingest:' || %(id)s, 0))

-- name: take_up
-- A request that is to be done, counting the attempt. No row: it is done.
UPDATE ingest_request SET attempts = attempts + 1, touched_at = now()
WHERE id = %(id)s AND state = 'pending'
RETURNING id, team, channel, thread_ts, author, seen_by, service, doc_type, response_url, refreshes, message_ts, posts_at, attempts,
          extract(epoch FROM created_at)::float8 AS created_at

-- name: items
-- What a request is about, in order.
SELECT position, kind, location, title, text, result FROM ingest_item
WHERE request = %(id)s ORDER BY position

-- name: line_up
-- A request's message has a time in its channel's line.
UPDATE ingest_request SET posts_at = %(posts_at)s WHERE id = %(id)s

-- name: rest
-- A request lets others post first, for so long. Nothing was tried, so this was no attempt.
UPDATE ingest_request SET attempts = attempts - 1, touched_at = now() + make_interval(secs => %(seconds)s)
WHERE id = %(id)s AND state = 'pending'

-- name: posted
-- Slack has the message of a request.
UPDATE ingest_request SET message_ts = %(ts)s WHERE id = %(id)s AND message_ts IS NULL

-- name: begun
-- Which document an item becomes, and the version of it that was there before the first attempt.
UPDATE ingest_item SET document = %(document)s, before = coalesce(before, %(before)s)
WHERE request = %(id)s AND position = %(position)s
RETURNING before

-- name: settle
-- What an item has come to; its words stand in the document now.
UPDATE ingest_item SET result = %(result)s, text = NULL
WHERE request = %(id)s AND position = %(position)s AND result IS NULL

-- name: finish
-- A request is over, its receipt shown.
UPDATE ingest_request SET state = 'done', finished_at = now(), response_url = NULL WHERE id = %(id)s

-- name: stale
-- Requests that nobody has been at for a while.
SELECT id FROM ingest_request
WHERE state = 'pending' AND touched_at < now() - make_interval(secs => %(seconds)s)
ORDER BY touched_at LIMIT 100

-- name: duplicates
-- Other documents of the very same text, among those that may be seen where this one is.
SELECT d.title FROM document d JOIN document mine ON mine.id = %(document)s
WHERE d.id <> mine.id AND d.characters = mine.characters
  AND (d.team IS NULL OR d.team = %(team)s) AND (d.audience IS NULL OR d.audience = %(channel)s)
  AND NOT EXISTS (SELECT FROM corpus a
                  WHERE a.document = mine.id
                    AND NOT EXISTS (SELECT FROM corpus b
                                    WHERE b.document = d.id AND b.position = a.position AND b.text = a.text))
ORDER BY d.title LIMIT 5

-- name: visible
-- Documents that may be seen in a channel, the latest first, with who brought each and from where.
SELECT d.id, d.title, d.service, d.doc_type, d.link, d.audience, d.updated_at,
       (SELECT count(*) FROM corpus c WHERE c.document = d.id) AS chunks,
       origin.author, origin.kind, origin.location
FROM document d
LEFT JOIN LATERAL (
    SELECT r.author, i.kind, i.location FROM ingest_item i JOIN ingest_request r ON r.id = i.request
    WHERE i.document = d.id AND r.team = %(team)s AND r.refreshes IS NULL ORDER BY r.created_at DESC LIMIT 1
) AS origin ON true
WHERE (d.team IS NULL OR d.team = %(team)s) AND (d.audience IS NULL OR d.audience = %(channel)s)
  AND (%(document)s::text IS NULL OR d.id = %(document)s::text)
  AND (%(words)s::text IS NULL OR strpos(lower(d.title || ' ' || d.service || ' ' || d.doc_type), lower(%(words)s::text)) > 0)
ORDER BY d.updated_at DESC, d.id LIMIT %(most)s OFFSET %(skip)s

-- name: lock_refresh
-- One refresh of a document at a time is accepted.
SELECT pg_advisory_xact_lock(hashtextextended('footnote.refresh:' || %(document)s, 0))

-- name: refreshing
-- Is a document about to be fetched again?
SELECT EXISTS (SELECT FROM ingest_request WHERE state = 'pending' AND refreshes = %(document)s)

-- name: gone
-- Has a document been deleted?
SELECT NOT EXISTS (SELECT FROM document WHERE id = %(document)s)

-- name: delete
-- Remove a document that may be seen in a channel, with its chunks; by those who may.
DELETE FROM document
WHERE id = %(document)s
  AND (team IS NULL OR team = %(team)s) AND (audience IS NULL OR audience = %(channel)s)
RETURNING title
