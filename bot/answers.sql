-- name: document_dates
-- When some documents were last changed here.
SELECT id, updated_at::date FROM document WHERE id = ANY(%(documents)s)

-- name: turn_seen
-- A finished turn, for somebody who sees it: where it is clicked is where it was asked.
SELECT t.id, t.session, t.team, t.channel, t.ts, s.root_ts, t.question, t.stop_reason, t.outcome, t.reply_ts,
       t.only_for
FROM turn t JOIN session s ON s.id = t.session
WHERE t.id = %(turn)s AND t.team = %(team)s AND t.channel = %(channel)s AND t.outcome IS NOT NULL
  AND (t.only_for IS NULL OR t.only_for = %(person)s)

-- name: documents_seen
-- How many of these documents may be seen in a channel.
SELECT count(*) FROM document
WHERE id = ANY(%(documents)s) AND (team IS NULL OR team = %(team)s) AND (audience IS NULL OR audience = %(channel)s)

-- name: asked_with
-- The filters that were written into a turn's question.
SELECT i.services, i.doc_types FROM inbox i JOIN turn t ON t.inbox = i.id WHERE t.id = %(turn)s

-- name: share_again
-- Let a share that could not be posted wait again. No row: it is on its way, or there.
UPDATE inbox SET state = 'pending', reason = NULL, attempts = 1, ended_at = NULL, since = now(),
       response_url = %(response_url)s
WHERE event_id = %(event_id)s AND state = 'failed'
RETURNING session

-- name: chunks_seen
-- What chunks are of, for whoever may see them in a channel.
SELECT c.id, d.title, c.heading, c.service, d.updated_at, left(d.hash, 8)
FROM corpus c JOIN document d ON d.id = c.document
WHERE c.id = ANY(%(chunks)s) AND (c.team IS NULL OR c.team = %(team)s)
  AND (c.audience IS NULL OR c.audience = %(channel)s)

-- name: vote
-- A person's vote on a turn; the last one counts.
INSERT INTO feedback (turn, person, helpful) VALUES (%(turn)s, %(person)s, %(helpful)s)
ON CONFLICT (turn, person) DO UPDATE SET helpful = excluded.helpful, at = now(),
       reason = CASE WHEN excluded.helpful THEN NULL ELSE feedback.reason END

-- name: correct
-- What a person says is wrong with an answer, and how it should be.
INSERT INTO feedback (turn, person, reason, correction) VALUES (%(turn)s, %(person)s, %(reason)s, %(correction)s)
ON CONFLICT (turn, person) DO UPDATE SET reason = excluded.reason, correction = excluded.correction, at = now()

-- name: said_of_turn
-- What people say of a turn, the newest first.
SELECT person, helpful, reason, correction FROM feedback WHERE turn = %(turn)s ORDER BY at DESC

-- name: gaps
-- What was asked some days ago at most and not answered, or not well, the newest first.
-- What was answered when it was asked once more in its thread, without its filter, is none.
SELECT t.id, t.channel, t.question, t.stop_reason,
       (SELECT count(*) FROM feedback f WHERE f.turn = t.id AND NOT f.helpful) AS unhelpful,
       ARRAY(SELECT before.question FROM turn before WHERE before.session = t.session AND before.started_at < t.started_at
             ORDER BY before.started_at) AS earlier
FROM turn t
WHERE t.team = %(team)s AND t.only_for IS NULL AND t.started_at > now() - make_interval(days => %(days)s)
  AND ((t.stop_reason IN ('uncited', 'budget')
        OR (t.stop_reason = 'no_match' AND jsonb_array_length(t.outcome -> 'searched') > 0))
       AND NOT EXISTS (SELECT FROM turn again
                       WHERE again.session = t.session AND again.started_at > t.started_at
                         AND again.stop_reason = 'cited' AND strpos(t.question, again.question) > 0)
       OR EXISTS (SELECT FROM feedback f WHERE f.turn = t.id AND NOT f.helpful))
  AND NOT EXISTS (SELECT FROM turn later WHERE (later.team, later.channel, later.ts) = (t.team, t.channel, t.ts)
                  AND later.revision > t.revision)
ORDER BY t.started_at DESC LIMIT %(most)s

-- name: add_notice
-- Have something told, once. No row: it is, or will be.
INSERT INTO notice (id, kind, turn, target, person)
VALUES (%(id)s, %(kind)s, %(turn)s, %(target)s, %(person)s)
ON CONFLICT (id) DO NOTHING RETURNING id

-- name: take_notice
-- A notice that is still to be posted, held by this transaction; none: it is posted, or somebody is at it.
SELECT n.id, n.kind, n.turn, n.target, n.person, extract(epoch FROM n.at)::float8 AS at,
       t.session, t.channel, t.ts, s.root_ts, t.question, n.posts_at
FROM notice n JOIN turn t ON t.id = n.turn JOIN session s ON s.id = t.session
WHERE n.id = %(id)s AND n.state = 'pending' FOR UPDATE OF n SKIP LOCKED

-- name: line_notice_up
-- A notice has a time in its channel's line.
UPDATE notice SET posts_at = %(posts_at)s WHERE id = %(id)s

-- name: rest_notice
-- A notice lets others post first; it is told after so many seconds.
UPDATE notice SET rests_until = now() + make_interval(secs => %(seconds)s) WHERE id = %(id)s

-- name: end_notice
-- A notice is posted, or can't be.
UPDATE notice SET state = %(state)s WHERE id = %(id)s

-- name: notices_left
-- Notices that should be posted by now, each let rest for as long as it has waited, ten minutes at most; after
-- a day nobody wants them any more.
UPDATE notice SET rests_until = now() + least(now() - at, interval '10 minutes')
WHERE id IN (SELECT id FROM notice
             WHERE state = 'pending' AND at > now() - interval '1 day'
               AND coalesce(rests_until, at) < now() - interval '30 seconds'
             ORDER BY at LIMIT 100 FOR UPDATE SKIP LOCKED)
RETURNING id
