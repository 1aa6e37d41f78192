-- What lapsed is asked again: a new run goes on from the reply of the model in which it was asked, and its worker asks anew, by today's price,
-- policy and people. Of the request itself nothing is taken over: no approval, no quote, no digest.

-- name: lapsed_of :fragment
-- Whether a request p of a run r lapsed, by itself or with another of its turn: by time, by its requester's own withdrawal, or approved and then
-- not carried out. What was denied, or fell with what was denied, did not: nothing of a turn lapses when another of it is denied.
-- A question (no approval is missing, and nobody gave one) did not by itself: its run heard that there is no answer and went on from there.
(p.status = ANY('{expired,cancelled,voided}') AND (p.votes_left > 0 OR p.voters <> '{}') AND (
           SELECT bool_or(m.status = ANY('{expired,voided}') OR (m.status = 'cancelled' AND m.decided_by IS NOT DISTINCT FROM r.on_behalf_of))
             FROM run_pause m WHERE m.run_id = p.run_id AND m.step = p.step))

-- name: ask_again :one
-- The requester has what lapsed asked again, with its whole turn, by a new run that begins with the messages up to that reply and with what was
-- used of its budgets until now. `outcome`: asked (launched: again_run), already (it was before, or the same action of another turn: again_run),
-- not_requester, not_lapsed, begun (something of its turn was, so that it would be done twice), broken (what is stored was altered), live (its run,
-- or another that goes on from the same one, has not ended: run_id; other is a request for the same that waits, if one does), done (the same was
-- done since: other is the effect), refused (a person refused the same since: other is that request), again (nothing was done: what this statement
-- sees is older than the run it locked). The same is the same tool with the same arguments but those that say the price. The run from which all
-- of them go on is locked first: of two that ask again in different ones, one launches. No row: there is no such pause.
WITH first AS MATERIALIZED (
    SELECT id FROM run WHERE id = (SELECT a.origin FROM run_again a JOIN run_pause o ON o.run_id = a.run_id WHERE o.id = %(pause_id)s) FOR UPDATE
), held AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = (SELECT run_id FROM run_pause WHERE id = %(pause_id)s) AND (SELECT count(*) FROM first) < 2 FOR UPDATE
), r AS MATERIALIZED (
    SELECT held.*, coalesce((SELECT id FROM first), held.id) AS origin FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), living AS MATERIALIZED (
    SELECT live_of_origin_v1(r.origin, r.id) AS id FROM r
), task AS MATERIALIZED (
    SELECT r.origin AS run_id FROM r UNION ALL SELECT a.run_id FROM run_again a JOIN r ON a.origin = r.origin
), p AS MATERIALIZED (
    SELECT p.id, p.status, p.step, p.created_at, {lapsed_of} AS lapsed FROM run_pause p JOIN r ON r.id = p.run_id WHERE p.id = %(pause_id)s
), turn AS MATERIALIZED (
    SELECT o.id, o.status, c.document, coalesce(c.digest = pause_digest_v1(c.document), false) AS intact
      FROM run_pause o LEFT JOIN pause_content c ON c.pause_id = o.id
     WHERE o.run_id = (SELECT id FROM r) AND o.step = (SELECT step FROM p) AND o.status = ANY('{expired,cancelled,voided}')
     ORDER BY o.id FOR UPDATE OF o
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r, (SELECT count(*) FROM turn) AS locked
), action AS MATERIALIZED (  -- what was asked for, and which of its arguments say the price
    SELECT d.asked #>> '{proposed_action,tool}' AS tool, d.asked #> '{proposed_action,arguments}' AS arguments,
           ARRAY(SELECT a.key FROM jsonb_each(d.asked #> '{proposed_action,arguments}') AS a
                  WHERE jsonb_typeof(a.value) = 'object' AND a.value = d.asked -> 'amount') AS price
      FROM (SELECT document::jsonb AS asked FROM turn WHERE CASE WHEN intact THEN true END) d
), spent AS MATERIALIZED (  -- each that goes on began with what the one before it had used
    SELECT max(o.tokens) AS tokens, max(o.cost_micros) AS cost_micros, max(o.spawns) AS spawns, max(o.refusals) AS refusals
      FROM run o WHERE o.id = ANY(ARRAY(SELECT run_id FROM task))
), alike AS MATERIALIZED (
    SELECT o.id, o.run_id, o.step, o.status, o.created_at > p.created_at AS since
      FROM run_pause o JOIN pause_content c ON c.pause_id = o.id JOIN r ON true JOIN p ON o.run_id <> r.id OR o.step <> p.step JOIN action ON true
     WHERE o.run_id = ANY(ARRAY(SELECT run_id FROM task))
       AND CASE WHEN c.digest = pause_digest_v1(c.document) THEN c.document::jsonb #>> '{proposed_action,tool}' = action.tool
                AND (c.document::jsonb #> '{proposed_action,arguments}') - action.price = action.arguments - action.price END
), done AS MATERIALIZED (
    SELECT e.id FROM effect e JOIN p ON e.created_at > p.created_at JOIN action ON e.tool = action.tool
     WHERE e.run_id = ANY(ARRAY(SELECT run_id FROM task)) AND e.status <> 'failed'
       AND (e.action::jsonb -> 'arguments') - action.price = action.arguments - action.price
     ORDER BY e.id LIMIT 1
), reply AS MATERIALIZED (  -- the message in which its calls stand
    SELECT max(m.seq) AS seq
      FROM run_message m, json_array_elements(CASE WHEN json_typeof(m.content) = 'array' THEN m.content ELSE '[]' END) AS block
     WHERE m.run_id = (SELECT id FROM r) AND m.role = 'assistant'
       AND block ->> 'id' IN (SELECT k.tool_use_id FROM run_call k JOIN p ON k.step = p.step WHERE k.run_id = (SELECT id FROM r))
), before AS MATERIALIZED (
    SELECT a.run_id FROM run_again a JOIN r ON a.of_run = r.id
     WHERE a.of_step = (SELECT step FROM p) OR a.of_step IN (SELECT alike.step FROM alike WHERE alike.run_id = r.id) LIMIT 1
), v AS MATERIALIZED (
    SELECT CASE
               WHEN %(actor)s <> r.on_behalf_of OR NOT EXISTS (SELECT FROM person WHERE id = %(actor)s AND active) THEN 'not_requester'
               WHEN EXISTS (SELECT FROM before) THEN 'already'
               WHEN p.status <> ALL('{expired,cancelled,voided}') THEN 'not_lapsed'
               WHEN EXISTS (SELECT FROM effect e WHERE e.run_id = r.id AND e.step = p.step) THEN 'begun'
               WHEN NOT p.lapsed THEN 'not_lapsed'
               WHEN %(altered)s OR EXISTS (SELECT FROM turn WHERE NOT intact) OR (SELECT seq FROM reply) IS NULL THEN 'broken'
               WHEN (SELECT id FROM living) IS NOT NULL THEN 'live'
               WHEN EXISTS (SELECT FROM done) THEN 'done'
               WHEN EXISTS (SELECT FROM alike WHERE status = 'denied' AND since) THEN 'refused'
               ELSE 'asked'
           END AS outcome FROM r, p
), moves AS MATERIALIZED (
    SELECT turn.id, turn.status FROM turn, v WHERE v.outcome = 'asked'
), moved AS (
    UPDATE run_pause SET version = run_pause.version + 1 FROM moves m WHERE run_pause.id = m.id
), launched AS (
    INSERT INTO run (id, root, created_at, queued_at, max_tokens, max_cost_micros, max_iterations, max_spawns, tokens, cost_micros, iterations, spawns,
                     refusals, messages, seq, kind, status, agent, on_behalf_of, acts_as, head)
    SELECT %(id)s, %(id)s, t.at, t.at, r.max_tokens, r.max_cost_micros, r.max_iterations, r.max_spawns, spent.tokens, spent.cost_micros, p.step,
           spent.spawns, spent.refusals, reply.seq, 1, r.kind, 'queued', r.agent, r.on_behalf_of, r.acts_as,
           chain_link_v1(%(genesis)s, event_text_v1('run', %(id)s::uuid::text, 'new', 'launch', 'queued', %(actor)s, %(surface)s,
                                                    'asks again pause ' || p.id || ' of run ' || r.id, t.at))
      FROM r, p, t, reply, spent, v WHERE v.outcome = 'asked'
    RETURNING id, head
), begun AS (
    INSERT INTO run_event (run_id, seq, at, n, entity, entity_id, from_status, event, to_status, actor, surface, detail, mark)
    SELECT l.id, 1, t.at, 1, 'run', l.id::text, 'new', 'launch', 'queued', %(actor)s, %(surface)s, 'asks again pause ' || p.id || ' of run ' || r.id,
           chain_mark_v1(l.head)
      FROM launched l, r, p, t
), content AS (
    INSERT INTO run_content (run_id, input, model, scopes, reply_to)
    SELECT l.id, c.input, c.model, c.scopes, c.reply_to FROM launched l, r JOIN run_content c ON c.run_id = r.id
), said AS (
    INSERT INTO run_message (run_id, seq, created_at, role, content)
    SELECT l.id, m.seq, m.created_at, m.role, m.content FROM launched l, r, reply, run_message m WHERE m.run_id = r.id AND m.seq <= reply.seq
), called AS (
    INSERT INTO run_call (run_id, step, n, state, tool_use_id, tool, arguments, result, secrets)  -- of those before, what tells what is secret in the messages
    SELECT l.id, k.step, k.n, CASE WHEN k.step = p.step THEN 'requested' ELSE k.state END, k.tool_use_id, k.tool, k.arguments,
           CASE WHEN k.step < p.step THEN k.result END, k.secrets
      FROM launched l, r, p, run_call k WHERE k.run_id = r.id AND (k.step = p.step OR (k.step < p.step AND k.secrets IS NOT NULL))
), linked_to AS (
    INSERT INTO run_again (run_id, of_run, of_pause, origin, of_step) SELECT l.id, r.id, p.id, r.origin, p.step FROM launched l, r, p
), events AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY m.id) AS n, 'pause' AS entity, m.id::text AS entity_id, m.status AS from_status, 'ask_again' AS event,
           m.status AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface, %(id)s::uuid::text AS detail
      FROM moves m
    UNION ALL
    SELECT 1, 'pause', p.id::text, p.status, 'ask_again', NULL, %(actor)s, %(surface)s, v.outcome FROM p, v WHERE NOT EXISTS (SELECT FROM moves)
), repainted AS (
    UPDATE card SET {repaint} WHERE card.pause_id = ANY(ARRAY(SELECT id FROM moves))
), linked AS (
    UPDATE run SET (seq, head) = ({link}) FROM r, t WHERE run.id = r.id RETURNING run.id, run.seq, run.head
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, CASE WHEN v.outcome = 'live' THEN (SELECT id FROM living) ELSE held.id END AS run_id, %(pause_id)s::uuid AS pause_id, p.status,
       coalesce((SELECT id FROM launched), (SELECT run_id FROM before)) AS again_run,
       CASE v.outcome WHEN 'live' THEN (SELECT id FROM alike WHERE status = ANY('{waiting,approved}') ORDER BY id DESC LIMIT 1)
                      WHEN 'done' THEN (SELECT id FROM done)
                      WHEN 'refused' THEN (SELECT id FROM alike WHERE status = 'denied' AND since ORDER BY id DESC LIMIT 1) END AS other
  FROM held LEFT JOIN (v CROSS JOIN p) ON true;
