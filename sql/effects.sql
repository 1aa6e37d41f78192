-- The ledger. An attempt is committed before its call; its outcome is recorded by the attempt's id whatever the epoch, because a receipt
-- must never be dropped.

-- name: begin_effect :one
-- Everything that must hold is looked at once more, and the effect with its first attempt is written, before the call.
-- `outcome`: attempt, or why not: halted, held, exists (there is an effect already: reconcile it), not_approved, altered (the content or
-- the action is not what was approved), late (its time to be done has passed), spent (with what was paid to the payee in the last window_s
-- it is more than up_to, so that another rule holds). No row: the run is no longer this worker's.
-- Where payments to one payee count together (window_s > 0; up_to NULL: without end) the payee is locked, last of all, before they are counted.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, hold, epoch, iterations, open_effects, acts_as FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' FOR UPDATE
), p AS MATERIALIZED (
    SELECT p.id, p.status, p.step, p.n, p.decided_at FROM run_pause p WHERE p.id = %(pause_id)s AND p.run_id = (SELECT id FROM r) FOR UPDATE
), payee AS (
    INSERT INTO spending_lock (action, payee, currency)
    SELECT %(spend_action)s::text, %(payee)s::text, %(currency)s::text FROM r, (SELECT count(*) FROM p) AS locked WHERE %(window_s)s > 0
    ON CONFLICT (action, payee, currency) DO UPDATE SET action = excluded.action
    RETURNING action
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at, payees FROM r, (SELECT count(*) AS pauses FROM p) AS locked, (SELECT count(*) AS payees FROM payee) AS counted
), v AS MATERIALIZED (
    SELECT CASE
               WHEN r.hold THEN 'held'
               WHEN effects_halted_v1() THEN 'halted'
               WHEN EXISTS (SELECT FROM effect WHERE run_id = r.id AND step = r.iterations AND n = %(n)s) THEN 'exists'
               WHEN encode(sha256(convert_to('placet.action.v1', 'UTF8') || '\x00'::bytea || convert_to(%(action)s, 'UTF8')), 'hex')
                    <> %(digest)s THEN 'altered'
               WHEN %(pause_id)s::uuid IS DISTINCT FROM (
                    SELECT pause_id FROM run_call WHERE run_id = r.id AND step = r.iterations AND n = %(n)s) THEN 'not_approved'
               WHEN %(window_s)s > 0 AND spent_v1(%(spend_action)s, %(payee)s, %(currency)s, t.at - %(window_s)s * interval '1 second', t.payees)
                    + {retried_less_own} + %(minor)s > %(up_to)s::bigint THEN 'spent'
               WHEN %(pause_id)s::uuid IS NULL THEN 'attempt'
               WHEN p.status IS DISTINCT FROM 'approved' OR p.step <> r.iterations OR p.n <> %(n)s THEN 'not_approved'
               WHEN c.digest IS DISTINCT FROM pause_digest_v1(c.document) OR c.document::jsonb ->> 'action_digest' <> %(digest)s THEN 'altered'
               WHEN t.at > p.decided_at + (c.document::jsonb ->> 'execute_within_s')::double precision * interval '1 second' THEN 'late'
               ELSE 'attempt'
           END AS outcome
      FROM r JOIN t ON true LEFT JOIN p ON true LEFT JOIN pause_content c ON c.pause_id = p.id
), begun AS (
    INSERT INTO effect (id, run_id, pause_id, created_at, step, n, status, tool, effect_key, action, digest, policy_version, rule, doubt_role, quoted)
    SELECT %(effect_id)s, r.id, %(pause_id)s, t.at, r.iterations, %(n)s, 'attempted', %(tool)s, %(effect_key)s, %(action)s, %(digest)s,
           %(policy_version)s, %(rule)s, %(doubt_role)s, %(quoted)s::text::json
      FROM r, t, v WHERE v.outcome = 'attempt'
    RETURNING id
), counted AS (
    INSERT INTO spending (effect_id, at, minor, action, payee, currency)
    SELECT begun.id, t.at, %(minor)s, %(spend_action)s, %(payee)s, %(currency)s FROM begun, t WHERE %(window_s)s > 0
), attempted AS (
    INSERT INTO effect_attempt (id, effect_id, started_at, call_deadline, epoch, status)
    SELECT %(attempt_id)s, begun.id, t.at, t.at + %(call_s)s * interval '1 second', r.epoch, 'open' FROM begun, r, t
    RETURNING id, started_at, call_deadline
), leased AS (  -- it must outlast the call, and is written only where it does not by half a lease
    UPDATE run_lease SET lease_until = t.at + (%(call_s)s + %(lease_s)s) * interval '1 second'
      FROM begun, r, t
     WHERE run_lease.run_id = r.id AND run_lease.epoch = r.epoch
       AND run_lease.lease_until < t.at + (%(call_s)s + %(lease_s)s / 2.0) * interval '1 second'
), repainted AS (
    UPDATE card SET {repaint} FROM begun WHERE card.pause_id = %(pause_id)s
), events AS MATERIALIZED (
    SELECT 1 AS n, 'effect' AS entity, %(effect_id)s::uuid::text AS entity_id, 'new' AS from_status, 'attempt' AS event,
           CASE WHEN v.outcome = 'attempt' THEN 'attempted' END AS to_status, r.acts_as AS actor, 'worker' AS surface,
           CASE WHEN v.outcome = 'attempt' THEN %(digest)s ELSE v.outcome END AS detail
      FROM r, v
), linked AS (
    UPDATE run SET open_effects = r.open_effects + CASE WHEN v.outcome = 'attempt' THEN 1 ELSE 0 END, (seq, head) = ({link})
      FROM r, t, v WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head
), {log}
SELECT v.outcome, attempted.started_at, attempted.call_deadline FROM v JOIN linked ON true LEFT JOIN attempted ON true;

