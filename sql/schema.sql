-- The rows of Placet. Read top to bottom: the edges, people and policy, runs, pauses, effects, the record, what people see.
-- Small rows that change often are kept apart from wide rows that never do: it makes a decision cost 0.4 KB of WAL instead of 1.4.
-- Columns stand wide to narrow; a status is text with a CHECK, so that adding one needs no ALTER TYPE.
-- Foreign keys stand where what is referred to comes from outside the statement. Where a move takes it from a row that it has locked or just
-- written there is none: checking it again would cost a tenth of every move, and lock people and edges that many moves share.
-- An index of what is to be done hangs on a column that changes only when that is: a row whose status alone changes then stays off its indexes.

-- The legal moves, once (filled from transitions.sql). The CHECK on run_event knows the same list, so an illegal move cannot be recorded,
-- and since a move and its event are one statement, it cannot happen.
CREATE TABLE edge (
    entity       text NOT NULL CHECK (entity IN ('run', 'pause', 'effect', 'system')),
    from_status  text NOT NULL,
    event        text NOT NULL,
    to_status    text NOT NULL,
    meaning      text NOT NULL,
    PRIMARY KEY (entity, from_status, event, to_status)
);

-- ---------------------------------------------------------------------------------------------------------------- people

CREATE TABLE person (
    id       text PRIMARY KEY,
    name     text NOT NULL,
    manager  text REFERENCES person DEFERRABLE INITIALLY DEFERRED,
    scopes   text[] NOT NULL DEFAULT '{}',     -- what an agent may be granted in this person's name
    active   boolean NOT NULL DEFAULT true
);

-- One person, several Slack ids. `team` is the workspace's id, or the organisation's in an Enterprise Grid.
CREATE TABLE identity (
    team        text NOT NULL,
    slack_user  text NOT NULL,
    person_id   text NOT NULL REFERENCES person,
    checked_at  timestamptz,                   -- when Slack last said what kind of user this is
    refusal     text,                          -- why Slack's answer bars this user from deciding (guest, deactivated, bot)
    PRIMARY KEY (team, slack_user)
);
CREATE INDEX identity_of_person ON identity (person_id);

CREATE TABLE role_member (
    role       text NOT NULL,
    person_id  text NOT NULL REFERENCES person,
    PRIMARY KEY (role, person_id)
);

CREATE TABLE away (
    person_id  text NOT NULL REFERENCES person,
    delegate   text NOT NULL REFERENCES person,
    starts_at  timestamptz NOT NULL,
    ends_at    timestamptz NOT NULL CHECK (ends_at > starts_at),
    PRIMARY KEY (person_id, starts_at),
    CHECK (delegate <> person_id)
);

-- ---------------------------------------------------------------------------------------------------------------- policy

-- Immutable: a version's text is never changed. The one with the highest seq is in force.
CREATE TABLE policy_version (
    seq         bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    version     text PRIMARY KEY,
    document    text NOT NULL,                 -- the TOML as finance wrote it
    digest      text NOT NULL,
    applied_by  text NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Never written: what is paid to whom is in `spending`. It goes in a later release.
CREATE TABLE spend (
    rule        text NOT NULL,
    payee       text NOT NULL,
    currency    text NOT NULL,
    window_at   timestamptz NOT NULL,
    minor       bigint NOT NULL DEFAULT 0 CHECK (minor >= 0),
    PRIMARY KEY (rule, payee, currency, window_at)
);

-- One row while every effect is stopped; waits and decisions go on.
CREATE TABLE halt (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    halted_by  text NOT NULL,
    halted_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason     text NOT NULL DEFAULT ''
);

-- Whether there is one at this moment. VOLATILE: it looks with a snapshot of its own, so that a statement which waited for its run sees the
-- halt that came meanwhile.
CREATE FUNCTION effects_halted_v1() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM halt);
END $$;

CREATE TABLE api_token (
    id          uuid PRIMARY KEY,
    name        text NOT NULL,
    hash        text NOT NULL UNIQUE,          -- SHA-256; the token itself is shown once and never stored
    scopes      text[] NOT NULL,
    person_id   text REFERENCES person,        -- whose decisions this token may make; NULL: nobody's
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at  timestamptz,
    revoked_at  timestamptz,
    used_at     timestamptz
);

