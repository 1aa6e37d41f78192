-- The moves of a run. What advances it carries its epoch: no row then means that another worker has it, and that nothing may be touched.

-- name: launched :fragment
WITH asker AS (
    SELECT id FROM person WHERE id = %(on_behalf_of)s AND active
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM asker
), launched AS (
    INSERT INTO run (id, root, created_at, queued_at, max_tokens, max_cost_micros, seq, max_iterations, max_spawns, messages, kind, status,
                     agent, on_behalf_of, acts_as, head, launch_key)
    SELECT %(id)s, %(id)s, t.at, t.at, %(max_tokens)s, %(max_cost_micros)s, 1, %(max_iterations)s, %(max_spawns)s, 1, 'agent', 'queued',
           %(agent)s, asker.id, %(acts_as)s,
           chain_link_v1(%(genesis)s, event_text_v1('run', %(id)s::uuid::text, 'new', 'launch', 'queued', %(actor)s, %(surface)s, %(detail)s, t.at)),
           %(launch_key)s
      FROM asker, t

-- name: launched_rest :fragment
RETURNING id, head
), content AS (
    INSERT INTO run_content (run_id, input, model, scopes, reply_to)
    SELECT id, %(input)s, %(model)s, %(scopes)s, %(reply_to)s FROM launched
), said AS (
    INSERT INTO run_message (run_id, seq, created_at, role, content) SELECT id, 1, t.at, 'user', %(content)s::json FROM launched, t
), logged AS (
    INSERT INTO run_event (run_id, seq, at, n, entity, entity_id, from_status, event, to_status, actor, surface, detail, mark)
    SELECT id, 1, t.at, 1, 'run', id::text, 'new', 'launch', 'queued', %(actor)s, %(surface)s, %(detail)s, chain_mark_v1(head)
      FROM launched, t
)
SELECT coalesce((SELECT id FROM launched), (SELECT id FROM run WHERE launch_key = %(launch_key)s)) AS id,
       EXISTS (SELECT FROM launched) AS new
  FROM asker

-- name: launch_run :one
-- A run from nothing, its first message and its first event. No row: the person for whom it is asked is unknown or no longer active.
{launched}
    {launched_rest};

-- name: launch_keyed_run :one
-- The same with a launch_key, by an insertion that may come to nothing (it costs more of the log): a key used before gives the run it launched
-- then (new = false), and id NULL if that is being launched at this moment. No row: the person for whom it is asked is unknown or no longer active.
{launched}
    ON CONFLICT (launch_key) WHERE launch_key IS NOT NULL DO NOTHING
    {launched_rest};

-- name: runs_of_orders :many
-- Runs of an agent launched by one of these keys, oldest first, whatever the case and the blanks of theirs: the release before kept both. Looks
-- at all runs: once for a file. None: nothing of it was launched.
SELECT id, launch_key FROM run
 WHERE agent = %(agent)s AND lower(regexp_replace(launch_key, '\s+', ' ', 'g')) = ANY(%(launch_keys)s::text[]) ORDER BY id;

-- name: run_of_launch_key :one
-- For the launch that lost a race for its key: the run the other one made. No row: there is none.
SELECT id FROM run WHERE launch_key = %(launch_key)s;

-- name: work_waiting :one
-- The one look of an idle worker: whether a run was lost with its worker, and whether one is queued. No row: there is nothing to do.
-- The leases come first: there are as many as workers, and a planner that begins at the runs reads all there ever were.
WITH over AS MATERIALIZED (
    SELECT run_id FROM run_lease WHERE lease_until <= statement_timestamp()
)
SELECT lost, queued
  FROM (SELECT EXISTS (SELECT FROM run r WHERE r.id = ANY(ARRAY(SELECT run_id FROM over)) AND r.status = 'running'
                                           AND r.agent = ANY(%(agents)s)) AS lost,
               EXISTS (SELECT FROM run WHERE queued_at <= statement_timestamp() AND agent = ANY(%(agents)s)) AS queued) AS seen
 WHERE lost OR queued;

