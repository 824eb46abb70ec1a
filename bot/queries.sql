-- name: lock_acceptance
-- Messages of one session are accepted one after the other, so that their ids are in that order.
SELECT pg_advisory_xact_lock(hashtextextended('footnote.accept:' || %(session)s, 0))

-- name: accept
-- Store a message once, however often Slack delivers it. No row: it was here already. What gets no
-- answer where it stands puts no question right, which would be left without one then.
INSERT INTO inbox (event_id, session, kind, team, channel, ts, root_ts, author, text, services, doc_types, response_url,
                   revision, replaces, clips)
VALUES (%(event_id)s, %(session)s, %(kind)s, %(team)s, %(channel)s, %(ts)s, %(root_ts)s, %(author)s, %(text)s,
        %(services)s, %(doc_types)s, %(response_url)s, %(revision)s,
        %(replaces)s AND NOT EXISTS (
            SELECT FROM channel_setting
            WHERE (team, channel, mode) = (%(team)s, %(channel)s, 'mention') AND %(kind)s = 'reply')
        AND NOT EXISTS (SELECT FROM session WHERE id = %(session)s AND muted AND %(kind)s <> 'mention'),
        %(clips)s)
ON CONFLICT (event_id) DO NOTHING
RETURNING id

-- name: waiting_sessions
-- Sessions whose oldest waiting message may be taken up now, the longest wait first.
SELECT session FROM inbox WHERE state = 'pending'
GROUP BY session HAVING coalesce(max(rests_until), now()) <= now()
ORDER BY min(id) LIMIT 1000

-- name: session_waits
-- Has this session a message that may be taken up now?
SELECT count(*) > 0 AND coalesce(max(rests_until), now()) <= now()
FROM inbox WHERE session = %(session)s AND state = 'pending'

-- name: lock_summary
-- One summary of a session at a time; held until it is unlocked or its connection dies.
SELECT pg_try_advisory_lock(hashtextextended('footnote.summary:' || %(session)s, 0))

-- name: unlock_summary
-- Give the lock of a session's summary back.
SELECT pg_advisory_unlock(hashtextextended('footnote.summary:' || %(session)s, 0))

-- name: lock_session
-- Take the session's lock, held by this connection until it unlocks or dies.
SELECT pg_try_advisory_lock(hashtextextended('footnote.session:' || %(session)s, 0))

-- name: unlock_session
-- Give the session's lock back.
SELECT pg_advisory_unlock(hashtextextended('footnote.session:' || %(session)s, 0))

-- name: next_message
-- The oldest waiting message of a session, unless it rests; taking it counts as an attempt. Oldest by
-- when it was posted, or edited: what Slack delivers side by side is accepted in any order.
UPDATE inbox SET attempts = attempts + 1, rests_until = NULL, since = coalesce(since, now())
WHERE id = (SELECT id FROM inbox WHERE session = %(session)s AND state = 'pending'
            ORDER BY coalesce(nullif(revision, ''), ts) COLLATE "C", id LIMIT 1)
  AND state = 'pending' AND coalesce(rests_until, now()) <= now()
RETURNING id, event_id, kind, team, channel, ts, root_ts, author, text, services, doc_types, response_url, revision, clips, attempts,
          stopped, extract(epoch FROM accepted_at)::float8 AS accepted_at,
          extract(epoch FROM now() - since)::float8 AS tried_seconds

