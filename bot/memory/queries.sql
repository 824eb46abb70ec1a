-- Each query of memories names the team and the owner: none is ever found without.

-- name: take_owner
-- Make a person known, and hold their row: their memories are changed one at a time.
INSERT INTO memory_owner (team, owner) VALUES (%(team)s, %(owner)s)
ON CONFLICT (team, owner) DO UPDATE SET enabled = memory_owner.enabled
RETURNING enabled

-- name: is_enabled
-- Does this person want to be remembered? Whoever has said nothing does.
SELECT coalesce((SELECT enabled FROM memory_owner WHERE team = %(team)s AND owner = %(owner)s), true)

-- name: turn
-- Turn a person's memory on or off.
INSERT INTO memory_owner (team, owner, enabled) VALUES (%(team)s, %(owner)s, %(enabled)s)
ON CONFLICT (team, owner) DO UPDATE SET enabled = excluded.enabled

-- name: hold_table
-- Taken before the embedder is asked for: who changes it holds the table alone.
LOCK TABLE memories IN ROW EXCLUSIVE MODE

-- name: embedder
-- Whose vectors there are; nobody's before the first ingest or memory.
SELECT value FROM footnote_setting WHERE name = 'embedder'

-- name: claim_embedder
-- Note whose vectors there are from now on, unless it is known already.
INSERT INTO footnote_setting (name, value) VALUES ('embedder', %(embedder)s) ON CONFLICT (name) DO NOTHING

-- name: turn_stands
-- Is the turn that something was learned from still there? Whoever forgets it waits, or was first.
SELECT true FROM turn WHERE id = %(turn)s FOR KEY SHARE

-- name: forgotten_since
-- Has the owner had something forgotten since the turn began? Asked with the owner's row held.
SELECT true FROM turn JOIN memory_owner ON cleared_at >= started_at
WHERE turn.id = %(turn)s AND memory_owner.team = %(team)s AND owner = %(owner)s

-- name: refresh
-- The same words again: no second row.
UPDATE memories SET importance = greatest(importance, %(importance)s), last_used = now()
WHERE team = %(team)s AND owner = %(owner)s AND lower(btrim(content)) = lower(btrim(%(content)s))
RETURNING id, number

-- name: insert
-- One more memory, under the owner's next number.
WITH numbered AS (
    UPDATE memory_owner SET last_number = last_number + 1
    WHERE team = %(team)s AND owner = %(owner)s RETURNING last_number
)
INSERT INTO memories (team, owner, number, type, content, importance, thread)
SELECT %(team)s, %(owner)s, last_number, %(type)s, %(content)s, %(importance)s, %(thread)s FROM numbered
RETURNING id, number

