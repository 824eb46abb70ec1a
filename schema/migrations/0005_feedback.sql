-- What people say of answers, and what others are told of questions without one.

CREATE TABLE feedback (
    turn        text NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    person      text NOT NULL,
    helpful     boolean,                      -- the person's last vote; NULL: none, only a correction
    reason      text CHECK (reason IN ('wrong', 'outdated', 'incomplete', 'beside')),
    correction  text NOT NULL DEFAULT '',
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (turn, person)
);
CREATE INDEX feedback_person ON feedback (person);

-- A message to be posted elsewhere, once: its id says what it is about.
CREATE TABLE notice (
    id          text PRIMARY KEY,             -- kind:turn
    kind        text NOT NULL CHECK (kind IN ('oncall', 'no_match', 'unhelpful')),
    turn        text NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    target      text NOT NULL,                -- a channel (C…); a user group (S…) or person (U…): in the thread
    person      text,                         -- who wants it told
    state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'posted', 'dropped')),
    at          timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notice_pending ON notice (at) WHERE state = 'pending';
CREATE INDEX notice_turn ON notice (turn);
CREATE INDEX turn_started_at ON turn (team, started_at);  -- gaps are looked for by age