-- name: retried_less_own :fragment
-- What spent_v1 does not know, for it counts a payment from when it was first tried: those first tried before the window and with a fresh key
-- in it; less effect_id's own, which does not count beside itself. Not further back than 35 days, so that it stays quick.
(SELECT coalesce(sum(CASE WHEN e.id IS DISTINCT FROM %(effect_id)s::uuid THEN
                              CASE WHEN s.at <= clock_timestamp() - %(window_s)s * interval '1 second' THEN s.minor ELSE 0 END
                          WHEN s.at > clock_timestamp() - %(window_s)s * interval '1 second' THEN -s.minor ELSE 0 END), 0)::bigint
   FROM spending s JOIN effect e ON e.id = s.effect_id AND e.status <> 'failed'
  WHERE s.action = %(spend_action)s AND s.payee = %(payee)s AND s.currency = %(currency)s
    AND s.at > clock_timestamp() - %(window_s)s * interval '1 second' - interval '35 days'
    AND (e.id = %(effect_id)s::uuid
         OR s.at <= clock_timestamp() - %(window_s)s * interval '1 second'
            AND EXISTS (SELECT FROM effect_attempt k WHERE k.effect_id = e.id AND k.status = 'absent')
            AND EXISTS (SELECT FROM effect_attempt k WHERE k.effect_id = e.id AND k.started_at > clock_timestamp() - %(window_s)s * interval '1 second')))

-- name: spent :one
-- What was paid to a payee in the last window_s, in minor units, before anything is locked: by it a rule is chosen; begin_effect and
-- replace_attempt count again. effect_id: the effect that is asked about, which does not count itself; NULL: none is begun.
-- No row: never; nothing paid is 0.
SELECT spent_v1(%(spend_action)s, %(payee)s, %(currency)s, clock_timestamp() - %(window_s)s * interval '1 second', 0)
       + {retried_less_own} AS minor;

-- name: open_effect :one
-- The effect of a call and its newest attempt, with the time by the database's clock. No row: nothing was begun.
SELECT e.id AS effect_id, e.pause_id, e.status, e.effect_key, e.action, e.tool, e.created_at, e.policy_version, e.rule, e.doubt_role, e.quoted,
       (SELECT r.on_behalf_of FROM run r WHERE r.id = e.run_id) AS on_behalf_of,
       a.id AS attempt_id, a.status AS attempt_status, a.started_at, a.call_deadline, a.tries, clock_timestamp() AS now
  FROM effect e LEFT JOIN LATERAL (SELECT * FROM effect_attempt WHERE effect_id = e.id ORDER BY started_at DESC, id DESC LIMIT 1) a ON true
 WHERE e.run_id = %(run_id)s AND e.step = %(step)s AND e.n = %(n)s;

-- name: repeat_attempt :one
-- The same call with the same key, as long as the provider surely remembers it (within_s of its first). `outcome`: repeat, halted, over (it
-- may be forgotten by now), withdrawn (the run is to be cancelled), or settled (somebody was quicker).
-- No row: the run is no longer this worker's.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' FOR UPDATE
), a AS MATERIALIZED (
    SELECT a.*, e.status AS effect_status FROM effect_attempt a JOIN effect e ON e.id = a.effect_id JOIN r ON r.id = e.run_id
     WHERE a.id = %(attempt_id)s FOR UPDATE OF e, a
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM a
), v AS MATERIALIZED (
    SELECT CASE WHEN a.status <> 'open' OR a.effect_status <> 'attempted' THEN 'settled'
                WHEN r.cancel_wanted THEN 'withdrawn' WHEN effects_halted_v1() THEN 'halted'
                WHEN t.at >= a.started_at + %(within_s)s * interval '1 second' THEN 'over' ELSE 'repeat' END AS outcome FROM r, a, t
), repeated AS (
    UPDATE effect_attempt SET tries = a.tries + 1, epoch = %(epoch)s, call_deadline = t.at + %(call_s)s * interval '1 second'
      FROM a, t, v WHERE effect_attempt.id = a.id AND v.outcome = 'repeat'
), leased AS (
    UPDATE run_lease SET lease_until = greatest(lease_until, t.at + (%(call_s)s + %(lease_s)s) * interval '1 second')
      FROM r, t WHERE run_lease.run_id = r.id AND run_lease.epoch = r.epoch
), events AS MATERIALIZED (
    SELECT 1 AS n, 'effect' AS entity, a.effect_id::text AS entity_id, a.effect_status AS from_status, 'repeat' AS event,
           CASE WHEN v.outcome = 'repeat' THEN 'attempted' END AS to_status, r.acts_as AS actor, 'worker' AS surface,
           CASE WHEN v.outcome <> 'repeat' THEN v.outcome END AS detail
      FROM r, a, v
), linked AS (
    UPDATE run SET (seq, head) = ({link}) FROM r, t WHERE run.id = r.id RETURNING run.id, run.seq, run.head
), {log}
SELECT v.outcome FROM v, linked;