-- name: claim_run :one
-- The run that has waited longest for a worker, of the agents this worker knows. No row: nothing is queued, or only for later.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, status, epoch FROM run WHERE queued_at <= statement_timestamp() AND agent = ANY(%(agents)s)
     ORDER BY queued_at FOR UPDATE SKIP LOCKED LIMIT 1
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), kept AS (  -- a run in line has no lease; should one be left, it is taken on, and nothing waits for it
    UPDATE run_lease SET epoch = r.epoch + 1, lease_until = t.at + %(lease_s)s * interval '1 second', worker = %(worker)s
      FROM r, t WHERE run_lease.run_id = r.id
    RETURNING run_id
), leased AS (
    INSERT INTO run_lease (run_id, epoch, lease_until, worker)
    SELECT r.id, r.epoch + 1, t.at + %(lease_s)s * interval '1 second', %(worker)s FROM r, t WHERE NOT EXISTS (SELECT FROM kept)
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status, 'claim' AS event,
           'running' AS to_status, %(worker)s::text AS actor, 'worker' AS surface, NULL::text AS detail FROM r
), linked AS (
    UPDATE run SET (status, queued_at, epoch, seq, head) = (SELECT 'running', NULL::timestamptz, r.epoch + 1, {link} FROM r, t)
     WHERE run.id = (SELECT id FROM r)
    RETURNING run.id, run.seq, run.head, run.epoch, run.agent
), {log}
SELECT id, epoch, agent FROM linked;

-- name: reclaim_run :one
-- A run whose worker let its lease run out. No row: there is none.
WITH over AS MATERIALIZED (
    SELECT l.run_id, l.lease_until FROM run_lease l WHERE l.lease_until <= statement_timestamp()
), oldest AS MATERIALIZED (
    SELECT over.run_id FROM over WHERE EXISTS (SELECT FROM run WHERE run.id = over.run_id AND run.agent = ANY(%(agents)s))
     ORDER BY over.lease_until LIMIT 20
), r AS MATERIALIZED (
    SELECT id, seq, head, status, epoch FROM run WHERE id = ANY(ARRAY(SELECT run_id FROM oldest)) AND status = 'running' AND agent = ANY(%(agents)s)
     FOR UPDATE SKIP LOCKED LIMIT 1
), held AS MATERIALIZED (
    SELECT l.run_id FROM run_lease l JOIN r ON r.id = l.run_id WHERE l.lease_until <= clock_timestamp() FOR UPDATE OF l
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM held
), leased AS (
    UPDATE run_lease SET epoch = r.epoch + 1, lease_until = t.at + %(lease_s)s * interval '1 second', worker = %(worker)s
      FROM r, t WHERE run_lease.run_id = r.id
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status, 'claim' AS event,
           'running' AS to_status, %(worker)s::text AS actor, 'worker' AS surface, 'the lease of the worker before was over' AS detail
      FROM r, t
), linked AS (
    UPDATE run SET epoch = r.epoch + 1, (seq, head) = ({link}) FROM r, t WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.epoch, run.agent
), {log}
SELECT id, epoch, agent FROM linked;

-- name: renew_lease :exec
-- No row: the run is another's now.
UPDATE run_lease SET lease_until = greatest(lease_until, clock_timestamp() + %(lease_s)s * interval '1 second')
 WHERE run_id = %(run_id)s AND epoch = %(epoch)s;

-- name: load_run :one
-- All that a worker needs to go on with a run, in one look. No row: there is no such run.
SELECT r.id, r.agent, r.status, r.epoch, r.hold, r.cancel_wanted, r.on_behalf_of, r.acts_as, r.iterations, r.max_iterations, r.tokens, r.max_tokens,
       r.cost_micros, r.max_cost_micros, r.refusals, r.open_effects, c.model, c.scopes,
       (SELECT coalesce(json_agg(json_build_object('role', m.role, 'content', m.content) ORDER BY m.seq), '[]')
          FROM run_message m WHERE m.run_id = r.id) AS messages,
       (SELECT coalesce(json_agg(json_build_object('n', k.n, 'state', k.state, 'tool_use_id', k.tool_use_id, 'tool', k.tool,
                                                   'arguments', k.arguments, 'result', k.result, 'pause_id', k.pause_id) ORDER BY k.n), '[]')
          FROM run_call k WHERE k.run_id = r.id AND k.step = r.iterations) AS calls
  FROM run r JOIN run_content c ON c.run_id = r.id
 WHERE r.id = %(run_id)s;

