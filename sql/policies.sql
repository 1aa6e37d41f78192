-- Policy versions: immutable; the newest is in force.

-- name: apply_policy :one
-- A new version, on record in the system's chain. `outcome`: applied, unchanged (the same text is in force), older (it was in force before),
-- other_content (the version name stands for another text), or again (another version was committed while this one waited, and it does not
-- see it). No row: the system's run is missing.
WITH {as_seen}, here AS (
    SELECT digest, seq = (SELECT max(seq) FROM policy_version) AS newest FROM policy_version WHERE version = %(version)s
), applied AS (
    INSERT INTO policy_version (version, document, digest, applied_by) SELECT %(version)s, %(document)s, %(digest)s, %(actor)s
      FROM r WHERE NOT EXISTS (SELECT FROM here) RETURNING version
), events AS MATERIALIZED (
    SELECT 1 AS n, 'system' AS entity, version AS entity_id, 'new' AS from_status, 'policy' AS event, 'done' AS to_status,
           %(actor)s::text AS actor, %(surface)s::text AS surface, 'applied ' || version || ', ' || %(digest)s AS detail FROM applied
), linked AS (
    UPDATE run SET (seq, head) = (SELECT {link} FROM r, t) WHERE run.id = (SELECT r.id FROM r, t, applied) RETURNING run.id, run.seq, run.head
), {log}
SELECT CASE WHEN NOT EXISTS (SELECT FROM r) THEN 'again'
            WHEN EXISTS (SELECT FROM applied) THEN 'applied'
            WHEN EXISTS (SELECT FROM here WHERE digest = %(digest)s AND newest) THEN 'unchanged'
            WHEN EXISTS (SELECT FROM here WHERE digest = %(digest)s) THEN 'older'
            ELSE 'other_content' END AS outcome FROM held;

-- name: policies_off_record :many
-- Versions that no event of the system's chain tells of as they are. None: that is how it should be.
SELECT v.version FROM policy_version v
 WHERE NOT EXISTS (SELECT FROM run_event e WHERE e.run_id = %(id)s AND e.event = 'policy' AND e.entity_id = v.version
                                             AND e.detail IN ('applied ' || v.version, 'applied ' || v.version || ', ' || v.digest))
 ORDER BY v.seq;

-- name: current_policy :one
-- The version in force. No row: none was ever applied, and nothing with an effect is allowed.
SELECT version, document, digest, applied_by, applied_at FROM policy_version ORDER BY seq DESC LIMIT 1;

-- name: policy_of_version :one
-- One version's text. No row: there is no such version.
SELECT version, document, digest, applied_by, applied_at FROM policy_version WHERE version = %(version)s;
