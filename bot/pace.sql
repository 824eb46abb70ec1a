-- name: next_free
-- Take a channel's next free time; returns how long it is until then, in seconds. No time is further off
-- than the longest line: it was left by a clock that has been put back.
INSERT INTO channel_pace (channel, free_at) VALUES (%(channel)s, now() + make_interval(secs => %(gap)s))
ON CONFLICT (channel) DO UPDATE
SET free_at = least(greatest(channel_pace.free_at, now()), now() + make_interval(secs => %(most)s))
              + make_interval(secs => %(gap)s)
RETURNING extract(epoch FROM free_at - make_interval(secs => %(gap)s) - now())::float8

-- name: free_now
-- Take a channel's next free time if that is now. No row: others are before.
INSERT INTO channel_pace (channel, free_at) VALUES (%(channel)s, now() + make_interval(secs => %(gap)s))
ON CONFLICT (channel) DO UPDATE SET free_at = now() + make_interval(secs => %(gap)s)
WHERE channel_pace.free_at <= now()
RETURNING channel

-- name: time_of_message
-- How long is it until a message's reply may be posted, in seconds, and was that time taken only now? Whoever
-- is too late for theirs, or whose is further off than the longest line, takes another.
WITH mine AS (
    SELECT channel, posts_at FROM inbox WHERE id = %(id)s),
taken AS (
    INSERT INTO channel_pace (channel, free_at)
    SELECT channel, now() + make_interval(secs => %(gap)s * %(posts)s) FROM mine
    WHERE coalesce(posts_at, '-infinity') < now() - make_interval(secs => %(late)s)
       OR posts_at > now() + make_interval(secs => %(most)s)
    ON CONFLICT (channel) DO UPDATE
    SET free_at = least(greatest(channel_pace.free_at, now()), now() + make_interval(secs => %(most)s))
                  + make_interval(secs => %(gap)s * %(posts)s)
    RETURNING free_at - make_interval(secs => %(gap)s * %(posts)s) AS at),
kept AS (
    UPDATE inbox SET posts_at = taken.at FROM taken WHERE id = %(id)s)
SELECT extract(epoch FROM coalesce(taken.at, mine.posts_at) - now())::float8, taken.at IS NOT NULL
FROM mine LEFT JOIN taken ON true

-- name: hold_channel
-- Slack wants a pause in a channel; the message that it was told for takes another time afterwards.
WITH again AS (UPDATE inbox SET posts_at = NULL WHERE id = %(id)s)
INSERT INTO channel_pace (channel, free_at) VALUES (%(channel)s, now() + make_interval(secs => %(seconds)s))
ON CONFLICT (channel) DO UPDATE
SET free_at = greatest(channel_pace.free_at, now() + make_interval(secs => %(seconds)s))

-- name: wait_in_line
-- A message waits for its time. Nothing was tried, so this was no attempt.
UPDATE inbox SET rests_until = now() + make_interval(secs => %(seconds)s), attempts = attempts - 1
WHERE id = %(id)s AND state = 'pending'

-- name: step_back
-- The same for its turn: the attempt that comes will have nothing of this one's to look for.
UPDATE turn SET attempt = attempt - 1 WHERE id = %(turn)s AND attempt = %(attempt)s AND outcome IS NOT NULL
