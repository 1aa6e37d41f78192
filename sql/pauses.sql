-- The moves of a pause. Each locks the run, then the run's live pauses, and only then looks: what it reads after the lock is the newest.

-- name: barred :fragment
-- Why somebody may not decide a pause p of the run r at the time t, as branches of a CASE; those before it have seen that it waits and is intact.
-- A question (of which no approval is missing) may be answered by the requester, if it asks them by name: it is no consent.
WHEN %(actor)s = r.on_behalf_of AND (p.votes_left > 0 OR p.approver <> 'person:' || %(actor)s) THEN 'own'
WHEN %(actor)s = ANY(p.voters) THEN 'voted'
WHEN NOT EXISTS (SELECT FROM person WHERE id = %(actor)s AND active) THEN 'not_yours'
WHEN p.approver <> 'person:' || %(actor)s AND NOT EXISTS (
     SELECT FROM role_member m WHERE m.person_id = %(actor)s AND p.approver = 'role:' || m.role) AND NOT EXISTS (
     SELECT FROM away w JOIN person q ON q.id = w.person_id AND q.active
      WHERE w.delegate = %(actor)s AND p.approver = 'person:' || w.person_id AND w.starts_at <= t.at AND w.ends_at > t.at) THEN 'not_yours'
WHEN p.fire_at <= t.at THEN 'due'

