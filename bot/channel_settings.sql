-- name: read_channel
-- What was set for a channel.
SELECT mode, bots, services, doc_types, ingest, alert_watch FROM channel_setting
WHERE team = %(team)s AND channel = %(channel)s

-- name: read_channels
-- What was set for some channels.
SELECT channel, mode, bots, services, doc_types, ingest, alert_watch FROM channel_setting
WHERE team = %(team)s AND channel = ANY(%(channels)s)

-- name: write_channel
-- Set everything of a channel.
INSERT INTO channel_setting (team, channel, mode, bots, services, doc_types, ingest, alert_watch, changed_by)
VALUES (%(team)s, %(channel)s, %(mode)s, %(bots)s, %(services)s, %(doc_types)s, %(ingest)s, %(alert_watch)s, %(by)s)
ON CONFLICT (team, channel) DO UPDATE SET
    mode = excluded.mode, bots = excluded.bots, services = excluded.services, doc_types = excluded.doc_types,
    ingest = excluded.ingest, alert_watch = excluded.alert_watch, changed_by = excluded.changed_by, changed_at = now()

-- name: write_filter
-- Set the sticky filter of a channel and nothing else.
INSERT INTO channel_setting (team, channel, services, doc_types, changed_by)
VALUES (%(team)s, %(channel)s, %(services)s, %(doc_types)s, %(by)s)
ON CONFLICT (team, channel) DO UPDATE SET
    services = excluded.services, doc_types = excluded.doc_types, changed_by = excluded.changed_by, changed_at = now()

-- name: read_services
-- What was set for services, by name.
SELECT service, owner_channel, oncall FROM service_setting
WHERE team = %(team)s AND (%(services)s::text[] IS NULL OR service = ANY(%(services)s::text[]))
ORDER BY service

-- name: write_service
-- Set everything of a service.
INSERT INTO service_setting (team, service, owner_channel, oncall, changed_by)
VALUES (%(team)s, %(service)s, %(owner_channel)s, %(oncall)s, %(by)s)
ON CONFLICT (team, service) DO UPDATE SET
    owner_channel = excluded.owner_channel, oncall = excluded.oncall, changed_by = excluded.changed_by, changed_at = now()

-- name: forget_service
-- Nothing is set for a service any more.
DELETE FROM service_setting WHERE team = %(team)s AND service = %(service)s

-- name: read_thread
-- What was set for a thread.
SELECT filtered, services, doc_types, muted FROM session WHERE id = %(session)s

-- name: filter_thread
-- Give a thread a filter of its own, which may be "everything".
UPDATE session SET filtered = true, services = %(services)s, doc_types = %(doc_types)s WHERE id = %(session)s
RETURNING id

-- name: mute_thread
-- Be quiet in a thread, or no longer.
UPDATE session SET muted = %(muted)s WHERE id = %(session)s

-- name: alert_before
-- Was the same alert answered in another thread of the channel a short while ago? Where?
SELECT s.root_ts FROM alert a JOIN session s ON s.id = a.session
WHERE (a.team, a.channel, a.fingerprint) = (%(team)s, %(channel)s, %(fingerprint)s)
  AND a.session <> %(session)s AND a.at > now() - make_interval(secs => %(seconds)s)

-- name: alert_answered
-- An alert was answered in this thread.
INSERT INTO alert (team, channel, fingerprint, session)
VALUES (%(team)s, %(channel)s, %(fingerprint)s, %(session)s)
ON CONFLICT (team, channel, fingerprint) DO UPDATE SET session = excluded.session, at = now()

-- name: bot_answered
-- Has a bot been answered in this thread before? Its further mentions may be a loop.
SELECT EXISTS (SELECT FROM turn t JOIN inbox i ON i.id = t.inbox
               WHERE t.session = %(session)s AND i.author LIKE 'B%%' AND i.ts < %(ts)s)

-- name: question_of_reply
-- What one of the bot's messages in a thread answers.
SELECT question FROM turn WHERE session = %(session)s AND reply_ts = %(reply_ts)s
ORDER BY started_at DESC LIMIT 1
