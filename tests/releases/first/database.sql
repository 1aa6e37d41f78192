--
-- PostgreSQL database dump
--

\restrict AO19tqpnJxvOKmSL2cakP0CpYRIHK8d6mTfWDKtnbtgE2y9OGvS2uwXdtOYCHco

-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: chain_field_v1(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.chain_field_v1(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (value IS NULL) THEN '-;'::text ELSE ((((octet_length(value))::text || ':'::text) || value) || ';'::text) END;


--
-- Name: chain_link_v1(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.chain_link_v1(head text, events text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to((head || events), 'UTF8'::name)), 'hex'::text);


--
-- Name: event_text_v1(text, text, text, text, text, text, text, text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.event_text_v1(entity text, entity_id text, from_status text, event text, to_status text, actor text, surface text, detail text, at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ((((((((public.chain_field_v1(entity) || public.chain_field_v1(entity_id)) || public.chain_field_v1(from_status)) || public.chain_field_v1(event)) || public.chain_field_v1(to_status)) || public.chain_field_v1(actor)) || public.chain_field_v1(surface)) || public.chain_field_v1(detail)) || public.chain_field_v1((((EXTRACT(epoch FROM at) * (1000000)::numeric))::bigint)::text));


--
-- Name: pause_digest_v1(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.pause_digest_v1(document text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN encode(sha256(((convert_to('placet.pause.v1'::text, 'UTF8'::name) || '\x00'::bytea) || convert_to(document, 'UTF8'::name))), 'hex'::text);


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: run; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run (
    id uuid NOT NULL,
    root uuid NOT NULL,
    parent uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    max_tokens bigint,
    max_cost_micros bigint,
    max_iterations integer NOT NULL,
    max_spawns integer DEFAULT 0 NOT NULL,
    depth integer DEFAULT 0 NOT NULL,
    kind text NOT NULL,
    agent text NOT NULL,
    on_behalf_of text NOT NULL,
    acts_as text NOT NULL,
    launch_key text,
    tokens bigint DEFAULT 0 NOT NULL,
    cost_micros bigint DEFAULT 0 NOT NULL,
    iterations integer DEFAULT 0 NOT NULL,
    messages integer DEFAULT 0 NOT NULL,
    spawns integer DEFAULT 0 NOT NULL,
    refusals integer DEFAULT 0 NOT NULL,
    hold boolean DEFAULT false NOT NULL,
    cancel_wanted boolean DEFAULT false NOT NULL,
    waiting_pauses integer DEFAULT 0 NOT NULL,
    open_effects integer DEFAULT 0 NOT NULL,
    epoch integer DEFAULT 0 NOT NULL,
    seq integer DEFAULT 0 NOT NULL,
    queued_at timestamp with time zone,
    status text NOT NULL,
    head text NOT NULL,
    CONSTRAINT run_check CHECK (((status = 'queued'::text) = (queued_at IS NOT NULL))),
    CONSTRAINT run_check1 CHECK (((status <> 'awaiting_approval'::text) OR (waiting_pauses > 0))),
    CONSTRAINT run_check2 CHECK ((iterations <= max_iterations)),
    CONSTRAINT run_kind_check CHECK ((kind = ANY (ARRAY['agent'::text, 'external'::text, 'system'::text]))),
    CONSTRAINT run_max_iterations_check CHECK ((max_iterations > 0)),
    CONSTRAINT run_open_effects_check CHECK ((open_effects >= 0)),
    CONSTRAINT run_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'awaiting_approval'::text, 'awaiting_child'::text, 'paused'::text, 'in_doubt'::text, 'done'::text, 'error'::text, 'cancelled'::text]))),
    CONSTRAINT run_waiting_pauses_check CHECK ((waiting_pauses >= 0))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02');


--
-- Name: run_call; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_call (
    run_id uuid NOT NULL,
    step integer NOT NULL,
    n integer NOT NULL,
    pause_id uuid,
    state text DEFAULT 'requested'::text NOT NULL,
    tool_use_id text NOT NULL,
    tool text NOT NULL,
    arguments json NOT NULL,
    result json,
    CONSTRAINT run_call_check CHECK (((state = 'settled'::text) = (result IS NOT NULL))),
    CONSTRAINT run_call_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'settled'::text])))
);


--
-- Name: run_content; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_content (
    run_id uuid NOT NULL,
    input text NOT NULL,
    model text NOT NULL,
    scopes text[] NOT NULL,
    reply_to text,
    result text,
    error text
);


--
-- Name: run_message; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_message (
    run_id uuid NOT NULL,
    seq integer NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    role text NOT NULL,
    content json NOT NULL,
    CONSTRAINT run_message_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text])))
);


--
-- Name: agent_run; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.agent_run AS
 SELECT r.id,
    r.agent,
    r.status,
    r.hold,
    r.on_behalf_of,
    r.iterations,
    r.max_iterations,
    c.model,
    c.result,
    c.error,
    COALESCE(( SELECT jsonb_agg(jsonb_build_object('role', m.role, 'content', m.content) ORDER BY m.seq) AS jsonb_agg
           FROM public.run_message m
          WHERE (m.run_id = r.id)), '[]'::jsonb) AS messages,
    COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', k.tool_use_id, 'tool', k.tool, 'arguments', k.arguments, 'pause', k.pause_id) ORDER BY k.n) AS jsonb_agg
           FROM public.run_call k
          WHERE ((k.run_id = r.id) AND (k.step = r.iterations) AND (k.state = 'requested'::text))), '[]'::jsonb) AS pending_calls
   FROM (public.run r
     JOIN public.run_content c ON ((c.run_id = r.id)));


--
-- Name: api_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_token (
    id uuid NOT NULL,
    name text NOT NULL,
    hash text NOT NULL,
    scopes text[] NOT NULL,
    person_id text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    used_at timestamp with time zone
);


--
-- Name: away; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.away (
    person_id text NOT NULL,
    delegate text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    CONSTRAINT away_check CHECK ((ends_at > starts_at)),
    CONSTRAINT away_check1 CHECK ((delegate <> person_id))
);


--
-- Name: card; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.card (
    id uuid NOT NULL,
    pause_id uuid NOT NULL,
    not_before timestamp with time zone,
    painter_until timestamp with time zone,
    wanted integer DEFAULT 1 NOT NULL,
    painted integer DEFAULT 0 NOT NULL,
    level integer NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    kind text NOT NULL,
    dest text NOT NULL,
    state text DEFAULT 'live'::text NOT NULL,
    channel text,
    ts text,
    error text,
    due boolean GENERATED ALWAYS AS (((wanted > painted) AND (state = 'live'::text))) STORED NOT NULL,
    CONSTRAINT card_dest_check CHECK ((dest ~ '^(channel|person):.'::text)),
    CONSTRAINT card_kind_check CHECK ((kind = ANY (ARRAY['approver'::text, 'requester'::text]))),
    CONSTRAINT card_state_check CHECK ((state = ANY (ARRAY['live'::text, 'gone'::text])))
)
WITH (fillfactor='80');


--
-- Name: edge; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.edge (
    entity text NOT NULL,
    from_status text NOT NULL,
    event text NOT NULL,
    to_status text NOT NULL,
    meaning text NOT NULL,
    CONSTRAINT edge_entity_check CHECK ((entity = ANY (ARRAY['run'::text, 'pause'::text, 'effect'::text, 'system'::text])))
);


--
-- Name: effect; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.effect (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    pause_id uuid,
    created_at timestamp with time zone NOT NULL,
    step integer NOT NULL,
    n integer NOT NULL,
    tool text NOT NULL,
    effect_key text NOT NULL,
    action text NOT NULL,
    digest text NOT NULL,
    policy_version text NOT NULL,
    rule text NOT NULL,
    doubt_role text NOT NULL,
    settled_at timestamp with time zone,
    status text NOT NULL,
    quoted json,
    receipt json,
    error text,
    doubted boolean GENERATED ALWAYS AS ((status = 'in_doubt'::text)) STORED NOT NULL,
    CONSTRAINT effect_check CHECK (((status = ANY (ARRAY['done'::text, 'failed'::text, 'abandoned'::text])) = (settled_at IS NOT NULL))),
    CONSTRAINT effect_status_check CHECK ((status = ANY (ARRAY['attempted'::text, 'in_doubt'::text, 'done'::text, 'failed'::text, 'abandoned'::text])))
)
WITH (fillfactor='80');


--
-- Name: effect_attempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.effect_attempt (
    id uuid NOT NULL,
    effect_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL,
    call_deadline timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    epoch integer NOT NULL,
    tries integer DEFAULT 1 NOT NULL,
    status text NOT NULL,
    CONSTRAINT effect_attempt_check CHECK (((status = 'open'::text) = (ended_at IS NULL))),
    CONSTRAINT effect_attempt_status_check CHECK ((status = ANY (ARRAY['open'::text, 'done'::text, 'failed'::text, 'absent'::text, 'unknown'::text])))
);


--
-- Name: halt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.halt (
    one boolean DEFAULT true NOT NULL,
    halted_by text NOT NULL,
    halted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT halt_one_check CHECK (one)
);


--
-- Name: identity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identity (
    team text NOT NULL,
    slack_user text NOT NULL,
    person_id text NOT NULL,
    checked_at timestamp with time zone,
    refusal text
);


--
-- Name: migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migration (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: notice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notice (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    pause_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    not_before timestamp with time zone,
    sender_until timestamp with time zone,
    lapses_at timestamp with time zone,
    tries integer DEFAULT 0 NOT NULL,
    kind text NOT NULL,
    dest text NOT NULL,
    state text DEFAULT 'due'::text NOT NULL,
    detail json,
    error text,
    CONSTRAINT notice_dest_check CHECK ((dest ~ '^(channel|person|private):.'::text)),
    CONSTRAINT notice_state_check CHECK ((state = ANY (ARRAY['due'::text, 'sent'::text, 'lapsed'::text, 'failed'::text])))
);


--
-- Name: pause_content; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pause_content (
    pause_id uuid NOT NULL,
    digest text NOT NULL,
    fingerprint text NOT NULL,
    document text NOT NULL,
    seal text
);


--
-- Name: pause_vote; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pause_vote (
    pause_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    level integer NOT NULL,
    person text NOT NULL,
    verdict text NOT NULL,
    surface text NOT NULL,
    reason text,
    seal text,
    CONSTRAINT pause_vote_verdict_check CHECK ((verdict = ANY (ARRAY['approve'::text, 'deny'::text])))
);


--
-- Name: person; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.person (
    id text NOT NULL,
    name text NOT NULL,
    manager text,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    active boolean DEFAULT true NOT NULL
);


--
-- Name: policy_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.policy_version (
    seq bigint NOT NULL,
    version text NOT NULL,
    document text NOT NULL,
    digest text NOT NULL,
    applied_by text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: policy_version_seq_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.policy_version ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.policy_version_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: role_member; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.role_member (
    role text NOT NULL,
    person_id text NOT NULL
);


--
-- Name: run_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_event (
    run_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    seq integer NOT NULL,
    n integer NOT NULL,
    entity text NOT NULL,
    entity_id text NOT NULL,
    from_status text NOT NULL,
    event text NOT NULL,
    to_status text,
    actor text NOT NULL,
    surface text NOT NULL,
    detail text
);


--
-- Name: run_lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_lease (
    run_id uuid NOT NULL,
    epoch integer NOT NULL,
    lease_until timestamp with time zone NOT NULL,
    worker text NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');


--
-- Name: run_pause; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_pause (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    fire_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    stuck_at timestamp with time zone,
    step integer NOT NULL,
    n integer NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    level integer DEFAULT 0 NOT NULL,
    votes_left integer NOT NULL,
    status text NOT NULL,
    approver text NOT NULL,
    decided_by text,
    reason text,
    voters text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT run_pause_approver_check CHECK ((approver ~ '^(person|role):.'::text)),
    CONSTRAINT run_pause_check CHECK (((status = 'waiting'::text) = (decided_at IS NULL))),
    CONSTRAINT run_pause_check1 CHECK (((status <> ALL (ARRAY['approved'::text, 'executed'::text])) OR (votes_left = 0))),
    CONSTRAINT run_pause_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'approved'::text, 'denied'::text, 'expired'::text, 'cancelled'::text, 'superseded'::text, 'voided'::text, 'executed'::text, 'failed'::text]))),
    CONSTRAINT run_pause_votes_left_check CHECK ((votes_left >= 0))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02');