-- name: answered :fragment
-- What an answer (verdict) of somebody (actor) to each pause of `asked` comes to, by its row as it is now.
, v AS MATERIALIZED (
    SELECT p.id, p.step, p.level, CASE
               WHEN p.status <> 'waiting' THEN 'settled'
               WHEN a.altered OR c.digest IS DISTINCT FROM pause_digest_v1(c.document) THEN 'broken'
               WHEN c.seal IS NOT NULL AND a.seal IS NULL THEN 'keyless'
               WHEN NOT starts_with(c.digest, a.shown) THEN 'stale'
               WHEN %(verdict)s <> 'answer' AND p.votes_left = 0 THEN 'question'
               WHEN %(verdict)s = 'answer' AND p.votes_left > 0 THEN 'no_question'
               {barred}
               WHEN %(verdict)s = ANY('{deny,answer}') THEN %(verdict)s
               WHEN strpos(c.document, '"confirm":{"of":') > 0 AND c.document::json #>> '{confirm,typed}' <> a.typed THEN 'unconfirmed'
               WHEN p.votes_left > 1 THEN 'vote'
               ELSE 'approve'
           END AS outcome,
           CASE WHEN p.votes_left > 1 AND c.digest = pause_digest_v1(c.document) THEN json_array_length(c.document::json #> '{need,steps}') ELSE 0 END AS steps
      FROM asked a JOIN live p ON p.id = a.id JOIN r ON true JOIN t ON true LEFT JOIN pause_content c ON c.pause_id = p.id
)

-- name: nobody_else :fragment
NOT EXISTS (
                    SELECT FROM person q, r, t
                     WHERE q.active AND q.id <> r.on_behalf_of AND q.id <> %(actor)s AND q.id <> ALL(live.voters)
                       AND (live.approver = 'person:' || q.id
                            OR EXISTS (SELECT FROM role_member m WHERE m.person_id = q.id AND live.approver = 'role:' || m.role)
                            OR EXISTS (SELECT FROM away w JOIN person g ON g.id = w.person_id AND g.active
                                        WHERE w.delegate = q.id AND live.approver = 'person:' || w.person_id AND w.starts_at <= t.at AND w.ends_at > t.at)))

-- name: answer_moves :fragment
-- What answers come to, on the rows that they move (`moves`), and on the run: how many of its requests still wait, and whether it wakes.
moved AS (
    UPDATE run_pause SET
        status = m.to_status,
        version = run_pause.version + 1,
        votes_left = m.votes_left,  -- from the locked row: a CHECK looks at what is made of the one from before the lock, too
        voters = m.voters,
        stuck_at = NULL,
        decided_by = CASE WHEN m.event = ANY('{approve,deny,answer}') THEN %(actor)s END,
        decided_at = CASE WHEN m.to_status <> 'waiting' THEN t.at END,
        fire_at = CASE WHEN m.alone THEN t.at ELSE run_pause.fire_at END,
        reason = m.reason
      FROM moves m, t WHERE run_pause.id = m.id
    RETURNING run_pause.id, run_pause.status, run_pause.votes_left, run_pause.decided_by, run_pause.decided_at, run_pause.reason
), after AS MATERIALIZED (
    SELECT r.waiting_pauses - s.settled AS waiting, r.status = 'awaiting_approval' AND r.waiting_pauses = s.settled AS wakes
      FROM r, (SELECT count(*) AS settled FROM moves WHERE from_status = 'waiting' AND to_status <> 'waiting') s
)

-- name: answer_wakes :fragment
-- The event of the run that its last answer wakes.
SELECT 1000000, 'run', r.id::text, r.status, 'wake', CASE WHEN r.hold THEN 'paused' ELSE 'queued' END, %(actor)s, %(surface)s, NULL
      FROM r, after WHERE after.wakes

-- name: answer_linked :fragment
-- The run itself, with its link.
linked AS (
    UPDATE run SET (waiting_pauses, status, queued_at, seq, head) = (
        SELECT after.waiting, CASE WHEN NOT after.wakes THEN r.status WHEN r.hold THEN 'paused' ELSE 'queued' END,
               CASE WHEN after.wakes AND NOT r.hold THEN t.at ELSE r.queued_at END, {link}
          FROM r, t, after)
     WHERE run.id = (SELECT r.id FROM r, t)
    RETURNING run.id, run.seq, run.head, run.status
)

-- name: as_answered :fragment
-- How a pause stands after it, whether it moved (m) or not.
p.id AS pause_id, p.run_id, coalesce(m.status, p.status) AS status,
       coalesce(m.votes_left, p.votes_left) AS votes_left, coalesce(m.decided_by, p.decided_by) AS decided_by,
       coalesce(m.decided_at, p.decided_at) AS decided_at, coalesce(m.reason, p.reason) AS reason, p.approver, p.level, p.fire_at, t.at,
       linked.status AS run_status, CASE WHEN p.status = ANY('{approved,failed}') THEN (SELECT e.status FROM effect e WHERE e.pause_id = p.id) END AS effect_status

-- name: decide_pause :one
-- A person approves or denies what a pause asks, or answers the question that it is (verdict). `outcome` says what came of it: vote, approve,
-- deny or answer when it moved; settled (it no longer waits), broken (its content was altered, or is not what its seal is of: `altered`),
-- keyless (it is sealed, and the vote is not), stale (the card showed another content), question (it asks for an answer and not for a yes: no
-- approval of it is missing), no_question (the other way round), own (the requester's own, unless it is a question that asks them by name),
-- voted (this person already has), not_yours, due (its time is up: settle that first), unconfirmed (what must be typed to approve it was
-- not) when it did not. Who stands in for a person that is away, and has not left, may decide in their place. A deny cancels the siblings.
-- A vote after which nobody else who is asked now can give the next is the end of their time, if the rule has further steps: it is due at once.
-- Or again (nothing was done: one of the run's pauses was sent on while this statement waited for the run, and the card that it has since is
-- newer than what this statement sees: it would keep its buttons). No row: there is no such pause.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, status, hold, queued_at, waiting_pauses, on_behalf_of
      FROM run WHERE id = (SELECT run_id FROM run_pause WHERE id = %(pause_id)s) FOR UPDATE
), live AS MATERIALIZED (
    SELECT p.id, p.run_id, p.status, p.step, p.n AS place, p.level, p.votes_left, p.voters, p.approver, p.fire_at, p.decided_by, p.decided_at, p.reason
      FROM run_pause p
     WHERE p.run_id = (SELECT id FROM r) AND (p.id = %(pause_id)s OR p.status = ANY('{waiting,approved}'))
     ORDER BY p.id FOR UPDATE
), asked AS (
    SELECT %(pause_id)s::uuid AS id, %(shown)s::text AS shown, %(seal)s::text AS seal, %(altered)s::boolean AS altered, %(typed)s::text AS typed
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM live
     WHERE id = %(pause_id)s AND NOT EXISTS (SELECT FROM live now JOIN run_pause seen ON seen.id = now.id WHERE seen.level <> now.level)
){answered}, moves AS MATERIALIZED (
    SELECT live.id, live.status AS from_status,
           CASE WHEN live.id = %(pause_id)s THEN v.outcome ELSE 'cancel' END AS event,
           CASE WHEN live.id <> %(pause_id)s THEN 'cancelled'
                ELSE CASE v.outcome WHEN 'approve' THEN 'approved' WHEN 'deny' THEN 'denied' WHEN 'answer' THEN 'answered' ELSE 'waiting' END END AS to_status,
           live.votes_left - CASE WHEN live.id = %(pause_id)s AND v.outcome = ANY('{vote,approve}') THEN 1 ELSE 0 END AS votes_left,
           CASE WHEN live.id = %(pause_id)s THEN live.voters || %(actor)s::text ELSE live.voters END AS voters,
           CASE WHEN live.id = %(pause_id)s THEN nullif(%(reason)s, '') ELSE 'another call of the same turn was denied' END AS reason,
           CASE WHEN live.id = %(pause_id)s AND v.outcome = 'vote' AND v.steps > v.level THEN {nobody_else}
                ELSE false END AS alone
      FROM live, v
     WHERE v.outcome = ANY('{vote,approve,deny,answer}') AND (live.id = %(pause_id)s OR (v.outcome = 'deny' AND live.step = v.step))
), {answer_moves}, events AS MATERIALIZED (
    SELECT CASE WHEN live.id = %(pause_id)s THEN 1 ELSE 2 + live.place END AS n, 'pause' AS entity, live.id::text AS entity_id,
           live.status AS from_status, coalesce(m.event, %(verdict)s) AS event, m.to_status, %(actor)s::text AS actor,
           %(surface)s::text AS surface, CASE WHEN m.id IS NULL THEN v.outcome ELSE m.reason END AS detail
      FROM live JOIN v ON true LEFT JOIN moves m ON m.id = live.id WHERE m.id IS NOT NULL OR live.id = %(pause_id)s
    UNION ALL
    {answer_wakes}
), {answer_linked}, voted AS (
    INSERT INTO pause_vote (pause_id, at, level, person, verdict, surface, reason, seal)
    SELECT %(pause_id)s, t.at, v.level, %(actor)s, %(verdict)s, %(surface)s, nullif(%(reason)s, ''), %(seal)s
      FROM t, v WHERE v.outcome = ANY('{vote,approve,deny,answer}')
), repainted AS (  -- and what waits beside it, which says how many do
    UPDATE card SET {repaint} WHERE card.pause_id = ANY(ARRAY(
        SELECT id FROM moves UNION
        SELECT live.id FROM live, v WHERE v.outcome = 'approve' AND live.step = v.step AND live.status = 'waiting'))
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, {as_answered}
  FROM live p LEFT JOIN v ON true LEFT JOIN t ON true LEFT JOIN linked ON true LEFT JOIN moved m ON m.id = p.id
 WHERE p.id = %(pause_id)s;

-- name: decide_together :many
-- A person approves or denies (verdict) several waiting pauses of one turn at once, each as it was shown to them: all of them, or none. A row
-- each; `outcome` is what decide_pause says of it, or kept: nothing speaks against it, and nothing was done, since something does against
-- another. A deny cancels what else is left of the turn. Or again, as there. No row: there is no such pause.
-- asked: [{id, shown, seal|null, altered, typed}]
WITH asked AS MATERIALIZED (
    SELECT a.* FROM jsonb_to_recordset(%(asked)s::jsonb) AS a(id uuid, shown text, seal text, altered boolean, typed text)
), r AS MATERIALIZED (
    SELECT id, seq, head, status, hold, queued_at, waiting_pauses, on_behalf_of
      FROM run WHERE id = (SELECT run_id FROM run_pause WHERE id = (SELECT id FROM asked LIMIT 1)) FOR UPDATE
), live AS MATERIALIZED (
    SELECT p.id, p.run_id, p.status, p.step, p.n AS place, p.level, p.votes_left, p.voters, p.approver, p.fire_at, p.decided_by, p.decided_at, p.reason
      FROM run_pause p
     WHERE p.run_id = (SELECT id FROM r) AND (p.id = ANY(ARRAY(SELECT id FROM asked)) OR p.status = ANY('{waiting,approved}'))
     ORDER BY p.id FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM live) AS locked
     WHERE NOT EXISTS (SELECT FROM live now JOIN run_pause seen ON seen.id = now.id WHERE seen.level <> now.level)
){answered}, fate AS MATERIALIZED (
    SELECT min(step) AS step, bool_and(outcome = ANY('{vote,approve,deny}')) AND min(step) = max(step) AND count(*) = (SELECT count(*) FROM asked) AS holds
      FROM v
), told AS MATERIALIZED (
    SELECT v.id, CASE WHEN fate.holds OR v.outcome <> ALL('{vote,approve,deny}') THEN v.outcome ELSE 'kept' END AS outcome FROM v, fate
), moves AS MATERIALIZED (
    SELECT live.id, live.status AS from_status, coalesce(v.outcome, 'cancel') AS event,
           CASE v.outcome WHEN 'approve' THEN 'approved' WHEN 'deny' THEN 'denied' WHEN 'vote' THEN 'waiting' ELSE 'cancelled' END AS to_status,
           live.votes_left - CASE WHEN v.outcome = ANY('{vote,approve}') THEN 1 ELSE 0 END AS votes_left,
           CASE WHEN v.id IS NOT NULL THEN live.voters || %(actor)s::text ELSE live.voters END AS voters,
           CASE WHEN v.id IS NOT NULL THEN nullif(%(reason)s, '') ELSE 'another call of the same turn was denied' END AS reason,
           CASE WHEN v.outcome = 'vote' AND v.steps > v.level THEN {nobody_else} ELSE false END AS alone
      FROM live JOIN fate ON fate.holds LEFT JOIN v ON v.id = live.id
     WHERE v.id IS NOT NULL OR (%(verdict)s = 'deny' AND live.step = fate.step)
), {answer_moves}, events AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY told.id IS NULL, live.place, live.id) AS n, 'pause' AS entity, live.id::text AS entity_id,
           live.status AS from_status, coalesce(m.event, %(verdict)s) AS event, m.to_status, %(actor)s::text AS actor,
           %(surface)s::text AS surface, CASE WHEN m.id IS NULL THEN told.outcome ELSE m.reason END AS detail
      FROM live LEFT JOIN told ON told.id = live.id LEFT JOIN moves m ON m.id = live.id WHERE m.id IS NOT NULL OR told.id IS NOT NULL
    UNION ALL
    {answer_wakes}
), {answer_linked}, voted AS (
    INSERT INTO pause_vote (pause_id, at, level, person, verdict, surface, reason, seal)
    SELECT v.id, t.at, v.level, %(actor)s, %(verdict)s, %(surface)s, nullif(%(reason)s, ''), a.seal
      FROM v JOIN asked a ON a.id = v.id, t, fate WHERE fate.holds
), repainted AS (
    UPDATE card SET {repaint} WHERE card.pause_id = ANY(ARRAY(
        SELECT id FROM moves UNION
        SELECT live.id FROM live JOIN fate ON fate.holds AND live.step = fate.step WHERE live.status = 'waiting'))
), {log}
SELECT coalesce(told.outcome, 'again') AS outcome, {as_answered}
  FROM asked a JOIN live p ON p.id = a.id LEFT JOIN told ON told.id = p.id LEFT JOIN t ON true LEFT JOIN linked ON true LEFT JOIN moved m ON m.id = p.id
 ORDER BY p.step, p.place, p.id;