-- name: save_reply :one
-- A model's reply: the messages it adds (the results it answered and the reply itself), its calls, and what it cost; all budgets are
-- counted here and nowhere else. An operator's wish to stop takes effect here. No row: the run is no longer this worker's.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, status, hold, messages, iterations, tokens, cost_micros FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), said AS (
    INSERT INTO run_message (run_id, seq, created_at, role, content)
    SELECT r.id, r.messages + m.n, t.at, m.value ->> 'role', m.value -> 'content'
      FROM r, t, json_array_elements(%(messages)s::json) WITH ORDINALITY AS m(value, n)
), called AS (
    INSERT INTO run_call (run_id, step, n, tool_use_id, tool, arguments, secrets)
    SELECT r.id, r.iterations + 1, k.n - 1, k.value ->> 'id', k.value ->> 'name', k.value -> 'input',
           (SELECT array_agg(name) FROM json_array_elements_text(k.value -> 'secrets') AS name)
      FROM r, json_array_elements(%(calls)s::json) WITH ORDINALITY AS k(value, n)
), let_go AS (
    DELETE FROM run_lease USING r WHERE run_lease.run_id = r.id AND r.hold
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status, 'hold' AS event,
           'paused' AS to_status, 'system' AS actor, 'worker' AS surface, NULL::text AS detail FROM r WHERE r.hold
), linked AS (
    UPDATE run SET
        status = CASE WHEN r.hold THEN 'paused' ELSE 'running' END,
        messages = r.messages + json_array_length(%(messages)s::json),
        iterations = r.iterations + 1,
        tokens = r.tokens + %(tokens)s,
        cost_micros = r.cost_micros + %(cost_micros)s,
        seq = r.seq + CASE WHEN r.hold THEN 1 ELSE 0 END,
        head = CASE WHEN r.hold THEN chain_link_v1(r.head, (SELECT event_text_v1(e.entity, e.entity_id, e.from_status, e.event, e.to_status,
                                                                                 e.actor, e.surface, e.detail, t.at) FROM events e))
                    ELSE r.head END
      FROM r, t WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status, run.iterations, run.tokens, run.cost_micros
), {log}
SELECT status, iterations, tokens, cost_micros FROM linked;

-- name: save_results :one
-- Results of calls that needed no ledger. An operator's wish to stop takes effect here. results: [{n, result}]; refused: how many of
-- them answer a repeated try at what a person had refused. No row: the run is no longer this worker's.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, status, hold, iterations, refusals FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), settled AS (
    UPDATE run_call SET state = 'settled', result = k.value -> 'result'
      FROM r, json_array_elements(%(results)s::json) AS k(value)
     WHERE run_call.run_id = r.id AND run_call.step = r.iterations AND run_call.n = (k.value ->> 'n')::integer
       AND run_call.state = 'requested'
), let_go AS (
    DELETE FROM run_lease USING r WHERE run_lease.run_id = r.id AND r.hold
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status, 'hold' AS event,
           'paused' AS to_status, 'system' AS actor, 'worker' AS surface, NULL::text AS detail FROM r WHERE r.hold
), linked AS (
    UPDATE run SET
        status = CASE WHEN r.hold THEN 'paused' ELSE 'running' END,
        refusals = r.refusals + %(refused)s,
        seq = r.seq + CASE WHEN r.hold THEN 1 ELSE 0 END,
        head = CASE WHEN r.hold THEN chain_link_v1(r.head, (SELECT event_text_v1(e.entity, e.entity_id, e.from_status, e.event, e.to_status,
                                                                                 e.actor, e.surface, e.detail, t.at) FROM events e))
                    ELSE r.head END
      FROM r, t WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status, run.refusals
), {log}
SELECT status, refusals FROM linked;

