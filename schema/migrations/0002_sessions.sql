-- What people asked and what was answered. The inbox is the truth; queue jobs are wake-ups.

CREATE TABLE session (
    id          text PRIMARY KEY,             -- team:channel:root_ts
    team        text NOT NULL,
    channel     text NOT NULL,
    root_ts     text NOT NULL,
    version     bigint NOT NULL DEFAULT 0,    -- number of events so far
    services    text[] NOT NULL DEFAULT '{}', -- the thread's own filter
    doc_types   text[] NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now(),
    last_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE inbox (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- the order of acceptance
    event_id    text NOT NULL UNIQUE,
    session     text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('mention', 'direct', 'reply', 'command')),
    team        text NOT NULL,
    channel     text NOT NULL,
    ts          text NOT NULL,
    root_ts     text NOT NULL,
    author      text NOT NULL,
    text        text NOT NULL,
    services    text[] NOT NULL DEFAULT '{}',
    doc_types   text[] NOT NULL DEFAULT '{}',
    response_url text,                        -- of a slash command: where to say that it can't be asked here
    state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'ignored', 'failed')),
    reason      text,                         -- why it was ignored or failed
    attempts    integer NOT NULL DEFAULT 0,
    rests_until timestamptz,                  -- after a failure; the session waits as long
    accepted_at timestamptz NOT NULL DEFAULT now(),
    since       timestamptz,                  -- first taken up, or let wait again
    ended_at    timestamptz
);

CREATE INDEX inbox_session ON inbox (session);
CREATE INDEX inbox_pending ON inbox (session, id) WHERE state = 'pending';

CREATE TABLE turn (
    id          text PRIMARY KEY,
    session     text NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    inbox       bigint UNIQUE REFERENCES inbox (id) ON DELETE CASCADE,
    team        text NOT NULL,
    channel     text NOT NULL,
    ts          text NOT NULL,
    question    text NOT NULL,
    attempt     integer NOT NULL DEFAULT 0,   -- fencing: only the newest attempt may finish the turn
    stop_reason text CHECK (stop_reason IN
                ('cited', 'no_match', 'uncited', 'budget', 'cancelled', 'superseded', 'error')),
    outcome     jsonb,                        -- set once, when the turn is committed
    reply_ts    text,                         -- set once, when Slack has it
    started_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    delivered_at timestamptz,
    UNIQUE (team, channel, ts)                -- one post is answered once, however it arrived
);

CREATE INDEX turn_session ON turn (session, started_at);

CREATE TABLE event (
    session     text NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    number      bigint NOT NULL,              -- 1, 2, 3 … within the session
    kind        text NOT NULL CHECK (kind IN
                ('user', 'assistant', 'tool_call', 'tool_result', 'correction', 'summary', 'feedback')),
    turn        text REFERENCES turn (id) ON DELETE CASCADE,
    author      text,
    text        text NOT NULL,
    data        jsonb NOT NULL DEFAULT '{}',
    tokens      integer,
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session, number)
);

-- A footnote keeps the text it pointed to, so that it survives a re-ingest.
CREATE TABLE citation (
    turn        text NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    marker      integer NOT NULL,
    chunk_id    text NOT NULL,
    source      text NOT NULL,
    title       text NOT NULL,
    heading     text NOT NULL,
    page        integer,
    service     text NOT NULL,
    doc_type    text NOT NULL,
    link        text,
    text        text NOT NULL,
    PRIMARY KEY (turn, marker)
);

CREATE TABLE step (
    turn        text NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    number      integer NOT NULL,
    kind        text NOT NULL,
    milliseconds double precision,
    data        jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (turn, number)
);
