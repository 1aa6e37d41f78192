-- People, their Slack ids, roles and managers. Kept by import; a decision reads them inside its own statement.

-- name: import_people :one
-- People, identities and roles as the file says; those it does not name are deactivated, never deleted, and lose their roles. On record in
-- the system's chain, with what the rows are to be. `outcome`: imported, or again (another import was committed while this one waited, and
-- it does not see whom that one added). `were`: everybody as they were, which this replaced. No row: the system's run is missing.
-- people: [{id, name, manager, scopes, active, identities: [{team, user}], roles: []}]
WITH {as_seen}, given AS MATERIALIZED (
    SELECT p.* FROM r, jsonb_to_recordset(%(people)s::jsonb) AS p(id text, name text, manager text, scopes jsonb, active boolean, identities jsonb, roles jsonb)
), gone AS (
    UPDATE person SET active = false FROM r WHERE person.id NOT IN (SELECT id FROM given)
), kept AS (
    INSERT INTO person (id, name, manager, scopes, active)
    SELECT id, name, manager, ARRAY(SELECT jsonb_array_elements_text(scopes)), active FROM given
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, manager = excluded.manager, scopes = excluded.scopes, active = excluded.active
), known AS (
    INSERT INTO identity (team, slack_user, person_id)
    SELECT i.team, i."user", given.id FROM given, jsonb_to_recordset(given.identities) AS i(team text, "user" text)
    ON CONFLICT (team, slack_user) DO UPDATE SET person_id = excluded.person_id
), forgotten AS (
    DELETE FROM identity USING r WHERE (identity.team, identity.slack_user) NOT IN (
        SELECT i.team, i."user" FROM given, jsonb_to_recordset(given.identities) AS i(team text, "user" text))
), lost AS (
    DELETE FROM role_member USING r
     WHERE (role_member.role, role_member.person_id) NOT IN (SELECT g.role, given.id FROM given, jsonb_array_elements_text(given.roles) AS g(role))
), given_roles AS (
    INSERT INTO role_member (role, person_id)
    SELECT DISTINCT g.role, given.id FROM given, jsonb_array_elements_text(given.roles) AS g(role)
    ON CONFLICT DO NOTHING
), events AS MATERIALIZED (
    SELECT 1 AS n, 'system' AS entity, 'people' AS entity_id, 'new' AS from_status, 'people' AS event, 'done' AS to_status,
           %(actor)s::text AS actor, %(surface)s::text AS surface, (SELECT count(*) FROM given) || ' people, ' || %(digest)s AS detail FROM r
), linked AS (
    UPDATE run SET (seq, head) = (SELECT {link} FROM r, t) WHERE run.id = (SELECT r.id FROM r, t) RETURNING run.id, run.seq, run.head
), {log}
SELECT CASE WHEN EXISTS (SELECT FROM r) THEN 'imported' ELSE 'again' END AS outcome,
       (SELECT coalesce(json_agg({person_as_json} ORDER BY p.id), '[]') FROM person p) AS were FROM held;

-- name: person_as_json :fragment
json_build_object(
    'id', p.id, 'name', p.name, 'manager', p.manager, 'scopes', p.scopes, 'active', p.active,
    'roles', ARRAY(SELECT m.role FROM role_member m WHERE m.person_id = p.id ORDER BY m.role),
    'identities', ARRAY(SELECT i.team || ':' || i.slack_user FROM identity i WHERE i.person_id = p.id ORDER BY 1))

