-- name: take_time
-- The time of a post in its channel, in how many seconds that is, and whether it was taken only now. What has
-- no time, is too late for it, or has one that is further off than the longest line, takes the next free one.
WITH taken AS (
    INSERT INTO channel_pace (channel, free_at)
    SELECT %(channel)s, now() + make_interval(secs => %(length)s)
    WHERE coalesce(%(kept)s::timestamptz, '-infinity') < now() - make_interval(secs => %(late)s)
       OR %(kept)s::timestamptz > now() + make_interval(secs => %(most)s)
    ON CONFLICT (channel) DO UPDATE
    SET free_at = least(greatest(channel_pace.free_at, now()), now() + make_interval(secs => %(most)s))
                  + make_interval(secs => %(length)s)
    RETURNING free_at - make_interval(secs => %(length)s) AS at),
mine AS (
    SELECT coalesce((SELECT at FROM taken), %(kept)s::timestamptz) AS at)
SELECT at, extract(epoch FROM at - now())::float8, EXISTS (SELECT FROM taken) FROM mine

-- name: begin_post
-- Post in a channel once what is posted there is over, if that is near; returns in how many seconds. No row: it
-- isn't. What ends later than the longest line was left by a clock that has been put back.
UPDATE channel_pace
SET busy_until = CASE WHEN busy_until BETWEEN now() AND now() + make_interval(secs => %(most)s)
                      THEN busy_until ELSE now() END + make_interval(secs => %(length)s)
WHERE channel = %(channel)s
  AND (busy_until <= now() + make_interval(secs => %(near)s) OR busy_until > now() + make_interval(secs => %(most)s))
RETURNING extract(epoch FROM busy_until - make_interval(secs => %(length)s) - now())::float8

-- name: busy_seconds
-- In how many seconds is what is posted in a channel over?
SELECT extract(epoch FROM busy_until - now())::float8 FROM channel_pace WHERE channel = %(channel)s

-- name: free_now
-- Take a channel's next free time if that is now. No row: others are before.
INSERT INTO channel_pace (channel, free_at, busy_until)
VALUES (%(channel)s, now() + make_interval(secs => %(gap)s), now() + make_interval(secs => %(gap)s))
ON CONFLICT (channel) DO UPDATE SET free_at = excluded.free_at, busy_until = excluded.busy_until
WHERE channel_pace.free_at <= now() AND channel_pace.busy_until <= now()
RETURNING channel

-- name: time_of_message
-- The time that was taken for a message's reply.
SELECT posts_at FROM inbox WHERE id = %(id)s

-- name: keep_time
-- A message's reply has a time.
UPDATE inbox SET posts_at = %(at)s WHERE id = %(id)s

-- name: hold_channel
-- Slack wants a pause in a channel.
INSERT INTO channel_pace (channel, free_at, busy_until)
VALUES (%(channel)s, now() + make_interval(secs => %(seconds)s), now() + make_interval(secs => %(seconds)s))
ON CONFLICT (channel) DO UPDATE
SET free_at = greatest(channel_pace.free_at, excluded.free_at),
    busy_until = greatest(channel_pace.busy_until, excluded.busy_until)

-- name: wait_in_line
-- A message waits for its time. Nothing was tried, so this was no attempt.
UPDATE inbox SET rests_until = now() + make_interval(secs => %(seconds)s), attempts = attempts - 1
WHERE id = %(id)s AND state = 'pending'

-- name: step_back
-- The same for its turn: the attempt that comes will have nothing of this one's to look for.
UPDATE turn SET attempt = attempt - 1 WHERE id = %(turn)s AND attempt = %(attempt)s AND outcome IS NOT NULL