-- name: ask_run :one
-- The run stops on people: its pauses open, with everything they hold, and those that they replace are superseded; the worker lets go.
-- pauses: [{id, n, approver, votes_left, answer_within_s, remind_after_s|null, digest, fingerprint, document, seal,
--           cards: [{id, kind, dest, not_before|null, digest_at|null}]}]
-- No row: the run is no longer this worker's, one of the pauses to be replaced is not approved any more, or what is asked about is no call of
-- this turn.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, status, acts_as, iterations FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' AND open_effects = 0 FOR UPDATE
), live AS MATERIALIZED (
    SELECT p.id, p.status FROM run_pause p WHERE p.run_id = (SELECT id FROM r) AND p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE
), legal AS MATERIALIZED (
    SELECT r.id, clock_timestamp() AS at FROM r
     WHERE NOT EXISTS (SELECT FROM unnest(%(superseded)s::uuid[]) AS o(id) WHERE o.id NOT IN (SELECT id FROM live))
       AND NOT EXISTS (SELECT FROM jsonb_to_recordset(%(pauses)s::jsonb) AS a(n integer)
                        WHERE a.n NOT IN (SELECT k.n FROM run_call k WHERE k.run_id = r.id AND k.step = r.iterations))
), t AS MATERIALIZED (
    SELECT at FROM legal
), asked AS MATERIALIZED (
    SELECT a.* FROM legal, jsonb_to_recordset(%(pauses)s::jsonb) AS a(id uuid, n integer, approver text, votes_left integer,
           answer_within_s double precision, remind_after_s double precision, digest text, fingerprint text, document text, seal text, cards jsonb)
), superseded AS (
    UPDATE run_pause SET status = 'superseded', version = run_pause.version + 1, decided_at = t.at, reason = %(reason)s
      FROM live, t WHERE run_pause.id = live.id AND live.id = ANY(%(superseded)s::uuid[])
    RETURNING run_pause.id
), opened AS (
    INSERT INTO run_pause (id, run_id, created_at, fire_at, step, n, votes_left, status, approver)
    SELECT asked.id, r.id, t.at, t.at + asked.answer_within_s * interval '1 second', r.iterations, asked.n, asked.votes_left, 'waiting', asked.approver
      FROM asked, r, t
    RETURNING id, fire_at
), content AS (
    INSERT INTO pause_content (pause_id, digest, fingerprint, document, seal) SELECT id, digest, fingerprint, document, seal FROM asked
), called AS (
    UPDATE run_call SET pause_id = asked.id FROM asked, r
     WHERE run_call.run_id = r.id AND run_call.step = r.iterations AND run_call.n = asked.n
), let_go AS (
    DELETE FROM run_lease USING legal WHERE run_lease.run_id = legal.id
), shown AS (
    INSERT INTO card (id, pause_id, kind, dest, level, not_before, digest_at)
    SELECT c.id, asked.id, c.kind, c.dest, 0, c.not_before, c.digest_at
      FROM asked, jsonb_to_recordset(asked.cards) AS c(id uuid, kind text, dest text, not_before timestamptz, digest_at timestamptz)
), reminded AS (  -- said later, if it still waits then and with the same people; what it says is made then
    INSERT INTO notice (id, run_id, pause_id, kind, dest, detail, not_before)
    SELECT c.id, r.id, asked.id, 'reminder', c.dest, '{"level": 0}', seen.at + asked.remind_after_s * interval '1 second'
      FROM asked, r, t, jsonb_to_recordset(asked.cards) AS c(id uuid, kind text, dest text, not_before timestamptz), greatest(c.not_before, t.at) AS seen(at)
     WHERE seen.at + asked.remind_after_s * interval '1 second' < t.at + asked.answer_within_s * interval '1 second' AND c.kind = 'approver'
), repainted AS (
    UPDATE card SET {repaint} FROM live, t
     WHERE card.pause_id = live.id AND live.id = ANY(%(superseded)s::uuid[])
), events AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY live.id) AS n, 'pause' AS entity, live.id::text AS entity_id, live.status AS from_status,
           'supersede' AS event, 'superseded' AS to_status, 'system' AS actor, 'worker' AS surface, %(reason)s::text AS detail
      FROM live, t WHERE live.id = ANY(%(superseded)s::uuid[])
    UNION ALL
    SELECT 1000 + asked.n, 'pause', asked.id::text, 'new', 'open', 'waiting', r.acts_as, 'worker', asked.digest FROM asked, r
    UNION ALL
    SELECT 1000000, 'run', r.id::text, r.status, 'ask', 'awaiting_approval', r.acts_as, 'worker', NULL FROM r, t
), linked AS (
    UPDATE run SET (status, waiting_pauses, seq, head) = (SELECT 'awaiting_approval', (SELECT count(*) FROM asked), {link} FROM r, t)
     WHERE run.id = (SELECT r.id FROM r, t)
    RETURNING run.id, run.seq, run.head
), {log}
SELECT linked.id, (SELECT min(fire_at) FROM opened) AS fire_at FROM linked;