-- name: replace_attempt :one
-- The earlier call has surely ended and surely did nothing: its attempt is closed as absent, and one with a fresh key is written. It would be
-- the first to happen, so all that must hold when an effect is begun is looked at here once more, and what it pays counts from now on.
-- `outcome`: reattempt, or why not: settled, withdrawn (the run is to be cancelled), held, halted, altered, late, spent, as begin_effect has them.
-- No row: the run is no longer this worker's.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' FOR UPDATE
), p AS MATERIALIZED (
    SELECT p.id, p.status, p.decided_at FROM run_pause p JOIN r ON r.id = p.run_id
     WHERE p.id = (SELECT pause_id FROM effect WHERE id = %(effect_id)s) FOR UPDATE OF p
), e AS MATERIALIZED (
    SELECT e.* FROM effect e JOIN r ON r.id = e.run_id WHERE e.id = %(effect_id)s AND (SELECT count(*) FROM p) >= 0 FOR UPDATE OF e
), a AS MATERIALIZED (
    SELECT a.* FROM effect_attempt a JOIN e ON e.id = a.effect_id WHERE a.status = 'open' FOR UPDATE OF a
), payee AS (
    INSERT INTO spending_lock (action, payee, currency)
    SELECT %(spend_action)s::text, %(payee)s::text, %(currency)s::text FROM e, (SELECT count(*) FROM a) AS locked WHERE %(window_s)s > 0
    ON CONFLICT (action, payee, currency) DO UPDATE SET action = excluded.action
    RETURNING action
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at, payees FROM e, (SELECT count(*) FROM a) AS locked, (SELECT count(*) AS payees FROM payee) AS counted
), v AS MATERIALIZED (
    SELECT CASE WHEN e.status <> 'attempted' OR EXISTS (SELECT FROM a WHERE a.call_deadline > t.at) THEN 'settled'
                WHEN r.cancel_wanted THEN 'withdrawn'
                WHEN r.hold THEN 'held'
                WHEN effects_halted_v1() THEN 'halted'
                WHEN e.pause_id IS NOT NULL AND (p.status IS DISTINCT FROM 'approved' OR c.digest IS DISTINCT FROM pause_digest_v1(c.document)
                     OR c.document::jsonb ->> 'action_digest' <> e.digest) THEN 'altered'
                WHEN t.at > p.decided_at + (c.document::jsonb ->> 'execute_within_s')::double precision * interval '1 second' THEN 'late'
                WHEN %(window_s)s > 0 AND spent_v1(%(spend_action)s, %(payee)s, %(currency)s, t.at - %(window_s)s * interval '1 second', t.payees)
                     + {retried_less_own} + %(minor)s > %(up_to)s::bigint THEN 'spent'
                ELSE 'reattempt' END AS outcome
      FROM r JOIN e ON true JOIN t ON true LEFT JOIN p ON true LEFT JOIN pause_content c ON c.pause_id = p.id
), quoted AS (
    UPDATE effect SET quoted = coalesce(%(quoted)s::text::json, effect.quoted) FROM e, v WHERE effect.id = e.id AND v.outcome = 'reattempt'
), closed AS (
    UPDATE effect_attempt SET status = 'absent', ended_at = t.at FROM a, t, v WHERE effect_attempt.id = a.id AND v.outcome = 'reattempt'
    RETURNING effect_attempt.id
), attempted AS (
    INSERT INTO effect_attempt (id, effect_id, started_at, call_deadline, epoch, status)
    SELECT %(attempt_id)s, e.id, t.at, t.at + %(call_s)s * interval '1 second', %(epoch)s,
           CASE WHEN (SELECT count(*) FROM closed) >= 0 THEN 'open' END
      FROM e, t, v WHERE v.outcome = 'reattempt'
), leased AS (
    UPDATE run_lease SET lease_until = greatest(lease_until, t.at + (%(call_s)s + %(lease_s)s) * interval '1 second')
      FROM r, t WHERE run_lease.run_id = r.id AND run_lease.epoch = r.epoch
), events AS MATERIALIZED (
    SELECT 1 AS n, 'effect' AS entity, e.id::text AS entity_id, e.status AS from_status, 'reattempt' AS event,
           CASE WHEN v.outcome = 'reattempt' THEN 'attempted' END AS to_status, r.acts_as AS actor, 'worker' AS surface,
           CASE WHEN v.outcome <> 'reattempt' THEN v.outcome END AS detail
      FROM r, e, v
), linked AS (
    UPDATE run SET (seq, head) = ({link}) FROM r, t WHERE run.id = r.id RETURNING run.id, run.seq, run.head
), {log}
SELECT v.outcome FROM v, linked;

