-- name: sessions_of_channel
-- All threads of a channel, also those of which only a message is known.
SELECT id FROM session WHERE channel = %(channel)s
UNION SELECT session FROM inbox WHERE channel = %(channel)s

-- name: sessions_of_user
-- The threads in which a user has said something that is kept.
SELECT session FROM inbox WHERE author = %(user)s
UNION SELECT session FROM event WHERE author = %(user)s

-- name: expired_sessions
-- Threads in which nothing was said for a while, also those of which only a message is known.
(SELECT id FROM session WHERE last_at < now() - make_interval(secs => %(days)s * 86400) ORDER BY last_at LIMIT 100)
UNION
(SELECT session FROM inbox
 WHERE accepted_at < now() - make_interval(secs => %(days)s * 86400)
   AND NOT EXISTS (SELECT FROM session WHERE session.id = inbox.session) LIMIT 100)

-- name: turns_of_sessions
-- The turns of some threads.
SELECT id FROM turn WHERE session = ANY(%(sessions)s)

-- name: turns_of_user
-- The turns that answer a user, all those of an edited post included.
SELECT t.id FROM turn t JOIN inbox i ON i.id = t.inbox WHERE i.author = %(user)s

-- name: forget_steps
-- Remove the steps of some turns.
DELETE FROM step WHERE turn = ANY(%(turns)s)

-- name: forget_citations
-- Remove what some turns have cited.
DELETE FROM citation WHERE turn = ANY(%(turns)s)

-- name: forget_events
-- Remove the logs of some threads.
DELETE FROM event WHERE session = ANY(%(sessions)s)

-- name: forget_events_of_user
-- Remove what a user has said from the logs, what was answered, and summaries that may tell of it.
DELETE FROM event
WHERE author = %(user)s OR turn = ANY(%(turns)s) OR (kind = 'summary' AND session = ANY(%(sessions)s))

-- name: forget_feedback_of_user
-- Remove what a user has said of answers to others.
DELETE FROM feedback WHERE person = %(user)s

-- name: forget_notices_of_user
-- Forget who had others told of a question.
UPDATE notice SET person = NULL WHERE person = %(user)s

-- name: forget_turns
-- Remove some turns.
DELETE FROM turn WHERE id = ANY(%(turns)s)

-- name: forget_transcripts
-- Remove what was heard in the messages of some threads.
DELETE FROM transcript WHERE session = ANY(%(sessions)s)

-- name: forget_transcripts_of_user
-- Remove what a user was heard to say.
DELETE FROM transcript WHERE author = %(user)s

-- name: forget_messages
-- Remove the messages of some threads.
DELETE FROM inbox WHERE session = ANY(%(sessions)s)

-- name: forget_messages_of_user
-- Remove the messages of a user.
DELETE FROM inbox WHERE author = %(user)s

-- name: empty_sessions
-- Which of these threads hold nothing of anybody any more?
SELECT name FROM unnest(%(sessions)s::text[]) AS name
WHERE NOT EXISTS (SELECT FROM event WHERE session = name)
  AND NOT EXISTS (SELECT FROM inbox WHERE session = name)
  AND NOT EXISTS (SELECT FROM turn WHERE session = name)

-- name: forget_sessions
-- Remove some threads.
DELETE FROM session WHERE id = ANY(%(sessions)s)

-- name: forget_jobs
-- Remove the jobs that name some threads, other than those that run.
DELETE FROM procrastinate_jobs WHERE args ->> 'session' = ANY(%(sessions)s) AND status <> 'doing'

-- name: forget_ingests_of_user
-- Remove what a user has asked to have ingested. Documents that came of it stay.
DELETE FROM ingest_request WHERE author = %(user)s

-- name: forget_ingests_of_channel
-- Remove what was asked in a channel to have ingested. Documents that came of it stay.
DELETE FROM ingest_request WHERE channel = %(channel)s

-- name: hold_owner
-- Nobody adds to a user's memories while they are removed.
SELECT FROM memory_owner WHERE owner = %(user)s ORDER BY team FOR UPDATE

-- name: forget_memories
-- Remove what a user told the bot to remember, or it learned of them, in all teams.
DELETE FROM memories WHERE owner = %(user)s

-- name: forget_owner
-- Remove that a user had memories. That they want none stays known, or the bot would learn again.
DELETE FROM memory_owner WHERE owner = %(user)s AND enabled
