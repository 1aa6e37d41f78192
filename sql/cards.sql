-- Cards (messages that must equal their pause) and notices (said once). Only delivery writes here, besides the moves that want a repaint.

-- name: delivery_due :one
-- The one look of an idle painter. No row: there is nothing to paint and nothing to say.
SELECT true AS due
 WHERE EXISTS (SELECT FROM card WHERE due AND coalesce(not_before, '-infinity') <= statement_timestamp()
                                  AND coalesce(painter_until, '-infinity') <= statement_timestamp())
    OR EXISTS (SELECT FROM notice WHERE state = 'due' AND coalesce(not_before, '-infinity') <= statement_timestamp()
                                    AND coalesce(sender_until, '-infinity') <= statement_timestamp());

-- name: claim_cards :many
-- Cards to paint, for one painter at a time; those of a digest apart. What is to be posted (posts, directs) or edited (edits) as far as Slack
-- takes it now. What was decided, and what is new, comes before what ran out (see settle_due). None: everything people see by itself is true,
-- or must wait.
WITH due AS MATERIALIZED (
    SELECT id FROM card
     WHERE due AND digest_at IS NULL AND coalesce(not_before, '-infinity') <= clock_timestamp()
       AND coalesce(painter_until, '-infinity') <= clock_timestamp()
       AND CASE WHEN ts IS NOT NULL THEN %(edits)s WHEN starts_with(dest, 'person:') THEN %(directs)s ELSE %(posts)s END
     ORDER BY not_before NULLS FIRST, id FOR UPDATE SKIP LOCKED LIMIT %(limit)s
)
UPDATE card SET painter_until = clock_timestamp() + %(lease_s)s * interval '1 second', tries = tries + 1
  FROM due WHERE card.id = due.id
RETURNING card.id, card.pause_id, card.effect_id, card.kind, card.dest, card.level, card.wanted, card.tries, card.channel, card.ts, card.not_before, card.error;

-- name: claim_digest :one
-- A digest in which something is to be painted, as far as Slack takes it now, for one painter at a time. No row: there is none, or another painter was quicker.
WITH next AS MATERIALIZED (
    SELECT c.dest, c.digest_at FROM card c
     WHERE c.due AND c.digest_at IS NOT NULL AND coalesce(c.not_before, '-infinity') <= clock_timestamp()
       AND coalesce(c.painter_until, '-infinity') <= clock_timestamp()
       AND CASE WHEN c.ts IS NOT NULL THEN %(edits)s WHEN starts_with(c.dest, 'person:') THEN %(directs)s ELSE %(posts)s END
       AND NOT EXISTS (SELECT FROM digest_lease l WHERE l.dest = c.dest AND l.digest_at = c.digest_at AND l.painter_until > clock_timestamp())
     ORDER BY c.not_before NULLS FIRST, c.id LIMIT 1
)
INSERT INTO digest_lease AS held (dest, digest_at, painter_until)
SELECT next.dest, next.digest_at, clock_timestamp() + %(lease_s)s * interval '1 second' FROM next
ON CONFLICT (dest, digest_at) DO UPDATE SET painter_until = excluded.painter_until WHERE held.painter_until <= clock_timestamp()
RETURNING dest, digest_at, painter_until;

-- name: claim_cards_of_digest :many
-- The cards of one message of a digest that is the painter's: of one that stands and is not up to date, else of the next, so many at most of what
-- is nowhere yet: its hour is the same for all, and what Slack did not take, or put off, a moment apart comes together still. `more`: another
-- message of it stands before this one. None: everything of it is true by now.
WITH mine AS MATERIALIZED (
    SELECT id, ts, not_before, due AS wanting, coalesce(painter_until, '-infinity') <= clock_timestamp() AS free
      FROM card WHERE dest = %(dest)s AND digest_at = %(digest_at)s AND state = 'live'
), message AS MATERIALIZED (
    SELECT ts FROM mine WHERE wanting AND free AND coalesce(not_before, '-infinity') <= clock_timestamp() ORDER BY ts NULLS LAST LIMIT 1
), taken AS MATERIALIZED (
    SELECT mine.id FROM mine JOIN message ON mine.ts IS NOT DISTINCT FROM message.ts
     WHERE mine.ts IS NOT NULL OR mine.wanting ORDER BY mine.id LIMIT %(most)s
)
UPDATE card SET painter_until = %(painter_until)s, tries = tries + 1
  FROM taken WHERE card.id = taken.id
