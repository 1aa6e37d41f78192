-- People, their Slack ids, roles and managers. Kept by import; a decision reads them inside its own statement.

-- name: import_people :one
-- People, identities and roles as the file says; those it does not name are deactivated, never deleted, and lose their roles. On record in
-- the system's chain, with what the rows are to be. `outcome`: imported, or again (another import was committed while this one waited, and
-- it does not see whom that one added). `were`: everybody as they were, which this replaced. No row: the system's run is missing.
-- people: [{id, name, manager, scopes, active, identities: [{team, user}], roles: []}]
WITH held AS MATERIALIZED (
    SELECT id, seq, head FROM run WHERE id = %(id)s FOR UPDATE
), r AS MATERIALIZED (
    SELECT held.* FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), given AS MATERIALIZED (
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

-- name: people_on_record :one
-- The last import on record, and the rows of those who are active, in one look. No row: nobody was ever imported.
SELECT e.seq, e.detail,
       (SELECT coalesce(json_agg({person_as_json}), '[]') FROM person p WHERE p.active) AS people
  FROM run_event e WHERE e.run_id = %(id)s AND e.event = 'people' ORDER BY e.seq DESC LIMIT 1;

-- name: people :many
-- Everybody, with roles and Slack ids.
SELECT p.id, p.name, p.manager, p.scopes, p.active,
       ARRAY(SELECT m.role FROM role_member m WHERE m.person_id = p.id ORDER BY m.role) AS roles,
       ARRAY(SELECT i.team || ':' || i.slack_user FROM identity i WHERE i.person_id = p.id ORDER BY 1) AS identities
  FROM person p ORDER BY p.id;

-- name: person_of_identity :one
-- Whose Slack id this is, and how long ago (seconds) Slack was asked about it. No row: nobody's we know.
SELECT p.id, p.name, p.active, i.team, i.slack_user, i.refusal, extract(epoch FROM clock_timestamp() - i.checked_at)::double precision AS checked_s_ago,
       ARRAY(SELECT m.role FROM role_member m WHERE m.person_id = p.id ORDER BY m.role) AS roles
  FROM identity i JOIN person p ON p.id = i.person_id WHERE i.team = %(team)s AND i.slack_user = %(user)s;

-- name: identities_of_person :many
-- A person's Slack ids. None: the person cannot be reached in Slack.
SELECT team, slack_user FROM identity WHERE person_id = %(person)s ORDER BY team, slack_user;

-- name: identity_checked :exec
-- What Slack said of this user just now; refusal NULL: a full member.
UPDATE identity SET checked_at = clock_timestamp(), refusal = %(refusal)s WHERE team = %(team)s AND slack_user = %(user)s;

-- name: person_names :many
-- Names by id, for what people read.
SELECT id, name FROM person WHERE id = ANY(%(ids)s);

-- name: role_holders :many
-- Who may decide for a role now.
SELECT p.id, p.name FROM role_member m JOIN person p ON p.id = m.person_id AND p.active WHERE m.role = %(role)s ORDER BY p.name;
