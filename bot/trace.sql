-- name: newest_turn
-- The turn that began last.
SELECT id FROM turn ORDER BY started_at DESC, id DESC LIMIT 1

-- name: turns_named
-- The turns of a thread (its id, or only the ts of its root), or the one turn of this id or incident.
SELECT turn.id, turn.session, turn.question, turn.attempt, turn.stop_reason, turn.started_at,
       extract(epoch FROM turn.finished_at - turn.started_at)::float8 * 1000 AS milliseconds,
       turn.outcome ->> 'incident' AS incident
FROM turn JOIN session ON session.id = turn.session
WHERE turn.id = %(name)s OR turn.session = %(name)s OR session.root_ts = %(name)s
   OR turn.outcome ->> 'incident' = %(name)s
ORDER BY turn.started_at, turn.id

-- name: steps_of_turns
-- What was done in some turns, in order.
SELECT turn, kind, milliseconds, data FROM step WHERE turn = ANY (%(turns)s) ORDER BY turn, number

-- name: turns_since
-- Each finished turn of some days with its tokens: by day, channel, and the services it cited.
SELECT to_char(turn.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, turn.channel,
       coalesce((SELECT string_agg(DISTINCT service, ', ' ORDER BY service)
                 FROM citation WHERE citation.turn = turn.id), '') AS service,
       turn.stop_reason,
       coalesce((turn.outcome -> 'timings_ms' ->> 'total')::float8, 0) AS milliseconds,
       coalesce(spent.calls, 0) AS calls,
       coalesce(spent.prompt_tokens, 0) AS prompt_tokens,
       coalesce(spent.completion_tokens, 0) AS completion_tokens
FROM turn
LEFT JOIN LATERAL (
    SELECT count(*) AS calls, sum((data ->> 'prompt_tokens')::bigint)::bigint AS prompt_tokens,
           sum((data ->> 'completion_tokens')::bigint)::bigint AS completion_tokens
    FROM step WHERE step.turn = turn.id AND step.kind = 'model'
) AS spent ON true
WHERE turn.finished_at IS NOT NULL AND turn.started_at > now() - make_interval(secs => %(days)s * 86400)
ORDER BY turn.started_at

-- name: citations_of_turns
-- What the footnotes of some turns point to, in order.
SELECT turn, marker, chunk_id, title, heading FROM citation
WHERE turn = ANY (%(turns)s) ORDER BY turn, marker

-- name: chunk_titles
-- What some chunks are called now.
SELECT c.id, d.title, c.heading FROM corpus c JOIN document d ON d.id = c.document
WHERE c.id = ANY (%(ids)s::text[])