RETURNING card.id, card.pause_id, card.effect_id, card.kind, card.dest, card.level, card.wanted, card.tries, card.channel, card.ts, card.not_before,
          EXISTS (SELECT FROM mine WHERE mine.ts < coalesce(card.ts, 'none yet')) AS more;

-- name: digest_let_go :exec
-- The painter is done with a digest. No row: it was slow, and another has it.
DELETE FROM digest_lease WHERE dest = %(dest)s AND digest_at = %(digest_at)s AND painter_until = %(painter_until)s;

-- name: cards_painted :exec
-- Each card shows what was wanted when it was claimed (painted), in this one message; if more is wanted since, it is due again at once. A painter
-- that comes after a later one (its machine slept) has put an old state over a new: then it is wanted once more. Where the person asked goes away
-- or comes back while it waits, it is wanted again at that hour; and who stands in for them and has no card yet (the absence began while it was
-- prepared) has one.
WITH told AS MATERIALIZED (
    SELECT * FROM unnest(%(card_ids)s::uuid[], %(painted)s::integer[]) AS c(id, painted)
), absences AS MATERIALIZED (
    SELECT c.id AS card_id, p.id AS pause_id, p.level, p.fire_at, p.voters, r.on_behalf_of, w.delegate, w.starts_at, w.ends_at, clock_timestamp() AS at
      FROM told JOIN card c ON c.id = told.id JOIN run_pause p ON p.id = c.pause_id JOIN run r ON r.id = p.run_id
      JOIN away w ON starts_with(p.approver, 'person:') AND w.person_id = substr(p.approver, 8)
      JOIN person absent ON absent.id = w.person_id AND absent.active
     WHERE c.kind = 'approver' AND c.level = p.level AND p.status = 'waiting'
       AND w.starts_at < p.fire_at AND w.ends_at > clock_timestamp()
), shown AS (
    INSERT INTO card (id, pause_id, kind, dest, level, not_before)
    SELECT gen_random_uuid(), a.pause_id, 'approver', 'person:' || a.delegate, a.level, CASE WHEN a.starts_at > a.at THEN a.starts_at END
      FROM absences a JOIN person d ON d.id = a.delegate AND d.active AND d.id <> a.on_behalf_of AND d.id <> ALL(a.voters)
     ORDER BY a.starts_at
    ON CONFLICT DO NOTHING
), turn AS MATERIALIZED (
    SELECT card_id, min(hour) AS at FROM absences a, unnest(ARRAY[a.starts_at, a.ends_at]) AS hour WHERE hour > a.at AND hour < a.fire_at GROUP BY card_id
)
UPDATE card SET
    wanted = wanted + (card.painted > told.painted OR (turn.at IS NOT NULL AND wanted <= told.painted))::integer,
    painted = greatest(card.painted, told.painted),
    channel = %(channel)s, ts = %(ts)s, painter_until = NULL, tries = 0, error = NULL,
    not_before = CASE WHEN card.painted <= told.painted AND wanted <= told.painted THEN turn.at END
  FROM told LEFT JOIN turn ON turn.card_id = told.id WHERE card.id = told.id;

-- name: card_not_asked :exec
-- Whom this card would show it to does not stand in for the person asked, and has not seen it: it waits for the next day that they do, and is
-- let go if there is none while it waits. A digest that it was to be in is over by then.
UPDATE card SET painter_until = NULL, tries = 0, not_before = next.at, digest_at = NULL, state = CASE WHEN next.at IS NULL THEN 'gone' ELSE card.state END, error = %(error)s
  FROM (SELECT min(w.starts_at) AS at
          FROM card c JOIN run_pause p ON p.id = c.pause_id AND p.status = 'waiting'
          JOIN away w ON p.approver = 'person:' || w.person_id AND c.dest = 'person:' || w.delegate AND w.starts_at < p.fire_at
         WHERE c.id = %(card_id)s AND w.starts_at > clock_timestamp()) next
 WHERE card.id = %(card_id)s;

-- name: card_adopted :exec
-- A click came from a message that we do not know to be this card's: the post's answer was lost. It is the card's now, and is repainted. So
-- is one that was given up, since its message is there.
UPDATE card SET channel = %(channel)s, ts = %(ts)s, wanted = wanted + 1, not_before = NULL, state = 'live'
 WHERE id = %(card_id)s AND (ts IS NULL OR (state = 'gone' AND channel = %(channel)s AND ts = %(ts)s));

