-- The record: read, verified, and written for what belongs to no run of an agent (the run called `system`).

-- name: events_of_run :many
-- A run's record, in order.
SELECT seq, n, at, entity, entity_id, from_status, event, to_status, actor, surface, detail
  FROM run_event WHERE run_id = %(run_id)s ORDER BY seq, n;

-- name: events_of_pause :many
-- What happened to a request and to what it led to, in order; of more than thirty the latest, names as they are now. None: no such request.
SELECT at, entity, event, refused, actor, name, surface, detail FROM (
    SELECT e.seq, e.n, e.at, e.entity, e.event, e.to_status IS NULL AS refused, e.actor, p.name, e.surface, e.detail
      FROM run_event e LEFT JOIN person p ON p.id = e.actor
     WHERE e.run_id = (SELECT run_id FROM run_pause WHERE id = %(pause_id)s)
       AND e.entity_id = ANY(ARRAY[%(pause_id)s::text] || ARRAY(SELECT f.id::text FROM effect f WHERE f.pause_id = %(pause_id)s))
     ORDER BY e.seq DESC, e.n DESC LIMIT 30) AS latest
 ORDER BY seq, n;

-- name: record_of_run :one
-- A run's whole record in one look, with the rows that must agree with it; times as the chain has them: microseconds of UTC as text.
-- No row: there is no such run.
SELECT r.seq, r.head,
       (SELECT coalesce(json_agg(json_build_object('seq', e.seq, 'n', e.n, 'entity', e.entity, 'entity_id', e.entity_id, 'from_status', e.from_status,
                                                   'event', e.event, 'to_status', e.to_status, 'actor', e.actor, 'surface', e.surface, 'detail', e.detail, 'mark', encode(e.mark, 'hex'),
                                                   'at', ((extract(epoch FROM e.at) * 1000000)::bigint)::text) ORDER BY e.seq, e.n), '[]')
          FROM run_event e WHERE e.run_id = r.id) AS entries,
       json_build_object(
           'run', CASE WHEN r.kind = 'system' THEN '[]' ELSE json_build_array(json_build_object('id', r.id, 'status', r.status)) END,
           'pause', (SELECT coalesce(json_agg(json_build_object('id', p.id, 'status', p.status, 'decided_by', p.decided_by,
                                                                'decided_at', ((extract(epoch FROM p.decided_at) * 1000000)::bigint)::text,
                                                                'voters', p.voters, 'digest', c.digest, 'seal', c.seal,
                                                                'document', c.document) ORDER BY p.id), '[]')
                       FROM run_pause p LEFT JOIN pause_content c ON c.pause_id = p.id WHERE p.run_id = r.id),
           'vote', (SELECT coalesce(json_agg(json_build_object('pause_id', v.pause_id, 'person', v.person, 'verdict', v.verdict, 'surface', v.surface,
                                                               'reason', v.reason, 'seal', v.seal, 'at', ((extract(epoch FROM v.at) * 1000000)::bigint)::text) ORDER BY v.at, v.person), '[]')
                      FROM pause_vote v JOIN run_pause p ON p.id = v.pause_id WHERE p.run_id = r.id),
           'effect', (SELECT coalesce(json_agg(json_build_object('id', f.id, 'status', f.status, 'action', f.action, 'digest', f.digest,
                                                                 'receipt', f.receipt::text) ORDER BY f.id), '[]')
                        FROM effect f WHERE f.run_id = r.id)) AS rows
  FROM run r WHERE r.id = %(run_id)s;

-- name: heads :many
-- Where every chain stands.
SELECT id AS run_id, seq, head FROM run ORDER BY id;

-- name: lost_runs :many
-- Runs that left something behind and are gone themselves; the system's own, which is there from the first migration on, whatever is left of
-- it. None: that is how it should be.
SELECT left_behind.run_id FROM (
    SELECT run_id FROM run_event UNION SELECT run_id FROM run_message UNION SELECT run_id FROM run_pause UNION SELECT run_id FROM effect
    UNION SELECT %(system)s::uuid
) AS left_behind WHERE NOT EXISTS (SELECT FROM run WHERE run.id = left_behind.run_id) ORDER BY run_id;

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
    SELECT 1 AS n, 'system' AS entity, %(subject)s::text AS entity_id, 'new' AS from_status, %(event)s::text AS event,
           'done' AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface, %(detail)s::text AS detail FROM r
), linked AS (
    UPDATE run SET (seq, head) = ({link}) FROM r, t WHERE run.id = r.id RETURNING run.id, run.seq, run.head
), {log}
SELECT seq FROM linked;

-- name: refused_attempt :one
-- Somebody was turned away before any move was tried: no member of ours, or a form that is not for them. It is on record as what the move
-- itself refuses. about: a pause or an effect; event: what they tried. No row: there is no such pause or effect.
WITH r AS MATERIALIZED (
    SELECT id, seq, head FROM run WHERE id = coalesce((SELECT run_id FROM run_pause WHERE id = %(about)s), (SELECT run_id FROM effect WHERE id = %(about)s))
       FOR UPDATE
), seen AS MATERIALIZED (
    SELECT 'pause' AS entity, p.id, p.status FROM run_pause p JOIN r ON r.id = p.run_id WHERE p.id = %(about)s FOR UPDATE OF p
), doubted AS MATERIALIZED (
    SELECT 'effect' AS entity, e.id, e.status FROM effect e JOIN r ON r.id = e.run_id WHERE e.id = %(about)s FOR UPDATE OF e
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r, (SELECT (SELECT count(*) FROM seen) + (SELECT count(*) FROM doubted) AS rows) AS locked
), events AS MATERIALIZED (
    SELECT 1 AS n, one.entity, one.id::text AS entity_id, one.status AS from_status, %(event)s::text AS event, NULL::text AS to_status,
           %(actor)s::text AS actor, %(surface)s::text AS surface, %(why)s::text AS detail
      FROM (SELECT * FROM seen UNION ALL SELECT * FROM doubted) AS one
), linked AS (
    UPDATE run SET (seq, head) = (SELECT {link} FROM r, t) WHERE run.id = (SELECT r.id FROM r, t) RETURNING run.id, run.seq, run.head
), {log}
SELECT seq FROM linked;