-- name: settle_attempt :one
-- What came of a call (verdict: succeed, fail or doubt): receipt, the tool's result, the pause's end and the run's way on, in one statement,
-- by the attempt's id whatever the epoch. A receipt counts even for an attempt that was thought absent, as long as nothing else settled the
-- effect; a no does not when another worker has called again since (epoch: of who says it), for it says nothing of that call. Of an attempt
-- that was thought absent a no or a doubt counts from who has the run, as long as nothing was called since.
-- `outcome`: the verdict, or settled when it is on record already; what was told then stays in the record's detail. `run_status`
-- tells whether the caller may go on. A doubt is shown to those who may say what happened, and its requester is told; also when a run that was
-- withdrawn ends here, for by now more may have been done than they know. No row: there is no such attempt.
-- cards: [{id, dest}], of a doubt.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, status, hold, cancel_wanted, epoch, open_effects, waiting_pauses, queued_at, acts_as, on_behalf_of FROM run
     WHERE id = (SELECT e.run_id FROM effect e JOIN effect_attempt a ON a.effect_id = e.id WHERE a.id = %(attempt_id)s) FOR UPDATE
), p AS MATERIALIZED (
    SELECT p.id, p.status FROM run_pause p JOIN r ON r.id = p.run_id
     WHERE p.id = (SELECT e.pause_id FROM effect e JOIN effect_attempt a ON a.effect_id = e.id WHERE a.id = %(attempt_id)s) FOR UPDATE OF p
), e AS MATERIALIZED (
    SELECT e.id, e.run_id, e.step, e.n, e.status FROM effect e JOIN r ON r.id = e.run_id
     WHERE e.id = (SELECT effect_id FROM effect_attempt WHERE id = %(attempt_id)s) AND (SELECT count(*) FROM p) >= 0 FOR UPDATE OF e
), a AS MATERIALIZED (
    SELECT a.id, a.status, a.epoch, a.started_at FROM effect_attempt a JOIN e ON e.id = a.effect_id WHERE a.id = %(attempt_id)s FOR UPDATE OF a
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM a
), v AS MATERIALIZED (
    SELECT CASE WHEN e.status = ANY('{done,failed,abandoned}') OR a.status = ANY('{done,failed}')
                     OR (a.status = 'absent' AND %(verdict)s <> 'succeed'
                         AND (e.status <> 'attempted' OR r.epoch IS DISTINCT FROM %(epoch)s::integer
                              OR EXISTS (SELECT FROM effect_attempt o WHERE o.effect_id = e.id AND (o.started_at, o.id) > (a.started_at, a.id))))
                     OR (%(verdict)s = 'fail' AND a.epoch > %(epoch)s::integer)
                     OR (e.status = 'in_doubt' AND %(verdict)s = 'doubt') THEN 'settled'
                ELSE %(verdict)s END AS outcome
      FROM r, e, a
), ended AS (
    UPDATE effect_attempt SET status = CASE v.outcome WHEN 'succeed' THEN 'done' WHEN 'fail' THEN 'failed' ELSE 'unknown' END, ended_at = t.at
      FROM a, t, v WHERE effect_attempt.id = a.id AND v.outcome <> 'settled'
), settled AS (
    UPDATE effect SET status = CASE v.outcome WHEN 'succeed' THEN 'done' WHEN 'fail' THEN 'failed' ELSE 'in_doubt' END,
           settled_at = CASE WHEN v.outcome <> 'doubt' THEN t.at END, receipt = %(receipt)s::text::json, error = %(error)s::text
      FROM e, t, v WHERE effect.id = e.id AND v.outcome <> 'settled'
), called AS (
    UPDATE run_call SET state = 'settled', result = %(result)s::text::json
      FROM e, v WHERE run_call.run_id = e.run_id AND run_call.step = e.step AND run_call.n = e.n AND v.outcome = ANY('{succeed,fail}')
), way AS MATERIALIZED (
    SELECT CASE
               WHEN v.outcome = 'settled' THEN NULL
               WHEN v.outcome = 'doubt' AND r.status = ANY('{running,queued,paused}') THEN 'doubt'
               WHEN v.outcome = 'doubt' THEN NULL
               WHEN r.cancel_wanted AND r.status = ANY('{running,queued,paused,in_doubt}') THEN 'cancel'
               WHEN r.status = 'in_doubt' THEN 'resolve'
               WHEN r.hold AND r.status = 'running' THEN 'hold'
           END AS event
      FROM r, v
), going AS MATERIALIZED (
    SELECT way.event, CASE way.event WHEN 'doubt' THEN 'in_doubt' WHEN 'cancel' THEN 'cancelled' WHEN 'hold' THEN 'paused'
                                     WHEN 'resolve' THEN CASE WHEN r.hold THEN 'paused' ELSE 'queued' END
                                     ELSE r.status END AS status
      FROM way, r
), paused AS (
    UPDATE run_pause SET status = CASE v.outcome WHEN 'succeed' THEN 'executed' ELSE 'failed' END, version = run_pause.version + 1
      FROM p, v WHERE run_pause.id = p.id AND p.status = 'approved' AND v.outcome = ANY('{succeed,fail}')
    RETURNING run_pause.id
), siblings AS MATERIALIZED (
    SELECT s.id, s.status FROM run_pause s JOIN r ON r.id = s.run_id JOIN going ON going.event = 'cancel'
     WHERE s.status = ANY('{waiting,approved}') AND s.id IS DISTINCT FROM (SELECT id FROM p) ORDER BY s.id FOR UPDATE OF s
), cancelled AS (
    UPDATE run_pause SET status = 'cancelled', version = run_pause.version + 1, decided_by = NULL, decided_at = t.at, reason = 'the run was withdrawn'
      FROM siblings s, t WHERE run_pause.id = s.id
), let_go AS (
    DELETE FROM run_lease USING r, going WHERE run_lease.run_id = r.id AND going.event IS NOT NULL
), repainted AS (
    UPDATE card SET {repaint}
      FROM v WHERE v.outcome <> 'settled' AND card.pause_id = ANY(ARRAY(SELECT id FROM p UNION ALL SELECT id FROM siblings))
), answered AS (
    UPDATE card SET {repaint} FROM e, v WHERE card.effect_id = e.id AND v.outcome = ANY('{succeed,fail}')
), asked AS (  -- in doubt once more: a message of its own, for the old one is read and done with
    INSERT INTO card (id, effect_id, kind, dest, level)
    SELECT c.id, e.id, 'doubt', c.dest, 0 FROM e, v, jsonb_to_recordset(%(cards)s::jsonb) AS c(id uuid, dest text) WHERE v.outcome = 'doubt'
    ON CONFLICT (effect_id, dest) WHERE effect_id IS NOT NULL
    DO UPDATE SET wanted = card.wanted + 1, painted = 0, not_before = NULL, state = 'live', channel = NULL, ts = NULL
), told AS (
    INSERT INTO notice (id, run_id, pause_id, kind, dest)
    SELECT %(notice_id)s, r.id, CASE going.event WHEN 'doubt' THEN (SELECT id FROM p) END,
           CASE going.event WHEN 'doubt' THEN 'in_doubt' ELSE 'run_ended' END, 'person:' || r.on_behalf_of
      FROM r, going WHERE going.event = ANY('{doubt,cancel}')
), events AS MATERIALIZED (
    SELECT 1::bigint AS n, 'effect' AS entity, e.id::text AS entity_id, e.status AS from_status, %(verdict)s::text AS event,
           CASE v.outcome WHEN 'succeed' THEN 'done' WHEN 'fail' THEN 'failed' WHEN 'doubt' THEN 'in_doubt' END AS to_status,
           r.acts_as AS actor, 'worker' AS surface, 
           CASE WHEN v.outcome = 'settled' THEN concat_ws(': ', 'settled', coalesce(%(error)s::text, %(receipt)s::text))
                ELSE coalesce(%(error)s::text, %(receipt)s::text) END AS detail
      FROM r, e, v
    UNION ALL
    SELECT 2, 'pause', p.id::text, p.status, CASE v.outcome WHEN 'succeed' THEN 'execute' ELSE 'fail' END,
           CASE v.outcome WHEN 'succeed' THEN 'executed' ELSE 'failed' END, r.acts_as, 'worker', NULL
      FROM r, p, v WHERE p.status = 'approved' AND v.outcome = ANY('{succeed,fail}')
    UNION ALL
    SELECT 2 + row_number() OVER (ORDER BY s.id), 'pause', s.id::text, s.status, 'cancel', 'cancelled', 'system', 'worker', 'the run was withdrawn'
      FROM siblings s, r
    UNION ALL
    SELECT 1000000, 'run', r.id::text, r.status, going.event, going.status, 'system', 'worker', NULL FROM r, going WHERE going.event IS NOT NULL
), linked AS (
    UPDATE run SET open_effects = r.open_effects - CASE WHEN v.outcome = ANY('{succeed,fail}') THEN 1 ELSE 0 END,
        status = going.status,
        waiting_pauses = CASE WHEN going.event = 'cancel' THEN 0 ELSE r.waiting_pauses END,
        queued_at = CASE WHEN going.status <> 'queued' THEN NULL WHEN going.event = 'resolve' THEN t.at ELSE r.queued_at END, (seq, head) = ({link})
      FROM r, t, v, going WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status, run.epoch
), {log}
SELECT v.outcome, linked.status AS run_status, linked.epoch FROM v, linked;

