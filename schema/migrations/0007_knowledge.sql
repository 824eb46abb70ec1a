-- Documents that come in from Slack: what was asked for, item by item, and what it came to.

CREATE TABLE ingest_request (
    id          text PRIMARY KEY,             -- made of what asked for it: asked twice, it is one
    team        text NOT NULL,
    channel     text NOT NULL,                -- where its message stands
    thread_ts   text,
    author      text NOT NULL,
    seen_by     text NOT NULL DEFAULT 'default' CHECK (seen_by IN ('default', 'channel', 'workspace')),
    service     text,
    doc_type    text,
    response_url text,                        -- of a slash command: where to say that nothing can be posted
    message_ts  text,                         -- set once, when Slack has the message
    attempts    integer NOT NULL DEFAULT 0,
    state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    touched_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);

CREATE INDEX ingest_request_pending ON ingest_request (touched_at) WHERE state = 'pending';

CREATE TABLE ingest_item (
    request     text NOT NULL REFERENCES ingest_request (id) ON DELETE CASCADE,
    position    integer NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('url', 'file', 'thread')),
    location    text NOT NULL,                -- an address, the id of a file, the ts of a root
    title       text,
    text        text,                         -- of a thread as it was approved, until it is a document
    document    text,                         -- its id: who brought it may delete it
    before      jsonb,                        -- the version that it replaces, as headings and hashes
    result      jsonb,                        -- set once
    PRIMARY KEY (request, position)
);

CREATE INDEX ingest_item_document ON ingest_item (document);