-- name: finish_run :one
-- The agent's last word. messages: what it adds. No row: the run is no longer this worker's, or an effect or a call of its turn is not
-- settled.
WITH r AS MATERIALIZED (
    SELECT id, seq, head, status, acts_as, on_behalf_of, messages, iterations, tokens, cost_micros FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' AND open_effects = 0
       AND NOT EXISTS (SELECT FROM run_call k WHERE k.run_id = run.id AND k.step = run.iterations AND k.state = 'requested')
       FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), said AS (
    INSERT INTO run_message (run_id, seq, created_at, role, content)
    SELECT r.id, r.messages + m.n, t.at, m.value ->> 'role', m.value -> 'content'
      FROM r, t, json_array_elements(%(messages)s::json) WITH ORDINALITY AS m(value, n)
), ended AS (
    UPDATE run_content SET result = %(result)s FROM r WHERE run_content.run_id = r.id
), let_go AS (
    DELETE FROM run_lease USING r WHERE run_lease.run_id = r.id
), told AS (
    INSERT INTO notice (id, run_id, kind, dest) SELECT %(notice_id)s, r.id, 'run_ended', 'person:' || r.on_behalf_of FROM r
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status, 'finish' AS event,
           'done' AS to_status, r.acts_as AS actor, 'worker' AS surface, NULL::text AS detail FROM r
), linked AS (
    UPDATE run SET status = 'done', messages = r.messages + json_array_length(%(messages)s::json),
        iterations = r.iterations + %(replies)s, tokens = r.tokens + %(tokens)s, cost_micros = r.cost_micros + %(cost_micros)s, (seq, head) = ({link})
      FROM r, t WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head
), {log}
SELECT id FROM linked;

-- name: fail_run :one
-- The run cannot go on; `error` says why and what to do. messages: what it adds. No row: the run is no longer this worker's.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' AND open_effects = 0 FOR UPDATE
), live AS MATERIALIZED (
    SELECT p.* FROM run_pause p JOIN r ON r.id = p.run_id WHERE p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE OF p
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r, (SELECT count(*) FROM live) AS locked
), cancelled AS (
    UPDATE run_pause SET status = 'cancelled', version = run_pause.version + 1, decided_by = NULL, decided_at = t.at,
           reason = 'the run ended: ' || %(error)s
      FROM live, t WHERE run_pause.id = live.id
), said AS (
    INSERT INTO run_message (run_id, seq, created_at, role, content)
    SELECT r.id, r.messages + m.n, t.at, m.value ->> 'role', m.value -> 'content'
      FROM r, t, json_array_elements(%(messages)s::json) WITH ORDINALITY AS m(value, n)
), ended AS (
    UPDATE run_content SET error = %(error)s FROM r WHERE run_content.run_id = r.id
), let_go AS (
    DELETE FROM run_lease USING r WHERE run_lease.run_id = r.id
), told AS (
    INSERT INTO notice (id, run_id, kind, dest) SELECT %(notice_id)s, r.id, 'run_ended', 'person:' || r.on_behalf_of FROM r
), repainted AS (
    UPDATE card SET {repaint} FROM live WHERE card.pause_id = live.id
), events AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY live.id) AS n, 'pause' AS entity, live.id::text AS entity_id, live.status AS from_status,
           'cancel' AS event, 'cancelled' AS to_status, 'system' AS actor, 'worker' AS surface, %(error)s::text AS detail
      FROM live JOIN r ON true
    UNION ALL
    SELECT 1000000, 'run', r.id::text, r.status, 'fail', 'error', 'system', 'worker', %(error)s FROM r
), linked AS (
    UPDATE run SET status = 'error', waiting_pauses = 0, messages = r.messages + json_array_length(%(messages)s::json),
        iterations = r.iterations + %(replies)s, tokens = r.tokens + %(tokens)s, cost_micros = r.cost_micros + %(cost_micros)s, (seq, head) = ({link})
      FROM r, t WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head
), {log}
SELECT id FROM linked;

-- name: release_run :one
-- A worker that stops in good order lets a run go; another goes on with it, unless an operator wants it to stop: then it stops here.
-- Or it puts it off, by after_s (0: not at all), since something outside cannot be reached: `why` says so on the cards of what was approved
-- (NULL: there is nothing to say). No row: the run is no longer this worker's.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND epoch = %(epoch)s AND status = 'running' FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), let_go AS (
    DELETE FROM run_lease USING r WHERE run_lease.run_id = r.id
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status,
           CASE WHEN r.hold THEN 'hold' ELSE 'release' END AS event, CASE WHEN r.hold THEN 'paused' ELSE 'queued' END AS to_status,
           %(worker)s::text AS actor, 'worker' AS surface, %(why)s::text AS detail FROM r
), live AS MATERIALIZED (  -- as in hold_run
    SELECT p.id, p.status FROM run_pause p WHERE p.run_id = (SELECT id FROM r) AND p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE
), repainted AS (
    UPDATE card SET {repaint} FROM live, r
     WHERE card.pause_id = live.id AND live.status = 'approved' AND (%(why)s::text IS NOT NULL OR r.hold)
), linked AS (
    UPDATE run SET status = CASE WHEN r.hold THEN 'paused' ELSE 'queued' END,
        queued_at = CASE WHEN NOT r.hold THEN t.at + %(after_s)s * interval '1 second' END, (seq, head) = ({link})
      FROM r, t WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head
), {log}
SELECT id FROM linked;

