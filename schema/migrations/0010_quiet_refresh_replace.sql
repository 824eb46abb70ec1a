-- Questions whose answer only the asker sees (`/ask -q`), until they share it with the channel.

ALTER TABLE turn ADD COLUMN only_for text;  -- the one person who sees it; NULL: whoever sees the thread

ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_kind_check CHECK (kind IN
    ('mention', 'direct', 'reply', 'command', 'deletion', 'question', 'alert', 'click', 'quiet', 'share'));

-- A page that is fetched again at somebody's wish. It stays the document of whoever brought it.
ALTER TABLE ingest_request ADD COLUMN refreshes text;  -- that document's id; NULL: something new

-- A message that puts right what its author has just asked: a question that still waits is left for it.
ALTER TABLE inbox ADD COLUMN replaces boolean NOT NULL DEFAULT false;