-- name: resolve_effect :one
-- A person says what happened to an effect in doubt. answer: happened (with a reference), retry (it did not: try again) or stop.
-- attempt_id: the attempt that it is about; NULL: the newest. When the run was withdrawn meanwhile it ends here, and what did not happen is
-- not tried again. `outcome`: the answer, or settled, own (the requester's own), not_yours, again (it was tried again since that attempt, and is
-- in doubt once more). No row: there is no such effect.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = (SELECT run_id FROM effect WHERE id = %(effect_id)s) FOR UPDATE
), live AS MATERIALIZED (
    SELECT p.* FROM run_pause p JOIN r ON r.id = p.run_id WHERE p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE OF p
), e AS MATERIALIZED (
    SELECT e.* FROM effect e JOIN r ON r.id = e.run_id WHERE e.id = %(effect_id)s AND (SELECT count(*) FROM live) >= 0 FOR UPDATE OF e
), a AS MATERIALIZED (
    SELECT a.* FROM effect_attempt a JOIN e ON e.id = a.effect_id FOR UPDATE OF a
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM e, (SELECT count(*) FROM a) AS locked
), v AS MATERIALIZED (
    SELECT CASE WHEN e.status <> 'in_doubt' THEN 'settled'
                WHEN %(actor)s = r.on_behalf_of THEN 'own'
                WHEN NOT EXISTS (SELECT FROM role_member m JOIN person q ON q.id = m.person_id AND q.active
                                  WHERE m.person_id = %(actor)s AND m.role = e.doubt_role) THEN 'not_yours'
                WHEN %(attempt_id)s::uuid IS NOT NULL AND NOT EXISTS (SELECT FROM a WHERE a.id = %(attempt_id)s AND a.status = 'unknown') THEN 'again'
                ELSE %(answer)s END AS outcome, r.cancel_wanted AND r.status = 'in_doubt' AND %(answer)s <> 'stop' AS withdrawn
      FROM e, r
), ends AS MATERIALIZED (
    SELECT CASE WHEN v.outcome = 'retry' AND v.withdrawn THEN 'fail' ELSE v.outcome END AS as_if, v.withdrawn FROM v
     WHERE v.outcome = ANY('{happened,retry,stop}')
), moved AS (
    UPDATE effect SET status = CASE ends.as_if WHEN 'happened' THEN 'done' WHEN 'retry' THEN 'attempted' WHEN 'fail' THEN 'failed' ELSE 'abandoned' END,
           settled_at = CASE WHEN ends.as_if <> 'retry' THEN t.at END,
           receipt = CASE WHEN ends.as_if = 'happened' THEN %(receipt)s::text::json END,
           error = CASE ends.as_if WHEN 'stop' THEN 'ended by ' || %(actor)s || ' without knowing whether it happened'
                                   WHEN 'fail' THEN 'it did not happen, as ' || %(actor)s || ' said' END
      FROM e, t, ends WHERE effect.id = e.id
), attempts AS (
    UPDATE effect_attempt SET status = 'absent', ended_at = a.ended_at FROM a, v
     WHERE effect_attempt.id = a.id AND a.status = 'unknown' AND v.outcome = 'retry'
), called AS (
    UPDATE run_call SET state = 'settled', result = %(result)s::text::json
      FROM e, v WHERE run_call.run_id = e.run_id AND run_call.step = e.step AND run_call.n = e.n AND v.outcome = 'happened'
), moves AS MATERIALIZED (
    SELECT live.id, live.status AS from_status,
           CASE WHEN live.id IS DISTINCT FROM e.pause_id THEN 'cancel' WHEN ends.as_if = 'happened' THEN 'execute' ELSE 'fail' END AS event
      FROM live, e, ends
     WHERE ends.withdrawn OR ends.as_if = 'stop' OR (ends.as_if = 'happened' AND live.id = e.pause_id)
), pauses AS (
    UPDATE run_pause SET status = CASE m.event WHEN 'cancel' THEN 'cancelled' WHEN 'execute' THEN 'executed' ELSE 'failed' END,
           version = run_pause.version + 1,
           decided_by = CASE WHEN m.event <> 'cancel' THEN run_pause.decided_by END,
           decided_at = CASE WHEN m.event = 'cancel' THEN t.at ELSE run_pause.decided_at END,
           reason = CASE WHEN m.event = 'execute' THEN run_pause.reason
                         WHEN ends.withdrawn THEN 'the run was withdrawn' ELSE 'ended in doubt by ' || %(actor)s END
      FROM moves m, t, ends WHERE run_pause.id = m.id
), way AS MATERIALIZED (
    SELECT CASE WHEN ends.withdrawn THEN 'cancel' WHEN ends.as_if = 'stop' THEN 'stop' ELSE 'resolve' END AS event
      FROM ends, r WHERE r.status = 'in_doubt'
), going AS MATERIALIZED (
    SELECT way.event, CASE way.event WHEN 'stop' THEN 'error' WHEN 'cancel' THEN 'cancelled' WHEN 'resolve' THEN
                                     CASE WHEN r.hold THEN 'paused' ELSE 'queued' END ELSE r.status END AS status
      FROM r LEFT JOIN way ON true
), said AS (
    UPDATE run_content SET error = 'ended in doubt by ' || %(actor)s FROM r, going WHERE run_content.run_id = r.id AND going.event = 'stop'
), told AS (
    INSERT INTO notice (id, run_id, kind, dest) SELECT %(notice_id)s, r.id, 'run_ended', 'person:' || r.on_behalf_of
      FROM r, going WHERE going.event = ANY('{stop,cancel}')
), repainted AS (
    UPDATE card SET {repaint} FROM e, ends
     WHERE card.pause_id = e.pause_id OR card.pause_id = ANY(ARRAY(SELECT id FROM moves)) OR card.effect_id = e.id
), events AS MATERIALIZED (
    SELECT 1::bigint AS n, 'effect' AS entity, e.id::text AS entity_id, e.status AS from_status,
           CASE coalesce(ends.as_if, %(answer)s) WHEN 'happened' THEN 'resolve' WHEN 'stop' THEN 'abandon' WHEN 'fail' THEN 'fail' ELSE 'retry' END AS event,
           CASE ends.as_if WHEN 'happened' THEN 'done' WHEN 'retry' THEN 'attempted' WHEN 'fail' THEN 'failed' WHEN 'stop' THEN 'abandoned' END AS to_status,
           %(actor)s::text AS actor, %(surface)s::text AS surface,
           CASE WHEN ends.as_if IS NOT NULL THEN %(receipt)s::text ELSE v.outcome END AS detail
      FROM r JOIN e ON true JOIN v ON true LEFT JOIN ends ON true
    UNION ALL
    SELECT 1 + row_number() OVER (ORDER BY m.id), 'pause', m.id::text, m.from_status, m.event,
           CASE m.event WHEN 'cancel' THEN 'cancelled' WHEN 'execute' THEN 'executed' ELSE 'failed' END, %(actor)s, %(surface)s, NULL
      FROM moves m, r
    UNION ALL
    SELECT 1000000, 'run', r.id::text, r.status, going.event, going.status, %(actor)s, %(surface)s, NULL FROM r, going WHERE going.event IS NOT NULL
), linked AS (
    UPDATE run SET open_effects = r.open_effects - CASE WHEN EXISTS (SELECT FROM ends WHERE as_if <> 'retry') THEN 1 ELSE 0 END,
        waiting_pauses = CASE WHEN going.event = ANY('{stop,cancel}') THEN 0 ELSE r.waiting_pauses END,
        status = going.status,
        queued_at = CASE WHEN going.status = 'queued' THEN coalesce(r.queued_at, t.at) END, (seq, head) = ({link})
      FROM r, t, v, going WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status
), {log}
SELECT v.outcome, linked.status AS run_status FROM v, linked;

