-- What people have set: for a channel, for a service, for a thread. And alerts that were answered.

CREATE TABLE channel_setting (
    team        text NOT NULL,
    channel     text NOT NULL,
    mode        text NOT NULL DEFAULT 'follow' CHECK (mode IN ('mention', 'follow', 'all')),
    bots        text[] NOT NULL DEFAULT '{}',  -- ids (B…) of those that may ask
    services    text[] NOT NULL DEFAULT '{}',  -- the sticky filter
    doc_types   text[] NOT NULL DEFAULT '{}',
    ingest      text NOT NULL DEFAULT 'default' CHECK (ingest IN ('default', 'admins', 'nobody')),
    alert_watch boolean NOT NULL DEFAULT false,
    changed_by  text NOT NULL,
    changed_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, channel)
);

CREATE TABLE service_setting (
    team        text NOT NULL,
    service     text NOT NULL,
    owner_channel text,                        -- hears of what was asked and not answered
    oncall      text,                          -- a user group (S…) or a person (U…)
    changed_by  text NOT NULL,
    changed_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, service)
);

-- Whether session.services and session.doc_types count: an own filter may also be "everything".
ALTER TABLE session ADD COLUMN filtered boolean NOT NULL DEFAULT false;
ALTER TABLE session ADD COLUMN muted boolean NOT NULL DEFAULT false;  -- until somebody mentions the bot

-- The last thread in which an alert was answered, so that the same one isn't answered again soon.
CREATE TABLE alert (
    team        text NOT NULL,
    channel     text NOT NULL,
    fingerprint text NOT NULL,
    session     text NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, channel, fingerprint)
);
CREATE INDEX alert_session ON alert (session);

-- Not addressed to the bot: a question in a channel where all are answered, an alert. By a click:
-- a message's shortcut, or a button that asks.
ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_kind_check CHECK (kind IN
    ('mention', 'direct', 'reply', 'command', 'deletion', 'question', 'alert', 'click'));