--
-- Name: spend; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.spend (
    rule text NOT NULL,
    payee text NOT NULL,
    currency text NOT NULL,
    window_at timestamp with time zone NOT NULL,
    minor bigint DEFAULT 0 NOT NULL,
    CONSTRAINT spend_minor_check CHECK ((minor >= 0))
);


--
-- Data for Name: api_token; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: away; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: card; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.card VALUES ('01a22b8b-3500-7616-b79c-221a50db0127', '01a22b8b-34ff-72e9-93b0-761ae5545153', NULL, NULL, 2, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3500-7616-b79c-221bf21cd909', '01a22b8b-34ff-72e9-93b0-761ae5545153', NULL, NULL, 2, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-35cf-71a4-8ab6-88324e45292c', '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', NULL, NULL, 4, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-35cf-71a4-8ab6-88316a3aca1f', '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', NULL, NULL, 4, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-35cf-71a4-8ab6-8833b803e41d', '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', NULL, NULL, 4, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3739-7139-8b28-47c0f59da814', '01a22b8b-3739-7139-8b28-47bfa2bd982a', NULL, NULL, 1, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3739-7139-8b28-47c140de78a9', '01a22b8b-3739-7139-8b28-47bfa2bd982a', NULL, NULL, 1, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3739-7139-8b28-47c2c1648abc', '01a22b8b-3739-7139-8b28-47bfa2bd982a', NULL, NULL, 1, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-382d-72fd-843a-77953654e005', '01a22b8b-382c-70bb-8b6c-f77b76cdaf54', NULL, NULL, 1, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-382d-72fd-843a-7796b2e5b88c', '01a22b8b-382c-70bb-8b6c-f77b76cdaf54', NULL, NULL, 1, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-382d-72fd-843a-7797192fd496', '01a22b8b-382c-70bb-8b6c-f77b76cdaf54', NULL, NULL, 1, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3964-7254-b681-1e39cdd341c3', '01a22b8b-3963-7645-aac8-881287f2d81c', NULL, NULL, 1, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3964-7254-b681-1e3a3f10a543', '01a22b8b-3963-7645-aac8-881287f2d81c', NULL, NULL, 1, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3964-7254-b681-1e3bfb5337e2', '01a22b8b-3963-7645-aac8-881287f2d81c', NULL, NULL, 1, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-39ee-7537-bd85-aba22b88cebf', '01a22b8b-39ed-775f-9e01-ab7fff0820cd', NULL, NULL, 1, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-39ee-7537-bd85-aba30cb35d28', '01a22b8b-39ed-775f-9e01-ab7fff0820cd', NULL, NULL, 1, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-39ee-7537-bd85-aba4c0f9a6fe', '01a22b8b-39ed-775f-9e01-ab7fff0820cd', NULL, NULL, 1, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3a82-7462-870b-d2438009d7a1', '01a22b8b-3a7a-746e-b4e0-902a2b7752d7', NULL, NULL, 1, 0, 1, 0, 'approver', 'person:otto', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3a7b-731a-91ff-ee07dbd581ba', '01a22b8b-3a7a-746e-b4e0-902a2b7752d7', NULL, NULL, 2, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3a7b-731a-91ff-ee08e06d0873', '01a22b8b-3a7a-746e-b4e0-902a2b7752d7', NULL, NULL, 2, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3a7b-731a-91ff-ee091a669063', '01a22b8b-3a7a-746e-b4e0-902a2b7752d7', NULL, NULL, 2, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3b07-76d9-962d-4e4b05db9a26', '01a22b8b-3b06-7625-be84-3e5231229db6', NULL, NULL, 1, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3b07-76d9-962d-4e4c3e999bea', '01a22b8b-3b06-7625-be84-3e5231229db6', NULL, NULL, 1, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3b07-76d9-962d-4e4d6eab7453', '01a22b8b-3b06-7625-be84-3e5231229db6', NULL, NULL, 1, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3be1-72b7-bbd7-860f40c9b2a5', '01a22b8b-3bdf-772f-be7a-298c125d822b', NULL, NULL, 4, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3be1-72b7-bbd7-860e468d848a', '01a22b8b-3bdf-772f-be7a-298c125d822b', NULL, NULL, 4, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-3be1-72b7-bbd7-861067243d62', '01a22b8b-3bdf-772f-be7a-298c125d822b', NULL, NULL, 4, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-7a43-7669-9ca7-eb4aadc84053', '01a22b8b-7a42-70aa-9321-a5107b7363a9', NULL, NULL, 2, 0, 0, 0, 'approver', 'person:marta', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-7a43-7669-9ca7-eb4bbdba945b', '01a22b8b-7a42-70aa-9321-a5107b7363a9', NULL, NULL, 2, 0, 0, 0, 'approver', 'channel:C0BUY', 'live', NULL, NULL, NULL, DEFAULT);
INSERT INTO public.card VALUES ('01a22b8b-7a43-7669-9ca7-eb4cd3508239', '01a22b8b-7a42-70aa-9321-a5107b7363a9', NULL, NULL, 2, 0, 0, 0, 'requester', 'person:priya', 'live', NULL, NULL, NULL, DEFAULT);


--
-- Data for Name: edge; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.edge VALUES ('run', 'new', 'launch', 'queued', 'somebody asked an agent to do something');
INSERT INTO public.edge VALUES ('run', 'queued', 'claim', 'running', 'a worker took it');
INSERT INTO public.edge VALUES ('run', 'running', 'claim', 'running', 'its worker was lost; another took it');
INSERT INTO public.edge VALUES ('run', 'running', 'release', 'queued', 'its worker stops in good order');
INSERT INTO public.edge VALUES ('run', 'running', 'ask', 'awaiting_approval', 'a gated call waits for a person');
INSERT INTO public.edge VALUES ('run', 'awaiting_approval', 'wake', 'queued', 'its last pause was settled');
INSERT INTO public.edge VALUES ('run', 'awaiting_approval', 'wake', 'paused', 'its last pause was settled while an operator holds it');
INSERT INTO public.edge VALUES ('run', 'running', 'delegate', 'awaiting_child', 'it started a run and waits for it');
INSERT INTO public.edge VALUES ('run', 'awaiting_child', 'wake', 'queued', 'the run it started has ended');
INSERT INTO public.edge VALUES ('run', 'awaiting_child', 'wake', 'paused', 'the run it started has ended while an operator holds it');
INSERT INTO public.edge VALUES ('run', 'running', 'hold', 'paused', 'an operator''s wish took effect between two steps');
INSERT INTO public.edge VALUES ('run', 'queued', 'hold', 'paused', 'an operator stopped it before it was taken');
INSERT INTO public.edge VALUES ('run', 'running', 'note_hold', 'running', 'an operator asked it to stop after this step');
INSERT INTO public.edge VALUES ('run', 'awaiting_approval', 'note_hold', 'awaiting_approval', 'an operator asked it to stop after the decision');
INSERT INTO public.edge VALUES ('run', 'awaiting_child', 'note_hold', 'awaiting_child', 'an operator asked it to stop after its child');
INSERT INTO public.edge VALUES ('run', 'in_doubt', 'note_hold', 'in_doubt', 'an operator asked it to stop after the doubt is resolved');
INSERT INTO public.edge VALUES ('run', 'paused', 'resume', 'queued', 'an operator let it go on');
INSERT INTO public.edge VALUES ('run', 'running', 'resume', 'running', 'the wish to stop was taken back in time');
INSERT INTO public.edge VALUES ('run', 'awaiting_approval', 'resume', 'awaiting_approval', 'the wish to stop was taken back in time');
INSERT INTO public.edge VALUES ('run', 'awaiting_child', 'resume', 'awaiting_child', 'the wish to stop was taken back in time');
INSERT INTO public.edge VALUES ('run', 'in_doubt', 'resume', 'in_doubt', 'the wish to stop was taken back in time');
INSERT INTO public.edge VALUES ('run', 'running', 'doubt', 'in_doubt', 'nobody can tell whether an effect happened');
INSERT INTO public.edge VALUES ('run', 'queued', 'doubt', 'in_doubt', 'the same, told late by a worker that had lost the run');
INSERT INTO public.edge VALUES ('run', 'paused', 'doubt', 'in_doubt', 'the same, told late by a worker while an operator holds it');
INSERT INTO public.edge VALUES ('run', 'in_doubt', 'resolve', 'queued', 'a person said what happened');
INSERT INTO public.edge VALUES ('run', 'in_doubt', 'resolve', 'paused', 'a person said what happened while an operator holds it');
INSERT INTO public.edge VALUES ('run', 'in_doubt', 'stop', 'error', 'a person ended it');
INSERT INTO public.edge VALUES ('run', 'running', 'finish', 'done', 'the agent said its last word');
INSERT INTO public.edge VALUES ('run', 'running', 'fail', 'error', 'it cannot go on');
INSERT INTO public.edge VALUES ('run', 'queued', 'cancel', 'cancelled', 'withdrawn before it was taken');
INSERT INTO public.edge VALUES ('run', 'running', 'cancel', 'cancelled', 'withdrawn between two steps');
INSERT INTO public.edge VALUES ('run', 'awaiting_approval', 'cancel', 'cancelled', 'withdrawn with its pauses');
INSERT INTO public.edge VALUES ('run', 'awaiting_child', 'cancel', 'cancelled', 'withdrawn with its children');
INSERT INTO public.edge VALUES ('run', 'paused', 'cancel', 'cancelled', 'withdrawn while held');
INSERT INTO public.edge VALUES ('run', 'running', 'note_cancel', 'running', 'withdrawn while an effect is under way: ends when it is settled');
INSERT INTO public.edge VALUES ('run', 'queued', 'note_cancel', 'queued', 'withdrawn while an effect is open: ends when it is settled');
INSERT INTO public.edge VALUES ('run', 'paused', 'note_cancel', 'paused', 'withdrawn while held and an effect is open: ends when it is settled');
INSERT INTO public.edge VALUES ('run', 'in_doubt', 'note_cancel', 'in_doubt', 'withdrawn while an effect is in doubt: ends when it is resolved');
INSERT INTO public.edge VALUES ('run', 'in_doubt', 'cancel', 'cancelled', 'the doubt was resolved after a withdrawal');
INSERT INTO public.edge VALUES ('pause', 'new', 'open', 'waiting', 'a person is asked');
INSERT INTO public.edge VALUES ('pause', 'waiting', 'vote', 'waiting', 'one approval of several');
INSERT INTO public.edge VALUES ('pause', 'waiting', 'approve', 'approved', 'the last approval needed');
INSERT INTO public.edge VALUES ('pause', 'waiting', 'deny', 'denied', 'a person said no');
INSERT INTO public.edge VALUES ('pause', 'waiting', 'escalate', 'waiting', 'nobody answered in time; the next approver is asked');
INSERT INTO public.edge VALUES ('pause', 'waiting', 'expire', 'expired', 'nobody answered in time and nobody is left to ask');
INSERT INTO public.edge VALUES ('pause', 'waiting', 'cancel', 'cancelled', 'withdrawn, or a sibling was refused, or its run was withdrawn');
INSERT INTO public.edge VALUES ('pause', 'approved', 'cancel', 'cancelled', 'the same, after it was approved and before anything was done');
INSERT INTO public.edge VALUES ('pause', 'waiting', 'supersede', 'superseded', 'the quote or the policy moved; a new pause asks');
INSERT INTO public.edge VALUES ('pause', 'approved', 'supersede', 'superseded', 'the quote, the policy or the approver''s role moved; a new pause asks');
INSERT INTO public.edge VALUES ('pause', 'approved', 'void', 'voided', 'the authority behind it is gone, or its time to be done has passed');
INSERT INTO public.edge VALUES ('pause', 'approved', 'execute', 'executed', 'done, with its receipt');
INSERT INTO public.edge VALUES ('pause', 'approved', 'fail', 'failed', 'tried, and surely not done');
INSERT INTO public.edge VALUES ('effect', 'new', 'attempt', 'attempted', 'about to be called');
INSERT INTO public.edge VALUES ('effect', 'attempted', 'repeat', 'attempted', 'called again with the same key, inside the provider''s window');
INSERT INTO public.edge VALUES ('effect', 'attempted', 'reattempt', 'attempted', 'the earlier call surely did nothing; called with a fresh key');
INSERT INTO public.edge VALUES ('effect', 'attempted', 'succeed', 'done', 'the provider''s receipt is stored');
INSERT INTO public.edge VALUES ('effect', 'attempted', 'fail', 'failed', 'the provider surely did nothing');
INSERT INTO public.edge VALUES ('effect', 'attempted', 'doubt', 'in_doubt', 'nobody can tell');
INSERT INTO public.edge VALUES ('effect', 'in_doubt', 'resolve', 'done', 'a person says that it happened');
INSERT INTO public.edge VALUES ('effect', 'in_doubt', 'retry', 'attempted', 'a person says that it did not, and that it may be tried again');
INSERT INTO public.edge VALUES ('effect', 'in_doubt', 'abandon', 'abandoned', 'a person ends it without knowing');
INSERT INTO public.edge VALUES ('effect', 'in_doubt', 'succeed', 'done', 'the receipt came late');
INSERT INTO public.edge VALUES ('effect', 'in_doubt', 'fail', 'failed', 'a sure no came late');
INSERT INTO public.edge VALUES ('system', 'new', 'migrate', 'done', 'the schema was brought up to date');
INSERT INTO public.edge VALUES ('system', 'new', 'policy', 'done', 'a policy version was applied');
INSERT INTO public.edge VALUES ('system', 'new', 'people', 'done', 'people, roles or identities were changed');
INSERT INTO public.edge VALUES ('system', 'new', 'halt', 'done', 'every effect was stopped');
INSERT INTO public.edge VALUES ('system', 'new', 'unhalt', 'done', 'effects may go on');


