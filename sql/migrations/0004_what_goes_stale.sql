-- Payments to one payee that count together, doubts that are asked in Slack, delegates, and reminders. Nothing that statements of the release
-- before need is taken away. The table `spend` was never written, and goes in a later release.

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

-- A card may ask what became of an effect, which may have no pause.
CREATE FUNCTION card_is_sound_v2(kind text, dest text, state text, pause_id uuid, effect_id uuid) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN kind = ANY('{approver,requester,doubt}') AND dest ~ '^(channel|person):.' AND state = ANY('{live,gone}')
       AND (kind = 'doubt') = (effect_id IS NOT NULL) AND (pause_id IS NULL) = (effect_id IS NOT NULL);
END $$;
ALTER TABLE card ADD COLUMN effect_id uuid;
ALTER TABLE card ALTER COLUMN pause_id DROP NOT NULL, DROP CONSTRAINT card_is_sound;
ALTER TABLE card ADD CONSTRAINT card_is_sound CHECK (card_is_sound_v2(kind, dest, state, pause_id, effect_id)) NOT VALID;
CREATE UNIQUE INDEX card_of_effect ON card (effect_id, dest) WHERE effect_id IS NOT NULL;

-- A reminder is a notice for later: what is not due yet must cost an idle sender nothing.
DROP INDEX notice_due;
CREATE INDEX notice_due ON notice (coalesce(not_before, '-infinity')) WHERE state = 'due';
