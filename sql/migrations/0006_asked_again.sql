-- What lapsed may be asked again by its requester: another run goes on from the reply in which it was asked, as if nobody had been asked yet.
CREATE TABLE run_again (
    run_id    uuid PRIMARY KEY,
    of_run    uuid NOT NULL,
    of_pause  uuid NOT NULL,
    origin    uuid NOT NULL,
    of_step   integer NOT NULL,
    UNIQUE (of_run, of_step)
);
CREATE INDEX run_again_of_origin ON run_again (origin);

-- Which run of those that go on from one, or that one itself, has not ended. VOLATILE: it looks with a snapshot of its own, so that a statement
-- which waited for the first of them sees what was launched meanwhile.
CREATE FUNCTION live_of_origin_v1(origin uuid, locked uuid) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT r.id FROM run r
             WHERE r.id = ANY(ARRAY(SELECT live_of_origin_v1.origin UNION ALL SELECT a.run_id FROM run_again a WHERE a.origin = live_of_origin_v1.origin))
               AND r.status <> ALL('{done,error,cancelled}') ORDER BY r.id LIMIT 1);
END $$;
