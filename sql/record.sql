-- The tail that every move shares. A move has these CTEs: r (its locked run), t (the time after the lock was had, one row) and
-- events (n, entity, entity_id, from_status, event, to_status, actor, surface, detail). Its one UPDATE of run, `linked`, puts {link}
-- into seq and head and returns id, seq and head, and it ends with {log}. A move of several runs has run_id in
-- events, and takes {said_each}, {link_each} and {log_each} instead.
-- A move on record with the system that judges by rows which another such move may have changed meanwhile begins with {as_seen}: held is the
-- system's run, and r it too, unless it moved while this one waited for it.
-- What it needs of its rows it names: each reading of a CTE costs by the column, and a move has thirty of them.

-- name: as_seen :fragment
held AS MATERIALIZED (
    SELECT id, seq, head FROM run WHERE id = %(id)s FOR UPDATE
), r AS MATERIALIZED (
    SELECT held.* FROM held JOIN run seen ON seen.id = held.id AND seen.seq = held.seq
), t AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM r
)

-- name: link :fragment
r.seq + 1, chain_link_v1(r.head, (SELECT string_agg(event_text_v1(e.entity, e.entity_id, e.from_status, e.event, e.to_status,
                                                                         e.actor, e.surface, e.detail, t.at), '' ORDER BY e.n) FROM events e))

-- name: said_each :fragment
said AS MATERIALIZED (
    SELECT e.run_id, string_agg(event_text_v1(e.entity, e.entity_id, e.from_status, e.event, e.to_status,
                                              e.actor, e.surface, e.detail, t.at), '' ORDER BY e.n) AS text
      FROM events e, t GROUP BY e.run_id
)

-- name: link_each :fragment
r.seq + 1, chain_link_v1(r.head, said.text)

-- name: repaint :fragment
-- Which cards, a join or an array tells, never IN (SELECT ...): where another has changed the card since this statement began, PostgreSQL asks
-- a subquery anew, of what was then, and the card would be left out (seen in tests/interleavings).
wanted = wanted + 1,
               -- at once, but one that nobody tried to post yet keeps its hour: a digest, or the beginning of somebody's absence
               not_before = CASE WHEN card.tries = 0 AND card.ts IS NULL AND card.not_before > clock_timestamp() THEN card.not_before END

-- name: repaint_after :fragment
-- The same for what nobody decided: of what stands there already, what somebody decided is painted before.
wanted = wanted + 1,
               not_before = CASE WHEN card.ts IS NOT NULL THEN clock_timestamp()
                                 WHEN card.tries = 0 AND card.not_before > clock_timestamp() THEN card.not_before END

-- name: log :fragment
logged AS (
    INSERT INTO run_event (run_id, seq, at, n, entity, entity_id, from_status, event, to_status, actor, surface, detail, mark)
    SELECT l.id, l.seq, t.at, e.n, e.entity, e.entity_id, e.from_status, e.event, e.to_status, e.actor, e.surface, e.detail, chain_mark_v1(l.head)
      FROM linked l, t, events e
)

-- name: log_each :fragment
logged AS (
    INSERT INTO run_event (run_id, seq, at, n, entity, entity_id, from_status, event, to_status, actor, surface, detail, mark)
    SELECT l.id, l.seq, t.at, e.n, e.entity, e.entity_id, e.from_status, e.event, e.to_status, e.actor, e.surface, e.detail, chain_mark_v1(l.head)
      FROM linked l JOIN events e ON e.run_id = l.id, t
)