--
-- Data for Name: effect; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.effect VALUES ('01a22b8b-363a-76a4-b51e-5c68d88247ae', '01a22b8b-3522-7483-8879-a7751ca985f9', '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', '2026-11-30 08:21:13.405399+00', 2, 0, 'charge_supplier', '01a22b8b-3522-7483-8879-a7751ca985f9:2:0', '{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-done","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"}', 'cb1d2094a7ded8b2011d27a6c24822a290df001941de0143889ffc2f6fdf38ad', 'fin-approvals-v4', 'large payment', 'finance-approver', '2026-11-30 08:21:13.454692+00', 'done', '{"approved": {"amount": "38000.00", "currency": "EUR"}, "now": {"amount": "38000.00", "currency": "EUR"}}', '{"result": {"payment_id": "pi_436d818d113348d59dd75d43", "status": "succeeded", "amount": {"amount": "38000.00", "currency": "EUR"}}, "quoted": {"approved": {"amount": "38000.00", "currency": "EUR"}, "now": {"amount": "38000.00", "currency": "EUR"}}}', NULL, DEFAULT);
INSERT INTO public.effect VALUES ('01a22b8b-3cb6-713a-a03d-dfc33ac94481', '01a22b8b-3b11-772b-834d-b89d7b11d68b', '01a22b8b-3bdf-772f-be7a-298c125d822b', '2026-11-30 08:21:15.068659+00', 2, 0, 'charge_supplier', '01a22b8b-3b11-772b-834d-b89d7b11d68b:2:0', '{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-doubt","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"}', 'd846062224ecf96ef2fc9b7c6bd2007e58369a09424dc7755347fb17f01bc3bd', 'fin-approvals-v4', 'large payment', 'finance-approver', NULL, 'in_doubt', '{"approved": {"amount": "38000.00", "currency": "EUR"}, "now": {"amount": "38000.00", "currency": "EUR"}}', NULL, 'The provider could not say whether it happened: APIError: Request req_7a3d42c5d3ef4b: Stripe is unavailable.', DEFAULT);


--
-- Data for Name: effect_attempt; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.effect_attempt VALUES ('01a22b8b-363a-76a4-b51e-5c69dc803a55', '01a22b8b-363a-76a4-b51e-5c68d88247ae', '2026-11-30 08:21:13.405399+00', '2026-11-30 08:21:38.405399+00', '2026-11-30 08:21:13.454692+00', 2, 1, 'done');
INSERT INTO public.effect_attempt VALUES ('01a22b8b-3cb6-713a-a03d-dfc4bca7cf61', '01a22b8b-3cb6-713a-a03d-dfc33ac94481', '2026-11-30 08:21:15.068659+00', '2026-11-30 08:21:42.621015+00', '2026-11-30 08:21:30.650591+00', 2, 4, 'unknown');


--
-- Data for Name: halt; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: identity; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.identity VALUES ('T0ACME', 'U0PRIYA', 'priya', NULL, NULL);
INSERT INTO public.identity VALUES ('T0ACME', 'U0MARTA', 'marta', NULL, NULL);
INSERT INTO public.identity VALUES ('T0ACME', 'U0OTTO', 'otto', NULL, NULL);
INSERT INTO public.identity VALUES ('T0ACME', 'U0INES', 'ines', NULL, NULL);
INSERT INTO public.identity VALUES ('T0ACME', 'U0JONAS', 'jonas', NULL, NULL);
INSERT INTO public.identity VALUES ('T0ACME', 'U0LEFT', 'lena', NULL, NULL);


--
-- Data for Name: migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migration VALUES ('0001_initial.sql', '2026-11-30 08:21:12.159906+00');


--
-- Data for Name: notice; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notice VALUES ('01a22b8b-3678-7154-b888-f5a650f883ac', '01a22b8b-3522-7483-8879-a7751ca985f9', NULL, '2026-11-30 08:21:13.466388+00', NULL, NULL, NULL, 0, 'run_ended', 'person:priya', 'due', NULL, NULL);
INSERT INTO public.notice VALUES ('01a22b8b-7998-74ee-99b9-cb0c22ad4382', '01a22b8b-3b11-772b-834d-b89d7b11d68b', '01a22b8b-3bdf-772f-be7a-298c125d822b', '2026-11-30 08:21:30.650961+00', NULL, NULL, NULL, 0, 'in_doubt', 'person:priya', 'due', NULL, NULL);