-- name: end_message
-- A message is over: answered, ignored (and why), or failed (and why). Its words are kept for a
-- retry only: an answered question stands in its turn, and what was not for the bot is forgotten
-- (a reply in a thread that isn't ours a while later: its root may still be on the way).
UPDATE inbox SET state = %(state)s, reason = %(reason)s, ended_at = now(), response_url = NULL,
       text = CASE WHEN %(state)s = 'failed' OR %(reason)s::text = 'not_ours' THEN text ELSE '' END
WHERE id = %(id)s AND state = 'pending'

-- name: rest_message
-- A message failed and waits a while before it is taken up again.
UPDATE inbox SET rests_until = now() + make_interval(secs => %(seconds)s) WHERE id = %(id)s AND state = 'pending'

-- name: root_posted
-- A slash command's question has been posted: it now is a message of the thread it began, and its
-- answer is another post, which takes a time of its own.
UPDATE inbox SET ts = %(ts)s, root_ts = %(ts)s, session = %(session)s, attempts = 0, posts_at = NULL
WHERE id = %(id)s AND state = 'pending'

-- name: session_known
-- Has anybody addressed the bot in this thread, above this message?
SELECT EXISTS (SELECT FROM turn WHERE session = %(session)s AND ts <= %(ts)s)
    OR EXISTS (SELECT FROM inbox WHERE session = %(session)s AND ts < %(ts)s AND kind IN ('mention', 'direct', 'command', 'share'))

-- name: is_twin
-- Is this another copy of a post that came before? Slack sends a mention under two events.
SELECT EXISTS (SELECT FROM inbox WHERE (team, channel, ts, revision) = (%(team)s, %(channel)s, %(ts)s, %(revision)s)
                                   AND id < %(id)s)

-- name: reopen_replies
-- Replies below a question that came in, or were posted, before the question was known here.
UPDATE inbox SET state = 'pending', reason = NULL, ended_at = NULL
WHERE session = %(session)s AND state = 'ignored' AND reason = 'not_ours' AND text <> '' AND ts > %(ts)s

-- name: forget_replies
-- What was said in threads that aren't ours is forgotten when no question has come up for it.
UPDATE inbox SET text = '' WHERE reason = 'not_ours' AND text <> '' AND ended_at < now() - interval '10 minutes'

-- name: open_session
-- Make the session, or leave it as it is.
INSERT INTO session (id, team, channel, root_ts) VALUES (%(session)s, %(team)s, %(channel)s, %(root_ts)s)
ON CONFLICT (id) DO NOTHING

-- name: begin_turn
-- Claim a post for one message and count the attempt, at the log's version of now. An edit takes over
-- the reply to the post as it was before. No row: another copy of the post has it.
INSERT INTO turn (id, session, inbox, team, channel, ts, revision, question, only_for, attempt, log_version, reply_ts)
VALUES (%(turn)s, %(session)s, %(inbox)s, %(team)s, %(channel)s, %(ts)s, %(revision)s, %(question)s, %(only_for)s, 1,
        (SELECT version FROM session WHERE id = %(session)s),
        (SELECT reply_ts FROM turn WHERE (team, channel, ts) = (%(team)s, %(channel)s, %(ts)s)
                                     AND revision < %(revision)s ORDER BY revision DESC LIMIT 1))
ON CONFLICT (team, channel, ts, revision) DO UPDATE SET attempt = turn.attempt + 1, log_version = excluded.log_version
WHERE turn.inbox = excluded.inbox
RETURNING id, attempt, outcome, reply_ts, log_version, delivered_at IS NOT NULL AS delivered

-- name: earlier_turns
-- The turns of a post as it was before an edit, or before it was taken back, the newest first.
SELECT id, reply_ts, delivered_at IS NOT NULL AS delivered FROM turn
WHERE (team, channel, ts) = (%(team)s, %(channel)s, %(ts)s) AND revision < %(revision)s
ORDER BY revision DESC

-- name: end_earlier_turns
-- Turns of a post that came to nothing before it was edited or taken back.
UPDATE turn SET outcome = %(outcome)s, stop_reason = %(stop_reason)s, finished_at = now()
WHERE (team, channel, ts) = (%(team)s, %(channel)s, %(ts)s) AND revision < %(revision)s AND outcome IS NULL

-- name: take_post
-- One message of a post at a time is accepted, or its turn committed.
SELECT pg_advisory_xact_lock(hashtextextended('footnote.post:' || %(channel)s || ':' || %(ts)s, 0))

-- name: unwanted
-- Which of these messages want no answer any more: taken back, edited since, stopped, or put right by
-- what their author wrote next in the thread.
SELECT * FROM (
    SELECT id, CASE
        WHEN EXISTS (SELECT FROM inbox newer
                     WHERE (newer.team, newer.channel, newer.ts) = (mine.team, mine.channel, mine.ts)
                       AND newer.kind = 'deletion') THEN 'deleted'
        WHEN EXISTS (SELECT FROM inbox newer
                     WHERE (newer.team, newer.channel, newer.ts) = (mine.team, mine.channel, mine.ts)
                       AND newer.revision > mine.revision) THEN 'edited'
        WHEN stopped THEN 'stopped'
        WHEN mine.kind IN ('mention', 'direct', 'reply', 'command')
             AND (SELECT newer.replaces FROM inbox newer
                  WHERE (newer.session, newer.author) = (mine.session, mine.author)
                    AND newer.ts > mine.ts AND newer.revision = ''
                    AND NOT EXISTS (SELECT FROM inbox gone
                                    WHERE (gone.team, gone.channel, gone.ts) = (newer.team, newer.channel, newer.ts)
                                      AND gone.kind = 'deletion')
                  ORDER BY newer.ts, newer.id LIMIT 1) THEN 'superseded' END AS why
    FROM inbox mine WHERE id = ANY(%(messages)s)) AS looked
WHERE why IS NOT NULL

-- name: post_state
-- Is a post known here? Does it wait for its answer?
SELECT count(*) > 0, coalesce(bool_or(state = 'pending'), false) FROM inbox
WHERE (team, channel, ts) = (%(team)s, %(channel)s, %(ts)s)

-- name: wake_post
-- What a post waits for after a failure is over once it was edited or taken back.
UPDATE inbox SET rests_until = NULL
WHERE (team, channel, ts) = (%(team)s, %(channel)s, %(ts)s) AND state = 'pending'

-- name: edit_logged
-- Has this edit been noted in the log?
SELECT EXISTS (SELECT FROM event WHERE session = %(session)s AND kind = 'edit'
               AND data ->> 'revision' = %(revision)s AND data ->> 'ts' = %(ts)s)

-- name: stop
-- Somebody wants no answer any more in this thread (or, said in a direct message, in its channel).
UPDATE inbox SET stopped = true, rests_until = NULL
WHERE state = 'pending' AND kind <> 'deletion'
  AND (session = %(session)s OR (%(everywhere)s AND team = %(team)s AND channel = %(channel)s))
RETURNING id

-- name: stop_turn
-- Somebody wants no answer any more from this turn. No row: it is over, or nobody waits for it here.
UPDATE inbox SET stopped = true, rests_until = NULL
WHERE id = (SELECT inbox FROM turn WHERE id = %(turn)s AND team = %(team)s AND channel = %(channel)s)
  AND state = 'pending'
RETURNING session

-- name: listen
-- Be told when a running turn may no longer be wanted.
LISTEN footnote_unwanted

-- name: notify
-- Tell the workers, at the commit, that a running turn may no longer be wanted.
NOTIFY footnote_unwanted

-- name: commit_turn
-- Store the outcome, once and only by the newest attempt. No row: another attempt has taken over,
-- or the question reads otherwise by now, or was taken back.
UPDATE turn SET outcome = %(outcome)s, stop_reason = %(stop_reason)s, finished_at = now()
WHERE id = %(turn)s AND attempt = %(attempt)s AND outcome IS NULL
  AND NOT EXISTS (SELECT FROM inbox newer
                  WHERE (newer.team, newer.channel, newer.ts) = (turn.team, turn.channel, turn.ts)
                    AND (newer.kind = 'deletion' OR newer.revision > turn.revision))
RETURNING id

-- name: drop_turn
-- A message that turned out to want no answer leaves no turn behind.
DELETE FROM turn WHERE id = %(turn)s AND attempt = %(attempt)s AND outcome IS NULL

-- name: still_mine
-- May this attempt post? Not when another has taken over, or has posted already, or when the
-- question reads otherwise by now, or was taken back.
SELECT attempt = %(attempt)s AND delivered_at IS NULL AND NOT EXISTS (
           SELECT FROM inbox newer
           WHERE (newer.team, newer.channel, newer.ts) = (turn.team, turn.channel, turn.ts)
             AND (newer.kind = 'deletion' OR newer.revision > turn.revision))
FROM turn WHERE id = %(turn)s

-- name: claim_reply
-- This message is the attempt's from now on. No row: the turn has another, or another attempt has
-- taken over, or the question reads otherwise by now, or was taken back.
UPDATE turn SET reply_ts = %(reply_ts)s
WHERE id = %(turn)s AND attempt = %(attempt)s AND delivered_at IS NULL
  AND (reply_ts IS NULL OR reply_ts = %(reply_ts)s)
  AND NOT EXISTS (SELECT FROM inbox newer
                  WHERE (newer.team, newer.channel, newer.ts) = (turn.team, turn.channel, turn.ts)
                    AND (newer.kind = 'deletion' OR newer.revision > turn.revision))
RETURNING id

-- name: is_reply
-- Is this message the reply to a post, in whatever version?
SELECT EXISTS (SELECT FROM turn
               WHERE (team, channel, ts) = (%(team)s, %(channel)s, %(ts)s) AND reply_ts = %(reply_ts)s)

-- name: deliver_turn
-- Slack has the reply. No row: it has another one.
UPDATE turn SET reply_ts = %(reply_ts)s, delivered_at = now()
WHERE id = %(turn)s AND (delivered_at IS NULL OR reply_ts = %(reply_ts)s)
RETURNING id

-- name: next_numbers
-- Reserve numbers for new events of a session; returns the last one reserved.
UPDATE session SET version = version + %(count)s, last_at = now() WHERE id = %(session)s RETURNING version

-- name: append_event
-- Add one event to a session's log.
INSERT INTO event (session, number, kind, turn, author, text, data, tokens)
VALUES (%(session)s, %(number)s, %(kind)s, %(turn)s, %(author)s, %(text)s, %(data)s, %(tokens)s)

-- name: keep_citation
-- Keep what a footnote pointed to, as it read then.
INSERT INTO citation (turn, marker, chunk_id, source, title, heading, page, service, doc_type, link, text)
VALUES (%(turn)s, %(marker)s, %(chunk_id)s, %(source)s, %(title)s, %(heading)s, %(page)s, %(service)s,
        %(doc_type)s, %(link)s, %(text)s)

-- name: forget_steps
-- What earlier attempts at a turn did makes room for the newest one's. Tells whether this is it.
WITH mine AS MATERIALIZED (SELECT id FROM turn WHERE id = %(turn)s AND attempt = %(attempt)s FOR UPDATE),
     gone AS (DELETE FROM step USING mine WHERE step.turn = mine.id)
SELECT EXISTS (SELECT FROM mine)

-- name: keep_step
-- Add one step to a turn's log.
INSERT INTO step (turn, number, kind, milliseconds, data)
VALUES (%(turn)s, %(number)s, %(kind)s, %(milliseconds)s, %(data)s)

-- name: context_due
-- Has nobody looked yet at what stood in the thread before its first turn?
SELECT context_read_at IS NULL AND version = 0 FROM session WHERE id = %(session)s

-- name: context_read
-- What stood in the thread was read, or couldn't be: it isn't tried again.
UPDATE session SET context_read_at = now() WHERE id = %(session)s AND context_read_at IS NULL RETURNING id

-- name: read_log
-- The newest events of a session, up to a number of tokens, with all of what changes the view of it,
-- oldest first. Events without a count of tokens are from before tokens were counted.
SELECT number, kind, turn, author, text, data, tokens, at FROM (
    SELECT *, sum(tokens) OVER (ORDER BY number DESC) AS tokens_up_to_here FROM (
        SELECT number, kind, turn, author, text, data, at,
               coalesce(tokens, 4 + (octet_length(text) + 3) / 4) AS tokens
        FROM event
        WHERE session = %(session)s
          AND (number > (SELECT version FROM session WHERE id = %(session)s) - %(most)s OR kind = 'context')
    ) AS newest
) AS counted
WHERE tokens_up_to_here <= %(tokens)s OR kind IN ('context', 'summary', 'edit', 'deletion')
ORDER BY number

-- name: inbox_counts
-- How many messages are in each state.
SELECT state, count(*) FROM inbox GROUP BY state ORDER BY state

-- name: inbox_open
-- The messages that wait or failed, for `footnote jobs`: never their words.
SELECT i.id, i.session, i.kind, i.state, i.reason, i.attempts,
       extract(epoch FROM now() - i.accepted_at)::float8 AS age_seconds, t.stop_reason
FROM inbox i LEFT JOIN turn t ON t.inbox = i.id
WHERE i.state IN ('pending', 'failed')
ORDER BY i.id LIMIT %(most)s

-- name: retry_failed
-- Let the failed messages wait again. One attempt stays counted: what may have been posted then is
-- looked for first.
UPDATE inbox SET state = 'pending', reason = NULL, attempts = 1, ended_at = NULL, since = now()
WHERE state = 'failed'
RETURNING session

-- name: queue_counts
-- How many jobs of each task are in each state.
SELECT task_name, status::text, count(*) FROM procrastinate_jobs GROUP BY 1, 2 ORDER BY 1, 2
