-- The schema's own upkeep, and what shows whether the database works.

-- name: migration_table :exec
-- What was applied to this database, and when.
CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());

-- name: migration_lock :exec
-- One migrator at a time; released with the transaction.
SELECT pg_advisory_xact_lock(hashtext('placet.migrate'));

-- name: migrations_done :many
-- The names of those applied. None: the database is new.
SELECT name FROM migration;

-- name: migration_done :exec
-- Noted in the transaction that applies it.
INSERT INTO migration (name) VALUES (%(name)s);

-- name: role_settings :exec
-- Time-outs belong to the database's role, not to sessions: they hold behind any pooler, for every tool that connects as this role.
-- A move is planned once per connection, not at each of its first five uses: planning costs five times what the move does.
DO $$
BEGIN
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET statement_timeout = ''5s''', current_user, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET lock_timeout = ''2s''', current_user, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET idle_in_transaction_session_timeout = ''10s''', current_user, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET jit = off', current_user, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET plan_cache_mode = force_generic_plan', current_user, current_database());
END $$;

-- name: schema_version :one
-- The newest migration this database has. No row: none.
SELECT max(name) AS name FROM migration;

-- name: writes :exec
-- A write that changes nothing, for the health check: a database that only reads is not healthy.
UPDATE migration SET applied_at = applied_at WHERE name = (SELECT max(name) FROM migration);

-- name: app_role :one
-- Whether the role could do anything whatever it is granted, whether we may grant (who does not own the tables grants nothing, silently),
-- and its name for the grant below. No row: there is no such role.
SELECT r.rolsuper OR r.rolcreaterole OR pg_has_role(r.oid, c.relowner, 'MEMBER') AS cannot_be_bound,
       pg_has_role(c.relowner, 'MEMBER') AS may_grant, set_config('placet.app_role', r.rolname, true) AS role
  FROM pg_roles r, pg_class c WHERE r.rolname = %(role)s AND c.oid = 'run_event'::regclass;

-- name: grant_app_role :exec
-- What the application needs, and no more: what is on record can be added to by it, and neither changed nor removed. Safe to repeat.
DO $$
DECLARE
    app text := current_setting('placet.app_role');
BEGIN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %%I', app);
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %%I', app);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA public TO %%I', app);
    EXECUTE format('GRANT INSERT ON run_event, run_message, run_again, pause_content, pause_vote, policy_version, spending TO %%I', app);
    EXECUTE format('GRANT INSERT, UPDATE ON run, run_content, run_call, run_pause, effect, effect_attempt, card, notice, person, api_token, spending_lock TO %%I', app);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON run_lease, digest_lease, identity, role_member, away, halt TO %%I', app);
    EXECUTE format('GRANT UPDATE (applied_at) ON migration TO %%I', app);
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET statement_timeout = ''5s''', app, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET lock_timeout = ''2s''', app, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET idle_in_transaction_session_timeout = ''10s''', app, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET jit = off', app, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET plan_cache_mode = force_generic_plan', app, current_database());
END $$;