--
-- Data for Name: pause_content; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pause_content VALUES ('01a22b8b-34ff-72e9-93b0-761ae5545153', '3b6a2c6d8e43a86d2f1412942e56220b7232eee236ee9c000caf0ea501c68994', 'b6095ba6978dd93f9113186bfe471419038c43f7e83b5dae8dc845bba7caf68e', '{"action_digest":"8adeea43999a147b485fec3a69d7fa5b44a9da0afbf38a47339ac2499a6e8e68","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":2,"on_behalf_of":"priya","policy_version":"fin-approvals-v3","requires_person":null,"requires_role":"finance-approver","rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-32db-734d-bd20-6a8c2817f2bb:2:0","execute_within_s":259200,"explanation":"Framework agreement price; ordering elsewhere would cost about 6 % more.","fingerprint":"b6095ba6978dd93f9113186bfe471419038c43f7e83b5dae8dc845bba7caf68e","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-voted"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":2,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"deny","person":null,"policy_version":"fin-approvals-v3","remind_after_s":null,"role":"finance-approver","rule":"large payment","steps":[],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of 2 people with the role finance-approver (rule \"large payment\", fin-approvals-v3)."},"on_expiry":"deny","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-voted","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-voted_1","valid_until":"2026-12-05T08:21:13+00:00"},"run_id":"01a22b8b-32db-734d-bd20-6a8c2817f2bb","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-voted.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_0162a635368f9d4c7ead1648","tool_version":"3be2d1257743"}', 'first:217e340923c42b1b02fb9afa55b1372173162ed677e9a36a3f6eb79e3b116903');
INSERT INTO public.pause_content VALUES ('01a22b8b-35ce-75be-85a1-49e3c42cd6e5', '1222f6d013946cab6506aa619d80c17afd866e37e13c5721820498c801c98467', '02656207a6f4fc997eea317d3b93ad51c54338736f34d07e1bc87cd2d777ec78', '{"action_digest":"cb1d2094a7ded8b2011d27a6c24822a290df001941de0143889ffc2f6fdf38ad","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-3522-7483-8879-a7751ca985f9:2:0","execute_within_s":259200,"explanation":"Framework agreement price; ordering elsewhere would cost about 6 % more.","fingerprint":"02656207a6f4fc997eea317d3b93ad51c54338736f34d07e1bc87cd2d777ec78","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-done"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-done","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-done_1","valid_until":"2026-12-05T08:21:13+00:00"},"run_id":"01a22b8b-3522-7483-8879-a7751ca985f9","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-done.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_01065a85105cdd4074977b59","tool_version":"3be2d1257743"}', 'first:8386618597d0ca0c647c9dc9ba0df5ea57d1afa77ba6efe51014279c7427ea55');
INSERT INTO public.pause_content VALUES ('01a22b8b-3739-7139-8b28-47bfa2bd982a', '6e09b0ebad68a5ea4face23a0b6170b1aab0e76a2d536cb4bae61ff3ff795ead', 'd3c36cfa921ab1905d7c65fffbe5b407a40776be774308502b497c785ccf12da', '{"action_digest":"b535177099dd60063e9879a28a171f13ab494ad68d99eeef84b832cfa4a2358c","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-3681-7616-98cd-d56e5a15ba6f:2:0","execute_within_s":259200,"explanation":"Lowest of three quotes, and the only one that includes delivery.","fingerprint":"d3c36cfa921ab1905d7c65fffbe5b407a40776be774308502b497c785ccf12da","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-waits"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-waits","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-waits_1","valid_until":"2026-12-05T08:21:13+00:00"},"run_id":"01a22b8b-3681-7616-98cd-d56e5a15ba6f","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-waits.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_011741a62522b6419cb147b4","tool_version":"3be2d1257743"}', 'first:8c15a514769ad9ed1a896f079b927104a08ebdda364d80a8b7645275088f565e');
INSERT INTO public.pause_content VALUES ('01a22b8b-382c-70bb-8b6c-f77b76cdaf54', '1ea4a4cd22bc7957224539281cd1bbea552f592cb3db43485831f2263f5f774c', '50faf566984e1dc7e60d0e7170c2a41ce8a50a04214824d0076bca2a4e4d7fda', '{"action_digest":"4b43d790362f3f67729157e95bee9299e5f7a9a68b6b00e52a4eee73a1bf805b","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-3744-74bf-a6e7-3aff50e6ace7:2:0","execute_within_s":259200,"explanation":"Lowest of three quotes, and the only one that includes delivery.","fingerprint":"50faf566984e1dc7e60d0e7170c2a41ce8a50a04214824d0076bca2a4e4d7fda","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-refused"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-refused","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-refused_1","valid_until":"2026-12-05T08:21:13+00:00"},"run_id":"01a22b8b-3744-74bf-a6e7-3aff50e6ace7","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-refused.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_01e1290d19d97547cbae7eaa","tool_version":"3be2d1257743"}', 'first:c8da374ef7d6de0c2e6a15a5b49c7728b1843c02dd768e9e298125b51ecb8792');
INSERT INTO public.pause_content VALUES ('01a22b8b-3963-7645-aac8-881287f2d81c', 'd246c15c0b5c4c6c92f37c4af5965d1112d602298dd61f8d8e953d0f37c2bf3b', '266804fa43191702e8bbc24615eacc53692b13ff0d8ad839632ef9573687986f', '{"action_digest":"e185882cf8a62369bb850d8aa483a6100ba98581fa8470b26c9e96e26749eabf","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-3832-7750-b9c8-6f9cb32208f5:2:0","execute_within_s":259200,"explanation":"Same supplier as the last two orders; price unchanged since March.","fingerprint":"266804fa43191702e8bbc24615eacc53692b13ff0d8ad839632ef9573687986f","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-late"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-late","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-late_1","valid_until":"2026-12-05T08:21:14+00:00"},"run_id":"01a22b8b-3832-7750-b9c8-6f9cb32208f5","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-late.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_012c8e44c3f2114433b6b3af","tool_version":"3be2d1257743"}', 'first:02a8ffb4f5507b44a6b9bffd2f5fa5718dfa11716bc4b84bfef282564e67c928');
INSERT INTO public.pause_content VALUES ('01a22b8b-39ed-775f-9e01-ab7fff0820cd', 'ea5cd1b0fa73c6e842699c349d9883437437154bd49823ebcaea1861c12e6232', '41a8d1297e5e0ce0a3824dc00049e6750b3f41196ff54f1658e47808d0d9acb2', '{"action_digest":"5eb3f2430173d74c89e314718d8c6c57c3cdab16c897ae25d77edee4e3f80533","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-396a-77be-894e-419202d73b83:2:0","execute_within_s":259200,"explanation":"Framework agreement price; ordering elsewhere would cost about 6 % more.","fingerprint":"41a8d1297e5e0ce0a3824dc00049e6750b3f41196ff54f1658e47808d0d9acb2","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-withdrawn"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-withdrawn","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-withdrawn_1","valid_until":"2026-12-05T08:21:14+00:00"},"run_id":"01a22b8b-396a-77be-894e-419202d73b83","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-withdrawn.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_0179ebfeb54f31464a95a807","tool_version":"3be2d1257743"}', 'first:5d2ef28678b8acfa08bcfac31c3b8d707c141964128612e4e1298eb38b7a58fc');
INSERT INTO public.pause_content VALUES ('01a22b8b-3a7a-746e-b4e0-902a2b7752d7', '0e28b320d3c3959850074096b681b14913ddd9f8b0d0d3da3780d25cbad50bbd', '0127a3c4965a218c3ea88981875740d0c655f77c2e7eb3375a593ca99df2bd5c', '{"action_digest":"1ef2cea037a3722fee2c0063c20cca6cf90abe12f3c72a2976fbf0a2989a8e45","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-39f4-7247-a78d-2437e34d7eca:2:0","execute_within_s":259200,"explanation":"Framework agreement price; ordering elsewhere would cost about 6 % more.","fingerprint":"0127a3c4965a218c3ea88981875740d0c655f77c2e7eb3375a593ca99df2bd5c","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-escalated"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-escalated","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-escalated_1","valid_until":"2026-12-05T08:21:14+00:00"},"run_id":"01a22b8b-39f4-7247-a78d-2437e34d7eca","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-escalated.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_01e85ad9b2756d48298c6cf5","tool_version":"3be2d1257743"}', 'first:068a4a09f0f6f4a54b6d1cb7d67305ec093e2f76f9d35943094a1923c4091c81');
INSERT INTO public.pause_content VALUES ('01a22b8b-3b06-7625-be84-3e5231229db6', '6e6b0200a66a8f08956168ca83790827fdd32d71903c57c734d5c58545d0d1e0', 'a8b52d383fddecefb57e47f7991e3a53aaa471d80da3d10d55399ad1086e7ea4', '{"action_digest":"8c95764fe63cb12ab678adc26984e1f34312b237aa67e5854e883ab0d54dd838","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-3a8a-77fe-9b7d-86df930ace53:2:0","execute_within_s":259200,"explanation":"Same supplier as the last two orders; price unchanged since March.","fingerprint":"a8b52d383fddecefb57e47f7991e3a53aaa471d80da3d10d55399ad1086e7ea4","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-held"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-held","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-held_1","valid_until":"2026-12-05T08:21:14+00:00"},"run_id":"01a22b8b-3a8a-77fe-9b7d-86df930ace53","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-held.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_01d23dc752347140d2a6b8af","tool_version":"3be2d1257743"}', 'first:8ab4321280f20518a72957efd2b5ccfa639b279f29cf4bba7cb53e71aff791ca');
INSERT INTO public.pause_content VALUES ('01a22b8b-3bdf-772f-be7a-298c125d822b', 'b927a652a3be93a56ad2313c1a5d1aa512b2dbf8478b155074f3d0ee71233902', '7d3054dca0a83538e85139ae0ac3aabe1e762b4fd01b4e989880f530efcc6daf', '{"action_digest":"d846062224ecf96ef2fc9b7c6bd2007e58369a09424dc7755347fb17f01bc3bd","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-3b11-772b-834d-b89d7b11d68b:2:0","execute_within_s":259200,"explanation":"The line stops on Friday without these; two other suppliers have none in stock.","fingerprint":"7d3054dca0a83538e85139ae0ac3aabe1e762b4fd01b4e989880f530efcc6daf","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-doubt"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-doubt","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-doubt_1","valid_until":"2026-12-05T08:21:14+00:00"},"run_id":"01a22b8b-3b11-772b-834d-b89d7b11d68b","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-doubt.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_01e6566a1f49b64cd2950027","tool_version":"3be2d1257743"}', 'first:699a86b75262cf8290b98fcf87eacd9c273e80103ca5910cb0ab4bced8e03c98');
INSERT INTO public.pause_content VALUES ('01a22b8b-7a42-70aa-9321-a5107b7363a9', 'fab63315406793298033fd796cbe3cd9970d2964706dcefeabc0ddc55cedc6a2', 'b6d85e0173917ed5cdf0f4956fb67999b03a5add5c62a811054c51276a29bbe5', '{"action_digest":"afc4cd2420d8be158ad07266661605e3e3c9d8d478eca98b3f99f619fe7db7a0","agent":"procurement","amount":{"amount":"38000.00","currency":"EUR"},"authorisation":{"acts_as":"agent:procurement","approvals_needed":1,"on_behalf_of":"priya","policy_version":"fin-approvals-v4","requires_person":"marta","requires_role":null,"rule":"large payment","scopes":["payments:write"]},"effect_key":"01a22b8b-79a1-7740-9068-fb586aeffbbf:2:0","execute_within_s":259200,"explanation":"Same supplier as the last two orders; price unchanged since March.","fingerprint":"b6d85e0173917ed5cdf0f4956fb67999b03a5add5c62a811054c51276a29bbe5","lines":[{"detail":false,"label":"Supplier id","value":"sup_412"},{"detail":false,"label":"Amount","value":"EUR 38,000.00"},{"detail":false,"label":"Order ref","value":"PO-approved"},{"detail":false,"label":"Payment method","value":"pm_card_4417"},{"detail":true,"label":"Item","value":"hydraulic pumps"},{"detail":false,"label":"Quantity","value":"40"}],"n":0,"need":{"answer_within_s":14400,"approvers":1,"channel":"C0BUY","direction":"both","doubt_role":"finance-approver","execute_within_s":259200,"final":"deny","kind":"ask","on_expiry":"escalate","person":"marta","policy_version":"fin-approvals-v4","remind_after_s":null,"role":null,"rule":"large payment","steps":[{"answer_within_s":14400,"manager_of":"approver","person":null,"role":null}],"tolerance_bp":200,"why":"Payment of more than EUR 10,000.00 needs the yes of marta (rule \"large payment\", fin-approvals-v4)."},"on_expiry":"escalate","proposed_action":{"arguments":{"amount":{"amount":"38000.00","currency":"EUR"},"item":"hydraulic pumps","order_ref":"PO-approved","payment_method":"pm_card_4417","quantity":40,"supplier_id":"sup_412"},"tool":"charge_supplier"},"quote":{"price":{"amount":"38000.00","currency":"EUR"},"reference":"quote_PO-approved_1","valid_until":"2026-12-05T08:21:30+00:00"},"run_id":"01a22b8b-79a1-7740-9068-fb586aeffbbf","step":2,"summary":"Pay EUR 38,000.00 to Nordholz Industrial (sup_412) for 40 x hydraulic pumps, order PO-approved.","supersedes":null,"title":"Approve a payment?","tool_use_id":"toolu_016e7152e62cbf4dd2beb31b","tool_version":"3be2d1257743"}', 'first:70798c4075459b6124fb26d8b9c5d8cf49df7f1b749887c6b3f5b11098c6ac00');


--
-- Data for Name: pause_vote; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pause_vote VALUES ('01a22b8b-34ff-72e9-93b0-761ae5545153', '2026-11-30 08:21:13.108655+00', 0, 'marta', 'approve', 'slack', NULL, 'first:857831af710152a73027ed7eb3066c350d95fea95be1c5ce12167b75120f1aca');
INSERT INTO public.pause_vote VALUES ('01a22b8b-35ce-75be-85a1-49e3c42cd6e5', '2026-11-30 08:21:13.307557+00', 0, 'marta', 'approve', 'slack', NULL, 'first:f9cc03b6d7f5fc14341f19b74ef02286ca35c1e7fc296a84e0084cd81fdd1b24');
INSERT INTO public.pause_vote VALUES ('01a22b8b-3bdf-772f-be7a-298c125d822b', '2026-11-30 08:21:14.857834+00', 0, 'marta', 'approve', 'slack', NULL, 'first:aa77029491f862bbe8575011a5dc4157c690a3b324118a28bcd19bdd798cce7b');
INSERT INTO public.pause_vote VALUES ('01a22b8b-7a42-70aa-9321-a5107b7363a9', '2026-11-30 08:21:30.824588+00', 0, 'marta', 'approve', 'slack', NULL, 'first:4d1d92c56d00f0685f6c2a3daae5d7917f92b66bd66815e7c7bd91ea037ce452');


--
-- Data for Name: person; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.person VALUES ('priya', 'Priya Nair', 'ines', '{payments:write}', true);
INSERT INTO public.person VALUES ('marta', 'Marta Keller', 'otto', '{payments:write}', true);
INSERT INTO public.person VALUES ('otto', 'Otto Brandt', 'ines', '{payments:write}', true);
INSERT INTO public.person VALUES ('ines', 'Ines Alonso', NULL, '{payments:write}', true);
INSERT INTO public.person VALUES ('jonas', 'Jonas Weber', 'ines', '{}', true);
INSERT INTO public.person VALUES ('lena', 'Lena Left', 'otto', '{}', false);


