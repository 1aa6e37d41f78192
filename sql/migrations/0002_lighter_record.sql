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

-- What these refer to is a row that the same statement has locked or written: each looked at it again, and wrote a lock into the log.
ALTER TABLE run DROP CONSTRAINT run_root_fkey;
ALTER TABLE run_content DROP CONSTRAINT run_content_run_id_fkey;
ALTER TABLE run_message DROP CONSTRAINT run_message_run_id_fkey;
ALTER TABLE effect DROP CONSTRAINT effect_run_id_fkey;
ALTER TABLE effect DROP CONSTRAINT effect_pause_id_fkey;
ALTER TABLE effect_attempt DROP CONSTRAINT effect_attempt_effect_id_fkey;