-- name: repaint_cards :exec
-- Every card of a pause is painted anew, since something else than a move made it untrue. No row: it has none.
UPDATE card SET {repaint} WHERE pause_id = %(pause_id)s;

-- name: card_postponed :exec
-- Slack did not take it: again later; but at once if more is wanted since it was claimed (decided, or adopted by a click), as if that had
-- come after the failure. limited: Slack named the time, and the card keeps its place.
UPDATE card SET painter_until = CASE WHEN %(limited)s THEN clock_timestamp() + %(after_s)s * interval '1 second' END,
       not_before = CASE WHEN %(limited)s THEN not_before WHEN wanted = %(wanted)s THEN clock_timestamp() + %(after_s)s * interval '1 second' END, error = %(error)s
 WHERE id = %(card_id)s;

-- name: card_gone :exec
-- The message is no more, or never can be: it is not tried again.
UPDATE card SET painter_until = NULL, state = 'gone', error = %(error)s WHERE id = %(card_id)s;

-- name: card_reposted :exec
-- The message was deleted: the next painting posts a new one.
UPDATE card SET painter_until = NULL, channel = NULL, ts = NULL, painted = 0, wanted = wanted + 1, not_before = NULL, error = %(error)s
 WHERE id = %(card_id)s;

-- name: card_instead :exec
-- The only card that an approver could see is gone: another one, elsewhere. Only while it waits; a place it is shown at already stays as it is.
INSERT INTO card (id, pause_id, kind, dest, level)
SELECT %(id)s, p.id, 'approver', %(dest)s, p.level FROM run_pause p WHERE p.id = %(pause_id)s AND p.status = 'waiting'
ON CONFLICT DO NOTHING;

-- name: cards_of_pause :many
-- Where a pause is shown.
SELECT id, kind, dest, level, state, channel, ts, wanted, painted, error FROM card WHERE pause_id = %(pause_id)s ORDER BY level, kind, dest;

-- name: cards_of_effect :many
-- Where a doubt is shown.
SELECT id, kind, dest, level, state, channel, ts, wanted, painted, error FROM card WHERE effect_id = %(effect_id)s ORDER BY dest;

-- name: add_notice :exec
-- Something to be said once. lapse_s NULL: it does not lapse.
INSERT INTO notice (id, run_id, pause_id, kind, dest, detail, lapses_at)
SELECT %(id)s, %(run_id)s, %(pause_id)s, %(kind)s, %(dest)s, %(detail)s::json, clock_timestamp() + %(lapse_s)s::double precision * interval '1 second';

-- name: claim_notices :many
-- Notices to deliver, for one sender at a time. None: everything is said.
WITH due AS MATERIALIZED (
    SELECT id FROM notice
     WHERE state = 'due' AND coalesce(not_before, '-infinity') <= statement_timestamp() AND coalesce(sender_until, '-infinity') <= clock_timestamp()
     ORDER BY coalesce(not_before, '-infinity'), id FOR UPDATE SKIP LOCKED LIMIT %(limit)s
)
UPDATE notice SET sender_until = clock_timestamp() + %(lease_s)s * interval '1 second', tries = tries + 1,
       state = CASE WHEN lapses_at <= clock_timestamp() THEN 'lapsed' ELSE 'due' END
  FROM due WHERE notice.id = due.id
RETURNING notice.id, notice.run_id, notice.pause_id, notice.kind, notice.dest, notice.detail, notice.tries, notice.state, notice.error;

-- name: notice_settled :exec
-- Said, or never to be said. state: sent or failed.
UPDATE notice SET state = %(state)s, error = %(error)s, sender_until = NULL WHERE id = %(notice_id)s AND state = 'due';

-- name: notice_postponed :exec
-- Slack did not take it: again later, unless it lapses before.
UPDATE notice SET sender_until = NULL, not_before = clock_timestamp() + %(after_s)s * interval '1 second', error = %(error)s
 WHERE id = %(notice_id)s AND state = 'due';

-- name: undelivered :one
-- How much is not shown or said yet, of what was to be by now: a digest or a reminder for later is not missing.
SELECT (SELECT count(*) FROM card WHERE due AND (tries > 0 OR coalesce(not_before, '-infinity') <= statement_timestamp())) AS cards,
       (SELECT count(*) FROM notice
         WHERE state = 'due' AND (tries > 0 OR coalesce(not_before, '-infinity') <= statement_timestamp())) AS notices;