-- name: near_duplicates
-- Other memories of the owner that say nearly the same, nearest first.
SELECT id FROM memories
WHERE team = %(team)s AND owner = %(owner)s AND id <> %(id)s AND (emb <#> %(vector)s::vector) <= -%(alike)s::float8
ORDER BY emb <#> %(vector)s::vector

-- name: supersede
-- The newest wording takes over what older ones were worth.
WITH gone AS (
    DELETE FROM memories WHERE team = %(team)s AND owner = %(owner)s AND id = ANY(%(ids)s::text[])
    RETURNING number, importance, access_count
), sums AS (SELECT max(importance) AS importance, sum(access_count) AS access_count FROM gone)
UPDATE memories SET importance = greatest(memories.importance, sums.importance),
                    access_count = memories.access_count + sums.access_count, last_used = now()
FROM sums WHERE team = %(team)s AND owner = %(owner)s AND id = %(id)s

-- name: set_vector
-- A memory can be found by meaning from now on.
UPDATE memories SET emb = %(vector)s::vector WHERE team = %(team)s AND owner = %(owner)s AND id = %(id)s

-- name: without_vector
-- What the embedder has not seen yet of a person, oldest first.
SELECT id, content FROM memories
WHERE team = %(team)s AND owner = %(owner)s AND emb IS NULL ORDER BY number LIMIT %(limit)s

-- name: evict
-- Above the cap the least important and least used leave; never the one just kept.
DELETE FROM memories WHERE id IN (
    SELECT id FROM memories WHERE team = %(team)s AND owner = %(owner)s
    ORDER BY id = %(id)s DESC, importance DESC, access_count DESC, coalesce(last_used, created_at) DESC, number DESC
    OFFSET %(cap)s)

-- name: nearest
-- The memories nearest in meaning, exactly; equally near ones by importance. Vectors have length 1, so
-- the inner product is the cosine, at a third of its cost.
SELECT id, number, type, content, importance, -(emb <#> %(vector)s::vector) AS likeness FROM memories
WHERE team = %(team)s AND owner = %(owner)s AND (emb <#> %(vector)s::vector) <= -%(at_least)s::float8
  AND coalesce((SELECT enabled FROM memory_owner WHERE team = %(team)s AND owner = %(owner)s), true)
ORDER BY round((emb <#> %(vector)s::vector)::numeric, 4), importance DESC, number DESC LIMIT %(limit)s

-- name: foremost
-- The most important memories, when nothing is near or the embedder is down.
SELECT id, number, type, content, importance, NULL::float8 AS likeness FROM memories
WHERE team = %(team)s AND owner = %(owner)s
  AND coalesce((SELECT enabled FROM memory_owner WHERE team = %(team)s AND owner = %(owner)s), true)
ORDER BY importance DESC, access_count DESC, number DESC LIMIT %(limit)s

-- name: used
-- Count that memories were used.
UPDATE memories SET access_count = access_count + 1, last_used = now()
WHERE team = %(team)s AND owner = %(owner)s AND id = ANY(%(ids)s::text[])

-- name: list
-- A person's memories as they see them, newest first, with how many there are.
SELECT id, number, type, content, importance, NULL::float8 AS likeness, count(*) OVER () AS total FROM memories
WHERE team = %(team)s AND owner = %(owner)s ORDER BY number DESC LIMIT %(limit)s OFFSET %(offset)s

-- name: export
-- All that is kept of a person, oldest first.
SELECT number, type, content, importance, access_count, created_at, last_used, thread FROM memories
WHERE team = %(team)s AND owner = %(owner)s ORDER BY number

-- name: forget
-- Remove one memory by its number.
DELETE FROM memories WHERE team = %(team)s AND owner = %(owner)s AND number = %(number)s RETURNING id

-- name: forget_words
-- Remove the memory that says just this.
DELETE FROM memories
WHERE team = %(team)s AND owner = %(owner)s AND lower(btrim(content)) = lower(btrim(%(content)s)) RETURNING number

-- name: note_forgotten
-- Hold the owner, and note that nothing is to be learned any more of what they have said so far.
INSERT INTO memory_owner (team, owner, cleared_at) VALUES (%(team)s, %(owner)s, now())
ON CONFLICT (team, owner) DO UPDATE SET cleared_at = excluded.cleared_at

-- name: clear
-- Remove all memories of a person.
DELETE FROM memories WHERE team = %(team)s AND owner = %(owner)s

-- name: turn_to_learn
-- What a turn was asked, by whom, and which memories went into its answer.
SELECT turn.team, inbox.author, turn.session, turn.question, turn.stop_reason,
       CASE WHEN (turn.outcome ->> 'memories')::int > 0 THEN
           (SELECT array_agg(used.id) FROM step, jsonb_array_elements_text(step.data -> 'memories') AS used (id)
            WHERE step.turn = turn.id AND step.kind = 'memory') END
FROM turn JOIN inbox ON inbox.id = turn.inbox
WHERE turn.id = %(turn)s AND turn.outcome IS NOT NULL

-- name: teams
-- Where a user is known, for whoever runs the bot.
SELECT team FROM memory_owner WHERE owner = %(owner)s ORDER BY team