-- name: put_off_for :one
-- For how long, in seconds, a run has been put off again and again in its present step, by sentences that begin so; NULL: it was not. What was moved in between by anybody
-- but workers that take it up and let it go counts anew. No row: never.
SELECT extract(epoch FROM clock_timestamp() - min(e.at))::double precision AS seconds FROM run_event e
 WHERE e.run_id = %(run_id)s AND e.entity = 'run' AND e.event = 'release' AND starts_with(e.detail, %(about)s)
   AND e.at >= (SELECT max(m.created_at) FROM run_message m WHERE m.run_id = e.run_id)
   AND e.seq > coalesce((SELECT max(o.seq) FROM run_event o
                          WHERE o.run_id = %(run_id)s AND NOT (o.entity = 'run' AND o.event = ANY('{claim,release}'))), 0);

-- name: hold_run :one
-- An operator wants a run to stop between two steps. `outcome`: hold (stopped now), note_hold (stops after this step, shown as
-- "pausing"), already, ended. No row: there is no such run, or it is the system's own.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND kind <> 'system' FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), v AS MATERIALIZED (
    SELECT CASE WHEN r.status = ANY('{done,error,cancelled}') THEN 'ended'
                WHEN r.hold OR r.status = 'paused' THEN 'already'
                WHEN r.status = 'queued' THEN 'hold'
                ELSE 'note_hold' END AS outcome FROM r
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status,
           CASE WHEN v.outcome = 'note_hold' THEN 'note_hold' ELSE 'hold' END AS event,
           CASE v.outcome WHEN 'hold' THEN 'paused' WHEN 'note_hold' THEN r.status END AS to_status, %(actor)s::text AS actor,
           %(surface)s::text AS surface, CASE WHEN v.outcome = ANY('{ended,already}') THEN v.outcome END AS detail
      FROM r, v
), live AS MATERIALIZED (  -- as it is now that the run is ours: what this statement saw before may be older
    SELECT p.id, p.status FROM run_pause p WHERE p.run_id = (SELECT id FROM r) AND p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE
), repainted AS (  -- what was approved and is not done yet says why
    UPDATE card SET {repaint} FROM live, v WHERE card.pause_id = live.id AND live.status = 'approved' AND v.outcome = 'hold'
), linked AS (
    UPDATE run SET hold = r.hold OR v.outcome = ANY('{hold,note_hold}'),
        status = CASE WHEN v.outcome = 'hold' THEN 'paused' ELSE r.status END,
        queued_at = CASE WHEN v.outcome = 'hold' THEN NULL ELSE r.queued_at END, waiting_pauses = r.waiting_pauses, (seq, head) = ({link})
      FROM r, t, v WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status, run.hold
), {log}
SELECT v.outcome, linked.status, linked.hold FROM v, linked;

-- name: resume_run :one
-- An operator lets a run go on. It can never approve anything. `outcome`: resume, or not_paused, ended. No row: there is no such run, or
-- it is the system's own.
WITH r AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND kind <> 'system' FOR UPDATE
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
), v AS MATERIALIZED (
    SELECT CASE WHEN r.status = ANY('{done,error,cancelled}') THEN 'ended'
                WHEN r.hold THEN 'resume'
                ELSE 'not_paused' END AS outcome FROM r
), events AS MATERIALIZED (
    SELECT 1 AS n, 'run' AS entity, r.id::text AS entity_id, r.status AS from_status, 'resume' AS event,
           CASE WHEN v.outcome <> 'resume' THEN NULL WHEN r.status = 'paused' THEN 'queued' ELSE r.status END AS to_status,
           %(actor)s::text AS actor, %(surface)s::text AS surface, CASE WHEN v.outcome <> 'resume' THEN v.outcome END AS detail
      FROM r, v
), live AS MATERIALIZED (  -- as in hold_run
    SELECT p.id, p.status FROM run_pause p WHERE p.run_id = (SELECT id FROM r) AND p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE
), repainted AS (
    UPDATE card SET {repaint} FROM live, v WHERE card.pause_id = live.id AND live.status = 'approved' AND v.outcome = 'resume'
), linked AS (
    UPDATE run SET hold = r.hold AND v.outcome <> 'resume',
        status = CASE WHEN v.outcome = 'resume' AND r.status = 'paused' THEN 'queued' ELSE r.status END,
        queued_at = CASE WHEN v.outcome = 'resume' AND r.status = 'paused' THEN t.at ELSE r.queued_at END,
        waiting_pauses = r.waiting_pauses, (seq, head) = ({link})
      FROM r, t, v WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status, run.hold
), {log}
SELECT v.outcome, linked.status, linked.hold FROM v, linked;