-- name: turn_of_pause :many
-- What waits for a yes, of the same turn and with the same approver, behind this place of the turn (-1: from the beginning), in its order; the pause
-- itself too, if it waits there. No row: nothing does.
SELECT o.id FROM run_pause p JOIN run_pause o ON o.run_id = p.run_id AND o.step = p.step AND o.approver = p.approver
 WHERE p.id = %(pause_id)s AND o.status = 'waiting' AND o.votes_left > 0 AND o.n > %(after)s ORDER BY o.n, o.id;

-- name: sealed_content :one
-- What a vote is about to be given on, for the check of its seal. No row: there is no such pause.
SELECT digest, document, seal FROM pause_content WHERE pause_id = %(pause_id)s;

-- name: withdraw_pause :one
-- The requester takes a request back, before or after it was approved, as long as nothing of the run is being carried out. Its siblings
-- go with it. `outcome`: cancel, or settled, not_requester, open (being carried out), again (nothing was done: what this statement sees of the
-- pauses is older than the run it locked, so a sibling that opened meanwhile would be left behind). No row: there is no such pause.
WITH held AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = (SELECT run_id FROM run_pause WHERE id = %(pause_id)s) FOR UPDATE
), r AS MATERIALIZED (
    SELECT held.* FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), live AS MATERIALIZED (
    SELECT p.* FROM run_pause p JOIN held r ON r.id = p.run_id
     WHERE p.id = %(pause_id)s OR p.status = ANY('{waiting,approved}')
     ORDER BY p.id FOR UPDATE OF p
), p AS MATERIALIZED (
    SELECT * FROM live WHERE id = %(pause_id)s
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM p
), v AS MATERIALIZED (
    SELECT CASE
               WHEN p.status <> ALL('{waiting,approved}') THEN 'settled'
               WHEN %(actor)s <> r.on_behalf_of THEN 'not_requester'
               WHEN r.open_effects > 0 THEN 'open'
               ELSE 'cancel'
           END AS outcome FROM p, r
), moves AS MATERIALIZED (
    SELECT live.id, live.status AS from_status, CASE WHEN live.id = p.id THEN nullif(%(reason)s, '')
                                                     ELSE 'another call of the same turn was withdrawn' END AS reason
      FROM live, p, v WHERE v.outcome = 'cancel' AND live.step = p.step
), moved AS (
    UPDATE run_pause SET status = 'cancelled', version = run_pause.version + 1, decided_by = %(actor)s, decided_at = t.at, reason = m.reason
      FROM moves m, t WHERE run_pause.id = m.id
    RETURNING run_pause.*
), after AS MATERIALIZED (
    SELECT r.waiting_pauses - count(*) FILTER (WHERE m.from_status = 'waiting') AS waiting,
           r.status = 'awaiting_approval' AND r.waiting_pauses = count(*) FILTER (WHERE m.from_status = 'waiting') AS wakes
      FROM r LEFT JOIN moves m ON true GROUP BY r.waiting_pauses, r.status
), events AS MATERIALIZED (
    SELECT 1::bigint AS n, 'pause' AS entity, p.id::text AS entity_id, p.status AS from_status, 'cancel' AS event,
           CASE WHEN v.outcome = 'cancel' THEN 'cancelled' END AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface,
           CASE WHEN v.outcome = 'cancel' THEN nullif(%(reason)s, '') ELSE v.outcome END AS detail
      FROM p, v
    UNION ALL
    SELECT 1 + row_number() OVER (ORDER BY m.id), 'pause', m.id::text, m.from_status, 'cancel', 'cancelled', %(actor)s,
           %(surface)s, m.reason
      FROM moves m, p WHERE m.id <> p.id
    UNION ALL
    SELECT 1000000, 'run', r.id::text, r.status, 'wake', CASE WHEN r.hold THEN 'paused' ELSE 'queued' END, %(actor)s, %(surface)s, NULL
      FROM r, after WHERE after.wakes
), linked AS (
    UPDATE run SET
        waiting_pauses = after.waiting,
        status = CASE WHEN NOT after.wakes THEN r.status WHEN r.hold THEN 'paused' ELSE 'queued' END,
        queued_at = CASE WHEN after.wakes AND NOT r.hold THEN t.at ELSE r.queued_at END,
        (seq, head) = ({link})
      FROM r, t, after WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status
), repainted AS (
    UPDATE card SET {repaint} FROM moves m WHERE card.pause_id = m.id
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, p.id AS pause_id, p.run_id, coalesce(m.status, p.status) AS status, p.votes_left,
       coalesce(m.decided_by, p.decided_by) AS decided_by, coalesce(m.decided_at, p.decided_at) AS decided_at,
       coalesce(m.reason, p.reason) AS reason, p.approver, p.level, p.fire_at, t.at, linked.status AS run_status,
       CASE WHEN p.status = ANY('{approved,failed}') THEN (SELECT e.status FROM effect e WHERE e.pause_id = p.id) END AS effect_status
  FROM p JOIN t ON true LEFT JOIN v ON true LEFT JOIN linked ON true LEFT JOIN moved m ON m.id = p.id;

-- name: ask_requester :one
-- Whoever may decide asks the requester something first: it is on record and is to be said, in the thread of each card of an approver and to
-- the requester; no vote and no hour is changed. `outcome`: ask_back when it was asked, as inquiry `n` of this pause; settled, broken, stale, question, own,
-- voted, not_yours, due as in decide_pause, blank (nothing was written), asked (this person has asked just that: a form sent twice) when it was
-- not, again as in withdraw_pause: what this statement sees of the record and of the cards is older than the run it locked. No row: there is no
-- such pause.
WITH held AS MATERIALIZED (
    SELECT id, seq, head, status, on_behalf_of FROM run WHERE id = (SELECT run_id FROM run_pause WHERE id = %(pause_id)s) FOR UPDATE
), r AS MATERIALIZED (
    SELECT held.* FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), p AS MATERIALIZED (
    SELECT * FROM run_pause WHERE id = %(pause_id)s AND run_id = (SELECT id FROM held) FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM p
), asked AS MATERIALIZED (
    SELECT e.actor, e.detail FROM run_event e JOIN p ON p.run_id = e.run_id
     WHERE e.entity = 'pause' AND e.entity_id = p.id::text AND e.event = 'ask_back' AND e.to_status IS NOT NULL
), v AS MATERIALIZED (
    SELECT CASE
               WHEN p.status <> 'waiting' THEN 'settled'
               WHEN %(altered)s OR c.digest IS DISTINCT FROM pause_digest_v1(c.document) THEN 'broken'
               WHEN NOT starts_with(c.digest, %(shown)s) THEN 'stale'
               WHEN p.votes_left = 0 THEN 'question'
               {barred}
               WHEN %(inquiry)s = '' THEN 'blank'
               WHEN EXISTS (SELECT FROM asked WHERE asked.actor = %(actor)s AND asked.detail = %(inquiry)s) THEN 'asked'
               ELSE 'ask_back'
           END AS outcome, 1 + (SELECT count(*) FROM asked) AS n
      FROM p JOIN r ON true JOIN t ON true LEFT JOIN pause_content c ON c.pause_id = p.id
), moved AS (
    UPDATE run_pause SET version = run_pause.version + 1 FROM p, v WHERE run_pause.id = p.id AND v.outcome = 'ask_back'
), events AS MATERIALIZED (
    SELECT 1 AS n, 'pause' AS entity, p.id::text AS entity_id, p.status AS from_status, 'ask_back' AS event,
           CASE WHEN v.outcome = 'ask_back' THEN 'waiting' END AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface,
           CASE WHEN v.outcome = 'ask_back' THEN %(inquiry)s::text ELSE v.outcome END AS detail
      FROM p, v
), linked AS (
    UPDATE run SET (seq, head) = ({link}) FROM r, t WHERE run.id = r.id RETURNING run.id, run.seq, run.head, run.status
), told AS (
    INSERT INTO notice (id, run_id, pause_id, kind, dest, detail)
    SELECT gen_random_uuid(), p.run_id, p.id, 'asked_back', 'person:' || r.on_behalf_of, json_build_object('inquiry', v.n)
      FROM p, r, v WHERE v.outcome = 'ask_back'
    UNION ALL
    SELECT gen_random_uuid(), p.run_id, p.id, 'asked_back', card.dest, json_build_object('inquiry', v.n, 'card', card.id)
      FROM p JOIN v ON v.outcome = 'ask_back' JOIN card ON card.pause_id = p.id AND card.kind = 'approver' AND card.state = 'live'
), repainted AS (
    UPDATE card SET {repaint} FROM p, v WHERE card.pause_id = p.id AND v.outcome = 'ask_back'
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, v.n, p.id AS pause_id, p.run_id, p.status, p.votes_left, p.decided_by, p.decided_at, p.reason,
       p.approver, p.level, p.fire_at, t.at, linked.status AS run_status,
       CASE WHEN p.status = ANY('{approved,failed}') THEN (SELECT e.status FROM effect e WHERE e.pause_id = p.id) END AS effect_status
  FROM p JOIN t ON true LEFT JOIN v ON true LEFT JOIN linked ON true;

-- name: reply_inquiry :one
-- The requester answers inquiry n of a pause that waits, which `mark` names at the beginning of what is put on record. It is to be said in
-- the thread of each card of an approver, and to whoever asked, unless one of those is theirs. `outcome`: reply when it was; settled, broken,
-- due, blank as in ask_requester, not_to_reply (somebody else than the requester), no_inquiry (there is none of that number), replied
-- (it has its reply) when it was not; again as there. No row: there is no such pause.
WITH held AS MATERIALIZED (
    SELECT id, seq, head, status, on_behalf_of FROM run WHERE id = (SELECT run_id FROM run_pause WHERE id = %(pause_id)s) FOR UPDATE
), r AS MATERIALIZED (
    SELECT held.* FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), p AS MATERIALIZED (
    SELECT * FROM run_pause WHERE id = %(pause_id)s AND run_id = (SELECT id FROM held) FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM p
), said AS MATERIALIZED (
    SELECT e.event, e.actor, e.detail, row_number() OVER (PARTITION BY e.event ORDER BY e.seq) AS n
      FROM run_event e JOIN p ON p.run_id = e.run_id
     WHERE e.entity = 'pause' AND e.entity_id = p.id::text AND e.event = ANY('{ask_back,reply}') AND e.to_status IS NOT NULL
), v AS MATERIALIZED (
    SELECT CASE
               WHEN p.status <> 'waiting' THEN 'settled'
               WHEN %(altered)s OR c.digest IS DISTINCT FROM pause_digest_v1(c.document) THEN 'broken'
               WHEN %(actor)s <> r.on_behalf_of THEN 'not_to_reply'
               WHEN q.actor IS NULL THEN 'no_inquiry'
               WHEN EXISTS (SELECT FROM said WHERE said.event = 'reply' AND starts_with(said.detail, %(mark)s)) THEN 'replied'
               WHEN p.fire_at <= t.at THEN 'due'
               WHEN %(reply)s = '' THEN 'blank'
               ELSE 'reply'
           END AS outcome, q.actor AS asker
      FROM p JOIN r ON true JOIN t ON true LEFT JOIN pause_content c ON c.pause_id = p.id
      LEFT JOIN said q ON q.event = 'ask_back' AND q.n = %(n)s
), moved AS (
    UPDATE run_pause SET version = run_pause.version + 1 FROM p, v WHERE run_pause.id = p.id AND v.outcome = 'reply'
), events AS MATERIALIZED (
    SELECT 1 AS n, 'pause' AS entity, p.id::text AS entity_id, p.status AS from_status, 'reply' AS event,
           CASE WHEN v.outcome = 'reply' THEN 'waiting' END AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface,
           CASE WHEN v.outcome = 'reply' THEN %(mark)s::text || %(reply)s::text ELSE v.outcome END AS detail
      FROM p, v
), linked AS (
    UPDATE run SET (seq, head) = ({link}) FROM r, t WHERE run.id = r.id RETURNING run.id, run.seq, run.head, run.status
), shown AS MATERIALIZED (
    SELECT card.id, card.dest FROM p JOIN card ON card.pause_id = p.id AND card.kind = 'approver' AND card.state = 'live'
), told AS (
    INSERT INTO notice (id, run_id, pause_id, kind, dest, detail)
    SELECT gen_random_uuid(), p.run_id, p.id, 'replied', shown.dest, json_build_object('inquiry', %(n)s::integer, 'card', shown.id)
      FROM p JOIN v ON v.outcome = 'reply' JOIN shown ON true
    UNION ALL
    SELECT gen_random_uuid(), p.run_id, p.id, 'replied', 'person:' || v.asker, json_build_object('inquiry', %(n)s::integer)
      FROM p JOIN v ON v.outcome = 'reply' WHERE NOT EXISTS (SELECT FROM shown WHERE shown.dest = 'person:' || v.asker)
), repainted AS (
    UPDATE card SET {repaint} FROM p, v WHERE card.pause_id = p.id AND v.outcome = 'reply'
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, p.id AS pause_id, p.run_id, p.status, p.votes_left, p.decided_by, p.decided_at, p.reason,
       p.approver, p.level, p.fire_at, t.at, linked.status AS run_status,
       CASE WHEN p.status = ANY('{approved,failed}') THEN (SELECT e.status FROM effect e WHERE e.pause_id = p.id) END AS effect_status
  FROM p JOIN t ON true LEFT JOIN v ON true LEFT JOIN linked ON true;

-- name: lock_of_pause :one
-- The lock under which a pause moves, for a transaction that looks at it before it moves it. No row: there is no such pause.
SELECT id FROM run WHERE id = (SELECT run_id FROM run_pause WHERE id = %(pause_id)s) FOR UPDATE;

-- name: due_pauses :many
-- What a sweep has to settle, oldest first; `intact` is false when the content was altered (then it never escalates,
-- and `need`, by which it would, is NULL).
-- back_s keeps a sweep from walking over dead entries that an old snapshot keeps alive: only what fell due in so many seconds; NULL: whenever.
-- What was put aside is tried again after an hour: a later release may be able to.
-- By the time of the statement, which is the same for all rows, so that the index ends the scan at it; a clock read per row would not.
SELECT p.id, p.run_id, p.level, p.approver, p.fire_at, p.voters, r.on_behalf_of, c.digest, c.seal, checked.intact, statement_timestamp() AS now,
       CASE WHEN checked.intact THEN (c.document::json -> 'need')::text END AS need
  FROM run_pause p JOIN run r ON r.id = p.run_id JOIN pause_content c ON c.pause_id = p.id
  JOIN LATERAL (SELECT c.digest = pause_digest_v1(c.document) AS intact OFFSET 0) checked ON true  -- OFFSET 0: once a row
 WHERE p.status = 'waiting' AND coalesce(p.stuck_at, '-infinity') <= statement_timestamp() - interval '1 hour' AND p.fire_at <= statement_timestamp()
   AND p.fire_at >= coalesce(statement_timestamp() - %(back_s)s::double precision * interval '1 second', '-infinity')
 ORDER BY p.fire_at LIMIT %(limit)s;

-- name: due_pause :one
-- The same for one pause, whatever the time. No row: it no longer waits.
SELECT p.id, p.run_id, p.level, p.approver, p.fire_at, p.voters, r.on_behalf_of, c.digest, c.seal, checked.intact, statement_timestamp() AS now,
       CASE WHEN checked.intact THEN (c.document::json -> 'need')::text END AS need
  FROM run_pause p JOIN run r ON r.id = p.run_id JOIN pause_content c ON c.pause_id = p.id
  JOIN LATERAL (SELECT c.digest = pause_digest_v1(c.document) AS intact OFFSET 0) checked ON true  -- OFFSET 0: once a row
 WHERE p.id = %(pause_id)s AND p.status = 'waiting';

-- name: settle_due :many
-- The answer decided in advance: each asked pause that still waits at that level and is due goes to its next approver, or, with none,
-- expires and takes its siblings with it. Runs that others hold, or have moved since this statement began (it would not see a card that they
-- made), are left for the next sweep. A row per pause that moved; none: nothing was due.
-- unseen: it moves before it is due, if no card of its level stands that somebody could decide on; the record says so, in these words.
-- asked: [{id, level, unseen, next: approver|null, to_level, within_s, remind_after_s|null, cards: [{id, dest, not_before|null}]}]
WITH asked AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(asked)s::jsonb) AS a(id uuid, level integer, unseen boolean, next text, to_level integer, within_s double precision, remind_after_s double precision, cards jsonb)
), held AS MATERIALIZED (
    SELECT id, seq, head, status, hold, queued_at, waiting_pauses FROM run WHERE id IN (SELECT p.run_id FROM run_pause p JOIN asked USING (id))
     ORDER BY depth DESC, id FOR UPDATE SKIP LOCKED
), r AS MATERIALIZED (
    SELECT held.* FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), live AS MATERIALIZED (
    SELECT p.id, p.run_id, p.status, p.step, p.level, p.fire_at, p.voters FROM run_pause p JOIN r ON r.id = p.run_id WHERE p.status = ANY('{waiting,approved}')
     ORDER BY p.run_id, p.id FOR UPDATE OF p
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM live) AS locked
), due AS MATERIALIZED (
    SELECT l.id, l.run_id, l.step, l.fire_at > t.at AS unseen, a.next, a.to_level, a.within_s, a.remind_after_s, a.cards
      FROM live l JOIN asked a ON a.id = l.id AND a.level = l.level, t
     WHERE l.status = 'waiting' AND (l.fire_at <= t.at OR (a.unseen AND NOT EXISTS (
           SELECT FROM card WHERE card.pause_id = l.id AND card.kind = 'approver' AND card.level = l.level AND card.state = 'live')))
), ending AS MATERIALIZED (
    SELECT DISTINCT run_id, step FROM due WHERE next IS NULL
), moves AS MATERIALIZED (
    SELECT l.id, l.run_id, l.step, l.status AS from_status, e.run_id IS NOT NULL AND (d.id IS NULL OR d.next IS NOT NULL) AS falls_with_sibling,
           d.next IS NOT NULL AND e.run_id IS NULL AS escalates, d.unseen, d.next, d.to_level, d.within_s, d.remind_after_s, d.cards,
           cardinality(l.voters) > 0 AS voted
      FROM live l LEFT JOIN due d ON d.id = l.id LEFT JOIN ending e ON e.run_id = l.run_id AND e.step = l.step
     WHERE d.id IS NOT NULL OR e.run_id IS NOT NULL
), named AS MATERIALIZED (
    SELECT m.*, CASE WHEN m.escalates THEN 'escalate' WHEN m.falls_with_sibling THEN 'cancel' ELSE 'expire' END AS event,
           CASE WHEN m.escalates THEN 'waiting' WHEN m.falls_with_sibling THEN 'cancelled' ELSE 'expired' END AS to_status,
           CASE WHEN m.escalates THEN m.next || CASE WHEN m.unseen THEN ', since ' || %(unseen)s::text ELSE '' END
                WHEN m.falls_with_sibling THEN 'another call of the same turn expired'
                WHEN m.unseen THEN %(unseen)s::text
                WHEN m.voted THEN 'nobody else answered in time'
                ELSE 'nobody answered in time' END AS reason
      FROM moves m
), moved AS (
    UPDATE run_pause SET
        status = m.to_status,
        version = run_pause.version + 1,
        approver = CASE WHEN m.escalates THEN m.next ELSE run_pause.approver END,
        level = CASE WHEN m.escalates THEN m.to_level ELSE run_pause.level END,
        fire_at = CASE WHEN m.escalates THEN t.at + m.within_s * interval '1 second'
                       WHEN m.unseen THEN t.at ELSE run_pause.fire_at END,
        stuck_at = NULL,
        decided_by = NULL,
        decided_at = CASE WHEN m.escalates THEN NULL ELSE t.at END,
        reason = CASE WHEN m.escalates THEN run_pause.reason ELSE m.reason END
      FROM named m, t WHERE run_pause.id = m.id
    RETURNING run_pause.id, run_pause.run_id, run_pause.status, run_pause.approver, run_pause.level, run_pause.fire_at
), after AS MATERIALIZED (
    SELECT r.id, r.waiting_pauses - count(*) FILTER (WHERE m.from_status = 'waiting' AND NOT m.escalates) AS waiting,
           r.status = 'awaiting_approval'
               AND r.waiting_pauses = count(*) FILTER (WHERE m.from_status = 'waiting' AND NOT m.escalates) AS wakes
      FROM r JOIN named m ON m.run_id = r.id GROUP BY r.id, r.waiting_pauses, r.status
), events AS MATERIALIZED (
    SELECT m.run_id, row_number() OVER (PARTITION BY m.run_id ORDER BY m.id) AS n, 'pause' AS entity, m.id::text AS entity_id,
           m.from_status, m.event, m.to_status, 'system' AS actor, %(surface)s::text AS surface, m.reason AS detail
      FROM named m
    UNION ALL
    SELECT r.id, 1000000, 'run', r.id::text, r.status, 'wake', CASE WHEN r.hold THEN 'paused' ELSE 'queued' END, 'system', %(surface)s, NULL
      FROM r JOIN after ON after.id = r.id WHERE after.wakes
), {said_each}, linked AS (
    UPDATE run SET
        waiting_pauses = after.waiting,
        status = CASE WHEN NOT after.wakes THEN r.status WHEN r.hold THEN 'paused' ELSE 'queued' END,
        queued_at = CASE WHEN after.wakes AND NOT r.hold THEN t.at ELSE r.queued_at END,
        (seq, head) = ({link_each})
      FROM r JOIN after ON after.id = r.id JOIN said ON said.run_id = r.id, t WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head
), repainted AS (
    UPDATE card SET {repaint_after} WHERE card.pause_id = ANY(ARRAY(  -- no join: by its index, however many there are
        SELECT id FROM named UNION
        SELECT l.id FROM live l JOIN named m ON m.run_id = l.run_id AND m.step = l.step WHERE l.status = 'waiting'))  -- it says how many wait beside it
), sent_on AS (
    INSERT INTO card (id, pause_id, kind, dest, level, not_before)
    SELECT c.id, moved.id, 'approver', c.dest, moved.level, c.not_before
      FROM moved JOIN named m ON m.id = moved.id AND m.escalates, jsonb_to_recordset(m.cards) AS c(id uuid, dest text, not_before timestamptz)
    ON CONFLICT DO NOTHING
), reminded AS (
    INSERT INTO notice (id, run_id, pause_id, kind, dest, detail, not_before)
    SELECT c.id, moved.run_id, moved.id, 'reminder', c.dest, json_build_object('level', moved.level), seen.at + m.remind_after_s * interval '1 second'
      FROM moved JOIN named m ON m.id = moved.id AND m.escalates, t, jsonb_to_recordset(m.cards) AS c(id uuid, dest text, not_before timestamptz),
           greatest(c.not_before, t.at) AS seen(at)
     WHERE seen.at + m.remind_after_s * interval '1 second' < moved.fire_at
), {log_each}
SELECT moved.id AS pause_id, moved.run_id, named.event, moved.status, moved.approver, moved.level, moved.fire_at, after.wakes
  FROM moved JOIN named ON named.id = moved.id JOIN after ON after.id = moved.run_id;

