-- name: transcript
-- What was heard in a clip, when somebody has listened to it already.
SELECT text FROM transcript WHERE team = %(team)s AND file = %(file)s

-- name: keep_transcript
-- Keep what was heard, so that whoever takes the message up again needn't listen.
INSERT INTO transcript (team, file, session, author, text)
VALUES (%(team)s, %(file)s, %(session)s, %(author)s, %(text)s)
ON CONFLICT (team, file) DO NOTHING

-- name: forget_transcripts
-- What was heard is forgotten once its message is over and too old to be asked anew by an edit.
DELETE FROM transcript WHERE heard_at < now() - interval '15 minutes'
  AND NOT EXISTS (SELECT FROM inbox WHERE inbox.team = transcript.team AND state = 'pending'
                                      AND file = ANY(clips))