--
-- Data for Name: policy_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.policy_version OVERRIDING SYSTEM VALUE VALUES (1, 'fin-approvals-v3', '# What a payment needs before it is made, and whose yes. Owned by finance; `placet policy check` says what is wrong with it.
# "over" is more than, "up_to" includes the amount itself. What no rule names is forbidden.

version = "fin-approvals-v3"

[[rule]]
name = "small payment"
action = "payment"
currency = "EUR"
up_to = "1000.00"
need = "allow"
doubt_role = "finance-approver"

[[rule]]
name = "payment"
action = "payment"
currency = "EUR"
over = "1000.00"
up_to = "10000.00"
need = "ask"
role = "finance-approver"
answer_within = "4h"
on_expiry = "deny"
tolerance = { percent = "2", direction = "both" }
channel = "C0BUY"

[[rule]]
name = "large payment"
action = "payment"
currency = "EUR"
over = "10000.00"
need = "ask"
role = "finance-approver"
approvers = 2
answer_within = "4h"
on_expiry = "deny"
tolerance = { percent = "2", direction = "both" }
execute_within = "3d"
channel = "C0BUY"
doubt_role = "finance-approver"

[[rule]]
name = "foreign payment"                # other currencies have no bands here: each is asked about, whatever the amount
action = "payment"
currency = "any other"
need = "ask"
role = "finance-approver"
answer_within = "4h"
on_expiry = "deny"
tolerance = { percent = "2", direction = "both" }
channel = "C0BUY"

[[rule]]
name = "release"                        # cancels an order that is not shipped: an effect, but no money moves
action = "release"
need = "allow"
doubt_role = "finance-approver"
', 'd9961c653b04d7e9b9ada6ea60f3baa4b7d3d245208f55efd97406cd8da55094', 'finance', '2026-11-30 08:21:12.536915+00');
INSERT INTO public.policy_version OVERRIDING SYSTEM VALUE VALUES (2, 'fin-approvals-v4', '# What a payment needs before it is made, and whose yes. Owned by finance; `placet policy check` says what is wrong with it.
# "over" is more than, "up_to" includes the amount itself. What no rule names is forbidden.

version = "fin-approvals-v4"

[[rule]]
name = "small payment"
action = "payment"
currency = "EUR"
up_to = "1000.00"
need = "allow"
doubt_role = "finance-approver"

[[rule]]
name = "payment"
action = "payment"
currency = "EUR"
over = "1000.00"
up_to = "10000.00"
need = "ask"
role = "finance-approver"
answer_within = "4h"
on_expiry = "deny"
tolerance = { percent = "2", direction = "both" }
channel = "C0BUY"

[[rule]]
name = "large payment"
action = "payment"
currency = "EUR"
over = "10000.00"
need = "ask"
person = "marta"
answer_within = "4h"
on_expiry = "escalate"
escalate = [{ manager_of = "approver", answer_within = "4h" }]
finally = "deny"
tolerance = { percent = "2", direction = "both" }
execute_within = "3d"
channel = "C0BUY"
doubt_role = "finance-approver"

[[rule]]
name = "foreign payment"                # other currencies have no bands here: each is asked about, whatever the amount
action = "payment"
currency = "any other"
need = "ask"
role = "finance-approver"
answer_within = "4h"
on_expiry = "deny"
tolerance = { percent = "2", direction = "both" }
channel = "C0BUY"

[[rule]]
name = "release"                        # cancels an order that is not shipped: an effect, but no money moves
action = "release"
need = "allow"
doubt_role = "finance-approver"
', '12e5cec73402dd6454d8fa432888498d08ff8df38efceef589b6de7205793ba7', 'finance', '2026-11-30 08:21:13.119436+00');


--
-- Data for Name: role_member; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.role_member VALUES ('finance-lead', 'otto');
INSERT INTO public.role_member VALUES ('finance-approver', 'ines');
INSERT INTO public.role_member VALUES ('finance-approver', 'marta');
INSERT INTO public.role_member VALUES ('operator', 'otto');
INSERT INTO public.role_member VALUES ('finance-approver', 'lena');
INSERT INTO public.role_member VALUES ('finance-approver', 'otto');


--
-- Data for Name: run; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run VALUES ('01a22b8b-396a-77be-894e-419202d73b83', '01a22b8b-396a-77be-894e-419202d73b83', NULL, '2026-11-30 08:21:14.218449+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-withdrawn', 1728, 7284, 2, 4, 0, 0, false, false, 1, 0, 1, 3, NULL, 'awaiting_approval', '6e71fbbed93abde0e75fd2baadb88714efc5a6becbca8f5fe8b5d12d1ef00f43');
INSERT INTO public.run VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', '01a22b8b-3681-7616-98cd-d56e5a15ba6f', NULL, '2026-11-30 08:21:13.473762+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-waits', 1719, 7209, 2, 4, 0, 0, false, false, 1, 0, 1, 3, NULL, 'awaiting_approval', 'ef8d3a3f840d41b886045bd8dfeb05901381718533ab32de9e19c2be9b767b19');
INSERT INTO public.run VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', '01a22b8b-32db-734d-bd20-6a8c2817f2bb', NULL, '2026-11-30 08:21:12.543969+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-voted', 1721, 7239, 2, 4, 0, 0, false, false, 1, 0, 1, 4, NULL, 'awaiting_approval', '2d49866a66640a934eb9c17046462ee35c10a60bf5bf8db27d3d47e62f44786a');
INSERT INTO public.run VALUES ('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', NULL, '2026-11-30 08:21:12.234418+00', NULL, NULL, 1, 0, 0, 'system', 'system', 'system', 'system', NULL, 0, 0, 0, 0, 0, 0, false, false, 0, 0, 0, 4, NULL, 'done', '80b43c3f4e58b177b7a39bdfa22e6a225ceaae9ee0bd1d60d2830eadde19e6f1');
INSERT INTO public.run VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', '01a22b8b-3744-74bf-a6e7-3aff50e6ace7', NULL, '2026-11-30 08:21:13.668767+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-refused', 1721, 7215, 2, 4, 0, 0, false, false, 1, 0, 1, 3, NULL, 'awaiting_approval', '74a52bd7038e6207a0f02c7903f97a9dede592d69c0ea893fa171d3b02678971');
INSERT INTO public.run VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '01a22b8b-3522-7483-8879-a7751ca985f9', NULL, '2026-11-30 08:21:13.122581+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-done', 2782, 10806, 3, 6, 0, 0, false, false, 0, 0, 2, 8, NULL, 'done', '7bd44d367717e4fde0f4e413eba203a303753f3629a6de334f04460572a25274');
INSERT INTO public.run VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', '01a22b8b-3832-7750-b9c8-6f9cb32208f5', NULL, '2026-11-30 08:21:13.906342+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-late', 1717, 7203, 2, 4, 0, 0, false, false, 1, 0, 1, 3, NULL, 'awaiting_approval', 'ca81c2fe79f3b4c754e06b242ea9b8faed379ba01f88b488c7152192d044e5b8');
INSERT INTO public.run VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', '01a22b8b-39f4-7247-a78d-2437e34d7eca', NULL, '2026-11-30 08:21:14.356934+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-escalated', 1728, 7284, 2, 4, 0, 0, false, false, 1, 0, 1, 4, NULL, 'awaiting_approval', '3f9328c734156f2f0288e3451b90a9f8502f8bb6da78bad6d7111909563cda04');
INSERT INTO public.run VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', '01a22b8b-3a8a-77fe-9b7d-86df930ace53', NULL, '2026-11-30 08:21:14.506941+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-held', 1717, 7203, 2, 4, 0, 0, true, false, 1, 0, 1, 4, NULL, 'awaiting_approval', '93e901b2fb37b0922370712f2152c80f6a329e097f10d80496da57816034ae0c');
INSERT INTO public.run VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '01a22b8b-3b11-772b-834d-b89d7b11d68b', NULL, '2026-11-30 08:21:14.641515+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-doubt', 1722, 7254, 2, 4, 0, 0, false, false, 0, 1, 2, 10, NULL, 'in_doubt', 'bb322cf6b734b52010db88631406eb3e3bd872ce76fbedb370ce565c6ed91852');
INSERT INTO public.run VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', '01a22b8b-79a1-7740-9068-fb586aeffbbf', NULL, '2026-11-30 08:21:30.658005+00', NULL, NULL, 25, 0, 0, 'agent', 'procurement', 'priya', 'agent:procurement', 'PO-approved', 1724, 7248, 2, 4, 0, 0, false, false, 0, 0, 1, 4, '2026-11-30 08:21:30.824588+00', 'queued', 'd486f5bcb6a546c096edc57993dab0ad53cc56a7671edb2d9a0fefca260bfccf');


--
-- Data for Name: run_call; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_call VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', 1, 0, NULL, 'settled', 'toolu_01e0189aed0da948a293a1e4', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-voted", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-voted_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-voted\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:12+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', 2, 0, '01a22b8b-34ff-72e9-93b0-761ae5545153', 'requested', 'toolu_0162a635368f9d4c7ead1648', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-voted", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 1, 0, NULL, 'settled', 'toolu_013d991e1c33d245e6a4f3c0', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-done", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-done_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-done\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:13+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', 1, 0, NULL, 'settled', 'toolu_016e049153537c4c41b79b95', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-late", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-late_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-late\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 2, 0, '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', 'settled', 'toolu_01065a85105cdd4074977b59', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-done", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}', '{"text": "{\"payment_id\": \"pi_436d818d113348d59dd75d43\", \"status\": \"succeeded\", \"amount\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', 1, 0, NULL, 'settled', 'toolu_01849ce3f190404fba8ef537', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-waits", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-waits_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-waits\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:13+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', 2, 0, '01a22b8b-3739-7139-8b28-47bfa2bd982a', 'requested', 'toolu_011741a62522b6419cb147b4', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-waits", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Lowest of three quotes, and the only one that includes delivery."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 1, 0, NULL, 'settled', 'toolu_01aff479c2662047988bd71e', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-refused", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-refused_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-refused\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:13+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 2, 0, '01a22b8b-382c-70bb-8b6c-f77b76cdaf54', 'requested', 'toolu_01e1290d19d97547cbae7eaa', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-refused", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Lowest of three quotes, and the only one that includes delivery."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', 2, 0, '01a22b8b-3963-7645-aac8-881287f2d81c', 'requested', 'toolu_012c8e44c3f2114433b6b3af', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-late", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Same supplier as the last two orders; price unchanged since March."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-396a-77be-894e-419202d73b83', 1, 0, NULL, 'settled', 'toolu_0141e2a12d327843ee8a88df', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-withdrawn", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-withdrawn_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-withdrawn\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-396a-77be-894e-419202d73b83', 2, 0, '01a22b8b-39ed-775f-9e01-ab7fff0820cd', 'requested', 'toolu_0179ebfeb54f31464a95a807', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-withdrawn", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', 1, 0, NULL, 'settled', 'toolu_01e36e66198c0840f3a97243', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-escalated", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-escalated_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-escalated\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', 2, 0, '01a22b8b-3a7a-746e-b4e0-902a2b7752d7', 'requested', 'toolu_01e85ad9b2756d48298c6cf5', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-escalated", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', 1, 0, NULL, 'settled', 'toolu_01ad3e0bf5946c4d4aa79d38', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-held", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-held_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-held\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', 2, 0, '01a22b8b-3b06-7625-be84-3e5231229db6', 'requested', 'toolu_01d23dc752347140d2a6b8af', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-held", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Same supplier as the last two orders; price unchanged since March."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', 1, 0, NULL, 'settled', 'toolu_01608d4b85869649f1af621b', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-doubt", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-doubt_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-doubt\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', 2, 0, '01a22b8b-3bdf-772f-be7a-298c125d822b', 'requested', 'toolu_01e6566a1f49b64cd2950027', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-doubt", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "The line stops on Friday without these; two other suppliers have none in stock."}', NULL);
INSERT INTO public.run_call VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', 1, 0, NULL, 'settled', 'toolu_017d84f53c49ae4d319f83b2', 'get_quote', '{"supplier_id": "sup_412", "order_ref": "PO-approved", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}', '{"text": "{\"quote_id\": \"quote_PO-approved_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-approved\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:30+00:00\", \"allocated\": true}", "is_error": false}');
INSERT INTO public.run_call VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', 2, 0, '01a22b8b-7a42-70aa-9321-a5107b7363a9', 'requested', 'toolu_016e7152e62cbf4dd2beb31b', 'charge_supplier', '{"supplier_id": "sup_412", "order_ref": "PO-approved", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Same supplier as the last two orders; price unchanged since March."}', NULL);


--
-- Data for Name: run_content; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_content VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', 'Buy this order.
order_ref: PO-voted
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 'Buy this order.
order_ref: PO-done
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, 'Paid EUR 38,000.00 to Nordholz Industrial for order PO-done, reference pi_436d818d113348d59dd75d43.', NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', 'Buy this order.
order_ref: PO-waits
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 'Buy this order.
order_ref: PO-refused
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', 'Buy this order.
order_ref: PO-late
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-396a-77be-894e-419202d73b83', 'Buy this order.
order_ref: PO-withdrawn
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', 'Buy this order.
order_ref: PO-escalated
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', 'Buy this order.
order_ref: PO-held
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', 'Buy this order.
order_ref: PO-doubt
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);
INSERT INTO public.run_content VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', 'Buy this order.
order_ref: PO-approved
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417', 'claude-sonnet-5', '{payments:write}', NULL, NULL, NULL);