-- name: mark_stuck :exec
-- A pause whose move fails by itself is put out of the sweep's way for an hour; an alarm names it.
UPDATE run_pause SET stuck_at = clock_timestamp() WHERE id = %(pause_id)s AND status = 'waiting';

-- name: void_pauses :one
-- The authority behind approved pauses is gone, or their time to be done has passed: they are voided, their siblings cancelled, and the
-- run ends with the reason. Carries the epoch. No row: the run is no longer this worker's, or something of it is being carried out.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' AND open_effects = 0 FOR UPDATE
), live AS MATERIALIZED (
    SELECT p.* FROM run_pause p JOIN r ON r.id = p.run_id WHERE p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE OF p
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r, (SELECT count(*) FROM live) AS locked
), moves AS MATERIALIZED (
    SELECT live.id, live.status AS from_status, CASE WHEN live.status = 'approved' AND live.id = ANY(%(voided)s) THEN 'void' ELSE 'cancel' END AS event
      FROM live
), moved AS (
    UPDATE run_pause SET status = CASE m.event WHEN 'void' THEN 'voided' ELSE 'cancelled' END, version = run_pause.version + 1,
           decided_by = CASE WHEN m.event = 'void' THEN run_pause.decided_by END, decided_at = t.at, reason = %(reason)s
      FROM moves m, t WHERE run_pause.id = m.id
), let_go AS (
    DELETE FROM run_lease USING r WHERE run_lease.run_id = r.id
), events AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY m.id) AS n, 'pause' AS entity, m.id::text AS entity_id, m.from_status, m.event,
           CASE m.event WHEN 'void' THEN 'voided' ELSE 'cancelled' END AS to_status, 'system' AS actor, 'worker' AS surface,
           %(reason)s::text AS detail
      FROM moves m
    UNION ALL
    SELECT 1000000, 'run', r.id::text, r.status, 'fail', 'error', 'system', 'worker', %(reason)s FROM r
), linked AS (
    UPDATE run SET status = 'error', waiting_pauses = 0, (seq, head) = ({link}) FROM r, t WHERE run.id = r.id RETURNING run.id, run.seq, run.head
), said AS (
    UPDATE run_content SET error = %(reason)s FROM r WHERE run_content.run_id = r.id
), told AS (
    INSERT INTO notice (id, run_id, kind, dest) SELECT %(notice_id)s, r.id, 'run_ended', 'person:' || r.on_behalf_of FROM r
), repainted AS (
    UPDATE card SET {repaint} FROM moves m WHERE card.pause_id = m.id
), {log}
SELECT id AS run_id FROM linked;

