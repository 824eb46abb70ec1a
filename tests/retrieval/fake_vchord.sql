-- Stands in for VectorChord 1.1 and VectorChord-BM25 0.3, so that our statements for them are parsed,
-- planned and run: the same names, types and operators, in plain SQL. The index is none (a hash of
-- the value), so every search is a sort; the scores are BM25 as the extension counts it.
SET check_function_bodies = off;  -- the table comes later
CREATE SCHEMA bm25_catalog;

-- bm25vector: the text {3:1, 17:2}, kept as it is.
CREATE TYPE bm25_catalog.bm25vector;
CREATE FUNCTION bm25_catalog.vector_in(cstring) RETURNS bm25_catalog.bm25vector
    LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION bm25_catalog.vector_out(bm25_catalog.bm25vector) RETURNS cstring
    LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE bm25_catalog.bm25vector (
    INPUT = bm25_catalog.vector_in, OUTPUT = bm25_catalog.vector_out, STORAGE = external
);

-- Its numbers and counts; like the extension it refuses numbers that don't ascend.
CREATE FUNCTION bm25_catalog.pairs(bm25_catalog.bm25vector, OUT word integer, OUT times integer)
RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    last integer := -1;
BEGIN
    IF $1::text !~ '^\{(\d+:\d+(, \d+:\d+)*)?\}$' THEN
        RAISE 'incorrect vector %', $1;
    END IF;
    FOR word, times IN
        SELECT m[1]::integer, m[2]::integer FROM regexp_matches($1::text, '(\d+):(\d+)', 'g') AS m
    LOOP
        IF word <= last OR times < 1 THEN
            RAISE 'incorrect vector %', $1;
        END IF;
        last := word;
        RETURN NEXT;
    END LOOP;
END $$;

CREATE TYPE bm25_catalog.bm25query AS (index_oid regclass, query_vector bm25_catalog.bm25vector);
CREATE FUNCTION bm25_catalog.to_bm25query(index_oid regclass, query_vector bm25_catalog.bm25vector)
RETURNS bm25_catalog.bm25query LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT index_oid, query_vector;
$$;

-- The negated score, 0 for a row with none of the words, over the whole of our one table.
CREATE FUNCTION bm25_catalog.search_bm25query(
    target bm25_catalog.bm25vector, query bm25_catalog.bm25query
) RETURNS real LANGUAGE sql STRICT STABLE AS $$
    WITH whole AS (
        SELECT count(*)::float8 AS chunks, avg(length)::float8 AS mean
        FROM public.corpus,
             LATERAL (SELECT sum(times) AS length FROM bm25_catalog.pairs(bm25)) AS one
        WHERE bm25 IS NOT NULL
    )
    SELECT (-coalesce(sum(
        asked.times * ln((whole.chunks + 1) / (df.chunks + 0.5)) * 2.2 * mine.times
        / (mine.times + 1.2 * (0.25 + 0.75 * own.length / whole.mean))), 0))::real
    FROM whole, bm25_catalog.pairs((query).query_vector) AS asked
    JOIN bm25_catalog.pairs(target) AS mine ON mine.word = asked.word,
    LATERAL (SELECT sum(times)::float8 AS length FROM bm25_catalog.pairs(target)) AS own,
    LATERAL (
        SELECT count(*)::float8 AS chunks
        FROM public.corpus, bm25_catalog.pairs(bm25) AS theirs
        WHERE theirs.word = asked.word
    ) AS df
$$;
CREATE OPERATOR pg_catalog.<&> (
    PROCEDURE = bm25_catalog.search_bm25query,
    LEFTARG = bm25_catalog.bm25vector,
    RIGHTARG = bm25_catalog.bm25query
);

CREATE ACCESS METHOD bm25 TYPE INDEX HANDLER hashhandler;
CREATE FUNCTION bm25_catalog.hash(bm25_catalog.bm25vector) RETURNS integer
    LANGUAGE internal IMMUTABLE STRICT AS 'hashvarlena';
CREATE FUNCTION bm25_catalog.equal(bm25_catalog.bm25vector, bm25_catalog.bm25vector)
    RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'byteaeq';
CREATE OPERATOR bm25_catalog.= (
    PROCEDURE = bm25_catalog.equal,
    LEFTARG = bm25_catalog.bm25vector,
    RIGHTARG = bm25_catalog.bm25vector
);
CREATE OPERATOR CLASS bm25_catalog.bm25_ops FOR TYPE bm25_catalog.bm25vector USING bm25 AS
    OPERATOR 1 bm25_catalog.= , FUNCTION 1 bm25_catalog.hash(bm25_catalog.bm25vector);

-- vchordrq: pgvector's HNSW under another name.
CREATE ACCESS METHOD vchordrq TYPE INDEX HANDLER hnswhandler;
CREATE OPERATOR CLASS public.vector_cosine_ops FOR TYPE vector USING vchordrq AS
    OPERATOR 1 <=> (vector, vector) FOR ORDER BY float_ops,
    FUNCTION 1 vector_negative_inner_product(vector, vector),
    FUNCTION 2 vector_norm(vector);