-- name: set_away :one
-- Somebody is away from starts_at (NULL: now) to ends_at, and the delegate answers for them meanwhile. What waits for them by name is shown to
-- the delegate too, from then on, and its other cards say so. On record in the system's chain, as is who tried in vain. `outcome`: away, or not_yours (neither the person
-- nor an operator), unknown (one of the two is nobody active), overlaps (another absence), past (it would be over already), backwards (it would
-- end before it begins), far (it would end more than a year from now; by a day more, for a clock that differs), or
-- again (the system's chain moved while this one waited for it, and it does not see by what). No row: the system's run is missing.
WITH {as_seen}, asked AS MATERIALIZED (
    SELECT a.*, concat_ws(' ', %(delegate)s::text, 'from', a.starts_at AT TIME ZONE 'UTC', 'to', a.ends_at AT TIME ZONE 'UTC', 'UTC') AS told
      FROM (SELECT greatest(coalesce(%(starts_at)s::timestamptz, t.at), t.at) AS starts_at, %(ends_at)s::timestamptz AS ends_at FROM t) a
), {operator}, v AS MATERIALIZED (
    SELECT CASE
               WHEN %(actor)s <> %(person)s AND NOT EXISTS (SELECT FROM may) THEN 'not_yours'
               WHEN (SELECT count(*) FROM person WHERE id = ANY(ARRAY[%(person)s, %(delegate)s]) AND active) < 2 THEN 'unknown'
               WHEN asked.ends_at <= t.at THEN 'past'
               WHEN asked.ends_at <= asked.starts_at THEN 'backwards'
               WHEN asked.ends_at > t.at + interval '367 days' THEN 'far'
               WHEN EXISTS (SELECT FROM away w WHERE w.person_id = %(person)s AND w.starts_at < asked.ends_at AND w.ends_at > asked.starts_at) THEN 'overlaps'
               ELSE 'away'
           END AS outcome FROM asked, t
), gone AS (
    INSERT INTO away (person_id, delegate, starts_at, ends_at)
    SELECT %(person)s, %(delegate)s, asked.starts_at, asked.ends_at FROM asked, v WHERE v.outcome = 'away'
    RETURNING delegate, starts_at, ends_at
), shown AS (
    INSERT INTO card (id, pause_id, kind, dest, level, not_before)
    SELECT gen_random_uuid(), p.id, 'approver', 'person:' || gone.delegate, p.level,
           greatest(gone.starts_at, (SELECT own.not_before FROM card own  -- not before whoever is asked is shown it
                                      WHERE own.pause_id = p.id AND own.kind = 'approver' AND own.level = p.level AND own.dest = p.approver AND own.tries = 0))
      FROM gone, run_pause p JOIN run q ON q.id = p.run_id
     WHERE p.status = 'waiting' AND p.approver = 'person:' || %(person)s AND q.on_behalf_of <> gone.delegate AND gone.delegate <> ALL(p.voters)
       AND p.fire_at > gone.starts_at
    ON CONFLICT (pause_id, kind, level, dest) DO UPDATE SET state = 'live', wanted = card.wanted + 1,  -- sooner, if nobody tried to post it yet
        not_before = CASE WHEN card.state = 'gone' THEN excluded.not_before
                          WHEN card.tries = 0 AND card.ts IS NULL AND card.not_before IS NOT NULL THEN least(card.not_before, excluded.not_before) END
), repainted AS (
    UPDATE card SET {repaint} FROM run_pause p, gone
     WHERE card.pause_id = p.id AND p.status = 'waiting' AND p.approver = 'person:' || %(person)s AND card.kind = 'approver' AND card.level = p.level
       AND card.dest <> 'person:' || gone.delegate
), events AS MATERIALIZED (
    SELECT 1 AS n, 'system' AS entity, %(person)s::text AS entity_id, 'new' AS from_status, 'away' AS event,
           CASE WHEN v.outcome = 'away' THEN 'done' END AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface,
           CASE WHEN v.outcome = 'away' THEN asked.told ELSE v.outcome END AS detail
      FROM v, asked
), linked AS (
    UPDATE run SET (seq, head) = (SELECT {link} FROM r, t) WHERE run.id = (SELECT r.id FROM r, t, v) RETURNING run.id, run.seq, run.head
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, asked.starts_at, asked.ends_at
  FROM held LEFT JOIN v ON true LEFT JOIN asked ON v.outcome = 'away';  -- what is refused may be a time that nobody can read

-- name: set_back :one
-- Somebody is back sooner: what is under way ends now; or, if nothing is, is not going: what would begin next is taken back. What is planned
-- beyond stands. On record likewise, with which absence. `outcome`: back, not_going, not_away, not_yours (neither the person nor an operator),
-- or again, as above; with whose place it was, from when until when, and when the next one begins that stands. The cards of what waits for
-- them by name are painted anew. No row: the system's run is missing.
WITH {as_seen}, {operator}, theirs AS MATERIALIZED (
    SELECT w.delegate, w.starts_at, least(w.ends_at, '9999-12-30Z') AS ends_at, w.starts_at < t.at AS begun, t.at
      FROM t JOIN away w ON w.person_id = %(person)s AND w.ends_at > t.at WHERE %(actor)s = %(person)s OR EXISTS (SELECT FROM may)
), one AS MATERIALIZED (
    SELECT theirs.*, concat_ws(' ', CASE WHEN begun THEN 'ended:' ELSE 'taken back:' END, delegate, 'from', starts_at AT TIME ZONE 'UTC',
                               'to', ends_at AT TIME ZONE 'UTC', 'UTC') AS told
      FROM theirs ORDER BY starts_at LIMIT 1
), ended AS (
    UPDATE away SET ends_at = one.at FROM one
     WHERE away.person_id = %(person)s AND away.starts_at = one.starts_at AND one.begun RETURNING away.delegate
), dropped AS (
    DELETE FROM away USING one WHERE away.person_id = %(person)s AND away.starts_at = one.starts_at AND NOT one.begun RETURNING away.delegate
), repainted AS (
    UPDATE card SET {repaint} FROM run_pause p, one
     WHERE card.pause_id = p.id AND p.status = 'waiting' AND p.approver = 'person:' || %(person)s AND card.kind = 'approver' AND card.level = p.level
), v AS MATERIALIZED (
    SELECT CASE WHEN %(actor)s <> %(person)s AND NOT EXISTS (SELECT FROM may) THEN 'not_yours'
                WHEN EXISTS (SELECT FROM ended) THEN 'back' WHEN EXISTS (SELECT FROM dropped) THEN 'not_going' ELSE 'not_away' END AS outcome FROM r
), events AS MATERIALIZED (
    SELECT 1 AS n, 'system' AS entity, %(person)s::text AS entity_id, 'new' AS from_status, 'back' AS event,
           CASE WHEN one.at IS NOT NULL THEN 'done' END AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface,
           coalesce(one.told, v.outcome) AS detail
      FROM v LEFT JOIN one ON true
), linked AS (
    UPDATE run SET (seq, head) = (SELECT {link} FROM r, t) WHERE run.id = (SELECT r.id FROM r, t, v) RETURNING run.id, run.seq, run.head
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, one.delegate, one.starts_at, one.ends_at,
       (SELECT min(theirs.starts_at) FROM theirs WHERE theirs.starts_at > one.starts_at) AS next_at
  FROM held LEFT JOIN v ON true LEFT JOIN one ON true;

-- name: people_on_record :one
-- The last import on record, and the rows of those who are active, in one look. No row: nobody was ever imported.
SELECT e.seq, e.detail,
       (SELECT coalesce(json_agg({person_as_json}), '[]') FROM person p WHERE p.active) AS people
  FROM run_event e WHERE e.run_id = %(id)s AND e.event = 'people' ORDER BY e.seq DESC LIMIT 1;

-- name: absences_of :fragment
(SELECT coalesce(json_agg(json_build_object('delegate', w.delegate, 'starts_at', w.starts_at,  -- a release before took any year; Python has none after 9999
                                            'ends_at', least(w.ends_at, '9999-12-30Z')) ORDER BY w.starts_at), '[]')
   FROM away w WHERE w.person_id = p.id)

-- name: people :many
-- Everybody, with roles, Slack ids, and when they were, are or will be away.
SELECT p.id, p.name, p.manager, p.scopes, p.active,
       ARRAY(SELECT m.role FROM role_member m WHERE m.person_id = p.id ORDER BY m.role) AS roles,
       ARRAY(SELECT i.team || ':' || i.slack_user FROM identity i WHERE i.person_id = p.id ORDER BY 1) AS identities,
       {absences_of} AS absences
  FROM person p ORDER BY p.id;

-- name: person_of_identity :one
-- Whose Slack id this is, and how long ago (seconds) Slack was asked about it. No row: nobody's we know.
SELECT p.id, p.name, p.active, i.team, i.slack_user, i.refusal, extract(epoch FROM clock_timestamp() - i.checked_at)::double precision AS checked_s_ago,
       ARRAY(SELECT m.role FROM role_member m WHERE m.person_id = p.id ORDER BY m.role) AS roles
  FROM identity i JOIN person p ON p.id = i.person_id WHERE i.team = %(team)s AND i.slack_user = %(user)s;

-- name: identities_of_person :many
-- A person's Slack ids, last those that Slack's last word on bars. None: the person cannot be reached in Slack.
SELECT team, slack_user FROM identity WHERE person_id = %(person)s ORDER BY refusal IS NOT NULL, team, slack_user;

-- name: identity_checked :exec
-- What Slack said of this user just now; refusal NULL: a full member.
UPDATE identity SET checked_at = clock_timestamp(), refusal = %(refusal)s WHERE team = %(team)s AND slack_user = %(user)s;

-- name: person_names :many
-- Names by id, for what people read.
SELECT id, name FROM person WHERE id = ANY(%(ids)s);

-- name: role_holders :many
-- Who may decide for a role now.
SELECT p.id, p.name FROM role_member m JOIN person p ON p.id = m.person_id AND p.active WHERE m.role = %(role)s ORDER BY p.name;