-- name: pause_record :one
-- The waiting state as one record that an auditor can read alone; `opened` is its digest as the record has it from when it was asked.
-- No row: there is no such pause.
SELECT p.id, p.run_id, p.step, p.n, p.status, p.version, p.created_at, p.fire_at, p.approver, p.level, p.votes_left, p.voters,
       p.decided_by, p.decided_at, p.reason, c.digest, c.document, c.seal, checked.intact,
       CASE WHEN checked.intact THEN (SELECT json_object_agg(w.id, w.name) FROM json_array_elements(c.document::json #> '{need,steps}') AS step(said)
                                        JOIN person w ON w.id = step.said ->> 'person') END AS step_names,
       (SELECT o.detail FROM run_event o WHERE o.run_id = p.run_id AND o.entity = 'pause' AND o.entity_id = p.id::text AND o.event = 'open'
         ORDER BY o.seq LIMIT 1) AS opened,
       r.agent, r.on_behalf_of, r.status AS run_status, r.open_effects,
       (SELECT coalesce(w.name, h.halted_by) FROM halt h LEFT JOIN person w ON w.id = h.halted_by) AS halted_by_name,
       d.name AS decided_by_name, q.name AS requester_name,
       (SELECT coalesce(json_agg(json_build_object('person', v.person, 'name', w.name, 'verdict', v.verdict, 'level', v.level,
                                                   'surface', v.surface, 'at', v.at, 'reason', v.reason, 'seal', v.seal) ORDER BY v.at), '[]')
          FROM pause_vote v JOIN person w ON w.id = v.person WHERE v.pause_id = p.id) AS votes,
       (SELECT coalesce(json_agg(json_build_object('event', o.event, 'person', o.actor, 'name', w.name, 'at', o.at, 'surface', o.surface,
                                                   'detail', o.detail) ORDER BY o.seq), '[]')
          FROM run_event o LEFT JOIN person w ON w.id = o.actor
         WHERE o.run_id = p.run_id AND o.entity = 'pause' AND o.entity_id = p.id::text AND o.event = ANY('{ask_back,reply}')
           AND o.to_status IS NOT NULL) AS said,
       CASE WHEN p.level > 0 OR p.status = 'expired' THEN (
            SELECT right(o.detail, length(%(unseen)s)) = %(unseen)s FROM run_event o
             WHERE o.run_id = p.run_id AND o.entity = 'pause' AND o.entity_id = p.id::text AND o.event = ANY('{escalate,expire}')
               AND o.to_status IS NOT NULL ORDER BY o.seq DESC LIMIT 1) END AS unseen,
       (SELECT o.detail FROM run_event o WHERE o.run_id = r.id AND o.seq = r.seq AND o.entity = 'run' AND o.event = 'release') AS put_off_why,
       CASE WHEN r.queued_at > statement_timestamp() THEN r.queued_at END AS put_off_to,
       (SELECT coalesce(json_agg(json_build_object('id', w.id, 'name', w.name) ORDER BY w.id), '[]')
          FROM away y JOIN person w ON w.id = y.delegate AND w.active AND w.id <> r.on_behalf_of JOIN person g ON g.id = y.person_id AND g.active
         WHERE p.approver = 'person:' || y.person_id AND y.starts_at <= statement_timestamp() AND y.ends_at > statement_timestamp()) AS stand_ins,
       e.status AS effect_status, e.receipt, e.error AS effect_error, e.settled_at,
       a.name AS approver_name, turn.nth, turn.of_turn, turn.together,
       (SELECT o.id FROM run_pause o WHERE o.run_id = p.run_id AND o.step = p.step AND o.n = p.n AND o.created_at > p.created_at
         ORDER BY o.created_at LIMIT 1) AS superseded_by,
       {lapsed_of} AND NOT EXISTS (SELECT FROM effect o WHERE o.run_id = p.run_id AND o.step = p.step) AS lapsed,
       (SELECT g.run_id FROM run_again g WHERE g.of_run = p.run_id AND g.of_step = p.step) AS again_run
  FROM run_pause p JOIN run r ON r.id = p.run_id JOIN pause_content c ON c.pause_id = p.id
  JOIN LATERAL (SELECT c.digest = pause_digest_v1(c.document) AS intact OFFSET 0) checked ON true  -- OFFSET 0: once
  JOIN LATERAL (SELECT count(DISTINCT o.n) FILTER (WHERE o.n <= p.n) AS nth, count(DISTINCT o.n) AS of_turn,
                       count(*) FILTER (WHERE o.status = 'waiting' AND o.votes_left > 0 AND o.approver = p.approver) AS together
                  FROM run_pause o WHERE o.run_id = p.run_id AND o.step = p.step) turn ON true
  LEFT JOIN person d ON d.id = p.decided_by LEFT JOIN person q ON q.id = r.on_behalf_of
  LEFT JOIN person a ON p.approver = 'person:' || a.id
  LEFT JOIN effect e ON e.pause_id = p.id
 WHERE p.id = %(pause_id)s;

-- name: find_pauses :many
-- The pauses whose id ends in these hex digits (as people type them), at most two: more than one means "say more digits".
SELECT id FROM run_pause WHERE right(replace(id::text, '-', ''), length(%(tail)s)) = %(tail)s LIMIT 2;

-- name: contents :many
-- What these pauses hold, of those whose content is not altered. A pause without a row here was, or there is no such pause.
SELECT c.pause_id, c.digest, c.document FROM pause_content c WHERE c.pause_id = ANY(%(pause_ids)s) AND c.digest = pause_digest_v1(c.document);

-- name: decided_pauses :many
-- What was settled, the newest request first: an id is made of the time, so that the index of the ids ends the scan at the limit. by NULL: by
-- anybody, and else what the person decided or voted on. text NULL: any, and else where it stands in the summary or the facts, whatever its
-- case; what was altered has none. since NULL: ever. No row: nothing was.
SELECT p.id FROM run_pause p JOIN pause_content c ON c.pause_id = p.id
 WHERE p.decided_at IS NOT NULL
   AND (%(since)s::timestamptz IS NULL OR p.decided_at >= %(since)s)
   AND (%(by)s::text IS NULL OR p.decided_by = %(by)s OR EXISTS (SELECT FROM pause_vote v WHERE v.pause_id = p.id AND v.person = %(by)s))
   AND (%(text)s::text IS NULL OR CASE WHEN c.digest = pause_digest_v1(c.document) THEN
            strpos(lower(concat(c.document::jsonb ->> 'summary', ' ', c.document::jsonb ->> 'lines')), lower(%(text)s)) > 0 ELSE false END)
 ORDER BY p.id DESC LIMIT %(limit)s;

-- name: settled_of_person :many
-- What a person decided or voted on, and what was asked for them, settled since a moment, the latest first; looked for among what was asked since
-- then or up to 60 days before: an id is made of the time. No row: nothing was.
SELECT p.id FROM run_pause p JOIN run r ON r.id = p.run_id
 WHERE p.id >= %(asked_after)s AND p.decided_at >= %(since)s
   AND (r.on_behalf_of = %(person)s OR p.decided_by = %(person)s OR %(person)s = ANY(p.voters))
 ORDER BY p.decided_at DESC, p.id DESC LIMIT %(limit)s;

-- name: waiting_pauses :many
-- What waits, soonest answer first, as a list shows it. person NULL: everybody's. An altered content has no summary, and hides no other.
-- The page is found on the small rows; only what it shows is read and checked.
WITH page AS MATERIALIZED (
    SELECT p.id, p.run_id, p.approver, p.level, p.created_at, p.fire_at, p.votes_left, p.stuck_at, r.agent, r.on_behalf_of, count(*) OVER () AS total
      FROM run_pause p JOIN run r ON r.id = p.run_id
     WHERE p.status = 'waiting'
       AND (%(person)s::text IS NULL OR p.approver = 'person:' || %(person)s
            OR EXISTS (SELECT FROM role_member m WHERE m.person_id = %(person)s AND p.approver = 'role:' || m.role)
            OR EXISTS (SELECT FROM away w JOIN person g ON g.id = w.person_id AND g.active
                        WHERE w.delegate = %(person)s AND p.approver = 'person:' || w.person_id AND r.on_behalf_of <> %(person)s
                          AND w.starts_at <= statement_timestamp() AND w.ends_at > statement_timestamp()))
       AND (%(role)s::text IS NULL OR p.approver = 'role:' || %(role)s)
       AND (%(asked_by)s::text IS NULL OR r.on_behalf_of = %(asked_by)s)
     ORDER BY p.fire_at, p.id LIMIT %(limit)s OFFSET %(offset)s
)
SELECT p.*, q.name AS requester_name, a.name AS approver_name, c.digest, c.seal, c.digest = pause_digest_v1(c.document) AS intact,
       CASE WHEN c.digest = pause_digest_v1(c.document) THEN c.document::jsonb ->> 'summary' ELSE '' END AS summary,
       CASE WHEN c.digest = pause_digest_v1(c.document) THEN c.document::jsonb ? 'confirm' ELSE false END AS typed,
       ARRAY(SELECT w.delegate FROM away w JOIN person d ON d.id = w.delegate AND d.active JOIN person g ON g.id = w.person_id AND g.active
              WHERE p.approver = 'person:' || w.person_id AND w.starts_at <= statement_timestamp() AND w.ends_at > statement_timestamp()
              ORDER BY w.delegate) AS stand_ins
  FROM page p JOIN pause_content c ON c.pause_id = p.id
  LEFT JOIN person q ON q.id = p.on_behalf_of LEFT JOIN person a ON p.approver = 'person:' || a.id
 ORDER BY p.fire_at, p.id;