-- name: effects_in_doubt :many
-- What nobody can tell, oldest first. secrets: which of its arguments nobody is to read, NULL for none. read: the amount and the lines as whoever approved it read it; NULL: nobody was asked, or that was altered or is of another action.
SELECT e.id, e.run_id, e.pause_id, e.tool, e.action, e.digest, e.effect_key, e.error, e.created_at, e.doubt_role, r.agent, r.on_behalf_of,
       a.attempts, a.started_at AS attempted_at, {as_read}
  FROM effect e JOIN run r ON r.id = e.run_id LEFT JOIN pause_content c ON c.pause_id = e.pause_id
  JOIN LATERAL (SELECT count(*) AS attempts, max(started_at) AS started_at FROM effect_attempt WHERE effect_id = e.id) a ON true
 WHERE e.doubted ORDER BY e.created_at;

-- name: as_read :fragment
(SELECT k.secrets FROM run_call k WHERE (k.run_id, k.step, k.n) = (e.run_id, e.step, e.n)) AS secrets,
CASE WHEN c.digest = pause_digest_v1(c.document)
     THEN CASE WHEN c.document::jsonb ->> 'action_digest' = e.digest
               THEN json_build_object('lines', c.document::json -> 'lines', 'amount', c.document::json -> 'amount') END END AS read

