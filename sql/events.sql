-- The record: read, verified, and written for what belongs to no run of an agent (the run called `system`).

-- name: events_of_run :many
-- A run's record, in order.
SELECT seq, n, at, entity, entity_id, from_status, event, to_status, actor, surface, detail
  FROM run_event WHERE run_id = %(run_id)s ORDER BY seq, n;

-- name: chain_of_run :many
-- The same, with `at` as the chain has it: microseconds of UTC as text.
SELECT seq, n, entity, entity_id, from_status, event, to_status, actor, surface, detail, ((extract(epoch FROM at) * 1000000)::bigint)::text AS at
  FROM run_event WHERE run_id = %(run_id)s ORDER BY seq, n;

-- name: head_of_run :one
-- The chain's last link and how many there are. No row: there is no such run.
SELECT head, seq FROM run WHERE id = %(run_id)s;

-- name: make_system_run :exec
-- The run called `system`, once.
INSERT INTO run (id, root, max_iterations, kind, status, agent, on_behalf_of, acts_as, head)
VALUES (%(id)s, %(id)s, 1, 'system', 'done', 'system', 'system', 'system', %(genesis)s) ON CONFLICT (id) DO NOTHING;

-- name: record_system :one
-- One event of the system's own chain: a migration, a policy, people, halt.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(id)s FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), events AS MATERIALIZED (
    SELECT r.id AS run_id, 1 AS n, 'system' AS entity, %(subject)s::text AS entity_id, 'new' AS from_status, %(event)s::text AS event,
           'done' AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface, %(detail)s::text AS detail FROM r
), linked AS (
    UPDATE run SET {link} FROM r, t WHERE run.id = r.id RETURNING run.seq
), {log}
SELECT seq FROM linked;
