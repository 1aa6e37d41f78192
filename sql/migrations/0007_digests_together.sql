-- What waits for a digest is shown in one message. A card for each pause stays, and says in which digest it is. The release before posts such a
-- card by itself, as it did.
ALTER TABLE card ADD COLUMN digest_at timestamptz;
CREATE INDEX card_of_digest ON card (dest, digest_at) WHERE digest_at IS NOT NULL;

-- Who paints in a digest. A row per claim, gone when it is let go.
CREATE TABLE digest_lease (
    dest           text NOT NULL,
    digest_at      timestamptz NOT NULL,
    painter_until  timestamptz NOT NULL,
    PRIMARY KEY (dest, digest_at)
);
