-- name: waiting
-- What waits: how many messages, the age of the oldest, how many failed; and for how long the first of a
-- thread has been due without coming to an end, which is long when nobody works or something hangs.
WITH waits AS (
    SELECT accepted_at, since, rests_until, row_number() OVER (PARTITION BY session ORDER BY id) AS place
    FROM inbox WHERE state = 'pending')
SELECT count(*)::int,
       coalesce(extract(epoch FROM now() - min(accepted_at)), 0)::float8,
       (SELECT count(*) FROM inbox WHERE state = 'failed')::int,
       coalesce(extract(epoch FROM max(now() - greatest(accepted_at, since, rests_until))
                                   FILTER (WHERE place = 1 AND coalesce(rests_until, now()) <= now())), 0)::float8
FROM waits
