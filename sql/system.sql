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
DO $$
BEGIN
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET statement_timeout = ''5s''', current_user, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET lock_timeout = ''2s''', current_user, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET idle_in_transaction_session_timeout = ''10s''', current_user, current_database());
    EXECUTE format('ALTER ROLE %%I IN DATABASE %%I SET jit = off', current_user, current_database());
END $$;

-- name: schema_version :one
-- The newest migration this database has. No row: none.
SELECT max(name) AS name FROM migration;

-- name: writes :exec
-- A write that changes nothing, for the health check: a database that only reads is not healthy.
UPDATE migration SET applied_at = applied_at WHERE name = (SELECT max(name) FROM migration);
