-- A question is a pause that asks for an answer and not for a yes: no approval of it is missing, and none can be given. The release before
-- knows no answers; what it tries on a question (a yes, a no) the CHECK below refuses.

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
ALTER TABLE run_pause DROP CONSTRAINT run_pause_is_sound;
ALTER TABLE run_pause ADD CONSTRAINT run_pause_is_sound CHECK (run_pause_is_sound_v2(status, approver, votes_left, decided_at)) NOT VALID;

ALTER TABLE pause_vote DROP CONSTRAINT pause_vote_verdict_check;
ALTER TABLE pause_vote ADD CONSTRAINT pause_vote_verdict_check CHECK (verdict IN ('approve', 'deny', 'answer')) NOT VALID;