-- name: doubt_record :one
-- An effect that is or was in doubt, with all that who must say what happened has to know: when it was called, with which key, until when
-- the last call could last, and, once it is said, by whom and when; read likewise. No row: there is no such effect.
SELECT e.id, e.run_id, e.pause_id, e.status, e.tool, e.action, e.digest, e.effect_key, e.error, e.receipt, e.created_at, e.doubt_role, r.agent,
       r.on_behalf_of, q.name AS requester_name, r.status AS run_status, r.cancel_wanted, a.attempts, a.tries, a.attempt_id, a.attempted_at, a.call_deadline,
       said.event AS said, said.at AS said_at, said.surface AS said_in, coalesce(w.name, said.actor) AS said_by, clock_timestamp() AS now,
       {as_read}
  FROM effect e JOIN run r ON r.id = e.run_id LEFT JOIN person q ON q.id = r.on_behalf_of LEFT JOIN pause_content c ON c.pause_id = e.pause_id
  JOIN LATERAL (SELECT count(*) OVER () AS attempts, sum(tries) OVER () AS tries, id AS attempt_id, started_at AS attempted_at, call_deadline FROM effect_attempt
                 WHERE effect_id = e.id ORDER BY started_at DESC, id DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (SELECT v.event, v.at, v.surface, v.actor FROM run_event v
                      WHERE v.run_id = e.run_id AND v.entity = 'effect' AND v.entity_id = e.id::text AND v.from_status = 'in_doubt'
                        AND v.to_status IS NOT NULL ORDER BY v.seq DESC, v.n DESC LIMIT 1) said ON e.status <> 'in_doubt'
  LEFT JOIN person w ON w.id = said.actor
 WHERE e.id = %(effect_id)s;

-- name: find_effects :many
-- The effects in doubt whose id ends in these hex digits, at most two.
SELECT id FROM effect WHERE doubted AND right(replace(id::text, '-', ''), length(%(tail)s)) = %(tail)s LIMIT 2;

-- name: doubts_settled :many
-- What was last said of each doubt that is settled, about effects whose id ends in these hex digits, at most two: by whom, and what the run
-- came to. A late answer of the provider settles a doubt too; its actor is nobody's id.
SELECT DISTINCT ON (e.id) e.id, e.run_id, r.status AS run_status, v.event, coalesce(q.name, v.actor) AS by_name, v.surface, v.at, v.detail
  FROM effect e JOIN run r ON r.id = e.run_id
  JOIN run_event v ON v.run_id = e.run_id AND v.entity = 'effect' AND v.entity_id = e.id::text AND v.from_status = 'in_doubt' AND v.to_status IS NOT NULL
  LEFT JOIN person q ON q.id = v.actor
 WHERE NOT e.doubted AND right(replace(e.id::text, '-', ''), length(%(tail)s)) = %(tail)s ORDER BY e.id, v.seq DESC, v.n DESC LIMIT 2;

-- name: effects_of_run :many
-- What a run did, in order; secrets likewise.
SELECT e.id, e.step, e.n, e.pause_id, e.status, e.tool, e.effect_key, e.action, e.digest, e.policy_version, e.rule, e.receipt, e.error,
       e.created_at, e.settled_at, (SELECT count(*) FROM effect_attempt a WHERE a.effect_id = e.id) AS attempts,
       (SELECT k.secrets FROM run_call k WHERE (k.run_id, k.step, k.n) = (e.run_id, e.step, e.n)) AS secrets
  FROM effect e WHERE e.run_id = %(run_id)s ORDER BY e.step, e.n;

-- name: standing_of :fragment
clock_timestamp() AS now, q.active AS requester_active, c.scopes AS granted, q.scopes AS held,
       (SELECT coalesce(json_agg(json_build_object('pause_id', p.id, 'voter', v.person, 'name', w.name)), '[]')
          FROM run_pause p JOIN pause_vote v ON v.pause_id = p.id JOIN person w ON w.id = v.person
          JOIN pause_content pc ON pc.pause_id = p.id
          JOIN LATERAL (SELECT CASE WHEN pc.digest = pause_digest_v1(pc.document)  -- an altered text may be no JSON at all
                                    THEN pc.document::jsonb #>> '{authorisation,requires_role}' END AS role) asked ON true
         WHERE p.run_id = r.id AND p.status = 'approved'
           AND (NOT w.active
                OR (v.level = 0 AND asked.role IS NOT NULL
                    AND NOT EXISTS (SELECT FROM role_member m WHERE m.person_id = v.person AND m.role = asked.role))
                OR (v.level > 0 AND v.level = p.level AND p.approver LIKE 'role:%%'
                    AND NOT EXISTS (SELECT FROM role_member m WHERE m.person_id = v.person AND 'role:' || m.role = p.approver)))) AS lapsed_voters

-- name: standing :one
-- What is true now of the people behind a run: whether the requester is active, which scopes the run was launched with and the requester holds
-- now, and who approved for a role and does not hold it any more, or has left. Whether a rule asked those who approved, in person or in
-- somebody's place, the statement does not tell. No row: there is no such run.
SELECT {standing_of}
  FROM run r JOIN run_content c ON c.run_id = r.id JOIN person q ON q.id = r.on_behalf_of
 WHERE r.id = %(run_id)s;

-- name: what_holds :one
-- All that is looked at before a turn's calls are done, at one moment: the same standing, which fingerprints a person refused in this run, everybody,
-- and the policy in force (its columns NULL: none was ever applied). A run that asks again what lapsed in another goes on from that one, and from
-- whatever that one went on from, as others may: what was refused in any of them was, `done` is what they did of which this one's messages do not
-- tell, and `asks_again` are the requests that its first turn was; NULL for any other run. No row: there is no such run.
WITH RECURSIVE line AS (
    SELECT of_run, of_step FROM run_again WHERE run_id = %(run_id)s
    UNION ALL
    SELECT a.of_run, a.of_step FROM line JOIN run_again a ON a.run_id = line.of_run
), task AS (
    SELECT origin AS run_id FROM run_again WHERE run_id = %(run_id)s
    UNION ALL
    SELECT a.run_id FROM run_again mine JOIN run_again a ON a.origin = mine.origin WHERE mine.run_id = %(run_id)s
)
SELECT {standing_of},
       (SELECT coalesce(json_agg(json_build_object('fingerprint', pc.fingerprint, 'decided_by', w.name, 'decided_at', p.decided_at,
                                                   'reason', p.reason)), '[]')
          FROM run_pause p JOIN pause_content pc ON pc.pause_id = p.id LEFT JOIN person w ON w.id = p.decided_by
         WHERE p.run_id = ANY(ARRAY(SELECT r.id UNION ALL SELECT run_id FROM task)) AND p.status = 'denied') AS refused,
       (SELECT coalesce(json_agg(json_build_object('run_id', e.run_id, 'action', e.action)), '[]')
          FROM task JOIN effect e ON e.run_id = task.run_id LEFT JOIN line ON line.of_run = e.run_id
         WHERE e.run_id <> r.id AND e.step > coalesce(line.of_step, 0) AND e.status <> 'failed') AS done,
       (SELECT json_build_object('step', a.of_step, 'pauses', (
                   SELECT json_agg(o.id ORDER BY o.created_at) FROM run_pause o WHERE o.run_id = a.of_run AND o.step = a.of_step))
          FROM run_again a WHERE a.run_id = r.id) AS asks_again,
       (SELECT json_agg(json_build_object('id', p.id, 'name', p.name, 'manager', p.manager, 'scopes', p.scopes, 'active', p.active,
                                          'roles', ARRAY(SELECT m.role FROM role_member m WHERE m.person_id = p.id ORDER BY m.role),
                                          'identities', ARRAY(SELECT i.team || ':' || i.slack_user FROM identity i WHERE i.person_id = p.id ORDER BY 1),
                                          'absences', {absences_of})
                        ORDER BY p.id) FROM person p) AS people,
       v.version, v.document, v.digest
  FROM run r JOIN run_content c ON c.run_id = r.id JOIN person q ON q.id = r.on_behalf_of
  LEFT JOIN (SELECT version, document, digest FROM policy_version ORDER BY seq DESC LIMIT 1) v ON true
 WHERE r.id = %(run_id)s;
