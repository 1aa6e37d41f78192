-- A lighter record that names the move. Nothing that statements of the release before need is taken away.

-- The beginning of the chain's head after the move, on each of its events: what was altered is named by its move, not by its run alone.
-- NULL: written by the release before, or not looked at.
ALTER TABLE run_event ADD COLUMN mark bytea;
CREATE FUNCTION chain_mark_v1(head text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN decode(left(head, 16), 'hex');

-- An event is held to the list of edges by a CHECK. A foreign key locked the edge each time: a record in the log for every event, and a few
-- rows on which all movers met. transitions.sql gives the function its list, after the migrations; until then no move is listed.
CREATE FUNCTION edge_listed_v1(entity text, from_status text, event text, to_status text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN to_status IS NULL;
END $$;
ALTER TABLE run_event DROP CONSTRAINT run_event_entity_from_status_event_to_status_fkey;
-- NOT VALID: the foreign key held the events that are there, and reading them all would keep everybody waiting.
ALTER TABLE run_event ADD CONSTRAINT run_event_edge_listed CHECK (edge_listed_v1(entity, from_status, event, to_status)) NOT VALID;
ALTER TABLE run_event ADD CONSTRAINT run_event_from_one CHECK (seq > 0) NOT VALID;  -- no link covers a move before the first

-- What these refer to is a row that the same statement has locked or written: each looked at it again, and wrote a lock into the log.
ALTER TABLE run DROP CONSTRAINT run_root_fkey;
ALTER TABLE run_content DROP CONSTRAINT run_content_run_id_fkey;
ALTER TABLE run_message DROP CONSTRAINT run_message_run_id_fkey;
ALTER TABLE effect DROP CONSTRAINT effect_run_id_fkey;
ALTER TABLE effect DROP CONSTRAINT effect_pause_id_fkey;
ALTER TABLE effect_attempt DROP CONSTRAINT effect_attempt_effect_id_fkey;
ALTER TABLE run_pause DROP CONSTRAINT run_pause_run_id_step_n_fkey;  -- that a call is there, the statement that asks looks at itself

-- No statement reads it: a list for one person also holds what waits for that person's roles, and goes by the hour.
DROP INDEX run_pause_of_approver;

-- What a row of the three tables that every move writes must keep to, in one CHECK each, through a function that a connection reads once. A CHECK
-- that is spelled out is read anew by every statement: nineteen of them were a quarter of a decision.
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
ALTER TABLE run DROP CONSTRAINT run_kind_check, DROP CONSTRAINT run_status_check, DROP CONSTRAINT run_max_iterations_check,
    DROP CONSTRAINT run_waiting_pauses_check, DROP CONSTRAINT run_open_effects_check, DROP CONSTRAINT run_check, DROP CONSTRAINT run_check1,
    DROP CONSTRAINT run_check2;
ALTER TABLE run ADD CONSTRAINT run_is_sound
    CHECK (run_is_sound_v1(kind, status, iterations, max_iterations, waiting_pauses, open_effects, queued_at)) NOT VALID;
CREATE FUNCTION run_pause_is_sound_v1(status text, approver text, votes_left integer, decided_at timestamptz)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN status = ANY('{waiting,approved,denied,expired,cancelled,superseded,voided,executed,failed}')
       AND (status = 'waiting') = (decided_at IS NULL)
       AND votes_left >= 0
       AND (status <> ALL('{approved,executed}') OR votes_left = 0)
       AND approver ~ '^(person|role):.';
END $$;
ALTER TABLE run_pause DROP CONSTRAINT run_pause_votes_left_check, DROP CONSTRAINT run_pause_status_check, DROP CONSTRAINT run_pause_approver_check,
    DROP CONSTRAINT run_pause_check, DROP CONSTRAINT run_pause_check1;
ALTER TABLE run_pause ADD CONSTRAINT run_pause_is_sound CHECK (run_pause_is_sound_v1(status, approver, votes_left, decided_at)) NOT VALID;
CREATE FUNCTION card_is_sound_v1(kind text, dest text, state text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN kind = ANY('{approver,requester}') AND dest ~ '^(channel|person):.' AND state = ANY('{live,gone}');
END $$;
ALTER TABLE card DROP CONSTRAINT card_kind_check, DROP CONSTRAINT card_dest_check, DROP CONSTRAINT card_state_check;
ALTER TABLE card ADD CONSTRAINT card_is_sound CHECK (card_is_sound_v1(kind, dest, state)) NOT VALID;
