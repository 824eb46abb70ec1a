-- What people told the bot about themselves: found by meaning, seen by their owner alone.
-- :vector_size is that of the corpus, whose embedder makes these vectors as well.

-- One row a person, whose lock lets their memories be changed one at a time.
CREATE TABLE memory_owner (
    team        text NOT NULL,
    owner       text NOT NULL,                -- the user's id
    enabled     boolean NOT NULL DEFAULT true,-- off: nothing is learned, nothing is recalled
    last_number integer NOT NULL DEFAULT 0,
    PRIMARY KEY (team, owner)
);

CREATE TABLE memories (
    id          text PRIMARY KEY DEFAULT gen_random_uuid()::text,
    team        text NOT NULL,
    owner       text NOT NULL,
    emb         vector(:vector_size),         -- NULL until the embedder has come by
    number      integer NOT NULL,             -- its name for its owner; never given twice
    type        text NOT NULL CHECK (type IN ('FACT', 'GOAL', 'PREFERENCE', 'CONTEXT', 'EVENT')),
    content     text NOT NULL CHECK (btrim(content) <> '' AND char_length(content) <= 500),
    importance  real NOT NULL CHECK (importance BETWEEN 0 AND 1),
    access_count integer NOT NULL DEFAULT 0,
    last_used   timestamptz,
    thread      text,                         -- the session it was said in
    created_at  timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (team, owner) REFERENCES memory_owner (team, owner)
);

ALTER TABLE memories ALTER COLUMN emb SET STORAGE PLAIN;  -- never toasted: recall reads it whole
CREATE UNIQUE INDEX memories_said_once ON memories (team, owner, lower(btrim(content)));
CREATE UNIQUE INDEX memories_number ON memories (team, owner, number);

-- A turn that did what it was told about the bot itself ends with a sentence, and cites nothing.
ALTER TABLE turn DROP CONSTRAINT turn_stop_reason_check;
ALTER TABLE turn ADD CONSTRAINT turn_stop_reason_check CHECK (stop_reason IN
    ('cited', 'no_match', 'uncited', 'budget', 'cancelled', 'superseded', 'error', 'noted'));