-- ------------------------------------------------------------------------------------------------------------------ runs

-- What each row of a table that every move writes must keep to stands in a function, which a connection reads once: a CHECK that is spelled out
-- is read anew by every statement.
CREATE FUNCTION run_is_sound_v1(kind text, status text, iterations integer, max_iterations integer, waiting_pauses integer, open_effects integer,
                                queued_at timestamptz) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN kind = ANY('{agent,external,system}')
       AND status = ANY('{queued,running,awaiting_approval,awaiting_child,paused,in_doubt,done,error,cancelled}')
       AND (status = 'queued') = (queued_at IS NOT NULL)
       AND (status <> 'awaiting_approval' OR waiting_pauses > 0)
       AND waiting_pauses >= 0 AND open_effects >= 0
       AND max_iterations > 0 AND iterations <= max_iterations;
END $$;

-- The small row that is the lock: every move of a run, its pauses and its effects locks it first.
-- What never changes stands first: an update's record in the log holds only what follows.
CREATE TABLE run (
    id              uuid PRIMARY KEY,
    root            uuid NOT NULL,             -- itself, unless a run started it
    parent          uuid REFERENCES run,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    max_tokens      bigint,                    -- NULL: no bound
    max_cost_micros bigint,                    -- NULL: no bound
    max_iterations  integer NOT NULL,
    max_spawns      integer NOT NULL DEFAULT 0,
    depth           integer NOT NULL DEFAULT 0,
    kind            text NOT NULL,                    -- agent, external, system
    agent           text NOT NULL,
    on_behalf_of    text NOT NULL,                    -- the requester: a person's id, checked when it is launched
    acts_as         text NOT NULL,                    -- the agent's own name in the authority it uses
    launch_key      text,                             -- launching twice with one key launches once
    tokens          bigint NOT NULL DEFAULT 0,
    cost_micros     bigint NOT NULL DEFAULT 0, -- millionths of a dollar
    iterations      integer NOT NULL DEFAULT 0,-- model replies so far
    messages        integer NOT NULL DEFAULT 0,
    spawns          integer NOT NULL DEFAULT 0,-- on the root, for the whole tree
    refusals        integer NOT NULL DEFAULT 0,-- times the agent asked again for what a person had refused
    hold            boolean NOT NULL DEFAULT false,  -- an operator's wish to stop
    cancel_wanted   boolean NOT NULL DEFAULT false,  -- noted while an attempt was open; takes effect when it is settled
    waiting_pauses  integer NOT NULL DEFAULT 0,
    open_effects    integer NOT NULL DEFAULT 0,  -- begun and not settled: nothing of it is withdrawn
    epoch           integer NOT NULL DEFAULT 0,-- counts claims: what advances a run carries it
    seq             integer NOT NULL DEFAULT 0,-- links of the chain so far
    queued_at       timestamptz,               -- since when it waits for a worker; set iff queued
    status          text NOT NULL,
    head            text NOT NULL                     -- the chain's last link
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE run ADD CONSTRAINT run_is_sound
    CHECK (run_is_sound_v1(kind, status, iterations, max_iterations, waiting_pauses, open_effects, queued_at)) NOT VALID;
CREATE INDEX run_queued ON run (queued_at) WHERE queued_at IS NOT NULL;
CREATE UNIQUE INDEX run_of_launch_key ON run (launch_key) WHERE launch_key IS NOT NULL;
CREATE INDEX run_children ON run (parent) WHERE parent IS NOT NULL;

-- Who works on a run. A row per claim, gone when the run is let go; renewals touch nothing else. As small as the number of workers: no index.
CREATE TABLE run_lease (
    run_id       uuid PRIMARY KEY,
    epoch        integer NOT NULL,
    lease_until  timestamptz NOT NULL,
    worker       text NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE run_content (
    run_id       uuid PRIMARY KEY,
    input        text NOT NULL,
    model        text NOT NULL,                -- pinned at launch
    scopes       text[] NOT NULL,              -- the recorded grant; never a bearer credential
    reply_to     text,                         -- a Slack channel; NULL: a DM to the requester
    result       text,
    error        text
);

-- The agent's whole mind: one message a row, appended, as received (json, not jsonb: key order is what prompt caches see).
CREATE TABLE run_message (
    run_id      uuid NOT NULL,
    seq         integer NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    role        text NOT NULL CHECK (role IN ('user', 'assistant')),
    content     json NOT NULL,
    PRIMARY KEY (run_id, seq)
);

-- One row per tool call of a turn; those without a result are what the view agent_run calls pending_calls.
-- requested: nothing done yet. settled: has its result, which goes back to the model with the next request.
CREATE TABLE run_call (
    run_id       uuid NOT NULL REFERENCES run,
    step         integer NOT NULL,             -- the turn (run.iterations when the reply was saved)
    n            integer NOT NULL,             -- its place in the turn, from 0
    pause_id     uuid,                         -- the pause that decides it now; NULL: not gated, or not asked yet
    state        text NOT NULL DEFAULT 'requested' CHECK (state IN ('requested', 'settled')),
    tool_use_id  text NOT NULL,
    tool         text NOT NULL,
    arguments    json NOT NULL,                -- as the model sent them
    result       json,                         -- {"text": ..., "is_error": ...}
    secrets      text[],                       -- arguments that are not shown to whoever reads; NULL: none
    PRIMARY KEY (run_id, step, n),
    UNIQUE (run_id, tool_use_id),
    CHECK ((state = 'settled') = (result IS NOT NULL))
);

-- A run that asks anew what lapsed in another: it has that one's messages up to the reply in which it was asked, and none of the calls of that
-- reply is answered in it. A turn is asked again once; what lapses there can be asked again there. Of all that go on from one another, one lives at
-- a time: two would work at one task, and each would know nothing of what the other does.
CREATE TABLE run_again (
    run_id    uuid PRIMARY KEY,
    of_run    uuid NOT NULL,
    of_pause  uuid NOT NULL,                   -- the request on which its requester pressed
    origin    uuid NOT NULL,                   -- the run from which all of them go on
    of_step   integer NOT NULL,                -- the turn of of_run, and the step at which this one began
    UNIQUE (of_run, of_step)
);
CREATE INDEX run_again_of_origin ON run_again (origin);

-- Which run of those that go on from one, or that one itself, has not ended. VOLATILE: it looks with a snapshot of its own, so that a statement
-- which waited for the first of them sees what was launched meanwhile. `locked` is there to be read first.
CREATE FUNCTION live_of_origin_v1(origin uuid, locked uuid) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT r.id FROM run r
             WHERE r.id = ANY(ARRAY(SELECT live_of_origin_v1.origin UNION ALL SELECT a.run_id FROM run_again a WHERE a.origin = live_of_origin_v1.origin))
               AND r.status <> ALL('{done,error,cancelled}') ORDER BY r.id LIMIT 1);
END $$;

-- ---------------------------------------------------------------------------------------------------------------- pauses

CREATE FUNCTION run_pause_is_sound_v1(status text, approver text, votes_left integer, decided_at timestamptz)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN status = ANY('{waiting,approved,denied,expired,cancelled,superseded,voided,executed,failed}')
       AND (status = 'waiting') = (decided_at IS NULL)
       AND votes_left >= 0
       AND (status <> ALL('{approved,executed}') OR votes_left = 0)
       AND approver ~ '^(person|role):.';
END $$;

-- A question asks for an answer, not for a yes: no approval of it is missing (votes_left is 0 while it waits), and none can be given.
CREATE FUNCTION run_pause_is_sound_v2(status text, approver text, votes_left integer, decided_at timestamptz)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN status = ANY('{waiting,approved,denied,answered,expired,cancelled,superseded,voided,executed,failed}')
       AND (status = 'waiting') = (decided_at IS NULL)
       AND votes_left >= 0
       AND (status <> ALL('{approved,answered,executed}') OR votes_left = 0)
       AND (status <> 'denied' OR votes_left > 0)
       AND approver ~ '^(person|role):.';
END $$;

-- The row on which a run waits for a decision. `waiting` is the only source of every decision; an escalation keeps it.
CREATE TABLE run_pause (
    id          uuid PRIMARY KEY,
    run_id      uuid NOT NULL,
    created_at  timestamptz NOT NULL,
    fire_at     timestamptz NOT NULL,          -- when the answer decided in advance takes effect
    decided_at  timestamptz,                   -- when it was settled, by whatever
    stuck_at    timestamptz,                   -- set when a sweep could not move it: alarm, and out of the way
    step        integer NOT NULL,
    n           integer NOT NULL,
    version     integer NOT NULL DEFAULT 1,    -- counts moves
    level       integer NOT NULL DEFAULT 0,    -- escalations so far
    votes_left  integer NOT NULL,              -- approvals missing; of a question none, ever: it asks for an answer
    status      text NOT NULL,
    approver    text NOT NULL,
    decided_by  text,                          -- a person (who withdrew a request withdrew its siblings), or NULL: time, the system
    reason      text,                          -- the decider's words, the answer to a question, or why the system settled it
    voters      text[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE run_pause ADD CONSTRAINT run_pause_is_sound CHECK (run_pause_is_sound_v2(status, approver, votes_left, decided_at)) NOT VALID;
CREATE INDEX run_pause_due ON run_pause (fire_at) WHERE status = 'waiting';
CREATE INDEX run_pause_of_run ON run_pause (run_id);
-- One waiting pause per tool call: a call is never asked twice at once.
CREATE UNIQUE INDEX run_pause_one_waiting ON run_pause (run_id, step, n) WHERE status = 'waiting';

-- Immutable, written with its pause in one statement; nothing of it is ever recomputed. `document` is canonical JSON (RFC 8785),
-- `digest` is SHA-256 over a domain tag and those bytes, `seal` an HMAC over the digest when a key is set.
CREATE TABLE pause_content (
    pause_id     uuid PRIMARY KEY,
    digest       text NOT NULL,
    fingerprint  text NOT NULL,
    document     text NOT NULL,
    seal         text
);

-- One row per person and pause. A record: votes are counted on the locked pause, never here.
CREATE TABLE pause_vote (
    pause_id  uuid NOT NULL,
    at        timestamptz NOT NULL,
    level     integer NOT NULL,
    person    text NOT NULL,
    verdict   text NOT NULL,
    surface   text NOT NULL,
    reason    text,
    seal      text,
    PRIMARY KEY (pause_id, person)
);
ALTER TABLE pause_vote ADD CONSTRAINT pause_vote_verdict_check CHECK (verdict IN ('approve', 'deny', 'answer')) NOT VALID;

-- --------------------------------------------------------------------------------------------------------------- effects

-- The ledger, for allowed and approved actions alike. attempted: a call may be under way. done, failed, abandoned: settled.
CREATE TABLE effect (
    id              uuid PRIMARY KEY,
    run_id          uuid NOT NULL,
    pause_id        uuid UNIQUE,                          -- NULL: allowed by policy without asking
    created_at      timestamptz NOT NULL,
    step            integer NOT NULL,
    n               integer NOT NULL,
    tool            text NOT NULL,
    effect_key      text NOT NULL,                        -- run:step:n, the handle for looking up; no protection by itself
    action          text NOT NULL,                        -- canonical JSON: what is done, byte for byte
    digest          text NOT NULL,
    policy_version  text NOT NULL,
    rule            text NOT NULL,
    doubt_role      text NOT NULL,
    settled_at      timestamptz,
    status          text NOT NULL CHECK (status IN ('attempted', 'in_doubt', 'done', 'failed', 'abandoned')),
    quoted          json,                                 -- a price looked at again before it was begun, for the receipt
    receipt         json,
    error           text,
    doubted         boolean NOT NULL GENERATED ALWAYS AS (status = 'in_doubt') STORED,
    UNIQUE (run_id, step, n),
    CHECK ((status IN ('done', 'failed', 'abandoned')) = (settled_at IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX effect_in_doubt ON effect (created_at) WHERE doubted;

CREATE TABLE effect_attempt (
    id             uuid PRIMARY KEY,                      -- also the provider's idempotency key
    effect_id      uuid NOT NULL,
    started_at     timestamptz NOT NULL,
    call_deadline  timestamptz NOT NULL,                  -- after it the call has provably ended
    ended_at       timestamptz,
    epoch          integer NOT NULL,
    tries          integer NOT NULL DEFAULT 1,            -- calls made with this key
    status         text NOT NULL CHECK (status IN ('open', 'done', 'failed', 'absent', 'unknown')),
    CHECK ((status = 'open') = (ended_at IS NULL))
);
CREATE INDEX effect_attempt_of_effect ON effect_attempt (effect_id);
-- One open attempt per effect: two calls for one effect are never under way at once.
CREATE UNIQUE INDEX effect_attempt_one_open ON effect_attempt (effect_id) WHERE status = 'open';

-- What was begun to be paid to whom, where the policy counts such payments together. What surely was not paid does not count.
CREATE TABLE spending (
    effect_id  uuid PRIMARY KEY,
    at         timestamptz NOT NULL,
    minor      bigint NOT NULL CHECK (minor >= 0),
    action     text NOT NULL,
    payee      text NOT NULL,
    currency   text NOT NULL
);
CREATE INDEX spending_of_payee ON spending (action, payee, currency, at);

-- One row per payee: who is about to pay locks it, and then counts.
CREATE TABLE spending_lock (
    action    text NOT NULL,
    payee     text NOT NULL,
    currency  text NOT NULL,
    PRIMARY KEY (action, payee, currency)
);

-- What was paid since. VOLATILE: it looks with a snapshot of its own, so that a statement which waited for the payee's lock sees what was
-- begun meanwhile. `locked` is there to be read first.
CREATE FUNCTION spent_v1(action text, payee text, currency text, since timestamptz, locked bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT coalesce(sum(s.minor), 0) FROM spending s JOIN effect e ON e.id = s.effect_id
             WHERE s.action = spent_v1.action AND s.payee = spent_v1.payee AND s.currency = spent_v1.currency AND s.at > spent_v1.since
               AND e.status <> 'failed');
END $$;

-- ------------------------------------------------------------------------------------------------------------ the record

-- Whether a move is one of the edges, for the CHECK below, which locks nothing and writes nothing. This one lists none: transitions.sql, which
-- runs after it, replaces it by one that holds all of them.
CREATE FUNCTION edge_listed_v1(entity text, from_status text, event text, to_status text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN to_status IS NULL;
END $$;

-- Every move and every refused attempt (to_status NULL). (run_id, seq) is one link of the chain, n its events in order.
CREATE TABLE run_event (
    run_id       uuid NOT NULL,
    at           timestamptz NOT NULL,
    seq          integer NOT NULL,
    n            integer NOT NULL,
    entity       text NOT NULL,
    entity_id    text NOT NULL,
    from_status  text NOT NULL,
    event        text NOT NULL,
    to_status    text,
    actor        text NOT NULL,
    surface      text NOT NULL,
    detail       text,
    mark         bytea,                        -- the first 8 bytes of the chain's head after the move; NULL: written before there were marks
    PRIMARY KEY (run_id, seq, n)
);
ALTER TABLE run_event ADD CONSTRAINT run_event_edge_listed CHECK (edge_listed_v1(entity, from_status, event, to_status)) NOT VALID;
ALTER TABLE run_event ADD CONSTRAINT run_event_from_one CHECK (seq > 0) NOT VALID;  -- no link covers a move before the first

-- The chain's text form of one event, and the link over a move's events: SHA-256(head || every field, length-prefixed).
-- The same in engine/rules/digest.py; a test compares them. A changed form is a new function (_v2), so that old links verify.
CREATE FUNCTION chain_field_v1(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN value IS NULL THEN '-;' ELSE octet_length(value)::text || ':' || value || ';' END;

CREATE FUNCTION event_text_v1(entity text, entity_id text, from_status text, event text, to_status text, actor text, surface text,
                              detail text, at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN chain_field_v1(entity) || chain_field_v1(entity_id) || chain_field_v1(from_status) || chain_field_v1(event)
        || chain_field_v1(to_status) || chain_field_v1(actor) || chain_field_v1(surface) || chain_field_v1(detail)
        || chain_field_v1(((extract(epoch FROM at) * 1000000)::bigint)::text);

CREATE FUNCTION chain_link_v1(head text, events text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to(head || events, 'UTF8')), 'hex');

-- What each event of a move bears of the head after it.
CREATE FUNCTION chain_mark_v1(head text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN decode(left(head, 16), 'hex');

-- Whether a pause still says what was stored: the digest over its canonical text.
CREATE FUNCTION pause_digest_v1(document text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to('placet.pause.v1', 'UTF8') || '\x00'::bytea || convert_to(document, 'UTF8')), 'hex');

-- ------------------------------------------------------------------------------------------------------ what people see

CREATE FUNCTION card_is_sound_v1(kind text, dest text, state text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN kind = ANY('{approver,requester}') AND dest ~ '^(channel|person):.' AND state = ANY('{live,gone}');
END $$;

CREATE FUNCTION card_is_sound_v2(kind text, dest text, state text, pause_id uuid, effect_id uuid) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN kind = ANY('{approver,requester,doubt}') AND dest ~ '^(channel|person):.' AND state = ANY('{live,gone}')
       AND (kind = 'doubt') = (effect_id IS NOT NULL) AND (pause_id IS NULL) = (effect_id IS NOT NULL);
END $$;

-- A Slack message that must come to equal its pause, or ask what became of an effect: wanted > painted means repaint.
CREATE TABLE card (
    id             uuid PRIMARY KEY,
    pause_id       uuid,                       -- NULL: it is about an effect
    not_before     timestamptz,                -- NULL: at once
    painter_until  timestamptz,                -- one painter at a time
    wanted         integer NOT NULL DEFAULT 1,
    painted        integer NOT NULL DEFAULT 0,
    level          integer NOT NULL,           -- the escalation level it was made for: only there does it show buttons
    tries          integer NOT NULL DEFAULT 0,
    kind           text NOT NULL,              -- approver, requester, doubt
    dest           text NOT NULL,
    state          text NOT NULL DEFAULT 'live',
    channel        text,                       -- from Slack's answer to the post; for a DM the D... id
    ts             text,
    error          text,                       -- Slack's last refusal
    due            boolean NOT NULL GENERATED ALWAYS AS (wanted > painted AND state = 'live') STORED,
    effect_id      uuid,                       -- what became of which effect; NULL: it is about a pause
    digest_at      timestamptz,                -- one message shows it with all that its place is shown at this hour; NULL: it has its own
    UNIQUE (pause_id, kind, level, dest)
) WITH (fillfactor = 80);
ALTER TABLE card ADD CONSTRAINT card_is_sound CHECK (card_is_sound_v2(kind, dest, state, pause_id, effect_id)) NOT VALID;
CREATE INDEX card_due ON card (not_before NULLS FIRST) WHERE due;
CREATE UNIQUE INDEX card_of_effect ON card (effect_id, dest) WHERE effect_id IS NOT NULL;
CREATE INDEX card_of_digest ON card (dest, digest_at) WHERE digest_at IS NOT NULL;

-- Who paints in a digest, whose messages show several cards. A row per claim, gone when it is let go.
CREATE TABLE digest_lease (
    dest           text NOT NULL,
    digest_at      timestamptz NOT NULL,
    painter_until  timestamptz NOT NULL,
    PRIMARY KEY (dest, digest_at)
);

-- Something said once. Composed when it is delivered, from the present state; private answers lapse after five minutes.
CREATE TABLE notice (
    id            uuid PRIMARY KEY,
    run_id        uuid NOT NULL REFERENCES run,
    pause_id      uuid REFERENCES run_pause,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    not_before    timestamptz,
    sender_until  timestamptz,
    lapses_at     timestamptz,
    tries         integer NOT NULL DEFAULT 0,
    kind          text NOT NULL,
    dest          text NOT NULL CHECK (dest ~ '^(channel|person|private):.'),
    state         text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'lapsed', 'failed')),
    detail        json,
    error         text
);
CREATE INDEX notice_due ON notice (coalesce(not_before, '-infinity')) WHERE state = 'due';  -- a reminder is one for later

-- ----------------------------------------------------------------------------------------------------------- for reading

-- A run as its author thinks of it: the messages as one array beside where it stands.
CREATE VIEW agent_run AS
SELECT r.id, r.agent, r.status, r.hold, r.on_behalf_of, r.iterations, r.max_iterations, c.model, c.result, c.error,
       coalesce((SELECT jsonb_agg(jsonb_build_object('role', m.role, 'content', m.content) ORDER BY m.seq)
                   FROM run_message m WHERE m.run_id = r.id), '[]') AS messages,
       coalesce((SELECT jsonb_agg(jsonb_build_object('id', k.tool_use_id, 'tool', k.tool, 'arguments', k.arguments,
                                                     'pause', k.pause_id) ORDER BY k.n)
                   FROM run_call k WHERE k.run_id = r.id AND k.step = r.iterations AND k.state = 'requested'), '[]') AS pending_calls
  FROM run r JOIN run_content c ON c.run_id = r.id;
