-- What lapsed may be asked again by its requester: another run goes on from the reply in which it was asked, as if nobody had been asked yet.
CREATE TABLE run_again (
    run_id    uuid PRIMARY KEY,
    of_run    uuid NOT NULL,
    of_pause  uuid NOT NULL,
    of_step   integer NOT NULL,
    UNIQUE (of_run, of_step)
);
