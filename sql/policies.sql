-- Policy versions: immutable; the newest is in force.

-- name: apply_policy :one
-- A new version. `outcome`: applied, unchanged (the same text is in force), other_content (the version name stands for another text).
WITH here AS (
    SELECT digest, seq = (SELECT max(seq) FROM policy_version) AS newest FROM policy_version WHERE version = %(version)s
), applied AS (
    INSERT INTO policy_version (version, document, digest, applied_by) SELECT %(version)s, %(document)s, %(digest)s, %(actor)s
     WHERE NOT EXISTS (SELECT FROM here)
    ON CONFLICT (version) DO NOTHING RETURNING version
)
SELECT CASE WHEN EXISTS (SELECT FROM applied) THEN 'applied'
            WHEN EXISTS (SELECT FROM here WHERE digest = %(digest)s AND newest) THEN 'unchanged'
            WHEN EXISTS (SELECT FROM here WHERE digest = %(digest)s) THEN 'older'
            ELSE 'other_content' END AS outcome;

-- name: current_policy :one
-- The version in force. No row: none was ever applied, and nothing with an effect is allowed.
SELECT version, document, digest, applied_by, applied_at FROM policy_version ORDER BY seq DESC LIMIT 1;

-- name: policy_of_version :one
-- One version's text. No row: there is no such version.
SELECT version, document, digest, applied_by, applied_at FROM policy_version WHERE version = %(version)s;
