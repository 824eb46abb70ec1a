-- What the worker posts in the background has a time of its own in its channel's line, as answers have.

ALTER TABLE notice ADD COLUMN posts_at timestamptz;
ALTER TABLE notice ADD COLUMN rests_until timestamptz;      -- looked for again after that
ALTER TABLE ingest_request ADD COLUMN posts_at timestamptz;

-- The end of what is being posted in a channel, or of a pause that Slack wants. Whose time has come
-- posts after it: some come late, and a pause may begin after times were taken.
ALTER TABLE channel_pace ADD COLUMN busy_until timestamptz NOT NULL DEFAULT '-infinity';