-- name: cancel_run :one
-- A run is withdrawn with all its pauses; while an effect of it is open the wish is noted and takes effect when that is settled. Its
-- requester is told, unless it is they who withdraw it.
-- `outcome`: cancel, note_cancel, already, ended, or again (nothing was done: what this statement sees of the pauses is older than the run
-- it locked, so a pause that opened meanwhile would be left behind). No row: there is no such run, or it is the system's own.
WITH held AS MATERIALIZED (
    SELECT run.* FROM run WHERE id = %(run_id)s AND kind <> 'system' FOR UPDATE
), r AS MATERIALIZED (
    SELECT held.* FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), live AS MATERIALIZED (
    SELECT p.* FROM run_pause p JOIN r ON r.id = p.run_id WHERE p.status = ANY('{waiting,approved}') ORDER BY p.id FOR UPDATE OF p
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r, (SELECT count(*) FROM live) AS locked
), v AS MATERIALIZED (
    SELECT CASE WHEN r.status = ANY('{done,error,cancelled}') THEN 'ended'
                WHEN r.cancel_wanted THEN 'already'
                WHEN r.open_effects > 0 THEN 'note_cancel'
                ELSE 'cancel' END AS outcome FROM r
), cancelled AS (
    UPDATE run_pause SET status = 'cancelled', version = run_pause.version + 1, decided_by = %(person)s, decided_at = t.at, reason = 'the run was withdrawn'
      FROM live, t, v WHERE run_pause.id = live.id AND v.outcome = 'cancel'
), let_go AS (
    DELETE FROM run_lease USING r, v WHERE run_lease.run_id = r.id AND v.outcome = 'cancel'
), repainted AS (
    UPDATE card SET {repaint} FROM live, v WHERE card.pause_id = live.id AND v.outcome = 'cancel'
), told AS (
    INSERT INTO notice (id, run_id, kind, dest) SELECT %(notice_id)s, r.id, 'run_ended', 'person:' || r.on_behalf_of
      FROM r, v WHERE v.outcome = 'cancel' AND %(person)s::text IS DISTINCT FROM r.on_behalf_of
), events AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY live.id) AS n, 'pause' AS entity, live.id::text AS entity_id, live.status AS from_status,
           'cancel' AS event, 'cancelled' AS to_status, %(actor)s::text AS actor, %(surface)s::text AS surface, 'the run was withdrawn' AS detail
      FROM live JOIN r ON true JOIN v ON v.outcome = 'cancel'
    UNION ALL
    SELECT 1000000, 'run', r.id::text, r.status, CASE WHEN v.outcome = 'note_cancel' THEN 'note_cancel' ELSE 'cancel' END,
           CASE v.outcome WHEN 'cancel' THEN 'cancelled' WHEN 'note_cancel' THEN r.status END, %(actor)s, %(surface)s,
           CASE WHEN v.outcome = ANY('{ended,already}') THEN v.outcome END
      FROM r, v
), linked AS (
    UPDATE run SET cancel_wanted = r.cancel_wanted OR v.outcome = 'note_cancel',
        waiting_pauses = CASE WHEN v.outcome = 'cancel' THEN 0 ELSE r.waiting_pauses END,
        status = CASE WHEN v.outcome = 'cancel' THEN 'cancelled' ELSE r.status END,
        queued_at = CASE WHEN v.outcome = 'cancel' THEN NULL ELSE r.queued_at END, (seq, head) = ({link})
      FROM r, t, v WHERE run.id = r.id
    RETURNING run.id, run.seq, run.head, run.status
), {log}
SELECT coalesce(v.outcome, 'again') AS outcome, coalesce(linked.status, held.status) AS status FROM held LEFT JOIN (v CROSS JOIN linked) ON true;

