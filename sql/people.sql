-- People, their Slack ids, roles and managers. Kept by import; a decision reads them inside its own statement.

-- name: import_people :exec
-- People, identities and roles as the file says; those it does not name are deactivated, never deleted, and lose their roles.
-- people: [{id, name, manager, scopes, active, identities: [{team, user}], roles: []}]
WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(people)s::jsonb) AS p(id text, name text, manager text, scopes jsonb, active boolean, identities jsonb, roles jsonb)
), gone AS (
    UPDATE person SET active = false WHERE id NOT IN (SELECT id FROM given)
), kept AS (
    INSERT INTO person (id, name, manager, scopes, active)
    SELECT id, name, manager, ARRAY(SELECT jsonb_array_elements_text(scopes)), active FROM given
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, manager = excluded.manager, scopes = excluded.scopes, active = excluded.active
), known AS (
    INSERT INTO identity (team, slack_user, person_id)
    SELECT i.team, i."user", given.id FROM given, jsonb_to_recordset(given.identities) AS i(team text, "user" text)
    ON CONFLICT (team, slack_user) DO UPDATE SET person_id = excluded.person_id
), forgotten AS (
    DELETE FROM identity WHERE (team, slack_user) NOT IN (
        SELECT i.team, i."user" FROM given, jsonb_to_recordset(given.identities) AS i(team text, "user" text))
), lost AS (
    DELETE FROM role_member WHERE (role, person_id) NOT IN (SELECT r.role, given.id FROM given, jsonb_array_elements_text(given.roles) AS r(role))
)
INSERT INTO role_member (role, person_id)
SELECT DISTINCT r.role, given.id FROM given, jsonb_array_elements_text(given.roles) AS r(role)
ON CONFLICT DO NOTHING;

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