--
-- Data for Name: run_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_event VALUES ('00000000-0000-0000-0000-000000000000', '2026-11-30 08:21:12.247859+00', 1, 1, 'system', 'people', 'new', 'people', 'done', 'tests', 'cli', '6 people');
INSERT INTO public.run_event VALUES ('00000000-0000-0000-0000-000000000000', '2026-11-30 08:21:12.523325+00', 2, 1, 'system', 'people', 'new', 'people', 'done', 'finance', 'cli', '6 people');
INSERT INTO public.run_event VALUES ('00000000-0000-0000-0000-000000000000', '2026-11-30 08:21:12.538417+00', 3, 1, 'system', 'fin-approvals-v3', 'new', 'policy', 'done', 'finance', 'cli', 'applied fin-approvals-v3');
INSERT INTO public.run_event VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', '2026-11-30 08:21:12.543969+00', 1, 1, 'run', '01a22b8b-32db-734d-bd20-6a8c2817f2bb', 'new', 'launch', 'queued', 'priya', 'cli', 'e1effd5eef972977fd59aea6fe6738256bce64fe278796e56fd118467346ea80');
INSERT INTO public.run_event VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', '2026-11-30 08:21:12.559865+00', 2, 1, 'run', '01a22b8b-32db-734d-bd20-6a8c2817f2bb', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', '2026-11-30 08:21:13.09468+00', 3, 1000, 'pause', '01a22b8b-34ff-72e9-93b0-761ae5545153', 'new', 'open', 'waiting', 'agent:procurement', 'worker', '3b6a2c6d8e43a86d2f1412942e56220b7232eee236ee9c000caf0ea501c68994');
INSERT INTO public.run_event VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', '2026-11-30 08:21:13.09468+00', 3, 1000000, 'run', '01a22b8b-32db-734d-bd20-6a8c2817f2bb', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', '2026-11-30 08:21:13.108655+00', 4, 1, 'pause', '01a22b8b-34ff-72e9-93b0-761ae5545153', 'waiting', 'vote', 'waiting', 'marta', 'slack', NULL);
INSERT INTO public.run_event VALUES ('00000000-0000-0000-0000-000000000000', '2026-11-30 08:21:13.120319+00', 4, 1, 'system', 'fin-approvals-v4', 'new', 'policy', 'done', 'finance', 'cli', 'applied fin-approvals-v4');
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.122581+00', 1, 1, 'run', '01a22b8b-3522-7483-8879-a7751ca985f9', 'new', 'launch', 'queued', 'priya', 'cli', '5d0f093182f5bf1436d9999c3204c998ab39b372c8cbc079bba62d6ef9b249b0');
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.124364+00', 2, 1, 'run', '01a22b8b-3522-7483-8879-a7751ca985f9', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.296838+00', 3, 1000, 'pause', '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', 'new', 'open', 'waiting', 'agent:procurement', 'worker', '1222f6d013946cab6506aa619d80c17afd866e37e13c5721820498c801c98467');
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.296838+00', 3, 1000000, 'run', '01a22b8b-3522-7483-8879-a7751ca985f9', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.307557+00', 4, 1, 'pause', '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', 'waiting', 'approve', 'approved', 'marta', 'slack', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.307557+00', 4, 1000000, 'run', '01a22b8b-3522-7483-8879-a7751ca985f9', 'awaiting_approval', 'wake', 'queued', 'marta', 'slack', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.310999+00', 5, 1, 'run', '01a22b8b-3522-7483-8879-a7751ca985f9', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.405399+00', 6, 1, 'effect', '01a22b8b-363a-76a4-b51e-5c68d88247ae', 'new', 'attempt', 'attempted', 'agent:procurement', 'worker', 'cb1d2094a7ded8b2011d27a6c24822a290df001941de0143889ffc2f6fdf38ad');
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.454692+00', 7, 1, 'effect', '01a22b8b-363a-76a4-b51e-5c68d88247ae', 'attempted', 'succeed', 'done', 'agent:procurement', 'worker', '{"result": {"payment_id": "pi_436d818d113348d59dd75d43", "status": "succeeded", "amount": {"amount": "38000.00", "currency": "EUR"}}, "quoted": {"approved": {"amount": "38000.00", "currency": "EUR"}, "now": {"amount": "38000.00", "currency": "EUR"}}}');
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.454692+00', 7, 2, 'pause', '01a22b8b-35ce-75be-85a1-49e3c42cd6e5', 'approved', 'execute', 'executed', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.466234+00', 8, 1, 'run', '01a22b8b-3522-7483-8879-a7751ca985f9', 'running', 'finish', 'done', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', '2026-11-30 08:21:13.473762+00', 1, 1, 'run', '01a22b8b-3681-7616-98cd-d56e5a15ba6f', 'new', 'launch', 'queued', 'priya', 'cli', '80f3af62721c0a3f659de29376deb94699c5cf17e5834ca33bde3c71bb61fcc4');
INSERT INTO public.run_event VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', '2026-11-30 08:21:13.475348+00', 2, 1, 'run', '01a22b8b-3681-7616-98cd-d56e5a15ba6f', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', '2026-11-30 08:21:13.662309+00', 3, 1000, 'pause', '01a22b8b-3739-7139-8b28-47bfa2bd982a', 'new', 'open', 'waiting', 'agent:procurement', 'worker', '6e09b0ebad68a5ea4face23a0b6170b1aab0e76a2d536cb4bae61ff3ff795ead');
INSERT INTO public.run_event VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', '2026-11-30 08:21:13.662309+00', 3, 1000000, 'run', '01a22b8b-3681-7616-98cd-d56e5a15ba6f', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', '2026-11-30 08:21:13.668767+00', 1, 1, 'run', '01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 'new', 'launch', 'queued', 'priya', 'cli', '61602562f653844cd622a5301c4c562dee0adb614eb8a06fe9be329deb307a35');
INSERT INTO public.run_event VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', '2026-11-30 08:21:13.670508+00', 2, 1, 'run', '01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', '2026-11-30 08:21:13.901945+00', 3, 1000, 'pause', '01a22b8b-382c-70bb-8b6c-f77b76cdaf54', 'new', 'open', 'waiting', 'agent:procurement', 'worker', '1ea4a4cd22bc7957224539281cd1bbea552f592cb3db43485831f2263f5f774c');
INSERT INTO public.run_event VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', '2026-11-30 08:21:13.901945+00', 3, 1000000, 'run', '01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', '2026-11-30 08:21:13.906342+00', 1, 1, 'run', '01a22b8b-3832-7750-b9c8-6f9cb32208f5', 'new', 'launch', 'queued', 'priya', 'cli', '59c8715e62242c2a449139c8763f8fbef94344d30c6dd1b7c01d2ceebbae24f9');
INSERT INTO public.run_event VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', '2026-11-30 08:21:13.914823+00', 2, 1, 'run', '01a22b8b-3832-7750-b9c8-6f9cb32208f5', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', '2026-11-30 08:21:14.21378+00', 3, 1000, 'pause', '01a22b8b-3963-7645-aac8-881287f2d81c', 'new', 'open', 'waiting', 'agent:procurement', 'worker', 'd246c15c0b5c4c6c92f37c4af5965d1112d602298dd61f8d8e953d0f37c2bf3b');
INSERT INTO public.run_event VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', '2026-11-30 08:21:14.21378+00', 3, 1000000, 'run', '01a22b8b-3832-7750-b9c8-6f9cb32208f5', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-396a-77be-894e-419202d73b83', '2026-11-30 08:21:14.218449+00', 1, 1, 'run', '01a22b8b-396a-77be-894e-419202d73b83', 'new', 'launch', 'queued', 'priya', 'cli', '046d8b02f953d9e089ba04487fdf987ed06ed90aa6404173e2aa090ca2093821');
INSERT INTO public.run_event VALUES ('01a22b8b-396a-77be-894e-419202d73b83', '2026-11-30 08:21:14.221024+00', 2, 1, 'run', '01a22b8b-396a-77be-894e-419202d73b83', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-396a-77be-894e-419202d73b83', '2026-11-30 08:21:14.351544+00', 3, 1000, 'pause', '01a22b8b-39ed-775f-9e01-ab7fff0820cd', 'new', 'open', 'waiting', 'agent:procurement', 'worker', 'ea5cd1b0fa73c6e842699c349d9883437437154bd49823ebcaea1861c12e6232');
INSERT INTO public.run_event VALUES ('01a22b8b-396a-77be-894e-419202d73b83', '2026-11-30 08:21:14.351544+00', 3, 1000000, 'run', '01a22b8b-396a-77be-894e-419202d73b83', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', '2026-11-30 08:21:14.356934+00', 1, 1, 'run', '01a22b8b-39f4-7247-a78d-2437e34d7eca', 'new', 'launch', 'queued', 'priya', 'cli', 'c19bc0089310587b2407d2d44f226ee02c6d346e8b1bebc966c7c8763768b427');
INSERT INTO public.run_event VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', '2026-11-30 08:21:14.358374+00', 2, 1, 'run', '01a22b8b-39f4-7247-a78d-2437e34d7eca', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', '2026-11-30 08:21:14.492208+00', 3, 1000, 'pause', '01a22b8b-3a7a-746e-b4e0-902a2b7752d7', 'new', 'open', 'waiting', 'agent:procurement', 'worker', '0e28b320d3c3959850074096b681b14913ddd9f8b0d0d3da3780d25cbad50bbd');
INSERT INTO public.run_event VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', '2026-11-30 08:21:14.492208+00', 3, 1000000, 'run', '01a22b8b-39f4-7247-a78d-2437e34d7eca', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', '2026-11-30 08:21:14.501961+00', 4, 1, 'pause', '01a22b8b-3a7a-746e-b4e0-902a2b7752d7', 'waiting', 'escalate', 'waiting', 'system', 'sweep', 'person:otto');
INSERT INTO public.run_event VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', '2026-11-30 08:21:14.506941+00', 1, 1, 'run', '01a22b8b-3a8a-77fe-9b7d-86df930ace53', 'new', 'launch', 'queued', 'priya', 'cli', '61c9349a8aaa3df9c197acbbce53f4d9ce3ba1a0140c4e0ab3bf0d5c0fdf559f');
INSERT INTO public.run_event VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', '2026-11-30 08:21:14.50828+00', 2, 1, 'run', '01a22b8b-3a8a-77fe-9b7d-86df930ace53', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', '2026-11-30 08:21:14.632134+00', 3, 1000, 'pause', '01a22b8b-3b06-7625-be84-3e5231229db6', 'new', 'open', 'waiting', 'agent:procurement', 'worker', '6e6b0200a66a8f08956168ca83790827fdd32d71903c57c734d5c58545d0d1e0');
INSERT INTO public.run_event VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', '2026-11-30 08:21:14.632134+00', 3, 1000000, 'run', '01a22b8b-3a8a-77fe-9b7d-86df930ace53', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', '2026-11-30 08:21:14.637038+00', 4, 1, 'run', '01a22b8b-3a8a-77fe-9b7d-86df930ace53', 'awaiting_approval', 'note_hold', 'awaiting_approval', 'otto', 'cli', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.641515+00', 1, 1, 'run', '01a22b8b-3b11-772b-834d-b89d7b11d68b', 'new', 'launch', 'queued', 'priya', 'cli', '58f264ca80b010d49f5e45d1a2dc521414998509b48347beffbbc221256a32cf');
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.857834+00', 4, 1, 'pause', '01a22b8b-3bdf-772f-be7a-298c125d822b', 'waiting', 'approve', 'approved', 'marta', 'slack', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.857834+00', 4, 1000000, 'run', '01a22b8b-3b11-772b-834d-b89d7b11d68b', 'awaiting_approval', 'wake', 'queued', 'marta', 'slack', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', '2026-11-30 08:21:30.658005+00', 1, 1, 'run', '01a22b8b-79a1-7740-9068-fb586aeffbbf', 'new', 'launch', 'queued', 'priya', 'cli', '662724de7a50493b9e5ce14839f5929d67953d7b77a6a76abe5c49ffeec14a31');
INSERT INTO public.run_event VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', '2026-11-30 08:21:30.824588+00', 4, 1, 'pause', '01a22b8b-7a42-70aa-9321-a5107b7363a9', 'waiting', 'approve', 'approved', 'marta', 'slack', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', '2026-11-30 08:21:30.824588+00', 4, 1000000, 'run', '01a22b8b-79a1-7740-9068-fb586aeffbbf', 'awaiting_approval', 'wake', 'queued', 'marta', 'slack', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.643945+00', 2, 1, 'run', '01a22b8b-3b11-772b-834d-b89d7b11d68b', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.850488+00', 3, 1000, 'pause', '01a22b8b-3bdf-772f-be7a-298c125d822b', 'new', 'open', 'waiting', 'agent:procurement', 'worker', 'b927a652a3be93a56ad2313c1a5d1aa512b2dbf8478b155074f3d0ee71233902');
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.850488+00', 3, 1000000, 'run', '01a22b8b-3b11-772b-834d-b89d7b11d68b', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.884056+00', 5, 1, 'run', '01a22b8b-3b11-772b-834d-b89d7b11d68b', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:15.068659+00', 6, 1, 'effect', '01a22b8b-3cb6-713a-a03d-dfc33ac94481', 'new', 'attempt', 'attempted', 'agent:procurement', 'worker', 'd846062224ecf96ef2fc9b7c6bd2007e58369a09424dc7755347fb17f01bc3bd');
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:15.08541+00', 7, 1, 'effect', '01a22b8b-3cb6-713a-a03d-dfc33ac94481', 'attempted', 'repeat', 'attempted', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:15.603549+00', 8, 1, 'effect', '01a22b8b-3cb6-713a-a03d-dfc33ac94481', 'attempted', 'repeat', 'attempted', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:17.621015+00', 9, 1, 'effect', '01a22b8b-3cb6-713a-a03d-dfc33ac94481', 'attempted', 'repeat', 'attempted', 'agent:procurement', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:30.650591+00', 10, 1, 'effect', '01a22b8b-3cb6-713a-a03d-dfc33ac94481', 'attempted', 'doubt', 'in_doubt', 'agent:procurement', 'worker', 'The provider could not say whether it happened: APIError: Request req_7a3d42c5d3ef4b: Stripe is unavailable.');
INSERT INTO public.run_event VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:30.650591+00', 10, 1000000, 'run', '01a22b8b-3b11-772b-834d-b89d7b11d68b', 'running', 'doubt', 'in_doubt', 'system', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', '2026-11-30 08:21:30.660127+00', 2, 1, 'run', '01a22b8b-79a1-7740-9068-fb586aeffbbf', 'queued', 'claim', 'running', 'w1', 'worker', NULL);
INSERT INTO public.run_event VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', '2026-11-30 08:21:30.820108+00', 3, 1000, 'pause', '01a22b8b-7a42-70aa-9321-a5107b7363a9', 'new', 'open', 'waiting', 'agent:procurement', 'worker', 'fab63315406793298033fd796cbe3cd9970d2964706dcefeabc0ddc55cedc6a2');
INSERT INTO public.run_event VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', '2026-11-30 08:21:30.820108+00', 3, 1000000, 'run', '01a22b8b-79a1-7740-9068-fb586aeffbbf', 'running', 'ask', 'awaiting_approval', 'agent:procurement', 'worker', NULL);


