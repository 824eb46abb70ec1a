-- Slack takes about one message a second in a channel. Whoever posts takes the channel's next free time.

CREATE TABLE channel_pace (
    channel     text PRIMARY KEY,
    free_at     timestamptz NOT NULL          -- the earliest time that nobody has taken
);

ALTER TABLE inbox ADD COLUMN posts_at timestamptz;  -- the time taken for the reply
