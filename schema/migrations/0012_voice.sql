-- Questions that were spoken: the audio clips of a message, and what was heard in them.
-- When a person cleared their memories.

ALTER TABLE inbox ADD COLUMN clips text[] NOT NULL DEFAULT '{}';  -- ids of its audio files

-- Kept while the message waits and can be edited, so that no clip is listened to twice.
CREATE TABLE transcript (
    team        text NOT NULL,
    file        text NOT NULL,
    session     text NOT NULL,
    author      text NOT NULL,
    text        text NOT NULL,                -- empty when nobody speaks
    heard_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, file)
);

-- A turn whose clip could not be listened to ends with a sentence that says why.
ALTER TABLE turn DROP CONSTRAINT turn_stop_reason_check;
ALTER TABLE turn ADD CONSTRAINT turn_stop_reason_check CHECK (stop_reason IN
    ('cited', 'no_match', 'uncited', 'budget', 'cancelled', 'superseded', 'error', 'noted', 'unheard'));

-- What was said before isn't learned after it: an extraction may be under way.
ALTER TABLE memory_owner ADD COLUMN cleared_at timestamptz;