--
-- Data for Name: run_lease; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: run_message; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_message VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', 1, '2026-11-30 08:21:12.543969+00', 'user', '"Buy this order.\norder_ref: PO-voted\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', 2, '2026-11-30 08:21:12.695995+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_01e0189aed0da948a293a1e4", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-voted", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', 3, '2026-11-30 08:21:12.97139+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_01e0189aed0da948a293a1e4", "content": "{\"quote_id\": \"quote_PO-voted_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-voted\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:12+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-32db-734d-bd20-6a8c2817f2bb', 4, '2026-11-30 08:21:12.97139+00', 'assistant', '[{"id": "toolu_0162a635368f9d4c7ead1648", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-voted", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 1, '2026-11-30 08:21:13.122581+00', 'user', '"Buy this order.\norder_ref: PO-done\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 2, '2026-11-30 08:21:13.135456+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_013d991e1c33d245e6a4f3c0", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-done", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 3, '2026-11-30 08:21:13.2148+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_013d991e1c33d245e6a4f3c0", "content": "{\"quote_id\": \"quote_PO-done_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-done\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:13+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 4, '2026-11-30 08:21:13.2148+00', 'assistant', '[{"id": "toolu_01065a85105cdd4074977b59", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-done", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 5, '2026-11-30 08:21:13.466234+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_01065a85105cdd4074977b59", "content": "{\"payment_id\": \"pi_436d818d113348d59dd75d43\", \"status\": \"succeeded\", \"amount\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3522-7483-8879-a7751ca985f9', 6, '2026-11-30 08:21:13.466234+00', 'assistant', '[{"type": "text", "text": "Paid EUR 38,000.00 to Nordholz Industrial for order PO-done, reference pi_436d818d113348d59dd75d43."}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', 1, '2026-11-30 08:21:13.473762+00', 'user', '"Buy this order.\norder_ref: PO-waits\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', 2, '2026-11-30 08:21:13.523679+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_01849ce3f190404fba8ef537", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-waits", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', 3, '2026-11-30 08:21:13.615045+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_01849ce3f190404fba8ef537", "content": "{\"quote_id\": \"quote_PO-waits_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-waits\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:13+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3681-7616-98cd-d56e5a15ba6f', 4, '2026-11-30 08:21:13.615045+00', 'assistant', '[{"id": "toolu_011741a62522b6419cb147b4", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-waits", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Lowest of three quotes, and the only one that includes delivery."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 1, '2026-11-30 08:21:13.668767+00', 'user', '"Buy this order.\norder_ref: PO-refused\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 2, '2026-11-30 08:21:13.680972+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_01aff479c2662047988bd71e", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-refused", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 3, '2026-11-30 08:21:13.845347+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_01aff479c2662047988bd71e", "content": "{\"quote_id\": \"quote_PO-refused_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-refused\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:13+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3744-74bf-a6e7-3aff50e6ace7', 4, '2026-11-30 08:21:13.845347+00', 'assistant', '[{"id": "toolu_01e1290d19d97547cbae7eaa", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-refused", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Lowest of three quotes, and the only one that includes delivery."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', 1, '2026-11-30 08:21:13.906342+00', 'user', '"Buy this order.\norder_ref: PO-late\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', 2, '2026-11-30 08:21:13.939693+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_016e049153537c4c41b79b95", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-late", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', 3, '2026-11-30 08:21:14.083585+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_016e049153537c4c41b79b95", "content": "{\"quote_id\": \"quote_PO-late_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-late\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-396a-77be-894e-419202d73b83', 1, '2026-11-30 08:21:14.218449+00', 'user', '"Buy this order.\norder_ref: PO-withdrawn\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-3832-7750-b9c8-6f9cb32208f5', 4, '2026-11-30 08:21:14.083585+00', 'assistant', '[{"id": "toolu_012c8e44c3f2114433b6b3af", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-late", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Same supplier as the last two orders; price unchanged since March."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-396a-77be-894e-419202d73b83', 2, '2026-11-30 08:21:14.233819+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_0141e2a12d327843ee8a88df", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-withdrawn", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-396a-77be-894e-419202d73b83', 3, '2026-11-30 08:21:14.299232+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_0141e2a12d327843ee8a88df", "content": "{\"quote_id\": \"quote_PO-withdrawn_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-withdrawn\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-396a-77be-894e-419202d73b83', 4, '2026-11-30 08:21:14.299232+00', 'assistant', '[{"id": "toolu_0179ebfeb54f31464a95a807", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-withdrawn", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', 2, '2026-11-30 08:21:14.373784+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_01e36e66198c0840f3a97243", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-escalated", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', 3, '2026-11-30 08:21:14.433436+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_01e36e66198c0840f3a97243", "content": "{\"quote_id\": \"quote_PO-escalated_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-escalated\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', 4, '2026-11-30 08:21:14.433436+00', 'assistant', '[{"id": "toolu_01e85ad9b2756d48298c6cf5", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-escalated", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Framework agreement price; ordering elsewhere would cost about 6 % more."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', 2, '2026-11-30 08:21:14.51991+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_01ad3e0bf5946c4d4aa79d38", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-held", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', 3, '2026-11-30 08:21:14.577167+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_01ad3e0bf5946c4d4aa79d38", "content": "{\"quote_id\": \"quote_PO-held_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-held\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', 4, '2026-11-30 08:21:14.577167+00', 'assistant', '[{"id": "toolu_01d23dc752347140d2a6b8af", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-held", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Same supplier as the last two orders; price unchanged since March."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', 2, '2026-11-30 08:21:14.657389+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_01608d4b85869649f1af621b", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-doubt", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', 3, '2026-11-30 08:21:14.745777+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_01608d4b85869649f1af621b", "content": "{\"quote_id\": \"quote_PO-doubt_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-doubt\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:14+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', 4, '2026-11-30 08:21:14.745777+00', 'assistant', '[{"id": "toolu_01e6566a1f49b64cd2950027", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-doubt", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "The line stops on Friday without these; two other suppliers have none in stock."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', 2, '2026-11-30 08:21:30.673607+00', 'assistant', '[{"type": "text", "text": "I will get a quote from Nordholz Industrial first."}, {"id": "toolu_017d84f53c49ae4d319f83b2", "type": "tool_use", "name": "get_quote", "input": {"supplier_id": "sup_412", "order_ref": "PO-approved", "item": "hydraulic pumps", "quantity": 40, "listed": {"amount": "38000.00", "currency": "EUR"}}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', 3, '2026-11-30 08:21:30.754532+00', 'user', '[{"type": "tool_result", "tool_use_id": "toolu_017d84f53c49ae4d319f83b2", "content": "{\"quote_id\": \"quote_PO-approved_1\", \"supplier_id\": \"sup_412\", \"supplier_name\": \"Nordholz Industrial\", \"order_ref\": \"PO-approved\", \"price\": {\"amount\": \"38000.00\", \"currency\": \"EUR\"}, \"valid_until\": \"2026-12-05T08:21:30+00:00\", \"allocated\": true}"}]');
INSERT INTO public.run_message VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', 4, '2026-11-30 08:21:30.754532+00', 'assistant', '[{"id": "toolu_016e7152e62cbf4dd2beb31b", "type": "tool_use", "name": "charge_supplier", "input": {"supplier_id": "sup_412", "order_ref": "PO-approved", "item": "hydraulic pumps", "quantity": 40, "amount": {"amount": "38000.00", "currency": "EUR"}, "payment_method": "pm_card_4417", "why": "Same supplier as the last two orders; price unchanged since March."}}]');
INSERT INTO public.run_message VALUES ('01a22b8b-39f4-7247-a78d-2437e34d7eca', 1, '2026-11-30 08:21:14.356934+00', 'user', '"Buy this order.\norder_ref: PO-escalated\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-3a8a-77fe-9b7d-86df930ace53', 1, '2026-11-30 08:21:14.506941+00', 'user', '"Buy this order.\norder_ref: PO-held\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-3b11-772b-834d-b89d7b11d68b', 1, '2026-11-30 08:21:14.641515+00', 'user', '"Buy this order.\norder_ref: PO-doubt\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');
INSERT INTO public.run_message VALUES ('01a22b8b-79a1-7740-9068-fb586aeffbbf', 1, '2026-11-30 08:21:30.658005+00', 'user', '"Buy this order.\norder_ref: PO-approved\nsupplier_id: sup_412\nsupplier: Nordholz Industrial\nitem: hydraulic pumps\nquantity: 40\namount: 38000.00\ncurrency: EUR\npayment_method: pm_card_4417"');


--
-- Data for Name: run_pause; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run_pause VALUES ('01a22b8b-34ff-72e9-93b0-761ae5545153', '01a22b8b-32db-734d-bd20-6a8c2817f2bb', '2026-11-30 08:21:13.09468+00', '2026-11-30 12:21:13.09468+00', NULL, NULL, 2, 0, 2, 0, 1, 'waiting', 'role:finance-approver', NULL, NULL, '{marta}');
INSERT INTO public.run_pause VALUES ('01a22b8b-35ce-75be-85a1-49e3c42cd6e5', '01a22b8b-3522-7483-8879-a7751ca985f9', '2026-11-30 08:21:13.296838+00', '2026-11-30 12:21:13.296838+00', '2026-11-30 08:21:13.307557+00', NULL, 2, 0, 3, 0, 0, 'executed', 'person:marta', 'marta', NULL, '{marta}');
INSERT INTO public.run_pause VALUES ('01a22b8b-3739-7139-8b28-47bfa2bd982a', '01a22b8b-3681-7616-98cd-d56e5a15ba6f', '2026-11-30 08:21:13.662309+00', '2026-11-30 12:21:13.662309+00', NULL, NULL, 2, 0, 1, 0, 1, 'waiting', 'person:marta', NULL, NULL, '{}');
INSERT INTO public.run_pause VALUES ('01a22b8b-382c-70bb-8b6c-f77b76cdaf54', '01a22b8b-3744-74bf-a6e7-3aff50e6ace7', '2026-11-30 08:21:13.901945+00', '2026-11-30 12:21:13.901945+00', NULL, NULL, 2, 0, 1, 0, 1, 'waiting', 'person:marta', NULL, NULL, '{}');
INSERT INTO public.run_pause VALUES ('01a22b8b-3963-7645-aac8-881287f2d81c', '01a22b8b-3832-7750-b9c8-6f9cb32208f5', '2026-11-30 08:21:14.21378+00', '2026-11-30 12:21:14.21378+00', NULL, NULL, 2, 0, 1, 0, 1, 'waiting', 'person:marta', NULL, NULL, '{}');
INSERT INTO public.run_pause VALUES ('01a22b8b-39ed-775f-9e01-ab7fff0820cd', '01a22b8b-396a-77be-894e-419202d73b83', '2026-11-30 08:21:14.351544+00', '2026-11-30 12:21:14.351544+00', NULL, NULL, 2, 0, 1, 0, 1, 'waiting', 'person:marta', NULL, NULL, '{}');
INSERT INTO public.run_pause VALUES ('01a22b8b-3a7a-746e-b4e0-902a2b7752d7', '01a22b8b-39f4-7247-a78d-2437e34d7eca', '2026-11-30 08:21:14.492208+00', '2026-11-30 12:21:14.501961+00', NULL, NULL, 2, 0, 2, 1, 1, 'waiting', 'person:otto', NULL, NULL, '{}');
INSERT INTO public.run_pause VALUES ('01a22b8b-3b06-7625-be84-3e5231229db6', '01a22b8b-3a8a-77fe-9b7d-86df930ace53', '2026-11-30 08:21:14.632134+00', '2026-11-30 12:21:14.632134+00', NULL, NULL, 2, 0, 1, 0, 1, 'waiting', 'person:marta', NULL, NULL, '{}');
INSERT INTO public.run_pause VALUES ('01a22b8b-3bdf-772f-be7a-298c125d822b', '01a22b8b-3b11-772b-834d-b89d7b11d68b', '2026-11-30 08:21:14.850488+00', '2026-11-30 12:21:14.850488+00', '2026-11-30 08:21:14.857834+00', NULL, 2, 0, 2, 0, 0, 'approved', 'person:marta', 'marta', NULL, '{marta}');
INSERT INTO public.run_pause VALUES ('01a22b8b-7a42-70aa-9321-a5107b7363a9', '01a22b8b-79a1-7740-9068-fb586aeffbbf', '2026-11-30 08:21:30.820108+00', '2026-11-30 12:21:30.820108+00', '2026-11-30 08:21:30.824588+00', NULL, 2, 0, 2, 0, 0, 'approved', 'person:marta', 'marta', NULL, '{marta}');


--
-- Data for Name: spend; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: policy_version_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.policy_version_seq_seq', 2, true);


--
-- Name: api_token api_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT api_token_hash_key UNIQUE (hash);


--
-- Name: api_token api_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT api_token_pkey PRIMARY KEY (id);


--
-- Name: away away_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.away
    ADD CONSTRAINT away_pkey PRIMARY KEY (person_id, starts_at);


--
-- Name: card card_pause_id_kind_level_dest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_pause_id_kind_level_dest_key UNIQUE (pause_id, kind, level, dest);


--
-- Name: card card_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_pkey PRIMARY KEY (id);


--
-- Name: edge edge_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.edge
    ADD CONSTRAINT edge_pkey PRIMARY KEY (entity, from_status, event, to_status);


--
-- Name: effect_attempt effect_attempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.effect_attempt
    ADD CONSTRAINT effect_attempt_pkey PRIMARY KEY (id);


--
-- Name: effect effect_pause_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.effect
    ADD CONSTRAINT effect_pause_id_key UNIQUE (pause_id);


--
-- Name: effect effect_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.effect
    ADD CONSTRAINT effect_pkey PRIMARY KEY (id);


--
-- Name: effect effect_run_id_step_n_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.effect
    ADD CONSTRAINT effect_run_id_step_n_key UNIQUE (run_id, step, n);


--
-- Name: halt halt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.halt
    ADD CONSTRAINT halt_pkey PRIMARY KEY (one);


--
-- Name: identity identity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_pkey PRIMARY KEY (team, slack_user);


--
-- Name: migration migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (name);


--
-- Name: notice notice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notice
    ADD CONSTRAINT notice_pkey PRIMARY KEY (id);


--
-- Name: pause_content pause_content_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pause_content
    ADD CONSTRAINT pause_content_pkey PRIMARY KEY (pause_id);


--
-- Name: pause_vote pause_vote_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pause_vote
    ADD CONSTRAINT pause_vote_pkey PRIMARY KEY (pause_id, person);


--
-- Name: person person_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);


--
-- Name: policy_version policy_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policy_version
    ADD CONSTRAINT policy_version_pkey PRIMARY KEY (version);


--
-- Name: policy_version policy_version_seq_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policy_version
    ADD CONSTRAINT policy_version_seq_key UNIQUE (seq);


--
-- Name: role_member role_member_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.role_member
    ADD CONSTRAINT role_member_pkey PRIMARY KEY (role, person_id);


--
-- Name: run_call run_call_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_call
    ADD CONSTRAINT run_call_pkey PRIMARY KEY (run_id, step, n);


--
-- Name: run_call run_call_run_id_tool_use_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_call
    ADD CONSTRAINT run_call_run_id_tool_use_id_key UNIQUE (run_id, tool_use_id);


--
-- Name: run_content run_content_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_content
    ADD CONSTRAINT run_content_pkey PRIMARY KEY (run_id);


--
-- Name: run_event run_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_event
    ADD CONSTRAINT run_event_pkey PRIMARY KEY (run_id, seq, n);


--
-- Name: run_lease run_lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_lease
    ADD CONSTRAINT run_lease_pkey PRIMARY KEY (run_id);


--
-- Name: run_message run_message_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_message
    ADD CONSTRAINT run_message_pkey PRIMARY KEY (run_id, seq);


--
-- Name: run_pause run_pause_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_pause
    ADD CONSTRAINT run_pause_pkey PRIMARY KEY (id);


--
-- Name: run run_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);


--
-- Name: spend spend_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.spend
    ADD CONSTRAINT spend_pkey PRIMARY KEY (rule, payee, currency, window_at);


--
-- Name: card_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX card_due ON public.card USING btree (not_before NULLS FIRST) WHERE due;


--
-- Name: effect_attempt_of_effect; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX effect_attempt_of_effect ON public.effect_attempt USING btree (effect_id);


--
-- Name: effect_attempt_one_open; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX effect_attempt_one_open ON public.effect_attempt USING btree (effect_id) WHERE (status = 'open'::text);


--
-- Name: effect_in_doubt; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX effect_in_doubt ON public.effect USING btree (created_at) WHERE doubted;


--
-- Name: identity_of_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX identity_of_person ON public.identity USING btree (person_id);


--
-- Name: notice_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notice_due ON public.notice USING btree (not_before NULLS FIRST) WHERE (state = 'due'::text);


--
-- Name: run_children; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_children ON public.run USING btree (parent) WHERE (parent IS NOT NULL);


--
-- Name: run_of_launch_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX run_of_launch_key ON public.run USING btree (launch_key) WHERE (launch_key IS NOT NULL);


--
-- Name: run_pause_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_pause_due ON public.run_pause USING btree (fire_at) WHERE (status = 'waiting'::text);


--
-- Name: run_pause_of_approver; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_pause_of_approver ON public.run_pause USING btree (approver, fire_at) WHERE (status = 'waiting'::text);


--
-- Name: run_pause_of_run; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_pause_of_run ON public.run_pause USING btree (run_id);


--
-- Name: run_pause_one_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX run_pause_one_waiting ON public.run_pause USING btree (run_id, step, n) WHERE (status = 'waiting'::text);


--
-- Name: run_queued; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_queued ON public.run USING btree (queued_at) WHERE (queued_at IS NOT NULL);


--
-- Name: api_token api_token_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT api_token_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);


--
-- Name: away away_delegate_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.away
    ADD CONSTRAINT away_delegate_fkey FOREIGN KEY (delegate) REFERENCES public.person(id);


--
-- Name: away away_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.away
    ADD CONSTRAINT away_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);


--
-- Name: effect_attempt effect_attempt_effect_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.effect_attempt
    ADD CONSTRAINT effect_attempt_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES public.effect(id);


--
-- Name: effect effect_pause_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.effect
    ADD CONSTRAINT effect_pause_id_fkey FOREIGN KEY (pause_id) REFERENCES public.run_pause(id);


--
-- Name: effect effect_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.effect
    ADD CONSTRAINT effect_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);


--
-- Name: identity identity_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);


--
-- Name: notice notice_pause_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notice
    ADD CONSTRAINT notice_pause_id_fkey FOREIGN KEY (pause_id) REFERENCES public.run_pause(id);


--
-- Name: notice notice_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notice
    ADD CONSTRAINT notice_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);


--
-- Name: person person_manager_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_manager_fkey FOREIGN KEY (manager) REFERENCES public.person(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: role_member role_member_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.role_member
    ADD CONSTRAINT role_member_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);


--
-- Name: run_call run_call_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_call
    ADD CONSTRAINT run_call_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);


--
-- Name: run_content run_content_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_content
    ADD CONSTRAINT run_content_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);


--
-- Name: run_event run_event_entity_from_status_event_to_status_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_event
    ADD CONSTRAINT run_event_entity_from_status_event_to_status_fkey FOREIGN KEY (entity, from_status, event, to_status) REFERENCES public.edge(entity, from_status, event, to_status);


--
-- Name: run_message run_message_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_message
    ADD CONSTRAINT run_message_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);


--
-- Name: run run_parent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_parent_fkey FOREIGN KEY (parent) REFERENCES public.run(id);


--
-- Name: run_pause run_pause_run_id_step_n_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_pause
    ADD CONSTRAINT run_pause_run_id_step_n_fkey FOREIGN KEY (run_id, step, n) REFERENCES public.run_call(run_id, step, n);


--
-- Name: run run_root_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_root_fkey FOREIGN KEY (root) REFERENCES public.run(id) DEFERRABLE INITIALLY DEFERRED;


--
-- PostgreSQL database dump complete
--

\unrestrict AO19tqpnJxvOKmSL2cakP0CpYRIHK8d6mTfWDKtnbtgE2y9OGvS2uwXdtOYCHco

