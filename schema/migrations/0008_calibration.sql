-- What `footnote eval calibrate` found: from when on nothing is an answer. The newest row of the
-- embedder in use counts; the older ones tell how it was before.

CREATE TABLE calibration (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    made_at     timestamptz NOT NULL DEFAULT now(),
    embedder    text NOT NULL,                -- distances belong to a model
    formula     integer NOT NULL,             -- version of retrieval/confidence.py
    corpus      text NOT NULL,                -- hash of all documents' hashes
    documents   integer NOT NULL,
    max_distance double precision NOT NULL,   -- of the nearest chunk; farther ones are refused
    judge       text NOT NULL CHECK (judge IN ('confidence', 'reranker')),
    minimum     double precision NOT NULL,    -- of the judge's value; lower ones are refused
    reranker    text,                         -- whose scores the minimum is for, if for scores
    report      jsonb NOT NULL                -- the rule, the cases, what was measured
);

CREATE INDEX calibration_newest ON calibration (embedder, formula, id DESC);
