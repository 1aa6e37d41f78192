-- The halt: one row while every effect is stopped. What has begun is finished; waits and decisions go on. Only operators set and lift it.

-- name: operator :fragment
may AS MATERIALIZED (
    SELECT m.person_id FROM role_member m JOIN person q ON q.id = m.person_id AND q.active WHERE m.person_id = %(actor)s AND m.role = 'operator'
)

-- name: halt_effects :one
-- An operator stops every effect. On record in the system's chain, as is who tried in vain. `outcome`: halt, already (it was stopped
-- before), not_yours (no operator). No row: the system's run is missing.
WITH r AS MATERIALIZED (
    SELECT id, seq, head FROM run WHERE id = %(id)s FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), {operator}, halted AS (
    INSERT INTO halt (halted_by, halted_at, reason) SELECT %(actor)s, t.at, %(reason)s FROM t, may ON CONFLICT DO NOTHING RETURNING halted_by
), v AS MATERIALIZED (
    SELECT CASE WHEN EXISTS (SELECT FROM halted) THEN 'halt' WHEN EXISTS (SELECT FROM may) THEN 'already' ELSE 'not_yours' END AS outcome FROM r
), events AS MATERIALIZED (
    SELECT 1 AS n, 'system' AS entity, 'effects' AS entity_id, 'new' AS from_status, 'halt' AS event,
           CASE WHEN v.outcome = 'halt' THEN 'done' END AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface,
           CASE WHEN v.outcome = 'halt' THEN nullif(%(reason)s::text, '') ELSE v.outcome END AS detail FROM v
), linked AS (
    UPDATE run SET (seq, head) = (SELECT {link} FROM r, t) WHERE run.id = (SELECT r.id FROM r, t, v) RETURNING run.id, run.seq, run.head
), {log}
SELECT outcome FROM v;

-- name: lift_halt :one
-- An operator lets effects go on. On record likewise. `outcome`: unhalt, not_halted, not_yours (no operator). No row: the system's run is
-- missing.
WITH r AS MATERIALIZED (
    SELECT id, seq, head FROM run WHERE id = %(id)s FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), {operator}, lifted AS (
    DELETE FROM halt USING t, may RETURNING halt.halted_by
), v AS MATERIALIZED (
    SELECT CASE WHEN EXISTS (SELECT FROM lifted) THEN 'unhalt' WHEN EXISTS (SELECT FROM may) THEN 'not_halted' ELSE 'not_yours' END AS outcome FROM r
), events AS MATERIALIZED (
    SELECT 1 AS n, 'system' AS entity, 'effects' AS entity_id, 'new' AS from_status, 'unhalt' AS event,
           CASE WHEN v.outcome = 'unhalt' THEN 'done' END AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface,
           CASE WHEN v.outcome <> 'unhalt' THEN v.outcome END AS detail FROM v
), linked AS (
    UPDATE run SET (seq, head) = (SELECT {link} FROM r, t) WHERE run.id = (SELECT r.id FROM r, t, v) RETURNING run.id, run.seq, run.head
), {log}
SELECT outcome FROM v;

-- name: halted :one
-- Who stopped every effect, since when and why. No row: effects may go on.
SELECT h.halted_by, coalesce(q.name, h.halted_by) AS name, h.halted_at, h.reason FROM halt h LEFT JOIN person q ON q.id = h.halted_by;