-- name: kept_secret :fragment
(SELECT json_agg(json_build_object('id', k.tool_use_id, 'arguments', k.arguments, 'secrets', k.secrets))
          FROM run_call k WHERE k.run_id = r.id AND k.secrets IS NOT NULL) AS kept_secret

-- name: secrets_of_run :one
-- The calls of a run that hold what nobody is to read; NULL for none. No row: there is no such run.
SELECT {kept_secret} FROM run r WHERE r.id = %(run_id)s;

-- name: show_run :one
-- A run as people see it; kept_secret: its calls that hold what nobody is to read, NULL for none. No row: there is no such run.
SELECT r.id, r.agent, r.kind, r.status, r.hold, r.cancel_wanted, r.on_behalf_of, p.name AS requester_name, r.acts_as, r.created_at,
       r.iterations, r.max_iterations, r.tokens, r.cost_micros, r.waiting_pauses, r.seq, r.launch_key, c.model, c.scopes, c.input, c.result, c.error,
       extract(epoch FROM clock_timestamp() - r.queued_at)::float AS queued_s,
       (SELECT coalesce(json_agg(json_build_object('role', m.role, 'content', m.content, 'at', m.created_at) ORDER BY m.seq), '[]')
          FROM run_message m WHERE m.run_id = r.id) AS messages,
       (SELECT coalesce(array_agg(w.id ORDER BY w.created_at, w.id), '{}') FROM run_pause w WHERE w.run_id = r.id) AS pauses,
       (SELECT coalesce(array_agg(e.tool ORDER BY e.step, e.n), '{}') FROM effect e WHERE e.run_id = r.id AND e.status = 'done') AS done,
       (SELECT coalesce(array_agg(k.tool_use_id), '{}') FROM run_call k WHERE k.run_id = r.id) AS called, {kept_secret}, g.of_run, g.of_pause
  FROM run r JOIN run_content c ON c.run_id = r.id LEFT JOIN person p ON p.id = r.on_behalf_of LEFT JOIN run_again g ON g.run_id = r.id
 WHERE r.id = %(run_id)s;

-- name: find_runs :many
-- The runs whose id ends in these hex digits (as people type them), at most two: more than one means "say more digits". The
-- system's own is none that people name.
SELECT id FROM run WHERE kind <> 'system' AND right(replace(id::text, '-', ''), length(%(tail)s)) = %(tail)s LIMIT 2;

-- name: runs_of_order :many
-- The runs launched as this key, or for this order by any agent, in whatever case it was written; at most two, the one of the very key first.
SELECT id, launch_key = %(key)s AS exact FROM run
 WHERE launch_key IS NOT NULL AND (launch_key = %(key)s OR lower(substr(launch_key, strpos(launch_key, ':') + 1)) IN (lower(%(key)s), %(folded)s))
 ORDER BY 2 DESC, id LIMIT 2;

-- name: list_runs :many
-- Runs, newest first; status NULL: all, 'live': those not ended. last_pause NULL: it never asked. kept_secret as for one run.
SELECT r.id, r.agent, r.status, r.hold, r.on_behalf_of, p.name AS requester_name, r.created_at, r.waiting_pauses, c.error, c.result,
       c.input, r.launch_key, extract(epoch FROM clock_timestamp() - r.queued_at)::float AS queued_s,
       (SELECT w.id FROM run_pause w WHERE w.run_id = r.id ORDER BY w.created_at DESC, w.id DESC LIMIT 1) AS last_pause, count(*) OVER () AS total,
       {kept_secret}
  FROM run r JOIN run_content c ON c.run_id = r.id LEFT JOIN person p ON p.id = r.on_behalf_of
 WHERE r.kind <> 'system'
   AND (%(status)s::text IS NULL OR r.status = %(status)s OR (%(status)s = 'live' AND r.status <> ALL('{done,error,cancelled}')))
   AND (%(person)s::text IS NULL OR r.on_behalf_of = %(person)s)
 ORDER BY r.created_at DESC, r.id DESC LIMIT %(limit)s OFFSET %(offset)s;

-- name: count_unended :one
-- How many runs are neither ended nor waiting for a person: what a worker still has to do.
SELECT count(*) FILTER (WHERE status = ANY('{queued,running}')) AS working,
       count(*) FILTER (WHERE status = 'awaiting_approval') AS waiting,
       count(*) FILTER (WHERE status = 'in_doubt') AS in_doubt
  FROM run WHERE status <> ALL('{done,error,cancelled}');
