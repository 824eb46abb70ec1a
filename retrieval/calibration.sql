-- name: in_force
-- About how many chunks there are, and the newest calibration of an embedder, if there is one. The
-- planner's count is enough and costs nothing; it is -1 or 0 before the first ingest ends.
SELECT CASE WHEN c.reltuples > 0 THEN c.reltuples::bigint ELSE (SELECT count(*) FROM corpus) END,
       k.max_distance, k.minimum, k.judge, k.reranker
FROM pg_class c
LEFT JOIN LATERAL (
    SELECT * FROM calibration
    WHERE embedder = %(embedder)s AND formula = %(formula)s
    ORDER BY id DESC LIMIT 1
) AS k ON true
WHERE c.oid = 'corpus'::regclass;

-- name: newest
-- The newest calibration, whichever embedder it is of.
SELECT k.made_at, k.embedder, k.formula, k.corpus, k.documents, k.max_distance, k.judge, k.minimum,
       k.reranker, k.report
FROM calibration k ORDER BY k.id DESC LIMIT 1;

-- name: keep
-- Puts a calibration in force.
INSERT INTO calibration (embedder, formula, corpus, documents, max_distance, judge, minimum, reranker, report)
VALUES (%(embedder)s, %(formula)s, %(corpus)s, %(documents)s, %(max_distance)s, %(judge)s, %(minimum)s,
        %(reranker)s, %(report)s)
RETURNING made_at;

-- name: forget
-- Takes every calibration away.
DELETE FROM calibration;

-- name: corpus_now
-- A hash of all that is stored, which any change of any document changes; how many documents there
-- are; whose vectors they have.
SELECT md5(coalesce(string_agg(id || hash, '' ORDER BY id), '')), count(*),
       (SELECT value FROM footnote_setting WHERE name = 'embedder')
FROM document;
