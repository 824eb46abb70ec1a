-- The log of a session: more kinds, never rewritten; questions that are edited or taken back.

ALTER TABLE event DROP CONSTRAINT event_kind_check;
ALTER TABLE event ADD CONSTRAINT event_kind_check CHECK (kind IN
    ('user', 'assistant', 'tool_call', 'tool_result', 'correction', 'summary', 'feedback',
     'context', 'edit', 'deletion'));

CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log of a session is appended to, never rewritten';
END
$$;
CREATE TRIGGER event_is_append_only BEFORE UPDATE ON event
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

-- An edit is accepted like a message, under the ts of the edit, and answered by a turn of its own.
-- A row of kind 'deletion' takes the post back. A newer row of a post is what stops an older turn.
ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_kind_check
    CHECK (kind IN ('mention', 'direct', 'reply', 'command', 'deletion'));
ALTER TABLE inbox ADD COLUMN revision text NOT NULL DEFAULT '';  -- ts of the edit; '' as first posted
ALTER TABLE inbox ADD COLUMN stopped boolean NOT NULL DEFAULT false;  -- somebody said stop
CREATE INDEX inbox_post ON inbox (channel, ts);

ALTER TABLE turn ADD COLUMN revision text NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN log_version bigint;  -- of the session's log when the turn began
ALTER TABLE turn DROP CONSTRAINT turn_team_channel_ts_key;
ALTER TABLE turn ADD CONSTRAINT turn_post UNIQUE (team, channel, ts, revision);

ALTER TABLE session ADD COLUMN context_read_at timestamptz;  -- what stood in the thread before
CREATE INDEX session_last_at ON session (last_at);
CREATE INDEX inbox_accepted_at ON inbox (accepted_at);
